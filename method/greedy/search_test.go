package greedy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

func found(t *testing.T, p Problem, s Settings) *Result {
	t.Helper()
	r := must.Get(Search(context.Background(), p, s))
	return r
}

// TestListsNearTheChange compares the search, which updates the lists near a change, with one that recomputes
// all lists.
func TestListsNearTheChange(t *testing.T) {
	for seed := range uint64(12) {
		s := gaussianScore(t, rand.New(rand.NewPCG(seed, 3)), 14)
		fast := found(t, Problem{Score: s}, Settings{Turning: true, Threads: 3})
		w, err := newWalk(Problem{Score: s}, Settings{Turning: true})
		must.Succeed(t, err)
		w.all = true
		slow := must.Get(w.search(context.Background()))
		if key(fast.Class) != key(slow.Class) || fast.Score != slow.Score || fast.Steps != slow.Steps {
			t.Errorf("seed %d: %d steps to %s, with all lists made again %d to %s", seed, fast.Steps, key(fast.Class), slow.Steps, key(slow.Class))
		}
		if fast.Steps < 14 {
			t.Errorf("seed %d: %d steps show little", seed, fast.Steps)
		}
	}
}

// TestKnowledgeIsKept draws knowledge that some order satisfies and checks every answer against it.
func TestKnowledgeIsKept(t *testing.T) {
	const d = 7
	names := make([]string, d)
	for i := range names {
		names[i] = fmt.Sprint("c", i)
	}
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 4))
		s, order := gaussianScore(t, rng, d), rng.Perm(d)
		var spec knowledge.Spec
		for i, b := range order {
			for _, a := range order[:i] {
				switch rng.IntN(6) {
				case 0:
					spec.Require = append(spec.Require, names[a]+"->"+names[b])
				case 1:
					spec.Forbid = append(spec.Forbid, names[b]+"->"+names[a])
				case 2:
					spec.Forbid = append(spec.Forbid, names[b]+"->"+names[a], names[a]+"->"+names[b])
				}
			}
		}
		k := must.Get(spec.Resolve(names))
		places := rng.Perm(d)
		r := found(t, Problem{Score: s, Knowledge: Arranged(k, places)}, Settings{Turning: true})
		member := graph.New(d)
		for _, e := range r.Member.Edges() {
			member.AddEdge(places[e.From], places[e.To])
		}
		if err := k.Check(member); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if err := r.Class.Mixed().Check(); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if free := found(t, Problem{Score: s}, Settings{}); seed == 0 && key(free.Class) == key(r.Class) {
			t.Error("what is known changes nothing")
		}
	}
}

func TestDegreeIsBounded(t *testing.T) {
	s := gaussianScore(t, rand.New(rand.NewPCG(5, 5)), 12)
	most := func(r *Result) (most int) {
		for v := range r.Member.N() {
			most = max(most, len(r.Member.Parents(v))+len(r.Member.Children(v)))
		}
		return most
	}
	if free := most(found(t, Problem{Score: s}, Settings{})); free < 4 {
		t.Fatalf("without a bound the degree is %d, too little to show one", free)
	}
	if bound := most(found(t, Problem{Score: s}, Settings{Turning: true, MaxDegree: 3})); bound != 3 {
		t.Errorf("the degree is %d, want 3, the limit", bound)
	}
}

// canceling returns the score of three columns of which the first and the last are uncorrelated, but not given the second.
func canceling(t *testing.T) *score.GaussianLocal {
	t.Helper()
	s := must.Get(score.NewGaussianLocal(matrix.Of(3, 3, []float64{1, 0.6, 0, 0.6, 1, 0.5, 0, 0.5, 1}), 500, math.Log(500)))
	return s
}

// TestMarginal has a → b → c and a → c whose effects on c cancel. a and c are marginally independent, so only a
// search without Marginal makes them adjacent.
func TestMarginal(t *testing.T) {
	s := canceling(t)
	if c := found(t, Problem{Score: s}, Settings{Marginal: true}).Class; c.Adjacent(0, 2) || !c.HasDirected(0, 1) || !c.HasDirected(2, 1) {
		t.Errorf("columns that do not depend on each other are joined: %s", key(c))
	}
}

