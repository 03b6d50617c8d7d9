package effect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/method"
)

// byFormula returns the intervals of a linear model with a known graph, over all graphs of a class: estimate ± z·√variance, with
// the least-squares variance by the delta method (Bollen 1987 for path effects). ok is false if a weight has no finite variance.
func (q *study) byFormula(s *source, class []member, level float64) (low, high *figures, ok bool, err error) {
	z := normalQuantile((1 + level) / 2)
	var lows, highs []float64
	var shape *figures
	for _, m := range class {
		f, err := q.of(s, m.dag)
		if err != nil {
			return nil, nil, false, err
		}
		l, err := fitLinear(m.dag, s.moments, s.pool)
		if err != nil {
			return nil, nil, false, err
		}
		variance, known := q.variances(l, float64(s.moments.N))
		if !known {
			return nil, nil, false, nil
		}
		values, wide := f.flat(), variance.flat()
		if shape == nil {
			shape = f
			lows, highs = slices.Repeat([]float64{math.Inf(1)}, len(values)), slices.Repeat([]float64{math.Inf(-1)}, len(values))
		}
		for k, x := range values {
			lows[k], highs[k] = min(lows[k], x-z*math.Sqrt(wide[k])), max(highs[k], x+z*math.Sqrt(wide[k]))
		}
	}
	return shape.unflat(lows), shape.unflat(highs), true, nil
}

// variances returns the variances of the figures of one DAG. The mean of b under do(a = x) is mean(b) + T·(x - mean(a)). Its
// variance is that of b - T·a divided by n, plus that of T times the squared distance of x from the mean.
func (q *study) variances(l *linear, n float64) (*figures, bool) {
	step := (q.x1 - q.x0) * (q.x1 - q.x0)
	total, ok := l.variance(l.totalGradient(q.a, q.b))
	direct := 0.0
	all := ok
	if l.g.HasEdge(q.a, q.b) {
		direct, ok = l.variance(map[graph.Edge]float64{{From: q.a, To: q.b}: 1})
		all = all && ok
	}
	f := &figures{total: []float64{total * step}, direct: []float64{direct * step}}
	for _, m := range q.mediators {
		v, ok := l.variance(l.throughGradient(q.a, m, q.b))
		all = all && ok
		f.through = append(f.through, []float64{v * step})
	}
	t := l.totals(q.a)[q.b]
	around, onA := 0.0, l.onto(q.a, -1) // variance of b - T·a
	for v, x := range l.onto(q.b, -1) {
		around += l.noise[v] * (x - t*onA[v]) * (x - t*onA[v])
	}
	for _, x := range q.do {
		f.do = append(f.do, []float64{around/n + total*(x-l.mean[q.a])*(x-l.mean[q.a])})
	}
	return f, all
}

// replicate is one bootstrap sample: the figures at both ends of its class.
type replicate struct {
	low, high     []float64
	reaches, open bool
	failed        error
}

// resample draws bootstrap samples, fits each, and returns the intervals. If learn is nil every replicate has the given class.
func (q *study) resample(ctx context.Context, res *polydag.Result, t *polydag.Table, like *source, class []member, ask Question, learn func(context.Context, *polydag.Table) (*polydag.Result, error)) (low, high *figures, told *Interval, err error) {
	draws, err := t.Resampler(ctx, mechanism.MostValues*8)
	if err != nil {
		return nil, nil, nil, err
	}
	one := func(k int) replicate {
		s, graphs, err := (*source)(nil), class, error(nil)
		if learn == nil {
			s, err = like.redrawn(ctx, res, draws, ask.Seed, k)
		} else {
			var own *polydag.Result
			if s, own, err = learnedAgain(ctx, res, draws, like, ask.Seed, learn, k); err == nil {
				_, graphs, err = members(own, q.a)
			}
		}
		if err != nil {
			return replicate{failed: err}
		}
		least, most, _, err := q.over(s, graphs)
		if err != nil {
			return replicate{failed: err}
		}
		r := replicate{low: least.flat(), high: most.flat(), open: !alike(least.total, most.total)}
		for _, m := range graphs {
			r.reaches = r.reaches || m.dag.HasPath(q.a, q.b)
		}
		return r
	}
	all, err := spread(ctx, ask.Replicates, ask.Threads, ask.Observe, one)
	if err != nil {
		return nil, nil, nil, err
	}
	how := OverRows
	if learn != nil {
		how = OverGraphs
	}
	return q.gather(all, ask.Level, how)
}

