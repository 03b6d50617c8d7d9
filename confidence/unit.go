package confidence

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/trust"
)

// A Plan defines how every bootstrap sample is learned. It is a plain value from which any process derives the
// same configuration.
type Plan struct {
	Method string `json:"method"`
	// Settings is the method as JSON.
	Settings    json.RawMessage `json:"settings"`
	Standardize bool            `json:"standardize"`
	Knowledge   knowledge.Spec  `json:"knowledge"`
	Names       polydag.Names   `json:"names"`
	Seed        uint64          `json:"seed"`
	// Moments says that samples need moments only, which are cheaper to draw from a large table.
	Moments bool `json:"moments,omitempty"`
	// Methods is the list in which Method is found. Whoever decodes a plan sets it; nil is the list of module polydag.
	Methods polydag.MethodList `json:"-"`
}

// NewPlan returns the plan for learning with cfg, with the method's choices fixed as in full.
func NewPlan(cfg polydag.Config, full *polydag.Result) (*Plan, error) {
	m := cfg.Method
	if s, ok := m.(method.Settler); ok {
		m = s.Settled(full.Choices)
	}
	if _, err := cfg.Methods.Find(m.Info().Name); err != nil {
		return nil, fmt.Errorf("bootstrap samples take their method from the list Config.Methods: %w", err)
	}
	settings, err := json.Marshal(m)
	return &Plan{Moments: FromMoments(full), Method: m.Info().Name, Settings: settings, Standardize: cfg.Standardize, Knowledge: cfg.Knowledge, Names: cfg.Names, Seed: cfg.Seed, Methods: cfg.Methods}, err
}

// Config returns the configuration, for one thread.
func (p *Plan) Config() (polydag.Config, error) {
	cfg := p.Methods.Config()
	var err error
	if cfg.Method, err = p.Methods.Find(p.Method); err != nil {
		return cfg, err
	}
	if err = json.Unmarshal(p.Settings, cfg.Method); err != nil {
		return cfg, fmt.Errorf("the settings of method %s are not what it takes: %w", p.Method, err)
	}
	cfg.Standardize, cfg.Knowledge, cfg.Names, cfg.Seed, cfg.Threads, cfg.CheckScale = p.Standardize, p.Knowledge, p.Names, p.Seed, 1, polydag.CheckScaleNever
	return cfg, cfg.Validate()
}

// A Unit is one replicate to learn. It is a plain value: any process that has the table can run it, with the same outcome.
type Unit struct {
	Plan *Plan        `json:"plan"`
	Draw polydag.Draw `json:"draw"`
	// Simulated is the simulated table that the replicate is drawn from; nil for the original table.
	Simulated *SimulatedTable `json:"simulated,omitempty"`
}

// An Outcome is the result of a unit: the edges of the graph, or the reason for failure.
type Outcome struct {
	Draw   polydag.Draw `json:"draw"`
	Edges  []Edge       `json:"edges"`
	Failed string       `json:"failed,omitempty"`
}

// Edge is an edge of a replicate by column index. An edge with an open direction has the mark ---, with From and To as found.
type Edge struct {
	graph.Edge
	Mark   string  `json:"mark"`
	Weight float64 `json:"weight"` // as in polydag.Edge
}

// Do learns the replicate. from draws from the original table or, if Simulated is set, from the simulated one. A sample that cannot
// be learned from, for example with a constant column, is an outcome. Errors come from the context, an unreadable table or an
// invalid unit.
func (u Unit) Do(ctx context.Context, from *polydag.Resampler) (Outcome, error) {
	return u.do(ctx, from, nil)
}

