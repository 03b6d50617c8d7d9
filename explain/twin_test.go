package explain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
)

// The reference functions below follow the definitions and enumerate everything.

// allPaths returns every sequence of distinct, adjacent nodes from a to b.
func allPaths(g *graph.Graph, a, b int) [][]int {
	var out [][]int
	var grow func(path []int)
	grow = func(path []int) {
		at := path[len(path)-1]
		if at == b {
			out = append(out, slices.Clone(path))
			return
		}
		for v := range g.N() {
			if g.Adjacent(at, v) && !slices.Contains(path, v) {
				grow(append(path, v))
			}
		}
	}
	grow([]int{a})
	return out
}

func isDirected(g *graph.Graph, path []int) bool {
	for i := 1; i < len(path); i++ {
		if !g.HasEdge(path[i-1], path[i]) {
			return false
		}
	}
	return true
}

func isCollider(g *graph.Graph, path []int, i int) bool {
	return i > 0 && i < len(path)-1 && g.HasEdge(path[i-1], path[i]) && g.HasEdge(path[i+1], path[i])
}

// blocks reports whether z blocks the path: an inner noncollider is in z, or a collider has no descendant in z.
func blocks(g *graph.Graph, path, z []int) bool {
	for i := 1; i < len(path)-1; i++ {
		if !isCollider(g, path, i) {
			if slices.Contains(z, path[i]) {
				return true
			}
			continue
		}
		hit := slices.Contains(z, path[i])
		for _, v := range z {
			hit = hit || g.HasPath(path[i], v)
		}
		if !hit {
			return true
		}
	}
	return false
}

// validBackDoor is the criterion by its definition: no descendant of a, and every path that starts with an arrow into a is blocked.
func validBackDoor(g *graph.Graph, a, b int, z []int, paths [][]int) bool {
	for _, v := range z {
		if v == a || v == b || g.HasPath(a, v) {
			return false
		}
	}
	for _, path := range paths {
		if g.HasEdge(path[1], a) && !blocks(g, path, z) {
			return false
		}
	}
	return true
}

func subsets(of []int) [][]int {
	var out [][]int
	for bits := range 1 << len(of) {
		var s []int
		for k, v := range of {
			if bits>>k&1 == 1 {
				s = append(s, v)
			}
		}
		out = append(out, s)
	}
	return out
}

// eachDAG calls f with every DAG on d labelled nodes.
func eachDAG(d int, f func(*graph.Graph)) int {
	var pairs []graph.Edge
	for i := range d {
		for j := range i {
			pairs = append(pairs, graph.Edge{From: i, To: j})
		}
	}
	count := 0
	var grow func(g *graph.Graph, k int)
	grow = func(g *graph.Graph, k int) {
		if k == len(pairs) {
			if g.IsAcyclic() {
				count++
				f(g)
			}
			return
		}
		grow(g, k+1)
		for _, e := range []graph.Edge{pairs[k], {From: pairs[k].To, To: pairs[k].From}} {
			g.AddEdge(e.From, e.To)
			grow(g, k+1)
			g.RemoveEdge(e.From, e.To)
		}
	}
	grow(graph.New(d), 0)
	return count
}

func randomDAG(rng *rand.Rand, d int, density float64) *graph.Graph {
	g := graph.New(d)
	order := rng.Perm(d)
	for i := range d {
		for j := range i {
			if rng.Float64() < density {
				g.AddEdge(order[j], order[i])
			}
		}
	}
	return g
}

// modelOf gives a graph names and random weights.
func modelOf(t *testing.T, g *graph.Graph, rng *rand.Rand) *Model {
	t.Helper()
	names := make([]string, g.N())
	for v := range names {
		names[v] = fmt.Sprint(v)
	}
	var edges []Edge
	for _, e := range g.Edges() {
		edges = append(edges, Edge{Link: e.Named(names), Weight: rng.Float64()*4 - 2})
	}
	m := must.Get(NewModel(names, edges))
	return m
}

func nodesOf(walks []walk) [][]int {
	var out [][]int
	for _, w := range walks {
		out = append(out, w.nodes)
	}
	return out
}

func sameSet(a, b [][]int) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.SortFunc(a, slices.Compare)
	slices.SortFunc(b, slices.Compare)
	return slices.EqualFunc(a, b, slices.Equal)
}

