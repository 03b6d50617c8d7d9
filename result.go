package polydag

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/dag"
	"github.com/polydag/polydag/diagnose"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// Schema names the layout of Result in JSON. It changes when a field changes its meaning or goes.
const Schema = "polydag.result/1"

// Result is what was learned, how, and the receipt.
type Result struct {
	Schema      string               `json:"schema"`
	Method      Method               `json:"method"`
	Status      solve.Status         `json:"status"`
	Cause       string               `json:"cause,omitempty"` // why it ended early
	Names       []string             `json:"names"`
	Rows        int                  `json:"rows"`
	Edges       []Edge               `json:"edges"`
	Certificate diagnose.Certificate `json:"certificate"`
	Settings    map[string]any       `json:"settings"` // as used
	Seed        uint64               `json:"seed"`
	Steps       int                  `json:"steps"` // taken
	Score       float64              `json:"score"` // of W before thresholding
	Timing      Timing               `json:"timing"`

	// W is the matrix before thresholding, on the scale that it was learned on; entry (i, j) is the
	// edge Names[i] → Names[j]. It is not part of the JSON: it has d² entries.
	W *matrix.Dense[float64] `json:"-"`
	// Graph holds Edges by index.
	Graph *dag.Graph `json:"-"`
}

// Edge is one directed edge.
type Edge struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Weight is the change of To, in its units, for one unit of From, all else fixed.
	Weight float64 `json:"weight"`
	// Standardized is the weight with both columns scaled to unit variance.
	Standardized float64 `json:"standardized"`
}

// Timing is the one part of a result that differs between two runs with the same seed.
type Timing struct {
	ReadSeconds  float64 `json:"read_seconds"`
	SolveSeconds float64 `json:"solve_seconds"`
	Threads      int     `json:"threads"`
}

// edges lists the edges of g with their weights in W. W was learned on columns divided by scale
// (all ones where they were taken as they are); std are the standard deviations of the data.
func edges(g *dag.Graph, w *matrix.Dense[float64], names []string, scale, std []float64) []Edge {
	out := make([]Edge, 0, g.NumEdges())
	for _, e := range g.Edges() {
		weight := w.At(e.From, e.To) * scale[e.To] / scale[e.From]
		out = append(out, Edge{
			From: names[e.From], To: names[e.To],
			Weight: weight, Standardized: weight * std[e.From] / std[e.To],
		})
	}
	return out
}

// finite guards the one promise of every output: no NaN and no Inf.
func (r *Result) finite() error {
	check := func(what string, v float64) error {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("polydag: %s is %v; this is a bug, please report it with the data's moments", what, v)
		}
		return nil
	}
	for _, e := range r.Edges {
		if err := check(fmt.Sprintf("the weight of %s → %s", e.From, e.To), e.Weight+e.Standardized); err != nil {
			return err
		}
	}
	return check("the score", r.Score)
}
