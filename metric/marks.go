package metric

import "github.com/polydag/polydag/graph"

// Marks compares two graphs with a mark at each end of an edge: CPDAGs, PAGs, or one of each kind that is left of a CPDAG.
// The truth of a DAG is its CPDAG, and that of a DAG with hidden nodes its PAG.
type Marks struct {
	Kind           graph.Kind `json:"kind"`   // of the truth
	Hidden         int        `json:"hidden"` // nodes of the true DAG that the estimate is not over
	Nodes          int        `json:"nodes"`
	EdgesTrue      int        `json:"edges_true"`
	EdgesEstimated int        `json:"edges_estimated"`

	// Pairs that are joined, whatever the marks.
	AdjacencyPrecision float64 `json:"adjacency_precision"`
	AdjacencyRecall    float64 `json:"adjacency_recall"`
	// Ends with an arrowhead, and with a tail on an edge whose other end has an arrowhead. One is right if the truth joins the
	// same pair and has the same mark there: with an edge that is not true its arrowheads are wrong, too.
	ArrowheadPrecision float64 `json:"arrowhead_precision"`
	ArrowheadRecall    float64 `json:"arrowhead_recall"`
	TailPrecision      float64 `json:"tail_precision"`
	TailRecall         float64 `json:"tail_recall"`

	// SHD is the least number of changes that turn the estimate into the truth, where a change is an edge put in or taken
	// out, or another mark at one end. Of a reversed edge both ends count.
	SHD int `json:"shd"`

	// SIDLower and SIDUpper are the least and the largest SID of a DAG of the estimated class. They are nil where it was not asked for,
	// the estimate is no class of DAGs, or the class is too large.
	SIDLower *int `json:"sid_lower,omitempty"`
	SIDUpper *int `json:"sid_upper,omitempty"`
}

// CompareMarks counts where two graphs differ. O(edges).
func CompareMarks(truth, est *graph.Mixed) Marks {
	sameNodes(truth.N(), est.N())
	m := Marks{Kind: truth.Kind(), Nodes: truth.N(), EdgesTrue: truth.NumEdges(), EdgesEstimated: est.NumEdges()}
	var joined, heads, tails Confusion
	// count looks at one end: its mark in both graphs, 0 where they do not join the pair, and the mark at the other end.
	count := func(c *Confusion, counts func(own, other graph.Mark) bool, t, tOther, e, eOther graph.Mark) {
		inTruth, inEst := counts(t, tOther), counts(e, eOther)
		switch {
		case inTruth && inEst:
			c.TP++
		case inEst:
			c.FP++
		case inTruth:
			c.FN++
		}
	}
	head := func(own, _ graph.Mark) bool { return own == graph.Arrow }
	tail := func(own, other graph.Mark) bool { return own == graph.Tail && other == graph.Arrow }
	visit := func(e graph.MarkedEdge) {
		t, inTruth := truth.Between(e.From, e.To)
		g, inEst := est.Between(e.From, e.To)
		switch {
		case inTruth && inEst:
			joined.TP++
			if t.AtFrom != g.AtFrom {
				m.SHD++
			}
			if t.AtTo != g.AtTo {
				m.SHD++
			}
		case inEst:
			joined.FP++
			m.SHD++
			t = graph.MarkedEdge{}
		default:
			joined.FN++
			m.SHD++
			g = graph.MarkedEdge{}
		}
		count(&heads, head, t.AtFrom, t.AtTo, g.AtFrom, g.AtTo)
		count(&heads, head, t.AtTo, t.AtFrom, g.AtTo, g.AtFrom)
		count(&tails, tail, t.AtFrom, t.AtTo, g.AtFrom, g.AtTo)
		count(&tails, tail, t.AtTo, t.AtFrom, g.AtTo, g.AtFrom)
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
