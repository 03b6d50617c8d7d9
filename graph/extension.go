package graph

import (
	"errors"
	"fmt"
)

// ErrNoExtension is matched if no DAG agrees with a PDAG.
var ErrNoExtension = errors.New("no DAG has this skeleton, these v-structures and these directed edges")

// Extension returns a DAG with the skeleton, the v-structures and the directed edges of p, or an error that matches ErrNoExtension
// if there is none. For a CPDAG it is a member of the class. The result depends only on p.
//
// Dor and Tarsi (1992): repeatedly remove a node x without children whose neighbors are all adjacent to every other node adjacent
// to x, and direct the undirected edges at x into it. A node is tested again only after an adjacent node was removed: O(edges ·
// degree² · log n).
func (p *PDAG) Extension() (*Graph, error) {
	n := p.N()
	g := New(n)
	gone := make([]bool, n)
	queue := make([]int, n)
	waiting := make([]bool, n)
	for v := range n {
		queue[v] = v
		waiting[v] = true
	}
	left := n
	for k := 0; k < len(queue); k++ {
		x := queue[k]
		waiting[x] = false
		if gone[x] || !p.canBeLast(x, gone) {
			continue
		}
		gone[x] = true
		left--
		for _, from := range [][]int{p.Parents(x), p.Neighbors(x)} {
			for _, u := range from {
				if gone[u] {
					continue
				}
				g.AddEdge(u, x)
				if !waiting[u] {
					waiting[u] = true
					queue = append(queue, u)
				}
			}
		}
	}
	if left > 0 {
		return nil, fmt.Errorf("PDAG of %d nodes, stuck with %d left: %w", n, left, ErrNoExtension)
	}
	return g, nil
}

// canBeLast reports whether all undirected edges at x can be directed into x without a cycle or a new v-structure, among the
// remaining nodes.
func (p *PDAG) canBeLast(x int, gone []bool) bool {
	for _, c := range p.Children(x) {
		if !gone[c] {
			return false
		}
	}
	for _, y := range p.Neighbors(x) {
		if gone[y] {
			continue
		}
		for _, z := range p.Neighbors(x) {
			if z != y && !gone[z] && !p.Adjacent(y, z) {
				return false
			}
		}
		for _, z := range p.Parents(x) {
			if !gone[z] && !p.Adjacent(y, z) {
				return false
			}
		}
	}
	return true
}
