// Package describe describes the graph of a method's answer: weights and score gains by least squares, the directions that the
// equivalence class and prior knowledge compel, and the verdict on each edge.
package describe

import (
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/role"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// Data is what an answer was learned from.
type Data struct {
	Moments      *dataset.Moments
	Environments *dataset.Environments // nil for a single environment
	Order        []int                 // canonical column order
	Place        []int                 // place of each column in Order
	Known        *knowledge.Knowledge
	// Informed reports that Known is not empty.
	Informed bool
	// Names is what the names of the columns say; nil if they do not count.
	Names role.Readings
}

// An Answer is a method's answer with the data that it was learned from. The environments have the detected changes as targets.
type Answer struct {
	*method.Answer
	Data
	Directed *graph.Graph  // the directed edges of the graph
	pool     *dataset.Pool // moments of the rows that count for each column
	facts    map[graph.Edge]method.EdgeFacts
	classes  *classes // nil before the first use
}

// New returns an answer whose columns are those of the data.
func New(a *method.Answer, data Data) (*Answer, error) {
	out := &Answer{Answer: a, Data: data, Directed: a.Graph.Directed(), facts: a.FactsByEdge()}
	if r := data.Environments; r != nil && r.Unknown {
		told := *r
		told.Unknown, told.Targets = false, make([][]int, len(told.Names))
		for _, c := range a.Changes {
			told.Targets[c.Environment] = append(told.Targets[c.Environment], c.Column)
		}
		for _, targets := range told.Targets {
			slices.Sort(targets)
		}
		out.Environments = &told
	}
	var err error
	out.pool, err = dataset.NewPool(data.Moments, out.Environments)
	return out, err
}

// An Edge is an edge of the graph with its description. An edge that is not directed has a HiddenCause only.
type Edge struct {
	graph.MarkedEdge
	Facts        method.EdgeFacts // what the method knows
	Weight       float64          // slope in the units of the data, of the method or else of least squares
	Standardized float64          // Weight with both columns standardized
	Gain         float64          // score gain in bits per row, of the method or else of least squares
	Compelled    bool             // the model identifies the direction
	HiddenCause  method.HiddenCause
}

// Edges describes the edges of the graph, in its order. Without gains, Gain is set only if the method knows it.
func (a *Answer) Edges(gains bool) ([]Edge, error) {
	class, err := a.compelled()
	if err != nil {
		return nil, err
	}
	directed := a.Directed.Edges()
	var weight, gain map[graph.Edge]float64 // least-squares values for edges that the method did not weigh
	if slices.ContainsFunc(directed, func(e graph.Edge) bool { return a.facts[e].Weight == nil }) {
		if weight, err = a.leastSquares(); err != nil {
			return nil, err
		}
	}
	if gains && slices.ContainsFunc(directed, func(e graph.Edge) bool { return a.facts[e].Gain == nil }) {
		gain = a.gains(a.Directed)
	}
	std := a.Moments.Std()
	out := make([]Edge, 0, a.Graph.NumEdges())
	for _, e := range a.Graph.Edges() {
		edge := Edge{MarkedEdge: e}
		switch f := a.facts[e.Edge]; {
		case e.Directed():
			edge.Facts, edge.HiddenCause = f, f.HiddenCause
			if edge.Weight = weight[e.Edge]; f.Weight != nil {
				edge.Weight = *f.Weight
			}
			if edge.Gain = gain[e.Edge]; f.Gain != nil {
				edge.Gain = *f.Gain
			}
			edge.Standardized = edge.Weight * std[e.From] / std[e.To]
			edge.Compelled = a.Identified && f.Direction != method.DirectionOpen || class.compelled(e)
		case a.Graph.Kind() == graph.KindPAG:
			edge.HiddenCause = method.HiddenPossible
			if e.AtFrom == graph.Arrow && e.AtTo == graph.Arrow {
				edge.HiddenCause = method.HiddenImplied
			}
		}
		out = append(out, edge)
	}
	return out, nil
}

// linear reports whether all effects are slopes.
func (a *Answer) linear() bool { return a.Effects == "" || a.Effects == score.LinearEffects }

// chosen returns the method's choice for a setting, or nil.
func (a *Answer) chosen(setting string) *method.Choice {
	for i, c := range a.Choices {
		if c.Setting == setting {
			return &a.Choices[i]
		}
	}
	return nil
}

// chose reports whether the method chose a value for a setting.
func (a *Answer) chose(setting, value string) bool {
	c := a.chosen(setting)
	return c != nil && c.Chosen == value
}
