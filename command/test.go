package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command/internal/edgelist"
	"github.com/polydag/polydag/command/internal/graphtest"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/visible"
)

// A refutation ends polydag test with exit code 4.
type refutation struct{}

func (refutation) Error() string { return "the table refutes the graph" }

func (a *app) testCommand() *cobra.Command {
	var table []string
	var asJSON bool
	set := graphtest.DefaultSettings()
	cmd := &cobra.Command{
		Use:   "test GRAPH --data DATA",
		Short: "Test whether a table is compatible with your own graph",
		Long: `Test checks a directed acyclic graph against a table. A graph implies that each variable is
independent of the variables before it that are not its parents, given its parents (the local Markov
conditions). Test reports which of these independences the table refutes, which edges it does not
support, and whether random graphs of the same shape would do as well.

GRAPH is a result of polydag learn, or an edge list, DOT, GraphML, BIF, Tetrad's text or a matrix in
CSV. Columns that the graph does not mention are left out. The exit code is 0 if no condition is
refuted, and 4 if one is. docs/guides/test-a-graph.md explains the output.`,
		Example: `  polydag test result.json --data data.csv
  polydag test truth.csv --data data.csv --repair`,
		Args: exactArgs(1, "one graph"),
	}
	f := ordered(cmd)
	f.StringArrayVar(&table, "data", nil, "table to test the graph against; repeat for several files")
	f.BoolVar(&set.Repair, "repair", false, "propose changes of edges that remove the refutations")
	f.Float64Var(&set.Level, "level", set.Level, "false discovery rate of refuted conditions")
	f.IntVar(&set.Graphs, "random-graphs", set.Graphs, "number of random graphs to compare with; 0 for none")
	f.Uint64Var(&set.Seed, "seed", set.Seed, "seed of the random graphs")
	f.BoolVar(&asJSON, "json", false, "print JSON (schema "+testSchema+")")
	in := newReading(a, f)
	in.kindFlag(f)
	screen := a.screen
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case len(table) == 0:
			return usagef("%s needs a table: --data DATA", cmd.CommandPath())
		case !(set.Level > 0 && set.Level < 1):
			return usagef("--level %v: want between 0 and 1", set.Level)
		case set.Graphs < 0:
			return usagef("--set random-graphs=%d: want at least 0", set.Graphs)
		}
		if err := in.check(1); err != nil {
			return err
		}
		ctx := cmd.Context()
		data, err := in.gather(ctx, table)
		if err != nil {
			return err
		}
		defer data.input.Close()
		given, err := a.openGraph(ctx, args[0])
		if err != nil {
			return err
		}
		joined, g, err := given.over(data.Moments.Names)
		if err != nil {
			return err
		}
		if n := len(data.Moments.Names) - len(joined); n > 0 {
			screen.note(fmt.Sprintf("%d of %d columns are not in the graph and are left out", n, len(data.Moments.Names)))
		}
		r, err := graphtest.Table(ctx, data.Table, joined, g, set)
		if err != nil {
			return err
		}
		err = a.answer(ctx, asJSON, testSchema, r, a.folded(testText(r)))
		if err == nil && r.Verdict == graphtest.Refuted {
			return refutation{}
		}
		return err
	}
	a.configurable(cmd)
	return cmd
}

// A givenGraph is the graph of a file: of a result, or of another program.
type givenGraph struct {
	name string          // the name of the file
	res  *polydag.Result // nil for a graph of another program
	text []byte
}

