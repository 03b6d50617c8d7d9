package tables

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/cluster/work"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/must"
)

// chainColumns are too many columns for an exact posterior.
const chainColumns = 13

// chainTable writes a table whose columns form a chain.
func chainTable(t testing.TB) (path string) {
	rng := rand.New(rand.NewPCG(3, 9))
	var b strings.Builder
	for v := range chainColumns {
		fmt.Fprintf(&b, "%sc%d", strings.Repeat(",", min(v, 1)), v)
	}
	for range 150 {
		x := 0.0
		for v := range chainColumns {
			x = 0.8*x + rng.NormFloat64()
			fmt.Fprintf(&b, "%s%.3f", map[bool]string{true: "\n", false: ","}[v == 0], x)
		}
	}
	b.WriteByte('\n')
	path = filepath.Join(t.TempDir(), "chain.csv")
	must.Succeed(t, os.WriteFile(path, []byte(b.String()), 0o600))
	return path
}

// TestChainsAreLocal checks that walks as encoded units, with the table read again from its files, give the
// result of one process.
func TestChainsAreLocal(t *testing.T) {
	path := chainTable(t)
	p := polydag.DefaultPreparation()
	read := NewReading(files.DefaultSettings(), p, nil)
	cfg, s := polydag.DefaultConfig(), confidence.DefaultPosterior()
	s.Samples, s.Rounds = 8, 1 // too few to agree
	learn := func(by confidence.Walker) (string, error) {
		in := must.Get(files.Open(path, nil, files.DefaultSettings()))
		defer in.Close()
		table := must.Get(polydag.Prepare(t.Context(), in, p))
		res, err := confidence.PosteriorWith(t.Context(), table, cfg, s, polydag.Run{}, by)
		if err != nil {
			return "", err
		}
		res.Timing = polydag.Timing{}
		text, err := json.Marshal(res)
		return string(text), err
	}
	want := must.Get(learn(nil))
	elsewhere := Chains{Paths: []string{path}, Read: read}
	elsewhere.Runner = work.Pool{Workers: 3, Handlers: work.Handlers{KindWalk: WalkHandler(nil, 1<<30)}}
	if got, err := learn(elsewhere); err != nil || got != want {
		t.Errorf("%v\n%s\n%s", err, got, want)
	}
	elsewhere.Runner = work.Pool{Workers: 1, Handlers: work.Handlers{KindWalk: WalkHandler(nil, 1<<20)}}
	if err := elsewhere.Walk(t.Context(), &confidence.Chains{}, []confidence.Walk{{Samples: 1, Thin: 1}}, nil); err == nil || !strings.Contains(err.Error(), "memory") {
		t.Errorf("chains beyond the limit: %v", err)
	}
	var of *confidence.Chains // as a submitter makes it
	if _, err := learn(walkerFunc(func(_ context.Context, c *confidence.Chains, _ []confidence.Walk) error {
		of = c
		return errors.New("seen")
	})); of == nil {
		t.Fatal(err)
	}
	elsewhere.Runner = work.Pool{Workers: 1, Handlers: work.Handlers{KindWalk: WalkHandler(nil, 1<<30)}}
	for samples, want := range map[int]string{1_000_000: "the graphs of the walk would need about", 1_000_000_000: "want numbers that are not negative, and 1 to 1000000 graphs"} {
		if err := elsewhere.Walk(t.Context(), of, []confidence.Walk{{Samples: samples, Thin: 1}}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d graphs: %v", samples, err)
		}
	}
	handlers := work.Handlers{KindWalk: WalkHandler(nil, 0)}
	for _, body := range []string{`{}`, `[]`, `{"path": "x"}`, `{"chains": {}}`} {
		u := must.Get(work.NewUnit(KindWalk, json.RawMessage(body)))
		if err := (work.Pool{Workers: 1, Handlers: handlers}).Run(t.Context(), &work.Job{Units: []work.Unit{u}}, func(int, []byte) error { return nil }); err == nil {
			t.Errorf("%s is taken", body)
		}
	}
}

// walkerFunc is a confidence.Walker that only inspects the walks.
type walkerFunc func(context.Context, *confidence.Chains, []confidence.Walk) error

func (f walkerFunc) Walk(ctx context.Context, of *confidence.Chains, walks []confidence.Walk, _ func(int, []byte) error) error {
	return f(ctx, of, walks)
}
