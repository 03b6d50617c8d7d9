package polydag

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/order"
)

// mostLags and the share lagShare of the mean length of a series limit the lags that are tried if their number is not given. leastLags
// are tried first.
const (
	leastLags = 3
	mostLags  = 24
	lagShare  = 0.2
)

// chooseLags doubles the number of lags until lastLag is smaller, and returns the table with that many lags.
func chooseLags(ctx context.Context, threads int, points float64, build func(lags int) (*Table, error)) (*Table, error) {
	limit := max(leastLags, min(mostLags, int(lagShare*points)))
	for lags := leastLags; ; lags = min(2*lags, limit) {
		t, err := build(lags)
		if err != nil && lags > 1 { // a short series
			if t, err = build(1); err == nil {
				lags = 1
			}
		}
		if err != nil {
			return nil, err
		}
		most, err := t.lastLag(ctx, max(1, threads))
		if err != nil {
			return nil, err
		}
		if most < lags || lags == limit || lags == 1 {
			if most < lags {
				t, err = build(most)
			}
			if err == nil {
				t.Source.Notes = append(slices.Clone(t.Source.Notes), fmt.Sprintf("Lags: %d, chosen by the score of up to %d.", most, lags))
			}
			return t, err
		}
	}
}

// lastLag returns the largest lag with an edge in a graph of linear effects with Gaussian noise, or 1. The graph is learned from all rows
// and, unless it has the longest lag already, from functions of the columns in the sample of rows, which detect effects that are not
// linear. The search needs moments only, so that it is cheap for many lags. Tables with missing values have no functions. Neither have
// short series, because the bias of their estimated means, which looks like effects of many lags, can be corrected in moments only.
func (t *Table) lastLag(ctx context.Context, threads int) (int, error) {
	d, lags := t.lagged.base.Moments.Dim(), t.lagged.Lags
	lagOf := make([]int, t.Moments.Dim())
	for j := range lagOf {
		lagOf[j] = j / d
	}
	all := *t
	all.Kinds, all.lagged, all.unrolled = nil, nil, t.lagged
	most, err := all.lastEdge(ctx, lagOf, threads)
	if err != nil || most == lags || t.Sample == nil || t.gaps != nil || t.lagged.bias != nil {
		return most, err
	}
	curved, lagOf, err := t.lagFunctions(d, threads)
	if err != nil || curved == nil {
		return most, err
	}
	other, err := curved.lastEdge(ctx, lagOf, threads)
	return max(most, other), err
}

// rowTests is an order search that needs moments only, and tests its edges on the rows nevertheless.
type rowTests struct{ *order.Method }

func (m rowTests) Info() method.Info {
	info := m.Method.Info()
	info.Needs = method.Either
	return info
}

// lastEdge returns the largest lag of the columns with an edge. It changes the table.
func (t *Table) lastEdge(ctx context.Context, lagOf []int, threads int) (int, error) {
	lines := order.New()
	lines.Model, lines.Noise, lines.Variance = order.Linear, order.GaussianNoise, order.Unequal
	cfg := DefaultConfig()
	cfg.Method, cfg.Threads = rowTests{lines}, threads
	for j, lag := range lagOf {
		if lag > 0 {
			cfg.Knowledge.Inputs = append(cfg.Knowledge.Inputs, t.Moments.Names[j])
		}
	}
	t.bare = true
	res, err := t.Learn(ctx, cfg, Run{})
	if err != nil {
		return 0, err
	}
	most := 1
	for _, e := range res.Marked.Edges() {
		most = max(most, lagOf[e.From], lagOf[e.To])
	}
	return most, nil
}

// The functions of a lagged number are the number and lagCosines cosines of its rank; those of a category with at most lagLevels levels
// are indicators. With more than mostFunctions in all, only linear effects count.
const (
	lagCosines    = 3
	lagLevels     = 16
	mostFunctions = 2000
)

// lagFunctions returns a table of functions of the columns in the sample: the numbers at the present time, functions of lagged numbers,
// and indicators of categories. lagOf has the lag of each. The table is nil if there are too many functions.
func (t *Table) lagFunctions(d, threads int) (out *Table, lagOf []int, err error) {
	categorical := make([]bool, t.Sample.Columns)
	for j, k := range t.Kinds {
		categorical[j] = k.Kind == kind.Categorical && len(k.Words) <= lagLevels
	}
	fit := basis.NewFit(t.Moments.Names, categorical)
	if err := fit.Add(t.Sample.Values); err != nil {
		return nil, nil, err
	}
	set := basis.DefaultSettings()
	set.Cosines, set.Crossed, set.MaxLevels = lagCosines, 0, math.MaxInt
	set.Straight = make([]bool, t.Sample.Columns)
	for j := range d {
		set.Straight[j] = true
	}
	f, err := fit.Functions(set)
	if err != nil || f.Size() > mostFunctions {
		return nil, nil, err
	}
	start, wide := f.Start(), f.Size()
	rows := make([]float64, 0, t.Sample.Rows()*wide)
	for at := 0; at < len(t.Sample.Values); at += t.Sample.Columns {
		rows = rows[:len(rows)+wide]
		if err := f.Expand(rows[len(rows)-wide:], t.Sample.Values[at:at+t.Sample.Columns]); err != nil {
			return nil, nil, err
		}
	}
	var kept []int // functions that are not constant
	var names []string
	for j := range t.Sample.Columns {
		for k := start[j]; k < start[j+1]; k++ {
			for at := k; at < len(rows); at += wide {
				if rows[at] != rows[k] {
					kept, lagOf = append(kept, k), append(lagOf, j/d)
					names = append(names, fmt.Sprintf("%q.%d", t.Moments.Names[j], k-start[j]))
					break
				}
			}
		}
	}
	if len(kept) == 0 {
		return nil, nil, nil
	}
	for i := range t.Sample.Rows() {
		for to, k := range kept {
			rows[i*len(kept)+to] = rows[i*wide+k]
		}
	}
	rows = rows[:t.Sample.Rows()*len(kept)]
	sum := dataset.NewAccumulator(names, threads)
	if err := sum.Add(rows); err != nil {
		return nil, nil, err
	}
	out = &Table{Sample: &dataset.Sample{Columns: len(kept), Values: rows, Index: t.Sample.Index}}
	out.replay = func(_ context.Context, each func([]float64, []int) error) error { return each(rows, nil) }
	out.Moments, err = sum.Moments()
	return out, lagOf, err
}
