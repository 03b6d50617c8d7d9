package graph

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// cheapestCut returns the least total weight of a cut that leaves a DAG, by trying every order
// of the nodes.
func cheapestCut(g *Graph, weight func(Edge) float64) float64 {
	best := math.Inf(1)
	order := make([]int, 0, g.N())
	used := make([]bool, g.N())
	var extend func(cost float64)
	extend = func(cost float64) {
		if cost >= best {
			return
		}
		if len(order) == g.N() {
			best = cost
			return
		}
		for v := range g.N() {
			if used[v] {
				continue
			}
			more := 0.0
			for _, c := range g.Children(v) {
				if used[c] || c == v {
					more += math.Abs(weight(Edge{v, c}))
				}
			}
			used[v] = true
			order = append(order, v)
			extend(cost + more)
			order = order[:len(order)-1]
			used[v] = false
		}
	}
	extend(0)
	return best
}

// checkCut fails unless kept and cut are a correct answer: a partition of the edges, a DAG,
// cuts only on cycles of g, none that could be put back.
func checkCut(t *testing.T, g, kept *Graph, cut []Edge) {
	t.Helper()
	if !kept.IsAcyclic() {
		t.Fatal("what is kept has a cycle")
	}
	back := kept.Clone()
	for k, e := range cut {
		if k > 0 && Edge.Compare(cut[k-1], e) >= 0 {
			t.Fatalf("cut %v is not sorted", cut)
		}
		if !g.HasPath(e.To, e.From) && e.From != e.To {
			t.Fatalf("edge %v is cut but on no cycle", e)
		}
		if e.From != e.To && !kept.HasPath(e.To, e.From) {
			t.Fatalf("edge %v could be put back", e)
		}
		if !back.AddEdge(e.From, e.To) {
			t.Fatalf("edge %v is both kept and cut", e)
		}
	}
	if !back.Equal(g) {
		t.Fatal("kept and cut together are not the graph")
	}
}

func total(edges []Edge, weight func(Edge) float64) (sum float64) {
	for _, e := range edges {
		sum += math.Abs(weight(e))
	}
	return sum
}

// randomWeights returns normal weights, rounded to whole numbers if ties is set.
func randomWeights(rng *rand.Rand, n int, ties bool) func(Edge) float64 {
	w := make([]float64, n*n)
	for k := range w {
		w[k] = rng.NormFloat64()
		if ties {
			w[k] = math.Round(w[k])
		}
	}
	return func(e Edge) float64 { return w[e.From*n+e.To] }
}

func TestBreakCyclesAgainstAllOrders(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for trial := range 1500 {
		n := 2 + rng.IntN(6)
		g := randomGraph(rng, n, 0.2+0.5*rng.Float64(), trial%3 == 0)
		weight := randomWeights(rng, n, trial%5 == 0)
		kept, cut, err := BreakCycles(g, weight)
		must.Succeed(t, err)
		checkCut(t, g, kept, cut)
		want := cheapestCut(g, weight)
		if got := total(cut, weight); !(math.Abs(got-want) <= 1e-9) {
			t.Fatalf("trial %d: cut %v of weight %v, the least is %v", trial, cut, got, want)
		}
	}
}

// TestCutHeuristic compares the method for large components with the exact one on components of 8 to 12 nodes.
func TestCutHeuristic(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	const trials = 300
	optimal, worst, sumGot, sumBest := 0, 1.0, 0.0, 0.0
	tried := 0
	for trial := range trials {
		n := 8 + rng.IntN(5)
		g := randomGraph(rng, n, 0.15+0.5*rng.Float64(), false)
		weight := randomWeights(rng, n, trial%5 == 0)
		for _, nodes := range g.CyclicComponents() {
			c := must.Get(newComponent(g, nodes, weight))
			_, got := c.withoutCycles(c.cutOrder())
			_, best := c.withoutCycles(c.exactOrder())
			if got < best-1e-9 {
				t.Fatalf("trial %d: the heuristic cuts %v, the exact method %v", trial, got, best)
			}
			tried++
			sumGot += got
			sumBest += best
			if got < best+1e-9 {
				optimal++
			} else if best > 0 {
				worst = max(worst, got/best)
			}
		}
	}
	t.Logf("optimal in %d of %d components, worst ratio %.3f, ratio of sums %.4f", optimal, tried, worst, sumGot/sumBest)
	if worst > 1.6 || sumGot > 1.03*sumBest || optimal*10 < tried*7 {
		t.Errorf("optimal in %d of %d components, worst ratio %.3f, ratio of sums %.4f", optimal, tried, worst, sumGot/sumBest)
	}
}

func TestBreakCyclesLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	for _, test := range []struct {
		n int
		p float64
	}{{60, 0.5}, {200, 0.1}, {400, 0.01}} {
		g := randomGraph(rng, test.n, test.p, true)
		weight := randomWeights(rng, test.n, false)
		kept, cut, err := BreakCycles(g, weight)
		must.Succeed(t, err)
		checkCut(t, g, kept, cut)
		again, cutAgain, err := BreakCycles(g, weight)
		if err != nil || !again.Equal(kept) || !slices.Equal(cut, cutAgain) {
			t.Fatal("a second run gives another answer")
		}
	}
}

func TestBreakCyclesOfDAG(t *testing.T) {
	g := randomDAG(rand.New(rand.NewPCG(7, 4)), 20, 0.3)
	kept, cut, err := BreakCycles(g, func(Edge) float64 { return math.NaN() })
	if err != nil || len(cut) != 0 || !kept.Equal(g) || kept == g {
		t.Fatalf("cut %v, error %v", cut, err)
	}
}

func TestBreakCyclesRefuses(t *testing.T) {
	g := mustEdges(t, 4, Edge{0, 1}, Edge{1, 2}, Edge{2, 1}, Edge{2, 3}, Edge{3, 2})
	for _, w := range []float64{math.NaN(), math.Inf(-1)} {
		if _, _, err := BreakCycles(g, func(Edge) float64 { return w }); err == nil {
			t.Errorf("no error for weight %v", w)
		}
	}
}

func BenchmarkBreakCycles(b *testing.B) {
	for _, c := range []struct {
		n      int
		degree float64
	}{{14, 5}, {100, 4}, {1000, 4}, {1000, 500}, {10000, 2}} {
		rng := rand.New(rand.NewPCG(7, 5))
		g := New(c.n)
		for range int(float64(c.n) * c.degree) {
			g.AddEdge(rng.IntN(c.n), rng.IntN(c.n))
		}
		w := make(map[Edge]float64)
		for _, e := range g.Edges() {
			w[e] = rng.NormFloat64()
		}
		weight := func(e Edge) float64 { return w[e] }
		b.Run(fmt.Sprintf("n=%d/degree=%v", c.n, c.degree), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := BreakCycles(g, weight); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
