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
	"github.com/polydag/polydag/trust"
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
	records  map[graph.Edge]method.EdgeRecord
	classes  *classes // nil before the first use
}

// New returns an answer whose columns are those of the data.
func New(a *method.Answer, data Data) (*Answer, error) {
	out := &Answer{Answer: a, Data: data, Directed: a.Graph.Directed(), records: make(map[graph.Edge]method.EdgeRecord, len(a.Edges))}
	for _, r := range a.Edges {
		out.records[r.Edge] = r
	}
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

// Edges describes the edges of the graph, in its order and without verdicts. An edge that is not directed has a HiddenCause only.
// Without gains, Gain is set only if the method knows it.
func (a *Answer) Edges(gains bool) ([]trust.Edge, error) {
	class, err := a.compelled()
	if err != nil {
		return nil, err
	}
	directed := a.Directed.Edges()
	var weight, gain map[graph.Edge]float64 // least-squares values for edges that the method did not weigh
	if slices.ContainsFunc(directed, func(e graph.Edge) bool { return a.records[e].Weight == nil }) {
		if weight, err = a.leastSquares(); err != nil {
			return nil, err
		}
	}
	if gains && slices.ContainsFunc(directed, func(e graph.Edge) bool { return a.records[e].Gain == nil }) {
		gain = a.gains(a.Directed)
	}
	std := a.Moments.Std()
	out := make([]trust.Edge, 0, a.Graph.NumEdges())
	for _, e := range a.Graph.Edges() {
		edge := trust.Edge{Link: e.Named(a.Moments.Names), Mark: e.Symbol()}
		switch r := a.records[e.Edge]; {
		case e.Directed():
			edge.EdgeFacts, edge.Weight, edge.Gain = r.EdgeFacts, weight[e.Edge], gain[e.Edge]
			if r.Weight != nil {
				edge.Weight = *r.Weight
			}
			if r.Gain != nil {
				edge.Gain = *r.Gain
			}
			edge.Standardized = edge.Weight * std[e.From] / std[e.To]
			edge.Compelled = a.Identified && r.Direction != method.DirectionOpen || class.compelled(e.Edge)
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
