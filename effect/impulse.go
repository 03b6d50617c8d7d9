package effect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/names"
)

// A Response is the change of On some time steps after Of was set to another value for one step. Outcome is the category whose
// probability changes; it is empty for the mean of a number.
type Response struct {
	Step    int    `json:"step"`
	Outcome string `json:"outcome,omitempty"`
	Quantity
}

// impulses answers a question about a result with lags: the responses over a horizon, with intervals from blocks of rows if there is a
// table.
func (k *asked) impulses(ctx context.Context) error {
	if len(k.Do) > 0 { // rows and given values need one
		return askf("a result with lags has impulse responses only; compare two values of %s with from and to", k.Of)
	}
	if k.Horizon < 0 || k.Horizon > 1000 {
		return askf("horizon = %d; want 0 to 1000 steps", k.Horizon)
	}
	c, err := newCourse(ctx, k.res, k.table, k.Seed, k.Threads)
	if err != nil {
		return err
	}
	model, err := c.fit(estimatePaths)
	if err != nil {
		return err
	}
	by, err := c.asks(ctx, k, model)
	if err != nil {
		return err
	}
	found, err := model.respond(ctx, k.study.a, by, k.Horizon)
	if err != nil {
		return err
	}
	k.answer.Effects, k.answer.TimeStep, k.answer.Impulse = []Effect{}, k.res.Time.Step, c.responses(k, found)
	c.identify(k)
	if c.flat == nil || k.Replicates == 0 {
		return nil
	}
	return c.intervals(ctx, k, by)
}

// identify says what the responses of a question rest on.
func (c *course) identify(k *asked) {
	answer, q := k.answer, k.study
	answer.Identification, answer.Reason = Identified, "by the graph, assuming no hidden confounders (untestable)"
	switch {
	case c.links.arrival(q.a, q.b) <= k.Horizon:
		answer.DependsOn = c.dependsOn(k)
	default:
		answer.Identification, answer.Reason = None, fmt.Sprintf("no path leads from %s to %s within %d steps", k.Of, k.On, k.Horizon)
		if q.a != q.b {
			answer.Reversed = k.reversed(k.unstated())
		}
	}
	if slices.ContainsFunc(k.res.Edges, func(e polydag.Edge) bool { return e.Verdict != "" && e.Reversible() }) {
		k.note("some directions between values of the same time are not stated; the responses use those of the graph")
	}
}

// intervals sets the intervals of the responses to a shock by bootstrap samples of blocks of rows.
func (c *course) intervals(ctx context.Context, k *asked, by shock) error {
	fit, err := c.replicate(k.GivenGraph)
	if err != nil {
		return err
	}
	drawn, err := redrawn(ctx, c.flat, k.Replicates, k.Threads, k.Seed, k.Observe, func(ctx context.Context, t *polydag.Table) (trajectory, error) {
		m, err := fit(ctx, t)
		if err != nil {
			return nil, err
		}
		return m.respond(ctx, k.study.a, by, k.Horizon)
	})
	if err != nil {
		return err
	}
	c.bound(k.answer.Impulse, k, drawn)
	k.answer.Interval = &Interval{Method: OverGraphs, Level: k.Level, Replicates: len(drawn), Failed: k.Replicates - len(drawn)}
	if k.GivenGraph {
		k.answer.Interval.Method = OverRows
	}
	return nil
}

// dependsOn returns the edges without a stated direction on paths from a to b within the horizon, and those into a without a lag.
func (c *course) dependsOn(k *asked) (out []Unstated) {
	at, same, first := names.Index(c.res.Names), k.unstated(), c.links.arrivals(k.study.a)
	for _, e := range c.res.AllEdges() {
		from, to := at[e.From], at[e.To]
		u, ok := same[[2]int{from, to}]
		if e.Lag > 0 {
			u = Unstated{Link: polydag.Link{From: names.Lagged(e.From, e.Lag), To: e.To}, Probability: e.PAdjacent}
			ok = e.Verdict == polydag.Weak
		}
		rest := c.links.arrivals(to)[k.study.b]
		on := max(first[from], rest) < never && first[from]+e.Lag+rest <= k.Horizon
		if ok && (on || e.Lag == 0 && to == k.study.a) {
			out = append(out, u)
		}
	}
	return out
}

// unit sets the contrast of linear effects: one unit, or the two values of the question.
func (k *asked) unit() error {
	c := &k.answer.Contrast
	if k.Start == "" {
		k.study.x0, k.study.x1, c.Unit = 0, 1, true
		return nil
	}
	var errs [2]error
	for i, text := range []string{k.Start, k.End} {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || x-x != 0 {
			errs[i] = askf("%s = %q: want a number", k.Of, text)
		}
		k.study.x0, k.study.x1 = k.study.x1, x
	}
	if k.study.x0 == k.study.x1 {
		return cmp.Or(errors.Join(errs[:]...), askf("both values to compare are %s; give two different values", k.Start))
	}
	c.Start, c.End = kind.Label(nil, k.study.x0), kind.Label(nil, k.study.x1)
	return errors.Join(errs[:]...)
}

