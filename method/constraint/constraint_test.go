package constraint

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// noisy is an oracle that errs now and then, the same way each time.
type noisy struct {
	independence.Oracle
	share float64
	seed  uint64
}

func (n noisy) Independent(x, y int, given []int) (independence.Result, error) {
	r, err := n.Oracle.Independent(x, y, given)
	h := n.seed
	for _, v := range append([]int{min(x, y), max(x, y)}, slices.Sorted(slices.Values(given))...) {
		h = (h ^ uint64(v+1)) * 0x9e3779b97f4a7c15
	}
	if rand.New(rand.NewPCG(h, 1)).Float64() < n.share {
		r.P = 1 - r.P
	}
	return r, err
}

// TestPCReportsConflicts checks that findings that contradict each other are reported and not overwritten.
func TestPCReportsConflicts(t *testing.T) {
	s := search(t, answers(func(x, y int, given []int) bool { return y-x != 1 && len(given) == 0 }), every)
	out := must.Get(s.PC(context.Background(), BySepset))
	want := []Triple{{A: 0, Mid: 1, B: 2}, {A: 1, Mid: 2, B: 3}}
	if !slices.Equal(out.Conflicts, want) || out.Graph.Kind() != graph.KindPDAG {
		t.Errorf("%s %v, conflicts %v", out.Graph.Kind(), out.Graph.Edges(), out.Conflicts)
	}
	if e, _ := out.Graph.Between(1, 2); e.Symbol() != "---" {
		t.Errorf("the edge that both want is %s", e.Symbol())
	}
	if e, _ := out.Graph.Between(0, 1); e.Symbol() != "-->" {
		t.Errorf("the edge that one wants is %s", e.Symbol())
	}
}

// knowledge is a random set of required and forbidden edges along an order.
func knowledge(rng *rand.Rand, n int) (required []graph.Edge, forbidden func(i, j int) bool) {
	place := rng.Perm(n)
	must, not := map[graph.Edge]bool{}, map[graph.Edge]bool{}
	for range 1 + rng.IntN(3) {
		i, j := rng.IntN(n), rng.IntN(n)
		if place[i] < place[j] && !must[graph.Edge{From: i, To: j}] {
			must[graph.Edge{From: i, To: j}] = true
			required = append(required, graph.Edge{From: i, To: j})
		}
	}
	for range rng.IntN(2 * n) {
		if i, j := rng.IntN(n), rng.IntN(n); !must[graph.Edge{From: i, To: j}] {
			not[graph.Edge{From: i, To: j}] = true
		}
	}
	return required, func(i, j int) bool {
		return not[graph.Edge{From: i, To: j}] || must[graph.Edge{From: j, To: i}]
	}
}

// TestTestsThatErr checks that for arbitrary test results the graphs have the right kind, satisfy the
// knowledge, and do not depend on threads.
func TestTestsThatErr(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	kinds, repaired := map[graph.Kind]int{}, 0
	for k := range 600 {
		o, _ := hidden(rng, 4+rng.IntN(6), false)
		n := o.Columns()
		test := noisy{o, 0.15 * rng.Float64(), rng.Uint64()}
		var required []graph.Edge
		forbidden := func(int, int) bool { return false }
		if k%2 == 1 {
			required, forbidden = knowledge(rng, n)
		}
		run := func(threads int) (outs []*Outcome) {
			set := Settings{Alpha: 0.5, MaxGiven: 3, Threads: threads, Required: required, Forbidden: forbidden, Selection: k%3 == 0}
			for m := range 4 {
				s := New(test, true, set)
				must.Succeed(t, s.Skeleton(context.Background()))
				switch m {
				case 0:
					out := must.Get(s.PC(context.Background(), []Colliders{BySepset, Conservative, Majority}[k%3]))
					outs = append(outs, out)
				case 1:
					must.Succeed(t, s.PossibleDSep(context.Background()))
					out := must.Get(s.Legal(s.FCI(context.Background(), []Colliders{BySepset, Majority}[k%2])))
					outs = append(outs, out)
				case 2:
					out := must.Get(s.Legal(s.RFCI(context.Background())))
					outs = append(outs, out)
				case 3:
					outs = append(outs, &Outcome{Graph: s.Joined(graph.KindPAG)})
				}
			}
			return outs
		}
		outs := run(1)
		for m, again := range run(3) {
			if fmt.Sprint(again.Graph.Edges(), again.Conflicts, again.Changed) != fmt.Sprint(outs[m].Graph.Edges(), outs[m].Conflicts, outs[m].Changed) {
				t.Fatalf("another graph on three threads: %v and %v", outs[m].Graph.Edges(), again.Graph.Edges())
			}
		}
		for m, out := range outs {
			kinds[out.Graph.Kind()]++
			if err := out.Graph.Check(); err != nil {
				t.Fatalf("method %d: %v: %v", m, out.Graph.Edges(), err)
			}
			if m == 1 || m == 2 {
				if len(out.Changed)+len(out.Added) > 0 {
					repaired++
				}
				if err := graph.PAGOf(out.Graph).Legal(); err != nil {
					t.Fatalf("method %d: %v: %v", m, out.Graph.Edges(), err)
				}
			}
			for _, e := range required {
				if f, ok := out.Graph.Between(e.From, e.To); !ok || !f.Directed() {
					t.Fatalf("method %d: %v is required: %v", m, e, out.Graph.Edges())
				}
			}
			for _, e := range out.Graph.Edges() {
				if m < 3 && e.Directed() && forbidden(e.From, e.To) || forbidden(e.From, e.To) && forbidden(e.To, e.From) {
					t.Fatalf("method %d: %v is forbidden: %v", m, e, out.Graph.Edges())
				}
			}
		}
	}
	if kinds[graph.KindCPDAG] == 0 || kinds[graph.KindPDAG] == 0 || repaired == 0 {
		t.Errorf("%v, repaired %d: the tests do not err enough", kinds, repaired)
	}
}

