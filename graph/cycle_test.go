package graph

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// checkCycle fails unless cycle is a simple cycle of g that starts from its smallest node.
func checkCycle(t *testing.T, g *Graph, cycle []int) {
	t.Helper()
	if len(cycle) == 0 {
		t.Fatal("empty cycle")
	}
	for k, v := range cycle {
		if next := cycle[(k+1)%len(cycle)]; !g.HasEdge(v, next) {
			t.Fatalf("cycle %v: no edge %d → %d", cycle, v, next)
		}
		if slices.Contains(cycle[:k], v) {
			t.Fatalf("cycle %v repeats node %d", cycle, v)
		}
		if v < cycle[0] {
			t.Fatalf("cycle %v does not start from its smallest node", cycle)
		}
	}
}

// closure returns reach[i][j]: there is a path of one or more edges from i to j
// (Floyd and Warshall).
func closure(g *Graph) [][]bool {
	n := g.N()
	reach := make([][]bool, n)
	for i := range reach {
		reach[i] = make([]bool, n)
		for _, j := range g.Children(i) {
			reach[i][j] = true
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	return reach
}

// naiveGirth returns the length of a shortest cycle, or 0 without a cycle: the smallest k for which the k-th
// power of the adjacency matrix has a diagonal entry.
func naiveGirth(g *Graph) int {
	n := g.N()
	walk := make([][]bool, n) // walks of exactly k edges
	for i := range walk {
		walk[i] = make([]bool, n)
		walk[i][i] = true
	}
	for k := 1; k <= n; k++ {
		next := make([][]bool, n)
		for i := range next {
			next[i] = make([]bool, n)
			for m := range n {
				if walk[i][m] {
					for _, j := range g.Children(m) {
						next[i][j] = true
					}
				}
			}
		}
		walk = next
		for i := range n {
			if walk[i][i] {
				return k
			}
		}
	}
	return 0
}

func TestShortestCycleAgainstPowers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	lengths := map[int]int{}
	for trial := range 3000 {
		n := 1 + rng.IntN(9)
		g := randomGraph(rng, n, 0.12, trial%4 == 0)
		want := naiveGirth(g)
		cycle := g.ShortestCycle()
		if len(cycle) != want {
			t.Fatalf("trial %d: cycle %v, shortest has %d nodes; edges %v", trial, cycle, want, g.Edges())
		}
		if want > 0 {
			checkCycle(t, g, cycle)
		}
		lengths[want]++
	}
	for length := range 6 {
		if lengths[length] == 0 {
			t.Errorf("no graph with shortest cycle %d was tried", length)
		}
	}
}

func TestComponentsAgainstClosure(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	for trial := range 2000 {
		n := 1 + rng.IntN(10)
		g := randomGraph(rng, n, 1.3/float64(n), trial%2 == 0)
		reach := closure(g)
		components := g.Components()
		place := make([]int, n)
		total := 0
		for k, c := range components {
			if len(c) == 0 || !slices.IsSorted(c) {
				t.Fatalf("trial %d: component %v", trial, c)
			}
			total += len(c)
			for _, v := range c {
				place[v] = k
			}
		}
		if total != n {
			t.Fatalf("trial %d: components %v do not partition %d nodes", trial, components, n)
		}
		for i := range n {
			for j := range n {
				if i != j && (place[i] == place[j]) != (reach[i][j] && reach[j][i]) {
					t.Fatalf("trial %d: nodes %d and %d are in the wrong components", trial, i, j)
				}
				if g.HasEdge(i, j) && place[i] > place[j] {
					t.Fatalf("trial %d: components are not in topological order", trial)
				}
			}
		}
		inCyclic := make([]bool, n)
		for _, c := range g.CyclicComponents() {
			for _, v := range c {
				inCyclic[v] = true
			}
		}
		for v := range n {
			if inCyclic[v] != reach[v][v] {
				t.Fatalf("trial %d: node %d on a cycle: %v, closure says %v", trial, v, inCyclic[v], reach[v][v])
			}
		}
	}
}
