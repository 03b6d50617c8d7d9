package greedy

import (
	"testing"

	"github.com/polydag/polydag/graph"
)

// Twelve neighbours that are all joined have 4096 cliques, which are all tried; thirteen have more, and the list says that it was cut.
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
