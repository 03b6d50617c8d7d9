package command

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command/internal/attribution"
	"github.com/polydag/polydag/internal/visible"
	"github.com/polydag/polydag/report"
	"github.com/polydag/polydag/trust"
)

func (a *app) whyCommand() *cobra.Command {
	var path string
	var asJSON, givenGraph bool
	var row int
	var q attribution.Question
	set := attribution.DefaultSettings()
	cmd := &cobra.Command{
		Use:   "why BEFORE AFTER --graph RESULT.json --target NAME",
		Short: "Find what changed between two tables, or why a row is unusual",
		Long: `Why compares two tables under a graph. It tests which mechanisms differ, where a mechanism is the
distribution of a variable given its parents, and corrects for the number of variables. It attributes
the change of the target's mean, or of the share of a category, to these mechanisms (Shapley values),
with bootstrap intervals. The intervals take most of the time; --set replicates=0 omits them. If the graph
is a result, each bootstrap sample of BEFORE is learned again with the settings of the result, so that
the intervals include the uncertainty of the graph; --set given-graph conditions on the graph instead.

With one table and --row, it attributes how unusual the target is in that row to the noise of the
target and of its ancestors. The largest contribution is the most likely root cause.

The graph is a result of polydag learn, or any graph that polydag test reads. The exit code is 0
whether or not a mechanism differs. docs/guides/what-changed.md explains the output.`,
		Example: `  polydag why before.csv after.csv --graph result.json --target income
  polydag why data.csv --graph result.json --target income --row 123`,
		Args: argsBetween(1, 2, "two tables, or one table and --row"),
	}
	f := ordered(cmd)
	f.StringVar(&path, "graph", "", "result of polydag learn, or a graph in another format")
	f.StringVar(&q.Target, "target", "", "column whose change or value is attributed")
	f.IntVar(&row, "row", 0, "row of the table, counted from 1, that is unusual")
	f.Float64Var(&set.FDR, "fdr", set.FDR, "false discovery rate of changed mechanisms, 0–1")
	f.Float64Var(&set.Level, "level", set.Level, "confidence level of the intervals, 0–1")
	f.IntVar(&set.Replicates, "replicates", set.Replicates, "number of bootstrap samples for the intervals; 0 for none")
	f.BoolVar(&givenGraph, "given-graph", false, "condition on the graph; faster, but ignores uncertainty about the graph")
	f.Uint64Var(&set.Seed, "seed", set.Seed, "random seed")
	f.IntVar(&set.Threads, "threads", runtime.NumCPU(), "number of threads; does not change the result")
	f.BoolVar(&asJSON, "json", false, "print JSON (schema "+whySchema+")")
	in := newReading(a, f)
	in.unlist()
	in.kindFlag(f)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		given := f.Changed
		switch {
		case path == "":
			return usagef("%s needs a graph: --graph RESULT.json, from polydag learn %s --output RESULT.json", cmd.CommandPath(), shellWord(args[0]))
		case len(args) == 1 && !given("row"):
			return usagef("%s compares two tables, and one is given; name a second one, or a row with --row", cmd.CommandPath())
		case len(args) == 2 && given("row"):
			return usagef("--row is for one table, and two are given; omit one")
		case len(args) == 2 && slices.Contains(args, "-"):
			return usagef("two tables are read from files; name both of them")
		case given("row") && q.Target == "":
			return usagef("--row needs the column to explain: --target NAME")
		case given("row") && row < 1:
			return usagef("--row %d: want at least 1", row)
		}
		for _, flag := range []string{"targets", "environments", "row-weights"} {
			if given(flag) {
				return usagef("%s cannot be used with %s; omit it", spelled(flag), cmd.CommandPath())
			}
		}
		if err := set.Validate(); err != nil {
			return usageError{err}
		}
		set.Threads = min(set.Threads, runtime.NumCPU())
		if err := in.check(set.Threads); err != nil {
			return err
		}
		return a.why(cmd.Context(), args, path, row, q, givenGraph, set, in, asJSON)
	}
	return cmd
}

