package cli

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/report"
	"github.com/polydag/polydag/solve"
)

func (a *app) learnCommand() *cobra.Command {
	cfg := polydag.DefaultConfig()
	cfg.Threads = runtime.NumCPU()
	var output, weights string
	var quiet bool
	k := order{value: cfg.K}
	cmd := &cobra.Command{
		Use:   "learn DATA.csv",
		Short: "Learn a graph from a CSV file with a header",
		Long: `Learn reads a CSV file with a header of column names ("-" is standard input), learns a graph and prints
it with its certificate. With --output it also writes the result as JSON.`,
		Example: `  polydag learn data.csv --output result.json
  polydag learn data.csv --method notears-exp --schedule paper --precision 32
  zcat data.csv.gz | polydag learn - --output - | jq .edges`,
		Args: exactArgs(1, "one CSV file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.writable(output); err != nil {
				return err
			}
			if err := a.writable(weights); err != nil {
				return err
			}
			if err := cfg.Validate(); !k.all && err != nil {
				return err
			}
			data, seconds, err := a.readMoments(cmd.Context(), args[0], cfg.Threads, quiet)
			if err != nil {
				return err
			}
			cfg.K = k.of(len(data.Names))
			bar := newProgress(a.err, quiet)
			res, err := polydag.Learn(cmd.Context(), data, cfg, bar.observe)
			bar.clear()
			if res == nil {
				return err
			}
			res.Timing.ReadSeconds = seconds
			if err := a.deliver(res, output, weights, quiet); err != nil {
				return err
			}
			if err != nil {
				return err
			}
			return finished(res)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&output, "output", "o", "", "write the result as JSON to this file (- for standard output)")
	f.StringVar(&weights, "weights", "", "write the matrix before thresholding as CSV to this file")
	f.StringVar((*string)(&cfg.Method), "method", string(cfg.Method), "polydag-geo, polydag-poly or notears-exp")
	learnFlags(f, &cfg, &k)
	f.BoolVarP(&quiet, "quiet", "q", false, "print nothing but errors")
	return cmd
}

// learnFlags are the settings of the solver, shared by every command that learns.
func learnFlags(f *pflag.FlagSet, cfg *polydag.Config, k *order) {
	f.StringVar(&cfg.Schedule, "schedule", cfg.Schedule, "released (as the published code) or paper (as its text)")
	f.Var(k, "k", "order of h_geo; d for the number of columns, which makes it exact")
	f.Float64Var(&cfg.L1, "l1", cfg.L1, "weight of the L1 penalty")
	f.Float64Var(&cfg.Threshold, "threshold", cfg.Threshold, "drop edges with |weight| at or below this")
	f.IntVar(&cfg.Steps, "steps", cfg.Steps, "largest number of gradient steps")
	f.Float64Var(&cfg.Rate, "rate", cfg.Rate, "learning rate of Adam")
	f.IntVar(&cfg.Precision, "precision", cfg.Precision, "bits of the solver's arithmetic: 64 or 32")
	f.BoolVar(&cfg.Standardize, "standardize", cfg.Standardize, "scale every column to unit variance first")
	f.Uint64Var(&cfg.Seed, "seed", cfg.Seed, "seed of everything random")
	f.IntVar(&cfg.Threads, "threads", cfg.Threads, "threads; they change the time, never the result")
}

// order is the value of --k: a number, or d.
type order struct {
	value int
	all   bool
}

func (k *order) String() string {
	if k.all {
		return "d"
	}
	return strconv.Itoa(k.value)
}
func (k *order) Type() string { return "int" }
func (k *order) Set(s string) error {
	if s == "d" {
		k.all = true
		return nil
	}
	v, err := strconv.Atoi(s)
	if err != nil || v < 1 {
		return fmt.Errorf("%q: want a whole number of at least 1, or d", s)
	}
	*k = order{value: v}
	return nil
}
func (k *order) of(columns int) int {
	if k.all {
		return columns
	}
	return k.value
}

// readMoments reads a table and returns its moments and the seconds it took.
func (a *app) readMoments(ctx context.Context, path string, threads int, quiet bool) (*dataset.Moments, float64, error) {
	start := time.Now()
	r, name, err := a.open(path)
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	bar := newProgress(a.err, quiet)
	defer bar.clear()
	opt := dataset.DefaultCSVOptions()
	opt.File, opt.Threads, opt.Progress = name, threads, bar.reading
	data, err := dataset.ReadCSV(ctx, r, opt)
	if err != nil {
		return nil, 0, err
	}
	return data, time.Since(start).Seconds(), data.Validate()
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
		return unconverged{fmt.Sprintf("interrupted after %d steps; the result so far is written", res.Steps)}
	}
	return nil
}
