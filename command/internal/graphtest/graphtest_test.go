package graphtest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command/internal/graphtest"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
)

// draw returns a simulated table and its graph over the columns.
func draw(t *testing.T, seed uint64, mechanism sim.Mechanism, d, n int) (*polydag.Table, []string, *graph.Graph) {
	t.Helper()
	c := sim.Default()
	c.Nodes, c.Degree, c.Mechanism, c.Seed = d, 3, mechanism, seed
	m := must.Get(sim.New(c))
	x := m.Sample(rand.New(rand.NewPCG(seed, 1)), n)
	columns := must.Get(polydag.RowColumns(m.Names(), slices.Collect(dataset.RowsOf(x))))
	p := polydag.DefaultPreparation()
	table := must.Get(polydag.Prepare(context.Background(), columns, p))
	return table, m.Names(), m.Graph()
}

func run(t *testing.T, table *polydag.Table, names []string, g *graph.Graph, change func(*graphtest.Settings)) *graphtest.Report {
	t.Helper()
	s := graphtest.DefaultSettings()
	s.Graphs = 0
	if change != nil {
		change(&s)
	}
	return must.Get(graphtest.Table(context.Background(), table, names, g, s))
}

// tables is the number of tables of a study, or of its small version in the gate.
func tables(t *testing.T, few int) int {
	if n, err := strconv.Atoi(os.Getenv("POLYDAG_STUDY")); err == nil && n > 0 {
		return 40 * n
	}
	return few
}

// A true graph is refuted in at most 5 % of the tables.
func TestStudyTrueGraphs(t *testing.T) {
	for _, m := range []sim.Mechanism{sim.Linear, sim.Discrete, sim.Mixed} {
		n := tables(t, 5)
		wrong := 0
		for seed := range n {
			table, names, g := draw(t, uint64(seed)*13+101, m, 10, 1000)
			if run(t, table, names, g, nil).Verdict == graphtest.Refuted {
				wrong++
			}
		}
		t.Logf("%s: %d of %d true graphs refuted", m, wrong, n)
		if most := n/20 + 2; wrong > most {
			t.Errorf("%s: %d of %d true graphs refuted, want at most %d", m, wrong, n, most)
		}
	}
}

// A strong missing edge, a reversed edge of a collider and an added edge are found.
func TestStudyWrongGraphs(t *testing.T) {
	for _, m := range []sim.Mechanism{sim.Linear, sim.Discrete, sim.Mixed} {
		found, all := map[string]int{}, map[string]int{}
		for seed := range tables(t, 3) {
			table, names, g := draw(t, uint64(seed)*5+3, m, 10, 1000)
			rng := rand.New(rand.NewPCG(uint64(seed), 1))
			if e, ok := strongest(table, names, g); ok {
				h := g.Clone()
				h.RemoveEdge(e.From, e.To)
				all["missing edge"]++
				if run(t, table, names, h, nil).Verdict == graphtest.Refuted {
					found["missing edge"]++
				}
			}
			if vs := g.VStructures(); len(vs) > 0 {
				v := vs[rng.IntN(len(vs))]
				h := g.Clone()
				h.RemoveEdge(v.A, v.Mid)
				if !h.HasPath(v.A, v.Mid) {
					h.AddEdge(v.Mid, v.A)
					all["reversed collider"]++
					if run(t, table, names, h, nil).Verdict == graphtest.Refuted {
						found["reversed collider"]++
					}
				}
			}
			order := must.Get(g.Order())
			for range 100 {
				i, j := rng.IntN(len(order)), rng.IntN(len(order))
				if i < j && !g.Adjacent(order[i], order[j]) {
					h := g.Clone()
					h.AddEdge(order[i], order[j])
					all["added edge"]++
					for _, e := range run(t, table, names, h, nil).Unsupported {
						if e.From == names[order[i]] && e.To == names[order[j]] {
							found["added edge"]++
						}
					}
					break
				}
			}
		}
		for _, fault := range []string{"missing edge", "reversed collider", "added edge"} {
			t.Logf("%s: %s found in %d of %d", m, fault, found[fault], all[fault])
			if fault != "reversed collider" && 10*found[fault] < 7*all[fault] {
				t.Errorf("%s: %s found in %d of %d", m, fault, found[fault], all[fault])
			}
		}
	}
}

// strongest returns the edge with the largest correlation of its ends.
func strongest(table *polydag.Table, names []string, g *graph.Graph) (best graph.Edge, ok bool) {
	r, most := table.Moments.Correlation(), 0.0
	for _, e := range g.Edges() {
		i, j := slices.Index(table.Moments.Names, names[e.From]), slices.Index(table.Moments.Names, names[e.To])
		if c := max(r.At(i, j), -r.At(i, j)); c > most {
			best, most, ok = e, c, true
		}
	}
	return best, ok
}

