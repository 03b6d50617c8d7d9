package command

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

func (a *app) learnCommand() *cobra.Command {
	out := &outputs{}
	cmd := &cobra.Command{
		Use:   "learn DATA...",
		Short: "Learn a causal graph from a table",
		Long: `Learn reads a table ("-" for standard input), checks the data, learns a graph and prints it with a
confidence and an effect for each edge. --output also writes the result as JSON.
The input can be CSV, TSV, Parquet, Arrow, Excel, NPY, NPZ, JSON lines, SQLite, or a file written by
polydag moments or polydag counts. Several files, a folder or a pattern such as part-*.csv are read as
one table.

The default method searches for the DAG with the best extended BIC under a model chosen from the
column kinds and the shape of the columns. --method selects another one; "polydag methods" lists
them. The output states and tests the model's assumptions. docs/explanation/directions.md explains
what the arrows mean, and the column basis: what a stated direction mainly rests on.`,
		Example: `  polydag learn data.csv --output result.json
  polydag learn data.csv --report report.html --export graph.svg --export graph.dot
  polydag learn data.csv --require 'age->income' --forbid '*->age'
  polydag learn data.csv --bootstrap 200 --output result.json
  gzip -c data.csv | polydag learn - --output - | polydag convert - graph.graphml`,
		Args: tableArgs,
	}
	f := ordered(cmd)
	out.add(f)
	in := newTableReading(f)
	valid := newValidating(f)
	people := newPeople(f)
	in.listsExcluded = true
	var dataChecks bool
	f.BoolVar(&dataChecks, "data-checks", true, "run the data checks of polydag check before learning")
	sampling := newResampling(f, 0)
	nats := newNATS(f, spreadHelp)
	keep := newSurvival(f)
	screen := a.screen
	on := newDeviceFlag(f)
	set := newSettings(f, a.methods, runtime.NumCPU())

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, err := set.resolve() // report every error that does not need the data before a long read
		_, faults := sampling.settings()
		if err = errors.Join(err, faults, nats.check(), on.check(), in.check(max(1, cfg.Threads)), keep.check(), out.check(cfg)); err != nil {
			return err
		}
		if info := cfg.Method.Info(); info.Time && in.take.Time.Column == "" {
			return needsTime(info)
		}
		if err := valid.check(sampling, nats); err != nil {
			return err
		}
		inputs, err := a.claim(args, []string{set.know.tiers, set.know.file}, out.files())
		if err != nil {
			return err
		}
		if err := spreadable(nats, sampling, args); err != nil {
			return err
		}
		out.table, out.typed = args, a.typed
		set.remark(screen)
		sampling.remark(screen)
		if cmd.Flags().Changed("target-values") && in.take.Targets == "" {
			screen.note("--set target-values has no effect without --targets")
		}
		in.known = &set.know
		state, err := keep.open(a, screen)
		if err != nil {
			return err
		}
		defer state.close()
		ctx, cancel := keep.limit(cmd.Context())
		defer cancel()
		if cfg.Method.Info().Continuous {
			defer on.begin()()
		}
		data, err := in.gather(ctx, a, args, screen, dataChecks)
		if errors.Is(err, dataset.ErrNotNumber) || errors.Is(err, dataset.ErrMissing) {
			return fmt.Errorf("%w; run polydag check %s to list all problems", err, shellWords(args))
		}
		if err != nil {
			return err
		}
		defer data.input.Close()
		if set.names == namesList {
			return a.write(ctx, "-", understood(data.Table, a.width("-")))
		}
		if err := examine(ctx, data, cfg, screen); err != nil {
			return err
		}
		if err := people.check(in, data.Moments.Names); err != nil {
			return err
		}
		if err := valid.apply(ctx, a, data, in, screen); err != nil {
			return err
		}
		need := sampling.memory(cfg, data.Table)
		screen.detail(fmt.Sprintf("the run needs at most about %s of memory", size(need)), "bytes", need)
		if err := fits(ctx, "the run", need); err != nil {
			return err
		}
		if data.Moments.Gram() != nil { // otherwise garbage could double the memory of large matrices
			defer debug.SetMemoryLimit(debug.SetMemoryLimit(need))
		}
		ctx, release, err := on.use(ctx, cfg.Method, screen)
		if err != nil {
			return err
		}
		defer release()
		machines, leave, err := others(ctx, nats, in, inputs, dataChecks, screen)
		if err != nil {
			return err
		}
		defer leave()
		if machines == nil {
			if machines, err = valid.replicates(ctx, sampling, cfg.Threads); err != nil {
				return err
			}
		}
		bar := screen.bar()
		live := newLive(a, out.progress, data.name, cfg)
		run := polydag.Run{Observe: func(p polydag.Progress) { bar.observe(p); live.observe(ctx, p); a.at(ctx, "progress") }, Every: keep.every}
		state.attach(&run, bar, screen)
		start := time.Now()
		a.saving.Store(true)
		res, learnErr := sampling.learn(ctx, data.Table, cfg, run, machines)
		bar.clear()
		live.end()
		if _, why := device.Used(ctx); why != "" {
			screen.note("the run used the CPU for some steps: " + why)
		}
		if errors.Is(learnErr, device.ErrLost) {
			learnErr = fmt.Errorf("%w; continue from the last checkpoint with --resume, or run with --device cpu", learnErr)
		}
		if errors.Is(learnErr, device.ErrRefused) {
			learnErr = fmt.Errorf("%w; run with --device cpu", learnErr)
		}
		if res == nil {
			return state.fault(learnErr)
		}
		valid.warn(res)
		if err := people.add(ctx, res, data, in, cfg); err != nil {
			return err
		}
		if cmd.Flags().Changed("target-values") && in.take.Targets != "" && res.Model != score.TableEffects {
			screen.note(fmt.Sprintf("--set target-values has no effect under the %s model", res.Model))
		}
		screen.detail(fmt.Sprintf("%s: %s in %.2f s", res.Status, plural(len(res.Edges), "edge"), time.Since(start).Seconds()),
			"status", res.Status, "edges", len(res.Edges), "score", res.Score, "seconds", time.Since(start).Seconds())
		undrawn, err := out.deliver(ctx, a, res, data.Table, cfg.Threads, screen)
		if err != nil {
			if state.kept() {
				err = fmt.Errorf("%w\nthe checkpoint is kept: run the same command with --resume and another output file to continue", err)
			}
			return err
		}
		if learnErr != nil {
			return learnErr
		}
		return errors.Join(state.finish(res), finished(ctx, res, state, undrawn, out.written(screen)))
	}
	a.configurable(cmd)
	a.sources[cmd].show = set.show
	return cmd
}

