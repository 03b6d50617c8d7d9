package effect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method"
)

// mostGraphs limits the graphs that replace circles of a PAG.
const mostGraphs = 4096

// adjustments lists how the effect of a on b follows from the columns in the graphs that the PAG of a linear result represents. First
// is by place in the order of names; the other columns are by index. The order of the columns does not change the list.
func adjustments(res *polydag.Result, a, b int) ([]graph.Adjustment, error) {
	if !res.Sloped() {
		return nil, fault.New(ErrNotIdentified, fmt.Sprintf("the graph is a PAG under the %s model, and effects under a PAG are available for linear models only", res.Model),
			"learn with %s, or learn a DAG", fault.Set("model", "linear"))
	}
	byName := intset.Range(0, len(res.Names))
	slices.SortFunc(byName, func(u, v int) int { return cmp.Compare(res.Names[u], res.Names[v]) })
	place := make([]int, len(byName))
	for k, v := range byName {
		place[v] = k
	}
	list, err := graph.PAGOf(res.Marked.Relabel(place)).Adjustments(place[a], place[b], mostGraphs)
	switch {
	case errors.Is(err, graph.ErrManyGraphs):
		return nil, fault.New(ErrTooWide, fmt.Sprintf("the circles of the PAG allow too many graphs to compare the effects of %s on %s (more than %d)", res.Names[a], res.Names[b], mostGraphs),
			"direct some edges with %s and learn again", fault.Use("require"))
	case err != nil:
		return nil, fault.New(ErrNotIdentified, "no graph without selected rows has the marks of the PAG", "learn it again without selection")
	}
	for i := range list {
		e := &list[i]
		invisible := e.Hidden
		e.Hidden = nil
		for _, k := range e.First {
			if slices.Contains(invisible, k) || doubtful(res, a, byName[k]) {
				e.Hidden = append(e.Hidden, byName[k])
			}
		}
		for k := range e.Set {
			e.Set[k] = byName[e.Set[k]]
		}
	}
	return list, nil
}

// doubtful reports whether the result has the edge a → v and says that a hidden common cause of both is possible, although the edge may
// be visible: the tests behind it are not clear.
func doubtful(res *polydag.Result, a, v int) bool {
	return slices.ContainsFunc(res.Edges, func(e polydag.Edge) bool {
		return e.From == res.Names[a] && e.To == res.Names[v] && e.Directed() && e.HiddenCause == method.HiddenPossible
	})
}

// estimates returns the total effect of the contrast under each adjustment and its standard error. Both are NaN without an adjustment
// set; the error is NaN with too few rows.
func (q *study) estimates(m *dataset.Moments, list []graph.Adjustment) (total, deviation []float64, err error) {
	step := q.x1 - q.x0
	for _, a := range list {
		t, d := 0.0, 0.0
		switch {
		case a.Path && !a.Exists:
			t, d = math.NaN(), math.NaN()
		case a.Path:
			slope, left, leftOf, ok := partial(m, q.b, q.a, a.Set)
			if !ok || !(leftOf > 0) {
				return nil, nil, fmt.Errorf("the adjustment set of %s and %s is collinear; drop a column and learn again", m.Names[q.a], m.Names[q.b])
			}
			t, d = slope*step, math.NaN()
			if free := float64(m.N - len(a.Set) - 2); free >= 1 {
				d = math.Sqrt(max(left, 0)/leftOf/free) * math.Abs(step)
			}
		}
		total, deviation = append(total, t), append(deviation, d)
	}
	return total, deviation, nil
}

// span returns the smallest and the largest total plus or minus z standard errors; ok is false without one.
func (q *study) span(total, deviation []float64, z float64) (e ends, ok bool) {
	least, most := math.Inf(1), math.Inf(-1)
	for k, t := range total {
		if t != t { // no adjustment set
			continue
		}
		half := 0.0
		if z > 0 {
			half = z * deviation[k]
		}
		if half != half {
			return ends{}, false
		}
		least, most = min(least, t-half), max(most, t+half)
	}
	e = ends{q.shape(), q.shape()}
	e.low.total[0], e.high.total[0] = least, most
	return e, least <= most
}

