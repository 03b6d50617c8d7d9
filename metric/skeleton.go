package metric

import "github.com/polydag/polydag/graph"

// Skeleton counts pairs of nodes that are joined, whatever the direction: a pair is right
// if both graphs join it. i ⇄ j is one pair, and self-loops are left out.
func Skeleton(truth, est *graph.Graph) Confusion {
	sameNodes(truth.N(), est.N())
	var c Confusion
	joined := est.Skeleton()
	for _, e := range joined {
		if truth.Adjacent(e.From, e.To) {
			c.TP++
		}
	}
	c.FP = len(joined) - c.TP
	c.FN = len(truth.Skeleton()) - c.TP
	return c
}
