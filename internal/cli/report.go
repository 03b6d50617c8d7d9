package cli

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
	"github.com/polydag/polydag/internal/page"
)

func (a *app) reportCommand() *cobra.Command {
	var output, truth string
	var sensitive, labels, tables []string
	threads := runtime.NumCPU()
	var in *reading
	var say *console
	cmd := &cobra.Command{
		Use:   "report RESULT.json [OTHER.json] --output REPORT.html",
		Short: "Write a result as a page to look at: one file, no network needed",
		Long: `Report writes one HTML file that opens in a browser from disk, without any network: the graph to walk and filter, the parents and children of a
variable, every path between two, the certificate, the findings in the data, the course of the run, and all of it as
tables. Two results are compared: what both have and what only one has. docs/guides/report.md describes the page.

With --data, the table that the result was learned from, read as polydag learn read it, the page says under discrete, mixed
and smooth models what setting one variable does to another; under a linear model it does so without.`,
		Example: `  polydag report result.json --output report.html
  polydag report result.json --output report.html --data data.csv
  polydag report result.json --output report.html --truth truth.csv --sensitive Male,age
  polydag learn data.csv --standardize --output standardized.json && polydag report result.json standardized.json --output compare.html`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return usagef("%s takes one result.json, or two to compare, got %d arguments; see %s --help", cmd.CommandPath(), len(args), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" {
				return usagef("--output is missing: name the HTML file to write, or - for standard output")
			}
			if len(labels) > 0 && len(labels) != len(args) {
				return usagef("%d labels for %d results; give one a result", len(labels), len(args))
			}
			if threads < 1 {
				return usagef("--threads %d: want at least 1", threads)
			}
			if err := errors.Join(say.check(), in.check(min(threads, runtime.NumCPU()))); err != nil {
				return usageError{err}
			}
			inputs, err := tableFiles(tables)
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
				list, err := a.readTruth(cmd.Context(), truth, show.Results[0].Result.Names)
				if err != nil {
					return err
				}
				show.Truth = &page.Truth{}
				for _, e := range list {
					show.Truth.Edges = append(show.Truth.Edges, polydag.Link{From: e.From, To: e.To})
				}
			}
			if len(tables) > 0 {
				if err := a.addEffects(cmd.Context(), show.Results, in, tables, say); err != nil {
					return err
				}
			}
			var html bytes.Buffer
			err = page.Write(cmd.Context(), &html, show)
			if errors.Is(err, page.ErrInput) {
				return usageError{err}
			}
			if err != nil {
				return err
			}
			return a.write(cmd.Context(), output, func(w io.Writer) error {
				_, err := html.WriteTo(w)
				return err
			})
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&output, "output", "o", "", "HTML file to write (- for standard output)")
	f.StringVar(&truth, "truth", "", "file of the true edges: CSV with header from,to, or what Tetrad, BIF, GraphML, DOT or a matrix in CSV has")
	f.StringSliceVar(&sensitive, "sensitive", nil, "columns to mark when the page opens, separated by commas")
	f.StringSliceVar(&labels, "label", nil, "what to call each result on the page (default: its file name)")
	f.StringArrayVar(&tables, "data", nil, "the table that the results were learned from, for effects under models that are not linear; repeat for the files of one table")
	f.IntVar(&threads, "threads", threads, "threads; they change the time, never the page")
	in = newReading(f)
	in.kindFlag(f)
	in.clusterFlag(f)
	say = newConsole(f, a.err)
	return cmd
}

// addEffects reads the table of results and asks it what setting columns does.
func (a *app) addEffects(ctx context.Context, results []page.Labelled, in *reading, tables []string, say *console) error {
	if err := in.recorded(results[0].Result); err != nil {
		return err
	}
	data, err := in.gather(ctx, a, tables, say, true)
	if err != nil {
		return err
	}
	defer data.close()
	for k := range results {
		r := &results[k]
		if err := confidence.SameTable(r.Result, data.Table); err != nil {
			return fmt.Errorf("%s: %w", r.Label, err)
		}
		if r.Effects, err = survey(ctx, r.Result, data.Table, thorough(in.take.Threads), say); err != nil {
			return fmt.Errorf("%s: %w", r.Label, err)
		}
	}
	return nil
}
