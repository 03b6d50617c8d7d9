package knowledge

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
)

// A draw is random knowledge by index and the equivalent Spec.
type draw struct {
	required map[graph.Edge]bool
	explicit map[graph.Edge]bool
	tier     []int
	spec     Spec
	names    []string
}

func newDraw(rng *rand.Rand, d int) draw {
	w := draw{required: map[graph.Edge]bool{}, explicit: map[graph.Edge]bool{}, tier: make([]int, d)}
	for i := range d {
		w.names = append(w.names, fmt.Sprint("v", i))
	}
	tiers := rng.IntN(4)
	w.spec.Tiers = make([][]string, tiers)
	for i := range d {
		w.tier[i] = rng.IntN(tiers+1) - 1
		if w.tier[i] >= 0 {
			w.spec.Tiers[w.tier[i]] = append(w.spec.Tiers[w.tier[i]], w.names[i])
		}
	}
	order := rng.Perm(d)
	for a := range d {
		for b := range d {
			i, j := order[a], order[b]
			e := graph.Edge{From: i, To: j}
			text := w.names[i] + "->" + w.names[j]
			switch n := rng.IntN(10); {
			case i == j:
			case n < 2 && a < b && !w.backward(i, j):
				w.required[e] = true
				w.spec.Require = append(w.spec.Require, text)
			case n < 4:
				w.explicit[e] = true
				w.spec.Forbid = append(w.spec.Forbid, text)
			}
		}
	}
	return w
}

func (w draw) backward(i, j int) bool {
	return w.tier[i] >= 0 && w.tier[j] >= 0 && w.tier[i] > w.tier[j]
}

// kept reports whether a DAG satisfies the knowledge, from the drawn values only.
func (w draw) kept(g *graph.Graph) bool {
	for e := range w.required {
		if !g.HasEdge(e.From, e.To) {
			return false
		}
	}
	for _, e := range g.Edges() {
		if w.explicit[e] || w.backward(e.From, e.To) {
			return false
		}
	}
	return true
}

// TestForbiddenIsTheClosure checks that an edge is forbidden exactly if it was stated by name or by tiers, is a
// self-loop, or closes a cycle with the required edges.
func TestForbiddenIsTheClosure(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 400 {
		d := 1 + rng.IntN(9)
		w := newDraw(rng, d)
		k := mustResolve(t, w.spec, w.names...)
		mask := k.Mask()
		for i := range d {
			for j := range d {
				g := graph.New(d)
				for e := range w.required {
					g.AddEdge(e.From, e.To)
				}
				g.AddEdge(i, j)
				want := w.explicit[graph.Edge{From: i, To: j}] || w.backward(i, j) || !g.IsAcyclic()
				if got := k.Forbidden(i, j); got != want || mask[i*d+j] != want {
					t.Fatalf("%+v: Forbidden(%d, %d) = %v, mask %v, want %v", w.spec, i, j, got, mask[i*d+j], want)
				}
			}
		}
		for _, e := range k.Required() {
			if !w.required[e] {
				t.Fatalf("%+v: required %v was not asked for", w.spec, e)
			}
		}
		if len(k.Required()) != len(w.required) {
			t.Fatalf("%+v: required %v", w.spec, k.Required())
		}
	}
}

// allDAGs returns every DAG on d nodes.
func allDAGs(d int) []*graph.Graph {
	var pairs []graph.Edge
	for i := range d {
		for j := range i {
			pairs = append(pairs, graph.Edge{From: j, To: i})
		}
	}
	var all []*graph.Graph
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
			all = append(all, g)
		}
	}
	return all
}

// TestCheckAndForbiddenOverAllDAGs checks over all DAGs that Check accepts those that satisfy the knowledge,
// and that an edge is forbidden exactly if none of them has it.
func TestCheckAndForbiddenOverAllDAGs(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for d := 1; d <= 4; d++ {
		dags := allDAGs(d)
		if want := []int{1, 1, 3, 25, 543}[d]; len(dags) != want {
			t.Fatalf("%d DAGs on %d nodes, want %d", len(dags), d, want)
		}
		for range 60 {
			w := newDraw(rng, d)
			k := mustResolve(t, w.spec, w.names...)
			somewhere := map[graph.Edge]bool{}
			for _, g := range dags {
				want := w.kept(g)
				if err := k.Check(g); (err == nil) != want {
					t.Fatalf("%+v: Check(%v) = %v, want kept %v", w.spec, g.Edges(), err, want)
				}
				if want {
					for _, e := range g.Edges() {
						somewhere[e] = true
					}
				}
			}
			for i := range d {
				for j := range d {
					if got, want := k.Forbidden(i, j), !somewhere[graph.Edge{From: i, To: j}]; got != want {
						t.Fatalf("%+v: Forbidden(%d, %d) = %v, want %v", w.spec, i, j, got, want)
					}
				}
			}
		}
	}
}

