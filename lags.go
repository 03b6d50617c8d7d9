package polydag

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/memory"
	"github.com/polydag/polydag/internal/methods"
	"github.com/polydag/polydag/internal/missing"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/prepare"
	"github.com/polydag/polydag/internal/series"
	"github.com/polydag/polydag/knowledge"
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

// Unrolled returns a table with lags as a table in which the lagged values are columns of their own, such as sales(t-1), and the
// configuration that makes them inputs. Fold turns a result that was learned from it into a result with lags.
func (t *Table) Unrolled(cfg Config) (*Table, Config, error) {
	if t == nil || !t.lags.folded() || cfg.Method == nil {
		return t, cfg, nil
	}
	if info := cfg.Method.Info(); !info.Knowledge || info.Continuous && !info.Time || info.Gives == graph.KindPAG {
		return nil, cfg, fault.New(ErrLags, fmt.Sprintf("method %s does not support lags", info.Name), "use %s", fault.Set("method", cfg.Methods.All()[0].Info().Name))
	}
	out := *t
	out.checks, out.lags.flat = checks{findings: t.Examine(cfg)}, true
	cfg.Knowledge = series.Present(cfg.Knowledge)
	cfg.Knowledge.Inputs = append(slices.Clone(cfg.Knowledge.Inputs), t.Moments.Names[t.lags.base.Moments.Dim():]...)
	return &out, cfg, nil
}

// SameTime returns the part of prior knowledge for a table with lags that is about values of the same time.
func SameTime(spec knowledge.Spec) knowledge.Spec { return series.SameTime(spec) }

// learnLagged learns from a table with lags.
func (t *Table) learnLagged(ctx context.Context, cfg Config, how Run) (*Result, error) {
	flat, own, err := t.Unrolled(cfg)
	if err != nil {
		return nil, err
	}
	res, err := flat.Learn(ctx, own, how)
	if res == nil {
		return nil, err
	}
	return t.Fold(cfg, res), err
}

// Fold turns a result that was learned from the unrolled table into a result over the columns at one time. Edges has those between
// values of the same time, and Lagged those from earlier values. cfg is the configuration before Unrolled.
func (t *Table) Fold(cfg Config, res *Result) *Result {
	if t == nil || !t.lags.folded() || res == nil {
		return res
	}
	d := t.lags.base.Moments.Dim()
	out := *res
	out.Names, out.Time, out.Settings, out.Sortability = res.Names[:d:d], t.TimeSeries(), cfg.record(t), nil
	if len(res.Nodes) > 0 {
		out.Nodes = res.Nodes[:d:d]
	}
	at := names.Index(res.Names)
	out.Edges, out.Lagged, out.Marked = []Edge{}, nil, graph.NewMixed(res.Kind, d)
	for k, e := range res.Marked.Edges() {
		edge := res.Edges[k]
		if lag := max(e.From, e.To) / d; lag > 0 {
			edge.From, edge.Lag = res.Names[e.From%d], lag
			out.Lagged = append(out.Lagged, edge)
			continue
		}
		out.Edges = append(out.Edges, edge)
		out.Marked.Set(e)
	}
	out.Graph = out.Marked.Directed()
	isPresent := func(name string) bool { return at[name] < d }
	out.Certificate.Order = kept(res.Certificate.Order, isPresent)
	within := func(l Link) bool { return isPresent(l.From) && isPresent(l.To) }
	out.Priors = kept(res.Priors, func(p trust.PriorOutcome) bool { return within(p.Link) })
	out.Stages = slices.Clone(res.Stages)
	for i, s := range out.Stages {
		out.Stages[i].Graph = kept(s.Graph, within)
	}
	if c := res.Confidence; c != nil {
		own := *c
		own.Pairs, own.Turned = kept(c.Pairs, func(p trust.Pair) bool { return within(p.Link) }), kept(c.Turned, within)
		out.Confidence = &own
	}
	out.Assumptions = slices.Clone(res.Assumptions)
	for i, a := range out.Assumptions {
		out.Assumptions[i].Evidence = slices.Clone(a.Evidence)
		for k, f := range a.Evidence {
			var columns []string
			for _, name := range f.Columns {
				if name = res.Names[at[name]%d]; !slices.Contains(columns, name) {
					columns = append(columns, name)
				}
			}
			out.Assumptions[i].Evidence[k].Columns = columns
		}
	}
	if checks := t.lags.checks; checks.Name != "" && len(out.Assumptions) > 0 {
		at := slices.IndexFunc(out.Assumptions, func(a trust.Assumption) bool { return a.Name == trust.IndependentRows })
		out.Assumptions = slices.Insert(out.Assumptions, at+1, checks)
	}
	return &out
}

// kept returns the elements for which ok is true, or nil for nil.
func kept[T any](list []T, ok func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool { return !ok(x) })
}

// Block returns the length of the blocks of rows that a bootstrap draws from an unrolled table: (√6·ρ/(1-ρ²))^(2/3)·n^(1/3) for the
// median correlation ρ of neighbouring values (Carlstein 1986). It is 1 for other tables.
func (t *Table) Block() int {
	if !t.lags.flat {
		return 1
	}
	return series.Block(t.Moments, t.Kinds, t.lags.base.Moments.Dim(), t.Rows())
}

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

// A Line is an arrow of the summary graph of a result: an edge, or all edges with a lag from one variable to another.
type Line struct {
	Edge       // the one with the largest score gain
	Lags []int // the lags of all edges of this pair, ascending; nil for an edge without a lag
}

// Summary returns the lines of the summary graph: the edges without a lag, then one line for each pair of variables with lags.
func (r *Result) Summary() []Line {
	var out []Line
	for _, e := range r.Edges {
		out = append(out, Line{Edge: e})
	}
	at := map[Link]int{}
	for _, e := range r.Lagged {
		k, seen := at[e.Link]
		if !seen {
			k = len(out)
			at[e.Link] = k
			out = append(out, Line{Edge: e})
		}
		if e.Gain > out[k].Gain {
			out[k].Edge = e
		}
		out[k].Lags = append(out[k].Lags, e.Lag)
		slices.Sort(out[k].Lags)
	}
	return out
}

// Label returns the number on the line, with its lag. A line with several lags has several numbers, so it is labelled with the lags
// alone: lags 1, 2.
func (l Line) Label(number string) string {
	switch len(l.Lags) {
	case 0:
		return number
	case 1:
		return strings.TrimPrefix(fmt.Sprintf("%s, lag %d", number, l.Lags[0]), ", ")
	}
	return "lags " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(l.Lags)), ", "), "[]")
}

// WeightNames returns the names of the rows and columns of W: the columns and, for a result with lags, their past values.
func (r *Result) WeightNames() []string {
	if r.Time == nil {
		return r.Names
	}
	return names.WithLags(r.Names, r.Time.Lags)
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
