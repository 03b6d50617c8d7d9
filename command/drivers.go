package command

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/draw"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/internal/role"
	"github.com/polydag/polydag/internal/visible"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/report"
)

func (a *app) driversCommand() *cobra.Command {
	r := &ranking{app: a, q: effect.NewQuestion("", "")}
	// The flags are some of polydag learn; the others keep their defaults.
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	l := &learnFlags{learning: learning{app: a, out: &outputs{}, wings: &parts{task: Task{App: &App{a, a.screen}}}}}
	cmd := &cobra.Command{
		Use:   "drivers DATA... --of Y",
		Short: "Rank the columns of a table by their effect on one column",
		Long: `Drivers learns a graph as polydag learn does and ranks all columns by their total effect on one, with
intervals over graphs. It says what each effect rests on. An effect in parentheses is not stated, since
its direction is not settled. --by compares the effects between subgroups. For other settings: polydag learn, then polydag effect RESULT.json --on Y.`,
		Example: `  polydag drivers data.csv --of income
  polydag drivers data.csv --of income --by age
  polydag drivers data.csv --of income --require 'age->income' --json --output drivers.json`,
		Args: tableArgs,
	}
	f := ordered(cmd)
	f.StringVar(&r.q.On, "of", "", "outcome column")
	l.out.add(all)
	l.in = newTableReading(a, all)
	l.people = newPeople(all)
	l.in.take.Profile = true
	l.sampling, l.survival = newResampling(all, 0), newSurvival(all)
	l.set = newSettings(all, a.methods, runtime.NumCPU())
	l.in.known = &l.set.know
	for _, name := range words("drop kind require roots leaves order censored") {
		f.AddFlag(all.Lookup(name))
	}
	f.StringSliceVar(&r.q.By, "by", nil, byHelp)
	f.IntVar(&r.q.Replicates, "replicates", r.q.Replicates, "number of bootstrap samples for the intervals")
	f.BoolVar(&r.json, "json", false, "print JSON (schema "+effect.DriversSchema+")")
	f.StringVarP(&r.output, "output", "o", "-", "write the answer to this file (- for standard output), or a picture of bars (.svg, .png, .pdf)")

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		if r.q.On == "" {
			return usagef("--of is required; add --of OUTCOME")
		}
		if err := l.check(ctx, args); err != nil {
			return err
		}
		if err := a.claim(args, nil, []string{r.output}); err != nil {
			return err
		}
		data, err := l.read(ctx, args)
		if err != nil {
			return err
		}
		defer data.input.Close()
		if err := r.named(data.Table, r.q.On); err != nil {
			return err
		}
		if err := l.examine(ctx, data); err != nil {
			return err
		}
		if time, event, ok := role.Censored(role.Columns(data.Moments.Names, data.Kinds)); ok && data.Moments.Names[time] == r.q.On {
			name := data.Moments.Names
			a.screen.warn(fmt.Sprintf("%s may be a censored time that ends with the event %s; if so: --set censored=%s", name[time], name[event], shellWord(name[time]+":"+name[event])))
		}
		for _, by := range r.q.By {
			if by == effect.AutoBy {
				continue
			}
			if err := r.named(data.Table, by); err != nil {
				return err
			}
		}
		res, err := l.learn(ctx, data)
		if err != nil {
			return err
		}
		if err := finished(ctx, res, nil, nil, false); err != nil {
			return err
		}
		r.next = func(d *effect.Drivers) string {
			table := shellWords(args)
			next := "\nNext:"
			if open := slices.ContainsFunc(d.Drivers, func(x effect.Driver) bool { return !x.Stated() }); open && !slices.Contains(l.set.know.leaves, d.On) {
				next += visible.Name(fmt.Sprintf("  polydag drivers %s --of %s --leaves %[2]s    # if %[3]s affects no other column", table, shellWord(d.On), d.On)) + "\n     "
			}
			next += "  polydag learn " + table + " --output result.json    # keep the graph\n"
			return next + afterDrivers(d, "result.json", table)
		}
		return r.write(ctx, res, data.Table)
	}
	return cmd
}

