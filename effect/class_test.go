package effect

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/tabletest"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// equivalents lists every DAG of the class of g that has the given edges, by turning its edges in all ways.
func equivalents(t *testing.T, g *graph.Graph, fixed []graph.Edge) (out []*graph.Graph) {
	edges := g.Edges()
	for set := range 1 << len(edges) {
		h := graph.New(g.N())
		for k, e := range edges {
			if set>>k&1 == 1 {
				e.From, e.To = e.To, e.From
			}
			h.AddEdge(e.From, e.To)
		}
		if !h.IsAcyclic() || slices.ContainsFunc(fixed, func(e graph.Edge) bool { return !h.HasEdge(e.From, e.To) }) {
			continue
		}
		same := must.Get(graph.MarkovEquivalent(g, h))
		if same {
			out = append(out, h)
		}
	}
	return out
}

// resultOf returns a linear result in which the directions that all given graphs share are compelled.
func resultOf(g *graph.Graph, class []*graph.Graph) *polydag.Result {
	res := &polydag.Result{Names: letters(g.N()), Kind: graph.KindDAG, Graph: g, Marked: g.Mixed(), Model: score.LinearEffects}
	for _, e := range g.Edges() {
		all := !slices.ContainsFunc(class, func(h *graph.Graph) bool { return !h.HasEdge(e.From, e.To) })
		res.Edges = append(res.Edges, polydag.Edge{Link: e.Named(res.Names), Mark: "-->", EdgeFacts: polydag.EdgeFacts{Compelled: all}})
	}
	return res
}

// TestClassAgainstEnumeration compares the effects over a class with those of all its members, found by
// enumeration, with and without knowledge.
func TestClassAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	several, known := 0, 0
	for trial := range 150 {
		d := 3 + rng.IntN(3)
		g := randomDAG(rng, d, 0.6)
		x := tabletest.Normals(uint64(trial), 40, d)
		m := must.Get(dataset.MomentsOf(letters(d), x, 1))
		pool, _ := dataset.NewPool(m, nil)
		s := &source{model: score.LinearEffects, moments: m, pool: pool}
		var fixed []graph.Edge
		if edges := g.Edges(); len(edges) > 0 && trial%2 == 1 {
			fixed = edges[:1]
			known++
		}
		all := equivalents(t, g, fixed)
		res := resultOf(g, all)
		for a := range d {
			_, class, err := members(res, a, nil)
			must.Succeed(t, err)
			if len(class) > 1 {
				several++
			}
			sets := func(list [][]int) []string {
				var out []string
				for _, p := range list {
					out = append(out, fmt.Sprint(p))
				}
				slices.Sort(out)
				return slices.Compact(out)
			}
			var got, want [][]int
			for _, c := range class {
				got = append(got, c.parents)
			}
			for _, h := range all {
				want = append(want, h.Parents(a))
			}
			if g, w := sets(got), sets(want); !slices.Equal(g, w) {
				t.Fatalf("trial %d, column %d: sets of causes %v, want %v", trial, a, g, w)
			}
			for b := range d {
				if b == a {
					continue
				}
				q := &study{a: a, b: b, x1: 1, shown: newOutcomes(nil, nil)}
				for _, h := range all { // each member has the effect of the one with its causes
					f := must.Get(q.of(s, h))
					k := slices.IndexFunc(class, func(c member) bool { return slices.Equal(c.parents, h.Parents(a)) })
					e := must.Get(q.of(s, class[k].dag))
					near(t, "effect", e.total[0], f.total[0], 1e-9)
					// It is also the slope with the causes fixed.
					if !slices.Contains(h.Parents(a), b) {
						slope, _, _, ok := partial(m, b, a, h.Parents(a))
						if complete(h) && ok { // a complete graph fits every table
							near(t, "slope", f.total[0], slope, 1e-9)
						}
					}
				}
			}
		}
	}
	if several < 50 || known < 20 {
		t.Errorf("%d classes with several sets of causes, %d with knowledge: the test looks at too little", several, known)
	}
}

func complete(g *graph.Graph) bool { return g.NumEdges() == g.N()*(g.N()-1)/2 }

