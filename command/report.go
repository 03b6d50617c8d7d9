package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/page"
)

func (a *app) reportCommand() *cobra.Command {
	var output, truth string
	var sensitive, labels, tables []string
	threads := runtime.NumCPU()
	var in *reading
	var images Pictures
	var task *Task
	cmd := &cobra.Command{
		Use:   "report RESULT.json [OTHER.json] --output REPORT.html",
		Short: "Write an interactive HTML report of a result",
		Long: `Report writes one HTML file that opens in a browser without a network connection. It contains the
graph with filters, the parents and children of each variable, the paths between two variables, the
certificate, the data checks, the progress of the run, and all of it as tables. With two results it
compares their edges. docs/guides/report.md describes the page.

For discrete, mixed and smooth models, give --data, the table that the result was learned from, to
include the effects of interventions. Linear models do not need it; for models with lags it adds
intervals to the impulse responses.

For a table of images, give also --images, the folder of the files that the column image of the table
names. Selecting a variable or an edge on the page then shows typical images, and those that
contradict the edge; selecting a cause and an outcome shows pairs of images that differ in the cause
and agree on the adjustment set. docs/guides/images.md has an example.`,
		Example: `  polydag report result.json --output report.html
  polydag report result.json --output report.html --data data.csv
  polydag report scenes.json --output report.html --data scenes.csv --images scenes
  polydag report result.json --output report.html --truth truth.csv --sensitive age
  polydag learn data.csv --standardize --output standardized.json && polydag report result.json standardized.json --output compare.html`,
		Args: argsBetween(1, 2, "one result.json, or two to compare"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" {
				return usagef("no output file; add --output REPORT.html, or --output - for standard output")
			}
			if len(labels) > 0 && len(labels) != len(args) {
				return usagef("%d labels for %d results; give one label per result", len(labels), len(args))
			}
			if err := in.check(min(threads, runtime.NumCPU())); err != nil {
				return usageError{err}
			}
			if task.Paths = tables; images != nil {
				if err := images.Check(task, output); err != nil {
					return err
				}
			}
			inputs, err := files.Parts(tables)
			if err != nil {
				return err
			}
			if err := distinct(slices.Concat(args, inputs, []string{truth}), []string{output}); err != nil {
				return err
			}
			show := page.Input{Sensitive: sensitive}
			for k, path := range args {
				res, err := a.readResult(cmd.Context(), path)
				if err != nil {
					return err
				}
				label := filepath.Base(path)
				if len(labels) > 0 {
					label = labels[k]
				}
				show.Results = append(show.Results, page.Labelled{Label: label, Result: res})
			}
			if truth != "" {
				list, err := a.readTruth(cmd.Context(), truth, show.Results[0].Result.Names, false)
				if err != nil {
					return err
				}
				show.Truth = &page.Truth{}
				for _, e := range list {
					if e.Lag > 0 {
						continue // the page compares edges without a lag
					}
					show.Truth.Edges = append(show.Truth.Edges, polydag.Link{From: e.From, To: e.To})
				}
			}
			if len(tables) > 0 {
				if err := a.addRows(cmd.Context(), &show, in, images, task); err != nil {
					return err
				}
			}
			return a.writePage(cmd.Context(), output, show)
		},
	}
	f := ordered(cmd)
	f.StringVarP(&output, "output", "o", "", "write the report to this HTML file (- for standard output)")
	f.StringVar(&truth, "truth", "", "file with the true edges: CSV with the header from,to, a CSV matrix, or a Tetrad, BIF, GraphML or DOT file")
	f.StringSliceVar(&sensitive, "sensitive", nil, "columns to mark when the page opens, comma-separated")
	f.StringSliceVar(&labels, "label", nil, "names of the results on the page, comma-separated (default: their file names)")
	f.StringArrayVar(&tables, "data", nil, "table that the results were learned from, for effects under nonlinear models; repeat for several files")
	images, task = a.newPictures("report", f)
	f.IntVar(&threads, "threads", threads, "number of threads; does not change the result")
	in = newTableReading(a, f)
	return cmd
}

// writePage writes a page, which is made in memory first: an invalid one leaves no file.
func (a *app) writePage(ctx context.Context, path string, show page.Input) error {
	var html bytes.Buffer
	err := page.Write(ctx, &html, show)
	if errors.Is(err, page.ErrInput) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	return a.data(ctx, path, func(w io.Writer) error {
		_, err := html.WriteTo(w)
		return err
	})
}

// addRows reads the table of results and adds what needs its rows: the effects of interventions, and pictures.
func (a *app) addRows(ctx context.Context, show *page.Input, in *reading, images Pictures, task *Task) error {
	results := show.Results
	data, err := in.gatherAgain(ctx, results[0].Result, task.Paths)
	if err != nil {
		return err
	}
	defer data.input.Close()
	for k := range results {
		r := &results[k]
		if err := confidence.SameTable(r.Result, data.Table); err != nil {
			return fmt.Errorf("%s: %w", r.Label, err)
		}
		if r.Effects, err = survey(ctx, r.Result, data.Table, thorough(in.take.Threads), data.screen); err != nil {
			return fmt.Errorf("%s: %w", r.Label, err)
		}
	}
	if images == nil {
		return nil
	}
	on, _, err := images.Open(task)
	if err != nil || !on {
		return err
	}
	defer images.Close()
	task.gathered(data)
	var all []*polydag.Result
	for _, r := range results {
		all = append(all, r.Result)
	}
	made, err := images.Make(ctx, task, all)
	if err != nil {
		return err
	}
	show.Pictures, show.Linked = made.Data, made.Linked
	return nil
}
