package metric

import "github.com/polydag/polydag/graph"

// Skeleton counts adjacent pairs, whatever the direction: a pair is right if it is adjacent in both graphs. i ⇄ j is one pair, and
// self-loops are ignored.
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