// TestOpenDirectionIsARange checks that the effect is reported as a range that includes zero for the opposite
// direction.
func TestOpenDirectionIsARange(t *testing.T) {
	g, _ := graph.FromEdges(3, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}})
	table := tableOf(t, letters(3), nil, chain(2000))
	res := known(t, table, g, score.LinearEffects)
	for k := range res.Edges {
		res.Edges[k].Compelled = false
	}
	a := ask(t, res, nil, "x1", "x2", nil)
	if a.Identification != Open || a.Class == nil || len(a.Class.Members) != 3 || a.Class.LeastAbsolute[0] != 0 || !(a.Class.High[0] > 0.5) {
		t.Fatalf("%s: %+v", a.Identification, a.Class)
	}
	total := a.Effects[0].Total
	if *total.Low > 0 || *total.High < a.Class.High[0] {
		t.Errorf("the interval [%v, %v] does not hold the range %v to %v", *total.Low, *total.High, a.Class.Low[0], a.Class.High[0])
	}
	var b strings.Builder
	if err := a.WriteText(&b); err != nil || !strings.Contains(b.String(), "Edges of x1 that can be reversed with an equal score: x0, x2") {
		t.Errorf("%v\n%s", err, b.String())
	}
	// A class as the result itself, of kind CPDAG: the table is needed, and the same is said.
	class := *res
	class.Kind = graph.KindCPDAG
	class.Marked = graph.NewMixed(graph.KindCPDAG, 3)
	class.Edges = nil
	for _, e := range g.Edges() {
		class.Marked.Set(graph.MarkedEdge{Edge: e, AtFrom: graph.Tail, AtTo: graph.Tail})
		class.Edges = append(class.Edges, polydag.Edge{Link: e.Named(res.Names), Mark: "---"})
	}
	class.Graph = class.Marked.Directed()
	if _, err := Ask(context.Background(), &class, nil, NewQuestion("x1", "x2")); !errors.Is(err, ErrNeedsTable) {
		t.Errorf("a class without a table: %v", err)
	}
	c := ask(t, &class, table, "x1", "x2", nil)
	if c.Identification != Open {
		t.Fatalf("a class: %s", c.Identification)
	}
	near(t, "high", c.Class.High[0], a.Class.High[0], 1e-9)
	near(t, "low", c.Class.Low[0], 0, 0)
}

// TestRefusals checks the errors for effects that are not identified.
func TestRefusals(t *testing.T) {
	g, _ := graph.FromEdges(3, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}})
	table := tableOf(t, letters(3), nil, chain(100))
	res := known(t, table, g, score.LinearEffects)
	discrete := *res
	discrete.Model = score.TableEffects
	question := func(change func(*Question)) Question {
		q := NewQuestion("x0", "x2")
		change(&q)
		return q
	}
	for _, c := range []struct {
		name  string
		res   *polydag.Result
		table *polydag.Table
		q     Question
		err   error
		says  string
	}{
		{"itself", res, table, NewQuestion("x0", "x0"), ErrQuestion, `"x0" is both the cause and the outcome; name two different columns`},
		{"equal values", res, table, question(func(q *Question) { q.Start, q.End = "1", "1.0" }), ErrQuestion, "both values to compare are 1; give two different values"},
		{"no name", res, table, NewQuestion("x9", "x2"), ErrQuestion, `no column "x9"`},
		{"no table", &discrete, nil, NewQuestion("x0", "x2"), ErrNeedsTable, "rows"},
		{"other table", res, tableOf(t, []string{"a", "b", "c"}, nil, chain(100)), NewQuestion("x0", "x2"), ErrOtherTable, "a, b, c"},
		{"one value", res, table, question(func(q *Question) { q.Start = "1" }), ErrQuestion, "two values"},
		{"no number", res, table, question(func(q *Question) { q.Do = []string{"much"} }), ErrQuestion, "want a number"},
		{"row beyond", res, table, question(func(q *Question) { q.Row, q.Do, q.GivenGraph = 101, []string{"1"}, true }), ErrQuestion, "row 101 is not in the table; give a row from 1 to 100"},
		{"row without a table", res, nil, question(func(q *Question) { q.Row, q.Do = 1, []string{"1"} }), ErrNeedsTable, "row"},
		{"row without do", res, table, question(func(q *Question) { q.Row = 1 }), ErrQuestion, `a row needs a value of "x0" under the intervention; give one with the setting do`},
		{"level", res, table, question(func(q *Question) { q.Level = 1 }), ErrQuestion, "level"},
	} {
		_, err := Ask(context.Background(), c.res, c.table, c.q)
		if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v that says %q", c.name, err, c.err, c.says)
		}
	}
	// Without a path the effect is zero, with a reason.
	a := ask(t, res, table, "x2", "x0", nil)
	if a.Identification != None || a.Effects[0].Total.Value != 0 || !strings.HasSuffix(a.Reason, "no directed path from x2 to x0, but one from x0 to x2") || !slices.Contains(a.Notes, "the learned graph has no directed path from x2 to x0, so there is no E-value or robustness value") {
		t.Errorf("%s, %v: %s", a.Identification, a.Effects[0].Total.Value, a.Reason)
	}
}

// chain is x0 → x1 → x2 with weights 1.
func chain(n int) (x *dense) {
	rng := rand.New(rand.NewPCG(uint64(n), 9))
	x = newDense(n, 3)
	for i := range n {
		sum := 0.0
		for j := range 3 {
			sum += rng.NormFloat64()
			x.Set(i, j, sum)
		}
	}
	return x
}

