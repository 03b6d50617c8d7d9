package metric

import (
	"fmt"

	"github.com/polydag/polydag/dag"
)

// Hamming holds the structural Hamming distance between two graphs and what it is made of.
type Hamming struct {
	Missing  int // edges of the truth between nodes that the estimate does not join
	Extra    int // estimated edges between nodes that the truth does not join
	Reversed int // i → j in the truth, only j → i in the estimate
}

// Distance returns the structural Hamming distance: the least number of edges to add,
// remove or reverse to turn the estimate into the truth. A reversed edge counts once.
func (h Hamming) Distance() int { return h.Missing + h.Extra + h.Reversed }

// SHD compares the edges of two graphs, pair of nodes by pair of nodes. The truth is a DAG;
// the estimate may have cycles. Where the estimate has both i → j and j → i,
//
//   - if the truth has one of them, the other is one extra edge;
//   - if the truth has none, they are two extra edges.
//
// A self-loop of the estimate is one extra edge. O(edges · log n).
func SHD(truth, est *dag.Graph) Hamming {
	sameNodes(truth.N(), est.N())
	var h Hamming
	for _, e := range est.Edges() {
		switch {
		case truth.HasEdge(e.From, e.To):
		case !truth.HasEdge(e.To, e.From):
			h.Extra++
		case est.HasEdge(e.To, e.From): // the right direction is there, and this one too
			h.Extra++
		default:
			h.Reversed++
		}
	}
	for _, e := range truth.Edges() {
		if !est.Adjacent(e.From, e.To) {
			h.Missing++
		}
	}
	return h
}

// sameNodes panics unless two graphs have the same number of nodes.
func sameNodes(truth, est int) {
	if truth != est {
		panic(fmt.Sprintf("metric: the truth has %d nodes, the estimate %d", truth, est))
	}
}
