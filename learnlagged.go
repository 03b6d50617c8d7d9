package polydag

import (
	"context"
	"fmt"
	"slices"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/series"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/trust"
)

// Unrolled returns a table with lags as a table in which the lagged values are columns of their own, such as sales(t-1), and the
// configuration that makes them inputs. Fold turns a result that was learned from it into a result with lags.
func (t *Table) Unrolled(cfg Config) (*Table, Config, error) {
	if t == nil || !t.lags.folded() || cfg.Method == nil {
		return t, cfg, nil
	}
	if info := cfg.Method.Info(); !info.Knowledge || info.Continuous && !info.Time || info.Gives == graph.KindPAG {
		return nil, cfg, fault.New(ErrLags, fmt.Sprintf("method %s does not support lags", info.Name), "use %s", fault.Set("method", cfg.Methods.All()[0].Info().Name))
	}
	out := *t
	out.checks, out.lags.flat = checks{findings: t.Examine(cfg)}, true
	cfg.Knowledge = series.Present(cfg.Knowledge)
	cfg.Knowledge.Inputs = append(slices.Clone(cfg.Knowledge.Inputs), t.Moments.Names[t.lags.base.Moments.Dim():]...)
	return &out, cfg, nil
}

// SameTime returns the part of prior knowledge for a table with lags that is about values of the same time.
func SameTime(spec knowledge.Spec) knowledge.Spec { return series.SameTime(spec) }

// learnLagged learns from a table with lags.
func (t *Table) learnLagged(ctx context.Context, cfg Config, how Run) (*Result, error) {
	flat, own, err := t.Unrolled(cfg)
	if err != nil {
		return nil, err
	}
	res, err := flat.Learn(ctx, own, how)
	if res == nil {
		return nil, err
	}
	return t.Fold(cfg, res), err
}

// Fold turns a result that was learned from the unrolled table into a result over the columns at one time. Edges has those between
// values of the same time, and Lagged those from earlier values. cfg is the configuration before Unrolled.
func (t *Table) Fold(cfg Config, res *Result) *Result {
	if t == nil || !t.lags.folded() || res == nil {
		return res
	}
	d := t.lags.base.Moments.Dim()
	out := *res
	out.Names, out.Time, out.Settings, out.Sortability = res.Names[:d:d], t.TimeSeries(), cfg.record(t), nil
	if len(res.Nodes) > 0 {
		out.Nodes = res.Nodes[:d:d]
	}
	at := names.Index(res.Names)
	out.Edges, out.Lagged, out.Marked = []Edge{}, nil, graph.NewMixed(res.Kind, d)
	for k, e := range res.Marked.Edges() {
		edge := res.Edges[k]
		if lag := max(e.From, e.To) / d; lag > 0 {
			edge.From, edge.Lag = res.Names[e.From%d], lag
			out.Lagged = append(out.Lagged, edge)
			continue
		}
		out.Edges = append(out.Edges, edge)
		out.Marked.Set(e)
	}
	out.Graph = out.Marked.Directed()
	isPresent := func(name string) bool { return at[name] < d }
	out.Certificate.Order = kept(res.Certificate.Order, isPresent)
	within := func(l Link) bool { return isPresent(l.From) && isPresent(l.To) }
	out.Priors = kept(res.Priors, func(p trust.PriorOutcome) bool { return within(p.Link) })
	out.Stages = slices.Clone(res.Stages)
	for i, s := range out.Stages {
		out.Stages[i].Graph = kept(s.Graph, within)
	}
	if c := res.Confidence; c != nil {
		own := *c
		own.Graphs = nil // of the unrolled columns
		own.Pairs, own.Turned = kept(c.Pairs, func(p trust.Pair) bool { return within(p.Link) }), kept(c.Turned, within)
		out.Confidence = &own
	}
	out.Assumptions = slices.Clone(res.Assumptions)
	for i, a := range out.Assumptions {
		out.Assumptions[i].Evidence = slices.Clone(a.Evidence)
		for k, f := range a.Evidence {
			var columns []string
			for _, name := range f.Columns {
				if name = res.Names[at[name]%d]; !slices.Contains(columns, name) {
					columns = append(columns, name)
				}
			}
			out.Assumptions[i].Evidence[k].Columns = columns
		}
	}
	if checks := t.lags.checks; checks.Name != "" && len(out.Assumptions) > 0 {
		at := slices.IndexFunc(out.Assumptions, func(a trust.Assumption) bool { return a.Name == trust.IndependentRows })
		out.Assumptions = slices.Insert(out.Assumptions, at+1, checks)
	}
	return &out
}

// Block returns the length of the blocks of rows that a bootstrap draws from an unrolled table: (√6·ρ/(1-ρ²))^(2/3)·n^(1/3) for the
// median correlation ρ of neighbouring values (Carlstein 1986). It is 1 for other tables.
func (t *Table) Block() int {
	if !t.lags.flat {
		return 1
	}
	return series.Block(t.Moments, t.Kinds, t.lags.base.Moments.Dim(), t.Rows())
}
