package trust

import (
	"math"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
)

// An Edge is one edge of a learned graph, by the names of its columns: what the method found, and what is concluded from it. It is the edge
// of a result and of everything that reports one.
type Edge struct {
	graph.Link
	// Lag is the number of time steps from From to To; 0 for values of the same time.
	Lag int `json:"lag,omitempty"`
	// Mark is -->, ---, <->, o->, o-- or o-o. In a DAG every mark is -->, also that of an edge whose direction is not stated:
	// Verdict says what is stated.
	Mark string `json:"mark"`
	// Gain is the score gain in bits per row: by how much -2·log-likelihood is larger without the edge, minus the penalty of
	// the edge, divided by 2·n·ln 2. It has the same meaning in every model. It is 0 if Mark is not -->.
	Gain float64 `json:"gain,omitempty"`
	// Weight is the change of To, in its units, per unit of From with all other parents fixed, if From acts on To, whatever
	// the Verdict. A binary column counts as a number; two words are 0 and 1. It is 0 if Mark is not -->, if one of the two
	// columns has three or more categories, and under a discrete model. Under a smooth model it is the slope of the best linear fit,
	// under a flexible model the mean slope between the 5 % and the 95 % quantile of From.
	Weight float64 `json:"weight"`
	// Standardized is the weight with both columns standardized.
	Standardized float64 `json:"standardized"`
	// EdgeFacts has the fields Effect, Compelled, Turned, Turning, Reversal, DirectionP and HiddenCause.
	method.EdgeFacts
	// Judgement has the fields Verdict, Confidence, PAdjacent, PDirection, Basis and Evidence.
	Judgement
}

// Directed reports whether the edge is From → To in the graph, whatever its verdict.
func (e Edge) Directed() bool { return e.Mark == "-->" }

// Reversible reports whether the edge may be the other way round: its direction is not stated, and prior knowledge does not decide it. A
// graph that was not learned has no verdicts; then the equivalence class decides.
func (e Edge) Reversible() bool {
	if e.Verdict == "" {
		return !e.Compelled
	}
	return e.Verdict != Directed && e.Basis != ByKnowledge
}

// RestsOn says in one word what the stated direction rests on: you, names, model or rules, or time for an edge with a lag. It is empty if
// no direction is stated.
func (e Edge) RestsOn() string {
	switch {
	case e.Verdict != Directed:
		return ""
	case e.Lag > 0:
		return "time"
	}
	return e.Basis.Word()
}

// Size is Gain on a scale from 0 to 1, for drawings: √(1 - 2^(-2·Gain)), the correlation of two Gaussian columns with that mutual
// information. It is 0 for an edge with a negative gain, and the absolute standardized weight for one without a gain.
func (e Edge) Size() float64 {
	if e.Gain == 0 {
		return min(math.Abs(e.Standardized), 1)
	}
	return math.Sqrt(-math.Expm1(-2 * math.Ln2 * max(e.Gain, 0)))
}
