package order

import (
	"math"

	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/method"
)

// boundGains limits the score gain of an edge to log₂ L bits per row if one of its ends has L levels: the two columns share no more
// information. The mixed model treats indicators of levels as Gaussian, and its likelihood is unbounded if parents determine a level.
func boundGains(edges []method.EdgeFacts, kinds []kind.Column, order []int) {
	for i := range edges {
		e := &edges[i]
		for _, v := range []int{e.From, e.To} {
			if order[v] >= len(kinds) { // a context
				continue
			}
			if k := kinds[order[v]]; k.Kind.Discrete() && k.Levels > 1 {
				e.Gain = new(min(*e.Gain, math.Log2(float64(k.Levels))))
			}
		}
	}
}
