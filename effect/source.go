package effect

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/score"
)

// fitted is a model of one DAG. Each function returns the mean of b or the probabilities of its categories: under do(a = x); under
// do(a = x0) with x1 carried by the edge from a to b only; and under do(a = x0) with the mediator at its value for x1.
type fitted interface {
	do(a, b int, x float64) ([]float64, error)
	direct(a, b int, x0, x1 float64) ([]float64, error)
	through(a, b, by int, x0, x1 float64) ([]float64, error)
	distribution(a, b int, x float64) (*dist, error)
}

// source is the data that models are fitted to: moments for a linear model, rows for others.
type source struct {
	model   score.Effects
	moments *dataset.Moments // with the effective number of rows
	pool    *dataset.Pool
	data    *mechanism.Rows // nil under a linear model
	seed    uint64
	most    int                           // rows that mechanisms are evaluated on; 0 for all
	kept    map[*graph.Graph]fitted       // models that one goroutine evaluates repeatedly; nil for none
	fits    map[string]mechanism.Function // mechanisms that these models share, by column and parents; nil for none
	last    equivalence                   // of the last result whose class was asked for
	zeros   []int                         // numeric columns whose share of zeros is a figure beside the mean
	// passes and the following fields belong to a survey: joint evaluations for tables and mechanisms, and whether distributions
	// are needed.
	passes  passes
	follows map[int]*follow
	whole   bool
}

// newSource reads the data that the model of a result needs. like is the source of the table that this one was drawn from, or nil.
func newSource(ctx context.Context, res *polydag.Result, t *polydag.Table, seed uint64, like *source) (*source, error) {
	s := &source{model: res.Model, seed: seed}
	if res.Sloped() {
		s.model = score.LinearEffects
		var err error
		if s.moments, err = moments(res, t); err != nil {
			return nil, err
		}
		var environments *dataset.Environments
		if t != nil && t.Environments != nil && t.Environments.HasTargets() {
			environments = t.Environments
		}
		s.pool, err = dataset.NewPool(s.moments, environments)
		return s, err
	}
	if t == nil {
		return nil, needsRows(res)
	}
	var before *mechanism.Rows
	if like != nil {
		before = like.data
	}
	var err error
	s.data, err = mechanism.Read(ctx, t, res.Model, before)
	if like != nil {
		s.most, s.zeros = sampledRows, like.zeros
	}
	return s, err
}

// sampledRows is the number of rows of a bootstrap sample that mechanisms are evaluated on; they are fitted to all. Effects are averages of
// differences in the same rows, so this adds little to their spread.
const sampledRows = 5000

// leastZeros and mostZeros are the shares of zeros between which a column of non-negative amounts has zeros of their own kind.
const leastZeros, mostZeros = 0.05, 0.95

// zeroInflated reports whether column v is a non-negative amount, such as spending, that is exactly 0 in many rows.
func (s *source) zeroInflated(v int, kinds []kind.Column) bool {
	if s.data == nil || s.data.Levels[v] != nil || kinds == nil || kinds[v].Kind != kind.Continuous {
		return false
	}
	x := s.data.Sorted(v)
	zeros, _ := slices.BinarySearch(x, math.SmallestNonzeroFloat64)
	return x[0] == 0 && float64(zeros) >= leastZeros*float64(len(x)) && float64(zeros) <= mostZeros*float64(len(x))
}

// needsRows is the error of a result whose model needs the rows of its table.
func needsRows(res *polydag.Result) error {
	return fault.New(ErrNeedsTable, fmt.Sprintf("effects under the %s model need the rows", res.Model), "give the table that it was learned from with %s", fault.Use("data"))
}

// moments returns the moments of the table with the effective number of rows or, without a table, those that
// the result implies.
func moments(res *polydag.Result, t *polydag.Table) (*dataset.Moments, error) {
	rows := res.Rows
	if t != nil {
		return t.Moments.CountedAs(t.EffectiveRows()), nil
	}
	if c := res.Table.Groups; c != nil {
		rows = c.EffectiveRows
	}
	if m := res.Table.Missing; m != nil {
		rows = m.EffectiveRows
	}
	if res.Kind != graph.KindDAG {
		return nil, fault.New(ErrNeedsTable, fmt.Sprintf("not all edges of a %s have weights", res.Kind), "give the table that it was learned from with %s", fault.Use("data"))
	}
	return impliedMoments(res, max(rows, 1))
}