func (a *app) why(ctx context.Context, tables []string, path string, row int, q attribution.Question, givenGraph bool, set attribution.Settings, in *reading, asJSON bool) error {
	given, err := a.openGraph(ctx, path)
	if err != nil {
		return err
	}
	if given.res != nil {
		if err := in.recorded(given.res); err != nil {
			return err
		}
		q.Model = given.res.Model
	}
	in.take.Targets, in.take.Environments, in.take.RowWeights, in.take.Groups = "", "", "", ""
	relearn := len(tables) == 2 && given.res != nil && !givenGraph && q.Target != "" && set.Replicates > 0
	if relearn {
		before, err := in.gather(ctx, tables[:1])
		if err != nil {
			return err
		}
		defer before.input.Close()
		if q.Graphs, err = attribution.NewGraphs(ctx, before.Table, given.res, set.Seed); err != nil {
			return err
		}
	}
	in.label = len(tables) == 2
	data, err := in.gather(ctx, tables)
	if err != nil {
		return err
	}
	defer data.input.Close()
	names := data.Moments.Names
	if q.Target != "" && !slices.Contains(names, q.Target) {
		return usagef("--target: %q is not a column of the table%s", q.Target, nearColumn(q.Target, names))
	}
	if q.Names, q.Graph, err = given.over(names, q.Target); err != nil {
		return err
	}
	r, err := within(ctx, tables[0], "compared", func() (*attribution.Report, error) {
		if len(tables) == 2 {
			return attribution.Compare(ctx, data.Table, q, set)
		}
		return attribution.Outlier(ctx, data.Table, q, row, set)
	})
	if err != nil {
		return err
	}
	if note := undirectedBefore(given.res, q); note != "" {
		r.Notes = append(r.Notes, note)
	}
	if given.res != nil && slices.ContainsFunc(given.res.Assumptions, func(a trust.Assumption) bool { return a.Outcome == trust.Failed }) {
		r.Notes = append(r.Notes, "the graph: "+report.Checks(given.res.Assumptions)+"; the parents of a mechanism may be wrong")
	}
	return a.answer(ctx, asJSON, whySchema, r, a.folded(whyText(r, tables, a.screen.verbose)))
}

// undirectedBefore says that edges among the target and its ancestors have no stated direction.
func undirectedBefore(res *polydag.Result, q attribution.Question) string {
	if res == nil || q.Target == "" {
		return ""
	}
	before := q.Graph.Ancestors([]int{slices.Index(q.Names, q.Target)})
	before[slices.Index(q.Names, q.Target)] = true
	open, all := 0, 0
	for _, e := range res.Edges {
		if !before[slices.Index(q.Names, e.To)] {
			continue
		}
		if all++; e.Verdict != "" && e.Verdict != polydag.Directed {
			open++
		}
	}
	if open == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d edges to the target and its ancestors have no stated direction; the attribution assumes the directions of the graph", open, all)
}

func whyText(r *attribution.Report, tables []string, verbose bool) string {
	var b strings.Builder
	if r.Changes != nil {
		writeChanges(&b, r, tables, verbose)
	} else {
		writeOutlier(&b, r)
	}
	for _, note := range r.Notes {
		visible.Fprintf(&b, "\nNote: %s.\n", note)
	}
	return b.String()
}

func writeChanges(b *strings.Builder, r *attribution.Report, tables []string, verbose bool) {
	c := r.Changes
	if c.Target != nil {
		writeTarget(b, c)
		b.WriteString("\n")
	}
	visible.Fprintf(b, "%d of %s between %s and %s (false discovery rate %v).\n", c.Changed, differ(len(c.Mechanisms)), tables[0], tables[1], c.FDR)
	visible.Fprintf(b, "%d and %s, %s, %s; %s model.\n", c.RowsBefore, plural(c.RowsAfter, "row"), plural(r.Columns, "column"), plural(r.Edges, "edge"), r.Model)
	if c.Changed > 0 {
		b.WriteString("\nMechanisms that differ:\n")
		t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "  size\tq-value\tvariable\tgiven")
		for _, m := range c.Mechanisms[:min(c.Changed, mostListed)] {
			given := strings.Join(m.Parents, ", ")
			if given == "" {
				given = "(no parents)"
			}
			visible.Fprintf(t, "  %.2f\t%.2g\t%s\t%s\n", m.Size, max(m.Q, 1e-300), m.Name, given)
		}
		t.Flush()
		omitted(b, c.Changed)
		if verbose {
			b.WriteString("\nsize: root mean square difference of the expected values given the same parents, in standard deviations; of a category, the mean total variation distance of its probabilities.\n" +
				"q-value: p-value of the same distribution given the parents (robust Wald tests of its mean, spread and point masses), corrected for the number of variables (Benjamini and Hochberg).\n")
			if c.Target != nil {
				visible.Fprintf(b, "order: by contribution to the change of %s.\n", c.Target.Name)
			}
		}
	}
	if c.Target == nil {
		return
	}
	attributed := func(m attribution.Mechanism) bool {
		return slices.ContainsFunc(c.Target.Contributions, func(x attribution.Contribution) bool { return x.Name == m.Name })
	}
	if changed := c.Mechanisms[:c.Changed]; slices.ContainsFunc(changed, func(m attribution.Mechanism) bool { return !attributed(m) }) {
		visible.Fprintf(b, "\nChanged variables that are not ancestors of %s contribute nothing.\n", c.Target.Name)
	}
}

