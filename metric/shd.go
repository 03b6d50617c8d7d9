package metric

import (
	"fmt"

	"github.com/polydag/polydag/graph"
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

// A Difference sorts the edges of two graphs. Every edge of the estimate is in one of the first three lists, and every edge of the
// truth between nodes that the estimate does not join is missing. Lists are in the order of Edges.
type Difference struct {
	Right    []graph.Edge // in both
	Reversed []graph.Edge // in both, the other way round; as in the estimate
	Extra    []graph.Edge // in the estimate alone
	Missing  []graph.Edge // in the truth alone
}

// Diff compares the edges of two graphs, pair of nodes by pair of nodes. The truth is a DAG; the estimate may have cycles. Where
// the estimate has both i → j and j → i,
//
//   - if the truth has one of them, the other is one extra edge;
//   - if the truth has none, they are two extra edges.
//
// A self-loop of the estimate is one extra edge. Neither graph need be true: of two answers the first list is what they share.
// O(edges · log n).
func Diff(truth, est *graph.Graph) Difference {
	sameNodes(truth.N(), est.N())
	var d Difference
	for _, e := range est.Edges() {
		switch {
		case truth.HasEdge(e.From, e.To):
			d.Right = append(d.Right, e)
		case truth.HasEdge(e.To, e.From) && !est.HasEdge(e.To, e.From): // else the right direction is there, and this one too
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
