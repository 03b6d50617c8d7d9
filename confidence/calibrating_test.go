package confidence

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
)

// TestJudgedByOtherTables checks that the calibration error of a table comes from the curve of the others. All edges of the first table are
// true and none of the second: the curve of each is wrong for the other.
func TestJudgedByOtherTables(t *testing.T) {
	by := make([][]verdict, 2)
	for k := range by {
		for range 1000 {
			by[k] = append(by[k], verdict{there: 0.8, forward: k == 0})
		}
	}
	if r := learnFrom(by, newCurve(NoCalibration, 0)); r.report.After < 0.9 {
		t.Errorf("%+v, want an error of nearly 1", *r.report)
	}
}

// TestReplicatesOfSimulatedTables checks that a simulated table has the replicates of the run, up to 100.
func TestReplicatesOfSimulatedTables(t *testing.T) {
	for asked, want := range map[int]int{20: 20, 100: 100, 1000: 100} {
		if got := Calibrating(asked); got != want {
			t.Errorf("%d replicates of a simulated table if %d are asked for, want %d", got, asked, want)
		}
	}
}

// TestGraphsOfSimulatedTables checks that tables are simulated from evenly spaced graphs, and that the curve is fitted to the frequencies and
// the graphs of these tables.
func TestGraphsOfSimulatedTables(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	columns := polydag.Columns{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	for range 200 {
		a := rng.NormFloat64()
		for j, x := range []float64{a, a + rng.NormFloat64(), a + rng.NormFloat64()} {
			columns[j].Numbers = append(columns[j].Numbers, x)
		}
	}
	table := must.Get(polydag.Prepare(t.Context(), columns, polydag.DefaultPreparation()))
	set := DefaultSettings()
	set.Calibrate = 3
	l := must.Get(start(t.Context(), table, polydag.DefaultConfig(), set, polydag.Run{}))
	lists := [][]graph.Edge{{{From: 0, To: 1}}, {{From: 0, To: 2}}, {{From: 1, To: 0}}, {{From: 1, To: 2}}, {{From: 2, To: 0}}, {{From: 2, To: 1}}}
	var graphs []*graph.Graph
	for _, edges := range lists {
		g := must.Get(graph.FromEdges(3, edges))
		graphs = append(graphs, g)
	}
	var used [][]graph.Edge
	r := must.Get(l.recalibrate(t.Context(), 8, newCurve(NoCalibration, 0), graphs, func(name *SimulatedTable, table *polydag.Table, _ func()) (func(i, j int) float64, error) {
		if name.Number != len(used) || table.Moments.N != 200 {
			t.Errorf("table %d of %d rows is table %d", name.Number, table.Moments.N, len(used))
		}
		used = append(used, name.Graph)
		own := graphs[2*name.Number]
		return func(i, j int) float64 { return number(own.HasEdge(i, j)) }, nil
	}))
	if want := [][]graph.Edge{lists[0], lists[2], lists[4]}; !reflect.DeepEqual(used, want) {
		t.Errorf("tables from the graphs %v, want %v", used, want)
	}
	if r.report.Tables != 3 || r.report.Replicates != 8 || r.report.Before != 0 {
		t.Errorf("%+v, want no error before, because every frequency is right", *r.report)
	}
}

// TestDAGOfAnOutcome checks that a replicate gives a DAG to simulate from: its edges as found, or another member of its class if these have
// a cycle.
func TestDAGOfAnOutcome(t *testing.T) {
	edge := func(from, to int, mark string) Edge { return Edge{Edge: graph.Edge{From: from, To: to}, Mark: mark} }
	plain := &Outcome{Edges: []Edge{edge(2, 1, "---"), edge(1, 0, "-->")}}
	if g := plain.dag(3); g == nil || !slices.Equal(g.Edges(), []graph.Edge{{From: 1, To: 0}, {From: 2, To: 1}}) {
		t.Errorf("%v of an outcome without a cycle", g)
	}
	cyclic := &Outcome{Edges: []Edge{edge(0, 1, "---"), edge(1, 2, "---"), edge(2, 0, "---")}}
	if g := cyclic.dag(3); g == nil || g.NumEdges() != 3 || !g.IsAcyclic() {
		t.Errorf("%v of an outcome with a cycle of undirected edges", g)
	}
	cyclic.Edges[0].Mark, cyclic.Edges[1].Mark, cyclic.Edges[2].Mark = "-->", "-->", "-->"
	if g := cyclic.dag(3); g != nil {
		t.Errorf("%v of an outcome with a cycle", g)
	}
	plain.Failed = "a constant column"
	if plain.dag(3) != nil || (*Outcome)(nil).dag(3) != nil {
		t.Error("a failed sample has a graph")
	}
}

// TestRelabelled checks that variable k of a posterior is column order[k].
func TestRelabelled(t *testing.T) {
	if g := relabelled([]graph.Edge{{From: 0, To: 1}}, []int{2, 0, 1}); !slices.Equal(g.Edges(), []graph.Edge{{From: 2, To: 0}}) {
		t.Errorf("%v, want 2 → 0", g.Edges())
	}
}

// TestPoolReturnsTheErrorOfAUnit checks that a unit that cannot be done ends the pool with its error.
func TestPoolReturnsTheErrorOfAUnit(t *testing.T) {
	units := make([]Unit, 5)
	for k := range units {
		units[k] = Unit{Plan: &Plan{Method: "none"}}
	}
	_, want := units[0].Do(t.Context(), nil)
	err := Pool{Workers: 2}.Run(t.Context(), units, func(Outcome) { t.Error("a unit without a method has an outcome") })
	if want == nil || err == nil || err.Error() != want.Error() {
		t.Errorf("%v, want %v", err, want)
	}
}