// writeTarget writes the change of the target and the contributions of the mechanisms.
func writeTarget(b *strings.Builder, c *attribution.Changes) {
	t := c.Target
	figure := "mean of " + t.Name
	if t.Category != "" {
		figure = fmt.Sprintf("share of %s = %s", t.Name, t.Category)
	}
	visible.Fprintf(b, "The %s changed by %+.4g, from %.4g to %.4g. Contributions:\n", figure, t.Change, t.Before, t.After)
	out := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	head := "  change"
	if t.Replicates > 0 {
		head += fmt.Sprintf("\t%.0f %% interval", 100*t.Level)
	}
	fmt.Fprintln(out, head+"\tmechanism")
	line := func(x attribution.Contribution, name string) {
		visible.Fprintf(out, "  %+.4g\t", x.Value)
		if t.Replicates > 0 {
			interval := ""
			if x.Low != nil {
				interval = fmt.Sprintf("%+.4g to %+.4g", *x.Low, *x.High)
			}
			visible.Fprintf(out, "%s\t", interval)
		}
		fmt.Fprintln(out, visible.Name(name))
	}
	for _, x := range t.Contributions {
		name := x.Name
		if name == "" {
			name = fmt.Sprintf("(%s of the target and its ancestors without a detected change)", plural(x.Others, "mechanism"))
		}
		line(x, name)
	}
	if len(t.Contributions) > 0 && max(t.Unexplained, -t.Unexplained) > 0.01*max(t.Change, -t.Change) {
		line(attribution.Contribution{Value: t.Unexplained}, "(change in the tables minus change under the fitted model)")
	}
	out.Flush()
	if t.Replicates > 0 && t.GivenGraph {
		b.WriteString("Intervals condition on the graph.\n")
	} else if t.Replicates > 0 {
		visible.Fprintf(b, "Intervals: %d bootstrap samples, each with a graph learned again.\n", t.Replicates)
	}
}

// differ returns the number of mechanisms with the verb.
func differ(n int) string {
	if n == 1 {
		return "1 mechanism differs"
	}
	return fmt.Sprintf("%d mechanisms differ", n)
}

func writeOutlier(b *strings.Builder, r *attribution.Report) {
	o := r.Row
	cause := o.Contributions[0]
	others := ""
	if len(o.Contributions) > 1 {
		others = fmt.Sprintf("; all others together %s", signed(o.Score-cause.Contribution))
	}
	visible.Fprintf(b, "%s = %s in row %d: the largest contribution is the noise of %s (%s%s).", o.Target, o.Value, o.Row, cause.Name, signed(cause.Contribution), others)
	if o.P > 0.05 {
		b.WriteString(" The row is not unusual.")
	}
	b.WriteString("\n")
	visible.Fprintf(b, "Outlier score %.2f: a row is at least as unusual with probability %.2g. %s, %s; %s model.\n\n", o.Score, o.P, plural(r.Columns, "column"), plural(r.Edges, "edge"), r.Model)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  contribution\tvariable\tvalue\texpected\tnoise (sd)")
	for _, c := range o.Contributions[:min(len(o.Contributions), mostListed)] {
		expected, noise := "", ""
		if c.Expected != nil {
			expected, noise = fmt.Sprintf("%.4g", *c.Expected), signed(*c.Noise)
		} else {
			expected = fmt.Sprintf("probability %.2g", *c.P)
		}
		visible.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\n", signed(c.Contribution), c.Name, c.Value, expected, noise)
	}
	t.Flush()
	omitted(b, len(o.Contributions))
	b.WriteString("\ncontribution: part of the outlier score (−log10 of the probability) that is due to the noise of the variable; the contributions add up to the score. negative: makes the value less unusual. expected: given its parents in this row.\n")
}

// signed writes x with a sign and two digits, and 0 without a minus.
func signed(x float64) string { return fmt.Sprintf("%+.2f", math.Round(100*x)/100+0) }
