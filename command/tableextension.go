package command

import (
	"context"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/method"
)

// A Reading is the flags of a command of another package that say how a table is read.
type Reading struct{ flags *reading }

// NewReading adds the flags to a command. rows adds those that need the kinds and groups of rows.
func (a *App) NewReading(f *pflag.FlagSet, rows bool) *Reading {
	if !rows {
		return &Reading{newTableReading(a.app, f)}
	}
	r := newReading(a.app, f)
	r.kindFlag(f)
	r.groupFlag(f)
	return &Reading{r}
}

// Check reports faults of the flags.
func (r *Reading) Check(threads int) error { return r.flags.check(threads) }

// Recorded reads the table as for a result; flags take precedence.
func (r *Reading) Recorded(ctx context.Context, result string) error {
	res, err := r.flags.app.readResult(ctx, result)
	if err != nil {
		return err
	}
	return r.flags.recorded(res)
}

// Gather reads and checks a table for methods with these settings and prints warnings. The table can be read again until it is closed.
func (r *Reading) Gather(ctx context.Context, paths []string, cfg polydag.Config, know *Knowledge) (_ *polydag.Table, closeTable func(), err error) {
	r.flags.known = &know.flags
	data, err := r.flags.gather(ctx, paths)
	if err != nil {
		return nil, nil, err
	}
	data.how.Config = cfg
	if err := data.examine(ctx); err != nil {
		data.input.Close()
		return nil, nil, err
	}
	return data.Table, func() { data.input.Close() }, nil
}

// Knowledge is the flags for prior knowledge.
type Knowledge struct{ flags knowledgeFlags }

// NewKnowledge adds the flags to a command.
func NewKnowledge(f *pflag.FlagSet) *Knowledge {
	k := &Knowledge{}
	k.flags.bind(f)
	return k
}

// Spec returns the knowledge.
func (k *Knowledge) Spec() (knowledge.Spec, error) { return k.flags.spec() }

// Files returns the files of the flags; some may be empty.
func (k *Knowledge) Files() []string { return []string{k.flags.tiers, k.flags.file} }

// TableArgs checks the arguments of commands that take the files of one table.
func TableArgs(cmd *cobra.Command, args []string) error { return tableArgs(cmd, args) }

// Claim checks early that the outputs of a command differ from its inputs and from each other, and that they are writable.
func (a *App) Claim(table, others, outputs []string) error {
	return a.app.claim(table, others, outputs)
}

// Truth reads a true graph over names. With hidden it may have other variables besides.
func (a *App) Truth(ctx context.Context, path string, names []string, hidden bool) ([]Edge, error) {
	list, err := a.app.readTruth(ctx, path, names, hidden)
	out := make([]Edge, len(list))
	for k, e := range list {
		out[k] = Edge(e)
	}
	return out, err
}

// Effects computes the effects of interventions for the page of one of several results, in the time for one.
func (a *App) Effects(ctx context.Context, res *polydag.Result, table *polydag.Table, threads, results int) (*effect.Survey, error) {
	set := brief(table, threads)
	set.MostWork /= float64(results)
	set.MostPairs /= results
	return survey(ctx, res, table, set, a.screen)
}

// Progress says that a run made progress. After saved, an interrupted command has a result to write.
func (a *App) Progress(ctx context.Context, saved bool) {
	if saved {
		a.app.saving.Store(true)
	}
	a.app.at(ctx, "progress")
}

// Observe shows the progress of a method.
func (b *Bar) Observe(p polydag.Progress) { b.line.observe(p) }

// Width returns the text width of an output: that of standard output for -, and 0 for a file.
func (a *App) Width(output string) int { return a.app.width(output) }

// DrawnAtOnce is the number of columns and edges that can be drawn quickly.
const DrawnAtOnce = drawnAtOnce

// NeedsTime returns an error for a method that is for time series only.
func NeedsTime(m method.Info) error { return needsTime(m) }

// InputName returns the name of an input for messages.
func InputName(path string) string { return inputName(path) }

// ShellWords returns arguments as they are typed in a shell.
func ShellWords(args []string) string { return shellWords(args) }

// Fits refuses work that would need more memory than the command may use.
func Fits(ctx context.Context, what string, need int64) error { return fits(ctx, what, need) }

// WordedError returns the text of an error with its remedies as flags and commands.
func WordedError(err error) string { return worded(err) }

// WriteJSON writes a value as indented JSON.
func WriteJSON(w io.Writer, v any) error { return writeJSON(w, v) }
