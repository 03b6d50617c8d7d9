package constraint

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/must"
)

// asked answers tests of four columns by a function.
type asked func(x, y int, given []int) (independent bool, err error)

func (a asked) Columns() int { return 4 }

func (a asked) Independent(x, y int, given []int) (independence.Result, error) {
	independent, err := a(min(x, y), max(x, y), slices.Sorted(slices.Values(given)))
	if independent {
		return independence.Result{P: 1}, err
	}
	return independence.Result{}, err
}

// A condition that is too large for the rows is reported, whichever step asks for it, and later steps do not forget it.
func TestConditionsTooLargeForTheRows(t *testing.T) {
	for size, want := range []bool{true, true, true, false} {
		test := asked(func(x, y int, given []int) (bool, error) {
			if x == 0 && y == 1 && len(given) == size {
				return false, independence.ErrRows
			}
			return false, nil
		})
		s := search(t, test, every)
		if s.Few() != want || s.Edges() != 6 {
			t.Errorf("conditions of %d columns are too large: reported %v, %d edges, want %v and 6", size, s.Few(), s.Edges(), want)
		}
		if p, err := s.FCI(context.Background(), Majority); err != nil || len(p.Skeleton()) != 6 || s.Few() != want {
			t.Errorf("conditions of %d columns are too large: reported %v after the orientation, %v", size, s.Few(), err)
		}
	}
	// 0 — 1 — 2, where a set of neighbours that may separate 0 and 2 too is asked for by some rules only.
	chain := asked(func(x, y int, given []int) (bool, error) {
		if x == 0 && y == 2 && len(given) == 1 {
			return false, independence.ErrRows
		}
		return y-x != 1 || y == 3, nil
	})
	for rule, want := range map[Colliders]bool{BySepset: false, Conservative: true, Majority: true} {
		s := search(t, chain, every)
		if out, err := s.PC(context.Background(), rule); err != nil || s.Few() != want || len(out.Graph.Edges()) != 2 {
			t.Errorf("rule %s: reported %v, %v, want %v", rule, s.Few(), err, want)
		}
	}
	boom := errors.New("boom")
	for size := range 3 {
		test := asked(func(x, y int, given []int) (bool, error) {
			if len(given) == size {
				return false, boom
			}
			return false, nil
		})
		if err := New(test, false, Settings{Alpha: 0.5, MaxGiven: -1}).Skeleton(context.Background()); !errors.Is(err, boom) {
			t.Errorf("a test given %d columns fails: %v, want its error", size, err)
		}
	}
}

// A triple is a collider if none of the separating sets has its middle, or less than half of them by majority. The sets of both ends count
// once.
func TestJudgedTriples(t *testing.T) {
	for _, c := range []struct {
		name string
		sets [][]int // that separate 0 and 2, besides the empty one
		want [3]opinion
	}{
		{"one set", nil, [3]opinion{collider, collider, collider}},
		{"1 of 2", [][]int{{1}}, [3]opinion{collider, ambiguous, ambiguous}},
		{"1 of 3", [][]int{{1}, {3}}, [3]opinion{collider, ambiguous, collider}},
		{"2 of 3", [][]int{{1}, {1, 3}}, [3]opinion{collider, ambiguous, nonCollider}},
		{"2 of 4", [][]int{{1}, {3}, {1, 3}}, [3]opinion{collider, ambiguous, ambiguous}},
		{"0 of 2", [][]int{{3}}, [3]opinion{collider, collider, collider}},
	} {
		test := asked(func(x, y int, given []int) (bool, error) {
			switch {
			case x == 0 && y == 2:
				return len(given) == 0 || slices.ContainsFunc(c.sets, func(set []int) bool { return slices.Equal(set, given) }), nil
			case x == 0 && (y == 1 || y == 3), x == 1 && y == 2:
				return false, nil
			}
			return true, nil
		})
		for k, rule := range []Colliders{BySepset, Conservative, Majority} {
			s := search(t, test, every)
			triples := []Triple{{A: 0, Mid: 1, B: 2}}
			got, err := s.judge(context.Background(), triples, rule)
			if err != nil || got[0] != c.want[k] {
				t.Errorf("%s, rule %s: %v, %v, want %v", c.name, rule, got, err, c.want[k])
			}
			s.set.MaxGiven = 0 // the empty set alone
			if got, err = s.judge(context.Background(), triples, rule); err != nil || got[0] != collider {
				t.Errorf("%s, rule %s without conditions: %v, %v, want a collider", c.name, rule, got, err)
			}
			s.set.Given = func(v int) bool { return v != 1 }
			if got, err = s.judge(context.Background(), triples, rule); err != nil || got[0] != nonCollider {
				t.Errorf("%s, rule %s, the middle is in no condition: %v, %v, want no collider", c.name, rule, got, err)
			}
		}
	}
}

