package method

import "github.com/polydag/polydag/graph"

// Direction is what a method states about the direction of one edge.
type Direction int

const (
	DirectionUnstated Direction = iota // Answer.Identified applies
	DirectionSettled
	DirectionOpen // both directions fit about equally well; overrides Answer.Identified
)

// EdgeFacts is what a method knows about one directed edge. A nil pointer is a value that the method does not know.
type EdgeFacts struct {
	graph.Edge
	Direction Direction
	// DirectionP is the p-value of the direction by the shape of the noise, corrected for the number of edges.
	DirectionP *float64
	// ReversalBits is the loss of score, in bits per row, if only this edge is reversed; nil if that closes a cycle.
	ReversalBits *float64
	// ReversalLoss is the loss of score of the best known graph with the edge reversed, on the scale of twice the log-likelihood.
	// It is nil for an edge that is undirected in the equivalence class with prior knowledge.
	ReversalLoss *float64
	// ReversedInPart reports that a part of the rows, learned separately, directs the edge the other way.
	ReversedInPart bool
	// Unseen reports that a rank test over all rows of a table with interventions does not show the edge. Its evidence is in a few rows.
	Unseen bool
	// Weight is the slope in the units of the input: of the moments or, for a model that reads rows, of the rows. If it is nil, the
	// least-squares slope is used.
	Weight *float64
	// Gain is the score gain of the edge, in bits per row. If it is nil, the least-squares gain is used.
	Gain *float64
	// Effect describes an effect that is not a slope.
	Effect *Effect
	// HiddenCause is "" if the method does not examine hidden common causes.
	HiddenCause HiddenCause
	// HiddenGain is by how much the score improves, on the scale of twice the log-likelihood, if a hidden common cause replaces this
	// edge or makes it unnecessary. It is nil if no test can tell.
	HiddenGain *float64
}

// HiddenCause says what is known about a hidden common cause of the ends of an edge.
type HiddenCause string

const (
	HiddenExcluded HiddenCause = "excluded" // the edge is visible, and tests support it clearly
	HiddenPossible HiddenCause = "possible" // no test can exclude it, or the tests are not clear
	HiddenImplied  HiddenCause = "implied"  // ↔ fits better than the edge
)

// NodeFacts is what a method knows about one column. A nil pointer is a value that the method does not know.
type NodeFacts struct {
	// Explained is the share of the column's uncertainty that its parents remove. If it is nil, R² is used.
	Explained *float64
}

// EdgeRecords returns a record for each edge of g, in the order of g.Edges.
func EdgeRecords(g *graph.Graph) []EdgeFacts {
	out := make([]EdgeFacts, 0, g.NumEdges())
	for _, e := range g.Edges() {
		out = append(out, EdgeFacts{Edge: e})
	}
	return out
}

// Weighted returns a record with its weight for each edge of g.
func Weighted(g *graph.Graph, weight func(from, to int) float64) []EdgeFacts {
	out := EdgeRecords(g)
	for i, e := range out {
		out[i].Weight = new(weight(e.From, e.To))
	}
	return out
}

// ByNoise sets the p-values of the directions from the shape of the noise. Directions with a p-value of at most level are settled
// and the others are open. It returns the number of settled ones.
func ByNoise(edges []EdgeFacts, p []float64, level float64) (settled int) {
	for i := range edges {
		edges[i].Direction, edges[i].DirectionP = DirectionOpen, &p[i]
		if p[i] <= level {
			edges[i].Direction = DirectionSettled
			settled++
		}
	}
	return settled
}

// FactsByEdge returns the records by edge. An edge without a record has the zero value.
func (a *Answer) FactsByEdge() map[graph.Edge]EdgeFacts {
	out := make(map[graph.Edge]EdgeFacts, len(a.Edges))
	for _, e := range a.Edges {
		out[e.Edge] = e
	}
	return out
}
