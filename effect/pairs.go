package effect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/internal/kind"
)

// Values that a survey sets a column to: all categories up to a limit, by frequency, or evenly spaced quantiles from 5 % to 95 % of
// a number.
const (
	surveyLevels  = 12
	surveyNumbers = 9
)

// prepare reads the table once and chooses the pairs.
func (v *surveyor) prepare(ctx context.Context) error {
	if values := v.table.Moments.N * v.table.Moments.Dim(); values > v.MostValues {
		return fault.New(ErrTooWide, fmt.Sprintf("the table has %d values, and effects of all pairs are computed for at most %d", values, v.MostValues), "ask for one pair of columns with polydag effect")
	}
	pairs := v.res.Graph.Descents()
	v.out.Pairs = len(pairs)
	var first *asked
	groups := make([]*group, len(v.res.Names)) // by intervened column
	for _, p := range pairs[:min(len(pairs), v.MostPairs)] {
		q := NewQuestion(v.res.Names[p.From], v.res.Names[p.To])
		q.Level, q.Replicates, q.Seed, q.Threads, q.GivenGraph = v.Level, v.Replicates, v.Seed, v.Threads, true
		k := newAsked(v.res, v.table, q)
		k.survey, k.study.a, k.study.b = true, p.From, p.To
		if first == nil {
			if err := k.read(ctx); err != nil {
				return err
			}
			first, v.source = k, k.source
		}
		k.source, k.words, k.answer.Rows = v.source, first.words, first.answer.Rows
		g := groups[p.From]
		if g == nil {
			g = &group{a: p.From}
			groups[p.From] = g
		}
		if len(g.asks) > 0 {
			k.open, k.class = g.asks[0].open, g.asks[0].class
		} else {
			var err error
			if k.open, k.class, err = members(v.res, p.From, k.stated); errors.Is(err, ErrTooWide) {
				continue // too many graphs in the class
			} else if err != nil {
				return err
			}
		}
		if err := k.choose(ctx); err != nil {
			return err
		}
		k.study.do = v.source.spots(p.From)
		for _, x := range k.study.do {
			k.Do = append(k.Do, kind.Label(k.words[p.From], x))
		}
		k.group, g.asks = g, append(g.asks, k)
		v.asks = append(v.asks, k)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	for _, g := range groups {
		if g != nil && len(g.asks) > 0 {
			slices.SortFunc(g.asks, func(x, y *asked) int { return cmp.Compare(x.study.b, y.study.b) })
			v.groups = append(v.groups, g)
		}
	}
	return v.afford(ctx)
}

// spots returns the values that a survey sets a column to, ascending.
func (s *source) spots(v int) (out []float64) {
	if levels := s.data.Levels[v]; levels != nil {
		if len(levels) <= surveyLevels {
			return levels
		}
		count := make([]int, len(levels))
		for _, x := range s.data.Columns[v] {
			count[s.data.Code(v, x)]++
		}
		codes := intset.Range(0, len(levels))
		slices.SortStableFunc(codes, func(a, b int) int { return cmp.Compare(count[b], count[a]) })
		for _, c := range codes[:surveyLevels] {
			out = append(out, levels[c])
		}
		slices.Sort(out)
		return out
	}
	x := s.data.Sorted(v)
	for k := range surveyNumbers {
		out = append(out, six(quantile(x, 0.05+0.9*float64(k)/(surveyNumbers-1))))
	}
	return slices.Compact(out)
}
