package metric

import "github.com/polydag/polydag/graph"

// CPDAGDistance returns the structural Hamming distance between two PDAGs: the number of
// unordered pairs of nodes whose status differs, where the status is one of: no edge,
// i — j, i → j, j → i. So i → j against i — j counts one, as does i → j against j → i.
// On the CPDAGs of two DAGs it is zero exactly if they are Markov equivalent.
func CPDAGDistance(truth, est *graph.PDAG) int {
	same := CPDAGEdges(truth, est).TP
	joined := 0 // pairs adjacent in both graphs
	for _, edges := range [][]graph.Edge{est.DirectedEdges(), est.UndirectedEdges()} {
		for _, e := range edges {
			if truth.Adjacent(e.From, e.To) {
				joined++
			}
		}
	}
	return truth.NumEdges() + est.NumEdges() - joined - same
}

// CPDAGEdges counts edges of two PDAGs. An estimated edge is right only if the truth has the same edge of the same kind: i → j for
// i → j, i — j for i — j. An edge of the wrong kind or direction between the right nodes is one FP and one FN.
func CPDAGEdges(truth, est *graph.PDAG) Confusion {
	sameNodes(truth.N(), est.N())
	var c Confusion
	for _, e := range est.DirectedEdges() {
		if truth.HasDirected(e.From, e.To) {
			c.TP++
		}
	}
	for _, e := range est.UndirectedEdges() {
		if truth.HasUndirected(e.From, e.To) {
			c.TP++
		}
	}
	c.FP = est.NumEdges() - c.TP
	c.FN = truth.NumEdges() - c.TP
	return c
}
