package command

import (
	"context"
	"errors"
	"math"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/solve"
	"github.com/polydag/polydag/trust"
)

func (a *app) confidenceCommand() *cobra.Command {
	l := &learning{app: a, out: &outputs{}}
	var table []string
	var merge bool
	threads := runtime.NumCPU()
	cmd := &cobra.Command{
		Use:   "confidence RESULT.json --data DATA",
		Short: "Compute the confidence of each edge of a learned graph",
		Long: `Confidence learns again from bootstrap samples of the table behind a result, with the same method and
settings, and writes the result with a confidence for each edge. It does the same as polydag learn
--bootstrap, for an existing result.

polydag reads the table as polydag learn did, with the flags stored in the result; flags given here
take precedence. It refuses a table with other columns, rows or values. A result learned from counts
(polydag counts) needs the counts, unless all columns are numeric and the graph is a DAG.

With --merge the results are parts of one run, which polydag learn --set replicates=FROM:TO writes. The
merged result is the same as that of one run. docs/guides/cluster.md has an example.
docs/explanation/confidence.md explains what the confidence means.`,
		Example: `  polydag confidence result.json --data data.csv --output sure.json
  polydag confidence result.json --data data.csv --bootstrap 500 --set consensus=0.5 --output consensus.json
  polydag confidence result.json --data data.csv --stability 100 --export graph.dot
  polydag confidence result.json --data data.csv --bootstrap 40 --calibrate --output sure.json
  polydag confidence part1.json part2.json --merge --data data.csv --output sure.json`,
		Args: argsBetween(1, math.MaxInt, "one result, or several parts with --merge"),
	}
	f := ordered(cmd)
	f.StringArrayVar(&table, "data", nil, "table that the result was learned from; repeat for several files")
	f.BoolVar(&merge, "merge", false, "merge results of polydag learn --set replicates=FROM:TO to one with confidences")
	l.sampling = newResampling(f, confidence.DefaultSettings().Replicates)
	l.wings = a.newParts("confidence", f)
	l.out.add(f)
	l.in = newTableReading(a, f)
	l.survival = newSurvival(f)
	f.IntVar(&threads, "threads", threads, "number of threads; does not change the result")

	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if len(table) == 0 {
			return usagef("%s needs the table that the result was learned from: --data DATA", cmd.CommandPath())
		}
		if err := tableArgs(cmd, table); err != nil {
			return err
		}
		if len(args) > 1 && !merge {
			return usagef("%s takes one result, got %d; add --merge if they are parts of one run", cmd.CommandPath(), len(args))
		}
		return l.again(cmd.Context(), args, merge, table, threads)
	}
	a.configurable(cmd)
	return cmd
}

// again learns again from the table of a result, with confidences. The samples of parts are not learned again.
func (l *learning) again(ctx context.Context, results []string, merge bool, table []string, threads int) error {
	res, err := l.restore(ctx, results[0], table, threads)
	if err != nil {
		return err
	}
	all := []*polydag.Result{res}
	if merge {
		if all, err = l.merge(ctx, res, results[1:]); err != nil {
			return err
		}
	}
	if l.state, err = l.survival.open(l.app); err != nil {
		return err
	}
	defer l.state.close()
	ctx, cancel := l.survival.limit(ctx)
	defer cancel()
	data, err := l.read(ctx, table)
	if err != nil {
		return err
	}
	defer data.input.Close()
	for _, one := range all {
		if err := confidence.SameTable(one, data.Table); err != nil {
			return err
		}
	}
	if err := data.fits(ctx); err != nil {
		return err
	}
	got, err := l.learn(ctx, data)
	if err != nil {
		return err
	}
	if got.Status != solve.Canceled {
		for _, one := range all {
			if err := confidence.SameGraph(one, got); err != nil {
				return err
			}
		}
	}
	return l.deliver(ctx, data, got, nil)
}

// merge reads the other parts and sets the confidences to those of all parts together. It returns all parts.
func (l *learning) merge(ctx context.Context, first *polydag.Result, others []string) ([]*polydag.Result, error) {
	all, parts := []*polydag.Result{first}, []*trust.Part{first.Part}
	for _, path := range others {
		res, err := l.app.readResult(ctx, path)
		if err != nil {
			return nil, err
		}
		all, parts = append(all, res), append(parts, res.Part)
	}
	var err error
	l.confidence.Samples, err = confidence.Merging(parts)
	l.confidence.Posterior = nil
	return all, err
}

// restore reads the result, and sets the flags and the configuration to those of its run.
func (l *learning) restore(ctx context.Context, result string, table []string, threads int) (*polydag.Result, error) {
	var faults error
	l.confidence, faults = l.sampling.settings()
	err := errors.Join(faults, l.in.check(threads), l.survival.check())
	if err != nil {
		return nil, err
	}
	if !l.sampling.on() {
		return nil, usagef("--bootstrap 0 leaves nothing to do; omit it, or add --stability 200 or --posterior")
	}
	if err := l.app.claim(table, []string{result}, l.out.files()); err != nil {
		return nil, err
	}
	if err := l.checkWings(ctx, table); err != nil {
		return nil, err
	}
	res, err := l.app.readResult(ctx, result)
	if err != nil {
		return nil, err
	}
	if l.cfg, err = confidence.Restore(res); err != nil {
		return nil, err
	}
	l.cfg.Threads = min(threads, runtime.NumCPU())
	if err := l.out.check(l.cfg); err != nil {
		return nil, err
	}
	l.sampling.remark(l.app.screen)
	return res, l.in.recorded(res)
}
