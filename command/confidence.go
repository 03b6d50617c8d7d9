package command

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/solve"
)

func (a *app) confidenceCommand() *cobra.Command {
	out := &outputs{}
	var table []string
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
docs/explanation/confidence.md explains what the confidence means.`,
		Example: `  polydag confidence result.json --data data.csv --output sure.json
  polydag confidence result.json --data data.csv --bootstrap 500 --set consensus=0.5 --output consensus.json
  polydag confidence result.json --data data.csv --stability 100 --export graph.dot
  polydag confidence result.json --data data.csv --bootstrap 40 --calibrate --output sure.json`,
		Args: exactArgs(1, "one result"),
	}
	f := ordered(cmd)
	f.StringArrayVar(&table, "data", nil, "table that the result was learned from; repeat for several files")
	sampling := newResampling(f, confidence.DefaultSettings().Replicates)
	nats := newNATS(f, spreadHelp)
	out.add(f)
	in := newTableReading(f)
	keep := newSurvival(f)
	screen := a.screen
	f.IntVar(&threads, "threads", threads, "number of threads; does not change the result")

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(table) == 0 {
			return usagef("%s needs the table that the result was learned from: --data DATA", cmd.CommandPath())
		}
		if err := tableArgs(cmd, table); err != nil {
			return err
		}
		_, faults := sampling.settings()
		if err := errors.Join(faults, nats.check(), spreadable(nats, sampling, table), in.check(threads), keep.check()); err != nil {
			return err
		}
		if !sampling.on() {
			return usagef("--bootstrap 0 leaves nothing to do; omit it, or add --stability 200 or --posterior")
		}
		inputs, err := a.claim(table, args, out.files())
		if err != nil {
			return err
		}
		res, err := a.readResult(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		cfg, err := confidence.Restore(res)
		if err != nil {
			return err
		}
		cfg.Threads = min(threads, runtime.NumCPU())
		if err := out.check(cfg); err != nil {
			return err
		}
		sampling.remark(screen)
		if err := in.recorded(res); err != nil {
			return err
		}
		state, err := keep.open(a, screen)
		if err != nil {
			return err
		}
		defer state.close()
		ctx, cancel := keep.limit(cmd.Context())
		defer cancel()
		data, err := in.gather(ctx, a, table, screen, true)
		if err != nil {
			return err
		}
		defer data.input.Close()
		if err := confidence.SameTable(res, data.Table); err != nil {
			return err
		}
		if err := fits(ctx, "the run", sampling.memory(cfg, data.Table)); err != nil {
			return err
		}
		machines, leave, err := others(ctx, nats, in, inputs, true, screen)
		if err != nil {
			return err
		}
		defer leave()
		bar := screen.bar()
		run := polydag.Run{Observe: func(p polydag.Progress) { bar.observe(p); a.at(ctx, "progress") }, Every: keep.every}
		state.attach(&run, bar, screen)
		start := time.Now()
		a.saving.Store(true)
		got, learnErr := sampling.learn(ctx, data.Table, cfg, run, machines)
		bar.clear()
		if got == nil {
			return state.fault(learnErr)
		}
		screen.detail(fmt.Sprintf("%s: %s in %.2f s", got.Status, plural(len(got.Edges), "edge"), time.Since(start).Seconds()), "status", got.Status, "edges", len(got.Edges))
		if learnErr == nil && got.Status != solve.Canceled {
			learnErr = confidence.SameGraph(res, got)
		}
		if learnErr != nil {
			return learnErr
		}
		undrawn, err := out.deliver(ctx, a, got, data.Table, cfg.Threads, screen)
		if err != nil {
			return err
		}
		return errors.Join(state.finish(got), finished(ctx, got, state, undrawn, out.written(screen)))
	}
	a.configurable(cmd)
	return cmd
}
