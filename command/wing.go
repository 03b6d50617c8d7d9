package command

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command/internal/serve"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
)

// A Wing is what a package outside of the core adds to the program. Every field may be nil.
type Wing struct {
	// Commands makes commands of its own.
	Commands func(*App) []*cobra.Command
	// Part adds flags to learn, confidence, moments and counts, and returns what the wing does there, or nil for nothing.
	Part func(*Task) *Part
	// Pictures adds flags to report and serve, and returns what makes the pictures of their pages.
	Pictures func(*Task) Pictures
	// Program makes the command of another program, which may find its settings in the same environment.
	Program func(*App) *cobra.Command
	// Documents are the kinds of JSON of the wing whose schemas are made from types.
	Documents []Document
}

// A Task is what a command does with a table. The settings are complete when Check of a part is called; the table is there after it was
// read.
type Task struct {
	*App
	Command string // learn, confidence, moments, counts, report or serve
	Flags   *pflag.FlagSet

	Paths       []string // the files of the table as given
	Options     files.Settings
	Preparation polydag.Preparation
	Kinds       []string // rules for the kinds of columns
	Config      polydag.Config
	Sampled     bool // bootstrap samples or a posterior are requested
	Samples     confidence.Settings

	Table  *polydag.Table
	Name   string // of the table, for messages
	Source func(context.Context) (dataset.Source, error)

	// Runner learns from the bootstrap samples and Walker runs the chains of the posterior. Nil means this process. A part may set them.
	Runner confidence.Runner
	Walker confidence.Walker
}

// On reports whether a flag or a setting differs from its default.
func (t *Task) On(name string) bool {
	f := t.Flags.Lookup(name)
	return f != nil && f.Value.String() != f.DefValue
}

// A Part is what a wing does in one command. A nil function does nothing.
type Part struct {
	// Check reports faults of the flags, before anything is read. The context lasts as long as the command.
	Check func(context.Context, *Task) error
	// Change is called with a table that was read and checked, and may replace it.
	Change func(context.Context, *Task) error
	// Learn does something before and after the run, which is learn.
	Learn func(ctx context.Context, t *Task, learn Learner) (*polydag.Result, error)
	// Moments and Counts read the tables t.Paths elsewhere and pass what they read to merge, in the order of the tables. done is false
	// if this process should read them.
	Moments func(ctx context.Context, t *Task, merge func(table int, part *dataset.Moments) error) (done bool, err error)
	Counts  func(ctx context.Context, t *Task, merge func(table int, part *dataset.Counts) error) (done bool, err error)
}

// A Learner learns from the table of a task. An error may come with a result.
type Learner func(context.Context) (*polydag.Result, error)

// Pictures makes pictures for the pages of results.
type Pictures interface {
	// Check reports faults of the flags of polydag report, before anything is read. output is the page.
	Check(t *Task, output string) error
	// Open opens the images, if the flags ask for pictures. tables are the files of the results in the folder of polydag serve.
	Open(t *Task) (on bool, tables []string, err error)
	// Close closes what Open opened.
	Close() error
	// Make makes the pictures of results from the table of a task.
	Make(ctx context.Context, t *Task, results []*polydag.Result) (*Pictured, error)
	// Embed returns a copy of linked pictures that are part of the page.
	Embed(ctx context.Context, p *Pictured) (*Pictured, error)
	// Thumbnail writes an image that a page refers to. The error matches ErrNoImage if there is none.
	Thumbnail(w io.Writer, file string) error
}

// ErrNoImage is matched by the error of Thumbnail for a file that is no image of a page.
var ErrNoImage = serve.ErrNoImage

// Pictured has the pictures of a page. Linked means that the page refers to files.
type Pictured struct {
	Data   any // as the page reads it
	Linked bool
}

// parts are what the wings do in a command. The zero value does nothing.
type parts struct {
	task Task
	in   *reading
	list []*Part
}

// newParts adds the flags of the wings to a command.
func (a *app) newParts(command string, f *pflag.FlagSet) *parts {
	p := &parts{task: Task{App: &App{a, a.screen}, Command: command, Flags: f}}
	for _, w := range a.wings {
		if w.Part == nil {
			continue
		}
		if part := w.Part(&p.task); part != nil {
			p.list = append(p.list, part)
		}
	}
	return p
}

// check sets the settings of a task and reports the faults that the wings find.
func (p *parts) check(ctx context.Context, in *reading, paths []string) error {
	p.in, p.task.Paths = in, paths
	p.settle()
	for _, part := range p.list {
		if part.Check == nil {
			continue
		}
		if err := part.Check(ctx, &p.task); err != nil {
			return err
		}
	}
	return nil
}

// settle sets how the table of a task is read.
func (p *parts) settle() {
	p.task.Options, p.task.Preparation, p.task.Kinds = p.in.options, p.in.take, p.in.kinds
}

// change lets the wings replace a table.
func (p *parts) change(ctx context.Context, data *gathered) error {
	p.task.gathered(data)
	for _, part := range p.list {
		if part.Change == nil {
			continue
		}
		if err := part.Change(ctx, &p.task); err != nil {
			return err
		}
	}
	data.Table = p.task.Table
	return nil
}

// learn runs learn within what the wings do around it, the first wing outermost. They may let others learn from the samples.
func (p *parts) learn(ctx context.Context, data *gathered, learn Learner) (*polydag.Result, error) {
	p.task.gathered(data)
	p.settle() // a result may have added flags
	inner := learn
	learn = func(ctx context.Context) (*polydag.Result, error) {
		data.how.Confidence.Runner, data.how.Confidence.Walker = p.task.Runner, p.task.Walker
		return inner(ctx)
	}
	for _, part := range slices.Backward(p.list) {
		if inner := learn; part.Learn != nil {
			learn = func(ctx context.Context) (*polydag.Result, error) { return part.Learn(ctx, &p.task, inner) }
		}
	}
	return learn(ctx)
}

// A partsReader reads the tables of a command elsewhere, unless done is false.
type partsReader[M any] func(ctx context.Context, t *Task, merge func(table int, part M) error) (done bool, err error)

func (p *Part) moments() partsReader[*dataset.Moments] { return p.Moments }
func (p *Part) counts() partsReader[*dataset.Counts]   { return p.Counts }

// elsewhere lets the first wing that can do so read the tables of a command.
func elsewhere[M any](ctx context.Context, p *parts, reader func(*Part) partsReader[M], merge func(int, M) error) (done bool, err error) {
	for _, part := range p.list {
		if read := reader(part); read != nil && !done && err == nil {
			done, err = read(ctx, &p.task, merge)
		}
	}
	return done, err
}

// gathered sets the table of a task.
func (t *Task) gathered(data *gathered) {
	t.App = &App{t.app, data.screen}
	t.Table, t.Name, t.Source = data.Table, data.name, data.input.Source
	t.Preparation = data.how.Preparation
}

// newPictures adds the flags of the first wing with pictures to a command. It returns nil without such a wing.
func (a *app) newPictures(command string, f *pflag.FlagSet) (Pictures, *Task) {
	t := &Task{App: &App{a, a.screen}, Command: command, Flags: f}
	for _, w := range a.wings {
		if w.Pictures != nil {
			return w.Pictures(t), t
		}
	}
	return nil, t
}