// longer says in brackets how to let a method run on.
func longer(res *polydag.Result) string {
	switch {
	case res.Settings.Get("schedule") != nil:
		return " (raise the setting steps, or use --set schedule=released)"
	case res.Settings.Get("max_steps") != nil:
		return " (raise the setting max-steps)"
	case res.Settings.Get("steps") != nil:
		return " (raise the setting steps)"
	}
	return ""
}

// finished returns the error that sets the exit code for a status. undrawn are the pictures that an interrupted
// run did not draw. written reports whether the result was written.
func finished(ctx context.Context, res *polydag.Result, state *runState, undrawn []string, written bool) error {
	rest := ""
	best, soFar := "the best result so far is written", "the result so far is written"
	if !written {
		best = "no result was written, since --quiet was given without --output"
		soFar = best
	}
	if len(undrawn) > 0 {
		rest = fmt.Sprintf(", without %s, which takes long to draw (polydag report and polydag draw create it from the result)", strings.Join(undrawn, ", "))
	}
	if state.kept() {
		rest += "; run the same command with --resume to continue"
	}
	switch res.Status {
	case solve.StepLimit:
		why := "stopped before it converged"
		if c := res.Continuous; c != nil {
			why = fmt.Sprintf("stopped after %d steps with h = %.3g, before it converged", c.Steps, c.H)
		}
		return unconverged{why + "; " + soFar + longer(res)}
	case solve.Canceled:
		if errors.Is(context.Cause(ctx), errDeadline) {
			return unconverged{"deadline reached (--deadline); " + best + rest}
		}
		return unconverged{"interrupted; " + best + rest}
	}
	return nil
}
