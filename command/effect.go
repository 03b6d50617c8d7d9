package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/report"
)

func (a *app) effectCommand() *cobra.Command {
	var output string
	var asJSON bool
	var tables, given []string
	q := effect.NewQuestion("", "")
	cmd := &cobra.Command{
		Use:   "effect RESULT.json [--of A] --on B",
		Short: "Estimate the causal effect of one variable on another, with an interval",
		Long: `Effect estimates how intervening on column A changes column B under a learned graph. It reports the
total effect, the direct effect, the effect through each mediator, an adjustment set, and a
sensitivity analysis for hidden confounders. If the graph does not identify the effect, it reports
the range over the equivalence class, or the reason. A PAG, which allows for hidden confounders, gives
the total effect or its range under a linear model.

A result of a linear model is enough by itself. Other models need --data, the table that the result
was learned from; it is read with the flags of polydag learn that the result records. With --data the intervals come from bootstrap samples, each with its own graph;
--set given-graph conditions on the learned graph, which is faster and gives narrower intervals.

For a result with lags (polydag learn --time) it reports impulse responses: the change of B over the
next steps after a change of A that lasts one step, by one unit under a linear model and by one
standard deviation of the noise under others, or between two values with --from and --to. A and B may
then be the same column.

Without --of it ranks all columns by their total effect on B, as polydag drivers does.
--do asks for the distribution of B after an intervention; --row and --given ask for one row.
docs/guides/effects.md explains each figure.`,
		Example: `  polydag effect result.json --of age --on income --data data.csv
  polydag effect result.json --on income --data data.csv
  polydag effect result.json --of age --on income --data data.csv --set replicates=50
  polydag effect result.json --of age --on income --from 30 --to 40 --do 50 --json --output effect.json
  polydag effect result.json --of age --on income --data data.csv --set given-graph --do 50 --row 7`,
		Args: exactArgs(1, "one result.json, or - for standard input"),
	}
	f := ordered(cmd)
	f.StringVar(&q.Of, "of", "", "column to intervene on (cause); without it all columns are ranked")
	f.StringVar(&q.On, "on", "", "outcome column")
	f.StringArrayVar(&tables, "data", nil, "table that the result was learned from; repeat for several files")
	f.StringVar(&q.Start, "from", "", "first value of --of to compare (default: one unit under a linear model; otherwise the lower quartile of a number, the first of two categories or the most frequent one, or the lowest one of an ordinal column with categories)")
	f.StringVar(&q.End, "to", "", "second value of --of to compare (default: one unit more, the upper quartile, the second of two categories or the second most frequent one, or the highest one)")
	f.StringSliceVar(&q.Do, "do", nil, "values to set --of to, comma-separated; reports the distribution of --on for each")
	f.StringSliceVar(&q.By, "by", nil, byHelp+"; without --of")
	f.IntVar(&q.Row, "row", 0, "row of the table, counted from 1, for a counterfactual under --do")
	f.StringArrayVar(&given, "given", nil, "known values of a row that is not in the table, as NAME=VALUE, comma-separated; repeatable")
	f.IntVar(&q.Horizon, "horizon", q.Horizon, "time series: number of time steps over which the effect of a change is reported")
	f.Float64Var(&q.Level, "level", q.Level, "confidence level of the intervals, 0–1")
	f.BoolVar(&q.GivenGraph, "given-graph", false, "condition on the learned graph; faster, but ignores uncertainty about the graph")
	f.IntVar(&q.Replicates, "replicates", q.Replicates, "number of bootstrap samples for the intervals")
	f.Uint64Var(&q.Seed, "seed", q.Seed, "random seed")
	f.IntVar(&q.Threads, "threads", runtime.NumCPU(), "number of threads; does not change the result")
	f.BoolVar(&asJSON, "json", false, "print JSON (schema "+effect.Schema+")")
	f.StringVarP(&output, "output", "o", "-", "write the answer to this file (- for standard output)")
	in := newTableReading(a, f)
	in.unlist()
	screen := a.screen

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if q.On == "" {
			return usagef("--on is required; add --on OUTCOME, and --of CAUSE for one cause in full")
		}
		if len(q.By) > 0 && q.Of != "" {
			return usagef("--by belongs to a ranking of all columns; omit --of")
		}
		if q.Threads < 1 {
			return usagef("--threads %d: want at least 1", q.Threads)
		}
		q.Threads = min(q.Threads, runtime.NumCPU())
		var err error
		if q.Given, err = parseValues("given", given); err != nil {
			return err
		}
		valid := q
		valid.Of = cmp.Or(q.Of, q.On) // without --of all columns are ranked
		if err := errors.Join(valid.Validate(), in.check(q.Threads)); err != nil {
			return usageError{err}
		}
		if err := a.claim(tables, args, []string{output}); err != nil {
			return err
		}
		res, err := a.readResult(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		var table *polydag.Table
		if len(tables) > 0 {
			data, err := in.gatherAgain(cmd.Context(), res, tables)
			if err != nil {
				return err
			}
			defer data.input.Close()
			table = data.Table
		}
		if q.Of == "" {
			next := func(d *effect.Drivers) string { return "\nNext:\n" + afterDrivers(d, args[0], shellWords(tables)) }
			return (&ranking{a, q, asJSON, output, next}).write(cmd.Context(), res, table)
		}
		bar := screen.bar()
		ask := q
		ask.Observe = func(done, of int) {
			bar.observe(polydag.Progress{Stage: "bootstrap", Kind: stage.Replicates, Step: done, Steps: of, Untraced: true})
			a.at(cmd.Context(), "progress")
		}
		answer, err := within(cmd.Context(), args[0], "asked", func() (*effect.Answer, error) { return effect.Ask(cmd.Context(), res, table, ask) })
		bar.clear()
		if err != nil {
			return err
		}
		if asJSON {
			return a.data(cmd.Context(), output, func(w io.Writer) error { return writeJSON(w, answer) })
		}
		return a.write(cmd.Context(), output, func(w io.Writer) error {
			text := answer.WriteBrief
			if a.screen.verbose {
				text = answer.WriteText
			}
			if err := text(report.Fold(w, a.width(output))); err != nil {
				return err
			}
			_, err := io.WriteString(w, afterNoEffect(res, answer, args[0], tables))
			return err
		})
	}
	return cmd
}

