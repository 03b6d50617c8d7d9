package search_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// reversalRows is the number of rows of each simulated table.
const reversalRows = 200

// linearTable returns a random DAG of d columns and the correlations of reversalRows rows of it with linear effects and Gaussian noise.
func linearTable(d int, rng *rand.Rand) (*graph.Graph, *matrix.Dense[float64]) {
	truth, perm := graph.New(d), rng.Perm(d)
	x, weight := matrix.New[float64](reversalRows, d), matrix.New[float64](d, d)
	for k, v := range perm {
		for _, p := range perm[:k] {
			if rng.Float64() < 0.6 {
				truth.AddEdge(p, v)
				weight.Set(p, v, (0.3+0.7*rng.Float64())*float64(1-2*rng.IntN(2)))
			}
		}
		for i := range x.Rows {
			sum := rng.NormFloat64()
			for _, p := range truth.Parents(v) {
				sum += weight.At(p, v) * x.At(i, p)
			}
			x.Set(i, v, sum)
		}
	}
	r := matrix.New[float64](d, d)
	for a := range d {
		for b := range d {
			var ab, aa, bb, sa, sb float64
			for i := range x.Rows {
				va, vb := x.At(i, a), x.At(i, b)
				ab, aa, bb, sa, sb = ab+va*vb, aa+va*va, bb+vb*vb, sa+va, sb+vb
			}
			n := float64(x.Rows)
			r.Set(a, b, (ab-sa*sb/n)/math.Sqrt((aa-sa*sa/n)*(bb-sb*sb/n)))
		}
		r.Set(a, a, 1)
	}
	return truth, r
}

// everyDAG calls each for all DAGs of d nodes.
func everyDAG(d int, each func(*graph.Graph)) {
	var pairs []graph.Edge
	for i := range d {
		for j := range i {
			pairs = append(pairs, graph.Edge{From: j, To: i})
		}
	}
	codes := 1
	for range pairs {
		codes *= 3
	}
	for code := range codes {
		g := graph.New(d)
		for _, e := range pairs {
			switch code % 3 {
			case 1:
				g.AddEdge(e.From, e.To)
			case 2:
				g.AddEdge(e.To, e.From)
			}
			code /= 3
		}
		if g.IsAcyclic() {
			each(g)
		}
	}
}

func total(eval search.Evaluator, g *graph.Graph) (sum float64) {
	for v := range g.N() {
		sum += eval.Score(v, g.Parents(v))
	}
	return sum
}

func gaussianScore(t *testing.T, r *matrix.Dense[float64]) search.Evaluator {
	t.Helper()
	s := must.Get(score.NewGaussianLocal(r, reversalRows, math.Log(reversalRows)))
	return s.Evaluator()
}

func every(graph.Edge) bool { return true }

// TestReversalsAgainstAllGraphs checks that the increase is never below that of the best graph with the edge
// reversed, found by enumeration, and equals it for more than 0.8 of the directed edges of the class. Covered
// edges cost nothing.
func TestReversalsAgainstAllGraphs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 14))
	edges, equal := 0, 0
	for table := range 60 {
		d := 3 + table%2
		_, r := linearTable(d, rng)
		eval := gaussianScore(t, r)
		var best *graph.Graph
		least := math.Inf(1)
		with := map[graph.Edge]float64{} // the best score of a graph that has the edge
		everyDAG(d, func(g *graph.Graph) {
			s := total(eval, g)
			if s < least-1e-9 {
				best, least = g, s
			}
			for _, e := range g.Edges() {
				if was, ok := with[e]; !ok || s < was {
					with[e] = s
				}
			}
		})
		got := must.Get(search.Reversals(t.Context(), best, eval, every))
		if shared, _ := search.Reversals(t.Context(), best, eval, every, gaussianScore(t, r), gaussianScore(t, r)); !maps.Equal(shared, got) {
			t.Errorf("table %d: %v by three goroutines, want %v", table, shared, got)
		}
		class := must.Get(graph.CPDAG(best))
		for _, e := range best.Edges() {
			want := with[graph.Edge{From: e.To, To: e.From}] - least
			switch bound, ok := got[e]; {
			case !ok:
				t.Fatalf("table %d: %v has no bound", table, e)
			case bound < want-1e-6:
				t.Errorf("table %d: reversing %v costs %v, less than the optimum %v", table, e, bound, want)
			case covered(best, e):
				if bound > 1e-6 {
					t.Errorf("table %d: reversing the covered edge %v costs %v", table, e, bound)
				}
			case class.HasDirected(e.From, e.To):
				edges++
				if bound <= want+1e-6 {
					equal++
				}
			}
		}
	}
	t.Logf("of %d edges that the class directs, the bound is the optimum for %d", edges, equal)
	if edges < 50 || float64(equal) < 0.8*float64(edges) {
		t.Errorf("the bound is the optimum for %d of %d edges, want 0.8 of them", equal, edges)
	}
}

