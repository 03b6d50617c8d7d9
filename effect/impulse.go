package effect

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/score"
)

// A Response is the change of On some time steps after a change of Of by one unit that lasts one step.
type Response struct {
	Step int `json:"step"`
	Quantity
}

// process is a linear process in the units of the columns.
type process struct {
	order []int // the columns in topological order of the edges without a lag
	into  [][]laggedWeight
}

type laggedWeight struct {
	from, lag int
	weight    float64
}

// processOf returns the process of a linear result with lags.
func processOf(res *polydag.Result) (*process, error) {
	if res.Graph == nil || res.Kind != graph.KindDAG || res.Model != "" && res.Model != score.LinearEffects {
		return nil, fault.New(ErrQuestion, fmt.Sprintf("impulse responses need a DAG with linear effects; the graph is a %s with %s effects", res.Kind, res.Model), "learn with %s", fault.Set("model", "linear"))
	}
	order, err := res.Graph.Order()
	if err != nil {
		return nil, err
	}
	at := names.Index(res.Names)
	p := &process{order: order, into: make([][]laggedWeight, len(res.Names))}
	for _, e := range res.AllEdges() {
		p.into[at[e.To]] = append(p.into[at[e.To]], laggedWeight{at[e.From], e.Lag, e.Weight})
	}
	return p, nil
}

// impulse returns the change of column b at the steps 0 to horizon after a change of column a by 1 at step 0.
func (p *process) impulse(a, b, horizon int) []float64 {
	out := make([]float64, horizon+1)
	for t, x := range p.impulses(a, horizon) {
		out[t] = x[b]
	}
	return out
}

// impulses returns the changes of all columns by step.
func (p *process) impulses(a, horizon int) [][]float64 {
	x := make([][]float64, horizon+1)
	for t := range x {
		x[t] = make([]float64, len(p.order))
		for _, v := range p.order {
			if t == 0 && v == a {
				x[t][v] = 1
				continue
			}
			for _, e := range p.into[v] {
				if e.lag <= t {
					x[t][v] += e.weight * x[t-e.lag][e.from]
				}
			}
		}
	}
	return x
}

// refitted returns the process with weights fitted to the moments of an unrolled table.
func (p *process) refitted(m *dataset.Moments) (*process, error) {
	d := len(p.order)
	g := graph.New(m.Dim())
	for v, into := range p.into {
		for _, e := range into {
			if e.lag*d+e.from >= m.Dim() {
				return nil, fmt.Errorf("the table has fewer lags than the result; give it with the same flags")
			}
			g.AddEdge(e.lag*d+e.from, v)
		}
	}
	pool, err := dataset.NewPool(m, nil)
	if err != nil {
		return nil, err
	}
	l, err := fitLinear(g, m, pool)
	if err != nil {
		return nil, err
	}
	out := &process{order: p.order, into: make([][]laggedWeight, d)}
	for v, into := range p.into {
		for _, e := range into {
			e.weight = l.weight[graph.Edge{From: e.lag*d + e.from, To: v}]
			out.into[v] = append(out.into[v], e)
		}
	}
	return out, nil
}

// relearned returns the process of a graph that was learned from an unrolled table of d columns and their lags.
func relearned(res *polydag.Result, d int) (*process, error) {
	order, err := res.Graph.Order()
	if err != nil {
		return nil, err
	}
	p := &process{order: slices.DeleteFunc(order, func(v int) bool { return v >= d }), into: make([][]laggedWeight, d)}
	for k, e := range res.Marked.Edges() {
		p.into[e.To] = append(p.into[e.To], laggedWeight{e.From % d, e.From / d, res.Edges[k].Weight})
	}
	return p, nil
}

// replicate returns a function that fits the process of a bootstrap sample: with a graph of its own, or with that of the result.
func (k *asked) replicate(p *process, own polydag.Config) (func(context.Context, *polydag.Table) (*process, error), error) {
	if k.GivenGraph {
		return func(_ context.Context, t *polydag.Table) (*process, error) { return p.refitted(t.Moments) }, nil
	}
	plan, err := confidence.NewPlan(own, k.res)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, t *polydag.Table) (*process, error) {
		cfg, err := plan.Config() // a separate method value for each replicate
		if err != nil {
			return nil, err
		}
		res, err := t.Learn(ctx, cfg, polydag.Run{})
		if err != nil {
			return nil, err
		}
		return relearned(res, len(p.order))
	}, nil
}

