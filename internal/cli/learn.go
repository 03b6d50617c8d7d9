package cli

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/report"
	"github.com/polydag/polydag/solve"
)

func (a *app) learnCommand() *cobra.Command {
	var output, weights, delimiter string
	var quiet bool
	cmd := &cobra.Command{
		Use:   "learn DATA.csv",
		Short: "Learn a graph from a CSV file with a header",
		Long: `Learn reads a CSV file with a header of column names ("-" is standard input), learns a graph and prints
it with its certificate. With --output it also writes the result as JSON.

The default, --method auto, searches for the DAG with the best extended BIC. With unequal noise variances its graph does not
depend on the units of the columns; where BIC finds the variances equal in the units of the data, the result says so
(--variance unequal rules that out). --method polydag is the paper's constraint under a scale-free score. polydag-geo, polydag-poly and
notears-exp are the paper's own methods; their answer does depend on the units.`,
		Example: `  polydag learn data.csv --output result.json
  polydag learn data.csv --require 'age->income' --forbid '*->age'
  polydag learn data.csv --method notears-exp --schedule paper --precision 32
  zcat data.csv.gz | polydag learn - --output - | jq .edges`,
		Args: exactArgs(1, "one CSV file, or - for standard input"),
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&output, "output", "o", "", "write the result as JSON to this file (- for standard output)")
	f.StringVar(&weights, "weights", "", "write the matrix before thresholding as CSV to this file (continuous methods)")
	f.BoolVarP(&quiet, "quiet", "q", false, "print nothing but errors")
	f.StringVar(&delimiter, "delimiter", ",", "what separates the fields of the table; tab for a tab")
	set := newSettings(f, runtime.NumCPU())

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, err := set.resolve(2) // every fault that shows without the data, before a long read
		if err != nil {
			return err
		}
		if weights != "" && (cfg.Method == polydag.Auto || cfg.Method == polydag.Order) {
			return usagef("--weights needs a method that has weights before a threshold: polydag, polydag-geo, polydag-poly or notears-exp")
		}
		if err := distinct([]string{args[0], set.know.tiers, set.know.file}, []string{output, weights}); err != nil {
			return err
		}
		set.remark(a.err, quiet)
		for _, path := range []string{output, weights} {
			if err := a.writable(path); err != nil {
				return err
			}
		}
		opt, err := csvOptions(delimiter)
		if err != nil {
			return err
		}
		opt.Threads = cfg.Threads
		data, seconds, err := a.readMoments(cmd.Context(), args[0], opt, quiet)
		if err != nil {
			return err
		}
		if cfg, err = set.resolve(len(data.Names)); err != nil {
			return err
		}
		bar := newProgress(a.err, quiet)
		res, learnErr := polydag.Learn(cmd.Context(), data, cfg, bar.observe)
		bar.clear()
		if res == nil {
			return learnErr
		}
		res.Timing.ReadSeconds = seconds
		if err := a.deliver(res, output, weights, quiet); err != nil {
			return err
		}
		if learnErr != nil {
			return learnErr
		}
		return finished(res)
	}
	a.configurable(cmd)
	return cmd
}

// csvOptions are the defaults with the given delimiter.
func csvOptions(delimiter string) (dataset.CSVOptions, error) {
	opt := dataset.DefaultCSVOptions()
	switch {
	case delimiter == "tab" || delimiter == `\t`:
		opt.Delimiter = '\t'
	case len(delimiter) == 1:
		opt.Delimiter = delimiter[0]
	default:
		return opt, usagef("--delimiter %q: want one character, or tab", delimiter)
	}
	if err := opt.Validate(); err != nil {
		return opt, usageError{err}
	}
	return opt, nil
}

// readMoments reads a table and returns its moments and the seconds it took.
func (a *app) readMoments(ctx context.Context, path string, opt dataset.CSVOptions, quiet bool) (*dataset.Moments, float64, error) {
	start := time.Now()
	r, name, err := a.open(path)
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	bar := newProgress(a.err, quiet)
	defer bar.clear()
	opt.File, opt.Progress = name, bar.reading
	data, err := dataset.ReadCSV(ctx, r, opt)
	if err != nil {
		return nil, 0, err
	}
	if numeric(data.Names) && !quiet {
		fmt.Fprintf(a.err, "warning: every column name of %s is a number; if the file has no header, its first row was taken for one\n", name)
	}
	if err := data.Validate(); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", name, err)
	}
	return data, time.Since(start).Seconds(), nil
}

// numeric reports whether every name reads as a number.
func numeric(names []string) bool {
	return !slices.ContainsFunc(names, func(n string) bool {
		_, err := strconv.ParseFloat(n, 64)
		return err != nil
	})
}

// deliver writes what was asked for: JSON, weights, and the text for a person unless JSON goes to the same
// place.
func (a *app) deliver(res *polydag.Result, output, weights string, quiet bool) error {
	if output != "" {
		if err := a.write(output, report.JSON(res)); err != nil {
			return err
		}
	}
	if weights != "" {
		if err := a.write(weights, report.WeightsCSV(res)); err != nil {
			return err
		}
	}
	if quiet || output == "-" || weights == "-" {
		return nil
	}
	return a.write("-", report.Text(res))
}

// finished turns a status into the error that sets the exit code.
func finished(res *polydag.Result) error {
	switch res.Status {
	case solve.StepLimit:
		return unconverged{fmt.Sprintf("stopped after %d steps with h = %.3g, before it converged; the result so far is written (raise --steps, or use --schedule released)", res.Steps, res.Certificate.HFinal)}
	case solve.Canceled:
		return unconverged{"interrupted; the best result so far is written"}
	}
	return nil
}
