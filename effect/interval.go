package effect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/method"
)

// byFormula returns the intervals of a linear model with a known graph, over all graphs of a class: estimate ± z·√variance, with
// the least-squares variance by the delta method (Bollen 1987 for path effects). ok is false if a weight has no finite variance.
func (q *study) byFormula(s *source, class []member, level float64) (e ends, ok bool, err error) {
	z := normalQuantile((1 + level) / 2)
	var all []ends
	for _, m := range class {
		f, err := q.of(s, m.dag)
		if err != nil {
			return ends{}, false, err
		}
		l, err := fitLinear(m.dag, s.moments, s.pool)
		if err != nil {
			return ends{}, false, err
		}
		variance, known := q.variances(l, float64(s.moments.N))
		if !known {
			return ends{}, false, nil
		}
		lows, highs := f.flat(), f.flat()
		for k, v := range variance.flat() {
			lows[k], highs[k] = lows[k]-z*math.Sqrt(v), highs[k]+z*math.Sqrt(v)
		}
		all = append(all, ends{f.unflat(lows), f.unflat(highs)})
	}
	return all[0].joined(all[1:]...), true, nil
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
	// least and most are the smallest and the largest total effects in the graphs of the class with a directed path; nil without one.
	least, most []float64
	failed      error
}

// joint has the bootstrap samples that several questions share.
type joint struct {
	asks  []*asked
	drawn map[bool]map[*asked][]replicate // by whether the graph is given
}

// evaluation computes the figures of a bootstrap sample.
type evaluation func(*asked, *source, *polydag.Result) (replicate, error)

// resample draws bootstrap samples, evaluates each, and returns the intervals. Unless the graph is given, a result is learned from each
// sample; otherwise evaluate gets the result of the question.
func (k *asked) resample(ctx context.Context, givenGraph bool, evaluate evaluation) (ends, *Interval, error) {
	j := cmp.Or(k.joint, &joint{asks: []*asked{k}, drawn: map[bool]map[*asked][]replicate{}})
	if j.drawn[givenGraph] == nil {
		if err := j.draw(ctx, k, givenGraph, evaluate); err != nil {
			return ends{}, nil, err
		}
	}
	return k.study.gather(j.drawn[givenGraph][k], k.Level, map[bool]IntervalMethod{false: OverGraphs, true: OverRows}[givenGraph])
}

// draw draws the samples with the settings of k and evaluates all questions on each.
func (j *joint) draw(ctx context.Context, k *asked, givenGraph bool, evaluate evaluation) error {
	draws, err := k.table.Resampler(ctx, mechanism.MostValues*8)
	if err != nil {
		return err
	}
	var learn *confidence.Relearner
	if !givenGraph {
		roots := k.rootColumns()
		if learn, err = confidence.NewRelearner(k.res, roots...); err != nil {
			return err
		}
		for _, ask := range j.asks {
			ask.root = slices.Contains(roots, ask.Of) && ask.class != nil && ask.class[0].dag.HasPath(ask.study.a, ask.study.b)
		}
	}
	draw := draws.Draw
	if confidence.FromMoments(k.res) {
		draw = draws.DrawMoments
	}
	one := func(r int) (*source, *polydag.Result, error) {
		if givenGraph {
			s, err := k.source.redrawn(ctx, k.res, draws, k.Seed, r)
			return s, k.res, err
		}
		number := polydag.Draw{Kind: polydag.Bootstrap, Seed: k.Seed, Replicate: r}
		drawn, err := draw(ctx, number)
		if err != nil {
			return nil, nil, err
		}
		own, err := learn.Learn(ctx, number, func() (*polydag.Table, error) { return drawn, nil })
		if err != nil {
			return nil, nil, err
		}
		if own.Status == method.Canceled {
			return nil, nil, context.Cause(ctx)
		}
		s, err := newSource(ctx, k.res, drawn, k.Seed+uint64(r), k.source)
		return s, own, err
	}
	all, err := spread(ctx, k.Replicates, k.Threads, k.Observe, func(r int) []replicate {
		s, own, err := one(r)
		if err == nil && len(j.asks) > 1 {
			s.keep()
		}
		out := make([]replicate, len(j.asks))
		for i, ask := range j.asks {
			if err == nil {
				err = context.Cause(ctx)
			}
			if err != nil {
				out[i] = replicate{failed: err}
				continue
			}
			out[i] = caught(evaluate(ask, s, own))
			s.forget(own.Graph)
		}
		return out
	})
	if err != nil {
		return err
	}
	lists := make(map[*asked][]replicate, len(j.asks))
	for i, ask := range j.asks {
		for _, of := range all {
			lists[ask] = append(lists[ask], of[i])
		}
	}
	j.drawn[givenGraph] = lists
	return nil
}

