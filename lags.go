package polydag

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/memory"
	"github.com/polydag/polydag/internal/missing"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/series"
	"github.com/polydag/polydag/trust"
)

// lags belong to a table with lagged columns: the columns of base, then those of one step before, and so on. The zero value is that of a
// table without lags.
type lags struct {
	TimeSeries
	base   *Table
	flat   bool             // the lagged values are columns of their own; see Table.Unrolled
	points float64          // mean number of points of a series
	checks trust.Assumption // the checks of stationarity
	bias   []float64        // by how much the covariances are too small because the means of the series were removed; nil if they were not
}

// folded reports whether the table has lags that belong to the columns of base.
func (l *lags) folded() bool { return l.base != nil && !l.flat }

// ErrLags is matched where a table cannot be given lags, or a method cannot learn from them.
var ErrLags = fault.Kind("lags", "the table is too short for these lags, or the method does not support them; use fewer lags or another method")

// prepareSeries prepares a table whose rows follow each other in time. The graph is learned over the columns and their lagged values,
// which are inputs: they have effects but no causes.
func prepareSeries(ctx context.Context, in Input, p Preparation) (*Table, error) {
	set := p.Time
	whole := p.Missing == dataset.MissingDrop
	p.Time, p.Drop = dataset.TimeSettings{}, slices.Clone(p.Drop)
	for _, name := range []string{set.Column, set.Series} {
		if name != "" && name != series.RowOrder {
			p.Drop = append(p.Drop, name)
		}
	}
	if whole {
		p.Missing = dataset.MissingAuto // a row that is dropped would be a gap
	}
	if m, _ := in.Saved(); m != nil {
		return nil, fault.New(ErrLags, "the input holds moments, which have no order in time", "give the table itself")
	}
	clock, err := series.Read(ctx, in.Source, series.Settings{
		Time: set.Column, Series: set.Series, Break: set.Gaps == dataset.GapsBreak, Step: set.Step, Aggregate: set.Aggregate == dataset.AggregateMean,
		FirstRow: p.FirstRow, LastRow: p.LastRow, File: p.File,
	})
	if err != nil {
		return nil, err
	}
	base, err := Prepare(ctx, in, p)
	if err != nil {
		return nil, err
	}
	if set.Season > base.Rows() {
		return nil, fault.New(ErrLags, fmt.Sprintf("a season of %d steps is longer than the table of %d rows", set.Season, base.Rows()), "use %s with fewer steps", fault.Use("season"))
	}
	if set.Lags > 0 { // before anything is allocated for each lag
		if err := fitsLags(ctx, base, set.Lags, false, p); err != nil {
			return nil, err
		}
		if n := base.Rows() - set.Lags; n < 2*set.Lags {
			return nil, tooShort(max(0, n), set.Lags)
		}
	}
	rows, incomplete := base.form().pass(), base.Incomplete()
	if r, ok := base.completed(); ok {
		rows = r.Read
	}
	d := base.Moments.Dim()
	walker := series.NewWalker(clock, rows, base.discrete(d))
	adjust := series.Adjustment{FixedEffects: clock.Series > 1 && !set.PooledMeans, Trend: set.Detrend, Season: set.Season, Difference: set.Difference}
	fitted, err := walker.Fit(ctx, adjust, base.discrete(d))
	if err != nil {
		return nil, err
	}
	var checks trust.Assumption
	if p.Profile {
		found, points, err := walker.Check(ctx, fitted, base.discrete(d))
		if err != nil {
			return nil, err
		}
		violations := make([]trust.Violation, len(found))
		for i, v := range found {
			violations[i] = trust.Violation(v)
		}
		checks = trust.JudgeStationary(violations, points, base.Moments.Names)
	}
	about := TimeSeries{
		Column: set.Column, Series: set.Series, SeriesCount: clock.Series, Lags: set.Lags, Step: clock.Step, Gaps: clock.Gaps,
		FixedEffects: adjust.FixedEffects, Detrended: adjust.Trend, Season: adjust.Season, Differenced: adjust.Difference,
	}
	points := float64(base.Rows()) / float64(clock.Series)
	build := func(n int) (*Table, error) {
		about.Lags = n
		if set.Lags == 0 {
			if err := fitsLags(ctx, base, n, true, p); err != nil {
				return nil, err
			}
		}
		return base.withLags(ctx, lags{base: base, TimeSeries: about, points: points, checks: checks}, p.Threads, whole || !incomplete, walker.Lagged(n, fitted, whole))
	}
	if set.Lags > 0 {
		return build(set.Lags)
	}
	return chooseLags(ctx, p.Threads, base, points, build)
}

// tooShort returns the error for a series of which only n rows have the given number of steps before them.
func tooShort(n, lags int) error {
	way := fault.Out("use a smaller value of %s", fault.Use("lags"))
	if lags == 1 {
		way = fault.Out("give longer series")
	}
	return &fault.Error{Err: ErrLags, Text: fmt.Sprintf("only %s have %s before them", names.Count(n, "row"), names.Count(lags, "step")), Way: way.Text, Remedies: way.Remedies}
}

