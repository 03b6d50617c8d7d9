package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/prepare"
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

// claim returns the files of a table, with folders and patterns expanded. It checks early that the outputs of the command differ from
// them, from its other inputs and from each other, and that they are writable.
func (a *app) claim(table, others, outputs []string) ([]string, error) {
	inputs, err := files.Parts(table)
	if err != nil {
		return nil, err
	}
	return inputs, a.outputs(slices.Concat(inputs, others), outputs)
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

// gathered is a table with its name for messages.
type gathered struct {
	*polydag.Table
	name  string
	input *files.Input // stays open, because a run may read it again
}

// stuckAfter is the time that an interrupted read has to end. A pipe without a writer or a file on a lost
// server would block forever.
const stuckAfter = grace / 2

// gather reads a table, possibly in several files, or saved moments. It returns soon after ctx has ended.
func (r *reading) gather(ctx context.Context, a *app, paths []string, screen *console, profile bool) (*gathered, error) {
	return within(ctx, tableName(paths), "read", func() (*gathered, error) { return r.read(ctx, a, paths, screen, profile) })
}

// within does work on a table; done is its past participle, such as "read". If ctx ends first, it returns soon
// and may abandon the work.
func within[V any](ctx context.Context, path, done string, work func() (V, error)) (v V, err error) {
	ended := make(chan struct{})
	var got V
	var fault error
	go func() {
		defer close(ended)
		got, fault = work()
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		select {
		case <-ended:
		case <-time.After(stuckAfter):
			return v, interrupted(ctx, path, done)
		}
	}
	if fault != nil && ctx.Err() != nil {
		return v, interrupted(ctx, path, done)
	}
	return got, fault
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
func (r *reading) open(ctx context.Context, a *app, paths []string, screen *console) (*files.Input, error) {
	options := r.options
	options.CreateTemp = a.left.createFile
	stdin := a.in
	if _, whole := files.Whole(stdin); !whole {
		stdin = interruptible(ctx, a.in)
	}
	in, err := files.OpenAll(paths, stdin, options)
	if err == nil {
		screen.detail(fmt.Sprintf("reading %s as %s", in.Name, in.Format), "file", in.Name, "format", in.Format, "compression", in.Compression)
	}
	return in, err
}

func (r *reading) read(ctx context.Context, a *app, paths []string, screen *console, profile bool) (_ *gathered, fault error) {
	in, err := r.open(ctx, a, paths, screen)
	if err != nil {
		return nil, err
	}
	out := &gathered{name: in.Name, input: in}
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
	bar := screen.bar()
	opt := r.take
	opt.File, opt.Profile, opt.Progress = in.Name, profile, bar.reading
	var input polydag.Input = in
	if r.label {
		input, opt.Environments = tagged{in, paths[0]}, tableColumn
	}
	out.Table, err = polydag.Prepare(ctx, input, opt)
	bar.clear()
	if err != nil {
		return nil, err
	}
	out.Source.Reading = r.given()
	for _, x := range out.Source.Excluded {
		if slices.ContainsFunc(r.kinds, func(rule string) bool { return strings.HasPrefix(rule, x.Name+"=") }) {
			return nil, usagef("--kind: column %s is excluded (%s: %s); use it with --keep %s", x.Name, x.Reason, x.Detail, shellWord(x.Name))
		}
	}
	if err := out.Overrule(r.kinds); err != nil {
		return nil, usageError{fmt.Errorf("--kind %w", err)}
	}
	if r.known != nil {
		if err := r.known.check(out.Table); err != nil {
			return nil, err
		}
	}
	for _, flag := range r.idle(in.Format) {
		screen.note(fmt.Sprintf("%s has no effect on %s, which is %s", spelled(flag), in.Name, in.Format))
	}
	m := out.Moments
	screen.detail(fmt.Sprintf("read %s × %s in %.2f s", plural(m.N, "row"), plural(m.Dim(), "column"), out.ReadSeconds), "rows", m.N, "columns", m.Dim(), "seconds", out.ReadSeconds)
	if in.Format == files.CSV && m.Dim() > 0 && numeric(m.Names) {
		screen.warn(fmt.Sprintf("every column name of %s is a number; if the file has no header, its first row was taken for one: --set no-header", in.Name))
	}
	if p := out.Profile; p != nil {
		for _, note := range p.Notes {
			if r.listsExcluded && screen.log == nil && len(p.Excluded) > 0 && note == prepare.ExcludedNote(p.Excluded) {
				continue
			}
			if r.label && (strings.Contains(note, tableColumn) || strings.HasPrefix(note, "The table is in 2 files")) {
				continue
			}
			screen.note(wordedNote(note))
		}
	}
	return out, nil
}

// numeric reports whether every name is a number.
func numeric(names []string) bool {
	return !slices.ContainsFunc(names, func(n string) bool {
		_, err := strconv.ParseFloat(n, 64)
		return err != nil
	})
}
