package metric

import "github.com/polydag/polydag/graph"

// Marks compares two graphs with a mark at each end of an edge, such as CPDAGs and PAGs. The truth for a DAG is its CPDAG, and for
// a DAG with hidden nodes its PAG.
type Marks struct {
	Kind           graph.Kind `json:"kind"`   // kind of the truth
	Hidden         int        `json:"hidden"` // nodes of the true DAG that are hidden from the estimate
	Nodes          int        `json:"nodes"`
	EdgesTrue      int        `json:"edges_true"`
	EdgesEstimated int        `json:"edges_estimated"`

	// Adjacent pairs, whatever the marks.
	AdjacencyPrecision float64 `json:"adjacency_precision"`
	AdjacencyRecall    float64 `json:"adjacency_recall"`
	// Arrowheads, and tails of edges with an arrowhead at the other end. A mark is right if the truth has the same pair with the
	// same mark there.
	ArrowheadPrecision float64 `json:"arrowhead_precision"`
	ArrowheadRecall    float64 `json:"arrowhead_recall"`
	TailPrecision      float64 `json:"tail_precision"`
	TailRecall         float64 `json:"tail_recall"`

	// SHD is the smallest number of changes that turn the estimate into the truth, where a change adds or removes an edge or
	// changes the mark at one end. A reversed edge counts twice.
	SHD int `json:"shd"`

	// SIDLower and SIDUpper are the smallest and largest SID of a DAG in the estimated class. They are nil if not requested, if the
	// estimate is not a class of DAGs, or if the class is too large.
	SIDLower *int `json:"sid_lower,omitempty"`
	SIDUpper *int `json:"sid_upper,omitempty"`
}

// CompareMarks counts where two graphs differ. O(edges).
func CompareMarks(truth, est *graph.Mixed) Marks {
	sameNodes(truth.N(), est.N())
	m := Marks{Kind: truth.Kind(), Nodes: truth.N(), EdgesTrue: truth.NumEdges(), EdgesEstimated: est.NumEdges()}
	var joined, heads, tails Confusion
	count := func(c *Confusion, inTruth, inEst bool) {
		switch {
		case inTruth && inEst:
			c.TP++
		case inEst:
			c.FP++
		case inTruth:
			c.FN++
		}
	}
	// end compares one end: its mark in both graphs, 0 without an edge, and the mark at the other end.
	end := func(t, tOther, e, eOther graph.Mark) {
		count(&heads, t == graph.Arrow, e == graph.Arrow)
		count(&tails, t == graph.Tail && tOther == graph.Arrow, e == graph.Tail && eOther == graph.Arrow)
	}
	visit := func(e graph.MarkedEdge) {
		t, inTruth := truth.Between(e.From, e.To)
		g, inEst := est.Between(e.From, e.To)
		count(&joined, inTruth, inEst)
		switch {
		case !inTruth:
			t = graph.MarkedEdge{}
			m.SHD++
		case !inEst:
			g = graph.MarkedEdge{}
			m.SHD++
		default:
			if t.AtFrom != g.AtFrom {
				m.SHD++
			}
			if t.AtTo != g.AtTo {
				m.SHD++
			}
		}
		end(t.AtFrom, t.AtTo, g.AtFrom, g.AtTo)
		end(t.AtTo, t.AtFrom, g.AtTo, g.AtFrom)
	}
	for _, e := range est.Edges() {
		visit(e)
	}
	for _, e := range truth.Edges() {
		if _, ok := est.Between(e.From, e.To); !ok {
			visit(e)
		}
	}
	m.AdjacencyPrecision, m.AdjacencyRecall = joined.Precision(), joined.Recall()
	m.ArrowheadPrecision, m.ArrowheadRecall = heads.Precision(), heads.Recall()
	m.TailPrecision, m.TailRecall = tails.Precision(), tails.Recall()
	return m
}