// caught returns a replicate or one that failed.
func caught(r replicate, err error) replicate {
	if err != nil {
		return replicate{failed: err}
	}
	return r
}

// figures computes the figures of a bootstrap sample: for the class of the question, or for that of a result that was learned from it.
func (k *asked) figures(s *source, own *polydag.Result) (replicate, error) {
	class := k.class
	if own != k.res {
		var err error
		if _, class, err = s.members(own, k.study.a, k.stated); err != nil {
			return replicate{}, err
		}
	}
	reaches := slices.ContainsFunc(class, func(m member) bool { return m.dag.HasPath(k.study.a, k.study.b) })
	if k.root && own != k.res && !reaches {
		class = []member{k.study.joined(class[0])}
	}
	e, all, err := k.study.over(s, class)
	if err != nil {
		return replicate{}, err
	}
	r := replicate{low: e.low.flat(), high: e.high.flat(), open: !alike(e.low.total, e.high.total), reaches: reaches}
	r.least, r.most = k.study.existing(class, all)
	return r, nil
}

// joined returns a graph with an edge from a root to b. Nothing causes a root, so the rows estimate its effect whether or not a graph has it,
// and 0 in the graphs without it would be a choice after a look at the rows.
func (q *study) joined(m member) member {
	m.dag = m.dag.Clone()
	m.dag.AddEdge(q.a, q.b)
	return m
}

// existing returns the smallest and the largest total effects in the graphs with a directed path, nil if there are none.
func (q *study) existing(class []member, all []*figures) (least, most []float64) {
	for i, m := range class {
		if !m.dag.HasPath(q.a, q.b) {
			continue
		}
		if least == nil {
			least, most = slices.Clone(all[i].total), slices.Clone(all[i].total)
		}
		for o, x := range all[i].total {
			least[o], most[o] = min(least[o], x), max(most[o], x)
		}
	}
	return least, most
}

// leastExisting is the number of samples with a directed path for an interval if the effect exists.
const leastExisting = 10

// ifExists computes the interval of each total effect from the graphs in which it exists; nil if it exists in all or in too few.
func ifExists(used []replicate, level float64) (out []Limits) {
	var least, most [][]float64
	always := true
	for _, r := range used {
		always = always && r.least != nil && alike(r.least, r.low[:len(r.least)]) && alike(r.most, r.high[:len(r.most)])
		for o, x := range r.least {
			if len(least) == o {
				least, most = append(least, nil), append(most, nil)
			}
			least[o], most[o] = append(least[o], x), append(most[o], r.most[o])
		}
	}
	if always || len(least) == 0 || len(least[0]) < leastExisting {
		return nil
	}
	for o := range least {
		slices.Sort(least[o])
		slices.Sort(most[o])
		out = append(out, Limits{quantile(least[o], (1-level)/2), quantile(most[o], (1+level)/2)})
	}
	return out
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
func (q *study) gather(all []replicate, level float64, how IntervalMethod) (e ends, told *Interval, err error) {
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
		return ends{}, nil, fmt.Errorf("only %d of %d bootstrap samples gave an estimate, too few for an interval: %w", len(used), len(all), first)
	}
	column := make([]float64, len(used))
	quantiles := func(of func(replicate) []float64, p float64) *figures {
		out := make([]float64, len(used[0].low))
		for k := range out {
			for i, r := range used {
				column[i] = of(r)[k]
			}
			slices.Sort(column)
			out[k] = quantile(column, p)
		}
		return q.shape().unflat(out)
	}
	e.low = quantiles(func(r replicate) []float64 { return r.low }, (1-level)/2)
	e.high = quantiles(func(r replicate) []float64 { return r.high }, (1+level)/2)
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
		q.ifExists = ifExists(used, level)
		// The zeros of graphs without the effect would shorten the interval at its other end: there it is as wide as if the effect exists.
		for o, own := range q.ifExists {
			if *told.Paths >= 1-level {
				e.low.total[o], e.high.total[o] = min(e.low.total[o], own.Low), max(e.high.total[o], own.High)
			}
		}
	}
	return e, told, nil
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
