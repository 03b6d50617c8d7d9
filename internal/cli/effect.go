package cli

import (
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/report"
)

func (a *app) effectCommand() *cobra.Command {
	var output string
	var asJSON bool
	var tables, given []string
	q := effect.NewQuestion("", "")
	cmd := &cobra.Command{
		Use:   "effect RESULT.json --of A --on B",
		Short: "Estimate what setting one variable does to another, with an interval",
		Long: `Effect says what setting column A from outside would do to column B under a learned graph: the total effect, what goes along the edge
alone and through each column between, what to adjust for, the range over the graphs that fit as well where a direction is open, and how
strong a hidden common cause would have to be to explain the effect away. What the graph does not identify is refused, with the reason.

A result of a linear model answers alone. With --data, the table that it was learned from, read as polydag learn read it, other models
answer too, and the intervals come from resampled tables, each of which learns its own graph; --given-graph takes the graph as known,
which is quicker and says less. --do asks for the distribution of B where A is set to a value, --row and --given for one row.
docs/guides/effects.md has what each figure means and how far the intervals hold.`,
		Example: `  polydag effect result.json --of age --on income
  polydag effect result.json --of age --on income --data data.csv --replicates 50
  polydag effect result.json --of age --on income --from 30 --to 40 --do 50 --json --output effect.json
  polydag effect result.json --of age --on income --data data.csv --given-graph --do 50 --row 7`,
		Args: exactArgs(1, "one result.json, or - for standard input"),
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&q.Of, "of", "", "the column that is set")
	f.StringVar(&q.On, "on", "", "the column that is looked at")
	f.StringArrayVar(&tables, "data", nil, "the table that the result was learned from; repeat for the files of one table")
	f.StringVar(&q.Start, "from", "", "the first of two values of the column that is set (default: one unit under a linear model, the quartiles of a number under others, the most frequent category, the first level of an order)")
	f.StringVar(&q.End, "to", "", "the second of the two values")
	f.StringSliceVar(&q.Do, "do", nil, "values to set the column to, separated by commas: the distribution of the other one there")
	f.IntVar(&q.Row, "row", 0, "a row of the table, counted from 1: what it would have been under --do")
	f.StringArrayVar(&given, "given", nil, "what is known of a row that is not in the table, as NAME=VALUE, or several with commas; repeat for more")
	f.Float64Var(&q.Level, "level", q.Level, "level of the intervals")
	f.BoolVar(&q.GivenGraph, "given-graph", false, "take the graph as known; intervals are quicker and say less")
	f.IntVar(&q.Replicates, "replicates", q.Replicates, "resampled tables behind an interval")
	f.Uint64Var(&q.Seed, "seed", q.Seed, "seed of everything random")
	f.IntVar(&q.Threads, "threads", runtime.NumCPU(), "threads; they change the time, never the answer")
	f.BoolVar(&asJSON, "json", false, "print JSON, schema "+effect.Schema)
	f.StringVarP(&output, "output", "o", "-", "write the answer to this file (- for standard output)")
	in := newReading(f)
	in.kindFlag(f)
	in.clusterFlag(f)
	say := newConsole(f, a.err)

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if q.Of == "" || q.On == "" {
			return usagef("--of and --on are both needed: name two columns")
		}
		if q.Threads < 1 {
			return usagef("--threads %d: want at least 1", q.Threads)
		}
		q.Threads = min(q.Threads, runtime.NumCPU())
		var err error
		if q.Given, err = parseGiven(given); err != nil {
			return err
		}
		if err := errors.Join(q.Validate(), say.check(), in.check(q.Threads)); err != nil {
			return usageError{err}
		}
		var inputs []string
		if len(tables) > 0 {
			if inputs, err = tableFiles(tables); err != nil {
				return err
			}
		}
		if err := a.outputs(append(inputs, args...), []string{output}); err != nil {
			return err
		}
		res, err := a.readResult(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		var table *polydag.Table
		if len(tables) > 0 {
			if err := in.recorded(res); err != nil {
				return err
			}
			data, err := in.gather(cmd.Context(), a, tables, say, true)
			if err != nil {
				return err
			}
			defer data.close()
			table = data.Table
		}
		bar := say.bar()
		ask := q
		ask.Observe = func(done, of int) {
			bar.observe(polydag.Progress{Stage: "bootstrap", Kind: stage.Replicates, Step: done, Steps: of, Untraced: true})
			a.at(cmd.Context(), "progress")
		}
		answer, err := within(cmd.Context(), args[0], "asked", func() (*effect.Answer, error) { return effect.Ask(cmd.Context(), res, table, ask) })
		bar.clear()
		if errors.Is(err, effect.ErrQuestion) {
			return usageError{err}
		}
		if err != nil {
			return err
		}
		wide := 0
		if output == "-" {
			wide = columns(a.out)
		}
		return a.write(cmd.Context(), output, func(w io.Writer) error {
			if asJSON {
				enc := json.NewEncoder(w)
				enc.SetIndent("", "  ")
				enc.SetEscapeHTML(false)
				return enc.Encode(answer)
			}
			return answer.WriteText(report.Fold(w, wide))
		})
	}
	return cmd
}

// parseGiven reads NAME=VALUE, several of them with commas between. A part without = belongs to the value before it.
func parseGiven(list []string) (out []effect.Value, err error) {
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
				return nil, usagef("--given %q: want NAME=VALUE, such as --given age=40,city=Graz", entry)
			}
			first = false
		}
	}
	return out, nil
}