// learnedAgain returns the source of replicate k and the result learned from it.
func learnedAgain(ctx context.Context, res *polydag.Result, draws *polydag.Resampler, like *source, seed uint64, learn func(context.Context, *polydag.Table) (*polydag.Result, error), k int) (*source, *polydag.Result, error) {
	drawn, err := draws.Draw(ctx, polydag.Draw{Kind: polydag.Bootstrap, Seed: seed, Replicate: k})
	if err != nil {
		return nil, nil, err
	}
	own, err := learn(ctx, drawn)
	if err != nil {
		return nil, nil, err
	}
	if own.Status == method.Canceled {
		return nil, nil, context.Cause(ctx)
	}
	s, err := newSource(ctx, res, drawn, seed+uint64(k), like)
	return s, own, err
}

// spread runs count replicates on several threads, until ctx ends.
func spread[R any](ctx context.Context, count, threads int, observe func(done, of int), one func(k int) R) ([]R, error) {
	out := make([]R, count)
	var told sync.Mutex
	done := 0
	parallel.Each(ctx, count, threads, func(int) func(int) {
		return func(k int) {
			out[k] = one(k)
			told.Lock()
			defer told.Unlock()
			if done++; observe != nil {
				observe(done, count)
			}
		}
	})
	return out, context.Cause(ctx)
}

// gather computes quantiles: the lower one of the smallest figures and the upper one of the largest, so that the interval covers
// the range over a class.
func (q *study) gather(all []replicate, level float64, how IntervalMethod) (low, high *figures, told *Interval, err error) {
	told = &Interval{Method: how, Level: level}
	var first error
	var used []replicate
	for _, r := range all {
		if r.failed != nil {
			told.Failed++
			first = errors.Join(first, r.failed)
			continue
		}
		used = append(used, r)
	}
	if told.Replicates = len(used); len(used) < 2 {
		return nil, nil, nil, fmt.Errorf("only %d of %d bootstrap samples gave an estimate, too few for an interval: %w", len(used), len(all), first)
	}
	lows, highs := make([]float64, len(used[0].low)), make([]float64, len(used[0].low))
	column := make([]float64, len(used))
	for k := range lows {
		for i, r := range used {
			column[i] = r.low[k]
		}
		slices.Sort(column)
		lows[k] = quantile(column, (1-level)/2)
		for i, r := range used {
			column[i] = r.high[k]
		}
		slices.Sort(column)
		highs[k] = quantile(column, (1+level)/2)
	}
	if how != OverRows {
		share := func(is func(replicate) bool) *float64 {
			count := 0
			for _, r := range used {
				if is(r) {
					count++
				}
			}
			s := float64(count) / float64(len(used))
			return &s
		}
		told.Paths = share(func(r replicate) bool { return r.reaches })
		told.OpenShare = share(func(r replicate) bool { return r.open })
	}
	shape := q.shape()
	return shape.unflat(lows), shape.unflat(highs), told, nil
}

// shape returns empty figures of the right size.
func (q *study) shape() *figures {
	k := len(q.shown.names)
	f := &figures{total: make([]float64, k), direct: make([]float64, k)}
	for range q.mediators {
		f.through = append(f.through, make([]float64, k))
	}
	for range q.do {
		f.do = append(f.do, make([]float64, k))
	}
	return f
}

// alike reports whether two lists agree up to rounding.
func alike(a, b []float64) bool {
	for k := range a {
		if math.Abs(a[k]-b[k]) > 1e-9*(math.Abs(a[k])+math.Abs(b[k]))+1e-12 {
			return false
		}
	}
	return true
}
