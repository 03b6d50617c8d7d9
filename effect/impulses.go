package effect

import (
	"context"
	"fmt"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/explain"
	"github.com/polydag/polydag/graph"
)

// allImpulses answers a survey of a result with lags: the responses of every other column that a change reaches within the default
// horizon, with intervals that assume a known graph if there is a table.
func allImpulses(ctx context.Context, res *polydag.Result, table *polydag.Table, set SurveySettings) (*Survey, error) {
	p, err := processOf(res)
	if err != nil {
		return nil, err
	}
	samples, err := set.processes(ctx, p, table)
	if err != nil {
		return nil, err
	}
	horizon := NewQuestion("", "").Horizon
	out := &Survey{Answers: []*Answer{}}
	pairs := p.reached(horizon)
	out.Pairs = len(pairs)
	pairs = pairs[:min(len(pairs), set.MostPairs)]
	byColumn := make([][]int, len(p.order))
	for _, pair := range pairs {
		byColumn[pair.a] = append(byColumn[pair.a], pair.b)
	}
	for a, onto := range byColumn {
		if len(onto) == 0 {
			continue
		}
		values := p.impulses(a, horizon)
		drawn := make([][][]float64, len(samples))
		for i, own := range samples {
			drawn[i] = own.impulses(a, horizon)
		}
		for _, b := range onto {
			answer := &Answer{
				Schema: Schema, Of: res.Names[a], On: res.Names[b], Model: res.Model, Rows: res.Rows, Caution: explain.Caution,
				Identification: Identified, Contrast: Contrast{Unit: true}, Effects: []Effect{}, TimeStep: res.Time.Step,
			}
			for h := range values {
				answer.Impulse = append(answer.Impulse, Response{Step: h, Quantity: Quantity{Value: values[h][b]}})
			}
			if len(samples) > 0 {
				bound(answer.Impulse, drawn, b, set.Level)
				answer.Interval = &Interval{Method: OverRows, Level: set.Level, Replicates: len(samples)}
			}
			if err := answer.finite(); err != nil {
				return nil, err
			}
			answer.each(func(x *float64) { *x = six(*x) })
			out.Answers = append(out.Answers, answer)
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return out, nil
}

// processes returns the processes of as many bootstrap samples as the work allows, none without a table.
func (set SurveySettings) processes(ctx context.Context, p *process, table *polydag.Table) ([]*process, error) {
	if table == nil {
		return nil, nil
	}
	flat, _, err := table.Unrolled(polydag.DefaultConfig())
	if err != nil {
		return nil, err
	}
	wide := flat.Moments.Dim()
	if len(p.order) == 0 || wide%len(p.order) != 0 {
		return nil, fmt.Errorf("the table has %d columns and lagged columns, and the result has %d columns; give the table with the same flags", wide, len(p.order))
	}
	count := min(set.Replicates, int(set.MostWork/(float64(flat.Rows())*float64(wide*wide))))
	if count < leastReplicates {
		return nil, nil
	}
	return redrawn(ctx, flat, count, set.Threads, set.Seed, func(_ context.Context, t *polydag.Table) (*process, error) { return p.refitted(t.Moments) })
}

// reached lists the pairs of different columns of which the first has a path to the second within the horizon, nearest first.
func (p *process) reached(horizon int) (out []descended) {
	g := graph.New(len(p.order))
	for v, into := range p.into {
		for _, e := range into {
			if e.from != v && e.lag <= horizon {
				g.AddEdge(e.from, v)
			}
		}
	}
	for _, pair := range descent(g) {
		if pair.a != pair.b {
			out = append(out, pair)
		}
	}
	return out
}