// bounds estimates the effect in the graphs of a PAG.
func (k *asked) bounds(context.Context) error {
	if len(k.Do) > 0 { // rows and given values need one
		return askf("distributions and rows need a DAG, and the graph is a PAG; leave out do, row and given, or learn a DAG")
	}
	out, s := k.answer, &k.study
	total, _, err := s.estimates(k.source.pool.Of(s.b), k.adjustments)
	if err != nil {
		return err
	}
	out.Effects, out.Adjustment.Set, out.Bounds = []Effect{}, []string{}, &Bounds{}
	unseen := map[string]bool{}
	for i, a := range k.adjustments {
		c := Choice{Cause: a.Path, Set: k.named(a.Set), Hidden: k.named(a.Hidden)}
		if total[i] == total[i] {
			c.Total = &total[i]
		}
		for _, name := range c.Hidden {
			unseen[name] = true
		}
		out.Bounds.Choices = append(out.Bounds.Choices, c)
	}
	var ok bool
	if k.extent, ok = s.span(total, nil, 0); ok {
		out.Bounds.Low, out.Bounds.High = &k.extent.low.total[0], &k.extent.high.total[0]
	}
	k.failedChecks()
	first := k.adjustments[0]
	switch one := len(total) == 1 && first.Identifies(); {
	case one && !first.Path:
		out.Identification = None
		out.Reason = fmt.Sprintf("no possibly directed path leads from %s to %s in the PAG", k.Of, k.On)
	case one:
		out.Identification = Identified
		out.Reason = "by adjustment; the PAG excludes hidden common causes that would change the effect"
		out.Adjustment.Exists, out.Adjustment.Valid, out.Adjustment.Set = true, true, k.named(first.Set)
		k.restPAG()
		out.Sensitivity, _, _ = hidden(k.source.pool.Of(s.b), s.a, s.b, first.Set, k.Level)
	default:
		out.Identification = Open
		out.Reason = "the graphs that the PAG represents have different effects; the range is given"
		switch {
		case !ok:
			out.Reason = "the graphs that the PAG represents have no adjustment set"
			return nil
		case len(unseen) > 0:
			out.Reason = fmt.Sprintf("a hidden common cause of %s and %s is possible; the range covers only graphs without it", k.Of, strings.Join(slices.Sorted(maps.Keys(unseen)), " or "))
		}
		if slices.ContainsFunc(out.Bounds.Choices, func(c Choice) bool { return c.Total == nil }) {
			out.Reason += "; graphs without an adjustment set are not in the range"
		}
		return nil
	}
	out.Effects = append(out.Effects, Effect{Outcome: "mean", Total: k.quantity(total[0]), Through: []Through{}})
	return nil
}

// restPAG finds the edges on directed paths whose direction the PAG has and the result does not state.
func (k *asked) restPAG() {
	g, at := k.res.Marked.Directed(), names.Index(k.res.Names)
	after, before := g.Descendants([]int{k.study.a}), g.Ancestors([]int{k.study.b})
	for _, e := range k.res.Edges {
		from, to := at[e.From], at[e.To]
		if e.Directed() && e.Verdict != "" && e.Verdict != polydag.Directed && (from == k.study.a || after[from]) && (to == k.study.b || before[to]) {
			k.answer.DependsOn = append(k.answer.DependsOn, Unstated{Link: e.Link, Probability: e.PAdjacent * e.PDirection})
		}
	}
}

// named returns the names of columns, never nil.
func (k *asked) named(columns []int) []string {
	out := []string{}
	for _, v := range columns {
		out = append(out, k.res.Names[v])
	}
	return out
}

// boundIntervals computes an interval that covers the range: over relearned PAGs, or with a known PAG by formula or, for an incomplete
// table, by bootstrap.
func (k *asked) boundIntervals(ctx context.Context) error {
	s, out := &k.study, k.answer
	if out.Bounds.Low == nil {
		return nil
	}
	total, deviation, err := s.estimates(k.source.pool.Of(s.b), k.adjustments)
	if err != nil {
		return err
	}
	formula, ok := s.span(total, deviation, normalQuantile((1+k.Level)/2))
	wide, told := formula, &Interval{Method: ByFormula, Level: k.Level}
	switch {
	case k.Replicates > 0 && (!k.GivenGraph || k.table.Incomplete() && out.Identification != None):
		if wide, told, err = k.resample(ctx, k.GivenGraph, (*asked).boundsOf); err != nil {
			return err
		}
		if !k.covered(wide) {
			if wide = wide.joined(k.extent); ok {
				wide = wide.joined(formula)
			}
			k.note("the bootstrap samples give other effects than the table; the interval covers both")
		}
	case out.Identification == None:
		return nil // the effect is zero if the graph is right
	case !ok:
		k.note("too few rows for an interval")
		return nil
	}
	k.told(told)
	out.Bounds.IntervalLow, out.Bounds.IntervalHigh = &wide.low.total[0], &wide.high.total[0]
	if len(out.Effects) > 0 {
		put(&out.Effects[0].Total, wide.low.total[0], wide.high.total[0])
	}
	return nil
}

// boundsOf computes the range of a bootstrap sample: for the PAG of the question, or for that of a result that was learned from it.
func (k *asked) boundsOf(drawn *source, own *polydag.Result) (replicate, error) {
	s, list := &k.study, k.adjustments
	if own != k.res {
		var err error
		if list, err = adjustments(own, s.a, s.b); err != nil {
			return replicate{}, err
		}
	}
	total, _, err := s.estimates(drawn.pool.Of(s.b), list)
	if err != nil {
		return replicate{}, err
	}
	e, ok := s.span(total, nil, 0)
	if !ok {
		return replicate{}, errors.New("no graph of a bootstrap sample has an adjustment set")
	}
	reaches := slices.ContainsFunc(list, func(a graph.Adjustment) bool { return a.Path })
	return replicate{low: e.low.flat(), high: e.high.flat(), reaches: reaches, open: len(list) > 1 || !list[0].Identifies()}, nil
}