// openGraph reads a result without lags or a graph.
func (a *app) openGraph(ctx context.Context, path string) (*givenGraph, error) {
	return readFrom(ctx, a, path, func(r io.Reader) (*givenGraph, error) {
		text, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(text[:min(len(text), 1<<12)], []byte(`"`+polydag.Schema)) {
			return &givenGraph{name: inputName(path), text: text}, nil
		}
		res, err := polydag.ReadResult(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		res.Methods = a.methods
		if res.Kind != graph.KindDAG {
			return nil, usagef("the graph is a %s; only directed edges can be used here: give a DAG", strings.ToUpper(string(res.Kind)))
		}
		if res.Time != nil {
			return nil, errLags
		}
		return &givenGraph{name: inputName(path), res: res}, nil
	})
}

// over returns the graph and the columns that it joins, which must be among the names. with are columns that belong to it in any case.
func (f *givenGraph) over(names []string, with ...string) ([]string, *graph.Graph, error) {
	var list []edgelist.Edge
	if f.res != nil {
		for _, e := range f.res.Edges {
			list = append(list, edgelist.Edge{Link: e.Link})
		}
	} else {
		var err error
		if list, err = edgelist.Read(bytes.NewReader(f.text), nil); err == nil {
			err = edgelist.Directed(list)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	var columns []string
	for _, name := range names {
		if slices.Contains(with, name) || slices.ContainsFunc(list, func(e edgelist.Edge) bool { return e.From == name || e.To == name }) {
			columns = append(columns, name)
		}
	}
	for _, e := range list {
		for _, end := range []string{e.From, e.To} {
			if !slices.Contains(columns, end) {
				return nil, nil, usagef("%s: %q is not a column of the table%s", f.name, end, nearColumn(end, names))
			}
		}
	}
	return columns, graphOf(list, columns), nil
}

func testText(r *graphtest.Report) string {
	var b strings.Builder
	switch r.Verdict {
	case graphtest.Refuted:
		visible.Fprintf(&b, "Refuted at %s: the table contradicts %d of the %d independences that the graph implies.\n", plural(len(r.Refuted), "place"), len(r.Refuted), r.Conditions)
	case graphtest.LowPower:
		visible.Fprintf(&b, "Compatible, but low power: no independence is refuted, and %.0f %% of random graphs of the same shape are not refuted either.\n", 100*r.Random.Unrefuted)
	case graphtest.Untestable:
		b.WriteString("Untestable: the graph joins all pairs of columns, so it implies no independence.\n")
	default:
		visible.Fprintf(&b, "Compatible: the table contradicts none of the %s that the graph implies.\n", plural(r.Conditions, "independence"))
	}
	visible.Fprintf(&b, "%d rows, %d columns, %s; test: %s; false discovery rate %v.\n", r.Rows, r.Columns, plural(r.Edges, "edge"), r.Test, r.Level)
	if len(r.Refuted) > 0 {
		b.WriteString("\nDependent although the graph says independent:\n  effect   q-value  columns\n")
		for _, c := range r.Refuted[:min(len(r.Refuted), mostListed)] {
			given := ""
			if len(c.Given) > 0 {
				given = " given " + strings.Join(c.Given, ", ")
			}
			visible.Fprintf(&b, "  %6.3f  %8.2g  %s and %s%s\n", c.Effect, c.Q, c.X, c.Y, given)
		}
		omitted(&b, len(r.Refuted))
	}
	if len(r.Unsupported) > 0 {
		b.WriteString("\nEdges without support (independent given the other parents):\n  effect   p-value  edge\n")
		for _, e := range r.Unsupported[:min(len(r.Unsupported), mostListed)] {
			visible.Fprintf(&b, "  %6.3f  %8.2g  %s → %s\n", e.Effect, e.P, e.From, e.To)
		}
		omitted(&b, len(r.Unsupported))
	}
	if r.Random != nil {
		visible.Fprintf(&b, "\nRandom graphs of the same shape: %.0f %% of %d have at most as many violated independences (p ≤ %v). %s\n", 100*r.Random.Better, r.Random.Graphs, r.Level, againstRandom(r.Random))
	}
	if r.Conditions > 0 {
		visible.Fprintf(&b, "Power: a partial correlation of %.2f would be refuted with probability 0.8.\n", r.Detectable)
	}
	if r.Repair != nil {
		b.WriteString("\nChanges that remove refutations, one after the other:\n  refuted after  change\n")
		for _, c := range r.Repair {
			visible.Fprintf(&b, "  %13d  %s %s → %s\n", c.Refuted, c.Do, c.From, c.To)
		}
	}
	return b.String()
}

// againstRandom says what the comparison with random graphs means. The p-value counts the graph among the random ones.
func againstRandom(r *graphtest.Random) string {
	n := float64(r.Graphs)
	switch p := (r.Better*n + 1) / (n + 1); {
	case p <= 0.05:
		return "Your graph fits the table better than random graphs do."
	case p < 0.5:
		return "Your graph fits better than most random graphs, but this may be chance."
	}
	return "Random graphs fit as well, so this test is no evidence for your graph."
}

// mostListed is the number of entries of a table of text; --json lists all.
const mostListed = 15

// omitted writes how many of n entries a table of text leaves out.
func omitted(b *strings.Builder, n int) {
	if n > mostListed {
		visible.Fprintf(b, "  and %d more (--json lists all)\n", n-mostListed)
	}
}
