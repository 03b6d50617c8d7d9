package confidence

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/method"
)

// A Plan is how every replicate is learned. It is a plain value, from which another process makes the same configuration.
type Plan struct {
	Method string `json:"method"`
	// Settings is the method itself, which is a struct of its settings, as JSON.
	Settings    json.RawMessage `json:"settings"`
	Standardize bool            `json:"standardize"`
	Knowledge   knowledge.Spec  `json:"knowledge"`
	Seed        uint64          `json:"seed"`
}

// NewPlan returns the plan of learning with cfg, with everything that the method left to the data fixed as in full.
func NewPlan(cfg polydag.Config, full *polydag.Result) (*Plan, error) {
	m := cfg.Method
	if s, ok := m.(method.Settler); ok {
		m = s.Settled(full.Choices)
	}
	settings, err := json.Marshal(m)
	return &Plan{Method: m.Info().Name, Settings: settings, Standardize: cfg.Standardize, Knowledge: cfg.Knowledge, Seed: cfg.Seed}, err
}

// Config returns the configuration, for one thread.
func (p *Plan) Config() (polydag.Config, error) {
	cfg := polydag.DefaultConfig()
	var err error
	if cfg.Method, err = polydag.FindMethod(p.Method); err != nil {
		return cfg, err
	}
	if err = json.Unmarshal(p.Settings, cfg.Method); err != nil {
		return cfg, fmt.Errorf("the settings of method %s are not what it takes: %w", p.Method, err)
	}
	cfg.Standardize, cfg.Knowledge, cfg.Seed, cfg.Threads, cfg.CheckScale = p.Standardize, p.Knowledge, p.Seed, 1, polydag.CheckScaleNever
	return cfg, cfg.Validate()
}

// A Unit is one replicate that is to be learned. It is a plain value: any process that has the table can do it, and every one of them
// comes to the same outcome.
type Unit struct {
	Plan *Plan        `json:"plan"`
	Draw polydag.Draw `json:"draw"`
	// Simulated is the table, like the one at hand, that the replicate is drawn from; nil is the one at hand.
	Simulated *SimulatedTable `json:"simulated,omitempty"`
}

// An Outcome is what became of a unit: the edges of the graph, or why there is none.
type Outcome struct {
	Draw   polydag.Draw `json:"draw"`
	Edges  []Edge       `json:"edges"`
	Failed string       `json:"failed,omitempty"`
}

// Edge is an edge of a replicate, by the numbers of the columns. One whose direction is open has the mark ---, and From and To as in
// the graph that was found.
type Edge struct {
	graph.Edge
	Mark   string  `json:"mark"`
	Weight float64 `json:"weight"` // as in polydag.Edge
}

// Do learns the replicate. from draws from the table at hand or, where Simulated is set, from the one that it names. A table that cannot be
// learned from, such as one of which a column has one value in all rows drawn, is an outcome; the errors are those of the context, of a table
// that cannot be read, and of a unit that is none.
func (u Unit) Do(ctx context.Context, from *polydag.Resampler) (Outcome, error) {
	out := Outcome{Draw: u.Draw}
	cfg, err := u.Plan.Config()
	if err != nil {
		return out, err
	}
	table, err := from.Draw(ctx, u.Draw)
	if errors.Is(err, dataset.ErrConstant) {
		out.Failed = err.Error()
		return out, nil
	}
	if err != nil {
		return out, err
	}
	res, err := table.Learn(ctx, cfg, polydag.Run{})
	switch {
	case ctx.Err() != nil:
		return out, context.Cause(ctx)
	case err != nil:
		out.Failed = err.Error()
		return out, nil
	}
	for _, e := range res.Marked.Edges() {
		out.Edges = append(out.Edges, Edge{Edge: e.Edge, Mark: e.Symbol()})
	}
	for k, e := range res.Edges { // in the order of Marked
		out.Edges[k].Weight = e.Weight
		if e.Directed() && !e.Compelled {
			out.Edges[k].Mark = "---"
		}
	}
	return out, nil
}

// Class returns the graph of the outcome over so many columns, in which edges whose direction is open have none.
func (o Outcome) Class(columns int) (*graph.Mixed, error) {
	m := graph.NewMixed(graph.KindAverage, columns)
	for _, e := range o.Edges {
		atFrom, atTo, err := graph.ParseSymbol(e.Mark)
		if err != nil {
			return nil, err
		}
		if e.From == e.To || min(e.From, e.To) < 0 || max(e.From, e.To) >= columns {
			return nil, fmt.Errorf("replicate %d has an edge between columns %d and %d, of %d", o.Draw.Replicate, e.From, e.To, columns)
		}
		m.Set(graph.MarkedEdge{Edge: e.Edge, AtFrom: atFrom, AtTo: atTo})
	}
	return m, nil
}
