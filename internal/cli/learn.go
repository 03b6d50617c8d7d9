package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/solve"
)

func (a *app) learnCommand() *cobra.Command {
	out := &outputs{}
	cmd := &cobra.Command{
		Use:   "learn DATA",
		Short: "Learn a graph from a table",
		Long: `Learn reads a table ("-" is standard input), looks it over, learns a graph and prints it with its certificate.
With --output it also writes the result as JSON.

The table may be CSV or TSV, gzipped or not, Parquet, Arrow, Excel, NPY, NPZ, JSON lines, SQLite, or moments saved by polydag
moments; a folder or a quoted pattern such as 'part-*.csv' is one table. docs/data.md has what becomes of text and missing values.

The default, --method auto, searches for the DAG with the best extended BIC. With unequal noise variances its graph does not
depend on the units of the columns; where BIC finds the variances equal in the units of the data, the result says so
(--variance unequal rules that out). --method polydag is the paper's constraint under a scale-free score. polydag-geo, polydag-poly and
notears-exp are the paper's own methods; their answer does depend on the units, and --check-scale measures how much.`,
		Example: `  polydag learn data.csv --output result.json
  polydag learn data.csv --report report.html --export graph.svg --export graph.dot
  polydag learn data.csv --require 'age->income' --forbid '*->age'
  polydag learn data.csv --method notears-exp --precision 32
  polydag learn data.csv --checkpoint state --deadline 10m --output result.json
  gzip -c data.csv | polydag learn - --output - | polydag convert - graph.graphml`,
		Args: exactArgs(1, "one table, or - for standard input"),
	}
	f := cmd.Flags()
	f.SortFlags = false
	out.add(f)
	in := newReading(f)
	var preflight bool
	f.BoolVar(&preflight, "preflight", true, "look the table over before learning from it, as polydag check does")
	keep := newSurvival(f)
	say := newConsole(f, a.err)
	set := newSettings(f, runtime.NumCPU())

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, err := set.resolve(2) // every fault that shows without the data, before a long read
		if err = errors.Join(err, say.check(), in.check(max(1, cfg.Threads)), keep.check(), out.check(cfg.Method)); err != nil {
			return err
		}
		if err := distinct([]string{args[0], set.know.tiers, set.know.file}, out.files()); err != nil {
			return err
		}
		set.remark(say)
		for _, path := range out.files() {
			if err := a.writable(path); err != nil {
				return err
			}
		}
		state, err := keep.open(say)
		if err != nil {
			return err
		}
		defer state.close()
		ctx, cancel := keep.limit(cmd.Context())
		defer cancel()
		data, err := in.gather(ctx, a, args[0], say, preflight)
		if errors.Is(err, dataset.ErrNotNumber) || errors.Is(err, dataset.ErrMissing) {
			return fmt.Errorf("%w; polydag check %s lists all that is in the way", err, args[0])
		}
		if err != nil {
			return err
		}
		if cfg, err = set.resolve(len(data.Moments.Names)); err != nil {
			return err
		}
		look, err := examine(data, cfg, preflight, say)
		if err != nil {
			return err
		}
		need := cfg.Memory(len(data.Moments.Names))
		say.detail(fmt.Sprintf("the run needs at most about %s of memory", size(need)), "bytes", need)
		if err := fits("the run", need, int64(in.max)); err != nil {
			return err
		}
		bar := say.bar()
		live := newLive(a, out.progress, data.name, cfg)
		run := polydag.Run{Observe: func(p polydag.Progress) { bar.observe(p); live.observe(p) }, Every: keep.every}
		state.attach(&run, bar, say)
		start := time.Now()
		res, learnErr := run.Learn(ctx, data.Moments, cfg)
		bar.clear()
		live.end()
		if res == nil {
			return state.fault(learnErr)
		}
		res.Timing.ReadSeconds, res.Preflight, res.DataNotes = data.seconds, look, data.notes()
		say.detail(fmt.Sprintf("%s: %d edges in %.2f s", res.Status, len(res.Edges), time.Since(start).Seconds()),
			"status", res.Status, "edges", len(res.Edges), "score", res.Score, "seconds", time.Since(start).Seconds())
		if err := out.deliver(a, res, say.quiet); err != nil {
			if state.kept() {
				err = fmt.Errorf("%w\nthe state of the run is kept: the same command with --resume and another place goes on from there", err)
			}
			return err
		}
		if learnErr != nil {
			return learnErr
		}
		return errors.Join(state.finish(res), finished(ctx, res, state))
	}
	a.configurable(cmd)
	return cmd
}

// finished turns a status into the error that sets the exit code.
func finished(ctx context.Context, res *polydag.Result, state *runState) error {
	resume := ""
	if state.kept() {
		resume = "; the same command with --resume goes on"
	}
	switch res.Status {
	case solve.StepLimit:
		return unconverged{fmt.Sprintf("stopped after %d steps with h = %.3g, before it converged; the result so far is written (raise --steps, or use --schedule released)", res.Steps, res.Certificate.HFinal)}
	case solve.Canceled:
		if errors.Is(context.Cause(ctx), errDeadline) {
			return unconverged{"the time of --deadline is up; the best result so far is written" + resume}
		}
		return unconverged{"interrupted; the best result so far is written" + resume}
	}
	return nil
}

// hasWeights reports whether the method has a matrix before thresholding.
func hasWeights(m polydag.Method) bool {
	return !slices.Contains([]polydag.Method{polydag.Auto, polydag.Order}, m)
}
