package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/csv"
	"github.com/polydag/polydag/internal/demo"
	"github.com/polydag/polydag/internal/edgelist"
	"github.com/polydag/polydag/metric"
)

func (a *app) demoCommand() *cobra.Command {
	var output, save string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Learn from an embedded table with a known graph",
		Long: `Demo learns from a table that is part of the program, and from 200 tables drawn from its rows, and prints the graph with a
confidence on every edge, its certificate and how it compares with the truth. The table is simulated from a known graph over eight attribute names of the paper's
CelebA study; CelebA itself may not be shipped, and none of it is in here.`,
		Example: `  polydag demo
  polydag demo --save demo.csv && polydag learn demo.csv`,
		Args: exactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if save != "" {
				return a.saveDemo(cmd.Context(), save)
			}
			opt := csv.DefaultSettings()
			opt.File = "the embedded table"
			table, err := polydag.Prepare(cmd.Context(), demoTable{opt}, polydag.DefaultPreparation())
			if err != nil {
				return err
			}
			data := table.Moments
			list, err := edgelist.Read(bytes.NewReader(demo.Truth), data.Names)
			if err != nil {
				return err
			}
			a.saving.Store(true)
			cfg := polydag.DefaultConfig()
			cfg.Threads = runtime.NumCPU()
			res, err := confidence.Learn(cmd.Context(), table, cfg, confidence.DefaultSettings(), polydag.Run{})
			if err != nil {
				return err
			}
			fmt.Fprint(a.out, "A simulated table over eight attribute names of CelebA (the data are not CelebA's).\n\n")
			if _, err := (&outputs{json: output}).deliver(cmd.Context(), a, res, nil, 1, &console{w: a.err}); err != nil {
				return err
			}
			fmt.Fprint(a.out, "\nAgainst the graph that the table was drawn from:\n")
			if err := writeMetrics(a.out, metric.Compare(graphOf(list, data.Names), res.Graph)); err != nil {
				return err
			}
			return finished(cmd.Context(), res, nil, nil, true)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&output, "output", "o", "", "also write the result as JSON to this file")
	f.StringVar(&save, "save", "", "write the table to this file, in the format of its name, and learn nothing")
	return cmd
}

// demoTable is the embedded table as an input.
type demoTable struct{ opt csv.Settings }

func (t demoTable) Describe() (name, format string, bytes int64) {
	return t.opt.File, files.CSV, int64(len(demo.Data))
}

func (t demoTable) Source(context.Context) (dataset.Source, error) {
	return csv.Open(bytes.NewReader(demo.Data), t.opt)
}

func (t demoTable) Saved() (*dataset.Moments, *dataset.Profile) { return nil, nil }

func (t demoTable) SHA256(context.Context) (string, error) {
	return fmt.Sprintf("%x", sha256.Sum256(demo.Data)), nil
}

// saveDemo writes the embedded table: as CSV the bytes that are embedded, in other formats the same numbers.
func (a *app) saveDemo(ctx context.Context, path string) error {
	format, err := tableFormat("--save", path)
	if err != nil {
		return err
	}
	if format == (files.Writer{Format: files.CSV}) {
		return a.write(ctx, path, func(w io.Writer) error {
			_, err := w.Write(demo.Data)
			return err
		})
	}
	t, err := csv.ReadTable(ctx, bytes.NewReader(demo.Data), csv.DefaultSettings())
	if err != nil {
		return err
	}
	return a.writeTable(ctx, path, format, files.Content{Names: t.Names, Count: t.Rows.Rows, Rows: dataset.RowsOf(t.Rows)})
}
