package mmhc

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

func randomDAG(rng *rand.Rand, d, edges int) *graph.Graph {
	order, g := rng.Perm(d), graph.New(d)
	for g.NumEdges() < edges {
		if i, j := rng.IntN(d), rng.IntN(d); i < j {
			g.AddEdge(order[i], order[j])
		}
	}
	return g
}

// TestCandidatesByOracle uses d-separation instead of data: every true edge is a candidate, and few other pairs
// are. Max-min parents and children may keep a few false ones (Peña, Nilsson, Björkegren and Tegnér 2007).
func TestCandidatesByOracle(t *testing.T) {
	more, all := 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		g := randomDAG(rng, 9, 12)
		c := &candidates{test: independence.Oracle{Graph: g}, alpha: 0.05, most: 7}
		near, whole, err := c.all(context.Background(), 2)
		if err != nil || !whole {
			t.Fatal(err)
		}
		for x := range near {
			for y := range near {
				has := slices.Contains(near[x], y)
				if g.Adjacent(x, y) && !has {
					t.Fatalf("seed %d: %d and %d are joined and no candidates of each other", seed, x, y)
				}
				if has != slices.Contains(near[y], x) {
					t.Fatalf("seed %d: %d is a candidate of %d, and not the other way round", seed, y, x)
				}
				if has {
					all++
				}
				if has && !g.Adjacent(x, y) {
					more++
				}
			}
		}
	}
	if more*50 > all {
		t.Errorf("%d of %d candidates are no neighbors", more, all)
	}
}

func TestSubsets(t *testing.T) {
	var got []string
	subsets([]int{1, 2, 3}, 2, func(set []int) bool {
		got = append(got, fmt.Sprint(set))
		return false
	})
	if want := []string{"[]", "[1]", "[2]", "[3]", "[1 2]", "[1 3]", "[2 3]"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if subsets([]int{1}, -1, func([]int) bool { return true }) {
		t.Error("there is no set of fewer than no columns")
	}
}

// TestClimbEndsAtAnOptimum changes the answer in every way that one step could: none is better. Required edges are there, forbidden ones are
// not.
func TestClimbEndsAtAnOptimum(t *testing.T) {
	const d = 7
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 2))
		r := matrix.New[float64](d, d)
		x := matrix.New[float64](d, 80)
		truth := randomDAG(rng, d, 10)
		order, err := truth.Order()
		must.Succeed(t, err)
		for i := range 80 {
			for _, v := range order {
				value := rng.NormFloat64()
				for _, p := range truth.Parents(v) {
					value += 0.8 * x.At(p, i)
				}
				x.Set(v, i, value)
			}
		}
		for i := range d {
			for j := range d {
				r.Set(i, j, corr(x.Row(i), x.Row(j)))
			}
			r.Set(i, i, 1)
		}
		s := must.Get(score.NewGaussianLocal(r, 80, math.Log(80)))
		near := make([][]int, d)
		for v := range near {
			for u := range d {
				if u != v {
					near[v] = append(near[v], u)
				}
			}
		}
		must := graph.Edge{From: order[0], To: order[d-1]}
		allowed := func(from, to int) bool {
			return !(from == order[1] && to == order[2]) && !(from == must.To && to == must.From)
		}
		c := newClimber(s.Evaluator(), near, allowed, []graph.Edge{must})
		g, whole := c.climb(context.Background(), func(float64, int) {})
		if !whole || !g.IsAcyclic() || !g.HasEdge(must.From, must.To) || g.HasEdge(order[1], order[2]) {
			t.Fatalf("seed %d: %v", seed, g.Edges())
		}
		eval := s.Evaluator()
		total := func(g *graph.Graph) (sum float64) {
			for v := range d {
				sum += eval.Score(v, g.Parents(v))
			}
			return sum
		}
		now := total(g)
		for from := range d {
			for to := range d {
				h := g.Clone()
				switch e := (graph.Edge{From: from, To: to}); {
				case from == to || e == must || !allowed(from, to):
					continue
				case h.RemoveEdge(from, to):
				case h.RemoveEdge(to, from):
					if to == must.From && from == must.To {
						continue
					}
					h.AddEdge(from, to)
				default:
					h.AddEdge(from, to)
				}
				if h.IsAcyclic() && total(h) < now-1e-6 {
					t.Errorf("seed %d: a change of %d → %d is better by %v", seed, from, to, now-total(h))
				}
			}
		}
	}
}

func corr(x, y []float64) float64 {
	var mx, my, xy, xx, yy float64
	for i := range x {
		mx += x[i] / float64(len(x))
		my += y[i] / float64(len(y))
	}
	for i := range x {
		xy, xx, yy = xy+(x[i]-mx)*(y[i]-my), xx+(x[i]-mx)*(x[i]-mx), yy+(y[i]-my)*(y[i]-my)
	}
	return xy / math.Sqrt(xx*yy)
}

// TestWeaker compares p-values, and where both underflow the statistics beyond their degrees of freedom.
func TestWeaker(t *testing.T) {
	for _, c := range []struct {
		a, b independence.Result
		want bool
	}{
		{independence.Result{P: 0.2, Statistic: 9}, independence.Result{P: 0.1, Statistic: 8}, true},
		{independence.Result{P: 0.1, Statistic: 1}, independence.Result{P: 0.2, Statistic: 2}, false},
		{independence.Result{Statistic: 2005, DF: 30}, independence.Result{Statistic: 2000, DF: 10}, true},
		{independence.Result{Statistic: 2000, DF: 10}, independence.Result{Statistic: 2005, DF: 30}, false},
	} {
		must.Same(t, weaker(c.a, c.b), c.want, c.a, c.b)
	}
}

// TestTabu takes the second best step if the best one leads to a graph that was visited.
func TestTabu(t *testing.T) {
	c := newClimber(gains{{0, 5, 1}, {4, 0, 2}, {0, 0, 0}}, [][]int{{1, 2}, {0, 2}, {0, 1}}, func(int, int) bool { return true }, nil)
	for _, want := range []graph.Edge{{From: 0, To: 1}, {From: 1, To: 0}, {From: 1, To: 2}} {
		s, _ := c.best()
		must.Same(t, s.Edge, want, "step")
		c.tabu = append(c.tabu, c.after(s))
	}
}

// gains is a score in which the edge from → to gains entry [from][to].
type gains [][]float64

func (g gains) Score(v int, parents []int) (sum float64) {
	for _, p := range parents {
		sum -= g[p][v]
	}
	return sum
}

func (gains) Additions([]float64, int, []int) {}