// ranking is a question for the drivers of a column, and how its answer is written.
type ranking struct {
	app    *app
	q      effect.Question
	json   bool
	output string
	next   func(*effect.Drivers) string // what to run next
}

// byHelp is the help of --by.
const byHelp = "columns for whose subgroups effects are compared, or auto for those with a difference"

// named refuses a name that is no column of the graph.
func (r *ranking) named(t *polydag.Table, name string) error {
	if slices.Contains(t.Moments.Names, name) {
		return nil
	}
	for _, x := range t.Source.Excluded {
		if x.Name == name {
			return usagef("column %q is excluded (%s: %s); run polydag learn with --keep %s --output result.json and then polydag effect result.json --on %[4]s --data DATA", x.Name, x.Reason, x.Detail, shellWord(x.Name))
		}
	}
	return usagef("the table has no column %q%s", name, nearColumn(name, t.Moments.Names))
}

// write ranks the columns and writes the ranking.
func (r *ranking) write(ctx context.Context, res *polydag.Result, table *polydag.Table) error {
	a, bar := r.app, r.app.screen.bar()
	a.saving.Store(false) // the graph is not written, so nothing is lost at a signal
	q := r.q
	q.Observe = func(done, of int) {
		bar.observe(polydag.Progress{Stage: "bootstrap", Kind: stage.Replicates, Step: done, Steps: of, Untraced: true})
		a.at(ctx, "progress")
	}
	found, err := within(ctx, r.q.On, "ranked", func() (*effect.Drivers, error) { return effect.RankDrivers(ctx, res, table, q) })
	bar.clear()
	if err != nil {
		return err
	}
	if r.json {
		return a.data(ctx, r.output, func(w io.Writer) error { return writeStamped(w, effect.DriversSchema, found) })
	}
	if format := draw.Format(strings.TrimPrefix(strings.ToLower(filepath.Ext(r.output)), ".")); slices.Contains(draw.Formats(), format) {
		if err := r.draw(ctx, found, format); err != nil {
			return err
		}
		r.output = "-"
	}
	return a.write(ctx, r.output, func(w io.Writer) error {
		text := found.WriteBrief
		if a.screen.verbose {
			text = found.WriteText
		}
		if err := text(report.Fold(w, a.width(r.output))); err != nil {
			return err
		}
		_, err := io.WriteString(w, r.next(found))
		return err
	})
}

// draw writes the ranking as a picture of bars.
func (r *ranking) draw(ctx context.Context, d *effect.Drivers, format draw.Format) error {
	opt := draw.DefaultSettings()
	opt.Title = "What drives " + d.On
	effects, notes := d.Bars()
	if len(effects) == 0 {
		fmt.Fprintf(r.app.err, "note: there is no effect to draw, so %s is not written\n", r.output)
		return nil
	}
	var list []draw.Bar
	for _, e := range effects {
		list = append(list, draw.Bar{Name: e.Name, Value: e.Value, Low: e.Low, High: e.High, Faint: !e.Stated})
	}
	p, err := draw.Bars(list, notes, opt)
	if err != nil {
		return err
	}
	return r.app.data(ctx, r.output, func(w io.Writer) error { return p.Write(w, format) })
}

// afterDrivers lists the commands to run next on a result: the questions that settle directions, and the largest effect in full.
func afterDrivers(d *effect.Drivers, file, table string) (next string) {
	if slices.ContainsFunc(d.Drivers, func(r effect.Driver) bool { return !r.Stated() }) {
		next += fmt.Sprintf("       polydag questions %s    # what you could tell polydag to settle directions\n", shellWord(file))
	}
	if len(d.Drivers) > 0 {
		data := ""
		if table != "" {
			data = " --data " + table
		}
		next += visible.Name(fmt.Sprintf("       polydag effect %s --of %s --on %s%s    # one effect in full", shellWord(file), shellWord(d.Drivers[0].Name), shellWord(d.On), data)) + "\n"
	}
	return next
}