// withLags returns the table with these rows, which have lagged values behind the values of a row. complete says that no value is
// missing.
func (t *Table) withLags(ctx context.Context, about lags, threads int, complete bool, rows dataset.Rows) (*Table, error) {
	out := &Table{Source: t.Source, Profile: t.Profile, asked: t.asked, ReadSeconds: t.ReadSeconds}
	columns := names.WithLags(t.Moments.Names, about.Lags)
	if err := dataset.CheckNames(columns, ""); err != nil {
		return nil, err
	}
	for k := range about.Lags + 1 {
		for j, v := range t.Kinds {
			v.Name = columns[k*len(t.Kinds)+j]
			out.Kinds = append(out.Kinds, v)
		}
	}
	sum, sample, n := dataset.NewAccumulator(columns, max(1, threads)), prepare.NewRowSampler(len(columns), 0), 0
	// constantCopy returns an error that names the column if err says that one is constant, which happens if it changes in the first or
	// last rows only.
	constantCopy := func(err error) error {
		var at *dataset.ParseError
		if !errors.Is(err, dataset.ErrConstant) || !errors.As(err, &at) {
			return nil
		}
		drop := fault.Columns("drop", t.Moments.Names[(at.Column-1)%len(t.Kinds)])
		way := fault.Out("use a smaller value of %s, or omit the column with %s", fault.Use("lags"), drop)
		if about.Lags == 1 {
			way = fault.Out("omit the column with %s", drop)
		}
		return &fault.Error{Err: ErrLags, Text: fmt.Sprintf("column %s has the same value in all %s with %s before them", columns[at.Column-1], names.Count(n, "row"), names.Count(about.Lags, "step")), Way: way.Text, Remedies: way.Remedies}
	}
	err := rows(ctx, func(b dataset.RowBatch) error {
		n += len(b.Values) / len(columns)
		if !complete {
			return nil
		}
		if err := sample.Add(b); err != nil {
			return err
		}
		return sum.Add(b.Values)
	})
	if err != nil {
		return nil, err
	}
	if n < max(8, 2*about.Lags) {
		return nil, tooShort(n, about.Lags)
	}
	if t.Sample != nil {
		out.Sample = sample.Sample()
	}
	if !complete {
		if err := out.complete(ctx, &missing.Completion{Rows: missing.Rows{Read: rows, N: n, Threads: max(1, threads)}, Names: columns}, nil); err != nil {
			return nil, cmp.Or(constantCopy(err), err)
		}
	} else {
		if out.Moments, err = sum.Moments(); err != nil {
			return nil, err
		}
		out.rows = plainRows{read: rows}
	}
	if err := constantCopy(out.Moments.Validate()); err != nil {
		return nil, err
	}
	if about.FixedEffects && !about.Differenced && about.points < series.LongSeries {
		about.bias = series.MeanBias(out.Moments, about.Lags, about.points)
	}
	about.unbias(out)
	out.lags = about
	return out, nil
}

// unbias corrects the moments of a table for the estimated means of the series.
func (l *lags) unbias(t *Table) {
	if l.bias != nil {
		t.Moments = series.Unbiased(t.Moments, l.bias, l.base.discrete(l.base.Moments.Dim()))
	}
}

// TimeSeries returns how the rows follow each other in time, or nil if they have no order.
func (t *Table) TimeSeries() *TimeSeries {
	if t == nil || !t.lags.folded() {
		return nil
	}
	about := t.lags.TimeSeries
	return &about
}

// fitsLags returns an error if the lagged copies of the columns of base are too many columns, or if their moments exceed the memory.
// chosen says that a graph is learned from them to choose the lags.
func fitsLags(ctx context.Context, base *Table, lags int, chosen bool, p Preparation) error {
	d := base.Moments.Dim()
	way := []any{fault.Use("lags"), fault.Use("columns"), fault.Use("drop")}
	const fewer = "use a smaller value of %s, or choose fewer columns (%s, %s)"
	if lags >= p.MaxColumns/max(d, 1) {
		all := new(big.Int).Mul(big.NewInt(int64(d)), new(big.Int).Add(big.NewInt(int64(lags)), big.NewInt(1)))
		return fault.New(dataset.ErrTooWide, fmt.Sprintf("too many columns: %d columns with %s are %s columns, limit %d", d, names.Count(lags, "lag"), all, p.MaxColumns), fewer, way...)
	}
	wide := d * (lags + 1)
	need := 8*int64(d)*int64(d) + dataset.AccumulatorBytes(wide)
	if chosen {
		need = max(need, lagSearch(p.Threads).Memory(base.Rows(), wide))
	}
	what := fmt.Sprintf("the covariance matrix of %d columns with %s, %d columns,", d, names.Count(lags, "lag"), wide)
	if p.MaxMemory > 0 && need > p.MaxMemory {
		return memory.Refuse(what, need, p.MaxMemory, fewer, way...)
	}
	return memory.Need(ctx, what, need, fewer, way...)
}
