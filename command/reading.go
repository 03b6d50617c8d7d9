package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/analysis"
	"github.com/polydag/polydag/internal/parallel"
)

// tableArgs checks the arguments of commands that take the files of one table.
func tableArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return usagef("%s takes one table, in one file or several, or - for standard input, got 0 arguments; see %s --help", cmd.CommandPath(), cmd.CommandPath())
	case len(args) > 1 && slices.Contains(args, "-"):
		return usagef("standard input is a whole table and cannot be one of %d files; give - alone, or names only", len(args))
	}
	return nil
}

// claim checks early that the outputs of a command differ from the files of its table, from its other inputs and from each other, and that
// they are writable.
func (a *app) claim(table, others, outputs []string) error {
	inputs, err := files.Parts(table)
	if err != nil {
		return err
	}
	return a.outputs(slices.Concat(inputs, others), outputs)
}

func tableName(args []string) string {
	if more := len(args) - 1; more > 0 {
		return fmt.Sprintf("%s and %d more", args[0], more)
	}
	return args[0]
}

// shellWords returns arguments as they are typed in a shell.
func shellWords(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = shellWord(arg)
	}
	return strings.Join(words, " ")
}

// gathered is a table with the settings of its analysis, and its name and console for messages.
type gathered struct {
	*polydag.Table
	how    analysis.Analysis
	name   string
	input  *files.Input // stays open, because a run may read it again
	screen *console
}

// fits refuses a run that needs more memory than there is.
func (g *gathered) fits(ctx context.Context) error {
	return fits(ctx, "the run", g.how.Memory(g.Table))
}

// stuckAfter is the time that an interrupted read has to end. A pipe without a writer or a file on a lost
// server would block forever.
const stuckAfter = grace / 2

// gather reads a table, possibly in several files, or saved moments. It returns soon after ctx has ended.
func (r *reading) gather(ctx context.Context, paths []string) (*gathered, error) {
	return within(ctx, tableName(paths), "read", func() (*gathered, error) { return r.read(ctx, paths) })
}

// gatherAgain reads the table of a result as it was read before.
func (r *reading) gatherAgain(ctx context.Context, res *polydag.Result, paths []string) (*gathered, error) {
	if err := r.recorded(res); err != nil {
		return nil, err
	}
	r.again = res
	data, err := r.gather(ctx, paths)
	if fault.Code(err) == fault.Code(prepare.ErrUnknownColumn) {
		return nil, fmt.Errorf("%s is another table than %s, which the result was learned from: %w", inputName(paths[0]), cmp.Or(res.Table.Name, "the one"), err)
	}
	return data, err
}

// Within does work of a wing on a table; done is its past participle, such as "read". If ctx ends first, it returns soon and may abandon
// the work.
func Within[V any](ctx context.Context, path, done string, work func() (V, error)) (V, error) {
	return within(ctx, path, done, work)
}

// within does work on a table; done is its past participle, such as "read". If ctx ends first, it returns soon
// and may abandon the work.
func within[V any](ctx context.Context, path, done string, work func() (V, error)) (v V, err error) {
	v, err = parallel.Within(ctx, stuckAfter, work)
	if err != nil && ctx.Err() != nil {
		err = interrupted(ctx, path, done)
	}
	return v, err
}

// interrupted returns the error of a read that ended early.
func interrupted(ctx context.Context, path, done string) error {
	path = inputName(path)
	if errors.Is(context.Cause(ctx), errDeadline) {
		return fmt.Errorf("%w while %s was being %s; nothing was written", errDeadline, path, done)
	}
	return interruption{fmt.Sprintf("interrupted while %s was being %s; nothing was written", path, done)}
}

// open opens the files of a table and prints their formats.
func (r *reading) open(ctx context.Context, paths []string) (*files.Input, error) {
	stdin := r.app.in
	if _, whole := files.Whole(stdin); !whole {
		stdin = interruptible(ctx, stdin)
	}
	in, err := files.OpenAll(paths, stdin, r.options)
	if err == nil {
		r.screen.detail(fmt.Sprintf("reading %s as %s", in.Name, in.Format), "file", in.Name, "format", in.Format, "compression", in.Compression)
	}
	return in, err
}

