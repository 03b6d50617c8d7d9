package effect

import (
	"context"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/explain"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
)

// allImpulses answers a survey of a result with lags: the responses of every other column that a change reaches within the default
// horizon, with intervals that assume a known graph if there is a table.
func allImpulses(ctx context.Context, res *polydag.Result, table *polydag.Table, set SurveySettings) (*Survey, error) {
	c, err := newCourse(ctx, res, table, set.Seed, set.Threads)
	if err != nil {
		return nil, err
	}
	horizon := NewQuestion("", "").Horizon
	out := &Survey{Answers: []*Answer{}}
	pairs := c.links.reached(horizon)
	out.Pairs = len(pairs)
	pairs = pairs[:min(len(pairs), set.MostPairs)]
	paths := estimatePaths
	if c.rows != nil {
		each := c.pathWork(horizon) * float64(len(res.Names))
		if paths = int(min(estimatePaths, (set.MostWork/2-c.fitWork())/each)); paths < surveyPaths {
			return nil, fault.New(ErrTooWide, "the responses of all pairs would take too long", "ask for one pair of columns with polydag effect")
		}
	}
	model, err := c.fit(paths)
	if err != nil {
		return nil, err
	}
	byColumn, shocks := make([][]*asked, len(res.Names)), make([]shock, len(res.Names))
	for _, pair := range pairs {
		k := &asked{Question: Question{Of: res.Names[pair.From], On: res.Names[pair.To], Level: set.Level}, survey: true, res: res, answer: &Answer{
			Schema: Schema, Of: res.Names[pair.From], On: res.Names[pair.To], Model: res.Model, Rows: res.Rows, Caution: explain.Caution,
			Identification: Identified, Effects: []Effect{}, TimeStep: res.Time.Step,
		}}
		k.study.a, k.study.b = pair.From, pair.To
		if shocks[pair.From], err = c.asks(ctx, k, model); err != nil {
			return nil, err
		}
		byColumn[pair.From] = append(byColumn[pair.From], k)
	}
	drawn, err := c.samples(ctx, set, byColumn, shocks, horizon)
	if err != nil {
		return nil, err
	}
	for a, list := range byColumn {
		if len(list) == 0 {
			continue
		}
		values, err := model.respond(ctx, a, shocks[a], horizon)
		if err != nil {
			return nil, err
		}
		own := make([][][]float64, len(drawn))
		for i := range drawn {
			own[i] = drawn[i][a]
		}
		for _, k := range list {
			k.answer.Impulse = c.responses(k, values)
			if len(drawn) > 0 {
				c.bound(k.answer.Impulse, k, own)
				k.answer.Interval = &Interval{Method: OverRows, Level: set.Level, Replicates: len(drawn)}
			}
			if err := k.answer.finite(); err != nil {
				return nil, err
			}
			k.answer.each(func(x *float64) { *x = six(*x) })
			out.Answers = append(out.Answers, k.answer)
		}
	}
	return out, nil
}

// samples returns the responses of bootstrap samples, by sample, column that is set, step and figure: as many samples as the work
// allows, none without a table.
func (c *course) samples(ctx context.Context, set SurveySettings, byColumn [][]*asked, shocks []shock, horizon int) ([][][][]float64, error) {
	if c.flat == nil {
		return nil, nil
	}
	left, fit, each := set.MostWork, c.fitWork(), 0.0
	if c.rows != nil {
		left /= 2 // the rest is for the estimates
		each = c.pathWork(horizon) * float64(len(byColumn))
		c.paths = min(samplePaths, max(surveyPaths, int((left/float64(max(1, set.Replicates))-fit)/each)))
	}
	count := int(min(float64(set.Replicates), left/(fit+float64(c.paths)*each)))
	if count < leastReplicates {
		return nil, nil
	}
	return redrawn(ctx, c.flat, count, set.Threads, set.Seed, nil, func(ctx context.Context, t *polydag.Table) ([][][]float64, error) {
		m, err := c.refit(ctx, c.links, t)
		if err != nil {
			return nil, err
		}
		out := make([][][]float64, len(byColumn))
		for a, list := range byColumn {
			if len(list) == 0 {
				continue
			}
			if out[a], err = m.respond(ctx, a, shocks[a], horizon); err != nil {
				return nil, err
			}
		}
		return out, nil
	})
}

// reached lists the pairs of different columns of which the first has a path to the second within the horizon, nearest first.
func (p *process) reached(horizon int) (out []graph.Descent) {
	g := graph.New(len(p.order))
	for v, into := range p.into {
		for _, e := range into {
			if e.from != v && e.lag <= horizon {
				g.AddEdge(e.from, v)
			}
		}
	}
	for _, pair := range g.Descents() {
		if pair.From != pair.To && p.arrivals(pair.From)[pair.To] <= horizon {
			out = append(out, pair)
		}
	}
	return out
}