// An edge is directed away from a known arrow if the triple is no collider. It stays undirected if the sets disagree or no test decided.
func TestDirectionsAfterKnowledge(t *testing.T) {
	for _, c := range []struct {
		name      string
		separates func(given []int) bool // 0 and 2
		apart     bool
		rule      Colliders
		want      string
	}{
		{"no collider", func(given []int) bool { return slices.Contains(given, 1) }, false, BySepset, "-->"},
		{"the sets disagree", func(given []int) bool { return len(given) > 0 }, false, Conservative, "---"},
		{"no test", func([]int) bool { return false }, true, BySepset, "---"},
	} {
		test := asked(func(x, y int, given []int) (bool, error) {
			switch {
			case x == 0 && y == 2:
				return c.separates(given), nil
			case x == 0 && (y == 1 || y == 3), x == 1 && y == 2:
				return false, nil
			}
			return true, nil
		})
		set := every
		set.Forbidden = func(i, j int) bool { return i == 1 && j == 0 || c.apart && (i == 0 && j == 2 || i == 2 && j == 0) }
		s := search(t, test, set)
		out := must.Get(s.PC(context.Background(), c.rule))
		if e, ok := out.Graph.Between(1, 2); !ok || e.Symbol() != c.want {
			t.Errorf("%s: the edge between 1 and 2 is %s in %v, want %s", c.name, e.Symbol(), out.Graph.Edges(), c.want)
		}
	}
}

// The last resort is a DAG along the required edges. A forbidden direction reverses an edge, or drops it if both are forbidden or the other one
// closes a cycle.
func TestLastResort(t *testing.T) {
	for _, c := range []struct {
		name      string
		required  []graph.Edge
		forbidden []graph.Edge
		want      string
	}{
		{"no knowledge", nil, nil, "[{0 1} {0 2} {1 2}]"},
		{"a forbidden direction", nil, []graph.Edge{{From: 1, To: 2}}, "[{0 1} {0 2} {2 1}]"},
		{"the other direction", nil, []graph.Edge{{From: 2, To: 1}}, "[{0 1} {0 2} {1 2}]"},
		{"both directions", nil, []graph.Edge{{From: 1, To: 2}, {From: 2, To: 1}}, "[{0 1} {0 2}]"},
		{"a cycle", []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}}, []graph.Edge{{From: 0, To: 2}}, "[{0 1} {1 2}]"},
		{"required edges", []graph.Edge{{From: 2, To: 0}, {From: 0, To: 1}}, nil, "[{0 1} {2 0} {2 1}]"},
	} {
		set := every
		set.Required = c.required
		set.Forbidden = func(i, j int) bool { return slices.Contains(c.forbidden, graph.Edge{From: i, To: j}) }
		s := New(asked(nil), false, set)
		p := graph.NewPAG(3)
		for _, e := range []graph.Edge{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 2}} {
			p.Set(e.From, e.To, graph.Circle, graph.Circle)
		}
		var got []graph.Edge
		for _, e := range s.ordered(p).Mixed().Edges() {
			if got = append(got, e.Edge); !e.Directed() {
				t.Errorf("%s: %v is not directed", c.name, e)
			}
		}
		slices.SortFunc(got, func(a, b graph.Edge) int { return 10*(a.From-b.From) + a.To - b.To })
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
	}
}

// Conditions are neighbours that may be in a condition, of columns that may. A column that may not separates nothing.
func TestColumnsOfConditions(t *testing.T) {
	test := asked(func(x, y int, given []int) (bool, error) {
		return y == 3 || x == 0 && y == 2 && slices.Contains(given, 1), nil // 0 — 1 — 2
	})
	for excluded, edges := range map[int]int{-1: 2, 0: 2, 1: 3} {
		set := every
		set.Given = func(v int) bool { return v != excluded }
		s := search(t, test, set)
		if s.Edges() != edges {
			t.Errorf("column %d is in no condition: %d edges, want %d", excluded, s.Edges(), edges)
		}
	}
	s := New(test, false, Settings{MaxGiven: 1, Given: func(v int) bool { return v != 1 }})
	s.Begin([][]int{{1, 2}, {0, 2}, {0, 1}, nil})
	for v, want := range [][]int{{2}, nil, {0}, nil} {
		if got := s.givens(v); !slices.Equal(got, want) {
			t.Errorf("conditions from the neighbours of %d: %v, want %v", v, got, want)
		}
	}
	w := independence.WorkerOf(s.test)
	for most, want := range map[int]bool{0: false, 1: true, -1: true} {
		s.set.MaxGiven = most
		if _, err := s.pValue(w, 0, 2, []int{1}); (err == nil) != want || err != nil && !errors.Is(err, independence.ErrRows) {
			t.Errorf("a condition of one column, at most %d: %v, want a test: %v", most, err, want)
		}
	}
}

