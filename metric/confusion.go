package metric

import "github.com/polydag/polydag/graph"

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
	var c Confusion
	for _, e := range est.Edges() {
		if truth.HasEdge(e.From, e.To) {
			c.TP++
		}
	}
	c.FP = est.NumEdges() - c.TP
	c.FN = truth.NumEdges() - c.TP
	return c
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