func TestCheckNamesEveryFault(t *testing.T) {
	k := mustResolve(t, Spec{
		Require: []string{"a->b", "b->c", "c->d", "a->d"},
		Forbid:  []string{"*->e", "a->e"},
		Tiers:   [][]string{{"a"}, {"f"}},
	}, "a", "b", "c", "d", "e", "f")
	g, err := graph.FromEdges(6, []graph.Edge{{From: 0, To: 1}, {From: 3, To: 0}, {From: 3, To: 1}, {From: 0, To: 4}, {From: 5, To: 0}, {From: 2, To: 2}})
	must.Succeed(t, err)
	want := `a → d is required and missing
b → c is required and missing
c → d is required and missing
a → e is forbidden: forbid has "*->e", "a->e"
c → c is forbidden: it is a self-loop
d → a is forbidden: it would close a cycle with the required a → b → c → d
d → b is forbidden: it would close a cycle with the required b → c → d
f → a is forbidden: it leads from tiers[1] back to tiers[0]`
	err = k.Check(g)
	if err == nil || err.Error() != want || !errors.Is(err, ErrKnowledge) {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	if err := k.Check(graph.New(5)); err == nil || !strings.Contains(err.Error(), "5 nodes and the knowledge is about 6 columns") {
		t.Errorf("another size: %v", err)
	}
}

// TestOrientOverAllClasses checks over all classes of up to four nodes that Orient directs the edges on which
// all members that satisfy the knowledge agree, and fails exactly if there is none.
func TestOrientOverAllClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	failed, directed := 0, 0
	for d := 1; d <= 4; d++ {
		type class struct {
			pdag    *graph.PDAG
			members []*graph.Graph
		}
		var classes []*class
		byKey := map[string]*class{}
		for _, g := range allDAGs(d) {
			p := must.Get(graph.CPDAG(g))
			key := fmt.Sprint(p.DirectedEdges(), p.UndirectedEdges())
			if byKey[key] == nil {
				byKey[key] = &class{pdag: p}
				classes = append(classes, byKey[key])
			}
			byKey[key].members = append(byKey[key].members, g)
		}
		for range 40 {
			w := newDraw(rng, d)
			if rng.IntN(2) == 0 { // otherwise hardly any class of four nodes has the required edges
				w.required, w.spec.Require = nil, nil
			}
			k := mustResolve(t, w.spec, w.names...)
			for _, c := range classes {
				var kept []*graph.Graph
				for _, g := range c.members {
					if w.kept(g) {
						kept = append(kept, g)
					}
				}
				got, err := k.Orient(c.pdag)
				if len(kept) == 0 {
					failed++
					if !errors.Is(err, ErrKnowledge) || !errors.Is(err, graph.ErrNoExtension) {
						t.Fatalf("%+v: class of %v: got %v, want an error", w.spec, c.members[0].Edges(), err)
					}
					continue
				}
				if err != nil {
					t.Fatalf("%+v: class of %v: %v", w.spec, kept[0].Edges(), err)
				}
				want := graph.NewPDAG(d)
				for _, e := range kept[0].Edges() {
					want.SetDirected(e.From, e.To)
					for _, g := range kept {
						if !g.HasEdge(e.From, e.To) {
							want.SetUndirected(e.From, e.To)
						}
					}
				}
				if !got.Equal(want) {
					t.Fatalf("%+v: class of %v: directed %v, want %v", w.spec, kept[0].Edges(), got.DirectedEdges(), want.DirectedEdges())
				}
				if got.NumDirected() > c.pdag.NumDirected() {
					directed++
				}
				if again, err := k.Orient(got); err != nil || !again.Equal(got) {
					t.Fatalf("%+v: a second time: %v, %v", w.spec, again, err)
				}
			}
		}
	}
	if failed < 100 || directed < 100 {
		t.Errorf("%d failures and %d classes that gained a direction: the test says little", failed, directed)
	}
}

func TestOrientNamesTheEdges(t *testing.T) {
	k := mustResolve(t, Spec{Require: []string{"d->e"}, Forbid: []string{"a->c", "d->a", "a->d"}}, "a", "b", "c", "d", "e")
	p := graph.NewPDAG(5)
	p.SetDirected(0, 2)
	p.SetDirected(1, 2)
	p.SetUndirected(0, 3)
	want := `d → e is required and the class has no edge there: %[1]s
all DAGs of the class have a → c, which is forbidden: forbid has "a->c": %[1]s
the class joins a and d, and both directions are forbidden: forbid has "a->d"; forbid has "d->a": %[1]s`
	want = fmt.Sprintf(want, graph.ErrNoExtension)
	if _, err := k.Orient(p); err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	if _, err := k.Orient(graph.NewPDAG(4)); err == nil || !strings.Contains(err.Error(), "4 nodes") {
		t.Errorf("another size: %v", err)
	}
}

func BenchmarkMask(b *testing.B) {
	const d = 2000
	names := make([]string, d)
	for i := range names {
		names[i] = fmt.Sprintf("x%04d", i)
	}
	k := must.Get(Spec{
		Require: []string{"x0000->x0001", "x0001->x0002"}, Forbid: []string{"*->x0000"}, Tiers: [][]string{{"x0*"}, {"x1*"}},
	}.Resolve(names))
	for b.Loop() {
		k.Mask()
	}
}
