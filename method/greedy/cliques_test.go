package greedy

import (
	"testing"

	"github.com/polydag/polydag/graph"
)

// TestCliquesOfANode checks that the 4096 cliques of twelve mutually adjacent neighbors are all tried, and that
// thirteen are reported as cut.
func TestCliquesOfANode(t *testing.T) {
	for _, c := range []struct {
		neighbours, want int
		cut              bool
	}{{0, 1, false}, {3, 8, false}, {12, 4096, false}, {13, 4096, true}} {
		p := graph.NewPDAG(c.neighbours + 1)
		for i := range c.neighbours + 1 {
			for j := range i {
				p.SetUndirected(i, j)
			}
		}
		l, sets := &lister{walk: &walk{class: p}}, 0
		if l.cliques(0, -1, func([]int) { sets++ }); sets != c.want || l.cut != c.cut {
			t.Errorf("%d neighbours: %d sets, cut %v", c.neighbours, sets, l.cut)
		}
	}
}
