package command

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/score"
)

// learnFlags are the flags that only polydag learn has, and its run.
type learnFlags struct {
	learning
	people *people
	part   string // range of the bootstrap samples; empty for all
	set    *settings
}

func (a *app) learnCommand() *cobra.Command {
	l := &learnFlags{learning: learning{app: a, out: &outputs{}}}
	cmd := &cobra.Command{
		Use:   "learn DATA...",
		Short: "Learn a causal graph from a table",
		Long: `Learn reads a table ("-" for standard input), checks the data, learns a graph and prints it with a
confidence and an effect for each edge. --output also writes the result as JSON.
The input can be CSV, TSV, Parquet, Arrow, Excel, NPY, NPZ, JSON lines, or a file written by
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
	l.out.add(f)
	l.in = newTableReading(a, f)
	l.people = newPeople(f)
	l.in.listsExcluded = true
	f.BoolVar(&l.in.take.Profile, "data-checks", true, "run the data checks of polydag check before learning")
	l.sampling = newResampling(f, 0)
	f.StringVar(&l.part, "replicates", "", "learn only from these bootstrap samples, as FROM:TO, counted from 0, without TO; polydag confidence --merge merges the results")
	l.wings = a.newParts("learn", f)
	l.survival = newSurvival(f)
	l.set = newSettings(f, a.methods, runtime.NumCPU())
	l.in.known = &l.set.know
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return l.run(cmd.Context(), args) }
	a.configurable(cmd)
	a.sources[cmd].show = l.set.show
	return cmd
}

// run learns from the files of a table.
func (l *learnFlags) run(ctx context.Context, args []string) (err error) {
	if err := l.check(ctx, args); err != nil {
		return err
	}
	l.remark(args)
	if l.state, err = l.survival.open(l.app); err != nil {
		return err
	}
	defer l.state.close()
	ctx, cancel := l.survival.limit(ctx)
	defer cancel()
	data, err := l.read(ctx, args)
	if errors.Is(err, dataset.ErrNotNumber) || errors.Is(err, dataset.ErrMissing) {
		return fmt.Errorf("%w; run polydag check %s to list all problems", err, shellWords(args))
	}
	if err != nil {
		return err
	}
	defer data.input.Close()
	if l.set.names == namesList {
		return l.app.write(ctx, "-", understood(data.Table, l.app.width("-")))
	}
	if err := l.examine(ctx, data); err != nil {
		return err
	}
	if data.Moments.Gram() != nil { // otherwise garbage could double the memory of large matrices
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(data.how.Memory(data.Table)))
	}
	res, failed := l.learn(ctx, data)
	if res == nil {
		return failed
	}
	if err := l.comment(ctx, data, res); err != nil {
		return err
	}
	return l.deliver(ctx, data, res, failed)
}

// check reports every error that does not need the data, before a long read.
func (l *learnFlags) check(ctx context.Context, args []string) (err error) {
	var faults error
	l.cfg, err = l.set.resolve()
	l.confidence, faults = l.sampling.settings()
	faults = errors.Join(faults, l.sampling.within(l.part, &l.confidence.Samples))
	if err := errors.Join(err, faults, l.in.check(max(1, l.cfg.Threads)), l.survival.check(), l.out.check(l.cfg)); err != nil {
		return err
	}
	if info := l.cfg.Method.Info(); info.Time && l.in.take.Time.Column == "" {
		return needsTime(info)
	}
	if err := l.app.claim(args, []string{l.set.know.tiers, l.set.know.file}, l.out.files()); err != nil {
		return err
	}
	return l.checkWings(ctx, args)
}

// remark prints the flags that have no effect.
func (l *learnFlags) remark(args []string) {
	l.out.table, l.out.typed = args, l.app.typed
	l.set.remark(l.app.screen)
	l.sampling.remark(l.app.screen)
	if l.set.flags.Changed("target-values") && l.in.take.Targets == "" {
		l.app.screen.note("--set target-values has no effect without --targets")
	}
}

// examine checks the table, lets the wings change it, and refuses a run that needs too much memory.
func (l *learnFlags) examine(ctx context.Context, data *gathered) error {
	if err := data.examine(ctx); err != nil {
		return err
	}
	if err := l.people.check(data); err != nil {
		return err
	}
	if err := l.wings.change(ctx, data); err != nil {
		return err
	}
	need := data.how.Memory(data.Table)
	data.screen.detail(fmt.Sprintf("the run needs at most about %s of memory", size(need)), "bytes", need)
	return data.fits(ctx)
}

// comment adds what the attributes of people mean for the result.
func (l *learnFlags) comment(ctx context.Context, data *gathered, res *polydag.Result) error {
	if l.set.flags.Changed("target-values") && l.in.take.Targets != "" && res.Model != score.TableEffects {
		data.screen.note(fmt.Sprintf("--set target-values has no effect under the %s model", res.Model))
	}
	return l.people.add(ctx, res, data)
}