// afterNoEffect names the command to run next if the graph has no directed path from cause to outcome.
func afterNoEffect(res *polydag.Result, answer *effect.Answer, file string, tables []string) string {
	if answer.Identification != effect.None || res.Kind != graph.KindDAG || res.Time != nil {
		return ""
	}
	at := names.Index(res.Names)
	from, to := shellWord(answer.Of), shellWord(answer.On)
	next := fmt.Sprintf("explain %s --from %s --to %s    # all paths between them", shellWord(file), from, to)
	switch {
	case len(answer.Reversed) > 0:
		next = fmt.Sprintf("questions %s    # what you could tell polydag to settle directions", shellWord(file))
	case res.Graph.HasPath(at[answer.On], at[answer.Of]):
		next = fmt.Sprintf("effect %s --of %s --on %s", shellWord(file), to, from)
		for _, table := range tables {
			next += " --data " + shellWord(table)
		}
		next += "    # the effect along the directed path"
	}
	return "\nNext:  polydag " + next + "\n"
}

// parseValues parses the NAME=VALUE entries of a flag, separated by commas. A part without = belongs to the previous value.
func parseValues(flag string, list []string) (out []effect.Value, err error) {
	for _, entry := range list {
		first := true
		for part := range strings.SplitSeq(entry, ",") {
			name, value, ok := strings.Cut(part, "=")
			switch {
			case ok && name != "":
				out = append(out, effect.Value{Name: name, Value: value})
			case !first:
				out[len(out)-1].Value += "," + part
			default:
				return nil, usagef("--%s %q: want NAME=VALUE, such as --%s age=40,city=Graz", flag, entry, flag)
			}
			first = false
		}
	}
	return out, nil
}
