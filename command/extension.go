package command

import (
	"context"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command/internal/edgelist"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/effect"
)

// An App is what the commands of other packages use of the program: its streams, its messages, and files that are whole or absent.
type App struct {
	app    *app
	screen *console
}

// Methods returns the methods of the program.
func (a *App) Methods() polydag.MethodList { return a.app.methods }

// Quiet reports whether --quiet was given.
func (a *App) Quiet() bool { return a.screen.quiet }

// Note prints a note on standard error. args are pairs of a key and a value for --log-format json, here and below.
func (a *App) Note(message string, args ...any) { a.screen.note(message, args...) }

// Warn prints a warning.
func (a *App) Warn(message string, args ...any) { a.screen.warn(message, args...) }

// Detail prints a message for --verbose.
func (a *App) Detail(message string, args ...any) { a.screen.detail(message, args...) }

// Line prints what was done, without a prefix.
func (a *App) Line(message string, args ...any) { a.screen.line(message, args...) }

// Open opens a file; - is standard input. name is the name for messages.
func (a *App) Open(ctx context.Context, path string) (r io.ReadCloser, name string, err error) {
	return a.app.open(ctx, path)
}

// Write writes text for people to a file, completely or not at all; - is standard output.
func (a *App) Write(ctx context.Context, path string, fill func(io.Writer) error) error {
	return a.app.write(ctx, path, fill)
}

// Data is Write for formats that programs read.
func (a *App) Data(ctx context.Context, path string, fill func(io.Writer) error) error {
	return a.app.data(ctx, path, fill)
}

// Writable checks early whether Write can succeed.
func (a *App) Writable(path string) error { return a.app.writable(path) }

// Answer prints a value to standard output: as JSON with a schema, or as text.
func (a *App) Answer(ctx context.Context, asJSON bool, schema string, v any, text func(io.Writer) error) error {
	return a.app.answer(ctx, asJSON, schema, v, text)
}

// WriteTable writes a table.
func (a *App) WriteTable(ctx context.Context, path string, w files.Writer, t files.Content) error {
	return a.app.writeTable(ctx, path, w, t)
}

// An Edge is one line of a list of edges.
type Edge edgelist.Edge

// WriteEdges writes a list of edges if a file is named.
func (a *App) WriteEdges(ctx context.Context, path string, edges []Edge) error {
	list := make([]edgelist.Edge, len(edges))
	for k, e := range edges {
		list[k] = edgelist.Edge(e)
	}
	return a.app.writeEdges(ctx, path, list)
}

// Kept sets the message for a command that is interrupted after its work so far was saved.
func (a *App) Kept(message string) { a.app.kept.Store(&message) }

// Removes registers a function that removes something unfinished, however the command ends. Call finished when it is whole.
func (a *App) Removes(undo func()) (finished func()) { return a.app.left.add(undo) }

// MemoryLimit returns the memory that the command may use, in bytes.
func (a *App) MemoryLimit() int64 { return a.app.account.Limit() }

// Share returns a context whose work may use so much of the memory; done ends it.
func (a *App) Share(ctx context.Context, bytes int64) (_ context.Context, done func()) {
	ctx, own := a.app.account.Open(ctx, bytes)
	return ctx, func() { own.Close() }
}

// Output is standard output.
func (a *App) Output() io.Writer { return a.app.out }

// Bar returns a line of progress.
func (a *App) Bar() *Bar { return &Bar{a.screen.bar()} }

// A Bar is a line of progress on a terminal, or an event every two seconds in a JSON log.
type Bar struct{ line *progress }

// Reading shows how much was read.
func (b *Bar) Reading(bytes int64, rows int) { b.line.reading(bytes, rows) }

// Draw shows a text on a terminal, at most ten times a second unless always is true.
func (b *Bar) Draw(always bool, format string, args ...any) {
	if b.line.w != nil && (b.line.due() || always) {
		b.line.draw(format, args...)
	}
}

// Event shows a text on a terminal, or args as an event.
func (b *Bar) Event(args []any, format string, values ...any) {
	switch {
	case !b.line.due():
	case b.line.log != nil:
		b.line.log.Debug("progress", args...)
	default:
		b.line.draw(format, values...)
	}
}

// Shares returns a function that shows the completed share of a stage, and one after which nothing is drawn any more.
func (b *Bar) Shares(stage string) (observe func(done float64), stop func()) {
	return b.line.shares(stage)
}

// Clear removes the line before other output.
func (b *Bar) Clear() { b.line.clear() }

// Usagef returns an error of the user, for exit code 2.
func Usagef(format string, args ...any) error { return usagef(format, args...) }

// Usage marks an error as one of the user.
func Usage(err error) error { return usageError{err} }

// Unconverged returns the error of a run that ended early with its best result written, for exit code 3.
func Unconverged(why string) error { return unconverged{why} }

// Ordered returns the flags of a command, which its help lists in the order of their definition.
func Ordered(cmd *cobra.Command) *pflag.FlagSet { return ordered(cmd) }

// ExactArgs refuses any other number of arguments.
func ExactArgs(n int, what string) cobra.PositionalArgs { return exactArgs(n, what) }

// Spelled returns how a flag or a setting without a value is written on the command line.
func Spelled(name string) string { return spelled(name) }

// Valued returns how a flag or a setting is written in front of its value.
func Valued(name string) string { return valued(name) }

// Worded adds commands and flags to a sentence of the library.
func Worded(text string) string { return commanded(text) }

// Bytes adds a flag for a number of bytes with a unit, such as 2G.
func Bytes(f *pflag.FlagSet, value *int64, name, usage string) {
	f.Var((*bytesFlag)(value), name, usage)
}

// TableFormat returns the writer for the extension of an output.
func TableFormat(flag, path string) (files.Writer, error) { return tableFormat(flag, path) }

// EdgeListName refuses an extension other than .csv for a list of edges.
func EdgeListName(flag, path string) error { return edgeListName(flag, path) }

// Distinct refuses outputs that would overwrite each other.
func Distinct(outputs ...string) error { return distinct(nil, outputs) }

// PlainNames returns the names that columns without names get when read.
func PlainNames(columns int) []string { return plainNames(columns) }

// Interventions parses the values of --do, such as age=40,city=Graz.
func Interventions(list []string) ([]effect.Value, error) { return parseValues("do", list) }

// NearColumn suggests the column that is similar to a name.
func NearColumn(name string, columns []string) string { return nearColumn(name, columns) }

// CannotWrite returns the error of a file or folder that cannot be written, with its remedy.
func CannotWrite(path string, err error) error { return cannotWrite(path, err) }

// WriteLearned draws rows from the model of a result, and writes them and the edges of the model.
func (a *App) WriteLearned(ctx context.Context, d Draws) error { return a.app.writeLearned(ctx, d) }
