package describe

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// noise draws independent columns.
func noise(n, d int) *matrix.Dense[float64] {
	rng := rand.New(rand.NewPCG(7, 8))
	x := matrix.New[float64](n, d)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	return x
}

// environments returns an observational environment and one with targets, with the same number of rows.
func environments(t *testing.T, columns int, targets ...int) *dataset.Environments {
	t.Helper()
	r := &dataset.Environments{Names: []string{"none", "changed"}, Targets: [][]int{nil, targets}}
	for range r.Names {
		m := must.Get(dataset.MomentsOf([]string{"a", "b", "c", "d"}[:columns], noise(20, columns), 1))
		r.Moments = append(r.Moments, m)
	}
	return r
}

// reasonsOf lists the reasons for the direction of each edge.
func reasonsOf(t *testing.T, a *Answer) map[graph.Edge]string {
	t.Helper()
	c := must.Get(a.compelled())
	out := map[graph.Edge]string{}
	for _, e := range a.Graph.Edges() {
		text := ""
		for _, r := range []struct {
			name string
			is   bool
		}{{"compelled ", c.compelled(e.Edge)}, {"known ", c.known(e.Edge)}, {"derived ", c.derived(e.Edge)}} {
			if r.is {
				text += r.name
			}
		}
		out[e.Edge] = text
	}
	return out
}

// TestReasonsForDirections compares the reasons with those that follow from the class of a chain and of a collider.
func TestReasonsForDirections(t *testing.T) {
	ab, ac, bc := graph.Edge{From: 0, To: 1}, graph.Edge{From: 0, To: 2}, graph.Edge{From: 1, To: 2}
	chain, collider := []graph.Edge{ab, bc}, []graph.Edge{ac, bc}
	fact := func(d method.Direction) method.Answer {
		return method.Answer{Edges: []method.EdgeRecord{{Edge: bc, Direction: d}}}
	}
	requireAB := known(t, knowledge.Spec{Require: []string{"a->b"}}, 3)
	for _, c := range []struct {
		name   string
		edges  []graph.Edge
		answer method.Answer
		data   Data
		want   map[graph.Edge]string
	}{
		{"a chain", chain, method.Answer{}, Data{}, map[graph.Edge]string{ab: "", bc: ""}},
		{"a collider", collider, method.Answer{}, Data{}, map[graph.Edge]string{ac: "compelled ", bc: "compelled "}},
		{"a collider whose noise leaves a direction open", collider, fact(method.DirectionOpen), Data{}, map[graph.Edge]string{ac: "compelled ", bc: "compelled "}},
		{"a chain with an intervention on its end", chain, method.Answer{}, Data{Environments: environments(t, 3, 2)}, map[graph.Edge]string{ab: "", bc: "compelled "}},
		{"a chain with a settled direction", chain, fact(method.DirectionSettled), Data{Environments: environments(t, 3, 2)}, map[graph.Edge]string{ab: "", bc: "compelled "}},
		{"a chain with an intervention of too few rows", chain, fact(method.DirectionOpen), Data{Environments: environments(t, 3, 2)}, map[graph.Edge]string{ab: "", bc: ""}},
		{"a chain with its first edge required", chain, method.Answer{}, Data{Known: requireAB, Informed: true}, map[graph.Edge]string{ab: "compelled known ", bc: "compelled derived "}},
		{"a chain with its last edge required", chain, method.Answer{}, Data{Known: known(t, knowledge.Spec{Require: []string{"b->c"}}, 3), Informed: true},
			map[graph.Edge]string{ab: "", bc: "compelled known "}},
		{"a chain with knowledge that is not used", chain, method.Answer{}, Data{Known: requireAB}, map[graph.Edge]string{ab: "", bc: ""}},
		{"a chain with knowledge and an intervention on its end", chain, method.Answer{}, Data{Known: requireAB, Informed: true, Environments: environments(t, 3, 2)},
			map[graph.Edge]string{ab: "compelled known ", bc: "compelled "}},
		{"a collider with an edge whose reverse is forbidden", collider, method.Answer{}, Data{Known: known(t, knowledge.Spec{Forbid: []string{"c->a"}}, 3), Informed: true},
			map[graph.Edge]string{ac: "compelled known ", bc: "compelled "}},
	} {
		got := reasonsOf(t, answerOf(t, noise(40, 3), c.edges, c.answer, c.data))
		for e, want := range c.want {
			if got[e] != want {
				t.Errorf("%s: %v is %q, want %q", c.name, e, got[e], want)
			}
		}
	}
}

