package polydag

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/missing"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/prepare"
	"github.com/polydag/polydag/internal/series"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/trust"
)

// TimeSeries says how the rows of a table follow each other in time.
type TimeSeries struct {
	Column string `json:"column"` // the time column, or . for the order of the rows
	// Series is the column that identifies the series of a row, and SeriesCount is their number.
	Series      string `json:"series,omitempty"`
	SeriesCount int    `json:"series_count"`
	Lags        int    `json:"lags"`
	Step        string `json:"step"`
	Gaps        int    `json:"gaps,omitempty"` // gaps at which a series was broken
	// FixedEffects, Detrended, Season and Differenced say what was removed from numeric columns.
	FixedEffects bool `json:"fixed_effects,omitempty"`
	Detrended    bool `json:"detrended,omitempty"`
	Season       int  `json:"season,omitempty"`
	Differenced  bool `json:"differenced,omitempty"`
}

// lagged belongs to a table with lagged columns: the columns of base, then those of one step before, and so on.
type lagged struct {
	base *Table
	TimeSeries
	points float64          // mean number of points of a series
	checks trust.Assumption // the checks of stationarity
	bias   []float64        // by how much the covariances are too small because the means of the series were removed; nil if they were not
}

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
	rows := func(ctx context.Context, each func([]float64) error) error {
		return base.replay(ctx, func(rows []float64, _ []int) error { return each(rows) })
	}
	if base.gaps != nil {
		rows = base.gaps.Read
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
		checks = trust.JudgeStationary(found, points, base.Moments.Names)
	}
	about := TimeSeries{
		Column: set.Column, Series: set.Series, SeriesCount: clock.Series, Lags: set.Lags, Step: clock.Step, Gaps: clock.Gaps,
		FixedEffects: adjust.FixedEffects, Detrended: adjust.Trend, Season: adjust.Season, Differenced: adjust.Difference,
	}
	points := float64(base.Rows()) / float64(clock.Series)
	build := func(lags int) (*Table, error) {
		about.Lags = lags
		return base.withLags(ctx, &lagged{base: base, TimeSeries: about, points: points, checks: checks}, p.Threads, whole || base.gaps == nil, func(ctx context.Context, each func([]float64) error) error {
			return walker.Lagged(ctx, lags, fitted, whole, each)
		})
	}
	if set.Lags > 0 {
		return build(set.Lags)
	}
	return chooseLags(ctx, p.Threads, points, build)
}

// withLags returns the table with these rows, which have lagged values behind the values of a row. complete says that no value is
// missing.
func (t *Table) withLags(ctx context.Context, about *lagged, threads int, complete bool, rows func(context.Context, func([]float64) error) error) (*Table, error) {
	out := &Table{Source: t.Source, Profile: t.Profile, rules: t.rules, ranks: t.ranks, ReadSeconds: t.ReadSeconds, lagged: about}
	columns := lagNames(t.Moments.Names, about.Lags)
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
	err := rows(ctx, func(rows []float64) error {
		n += len(rows) / len(columns)
		if !complete {
			return nil
		}
		if err := sample.Add(rows, nil); err != nil {
			return err
		}
		return sum.Add(rows)
	})
	if err != nil {
		return nil, err
	}
	if n < max(8, 2*about.Lags) {
		way := fault.Out("use a smaller value of %s", fault.Use("lags"))
		if about.Lags == 1 {
			way = fault.Out("give longer series")
		}
		return nil, &fault.Error{Err: ErrLags, Text: fmt.Sprintf("only %s have %s before them", names.Count(n, "row"), names.Count(about.Lags, "step")), Way: way.Text, Remedies: way.Remedies}
	}
	if t.Sample != nil {
		out.Sample = sample.Sample()
	}
	if !complete {
		if err := out.complete(ctx, &missing.Completion{Rows: missing.Rows{Read: rows, N: n, Threads: max(1, threads)}, Names: columns}, nil); err != nil {
			return nil, err
		}
	} else {
		if out.Moments, err = sum.Moments(); err != nil {
			return nil, err
		}
		out.replay = prepare.OneRegime(rows)
	}
	if about.FixedEffects && !about.Differenced && about.points < series.LongSeries {
		about.bias = series.MeanBias(out.Moments, about.Lags, about.points)
	}
	about.unbias(out)
	return out, nil
}

// unbias corrects the moments of a table for the estimated means of the series.
func (l *lagged) unbias(t *Table) {
	if l != nil && l.bias != nil {
		t.Moments = series.Unbiased(t.Moments, l.bias, l.base.discrete(l.base.Moments.Dim()))
	}
}

// lagNames returns the names of the columns and of their lagged values, such as sales(t-1).
func lagNames(columns []string, lags int) []string {
	out := slices.Clone(columns)
	for k := 1; k <= lags; k++ {
		for _, name := range columns {
			out = append(out, names.Lagged(name, k))
		}
	}
	return out
}

