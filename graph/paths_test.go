package graph

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestReachAgainstClosure(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for trial := range 500 {
		n := 1 + rng.IntN(9)
		g := randomGraph(rng, n, 1.2/float64(n), trial%2 == 0)
		reach := closure(g)
		set := rng.Perm(n)[:rng.IntN(n+1)]
		up, down := g.Ancestors(set), g.Descendants(set)
		for i := range n {
			if !slices.Equal(g.Reachable(i), reach[i]) {
				t.Fatalf("trial %d: Reachable(%d) = %v, want %v", trial, i, g.Reachable(i), reach[i])
			}
			for j := range n {
				if g.HasPath(i, j) != reach[i][j] {
					t.Fatalf("trial %d: HasPath(%d, %d) = %v", trial, i, j, !reach[i][j])
				}
			}
			wantUp, wantDown := slices.Contains(set, i), slices.Contains(set, i)
			for _, s := range set {
				wantUp = wantUp || reach[i][s]
				wantDown = wantDown || reach[s][i]
			}
			if up[i] != wantUp || down[i] != wantDown {
				t.Fatalf("trial %d: node %d: ancestor %v want %v, descendant %v want %v", trial, i, up[i], wantUp, down[i], wantDown)
			}
		}
	}
}

// naiveSeparated tries every simple path between x and y and the definition of a blocked
// path.
func naiveSeparated(g *Graph, x, y int, given []int) bool {
	reach := closure(g)
	collider := func(v int) bool { // open as a collider
		return slices.ContainsFunc(given, func(z int) bool { return v == z || reach[v][z] })
	}
	path := []int{x}
	var open func() bool
	open = func() bool {
		last := path[len(path)-1]
		if last == y {
			for k := 1; k+1 < len(path); k++ {
				a, v, b := path[k-1], path[k], path[k+1]
				if g.HasEdge(a, v) && g.HasEdge(b, v) {
					if !collider(v) {
						return false
					}
				} else if slices.Contains(given, v) {
					return false
				}
			}
			return true
		}
		for next := range g.N() {
			if g.Adjacent(last, next) && !slices.Contains(path, next) {
				path = append(path, next)
				if open() {
					return true
				}
				path = path[:len(path)-1]
			}
		}
		return false
	}
	return !open()
}

func TestDSeparatedAgainstPaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 2))
	separated := 0
	const trials = 6000
	for trial := range trials {
		n := 3 + rng.IntN(4)
		g := randomDAG(rng, n, 0.45)
		perm := rng.Perm(n)
		given := perm[2 : 2+rng.IntN(n-1)]
		want := naiveSeparated(g, perm[0], perm[1], given)
		if got := g.DSeparated(perm[:1], perm[1:2], given); got != want {
			t.Fatalf("trial %d: edges %v: %d and %d given %v: %v", trial, g.Edges(), perm[0], perm[1], given, got)
		}
		if want {
			separated++
		}

		// Sets: separated exactly if every pair is.
		a, b := 1+rng.IntN(n-2), 0
		b = a + 1 + rng.IntN(n-a-1)
		want = true
		for _, x := range perm[:a] {
			for _, y := range perm[a:b] {
				want = want && naiveSeparated(g, x, y, perm[b:])
			}
		}
		if got := g.DSeparated(perm[:a], perm[a:b], perm[b:]); got != want {
			t.Fatalf("trial %d: edges %v: sets %v %v given %v: %v", trial, g.Edges(), perm[:a], perm[a:b], perm[b:], got)
		}
	}
	if separated < trials/10 || separated > trials*9/10 {
		t.Fatalf("%d of %d pairs separated: one side is hardly tested", separated, trials)
	}
}

func TestDSeparatedOverlaps(t *testing.T) {
	g := mustEdges(t, 3, Edge{0, 1}, Edge{1, 2})
	if g.DSeparated([]int{0}, []int{0}, nil) {
		t.Error("a node is separated from itself")
	}
	if !g.DSeparated([]int{0}, []int{0, 1}, []int{0, 1}) {
		t.Error("nodes of given are not dropped")
	}
}

func TestSkeletonAndVStructures(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 3))
	for trial := range 500 {
		n := 1 + rng.IntN(7)
		g := randomGraph(rng, n, 0.3, true)
		var pairs []Edge
		var colliders []VStructure
		for i := range n {
			for j := i + 1; j < n; j++ {
				if g.HasEdge(i, j) || g.HasEdge(j, i) {
					pairs = append(pairs, Edge{i, j})
				}
			}
		}
		for mid := range n {
			for a := range n {
				for b := a + 1; b < n; b++ {
					if a != mid && b != mid && g.HasEdge(a, mid) && g.HasEdge(b, mid) && !g.HasEdge(a, b) && !g.HasEdge(b, a) {
						colliders = append(colliders, VStructure{a, mid, b})
					}
				}
			}
		}
		if !slices.Equal(g.Skeleton(), pairs) || !slices.Equal(g.VStructures(), colliders) {
			t.Fatalf("trial %d: edges %v: skeleton %v, v-structures %v", trial, g.Edges(), g.Skeleton(), g.VStructures())
		}
	}
}

// TestEquivalentMeansSameSeparations compares MarkovEquivalent with its meaning on all
// pairs of DAGs of three nodes.
func TestEquivalentMeansSameSeparations(t *testing.T) {
	all := allDAGs(3)
	statements := func(g *Graph) (s []bool) {
		for x := range 3 {
			for y := range x {
				s = append(s, naiveSeparated(g, x, y, nil), naiveSeparated(g, x, y, []int{3 - x - y}))
			}
		}
		return s
	}
	for _, g := range all {
		for _, h := range all {
			same, err := MarkovEquivalent(g, h)
			if err != nil || same != slices.Equal(statements(g), statements(h)) {
				t.Fatalf("%v and %v: %v, %v", g.Edges(), h.Edges(), same, err)
			}
		}
	}
	if same, _ := MarkovEquivalent(New(2), New(3)); same {
		t.Fatal("graphs of different size are equivalent")
	}
}

func TestDescents(t *testing.T) {
	g := New(4)
	for _, e := range []Edge{{0, 1}, {1, 2}, {0, 2}, {2, 3}} {
		g.AddEdge(e.From, e.To)
	}
	want := []Edge{{0, 1}, {0, 2}, {1, 2}, {2, 3}, {0, 3}, {1, 3}}
	if got := g.Descents(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	g.AddEdge(3, 0)
	if got := g.Descents(); len(got) != 16 || got[10] != (Edge{0, 0}) { // after 5 edges and 5 paths of two edges
		t.Errorf("with a cycle: %v", got)
	}
}