// redrawn returns a figure of each of several bootstrap samples of blocks of rows, without those that fail. It returns an error if fewer
// than two remain.
func redrawn[T any](ctx context.Context, flat *polydag.Table, count, threads int, seed uint64, observe func(done, of int), of func(context.Context, *polydag.Table) (T, error)) ([]T, error) {
	from, err := flat.Resampler(ctx, 1<<30)
	if err != nil {
		return nil, err
	}
	type outcome struct {
		value T
		err   error
	}
	all, err := spread(ctx, count, threads, observe, func(i int) outcome {
		t, err := from.Draw(ctx, polydag.Draw{Kind: polydag.Bootstrap, Seed: seed, Replicate: i})
		if err != nil {
			return outcome{err: err}
		}
		value, err := of(ctx, t)
		return outcome{value, err}
	})
	if err != nil {
		return nil, err
	}
	var out []T
	var first error
	for _, o := range all {
		if o.err == nil {
			out = append(out, o.value)
		}
		first = cmp.Or(first, o.err)
	}
	if len(out) < 2 {
		return nil, fmt.Errorf("the bootstrap samples have no responses: %w", first)
	}
	return out, nil
}

// An impulse is a column that is set for one step, with the questions about the responses of others.
type impulse struct {
	column int
	by     shock
	asked  []*asked
}

// allImpulses answers a survey of a result with lags: the responses of every other column that a change reaches within the default
// horizon, with intervals that assume a known graph if there is a table.
func allImpulses(ctx context.Context, res *polydag.Result, table *polydag.Table, set SurveySettings) (*Survey, error) {
	c, err := newCourse(ctx, res, table, set.Seed, set.Threads)
	if err != nil {
		return nil, err
	}
	horizon := NewQuestion("", "").Horizon
	paths, err := c.surveyedPaths(set, horizon)
	if err != nil {
		return nil, err
	}
	model, err := c.fit(paths)
	if err != nil {
		return nil, err
	}
	pairs := c.links.reached(horizon)
	out := &Survey{Answers: []*Answer{}, Pairs: len(pairs)}
	all, err := c.impulses(ctx, pairs[:min(len(pairs), set.MostPairs)], model, set.Level)
	if err != nil {
		return nil, err
	}
	drawn, err := c.samples(ctx, set, all, horizon)
	if err != nil {
		return nil, err
	}
	for i, one := range all {
		found, err := model.respond(ctx, one.column, one.by, horizon)
		if err != nil {
			return nil, err
		}
		own := make([]trajectory, len(drawn))
		for s := range drawn {
			own[s] = drawn[s][i]
		}
		for _, k := range one.asked {
			k.answer.Impulse = c.responses(k, found)
			if len(own) > 0 {
				c.bound(k.answer.Impulse, k, own)
				k.answer.Interval = &Interval{Method: OverRows, Level: set.Level, Replicates: len(own)}
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

// surveyedPaths returns the number of paths of a simulation for which the work of a survey suffices.
func (c *course) surveyedPaths(set SurveySettings, horizon int) (int, error) {
	if c.rows == nil {
		return estimatePaths, nil
	}
	paths := int(min(estimatePaths, (set.MostWork/2-c.fitWork())/c.responseWork(horizon)))
	if paths < surveyPaths {
		return 0, fault.New(ErrTooWide, "the responses of all pairs would take too long", "ask for one pair of columns with polydag effect")
	}
	return paths, nil
}

// impulses returns the questions about pairs, by the column that is set.
func (c *course) impulses(ctx context.Context, pairs []graph.Edge, model dynamics, level float64) (all []impulse, err error) {
	all = make([]impulse, len(c.res.Names))
	for _, pair := range pairs {
		k := newAsked(c.res, nil, Question{Of: c.res.Names[pair.From], On: c.res.Names[pair.To], Level: level})
		k.survey, k.study.a, k.study.b = true, pair.From, pair.To
		k.answer.Model, k.answer.Identification, k.answer.Effects, k.answer.TimeStep = c.res.Model, Identified, []Effect{}, c.res.Time.Step
		one := &all[pair.From]
		if one.by, err = c.asks(ctx, k, model); err != nil {
			return nil, err
		}
		one.column, one.asked = pair.From, append(one.asked, k)
	}
	return slices.DeleteFunc(all, func(one impulse) bool { return one.asked == nil }), nil
}

// samples returns the responses to the impulses in each of several bootstrap samples: as many as the work allows, none without a table.
func (c *course) samples(ctx context.Context, set SurveySettings, all []impulse, horizon int) ([][]trajectory, error) {
	if c.flat == nil {
		return nil, nil
	}
	left, fit, each := set.MostWork, c.fitWork(), 0.0
	if c.rows != nil {
		left /= 2 // the rest is for the estimates
		each = c.responseWork(horizon)
		c.paths = min(samplePaths, max(surveyPaths, int((left/float64(max(1, set.Replicates))-fit)/each)))
	}
	count := int(min(float64(set.Replicates), left/(fit+float64(c.paths)*each)))
	if count < leastReplicates {
		return nil, nil
	}
	return redrawn(ctx, c.flat, count, set.Threads, set.Seed, nil, func(ctx context.Context, t *polydag.Table) ([]trajectory, error) {
		m, err := c.refit(ctx, c.links, t)
		if err != nil {
			return nil, err
		}
		out := make([]trajectory, len(all))
		for i, one := range all {
			if out[i], err = m.respond(ctx, one.column, one.by, horizon); err != nil {
				return nil, err
			}
		}
		return out, nil
	})
}

// reached lists the pairs of different columns of which the first has a path to the second within the horizon, nearest first.
func (p *process) reached(horizon int) (out []graph.Edge) {
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
