package metric

import (
	"github.com/polydag/polydag/graph"
)

// Confusion counts the right and wrong edges of an estimate. The function that returns it defines how edges are matched.
//
// A ratio of 0/0 is defined as 1: the precision of an empty estimate, the recall of an empty truth, the F1 of two empty graphs.
type Confusion struct {
	TP int // estimated and true
	FP int // estimated but not true
	FN int // true but not estimated
}

// Precision returns TP / (TP + FP): the share of the estimated edges that are true.
func (c Confusion) Precision() float64 { return share(c.TP, c.TP+c.FP) }

// Recall returns TP / (TP + FN): the share of the true edges that were found. It is also
// called the true positive rate.
func (c Confusion) Recall() float64 { return share(c.TP, c.TP+c.FN) }

// F1 returns 2·TP / (2·TP + FP + FN), the harmonic mean of precision and recall.
func (c Confusion) F1() float64 { return share(2*c.TP, 2*c.TP+c.FP+c.FN) }

// share returns part/whole, and 1 for 0/0.
func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

// Directed counts directed edges: i → j is right only if the truth has i → j. A reversed
// edge is therefore one FP and one FN, and a self-loop is an FP.
func Directed(truth, est *graph.Graph) Confusion {
	sameNodes(truth.N(), est.N())
	right := 0
	for _, e := range est.Edges() {
		if truth.HasEdge(e.From, e.To) {
			right++
		}
	}
	return confusion(right, truth.NumEdges(), est.NumEdges())
}

// confusion returns the counts of right edges among those of the truth and of the estimate.
func confusion(right, truth, est int) Confusion {
	return Confusion{TP: right, FP: est - right, FN: truth - right}
}

// fpr returns the false positive rate over ordered pairs of different nodes: of the
// n(n-1) - |truth| pairs (i, j) with no edge i → j in the truth, the share that the
// estimate has as an edge. A reversed edge counts, a self-loop does not. It is 0 if there
// is no such pair.
func fpr(truth, est *graph.Graph) float64 {
	n := truth.N()
	return rate(wrongPairs(truth, est, truth.HasEdge), n*(n-1)-truth.NumEdges())
}

// releasedFPR returns the false positive rate as the code released with the paper computes it: the estimated edges between nodes
// that are not adjacent in the truth, divided by n(n-1)/2 - |truth|. It does not count reversed edges, and the denominator counts
// unordered pairs, so i ⇄ j without a true edge counts twice in one pair. It is 0 if the truth is complete. Use it only to compare
// with the paper's tables.
func releasedFPR(truth, est *graph.Graph) float64 {
	n := truth.N()
	return rate(wrongPairs(truth, est, truth.Adjacent), n*(n-1)/2-truth.NumEdges())
}

// wrongPairs counts the edges of est, except self-loops, that allowed does not accept.
func wrongPairs(truth, est *graph.Graph, allowed func(i, j int) bool) int {
	sameNodes(truth.N(), est.N())
	wrong := 0
	for _, e := range est.Edges() {
		if e.From != e.To && !allowed(e.From, e.To) {
			wrong++
		}
	}
	return wrong
}

// rate returns part/whole, and 0 if whole is not positive.
func rate(part, whole int) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// Skeleton counts adjacent pairs, whatever the direction: a pair is right if it is adjacent in both graphs. i ⇄ j is one pair, and
// self-loops are ignored.
func Skeleton(truth, est *graph.Graph) Confusion {
	sameNodes(truth.N(), est.N())
	right, joined := 0, est.Skeleton()
	for _, e := range joined {
		if truth.Adjacent(e.From, e.To) {
			right++
		}
	}
	return confusion(right, len(truth.Skeleton()), len(joined))
}

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
	right := 0
	for _, e := range est.DirectedEdges() {
		if truth.HasDirected(e.From, e.To) {
			right++
		}
	}
	for _, e := range est.UndirectedEdges() {
		if truth.HasUndirected(e.From, e.To) {
			right++
		}
	}
	return confusion(right, truth.NumEdges(), est.NumEdges())
}

// Lagged compares the edges with a lag of two graphs. An edge is right if the truth has it with the same lag.
type Lagged struct {
	EdgesTrue      int     `json:"edges_true"`
	EdgesEstimated int     `json:"edges_estimated"`
	Precision      float64 `json:"precision"`
	Recall         float64 `json:"recall"`
	F1             float64 `json:"f1"`
}

// CompareLagged compares lists of distinct edges with lags. Without estimated edges the precision is 1, without true ones the recall.
func CompareLagged[E comparable](truth, est []E) *Lagged {
	set := make(map[E]bool, len(truth))
	for _, e := range truth {
		set[e] = true
	}
	right := 0
	for _, e := range est {
		if set[e] {
			right++
		}
	}
	c := confusion(right, len(truth), len(est))
	return &Lagged{EdgesTrue: len(truth), EdgesEstimated: len(est), Precision: c.Precision(), Recall: c.Recall(), F1: c.F1()}
}