// impulses answers a question about a result with lags: the responses over a horizon, with intervals from blocks of rows if there is a
// table.
func (k *asked) impulses(ctx context.Context) error {
	if len(k.Do) > 0 || k.Row > 0 || len(k.Given) > 0 || k.Start != "" || k.End != "" {
		return askf("a result with lags has impulse responses only; leave out the values of %s", k.Of)
	}
	if k.Horizon < 0 || k.Horizon > 1000 {
		return askf("horizon = %d; want 0 to 1000 steps", k.Horizon)
	}
	p, err := processOf(k.res)
	if err != nil {
		return err
	}
	a, b := k.study.a, k.study.b
	values := p.impulse(a, b, k.Horizon)
	answer := k.answer
	answer.Identification, answer.Reason, answer.Contrast = Identified, "by the graph, assuming no hidden confounders (untestable)", Contrast{Unit: true}
	if !slices.ContainsFunc(values, func(x float64) bool { return x != 0 }) {
		answer.Identification, answer.Reason = None, fmt.Sprintf("no path leads from %s to %s within %d steps", k.Of, k.On, k.Horizon)
	}
	answer.Effects, answer.TimeStep = []Effect{}, k.res.Time.Step
	for h, x := range values {
		answer.Impulse = append(answer.Impulse, Response{Step: h, Quantity: Quantity{Value: x}})
	}
	if slices.ContainsFunc(k.res.Edges, func(e polydag.Edge) bool { return e.Verdict != polydag.Directed && e.Verdict != "" }) {
		k.note("some directions between values of the same time are not stated; the responses use those of the graph")
	}
	if k.table == nil || k.Replicates == 0 {
		return nil
	}
	cfg, err := confidence.Restore(k.res)
	if err != nil {
		return err
	}
	flat, own, err := k.table.Unrolled(cfg)
	if err != nil {
		return err
	}
	fit, err := k.replicate(p, own)
	if err != nil {
		return err
	}
	all, err := redrawn(ctx, flat, k.Replicates, k.Threads, k.Seed, fit)
	if err != nil {
		return err
	}
	drawn := make([][][]float64, len(all))
	for i, own := range all {
		drawn[i] = own.impulses(a, k.Horizon)
	}
	bound(answer.Impulse, drawn, b, k.Level)
	answer.Interval = &Interval{Method: OverGraphs, Level: k.Level, Replicates: len(all), Failed: k.Replicates - len(all)}
	if k.GivenGraph {
		answer.Interval.Method = OverRows
	}
	return nil
}

// redrawn fits processes to bootstrap samples of blocks of rows, without those that fail. It returns an error if fewer than two remain.
func redrawn(ctx context.Context, flat *polydag.Table, count, threads int, seed uint64, fit func(context.Context, *polydag.Table) (*process, error)) ([]*process, error) {
	from, err := flat.Resampler(ctx, 1<<30)
	if err != nil {
		return nil, err
	}
	all, faults := make([]*process, count), make([]error, count)
	parallel.Each(ctx, count, threads, func(int) func(int) {
		return func(i int) {
			t, err := from.Draw(ctx, polydag.Draw{Kind: polydag.Bootstrap, Seed: seed, Replicate: i})
			if err == nil {
				all[i], err = fit(ctx, t)
			}
			faults[i] = err
		}
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if all = slices.DeleteFunc(all, func(p *process) bool { return p == nil }); len(all) < 2 {
		return nil, fmt.Errorf("the bootstrap samples have no responses: %w", cmp.Or(faults...))
	}
	return all, nil
}

// bound sets the intervals of the responses of column b from those of bootstrap samples, by sample and step.
func bound(list []Response, drawn [][][]float64, b int, level float64) {
	column := make([]float64, len(drawn))
	for h := range list {
		for i, x := range drawn {
			column[i] = x[h][b]
		}
		slices.Sort(column)
		low, high := quantile(column, (1-level)/2), quantile(column, (1+level)/2)
		put(&list[h].Quantity, low, high)
	}
}

// impulse writes the responses.
func (p *page) impulse(a *Answer) {
	if len(a.Impulse) == 0 {
		return
	}
	p.linef("")
	p.linef("Change in %s after a change of %s by 1 unit that lasts one step (%s):", a.On, a.Of, a.TimeStep)
	rows := [][]string{{"step", "estimate", p.interval}}
	for _, r := range a.Impulse {
		rows = append(rows, []string{fmt.Sprint(r.Step), number(r.Value), limits(r.Quantity)})
	}
	p.grid(rows)
	if a.Interval != nil {
		how := "each with its own graph"
		if a.Interval.Method == OverRows {
			how = "given the graph"
		}
		p.linef("Intervals: %d bootstrap samples of blocks of rows, %s.", a.Interval.Replicates, how)
	}
}