func (r *reading) read(ctx context.Context, paths []string) (_ *gathered, fault error) {
	in, err := r.open(ctx, paths)
	if err != nil {
		return nil, err
	}
	defer func() {
		if fault != nil {
			in.Close()
		}
	}()
	if m, _ := in.Saved(); m != nil {
		if flag := r.needsRows(); flag != "" {
			return nil, usagef("%s holds saved moments: there are no rows for %s", in.Name, spelled(flag))
		}
	}
	bar := r.screen.bar()
	out := &gathered{name: in.Name, input: in, screen: r.screen, how: analysis.Analysis{Preparation: r.take, Kinds: r.kinds}}
	out.how.Preparation.File, out.how.Preparation.Progress = in.Name, bar.reading
	var input polydag.Input = in
	if r.censored != "" {
		c, err := dataset.ParseCensoring(r.censored)
		if err != nil {
			return nil, err
		}
		input = censored{in, c}
	}
	if r.label {
		input, out.how.Preparation.Environments = tagged{input, paths[0]}, tableColumn
	}
	if r.again != nil {
		input = unhashed{input}
	}
	out.Table, err = out.how.Gather(ctx, input)
	bar.clear()
	out.how.Preparation.Progress = nil
	if errors.Is(err, polydag.ErrKind) {
		return nil, usageError{fmt.Errorf("--kind: %w", err)}
	}
	if err != nil {
		return nil, err
	}
	out.Source.Reading = r.given()
	if r.known != nil {
		if err := r.known.check(out.Table); err != nil {
			return nil, err
		}
	}
	r.remark(in, out.Table)
	return out, nil
}

// censored is a table with pseudo-observations in the place of censored times.
type censored struct {
	*files.Input
	dataset.Censoring
}

func (c censored) Source(ctx context.Context) (dataset.Source, error) {
	return c.Censored(ctx, c.Input.Source)
}

// unhashed is a table whose result has the hash of its file; its moments tell whether it is the same table.
type unhashed struct{ polydag.Input }

func (unhashed) SHA256(context.Context) (string, error) { return "", nil }

// remark prints what the user should know about a table that was read.
func (r *reading) remark(in *files.Input, t *polydag.Table) {
	for _, flag := range r.idle(in.Format) {
		r.screen.note(fmt.Sprintf("%s has no effect on %s, which is %s", spelled(flag), in.Name, in.Format))
	}
	m := t.Moments
	r.screen.detail(fmt.Sprintf("read %s × %s in %.2f s", plural(m.N, "row"), plural(m.Dim(), "column"), t.ReadSeconds), "rows", m.N, "columns", m.Dim(), "seconds", t.ReadSeconds)
	if in.Format == files.CSV && m.Dim() > 0 && numeric(m.Names) {
		r.screen.warn(fmt.Sprintf("every column name of %s is a number; if the file has no header, its first row was taken for one: --set no-header", in.Name))
	}
	p := t.Profile
	if p == nil {
		return
	}
	for _, note := range p.Notes {
		listed := r.listsExcluded && r.screen.log == nil && len(p.Excluded) > 0 && note == prepare.ExcludedNote(p.Excluded)
		ofLabel := r.label && (strings.Contains(note, tableColumn) || strings.HasPrefix(note, "The table is in 2 files"))
		told := r.again != nil && slices.Contains(r.again.Table.Notes, note) // when the result was learned
		if !listed && !ofLabel && !told {
			r.screen.note(wordedNote(note))
		}
	}
}

// numeric reports whether every name is a number.
func numeric(names []string) bool {
	return !slices.ContainsFunc(names, func(n string) bool {
		_, err := strconv.ParseFloat(n, 64)
		return err != nil
	})
}