// checkPair compares all statements about (a, b) with the reference functions.
func checkPair(t *testing.T, m *Model, a, b int) {
	t.Helper()
	g := m.graph
	paths := allPaths(g, a, b)
	var want [3][][]int
	var mediators, confounders []int
	total := 0.0
	add := func(list *[]int, v int) {
		if !slices.Contains(*list, v) {
			*list = append(*list, v)
		}
	}
	for _, path := range paths {
		if isDirected(g, path) {
			want[directed] = append(want[directed], path)
			product := 1.0
			for i := 1; i < len(path); i++ {
				product *= m.weight[graph.Edge{From: path[i-1], To: path[i]}]
				if i < len(path)-1 {
					add(&mediators, path[i])
				}
			}
			total += product
			continue
		}
		if !g.HasEdge(path[1], a) {
			continue
		}
		collides := false
		for i := range path {
			collides = collides || isCollider(g, path, i)
		}
		if collides {
			want[closed] = append(want[closed], path)
			continue
		}
		want[open] = append(want[open], path)
		for i := 1; i < len(path)-1; i++ {
			if g.HasEdge(path[i], path[i-1]) && g.HasEdge(path[i], path[i+1]) {
				add(&confounders, path[i])
			}
		}
	}
	fail := func(what string, got, want any) {
		t.Fatalf("%v, %d and %d: %s %v, want %v", g.Edges(), a, b, what, got, want)
	}
	for k := directed; k <= closed; k++ {
		kept, count, complete := m.find(k, a, b, 1000, 1_000_000)
		got := nodesOf(kept)
		if !complete || count != len(want[k]) || !sameSet(got, want[k]) {
			fail(fmt.Sprintf("paths of kind %d", k), got, want[k])
		}
		if !slices.IsSortedFunc(got, func(x, y []int) int { return len(x) - len(y) }) {
			fail("lengths of paths", got, "rising")
		}
		for _, w := range kept {
			for i, forward := range w.forward {
				if forward != g.HasEdge(w.nodes[i], w.nodes[i+1]) {
					fail("arrows", w.forward, w.nodes)
				}
			}
		}
	}
	if count, exact := m.directedPaths(a, b); count != len(want[directed]) || !exact {
		fail("count of directed paths", count, len(want[directed]))
	}
	if got := m.effect(a, b, func(int) bool { return false }); math.Abs(got-total) > 1e-9 {
		fail("total effect", got, total)
	}
	slices.Sort(mediators)
	slices.Sort(confounders)
	if got := m.mediators(a, b); !slices.Equal(got, mediators) {
		fail("mediators", got, mediators)
	}
	if got := m.confounders(a, b); !slices.Equal(got, confounders) {
		fail("confounders", got, confounders)
	}

	var others []int
	for v := range g.N() {
		if v != a && v != b {
			others = append(others, v)
		}
	}
	some := false
	for _, z := range subsets(others) {
		valid := validBackDoor(g, a, b, z, paths)
		some = some || valid
		if got := m.isBackDoor(a, b, z); got != valid {
			fail(fmt.Sprintf("back-door validity of %v", z), got, valid)
		}
	}
	z, ok := m.backDoorSet(a, b)
	if ok != some {
		fail("existence of a back-door set", ok, some)
	}
	if !ok {
		return
	}
	for _, part := range subsets(z) {
		if valid := validBackDoor(g, a, b, part, paths); valid != (len(part) == len(z)) {
			fail(fmt.Sprintf("part %v of the set %v: valid", part, z), valid, !valid)
		}
	}
	for _, v := range z {
		if !g.HasEdge(v, a) {
			fail("a node of the set that is no parent", v, g.Parents(a))
		}
	}
}

func TestEveryDAG(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for d, want := range map[int]int{2: 3, 3: 25, 4: 543} { // OEIS A003024
		got := eachDAG(d, func(g *graph.Graph) {
			m := modelOf(t, g, rng)
			for a := range d {
				for b := range d {
					if a != b {
						checkPair(t, m, a, b)
					}
				}
			}
		})
		if got != want {
			t.Errorf("%d DAGs on %d nodes, want %d", got, d, want)
		}
	}
}

func TestRandomDAGs(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 4))
	for range 300 {
		d := 5 + rng.IntN(2)
		m := modelOf(t, randomDAG(rng, d, 0.2+0.7*rng.Float64()), rng)
		a := rng.IntN(d)
		checkPair(t, m, a, (a+1+rng.IntN(d-1))%d)
	}
}

// TestSensitiveEffect checks that the effect through sensitive nodes is that of the paths through at least one
// of them.
func TestSensitiveEffect(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		d := 6
		m := modelOf(t, randomDAG(rng, d, 0.6), rng)
		a, b := m.order[0], m.order[d-1]
		marked := []string{m.names[m.order[2]], m.names[m.order[4]]}
		e := must.Get(m.Between(m.names[a], m.names[b], Settings{Sensitive: marked, Paths: 100, Steps: 1 << 20}))
		sum := 0.0
		for _, p := range e.Directed.Listed {
			inner := p.Nodes[1 : len(p.Nodes)-1]
			if slices.Contains(inner, marked[0]) || slices.Contains(inner, marked[1]) {
				sum += *p.Effect
				if len(p.Sensitive) == 0 {
					t.Fatalf("%v is not marked", p)
				}
			}
		}
		if !(math.Abs(sum-*e.SensitiveEffect) <= 1e-9) {
			t.Fatalf("through %v: %v, want %v", marked, *e.SensitiveEffect, sum)
		}
	}
}