// TestStart starts at the optimum, so the search makes no step.
func TestStart(t *testing.T) {
	s := gaussianScore(t, rand.New(rand.NewPCG(6, 6)), 8)
	end := found(t, Problem{Score: s}, Settings{Turning: true})
	again := found(t, Problem{Score: s, Start: end.Member}, Settings{Turning: true})
	if again.Steps != 0 || key(again.Class) != key(end.Class) {
		t.Errorf("from the end %d steps lead to %s, want none and %s", again.Steps, key(again.Class), key(end.Class))
	}
}

// ordered is a score that is not score-equivalent.
type ordered struct{ search.Score }

func (ordered) Equivalent() bool { return false }

func TestRefused(t *testing.T) {
	s := gaussianScore(t, rand.New(rand.NewPCG(7, 7)), 4)
	if _, err := Search(context.Background(), Problem{Score: ordered{s}}, Settings{}); !errors.Is(err, ErrNotEquivalent) {
		t.Errorf("a score that differs within a class: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := Search(ctx, Problem{Score: s}, Settings{})
	if err != nil || r.Whole || r.Class.NumEdges() != 0 {
		t.Errorf("an ended context: %+v, %v", r, err)
	}
}

// TestSetsAreBounded has a column with a clique of 13 neighbors: not all of their 8192 subsets are tried.
func TestSetsAreBounded(t *testing.T) {
	const d = 14
	s := gaussianScore(t, rand.New(rand.NewPCG(8, 8)), d)
	g := graph.New(d)
	for i := range d {
		for j := range i {
			g.AddEdge(j, i)
		}
	}
	w := must.Get(newWalk(Problem{Score: s, Start: g}, Settings{}))
	if w.list(context.Background(), adding, make([][]operator, d), []int{0}); len(w.cut) != 1 {
		t.Error("more sets were tried than there is time for, or nobody says so")
	}
}

// flat is a score of two columns with a penalty of 10, in which an edge improves the total by gain.
type flat struct{ gain float64 }

func (flat) Variables() int                { return 2 }
func (flat) Price() float64                { return 10 }
func (flat) Equivalent() bool              { return true }
func (f flat) Evaluator() search.Evaluator { return f }

func (f flat) Score(_ int, parents []int) float64 { return -f.gain * float64(len(parents)) }

func (f flat) Additions(dst []float64, v int, parents []int) {
	if len(parents) == 0 {
		dst[1-v] = -f.gain
	}
}

// TestLeastGain checks that an improvement counts from a millionth of the penalty per edge.
func TestLeastGain(t *testing.T) {
	for gain, edges := range map[float64]int{1.1e-5: 1, 9e-6: 0} {
		if r := found(t, Problem{Score: flat{gain}}, Settings{}); r.Member.NumEdges() != edges {
			t.Errorf("a gain of %v: %d edges, want %d", gain, r.Member.NumEdges(), edges)
		}
	}
}

// crowded is a score of which no column supports more than one parent.
type crowded struct{ flat }

func (c crowded) Evaluator() search.Evaluator { return c }

func (c crowded) Score(v int, parents []int) float64 {
	if len(parents) > 1 {
		return math.Inf(1)
	}
	return c.flat.Score(v, parents)
}

func (c crowded) Variables() int { return 3 }

// A search does not begin at a graph with parents that the rows do not support.
func TestStartWithTooManyParents(t *testing.T) {
	for _, c := range []struct {
		parents [][]int
		valid   bool
	}{{[][]int{nil, {0}, {0}}, true}, {[][]int{nil, nil, {0, 1}}, false}} {
		_, err := newWalk(Problem{Score: crowded{flat{1}}, Start: graph.FromParents(c.parents)}, Settings{})
		if (err == nil) != c.valid {
			t.Errorf("parents %v: %v, want valid: %v", c.parents, err, c.valid)
		}
	}
}

// TestTouchedColumns adds 2 → 1 to 0 → 1 beside 1 → 3. Turning 0 → 1 depends on the parents of 1, so the lists of all columns adjacent to
// a changed one are outdated, in the first phase only those of the changed ones.
func TestTouchedColumns(t *testing.T) {
	before := graph.NewPDAG(5)
	before.SetDirected(0, 1)
	before.SetDirected(1, 3)
	after := before.Clone()
	after.SetDirected(2, 1)
	for ph, want := range map[phase]string{adding: "[1 2]", deleting: "[0 1 2 3]", turning: "[0 1 2 3]"} {
		must.Same(t, fmt.Sprint(touched(ph, before, after)), want, ph)
	}
}