// A pair that knowledge keeps apart makes no collider. Knowledge that directs both ends of a triple to its middle is a conflict if a set
// with the middle separates them.
func TestTriplesAndKnowledge(t *testing.T) {
	chain := asked(func(x, y int, given []int) (bool, error) {
		return y == 3 || x == 0 && y == 2 && slices.Contains(given, 1), nil
	})
	empty := asked(func(x, y int, given []int) (bool, error) { return y == 3 || x == 0 && y == 2, nil })
	for _, c := range []struct {
		name     string
		test     asked
		apart    bool
		collider bool
	}{{"a collider", empty, false, true}, {"no collider", chain, false, false}, {"kept apart", empty, true, false}} {
		set := every
		set.Forbidden = func(i, j int) bool { return c.apart && i+j == 2 && i != j }
		s := search(t, c.test, set)
		for name, mark := range map[string]func(*graph.PAG){
			"FCI":  s.unshielded,
			"RFCI": func(p *graph.PAG) { (&rfci{Search: s}).mark(p, Triple{A: 0, Mid: 1, B: 2}) },
		} {
			p := s.circles()
			mark(p)
			if got := p.At(0, 1) == graph.Arrow && p.At(2, 1) == graph.Arrow; got != c.collider {
				t.Errorf("%s, %s: collider %v, want %v", c.name, name, got, c.collider)
			}
		}
	}
	set := every
	set.Forbidden = func(i, j int) bool { return i == 1 } // 0 → 1 ← 2
	s := search(t, chain, set)
	out, err := s.PC(context.Background(), BySepset)
	if err != nil || !slices.Equal(out.Conflicts, []Triple{{A: 0, Mid: 1, B: 2}}) {
		t.Errorf("conflicts %v, %v, want the triple that knowledge makes a collider", out.Conflicts, err)
	}
	// The possible separators of 0 do not include 2 on 0 o-o 1 <-o 2, and do on 0 o-> 1 <-o 2.
	for at, want := range map[graph.Mark]int{graph.Circle: 1, graph.Arrow: 2} {
		p := graph.NewPAG(3)
		p.Set(0, 1, graph.Circle, at)
		p.Set(2, 1, graph.Circle, graph.Arrow)
		if got := possible(p, 0, 0); len(got) != want {
			t.Errorf("mark %v of 0 at 1: possible separators %v, want %d", at, got, want)
		}
	}
}

// MaxGiven is the largest number of columns in a condition: 0 and 3 are independent given 1 and 2 only. A limit that no condition
// reaches changes nothing.
func TestMaxGiven(t *testing.T) {
	o := independence.Oracle{Graph: graph.FromParents([][]int{nil, {0}, {0}, {1, 2}})}
	for most, want := range map[int]int{-1: 4, 0: 6, 1: 5, 2: 4, 3: 4} { // 1 and 2 are independent given 0
		if got := search(t, o, Settings{MaxGiven: most}).Edges(); got != want {
			t.Errorf("conditions of at most %d columns: %d edges, want %d", most, got, want)
		}
	}
	rng := rand.New(rand.NewPCG(8, 1))
	for range 40 {
		of, _ := hidden(rng, 7, false)
		o := noisy{of, 0.15, rng.Uint64()} // wrong answers leave edges that only larger sets remove
		var first [3]*graph.Mixed
		for k, most := range []int{-1, 7} {
			s := search(t, o, Settings{MaxGiven: most})
			pc, err := s.PC(t.Context(), Majority)
			must.Succeed(t, err)
			must.Succeed(t, s.PossibleDSep(t.Context()))
			fci := must.Get(s.FCI(t.Context(), Majority))
			got := [3]*graph.Mixed{pc.Graph, fci.Mixed(), s.circles().Mixed()}
			if k == 0 {
				first = got
			} else if !reflect.DeepEqual(got, first) {
				t.Fatalf("with a limit that no condition reaches:\n%v\n%v", got, first)
			}
		}
	}
}

// In a tie a triple is a collider only if both of its edges were, each by the set of this triple: 2 has an arrowhead at 1 because
// of 3 alone.
func TestTieBesideACollider(t *testing.T) {
	s := search(t, answers(func(x, y int, given []int) bool {
		return x == 0 && y == 2 && (slices.Equal(given, []int{1}) || slices.Equal(given, []int{3})) || x == 2 && y == 3 && len(given) == 0
	}), every)
	p := must.Get(s.FCI(t.Context(), Majority))
	if p.At(2, 1) != graph.Arrow || p.At(3, 1) != graph.Arrow || p.At(0, 1) == graph.Arrow {
		t.Errorf("%v, want arrowheads of 2 and 3 at 1, and none of 0", p.Mixed().Edges())
	}
}

// A change of either mark of an edge is reported.
func TestChangedMarks(t *testing.T) {
	for _, f := range []graph.Edge{{From: 0, To: 1}, {From: 1, To: 0}} {
		s := search(t, level(0), Settings{MaxGiven: 0, Forbidden: func(i, j int) bool { return i == f.From && j == f.To }})
		p := graph.NewPAG(3)
		p.Set(0, 1, graph.Circle, graph.Circle)
		out, err := s.Legal(p, nil)
		if err != nil || !slices.Equal(out.Changed, []graph.Edge{{From: 0, To: 1}}) {
			t.Errorf("%v is forbidden: changed %v, %v, want the edge", f, out.Changed, err)
		}
	}
}