// An oracle refutes exactly the graphs that imply an independence which the true graph does not have, and --repair removes it.
func TestOracle(t *testing.T) {
	truth := must.Get(graph.FromEdges(4, []graph.Edge{{From: 0, To: 2}, {From: 1, To: 2}, {From: 2, To: 3}}))
	names := []string{"a", "b", "c", "d"}
	oracle := graphtest.Symmetric(independence.Oracle{Graph: truth}, 1000)
	s := graphtest.DefaultSettings()
	s.Repair = true
	test := func(edges ...graph.Edge) *graphtest.Report {
		t.Helper()
		g := must.Get(graph.FromEdges(4, edges))
		return must.Get(graphtest.Run(context.Background(), oracle, "oracle", 1000, names, g, s))
	}
	if r := test(truth.Edges()...); r.Verdict != graphtest.Compatible || r.Conditions != 3 || len(r.Unsupported) != 0 {
		t.Errorf("the true graph: %+v", r)
	}
	// c → a makes a and b independent given c, and the oracle says dependent.
	r := test(graph.Edge{From: 2, To: 0}, graph.Edge{From: 1, To: 2}, graph.Edge{From: 2, To: 3})
	if r.Verdict != graphtest.Refuted || len(r.Refuted) != 1 || r.Refuted[0].X != "b" || r.Refuted[0].Y != "a" || !slices.Equal(r.Refuted[0].Given, []string{"c"}) {
		t.Errorf("a reversed collider: %+v", r)
	}
	if want := []graphtest.Change{{Do: "add", Link: graph.Link{From: "b", To: "a"}}}; len(r.Repair) != 1 || r.Repair[0].Refuted != 0 {
		t.Errorf("repair: %+v, want one change such as %+v", r.Repair, want)
	}
	r = test(append(truth.Edges(), graph.Edge{From: 0, To: 3})...)
	if want := []graphtest.Edge{{Link: graph.Link{From: "a", To: "d"}, P: 1}}; !reflect.DeepEqual(r.Unsupported, want) {
		t.Errorf("an added edge: %+v, want %+v", r.Unsupported, want)
	}
	var full []graph.Edge
	for i := range 4 {
		for j := range i {
			full = append(full, graph.Edge{From: j, To: i})
		}
	}
	if r := test(full...); r.Verdict != graphtest.Untestable {
		t.Errorf("a complete graph is %s", r.Verdict)
	}
}

// The report does not depend on the order of the columns, and a graph with a cycle is refused.
func TestColumnOrderAndCycles(t *testing.T) {
	table, names, g := draw(t, 5, sim.Linear, 8, 500)
	change := func(s *graphtest.Settings) { s.Graphs, s.Repair = 20, true }
	e := g.Edges()[0]
	g.RemoveEdge(e.From, e.To)
	want := run(t, table, names, g, change)
	turned, h := make([]string, 8), graph.New(8)
	for i, name := range names {
		turned[7-i] = name
	}
	for _, e := range g.Edges() {
		h.AddEdge(7-e.From, 7-e.To)
	}
	got := run(t, table, turned, h, change)
	if a, b := fmt.Sprintf("%+v", *want.Random), fmt.Sprintf("%+v", *got.Random); a != b || len(got.Refuted) != len(want.Refuted) || !reflect.DeepEqual(got.Repair, want.Repair) {
		t.Errorf("columns in another order: %s %+v, want %s %+v", b, got.Repair, a, want.Repair)
	}
	h.AddEdge(0, 1)
	h.AddEdge(1, 0)
	if _, err := graphtest.Table(context.Background(), table, turned, h, graphtest.DefaultSettings()); err == nil {
		t.Error("a graph with a cycle was tested")
	}
}

// The test fits the kinds of the columns.
func TestTestsByKind(t *testing.T) {
	for mechanism, want := range map[sim.Mechanism]string{
		sim.Linear: "Fisher's z", sim.Discrete: "G² with permutations", sim.Mixed: "likelihood ratio of linear and logistic regressions",
	} {
		table, names, g := draw(t, 7, mechanism, 6, 200)
		if r := run(t, table, names, g, nil); r.Test != want || r.Rows != 200 || r.Columns != 6 {
			t.Errorf("%s: %s of %d rows and %d columns, want %s", mechanism, r.Test, r.Rows, r.Columns, want)
		}
	}
}
