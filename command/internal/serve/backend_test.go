package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"

	"github.com/polydag/polydag"
)

// fake is a Backend with the functions of a test. Those that a test does not set do nothing, and Page writes a short page.
type fake struct {
	accept    func(url.Values) error
	check     func(context.Context, Job) (json.RawMessage, error)
	learn     func(context.Context, Job, polydag.Observer) (*polydag.Result, error)
	page      func(context.Context, io.Writer, Show, ...Named) error
	picture   func(context.Context, io.Writer, *polydag.Result) error
	image     func(io.Writer, string) error
	export    func(context.Context, io.Writer, *polydag.Result, string) error
	questions func(context.Context, *polydag.Result) (json.RawMessage, error)
	drivers   func(context.Context, Job, *polydag.Result) (json.RawMessage, error)
	test      func(context.Context, Job) (json.RawMessage, error)
}

func (f fake) Accept(set url.Values) error {
	if f.accept == nil {
		return nil
	}
	return f.accept(set)
}

func (f fake) Check(ctx context.Context, job Job) (json.RawMessage, error) {
	if f.check == nil {
		return json.RawMessage(`{}`), nil
	}
	return f.check(ctx, job)
}

func (f fake) Learn(ctx context.Context, job Job, observe polydag.Observer) (*polydag.Result, error) {
	if f.learn == nil {
		return nil, nil
	}
	return f.learn(ctx, job, observe)
}

func (f fake) Page(ctx context.Context, w io.Writer, show Show, list ...Named) error {
	if f.page == nil && len(list) == 0 {
		_, err := io.WriteString(w, "<title>start</title>")
		return err
	}
	if f.page == nil {
		_, err := fmt.Fprintf(w, "<title>page of %s, %d columns, alone: %t</title>", list[0].Name, len(list[0].Result.Names), show.Alone)
		return err
	}
	return f.page(ctx, w, show, list...)
}

func (f fake) Picture(ctx context.Context, w io.Writer, res *polydag.Result) error {
	if f.picture == nil {
		return nil
	}
	return f.picture(ctx, w, res)
}

func (f fake) Image(w io.Writer, file string) error {
	if f.image == nil {
		return ErrNoImage
	}
	return f.image(w, file)
}

func (f fake) Export(ctx context.Context, w io.Writer, res *polydag.Result, format string) error {
	if f.export == nil {
		return nil
	}
	return f.export(ctx, w, res, format)
}

func (f fake) Questions(ctx context.Context, res *polydag.Result) (json.RawMessage, error) {
	if f.questions == nil {
		return json.RawMessage(`{}`), nil
	}
	return f.questions(ctx, res)
}

func (f fake) Drivers(ctx context.Context, job Job, res *polydag.Result) (json.RawMessage, error) {
	if f.drivers == nil {
		return json.RawMessage(`{}`), nil
	}
	return f.drivers(ctx, job, res)
}

func (f fake) Effects(_ context.Context, job Job, _ *polydag.Result) (json.RawMessage, error) {
	if job.Name == "bad.csv" {
		return nil, errors.New("not a table")
	}
	return json.RawMessage(`{}`), nil
}

func (f fake) Test(ctx context.Context, job Job) (json.RawMessage, error) {
	if f.test == nil {
		return json.RawMessage(`{}`), nil
	}
	return f.test(ctx, job)
}

func (f fake) Example(name string) []byte {
	return map[string][]byte{"demo": []byte("a,b\n1,2\n")}[name]
}
