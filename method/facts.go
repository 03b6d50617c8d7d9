package method

import "github.com/polydag/polydag/graph"

// Direction is what a method states about the direction of one edge.
type Direction int

const (
	DirectionUnstated Direction = iota // Answer.Identified applies
	DirectionSettled
	DirectionOpen // both directions fit about equally well; overrides Answer.Identified
)

// EdgeFacts are the facts about one edge that a result shows. A method fills those that it knows, and a nil pointer is a value that it does
// not know.
type EdgeFacts struct {
	// Effect describes an effect that is not a slope: a probability table, means by category, or a curve. It is nil under a
	// linear model and if the method does not describe effects.
	Effect *Effect `json:"effect,omitempty"`
	// Compelled reports whether the model identifies the direction. A method leaves it false: it follows from EdgeRecord.Direction,
	// Answer.Identified, the equivalence class and prior knowledge. With unequal variances, under discrete and mixed models, and
	// under a flexible model whose effects are all linear, these are the compelled edges of the Markov equivalence class, given
	// prior knowledge, and with interventions of the interventional class. With equal variances it is every edge. With nonlinear effects it
	// is every edge except those that graphs of the equivalence class reverse, one after another, at a total score loss below 10, and those
	// of columns whose noise depends on the parents. With non-Gaussian noise it includes the edges that DirectionP decides. Compelled does
	// not say whether the model fits the table: see Verdict.
	Compelled bool `json:"compelled"`
	// Turned reports that one of up to four parts of the rows, learned separately, compels the reverse direction. With a Budget it
	// reports that the graph without a budget does not compel the direction. It is computed under a discrete model.
	Turned bool `json:"turned,omitempty"`
	// Turning is the score loss of reversing the edge, in bits per row, with all else unchanged. It is set if the model
	// identifies directions by fit (smooth effects, interventions). It is nil if the reversal would close a cycle.
	Turning *float64 `json:"turning,omitempty"`
	// Reversal is by how much the score of the best known graph with the edge reversed is worse, on the scale of twice the
	// log-likelihood (ΔBIC). Other edges of that graph may change too; Turning reverses this edge only. 0 means that a graph with
	// the edge reversed scores at least as well, as can be after bootstrap samples reversed edges. It is nil if the method does not compute
	// it. For a linear, discrete or mixed model it is also nil if the equivalence class, with prior knowledge, leaves the direction open;
	// with interventions it is set for every edge.
	Reversal *float64 `json:"reversal,omitempty"`
	// DirectionP is the p-value of the test of Vuong (1989) of this direction against the reversed edge, corrected for the number
	// of edges by Holm's method. It is set under a model with non-Gaussian noise. A value of at most trust.NoiseLevel, 0.05, decides
	// the direction.
	DirectionP *float64 `json:"direction_p,omitempty"`
	// HiddenCause says whether a hidden common cause of From and To is excluded, possible or implied. Excluded means that a cause that
	// changes the effect by more than about a fifth would have been detected. It is "" if the method does not examine hidden causes:
	// auto does, unless the table has environments or interventions.
	HiddenCause HiddenCause `json:"hidden_cause,omitempty"`
}

// An EdgeRecord is what a method knows about one directed edge: the facts that a result shows, and what only the weight, the gain and the
// verdict need.
type EdgeRecord struct {
	graph.Edge
	EdgeFacts
	Direction Direction
	// Weight is the slope in the units of the input: of the moments or, for a model that reads rows, of the rows. If it is nil, the
	// least-squares slope is used.
	Weight *float64
	// Gain is the score gain of the edge, in bits per row. If it is nil, the least-squares gain is used.
	Gain *float64
	// HiddenDeltaBIC is by how much the score improves, on the scale of twice the log-likelihood, if a hidden common cause replaces this
	// edge or makes it unnecessary. It is nil if no test can tell.
	HiddenDeltaBIC *float64
	// Unseen reports that a rank test over all rows of a table with interventions does not show the edge. Its evidence is in a few rows.
	Unseen bool
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
func EdgeRecords(g *graph.Graph) []EdgeRecord {
	out := make([]EdgeRecord, 0, g.NumEdges())
	for _, e := range g.Edges() {
		out = append(out, EdgeRecord{Edge: e})
	}
	return out
}

// Weighted returns a record with its weight for each edge of g.
func Weighted(g *graph.Graph, weight func(from, to int) float64) []EdgeRecord {
	out := EdgeRecords(g)
	for i, e := range out {
		out[i].Weight = new(weight(e.From, e.To))
	}
	return out
}

// ByNoise sets the p-values of the directions from the shape of the noise. Directions with a p-value of at most level are settled
// and the others are open. It returns the number of settled ones.
func ByNoise(edges []EdgeRecord, p []float64, level float64) (settled int) {
	for i := range edges {
		edges[i].Direction, edges[i].DirectionP = DirectionOpen, &p[i]
		if p[i] <= level {
			edges[i].Direction = DirectionSettled
			settled++
		}
	}
	return settled
}
