package effect

import (
	"fmt"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
)

// outcomes are the reported figures of a column: the mean of a number, with the share of zeros if it has many, or the probabilities of categories. Of two categories only
// the second is reported, and more than two numeric categories also have a mean, which comes first.
type outcomes struct {
	names  []string
	levels []float64 // nil for a number
	mean   bool      // the mean precedes the probabilities
}

func newOutcomes(levels []float64, words []string) outcomes {
	if levels == nil {
		return outcomes{names: []string{"mean"}}
	}
	o := outcomes{levels: levels}
	if len(words) == 0 && len(levels) > 2 {
		o.mean, o.names = true, []string{"mean"}
	}
	for k, x := range levels {
		if k > 0 || len(levels) != 2 {
			o.names = append(o.names, kind.Label(words, x))
		}
	}
	return o
}

// of selects the reported figures from a model's result.
func (o outcomes) of(y []float64) []float64 {
	switch {
	case o.levels == nil:
		return y
	case len(o.levels) == 2:
		return y[1:]
	case !o.mean:
		return y
	}
	mean := 0.0
	for c, p := range y {
		mean += p * o.levels[c]
	}
	return append([]float64{mean}, y...)
}

// meanOf says what the mean of a column is if that is not the mean of its values: of censored times.
func meanOf(res *polydag.Result, on string) string {
	list := res.Table.Reading["censored"]
	if len(list) == 0 {
		return ""
	}
	c, err := dataset.ParseCensoring(list[0])
	switch {
	case err != nil || c.Time != on:
		return ""
	case c.Survival:
		return fmt.Sprintf("the probability of no event until %s = %v", on, c.Horizon)
	case c.Horizon > 0:
		return fmt.Sprintf("the restricted mean of %s up to %v", on, c.Horizon)
	}
	return "the restricted mean of " + on
}

// study is a question by column index, to be evaluated on several graphs.
type study struct {
	a, b      int
	x0, x1    float64
	mediators []int
	do        []float64
	shown     outcomes
	ratio     bool // whether the risk ratio of the second of two categories is needed
	ends           // of the intervals, once computed
	// ifExists has the intervals over the graphs with a directed path, by outcome; see Effect.IfExists.
	ifExists []Limits
}

// figures are the parts of an answer that have intervals, each a list by outcome, and the figures of b at the start of the
// contrast.
type figures struct {
	start         []float64
	total, direct []float64
	through       [][]float64 // by mediator
	do            [][]float64 // by value
	ratio         float64
}

// flat returns all figures in one list, in a fixed order.
func (f *figures) flat() []float64 {
	out := slices.Concat(f.total, f.direct)
	for _, t := range f.through {
		out = append(out, t...)
	}
	for _, d := range f.do {
		out = append(out, d...)
	}
	return append(out, f.ratio)
}

// unflat is the inverse of flat for figures of the same shape.
func (f *figures) unflat(list []float64) *figures {
	take := func(n int) []float64 {
		out := list[:n:n]
		list = list[n:]
		return out
	}
	k := len(f.total)
	out := &figures{total: take(k), direct: take(k)}
	for range f.through {
		out.through = append(out.through, take(k))
	}
	for range f.do {
		out.do = append(out.do, take(k))
	}
	out.ratio = list[0]
	return out
}

// ends are the smallest and the largest figures of a class, or the ends of intervals.
type ends struct{ low, high *figures }

// joined returns ends that also cover others.
func (e ends) joined(others ...ends) ends {
	lows, highs := e.low.flat(), e.high.flat()
	for _, o := range others {
		most := o.high.flat()
		for i, least := range o.low.flat() {
			lows[i], highs[i] = min(lows[i], least), max(highs[i], most[i])
		}
	}
	return ends{e.low.unflat(lows), e.low.unflat(highs)}
}

// of computes the figures of a DAG.
func (q *study) of(s *source, g *graph.Graph) (*figures, error) {
	m, err := s.fit(g)
	if err != nil {
		return nil, err
	}
	return q.by(m, g)
}

// by computes the figures of a model of a DAG. Without a directed path from a to b all effects are zero.
func (q *study) by(m fitted, g *graph.Graph) (*figures, error) {
	show := func(y []float64, err error) ([]float64, error) {
		if err != nil {
			return nil, err
		}
		return q.shown.of(y), nil
	}
	start, err := show(m.do(q.a, q.b, q.x0))
	if err != nil {
		return nil, err
	}
	zero := func() []float64 { return make([]float64, len(start)) }
	less := func(y []float64, err error) ([]float64, error) {
		if y, err = show(y, err); err != nil {
			return nil, err
		}
		out := zero()
		for k := range out {
			out[k] = y[k] - start[k]
		}
		return out, nil
	}
	f := &figures{start: start, total: zero(), direct: zero(), ratio: 1}
	reaches := g.HasPath(q.a, q.b)
	if reaches {
		if f.total, err = less(m.do(q.a, q.b, q.x1)); err != nil {
			return nil, err
		}
		if q.ratio && start[0] > 0 {
			f.ratio = (start[0] + f.total[0]) / start[0]
		}
	}
	if g.HasEdge(q.a, q.b) {
		if f.direct, err = less(m.direct(q.a, q.b, q.x0, q.x1)); err != nil {
			return nil, err
		}
	}
	for _, v := range q.mediators {
		part := zero()
		if reaches && g.HasPath(q.a, v) && g.HasPath(v, q.b) {
			if part, err = less(m.through(q.a, q.b, v, q.x0, q.x1)); err != nil {
				return nil, err
			}
		}
		f.through = append(f.through, part)
	}
	for _, x := range q.do {
		y, err := show(m.do(q.a, q.b, x))
		if err != nil {
			return nil, err
		}
		f.do = append(f.do, y)
	}
	return f, nil
}

// over computes the figures of every graph of a class, and the minimum and maximum of each.
func (q *study) over(s *source, class []member) (e ends, all []*figures, err error) {
	var others []ends
	for _, m := range class {
		f, err := q.of(s, m.dag)
		if err != nil {
			return ends{}, nil, err
		}
		all, others = append(all, f), append(others, ends{f, f})
	}
	return others[0].joined(others[1:]...), all, nil
}