// do is Do with the change of a Pool.
func (u Unit) do(ctx context.Context, from *polydag.Resampler, change func(*polydag.Table, polydag.Draw) (*polydag.Table, error)) (Outcome, error) {
	out := Outcome{Draw: u.Draw}
	cfg, err := u.Plan.Config()
	if err != nil {
		return out, err
	}
	draw := from.Draw
	if u.Plan.Moments && u.Simulated == nil && change == nil && u.Draw.Kind == polydag.Bootstrap {
		draw = from.DrawMoments
	}
	table, err := draw(ctx, u.Draw)
	if errors.Is(err, dataset.ErrConstant) {
		out.Failed = err.Error()
		return out, nil
	}
	if err != nil {
		return out, err
	}
	if change != nil {
		if table, err = change(table, u.Draw); err != nil {
			out.Failed = err.Error()
			return out, nil
		}
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

// Class returns the graph of the outcome over this number of columns, with open directions as undirected edges.
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

// drawn returns the edges of a DAG.
func (o Outcome) drawn() []graph.MarkedEdge {
	out := []graph.MarkedEdge{}
	for _, e := range o.Edges {
		out = append(out, trust.Drawn(e.Edge, e.Mark == "-->"))
	}
	if o.Failed != "" {
		return nil
	}
	return out
}

// FromMoments reports whether moments suffice to learn a result again and to compute its effects.
func FromMoments(res *polydag.Result) bool {
	m, err := res.Methods.Find(res.Method)
	noise := res.Choice("noise")
	return err == nil && res.Sloped() && m.Info().Needs != method.Rows && (noise == nil || noise.Chosen == "gaussian")
}

// A Relearner returns the graph of a bootstrap sample: the stored one if the result has it, otherwise it learns from the sample.
type Relearner struct {
	res    *polydag.Result
	plan   *Plan
	stored []*polydag.Result
}

// NewRelearner returns a relearner with the method, settings and prior knowledge of the result. Settings that the method chose from the
// data are fixed to their choices. No edge leads to the columns in roots.
func NewRelearner(res *polydag.Result, roots ...string) (*Relearner, error) {
	cfg, err := Restore(res)
	if err != nil {
		return nil, err
	}
	if cfg.Method.Info().Knowledge {
		cfg.Knowledge.Inputs = slices.Concat(cfg.Knowledge.Inputs, roots)
	}
	r := &Relearner{res: res}
	if r.plan, err = NewPlan(cfg, res); err != nil {
		return nil, err
	}
	if _, err := r.plan.Config(); err != nil {
		return nil, err
	}
	if c := res.Confidence; c != nil && c.Graphs != nil {
		graphs, err := c.Graphs.Graphs(len(res.Names))
		if err != nil {
			return nil, err
		}
		for _, edges := range graphs {
			r.stored = append(r.stored, r.unpacked(edges, roots))
		}
	}
	return r, nil
}

// unpacked returns a stored graph as a result; nil if there is none or an edge leads to one of the roots.
func (r *Relearner) unpacked(edges []graph.MarkedEdge, roots []string) *polydag.Result {
	if edges == nil {
		return nil
	}
	out := *r.res
	out.Kind, out.Edges, out.Confidence, out.Graph = graph.KindDAG, nil, nil, graph.New(len(out.Names))
	out.Marked = graph.NewMixed(out.Kind, len(out.Names))
	for _, e := range edges {
		if slices.Contains(roots, out.Names[e.To]) {
			return nil
		}
		own := polydag.Edge{Link: e.Named(out.Names), Mark: "-->"}
		own.Compelled = e.Directed()
		out.Edges = append(out.Edges, own)
		out.Graph.AddEdge(e.From, e.To)
		out.Marked.Set(graph.MarkedEdge{Edge: e.Edge, AtFrom: graph.Tail, AtTo: graph.Arrow})
	}
	return &out
}

// Learn returns the graph of a bootstrap sample. sample draws it, if needed.
func (r *Relearner) Learn(ctx context.Context, d polydag.Draw, sample func() (*polydag.Table, error)) (*polydag.Result, error) {
	if d.Kind == polydag.Bootstrap && d.Replicate < len(r.stored) && d.Seed == r.res.Confidence.Seed && r.stored[d.Replicate] != nil {
		return r.stored[d.Replicate], nil
	}
	t, err := sample()
	if err != nil {
		return nil, err
	}
	cfg, err := r.plan.Config() // a separate method value for each replicate
	if err != nil {
		return nil, err
	}
	return t.Learn(ctx, cfg, polydag.Run{})
}
