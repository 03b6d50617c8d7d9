package graph

import (
	"cmp"
	"slices"
)

// A Descent is a node with one of its descendants and the number of edges of a shortest directed path between them.
type Descent struct{ From, To, Length int }

// Descents lists every pair of a node and a descendant, nearest first, then by From and To. A node on a cycle
// is a descendant of itself.
func (g *Graph) Descents() []Descent {
	var out []Descent
	for a := range g.N() {
		far := make([]int, g.N())
		for queue := []int{a}; len(queue) > 0; queue = queue[1:] {
			for _, c := range g.Children(queue[0]) {
				if far[c] == 0 {
					far[c] = far[queue[0]] + 1
					queue = append(queue, c)
					out = append(out, Descent{a, c, far[c]})
				}
			}
		}
	}
	slices.SortStableFunc(out, func(x, y Descent) int {
		return cmp.Or(cmp.Compare(x.Length, y.Length), cmp.Compare(x.From, y.From), cmp.Compare(x.To, y.To))
	})
	return out
}
