package graph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// mutilated returns g without the edges into the targets, as under an intervention.
func mutilated(g *Graph, targets []int) *Graph {
	out := New(g.N())
	for _, e := range g.Edges() {
		if !slices.Contains(targets, e.To) {
			out.AddEdge(e.From, e.To)
		}
	}
	return out
}

// TestInterventionalClasses compares classes with the definition: DAGs are equivalent if they are Markov
// equivalent in every experiment, and an edge is directed if all DAGs of a class agree. It covers all DAGs of
// up to four nodes with one and two target sets, and five nodes with a random family.
func TestInterventionalClasses(t *testing.T) {
	directed, undirected := 0, 0
	check := func(all []*Graph, family [][]int) {
		index := map[string][]*Graph{}
		key := func(g *Graph) string {
			text := fmt.Sprint(g.Skeleton(), g.VStructures())
			for _, targets := range family {
				m := mutilated(g, targets)
				text += fmt.Sprint(m.Skeleton(), m.VStructures())
			}
			return text
		}
		for _, g := range all {
			k := key(g)
			index[k] = append(index[k], g)
		}
		for _, members := range index {
			want := common(members)
			for _, g := range members {
				got, err := InterventionalCPDAG(g, family)
				if err != nil {
					t.Fatalf("%v with targets %v: %v", g.Edges(), family, err)
				}
				if !slices.Equal(got.DirectedEdges(), want.DirectedEdges()) || !slices.Equal(got.UndirectedEdges(), want.UndirectedEdges()) {
					t.Fatalf("%v with targets %v: directed %v, undirected %v; the class has %v and %v", g.Edges(), family,
						got.DirectedEdges(), got.UndirectedEdges(), want.DirectedEdges(), want.UndirectedEdges())
				}
			}
			directed += len(want.DirectedEdges())
			undirected += len(want.UndirectedEdges())
		}
	}
	subsets := func(n int) (all [][]int) {
		for code := range 1 << n {
			var set []int
			for v := range n {
				if code>>v&1 == 1 {
					set = append(set, v)
				}
			}
			all = append(all, set)
		}
		return all
	}
	for n := 1; n <= 4; n++ {
		all, sets := allDAGs(n), subsets(n)
		for i, a := range sets {
			check(all, [][]int{a})
			for k, b := range sets[:i] {
				if n < 4 || (i+k)%8 == 0 { // 543 graphs a family: an eighth of them will do
					check(all, [][]int{a, b})
				}
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 5))
	all, sets := allDAGs(5), subsets(5)
	check(all, [][]int{sets[rng.IntN(len(sets))], sets[rng.IntN(len(sets))]})
	if directed == 0 || undirected == 0 {
		t.Errorf("%d directed and %d undirected edges: both should occur", directed, undirected)
	}
}

// TestInterventionalEnds checks that without targets the class is the observational one, and that with every
// node targeted alone all directions are identified.
func TestInterventionalEnds(t *testing.T) {
	for _, g := range allDAGs(4) {
		plain := must.Get(CPDAG(g))
		none := must.Get(InterventionalCPDAG(g, [][]int{nil, {0, 1, 2, 3}}))
		every := must.Get(InterventionalCPDAG(g, [][]int{nil, {0}, {1}, {2}, {3}}))
		if !slices.Equal(none.DirectedEdges(), plain.DirectedEdges()) || len(every.UndirectedEdges()) > 0 {
			t.Fatalf("%v: %v without a target that tells, %v with all", g.Edges(), none.DirectedEdges(), every.UndirectedEdges())
		}
	}
	cyclic, _ := FromEdges(2, []Edge{{0, 1}, {1, 0}})
	if _, err := InterventionalCPDAG(cyclic, nil); err == nil {
		t.Error("a cycle has a class")
	}
}
