package explain

import (
	"math"

	"github.com/polydag/polydag/graph"
)

// effect returns the sum over all directed paths from a to b of the products of their weights, skipping paths with an inner
// node for which skip is true. O(edges).
func (m *Model) effect(a, b int, skip func(v int) bool) float64 {
	total := make([]float64, len(m.names))
	total[a] = 1
	for _, v := range m.order {
		if v == a || v != b && skip(v) {
			continue
		}
		for _, p := range m.graph.Parents(v) {
			total[v] += total[p] * m.weight[graph.Edge{From: p, To: v}]
		}
	}
	return total[b]
}

// directedPaths counts the directed paths from a to b, up to the largest int. O(edges).
func (m *Model) directedPaths(a, b int) (count int, exact bool) {
	ways := make([]int, len(m.names))
	ways[a], exact = 1, true
	before := m.graph.Ancestors([]int{b})
	for _, v := range m.order {
		if v == a || !before[v] {
			continue
		}
		for _, p := range m.graph.Parents(v) {
			if ways[v] > math.MaxInt-ways[p] {
				ways[v], exact = math.MaxInt, false
				break
			}
			ways[v] += ways[p]
		}
	}
	return ways[b], exact
}
