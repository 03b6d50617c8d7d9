package metric

import (
	"fmt"

	"github.com/polydag/polydag/graph"
)

// Hamming has the structural Hamming distance between two graphs and its parts.
type Hamming struct {
	Missing  int // edges of the truth between nodes that are not adjacent in the estimate
	Extra    int // estimated edges between nodes that are not adjacent in the truth
	Reversed int // i → j in the truth, only j → i in the estimate
}

// Distance returns the structural Hamming distance: the least number of edges to add,
// remove or reverse to turn the estimate into the truth. A reversed edge counts once.
func (h Hamming) Distance() int { return h.Missing + h.Extra + h.Reversed }

// A Difference classifies the edges of two graphs. Every edge of the estimate is in one of the first three lists, and every edge of
// the truth between nodes that are not adjacent in the estimate is missing. Lists are in the order of Edges.
type Difference struct {
	Right    []graph.Edge // in both
	Reversed []graph.Edge // in both with opposite directions, as in the estimate
	Extra    []graph.Edge // only in the estimate
	Missing  []graph.Edge // only in the truth
}

// Diff compares the edges of two graphs, pair of nodes by pair of nodes. The truth is a DAG; the estimate may have cycles. If the
// estimate has both i → j and j → i,
//
//   - if the truth has one of them, the other is one extra edge;
//   - if the truth has none, they are two extra edges.
//
// A self-loop of the estimate is one extra edge. It can also compare two estimates. O(edges · log n).
func Diff(truth, est *graph.Graph) Difference {
	sameNodes(truth.N(), est.N())
	var d Difference
	for _, e := range est.Edges() {
		switch {
		case truth.HasEdge(e.From, e.To):
			d.Right = append(d.Right, e)
		case truth.HasEdge(e.To, e.From) && !est.HasEdge(e.To, e.From): // otherwise the right direction is there too
			d.Reversed = append(d.Reversed, e)
		default:
			d.Extra = append(d.Extra, e)
		}
	}
	for _, e := range truth.Edges() {
		if !est.Adjacent(e.From, e.To) {
			d.Missing = append(d.Missing, e)
		}
	}
	return d
}

// SHD counts the lists of Diff.
func SHD(truth, est *graph.Graph) Hamming {
	d := Diff(truth, est)
	return Hamming{Missing: len(d.Missing), Extra: len(d.Extra), Reversed: len(d.Reversed)}
}

// sameNodes panics unless two graphs have the same number of nodes.
func sameNodes(truth, est int) {
	if truth != est {
		panic(fmt.Sprintf("metric: the truth has %d nodes, the estimate %d", truth, est))
	}
}