// TestReasonsByKind checks that the directed edges of an equivalence class are compelled, and those of other graphs with more than
// directed edges are not.
func TestReasonsByKind(t *testing.T) {
	for kind, want := range map[graph.Kind]string{graph.KindCPDAG: "compelled ", graph.KindPAG: "compelled ", graph.KindPDAG: "", graph.KindAverage: ""} {
		m := graph.NewMixed(kind, 3)
		e := graph.Edge{From: 0, To: 1}
		m.Set(graph.MarkedEdge{Edge: e, AtFrom: graph.Tail, AtTo: graph.Arrow})
		a := answerWith(t, noise(40, 3), m, []int{0, 1, 2}, method.Answer{}, Data{Known: known(t, knowledge.Spec{Require: []string{"a->b"}}, 3), Informed: true})
		must.Same(t, reasonsOf(t, a)[e], want, kind)
	}
}

// TestContradictedDirections checks the errors for graphs without a class and for knowledge that contradicts the graph.
func TestContradictedDirections(t *testing.T) {
	ab, ba, ac, bc := graph.Edge{From: 0, To: 1}, graph.Edge{From: 1, To: 0}, graph.Edge{From: 0, To: 2}, graph.Edge{From: 1, To: 2}
	cycle := graph.NewMixed(graph.KindDAG, 3)
	for _, e := range []graph.Edge{ab, bc, {From: 2, To: 0}} {
		cycle.Set(graph.MarkedEdge{Edge: e, AtFrom: graph.Tail, AtTo: graph.Arrow})
	}
	against := Data{Known: known(t, knowledge.Spec{Forbid: []string{"b->a", "a->c"}}, 3), Informed: true}
	withEnvironments := against
	withEnvironments.Environments = environments(t, 3, 0)
	for name, a := range map[string]*Answer{
		"a cycle":                            answerWith(t, noise(40, 3), cycle, []int{0, 1, 2}, method.Answer{}, Data{}),
		"knowledge against a compelled edge": answerOf(t, noise(40, 3), []graph.Edge{ac, bc}, method.Answer{}, against),
		"knowledge against an edge that an environment compels": answerOf(t, noise(40, 3), []graph.Edge{ba}, method.Answer{}, withEnvironments),
	} {
		if _, err := a.compelled(); err == nil {
			t.Errorf("%s has reasons for its directions, want an error", name)
		}
		if _, err := a.Edges(false); err == nil {
			t.Errorf("%s has a description of its edges, want an error", name)
		}
	}
}

// TestExtension checks that the DAG of a class is a member of it, that the DAG of another graph points along the canonical order, and
// that neither depends on the order of the columns.
func TestExtension(t *testing.T) {
	line := func(i, j int) graph.MarkedEdge {
		return graph.MarkedEdge{Edge: graph.Edge{From: i, To: j}, AtFrom: graph.Tail, AtTo: graph.Tail}
	}
	collider := graph.NewMixed(graph.KindCPDAG, 4) // d → c ← a and a — b
	for _, from := range []int{0, 3} {
		collider.Set(graph.MarkedEdge{Edge: graph.Edge{From: from, To: 2}, AtFrom: graph.Tail, AtTo: graph.Arrow})
	}
	collider.Set(line(0, 1))
	square := graph.NewMixed(graph.KindPDAG, 4) // no DAG without a collider has these adjacencies
	for _, e := range [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}} {
		square.Set(line(e[0], e[1]))
	}
	circles := graph.NewMixed(graph.KindPAG, 4)
	circles.Set(graph.MarkedEdge{Edge: graph.Edge{From: 0, To: 1}, AtFrom: graph.Circle, AtTo: graph.Circle})
	circles.Set(graph.MarkedEdge{Edge: graph.Edge{From: 1, To: 3}, AtFrom: graph.Circle, AtTo: graph.Arrow}) // against the canonical order
	order := []int{2, 0, 3, 1}
	place := []int{1, 3, 0, 2}
	shift := []int{3, 0, 1, 2} // the new place of each column
	for name, m := range map[string]*graph.Mixed{"a class": collider, "a square": square, "a PAG": circles} {
		g := answerWith(t, noise(20, 4), m, order, method.Answer{}, Data{}).extension()
		if g.NumEdges() != m.NumEdges() {
			t.Errorf("%s: %d edges, want %d", name, g.NumEdges(), m.NumEdges())
		}
		for _, e := range g.Edges() {
			if _, ok := m.Between(e.From, e.To); !ok {
				t.Errorf("%s: %v joins columns that are not adjacent", name, e)
			}
			if m != collider && place[e.From] > place[e.To] {
				t.Errorf("%s: %v is against the canonical order %v", name, e, order)
			}
		}
		if m == collider {
			class, err := graph.CPDAG(g)
			want, _ := m.PDAG()
			if err != nil || !class.Equal(want) {
				t.Errorf("%s: the class of its DAG %v is another one", name, g.Edges())
			}
		}
		var moved []int
		for _, j := range order {
			moved = append(moved, shift[j])
		}
		h := answerWith(t, noise(20, 4), m.Relabel(shift), moved, method.Answer{}, Data{}).extension()
		for _, e := range g.Edges() {
			if !h.HasEdge(shift[e.From], shift[e.To]) {
				t.Errorf("%s: with other columns first, %v has another direction", name, e)
			}
		}
	}
}

