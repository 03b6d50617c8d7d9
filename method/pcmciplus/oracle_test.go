package pcmciplus

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/constraint"
)

// oracle answers by d-separation in a process that is unrolled further than the table.
type oracle struct {
	g       *graph.Graph
	columns int
}

func (o oracle) Columns() int { return o.columns }

func (o oracle) Independent(x, y int, given []int) (independence.Result, error) {
	if o.g.DSeparated([]int{x}, []int{y}, given) {
		return independence.Result{P: 1}, nil
	}
	return independence.Result{Statistic: 1}, nil
}

// TestOracle checks with perfect tests that the adjacencies are those of the process and that no direction is wrong.
//
// Reference: Runge (2020), soundness with perfect tests.
func TestOracle(t *testing.T) {
	const d, lags, steps = 4, 2, 9
	directed := 0
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		type link struct{ from, to, lag int }
		truth := map[link]bool{}
		for v := range d {
			truth[link{v, v, 1}] = true
		}
		for range 5 {
			if l := (link{rng.IntN(d), rng.IntN(d), rng.IntN(lags + 1)}); l.lag > 0 || l.from < l.to {
				truth[l] = true
			}
		}
		g := graph.New(d * steps)
		for l := range truth {
			for k := 0; k+l.lag < steps; k++ {
				g.AddEdge((k+l.lag)*d+l.from, k*d+l.to)
			}
		}
		var columns, inputs []string
		for k := range lags + 1 {
			for v := range d {
				columns = append(columns, names.Lagged(fmt.Sprintf("x%d", v), k))
			}
		}
		inputs = columns[d:]
		known, err := knowledge.Spec{Inputs: inputs}.Resolve(columns)
		must.Succeed(t, err)
		test := oracle{g, len(columns)}
		p := must.Get(selectPast(context.Background(), &method.Input{Moments: &dataset.Moments{Names: columns}, Knowledge: known, Threads: 2}, test, 0.5))
		s := constraint.New(&momentary{test: test, past: p.conditions}, false, constraint.Settings{Alpha: 0.5, MaxGiven: -1, Threads: 1, Given: p.present, Forbidden: known.Forbidden})
		s.Begin(p.near)
		must.Succeed(t, s.Skeleton(context.Background()))
		out := must.Get(s.PC(context.Background(), constraint.Majority))
		found := out.Graph.Edges()
		if len(found) != len(truth) || len(out.Conflicts) > 0 {
			t.Errorf("seed %d: %d edges and %d conflicts, the process has %d", seed, len(found), len(out.Conflicts), len(truth))
		}
		for _, e := range found {
			there, back := truth[link{e.From % d, e.To, e.From / d}], truth[link{e.To, e.From, 0}]
			arrow := e.AtFrom == graph.Tail && e.AtTo == graph.Arrow
			if !there && (arrow || !back) {
				t.Errorf("seed %d: %s to %s (arrow: %v) is not in the process", seed, columns[e.From], columns[e.To], arrow)
			}
			if arrow && e.From < d {
				directed++
			}
		}
	}
	if directed == 0 {
		t.Error("no edge of the same time has a direction")
	}
}

// strengths has the statistic of each column given no and one other, and keeps the sets of two.
type strengths struct {
	by  [][2]float64
	two map[int][]int
}

func (s strengths) Columns() int { return len(s.by) }

func (s strengths) Independent(x, _ int, given []int) (independence.Result, error) {
	if len(given) == 2 {
		s.two[x] = slices.Clone(given)
	}
	return independence.Result{Statistic: s.by[x][min(len(given), 1)]}, nil
}

// The strongest conditions are those with the largest minimum over all tests so far (Runge 2020, algorithm 1): that of column 1 is 3, although
// it is 10 given another column.
func TestConditionsByLeastDependence(t *testing.T) {
	s := strengths{[][2]float64{1: {3, 10}, 2: {9, 5}, 3: {8, 4}, 4: {7, 6}}, map[int][]int{}}
	must.Get(lagged(context.Background(), s, 0, []int{1, 2, 3, 4}, 0.05))
	for x, want := range map[int][]int{1: {4, 2}, 2: {4, 3}, 3: {4, 2}, 4: {2, 3}} {
		if !slices.Equal(s.two[x], want) {
			t.Errorf("column %d was tested given %v, want %v", x, s.two[x], want)
		}
	}
}

// The conditions of past values are those of the present, shifted in time as far as the table has them: a(t-1), the cause of b, becomes
// a(t-2) for b(t-1).
func TestConditionsOfThePast(t *testing.T) {
	columns := []string{"a", "b", "a(t-1)", "b(t-1)", "a(t-2)", "b(t-2)"}
	g := graph.New(6)
	for _, e := range []graph.Edge{{From: 2, To: 1}, {From: 4, To: 3}} {
		g.AddEdge(e.From, e.To)
	}
	known := must.Get(knowledge.Spec{Inputs: columns[2:]}.Resolve(columns))
	p := must.Get(selectPast(t.Context(), &method.Input{Moments: &dataset.Moments{Names: columns}, Knowledge: known, Threads: 1}, oracle{g, 6}, 0.5))
	must.Same(t, fmt.Sprint(p.conditions), "[[] [2] [] [4] [] []]", "conditions")
}