// redrawn returns the source of replicate r. Discrete models of complete tables count again with row weights; others get the rows, whose
// missing values are drawn anew.
func (s *source) redrawn(ctx context.Context, res *polydag.Result, draws *polydag.Resampler, seed uint64, r int) (*source, error) {
	draw := polydag.Draw{Kind: polydag.Bootstrap, Seed: seed, Replicate: r}
	if s.model != score.TableEffects || draws.Table().Incomplete() {
		drawn, err := draws.Draw(ctx, draw)
		if err != nil {
			return nil, err
		}
		out, err := newSource(ctx, res, drawn, seed+uint64(r), s)
		if err == nil {
			out.follows, out.passes = s.follows, s.passes
		}
		return out, err
	}
	times, err := draws.Times(ctx, draw)
	if err != nil {
		return nil, err
	}
	out := &source{model: s.model, seed: seed + uint64(r), passes: s.passes}
	out.data, err = s.data.Counted(times)
	return out, err
}

// fit fits the model to a DAG, or returns the cached one.
func (s *source) fit(g *graph.Graph) (fitted, error) {
	if m, ok := s.kept[g]; ok {
		return m, nil
	}
	m, err := s.newFit(g)
	if err == nil && s.kept != nil {
		m = s.remembering(g, m)
		s.kept[g] = m
	}
	return m, err
}

// keep caches models and mechanisms, for one goroutine.
func (s *source) keep() {
	s.kept, s.fits = map[*graph.Graph]fitted{}, map[string]mechanism.Function{}
}

// forget drops the models of all other graphs.
func (s *source) forget(but *graph.Graph) {
	maps.DeleteFunc(s.kept, func(g *graph.Graph, _ fitted) bool { return g != but })
}

// mechanism fits a column of a DAG.
func (s *source) mechanism(g *graph.Graph, v int) (mechanism.Function, error) {
	key := fmt.Sprint(v, g.Parents(v))
	if f, ok := s.fits[key]; ok {
		return f, nil
	}
	f, err := mechanism.Fit(s.model, g, s.data, v)
	if err == nil && s.fits != nil {
		s.fits[key] = f
	}
	return f, err
}

func (s *source) newFit(g *graph.Graph) (fitted, error) {
	switch s.model {
	case score.TableEffects:
		return fitDiscrete(g, s.data, s.seed), nil
	case score.SmoothEffects, score.MixedEffects, score.FlexibleEffects:
		m, err := newAdditive(g, s.data, func(v int) (mechanism.Function, error) { return s.mechanism(g, v) }, s.seed, s.most)
		for _, v := range s.zeros {
			if err == nil {
				m.zeros = map[int]func() (mechanism.Function, error){v: sync.OnceValues(func() (mechanism.Function, error) { return mechanism.FitZeros(g, s.data, v) })}
			}
		}
		return m, err
	}
	return fitLinear(g, s.moments, s.pool)
}

// levels returns the categories of a column, nil for a number.
func (s *source) levels(v int) []float64 {
	if s.data == nil {
		return nil
	}
	return s.data.Levels[v]
}

// between returns the quartiles of a numeric column.
func (s *source) between(v int) (low, high float64) {
	x := s.data.Sorted(v)
	return quantile(x, 0.25), quantile(x, 0.75)
}

// bounds returns the smallest and largest value of a column; ok is false if they are unknown.
func (s *source) bounds(v int) (low, high float64, ok bool) {
	if s.data != nil {
		return slices.Min(s.data.Columns[v]), slices.Max(s.data.Columns[v]), true
	}
	low, high = s.moments.Min[v], s.moments.Max[v]
	return low, high, low-low == 0 && high-high == 0
}

// words returns the categories of each column.
func words(res *polydag.Result, kinds []kind.Column) [][]string {
	out := make([][]string, len(res.Names))
	for v := range out {
		switch {
		case kinds != nil:
			out[v] = kinds[v].Words
		case len(res.Nodes) > 0:
			out[v] = res.Nodes[v].Levels
		}
	}
	return out
}
