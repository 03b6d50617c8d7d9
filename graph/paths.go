package graph

import (
	"slices"
)

// Descendants returns, for each node, whether it is in set or can be reached from a node
// of set along edges. O(n + edges).
func (g *Graph) Descendants(set []int) []bool { return spread(g.children, set) }

// Ancestors returns, for each node, whether it is in set or can reach a node of set along
// edges. O(n + edges).
func (g *Graph) Ancestors(set []int) []bool { return spread(g.parents, set) }

// Reachable returns, for each node, whether a path of one or more edges leads to it from node from. Unlike in Descendants, from
// itself counts only if it is on a cycle.
func (g *Graph) Reachable(from int) []bool { return spread(g.children, g.children[from]) }

// spread marks set and all nodes that can be reached from it along the lists.
func spread(lists [][]int, set []int) []bool {
	seen := make([]bool, len(lists))
	stack := make([]int, 0, len(set))
	for _, v := range set {
		if !seen[v] {
			seen[v] = true
			stack = append(stack, v)
		}
	}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, u := range lists[v] {
			if !seen[u] {
				seen[u] = true
				stack = append(stack, u)
			}
		}
	}
	return seen
}

// HasPath reports whether there is a path of one or more edges from i to j; HasPath(i, i) reports whether i is on a cycle. Adding j
// → i to a DAG closes a cycle exactly if i == j or HasPath(i, j).
func (g *Graph) HasPath(i, j int) bool {
	g.check(i, j)
	seen := make([]bool, g.N())
	stack := []int{i}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, c := range g.children[v] {
			if c == j {
				return true
			}
			if !seen[c] {
				seen[c] = true
				stack = append(stack, c)
			}
		}
	}
	return false
}

// DSeparated reports whether given d-separates x from y in the DAG g: every path between a node of x and a node of y is blocked,
// that is, it has a collider (→ v ←) with no descendant in given, v included, or another inner node in given. Nodes of given are
// dropped from x and y; if a node remains in both, the result is false. O(n + edges), by walking the pairs (node, direction of
// arrival): Shachter (1998), "Bayes-Ball".
//
// On a cyclic graph it applies the same graphical criterion, which then does not imply independence.
func (g *Graph) DSeparated(x, y, given []int) bool {
	in := make([]bool, g.N())
	for _, v := range given {
		in[v] = true
	}
	target := make([]bool, g.N())
	for _, v := range y {
		target[v] = !in[v]
	}
	opens := g.Ancestors(given) // ancestors of given open a collider

	const fromChild, fromParent = 0, 1
	var seen [2][]bool
	seen[fromChild], seen[fromParent] = make([]bool, g.N()), make([]bool, g.N())
	type visit struct{ node, arrival int }
	var stack []visit
	push := func(v, arrival int) {
		if !seen[arrival][v] {
			seen[arrival][v] = true
			stack = append(stack, visit{v, arrival})
		}
	}
	for _, v := range x {
		if !in[v] {
			push(v, fromChild)
		}
	}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		v := at.node
		if target[v] {
			return false
		}
		if !in[v] {
			for _, c := range g.children[v] {
				push(c, fromParent)
			}
		}
		if at.arrival == fromChild && !in[v] || at.arrival == fromParent && opens[v] {
			for _, p := range g.parents[v] {
				push(p, fromChild)
			}
		}
	}
	return true
}

// Descents lists every pair of a node and a descendant, nearest first, then by From and To. A node on a cycle
// is a descendant of itself.
func (g *Graph) Descents() []Edge {
	var near [][]Edge // near[k] has the pairs whose shortest directed path has k+1 edges, by From
	for a := range g.N() {
		far := make([]int, g.N())
		for queue := []int{a}; len(queue) > 0; queue = queue[1:] {
			for _, c := range g.Children(queue[0]) {
				if far[c] == 0 {
					k := far[queue[0]]
					far[c] = k + 1
					queue = append(queue, c)
					if len(near) == k {
						near = append(near, nil)
					}
					near[k] = append(near[k], Edge{a, c})
				}
			}
		}
	}
	for _, pairs := range near {
		slices.SortFunc(pairs, Edge.Compare)
	}
	return slices.Concat(near...)
}
