package polydag

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/memory"
	"github.com/polydag/polydag/internal/methods"
)

// mostLags and the share lagShare of the mean length of a series limit the lags that are tried if their number is not given. leastLags
// are tried first. A table has at least rowsPerCopy rows for each column and lagged copy, unless it has one lag.
const (
	leastLags   = 3
	mostLags    = 24
	lagShare    = 0.2
	rowsPerCopy = 3
)

// chooseLags doubles the number of lags until lastLag is smaller, and returns the table with that many lags.
func chooseLags(ctx context.Context, threads int, base *Table, points float64, build func(lags int) (*Table, error)) (*Table, error) {
	limit := max(leastLags, min(mostLags, int(lagShare*points)))
	limit = max(1, min(limit, base.Rows()/(rowsPerCopy*base.Moments.Dim())-1))
	for lags := min(leastLags, limit); ; lags = min(2*lags, limit) {
		t, err := build(lags)
		for err != nil && !errors.Is(err, memory.ErrLimit) && !errors.Is(err, dataset.ErrTooWide) && ctx.Err() == nil && lags > 1 { // a short series, or a lagged copy that is constant
			lags--
			limit = lags
			t, err = build(lags)
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
				note := fmt.Sprintf("Lags: %d, chosen by the score of up to %d.", most, lags)
				t.Source.Notes = append(slices.Clone(t.Source.Notes), note)
				if t.Profile != nil {
					profile := *t.Profile // base has it too
					profile.Notes = append(slices.Clone(profile.Notes), note)
					t.Profile = &profile
				}
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
	d, lags := t.lags.base.Moments.Dim(), t.lags.Lags
	lagOf := make([]int, t.Moments.Dim())
	for j := range lagOf {
		lagOf[j] = j / d
	}
	all := *t
	all.Kinds, all.lags.flat = nil, true
	most, err := all.lastEdge(ctx, lagOf, threads)
	if err != nil || most == lags || t.Sample == nil || t.Incomplete() || t.lags.bias != nil {
		return most, err
	}
	functions, lagOf, rows, err := basis.Lagged(t.Moments.Names, t.Kinds, t.Sample.Values, d)
	if err != nil || len(functions) == 0 {
		return most, err
	}
	sum := dataset.NewAccumulator(functions, threads)
	if err := sum.Add(rows); err != nil {
		return 0, err
	}
	curved := &Table{Sample: &dataset.Sample{Columns: len(functions), Values: rows, Index: t.Sample.Index}}
	curved.rows = plainRows{read: dataset.RowBatch{Values: rows}.Rows(len(functions))}
	if curved.Moments, err = sum.Moments(); err != nil {
		return 0, err
	}
	other, err := curved.lastEdge(ctx, lagOf, threads)
	return max(most, other), err
}

// lagSearch returns the configuration of lastEdge, without knowledge.
func lagSearch(threads int) Config {
	cfg := DefaultConfig()
	cfg.Method, cfg.Threads = methods.LagSearch(), max(1, threads)
	return cfg
}

// lastEdge returns the largest lag of the columns with an edge. It changes the table.
func (t *Table) lastEdge(ctx context.Context, lagOf []int, threads int) (int, error) {
	cfg := lagSearch(threads)
	for j, lag := range lagOf {
		if lag > 0 {
			cfg.Knowledge.Inputs = append(cfg.Knowledge.Inputs, t.Moments.Names[j])
		}
	}
	t.replicate.bare = true
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