// TimeSeries returns how the rows follow each other in time, or nil if they have no order.
func (t *Table) TimeSeries() *TimeSeries {
	if t == nil || t.lagged == nil {
		return nil
	}
	about := t.lagged.TimeSeries
	return &about
}

// Unrolled returns a table with lags as a table in which the lagged values are columns of their own, such as sales(t-1), and the
// configuration that makes them inputs. Fold turns a result that was learned from it into a result with lags.
func (t *Table) Unrolled(cfg Config) (*Table, Config, error) {
	if t == nil || t.lagged == nil || cfg.Method == nil {
		return t, cfg, nil
	}
	if info := cfg.Method.Info(); !info.Knowledge || info.Continuous && !info.Time || info.Gives == graph.KindPAG {
		return nil, cfg, fault.New(ErrLags, fmt.Sprintf("method %s does not support lags", info.Name), "use %s", fault.Set("method", Methods()[0].Info().Name))
	}
	out := *t
	out.findings, out.lagged, out.unrolled = t.lagged.base.Examine(cfg), nil, t.lagged
	spec := cfg.Knowledge
	spec.Require, spec.Forbid = mapped(spec.Require, present), mapped(spec.Forbid, present)
	spec.Prior = mapped(spec.Prior, func(text string) string {
		at := max(0, strings.LastIndexByte(text, '='))
		return present(text[:at]) + text[at:]
	})
	spec.Inputs = append(slices.Clone(spec.Inputs), t.Moments.Names[t.lagged.base.Moments.Dim():]...)
	cfg.Knowledge = spec
	return &out, cfg, nil
}

// present writes an edge with sales instead of sales(t).
func present(text string) string {
	ends := strings.Split(text, "->")
	for i, end := range ends {
		ends[i] = strings.TrimSuffix(strings.TrimSpace(end), "(t)")
	}
	return strings.Join(ends, "->")
}

// SameTime returns the part of prior knowledge for a table with lags that is about values of the same time.
func SameTime(spec knowledge.Spec) knowledge.Spec {
	same := func(list []string) []string {
		return mapped(kept(list, func(text string) bool { return !strings.Contains(text, "(t-") }), present)
	}
	spec.Require, spec.Forbid = same(spec.Require), same(spec.Forbid)
	return spec
}

func mapped(list []string, f func(string) string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = f(s)
	}
	return out
}

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
	if t == nil || t.lagged == nil || res == nil {
		return res
	}
	d := t.lagged.base.Moments.Dim()
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
	if checks := t.lagged.checks; checks.Name != "" && len(out.Assumptions) > 0 {
		at := slices.IndexFunc(out.Assumptions, func(a trust.Assumption) bool { return a.Name == trust.IndependentRows })
		out.Assumptions = slices.Insert(out.Assumptions, at+1, checks)
	}
	return &out
}

// kept returns the elements for which ok is true, or nil for nil.
func kept[T any](list []T, ok func(T) bool) []T {
	if list == nil {
		return nil
	}
	out := make([]T, 0, len(list))
	for _, x := range list {
		if ok(x) {
			out = append(out, x)
		}
	}
	return out
}

// Block returns the length of the blocks of rows that a bootstrap draws from an unrolled table: (√6·ρ/(1-ρ²))^(2/3)·n^(1/3) for the
// median correlation ρ of neighbouring values (Carlstein 1986). It is 1 for other tables.
func (t *Table) Block() int {
	if t.unrolled == nil {
		return 1
	}
	d := t.unrolled.base.Moments.Dim()
	var all []float64
	for j := range d {
		if k := t.Kinds; k == nil || k[j].Kind != kind.Categorical {
			all = append(all, math.Abs(t.Moments.CorrelationOf([]int{j, j + d}).At(0, 1)))
		}
	}
	if len(all) == 0 {
		return 1
	}
	slices.Sort(all)
	rho := min(all[len(all)/2], 0.95)
	n := float64(t.Rows())
	return max(1, min(int(math.Ceil(math.Pow(math.Sqrt(6)*rho/(1-rho*rho), 2.0/3)*math.Cbrt(n))), t.Rows()/10))
}

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
	rows, kept, err := f.ExpandAll(t.Sample.Values)
	if err != nil || len(kept) == 0 {
		return nil, nil, err
	}
	var names []string
	for _, k := range kept {
		lagOf = append(lagOf, k.Column/d)
		names = append(names, fmt.Sprintf("%q.%d", t.Moments.Names[k.Column], k.Function))
	}
	sum := dataset.NewAccumulator(names, threads)
	if err := sum.Add(rows); err != nil {
		return nil, nil, err
	}
	out = &Table{Sample: &dataset.Sample{Columns: len(kept), Values: rows, Index: t.Sample.Index}}
	out.replay = func(_ context.Context, each func([]float64, []int) error) error { return each(rows, nil) }
	out.Moments, err = sum.Moments()
	return out, lagOf, err
}