// Ten undirected edges to neighbours that are all adjacent have 1024 sets, which are all tried; eleven are refused.
func TestCliquesAreBounded(t *testing.T) {
	for neighbours, want := range map[int]int{3: 8, 10: 1024, 11: -1} {
		class, open := graph.NewPDAG(neighbours+1), []int{}
		for i := range neighbours + 1 {
			for j := range i {
				class.SetUndirected(i, j)
			}
			if i > 0 {
				open = append(open, i)
			}
		}
		sets := 0
		err := cliques(class, 0, open, func([]int) error { sets++; return nil })
		if want < 0 && !errors.Is(err, ErrTooWide) || want >= 0 && (err != nil || sets != want) {
			t.Errorf("%d neighbours: %d sets, %v", neighbours, sets, err)
		}
	}
}

// TestTurnedMembers checks that under curves the undecided edges at a column are reversed in all acyclic ways, and the decided ones stay.
func TestTurnedMembers(t *testing.T) {
	g := must.Get(graph.FromEdges(4, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 0, To: 2}, {From: 3, To: 1}}))
	res := &polydag.Result{Names: letters(4), Kind: graph.KindDAG, Graph: g, Marked: g.Mixed(), Model: score.SmoothEffects}
	for _, e := range g.Edges() {
		res.Edges = append(res.Edges, polydag.Edge{Link: e.Named(res.Names), Mark: "-->", EdgeFacts: polydag.EdgeFacts{Compelled: e.From == 3}})
	}
	open, class, err := members(res, 1, nil)
	if err != nil || !slices.Equal(open, []int{0, 2}) {
		t.Fatalf("open %v, %v; want 0 and 2", open, err)
	}
	var sets []string
	for _, m := range class {
		sets = append(sets, fmt.Sprint(m.parents))
	}
	// Both reversed would close the cycle 0 → 2 → 1 → 0.
	if want := []string{"[0 3]", "[3]", "[0 2 3]"}; !slices.Equal(sets, want) {
		t.Errorf("sets of parents %v, want %v", sets, want)
	}
}

// TestTurnedMembersLimit checks that 10 open edges give 1024 members with different parents, and that 11 open edges are refused.
func TestTurnedMembersLimit(t *testing.T) {
	star := func(n int) *polydag.Result {
		res := &polydag.Result{Model: score.SmoothEffects, Names: []string{"a"}, Graph: graph.New(n + 1)}
		for v := 1; v <= n; v++ {
			res.Names = append(res.Names, fmt.Sprint("x", v))
			res.Graph.AddEdge(0, v)
			res.Edges = append(res.Edges, polydag.Edge{Link: polydag.Link{From: "a", To: res.Names[v]}})
		}
		return res
	}
	open, list, err := members(star(10), 0, nil)
	sets := map[string]bool{}
	for _, m := range list {
		sets[fmt.Sprint(m.parents)] = true
	}
	if err != nil || len(open) != 10 || len(list) != 1024 || len(sets) != 1024 {
		t.Errorf("%d members, %d sets of parents: %v", len(list), len(sets), err)
	}
	if _, _, err := members(star(11), 0, nil); !errors.Is(err, ErrTooWide) {
		t.Errorf("11 open edges: %v", err)
	}
}

// TestFixedNeighbors checks that undirected edges at the column that no graph of the class reverses are listed, in either notation.
func TestFixedNeighbors(t *testing.T) {
	edge := func(from, to string, verdict trust.Verdict) polydag.Edge {
		return polydag.Edge{Link: polydag.Link{From: from, To: to}, Judgement: trust.Judgement{Verdict: verdict}}
	}
	res := &polydag.Result{Names: []string{"x", "y", "u"}, Edges: []polydag.Edge{
		edge("x", "a", trust.Undirected), edge("b", "x", trust.Undirected), edge("x", "c", trust.Directed), edge("d", "x", trust.Weak), edge("e", "f", trust.Undirected), edge("u", "x", trust.Undirected),
	}}
	g := graph.FromParents([][]int{nil, {0}, nil})
	k := &asked{Question: NewQuestion("x", "y"), res: res, open: []int{2}, class: []member{{dag: g}, {parents: []int{2}, dag: g}}, answer: &Answer{}}
	k.study.b = 1
	k.extent = ends{&figures{total: []float64{-2, 1}}, &figures{total: []float64{1, 3}}}
	k.identify([]*figures{{total: []float64{1, 1}}, {total: []float64{-2, 3}}})
	c := k.answer.Class
	if c == nil || !slices.Equal(c.Neighbors, []string{"u"}) || !slices.Equal(c.Fixed, []string{"a", "b"}) || !slices.Equal(c.LeastAbsolute, []float64{1, 1}) || len(c.Members) != 2 || !slices.Equal(c.Members[1].Parents, []string{"u"}) {
		t.Errorf("%+v, want the neighbour u, the fixed a and b, and smallest absolute effects of 1", c)
	}
}
