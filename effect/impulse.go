package effect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/polydag/polydag"
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
	q := k.study
	values, err := model.respond(ctx, q.a, by, k.Horizon)
	if err != nil {
		return err
	}
	answer := k.answer
	answer.Identification, answer.Reason = Identified, "by the graph, assuming no hidden confounders (untestable)"
	if c.links.arrivals(q.a)[q.b] > k.Horizon {
		answer.Identification, answer.Reason = None, fmt.Sprintf("no path leads from %s to %s within %d steps", k.Of, k.On, k.Horizon)
	}
	answer.Effects, answer.TimeStep, answer.Impulse = []Effect{}, k.res.Time.Step, c.responses(k, values)
	if slices.ContainsFunc(k.res.Edges, func(e polydag.Edge) bool { return e.Verdict != polydag.Directed && e.Verdict != "" }) {
		k.note("some directions between values of the same time are not stated; the responses use those of the graph")
	}
	if c.flat == nil || k.Replicates == 0 {
		return nil
	}
	fit, err := c.replicate(k.GivenGraph)
	if err != nil {
		return err
	}
	drawn, err := redrawn(ctx, c.flat, k.Replicates, k.Threads, k.Seed, k.Observe, func(ctx context.Context, t *polydag.Table) ([][]float64, error) {
		m, err := fit(ctx, t)
		if err != nil {
			return nil, err
		}
		return m.respond(ctx, q.a, by, k.Horizon)
	})
	if err != nil {
		return err
	}
	c.bound(answer.Impulse, k, drawn)
	answer.Interval = &Interval{Method: OverGraphs, Level: k.Level, Replicates: len(drawn), Failed: k.Replicates - len(drawn)}
	if k.GivenGraph {
		answer.Interval.Method = OverRows
	}
	return nil
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
		return cmp.Or(errors.Join(errs[:]...), askf("the contrast is between %s and itself; give two values", k.Start))
	}
	c.Start, c.End = label(nil, k.study.x0), label(nil, k.study.x1)
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

// impulse writes the responses.
func (p *page) impulse(a *Answer) {
	if len(a.Impulse) == 0 {
		return
	}
	p.linef("")
	what, change := a.On, fmt.Sprintf("after a change of %s by 1 unit", a.Of)
	if a.Impulse[0].Outcome != "" {
		what = "the probability of each value of " + a.On
	}
	switch c := a.Contrast; {
	case c.Change != 0:
		change = fmt.Sprintf("after a change of %s by %s (one standard deviation of its noise)", a.Of, number(c.Change))
	case !c.Unit:
		change = fmt.Sprintf("for %s = %s instead of %s", a.Of, c.End, c.Start)
	}
	p.linef("Change in %s %s that lasts one step (%s):", what, change, a.TimeStep)
	rows := [][]string{{"step", "value of " + a.On, "estimate", p.interval}}
	for _, r := range a.Impulse {
		rows = append(rows, []string{fmt.Sprint(r.Step), r.Outcome, number(r.Value), limits(r.Quantity)})
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
