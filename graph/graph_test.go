package graph

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// randomGraph returns a graph with each ordered pair an edge with probability p,
// self-loops included if loops is set.
func randomGraph(rng *rand.Rand, n int, p float64, loops bool) *Graph {
	g := New(n)
	for i := range n {
		for j := range n {
			if (i != j || loops) && rng.Float64() < p {
				g.AddEdge(i, j)
			}
		}
	}
	return g
}

// randomDAG returns a DAG over a random order with each allowed edge present with
// probability p.
func randomDAG(rng *rand.Rand, n int, p float64) *Graph {
	order := rng.Perm(n)
	g := New(n)
	for a := range n {
		for b := a + 1; b < n; b++ {
			if rng.Float64() < p {
				g.AddEdge(order[a], order[b])
			}
		}
	}
	return g
}

func mustEdges(t testing.TB, n int, edges ...Edge) *Graph {
	t.Helper()
	return must.Get(FromEdges(n, edges))
}

// TestGraphAgainstMatrix runs random changes on a Graph and on a boolean matrix and
// compares every reading.
func TestGraphAgainstMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 7
	var has [n][n]bool
	g := New(n)
	for step := range 2000 {
		i, j := rng.IntN(n), rng.IntN(n)
		if rng.IntN(2) == 0 {
			if g.AddEdge(i, j) == has[i][j] {
				t.Fatalf("step %d: AddEdge(%d, %d) wrong result", step, i, j)
			}
			has[i][j] = true
		} else {
			if g.RemoveEdge(i, j) != has[i][j] {
				t.Fatalf("step %d: RemoveEdge(%d, %d) wrong result", step, i, j)
			}
			has[i][j] = false
		}
		var edges []Edge
		children, parents := make([][]int, n), make([][]int, n)
		for i := range n {
			for j := range n {
				if has[i][j] {
					edges = append(edges, Edge{i, j})
					children[i] = append(children[i], j)
					parents[j] = append(parents[j], i)
				}
				if g.HasEdge(i, j) != has[i][j] || g.Adjacent(i, j) != (has[i][j] || has[j][i]) {
					t.Fatalf("step %d: edge %d → %d: HasEdge or Adjacent wrong", step, i, j)
				}
			}
		}
		if !slices.Equal(g.Edges(), edges) || g.NumEdges() != len(edges) {
			t.Fatalf("step %d: edges %v, want %v", step, g.Edges(), edges)
		}
		for v := range n {
			if !slices.Equal(g.Children(v), children[v]) || !slices.Equal(g.Parents(v), parents[v]) {
				t.Fatalf("step %d: lists of node %d wrong", step, v)
			}
		}
		rng.Shuffle(len(edges), func(a, b int) { edges[a], edges[b] = edges[b], edges[a] })
		if len(edges) > 0 {
			edges = append(edges, edges[0])
		}
		if h := mustEdges(t, n, edges...); !h.Equal(g) {
			t.Fatalf("step %d: FromEdges differs", step)
		}
		if h := FromParents(parents); !h.Equal(g) || !g.Clone().Equal(g) {
			t.Fatalf("step %d: FromParents or Clone differs", step)
		}
	}
}

func TestFromParentsCopiesAndCompacts(t *testing.T) {
	in := [][]int{{2, 1, 2}, {}, {1}}
	g := FromParents(in)
	if !slices.Equal(in[0], []int{2, 1, 2}) {
		t.Fatalf("the caller's list was changed: %v", in[0])
	}
	if !slices.Equal(g.Parents(0), []int{1, 2}) || g.NumEdges() != 3 {
		t.Fatalf("parents %v, %d edges", g.Parents(0), g.NumEdges())
	}
}

func TestCloneSharesNothing(t *testing.T) {
	g := mustEdges(t, 3, Edge{0, 1}, Edge{0, 2})
	c := g.Clone()
	c.RemoveEdge(0, 1)
	c.AddEdge(2, 1)
	if !g.Equal(mustEdges(t, 3, Edge{0, 1}, Edge{0, 2})) {
		t.Fatalf("changing the clone changed the original: %v", g.Edges())
	}
}

func TestEqualComparesNodesAndEdges(t *testing.T) {
	g := mustEdges(t, 3, Edge{0, 1})
	if g.Equal(mustEdges(t, 4, Edge{0, 1})) || g.Equal(mustEdges(t, 3, Edge{1, 0})) || g.Equal(New(3)) {
		t.Fatal("Equal is true for different graphs")
	}
}

func TestFromEdgesReportsTheEdge(t *testing.T) {
	_, err := FromEdges(3, []Edge{{0, 1}, {2, 3}})
	if err == nil || err.Error() != "edge 1 (2 → 3): nodes must be in 0..2" {
		t.Fatalf("error %v", err)
	}
	if _, err := FromEdges(-1, nil); err == nil {
		t.Fatal("no error for -1 nodes")
	}
}

func TestOutsideNodesPanic(t *testing.T) {
	for name, f := range map[string]func(){
		"AddEdge":     func() { New(2).AddEdge(0, 2) },
		"HasEdge":     func() { New(2).HasEdge(-1, 0) },
		"RemoveEdge":  func() { New(2).RemoveEdge(2, 0) },
		"FromParents": func() { FromParents([][]int{{1}}) },
		"New":         func() { New(-1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
