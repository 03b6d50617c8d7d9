package polydag_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/diagnose"
	"github.com/polydag/polydag/draw"
	"github.com/polydag/polydag/ingest"
	"github.com/polydag/polydag/report/page"
)

// region anyfile
func Example_anyFile() {
	ctx := context.Background()
	in, err := ingest.Open("internal/demo/data.csv", nil, ingest.DefaultOptions()) // CSV, Parquet, NPY, SQLite, …
	if err != nil {
		fmt.Println(err)
		return
	}
	defer in.Close()
	opt := dataset.DefaultGatherOptions()
	opt.Drop, opt.Missing, opt.Profile = []string{"Gray_*"}, "pairwise", true
	table, err := dataset.Gather(ctx, in.Source, opt)
	if err != nil {
		fmt.Println(err)
		return
	}
	look := diagnose.Examine(table.Moments, table.Profile)
	for _, f := range look.Findings {
		fmt.Println(f.Severity, f.Sentence, f.WayOut) // nothing here: the table is clean
	}

	res, err := polydag.Learn(ctx, table.Moments, polydag.DefaultConfig(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	res.Preflight = look.Findings
	res.Judge(table.Moments, table.Profile, table.Sample) // from moments alone most of the model is "not checked"
	dir, _ := os.MkdirTemp("", "polydag")
	defer os.RemoveAll(dir)
	write := func(name string, fill func(io.Writer) error) {
		f, err := os.Create(filepath.Join(dir, name))
		if err == nil {
			err = fill(f)
			f.Close()
		}
		fmt.Println(name, err)
	}
	write("graph.svg", func(w io.Writer) error { return draw.Write(ctx, w, draw.SVG, res, draw.DefaultOptions()) })
	write("report.html", func(w io.Writer) error {
		return page.Write(ctx, w, page.Input{Results: []page.Labelled{{Label: "demo", Result: res}}})
	})
	// Output:
	// graph.svg <nil>
	// report.html <nil>
}

// endregion