// covered reports whether the ends of an edge have the same other parents.
func covered(g *graph.Graph, e graph.Edge) bool {
	of := slices.DeleteFunc(slices.Clone(g.Parents(e.To)), func(v int) bool { return v == e.From })
	return slices.Equal(of, g.Parents(e.From))
}

// TestReversedExpressesTheOldGraph checks that the reversed graph is a DAG with the reversed edge. Without a
// penalty it fits no worse for any correlations. A covered edge changes nothing else.
func TestReversedExpressesTheOldGraph(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 71))
	for range 40 {
		g, _ := linearTable(6, rng)
		order := must.Get(g.Order())
		_, other := linearTable(6, rng)
		s := must.Get(score.NewGaussianLocal(other, reversalRows, 1e-12))
		eval := s.Evaluator()
		for _, e := range g.Edges() {
			for _, ahead := range []bool{true, false} {
				parents := make([][]int, g.N())
				for v := range parents {
					parents[v] = g.Parents(v)
				}
				changed := search.Reversed(g, order, e, ahead)
				if changed == nil {
					t.Fatalf("%v of %v cannot be reversed", e, g.Edges())
				}
				for v, p := range changed {
					if !slices.IsSorted(p) || slices.Contains(p, v) {
						t.Fatalf("%v reversed: the parents of %d are %v", e, v, p)
					}
					parents[v] = p
				}
				h := graph.FromParents(parents)
				if !h.IsAcyclic() || !h.HasEdge(e.To, e.From) || h.HasEdge(e.From, e.To) {
					t.Fatalf("%v reversed in %v: %v", e, g.Edges(), h.Edges())
				}
				if loss := total(eval, h) - total(eval, g); loss > 1e-6 {
					t.Errorf("%v reversed in %v fits worse by %v", e, g.Edges(), loss)
				}
				if covered(g, e) && h.NumEdges() != g.NumEdges() {
					t.Errorf("the covered %v reversed in %v: %v", e, g.Edges(), h.Edges())
				}
			}
		}
	}
}

// TestReversedRefusesManyColumns checks that an edge that can be reversed only by changing more than 12 columns
// has no bound. Here x, y and all columns between them change.
func TestReversedRefusesManyColumns(t *testing.T) {
	for between, possible := range map[int]bool{10: true, 11: false} {
		g := graph.New(between + 2)
		x, y := 0, between+1
		g.AddEdge(x, y)
		for v := 1; v <= between; v++ {
			g.AddEdge(x, v)
			g.AddEdge(v, y)
		}
		order := must.Get(g.Order())
		for _, ahead := range []bool{true, false} {
			if got := search.Reversed(g, order, graph.Edge{From: x, To: y}, ahead) != nil; got != possible {
				t.Errorf("%d columns between, ahead %v: possible %v, want %v", between, ahead, got, possible)
			}
		}
	}
}
