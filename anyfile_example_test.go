package polydag_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/report"
)

// region anyfile
func Example_anyFile() {
	ctx := context.Background()
	in, err := files.Open("internal/demo/data.csv", nil, files.DefaultSettings()) // CSV, Parquet, Excel, NPY, …
	if err != nil {
		fmt.Println(err)
		return
	}
	defer in.Close()
	how := polydag.DefaultPreparation()
	how.Drop, how.Missing = []string{"lamps_*"}, dataset.MissingAuto
	table, err := polydag.Prepare(ctx, in, how)
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := table.Learn(ctx, polydag.DefaultConfig(), polydag.Run{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range res.DataChecks {
		fmt.Println(f.Severity, f.Sentence, f.WayOut) // nothing here: the table is clean
	}
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
	write("graph.svg", report.Picture(ctx, "svg", res))
	write("report.html", report.HTML(ctx, "demo", res))
	// Output:
	// graph.svg <nil>
	// report.html <nil>
}

// endregion
