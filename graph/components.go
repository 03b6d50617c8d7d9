package graph

import "slices"

// Components returns the strongly connected components, each sorted, in topological order: edges between components go from earlier
// to later ones. O(n + edges), Tarjan (1972), with an explicit stack so that long paths cannot exhaust the goroutine's stack.
func (g *Graph) Components() [][]int {
	n := g.N()
	const unseen = -1
	index := make([]int, n) // order of discovery
	low := make([]int, n)   // smallest index reachable through the tree and one back edge
	open := make([]bool, n) // on the stack: its component is incomplete
	next := make([]int, n)  // next child to visit
	for v := range index {
		index[v] = unseen
	}
	var components [][]int
	var stack, path []int
	seen := 0
	discover := func(v int) {
		index[v], low[v] = seen, seen
		seen++
		open[v] = true
		stack = append(stack, v)
		path = append(path, v)
	}
	for root := range n {
		if index[root] != unseen {
			continue
		}
		discover(root)
		for len(path) > 0 {
			v := path[len(path)-1]
			if next[v] < len(g.children[v]) {
				c := g.children[v][next[v]]
				next[v]++
				if index[c] == unseen {
					discover(c)
				} else if open[c] {
					low[v] = min(low[v], index[c])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				up := path[len(path)-1]
				low[up] = min(low[up], low[v])
			}
			if low[v] == index[v] {
				at := len(stack) - 1
				for stack[at] != v {
					at--
				}
				component := slices.Clone(stack[at:])
				stack = stack[:at]
				for _, u := range component {
					open[u] = false
				}
				slices.Sort(component)
				components = append(components, component)
			}
		}
	}
	slices.Reverse(components) // Tarjan completes sinks first
	return components
}

// CyclicComponents returns the components with a cycle: more than one node, or one node with a self-loop. It is empty exactly for a
// DAG. The order is that of Components.
func (g *Graph) CyclicComponents() [][]int {
	var cyclic [][]int
	for _, c := range g.Components() {
		if len(c) > 1 || g.HasEdge(c[0], c[0]) {
			cyclic = append(cyclic, c)
		}
	}
	return cyclic
}
