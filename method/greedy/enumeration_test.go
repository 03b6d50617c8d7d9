package greedy

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// dags calls f with every DAG of d nodes.
func dags(d int, f func(*graph.Graph)) {
	var pairs [][2]int
	for i := range d {
		for j := range i {
			pairs = append(pairs, [2]int{j, i})
		}
	}
	var choose func(g *graph.Graph, k int)
	choose = func(g *graph.Graph, k int) {
		if k == len(pairs) {
			if g.IsAcyclic() {
				f(g)
			}
			return
		}
		a, b := pairs[k][0], pairs[k][1]
		choose(g, k+1)
		for _, e := range [][2]int{{a, b}, {b, a}} {
			g.AddEdge(e[0], e[1])
			choose(g, k+1)
			g.RemoveEdge(e[0], e[1])
		}
	}
	choose(graph.New(d), 0)
}

func key(p *graph.PDAG) string { return fmt.Sprint(p.DirectedEdges(), p.UndirectedEdges()) }

func classOf(t *testing.T, g *graph.Graph) *graph.PDAG {
	t.Helper()
	p := must.Get(graph.CPDAG(g))
	return p
}

// changes calls f with every DAG that differs from g by one edge, by the phase that leads to it.
func changes(g *graph.Graph, f func(ph phase, h *graph.Graph)) {
	for x := range g.N() {
		for y := range g.N() {
			switch h := g.Clone(); {
			case x == y:
			case g.HasEdge(x, y):
				h.RemoveEdge(x, y)
				f(deleting, h)
				if h = h.Clone(); h.AddEdge(y, x) && h.IsAcyclic() {
					f(turning, h)
				}
			case !g.HasEdge(y, x):
				if h.AddEdge(x, y); h.IsAcyclic() {
					f(adding, h)
				}
			}
		}
	}
}

// correlations draws a table in which every column depends on the ones before it.
func correlations(rng *rand.Rand, d int) *matrix.Dense[float64] {
	const n = 60
	x := matrix.New[float64](n, d)
	r := matrix.New[float64](d, d)
	b := make([]float64, d*d)
	for i := range b {
		b[i] = rng.NormFloat64() * float64(rng.IntN(2))
	}
	for i := range n {
		for j := range d {
			v := rng.NormFloat64()
			for k := range j {
				v += b[j*d+k] * x.At(i, k)
			}
			x.Set(i, j, v)
		}
	}
	for i := range d {
		for j := range d {
			var xy, xx, yy, mx, my float64
			for k := range n {
				mx += x.At(k, i) / n
				my += x.At(k, j) / n
			}
			for k := range n {
				a, c := x.At(k, i)-mx, x.At(k, j)-my
				xy, xx, yy = xy+a*c, xx+a*a, yy+c*c
			}
			r.Set(i, j, xy/math.Sqrt(xx*yy))
			if i == j {
				r.Set(i, j, 1)
			}
		}
	}
	return r
}

func gaussianScore(t testing.TB, rng *rand.Rand, d int) *score.GaussianLocal {
	t.Helper()
	s := must.Get(score.NewGaussianLocal(correlations(rng, d), 60, math.Log(60)))
	return s
}

// TestOperatorsReachTheClassesOfOneChange compares, for every class of up to four columns and some of five, the
// classes reached by operators with those of all single-edge changes of members. It also compares the gains
// with the difference of totals.
func TestOperatorsReachTheClassesOfOneChange(t *testing.T) {
	for _, d := range []int{2, 3, 4, 5} {
		rng := rand.New(rand.NewPCG(uint64(d), 1))
		w := must.Get(newWalk(Problem{Score: gaussianScore(t, rng, d)}, Settings{}))
		w.least = math.Inf(-1) // every operator, whether it gains or not
		classes := map[string]*graph.PDAG{}
		members := map[string][]*graph.Graph{}
		dags(d, func(g *graph.Graph) {
			p := classOf(t, g)
			k := key(p)
			sum := 0
			for _, c := range k {
				sum = 31*sum + int(c)
			}
			if d == 5 && sum%4 != 1 { // about one class in four
				return
			}
			classes[k] = p
			members[k] = append(members[k], g.Clone())
		})
		checked := [3]int{}
		for k, p := range classes {
			want := [3]map[string]bool{{}, {}, {}}
			for _, g := range members[k] {
				changes(g, func(ph phase, h *graph.Graph) {
					if other := key(classOf(t, h)); other != k {
						want[ph][other] = true
					}
				})
			}
			w.class = p
			before := w.value()
			for _, ph := range []phase{adding, deleting, turning} {
				lists := make([][]operator, d)
				w.list(context.Background(), ph, lists, all(d))
				got := map[string]bool{}
				for _, op := range slices.Concat(lists...) {
					w.class, w.reached = p, map[string][]bool{}
					next := w.apply(ph, op)
					if next == nil {
						continue
					}
					got[key(next)] = true
					w.class = next
					if gain := before - w.value(); !(math.Abs(gain-op.gain) <= 1e-8) {
						t.Fatalf("%v, %v of %s: gains %v, the totals differ by %v", ph, op, k, op.gain, gain)
					}
					checked[ph]++
				}
				w.class = p
				for other := range want[ph] {
					if !got[other] {
						t.Fatalf("%v: no operator leads from %s to %s", ph, k, other)
					}
				}
				for other := range got {
					if !want[ph][other] {
						t.Fatalf("%v: an operator leads from %s to %s, and no change of one edge does", ph, k, other)
					}
				}
			}
		}
		t.Logf("%d columns: %d classes, %v operators", d, len(classes), checked)
	}
}

// TestSearchTakesTheBestStep compares the search with a plain one that compares all classes of one change by
// their totals at each step.
func TestSearchTakesTheBestStep(t *testing.T) {
	const d = 4
	members := map[string][]*graph.Graph{}
	dags(d, func(g *graph.Graph) {
		k := key(classOf(t, g))
		members[k] = append(members[k], g.Clone())
	})
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 2))
		s := gaussianScore(t, rng, d)
		w, err := newWalk(Problem{Score: s}, Settings{Turning: true})
		must.Succeed(t, err)
		now := graph.New(d)
		value := w.total(now)
		for again := true; again; {
			again = false
			for _, ph := range []phase{adding, deleting, turning} {
				for {
					best, least := (*graph.Graph)(nil), value-w.least
					for _, g := range members[key(classOf(t, now))] {
						changes(g, func(p phase, h *graph.Graph) {
							if p == ph && w.total(h) < least {
								best, least = h.Clone(), w.total(h)
							}
						})
					}
					if best == nil {
						break
					}
					now, value, again = best, least, again || ph == turning
				}
			}
		}
		found := must.Get(w.search(context.Background()))
		if !(math.Abs(found.Score-value) <= 1e-8) || key(found.Class) != key(classOf(t, now)) {
			t.Errorf("seed %d: %s with %v, step by step %s with %v", seed, key(found.Class), found.Score, key(classOf(t, now)), value)
		}
	}
}