// TestResume checks that a search resumed after any level gives the same graph with the same number of tests.
func TestResume(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	o, _ := hidden(rng, 9, false)
	var states [][]byte
	set := Settings{Alpha: 0.5, MaxGiven: -1, Threads: 2, Pause: func(state func() []byte) { states = append(states, state()) }}
	whole := New(o, true, set)
	must.Succeed(t, whole.Skeleton(context.Background()))
	if len(states) < 3 {
		t.Fatalf("%d states", len(states))
	}
	tests := whole.Tests()
	set.Pause = nil
	for _, state := range states {
		s := New(o, true, set)
		must.Succeed(t, s.Resume(state))
		must.Succeed(t, s.Skeleton(context.Background()))
		if s.Tests() != tests || !s.circles().Equal(whole.circles()) {
			t.Errorf("%d tests, %d without a break", s.Tests(), tests)
		}
	}
}

// stopper ends a context after some tests.
type stopper struct {
	independence.Test
	left   int
	cancel func()
}

func (s *stopper) Independent(x, y int, given []int) (independence.Result, error) {
	if s.left--; s.left < 0 {
		s.cancel()
	}
	return s.Test.Independent(x, y, given)
}

// TestStopped checks that a stopped search has the edges left by the completed levels.
func TestStopped(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	o, _ := hidden(rng, 9, false)
	for _, after := range []int{0, 20, 40} {
		ctx, cancel := context.WithCancel(context.Background())
		s := New(&stopper{o, after, cancel}, false, Settings{Alpha: 0.5, MaxGiven: -1, Threads: 1})
		if err := s.Skeleton(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d tests: %v", after, err)
		}
		g := s.Joined(graph.KindCPDAG)
		if g.Kind() != graph.KindPDAG || g.Check() != nil || after < 36 && g.NumEdges() > 0 || after > 36 && g.NumEdges() == 0 {
			t.Errorf("after %d tests: %s %v", after, g.Kind(), g.Edges())
		}
	}
}

// TestSubsets checks that subsets come in lexicographic order, each once.
func TestSubsets(t *testing.T) {
	var got []string
	subsets([]int{2, 5, 7, 9}, 2, func(set []int) bool {
		got = append(got, fmt.Sprint(set))
		return true
	})
	if want := []string{"[2 5]", "[2 7]", "[2 9]", "[5 7]", "[5 9]", "[7 9]"}; !slices.Equal(got, want) {
		t.Error(got)
	}
	for size, want := range map[int]int{0: 1, 3: 1, 4: 0} {
		n := 0
		subsets([]int{1, 2, 3}, size, func([]int) bool { n++; return true })
		if n != want {
			t.Errorf("%d subsets of size %d, want %d", n, size, want)
		}
	}
}

// plainSkeleton is a slow reference for Skeleton: one pair after the other, given every subset of the neighbors
// at the start of the level.
func plainSkeleton(t *testing.T, test independence.Test, alpha float64) map[graph.Edge]bool {
	d := test.Columns()
	joined := map[graph.Edge]bool{}
	for y := range d {
		for x := range y {
			joined[graph.Edge{From: x, To: y}] = true
		}
	}
	for size, more := 0, true; more; size++ {
		more = false
		before := map[graph.Edge]bool{}
		for e := range joined {
			before[e] = true
		}
		for e := range before {
			for _, end := range []int{e.From, e.To} {
				var near []int
				for v := range d {
					if v != e.From && v != e.To && before[pair(v, end)] {
						near = append(near, v)
					}
				}
				for bits := range 1 << len(near) {
					var set []int
					for k, v := range near {
						if bits>>k&1 == 1 {
							set = append(set, v)
						}
					}
					if len(set) != size {
						continue
					}
					more = true
					r := must.Get(test.Independent(e.From, e.To, set))
					if r.P > alpha {
						delete(joined, e)
					}
				}
			}
		}
	}
	return joined
}

func TestSkeletonAgainstPlainLoop(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 40 {
		d, n := 4+rng.IntN(6), 100
		g := dag(rng, d, 0.4)
		order, _ := g.Order()
		x := matrix.New[float64](n, d)
		for i := range n {
			for _, v := range order {
				sum := rng.NormFloat64()
				for _, p := range g.Parents(v) {
					sum += x.At(i, p)
				}
				x.Set(i, v, sum)
			}
		}
		test := must.Get(independence.NewFisherZ(correlations(x), n))
		s := New(test, false, Settings{Alpha: 0.01, MaxGiven: -1, Threads: 2})
		must.Succeed(t, s.Skeleton(context.Background()))
		want := plainSkeleton(t, test, 0.01)
		if s.Edges() != len(want) {
			t.Fatalf("%d edges, by a plain loop %d", s.Edges(), len(want))
		}
		for e := range want {
			if !s.adjacent(e.From, e.To) {
				t.Fatalf("the edge %v is missing", e)
			}
		}
	}
}

func correlations(x *matrix.Dense[float64]) *matrix.Dense[float64] {
	d := x.Cols
	mean, s := make([]float64, d), matrix.New[float64](d, d)
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			mean[j] += v / float64(x.Rows)
		}
	}
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			for k, w := range x.Row(i) {
				s.Set(j, k, s.At(j, k)+(v-mean[j])*(w-mean[k]))
			}
		}
	}
	r := matrix.New[float64](d, d)
	for j := range d {
		for k := range d {
			r.Set(j, k, s.At(j, k)/(math.Sqrt(s.At(j, j))*math.Sqrt(s.At(k, k))))
		}
	}
	return r
}
