package constraint

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
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
		out, err := s.PC(context.Background(), c.rule)
		if err != nil {
			t.Fatal(err)
		}
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