// TestShares compares the shares with a count: the chain a → b → c has one DAG for each column that can be its root.
func TestShares(t *testing.T) {
	g := graph.New(3)
	g.AddEdge(0, 1)
	g.AddEdge(1, 2)
	for _, c := range []struct {
		name      string
		m         *graph.Mixed
		compelled [2]bool
		want      [2]float64
	}{
		{"both open", g.Mixed(), [2]bool{}, [2]float64{1.0 / 3, 2.0 / 3}},
		{"one open", g.Mixed(), [2]bool{false, true}, [2]float64{0.5, 0.5}},
		{"none open", g.Mixed(), [2]bool{true, true}, [2]float64{0.5, 0.5}},
		{"not a DAG", g.Mixed().As(graph.KindPDAG), [2]bool{}, [2]float64{0.5, 0.5}},
	} {
		got := Shares(c.m, func(k int) bool { return c.compelled[k] })
		for k, want := range c.want {
			if math.Abs(got[k]-want) > 1e-12 {
				t.Errorf("%s: shares %v, want %v", c.name, got, c.want)
			}
		}
	}
}

// TestPriorDirections weighs the DAGs of a chain by a prior of 0.8 for a → b, which has odds of 8 against no edge and against b → a.
// With the roots a, b and c the weights are 8, 1 and 1. So b → c has 9 to 1, where 2 to 1 is the share without a prior.
func TestPriorDirections(t *testing.T) {
	ab, bc := graph.Edge{From: 0, To: 1}, graph.Edge{From: 1, To: 2}
	a := answerOf(t, noise(20, 3), []graph.Edge{ab, bc}, method.Answer{}, Data{})
	if a.priorDirections(func(int) bool { return false }) != nil {
		t.Error("log odds without priors, want nil")
	}
	a.Known = known(t, knowledge.Spec{Prior: []string{"a->b=0.8"}}, 3)
	for _, c := range []struct {
		name      string
		edge      graph.Edge
		open      bool // whether the class leaves the edges open
		compelled bool
		want      float64
	}{
		{"the edge of the prior", ab, true, false, math.Log(8)},
		{"another open edge", bc, true, false, math.Log(9 / 2.0)},
		{"another edge that is compelled", bc, true, true, 0},
		{"the edge of the prior, compelled", ab, true, true, math.Log(8)},
		{"the edge of the prior outside the open ones", ab, false, false, math.Log(8)},
		{"another edge outside the open ones", bc, false, false, 0},
	} {
		got := a.priorDirections(func(int) bool { return !c.open })(c.edge, c.compelled)
		if math.Abs(got-c.want) > 1e-4 {
			t.Errorf("%s: log odds %v, want %v", c.name, got, c.want)
		}
	}
}

// TestPriorDirectionsAreBounded checks that a prior has at most the odds of 1 - 1e-6, and that odds just below are kept.
func TestPriorDirectionsAreBounded(t *testing.T) {
	most := math.Log((1 - 1e-6) / 1e-6)
	a := answerOf(t, noise(20, 2), []graph.Edge{{From: 0, To: 1}}, method.Answer{}, Data{})
	for odds, want := range map[float64]float64{1<<19 - 1: math.Log(1<<19 - 1), 1e9: most} {
		for sign, text := range map[float64]string{1: "a->b", -1: "b->a"} {
			a.Known = known(t, knowledge.Spec{Prior: []string{fmt.Sprintf("%s=%.17g", text, odds/(odds+2))}}, 2)
			got := a.priorDirections(func(int) bool { return false })(graph.Edge{From: 0, To: 1}, false)
			if math.Abs(got-sign*want) > 1e-4 {
				t.Errorf("odds of %v for %s: log odds %v, want %v", odds, text, got, sign*want)
			}
		}
	}
}
