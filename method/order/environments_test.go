package order

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// drawn is a table with environments, whose rows are all in memory.
type drawn struct {
	x       *matrix.Dense[float64]
	of      []int
	targets [][]int
	levels  []bool
}

// draw draws rows of d columns, each a nonlinear sum of some earlier ones. levels marks categorical columns. In
// rows of environment k the columns of targets[k] are intervened on, with another mean.
func draw(rng *rand.Rand, n, d int, targets [][]int, levels []bool) *drawn {
	t := &drawn{x: matrix.New[float64](n, d), targets: targets, levels: levels}
	for i := range n {
		k := rng.IntN(len(targets))
		t.of = append(t.of, k)
		for j := range d {
			x := rng.NormFloat64()
			if slices.Contains(targets[k], j) {
				x = 2*x + 1
			} else {
				for p := range j {
					x += math.Sin(float64(1+p+j)*1.3) * (t.x.At(i, p) + 0.3*t.x.At(i, p)*t.x.At(i, p))
				}
			}
			if levels[j] {
				x = math.Floor(min(2, max(0, x+1)))
			}
			t.x.Set(i, j, x)
		}
	}
	return t
}

// input returns the input of a method for the rows that keep accepts; with selects whether it includes the
// environments.
func (t *drawn) input(tb testing.TB, with bool, keep func(row int) bool) *method.Input {
	tb.Helper()
	d := t.x.Cols
	names := make([]string, d)
	kinds := make([]kind.Column, d)
	for j := range names {
		names[j] = fmt.Sprint("c", j)
		if kinds[j] = (kind.Column{Name: names[j], Kind: kind.Continuous}); t.levels[j] {
			kinds[j].Kind = kind.Categorical
		}
	}
	var rows []float64
	var of []int
	for i := range t.x.Rows {
		if keep(i) {
			rows, of = append(rows, t.x.Row(i)...), append(of, t.of[i])
		}
	}
	moments := func(values []float64) *dataset.Moments {
		m := dataset.NewMoments(names)
		if len(values) > 0 {
			must.Succeed(tb, m.AddBlock(values))
		}
		return m
	}
	in := &method.Input{Moments: moments(rows), Kinds: kinds, Seed: 1, Threads: 1}
	in.Rows = dataset.RowBatch{Values: rows, Environments: of}.Rows(len(names))
	if !with {
		in.Rows = in.Rows.Pooled()
		return in
	}
	in.Environments = &dataset.Environments{Targets: t.targets}
	for k := range t.targets {
		var own []float64
		for i, at := range of {
			if at == k {
				own = append(own, rows[i*d:(i+1)*d]...)
			}
		}
		in.Environments.Names, in.Environments.Moments = append(in.Environments.Names, fmt.Sprint(k)), append(in.Environments.Moments, moments(own))
	}
	must.Succeed(tb, in.Environments.Validate(d))
	return in
}

// free accepts the rows in which column v was not set.
func (t *drawn) free(v int) func(int) bool {
	return func(i int) bool { return !slices.Contains(t.targets[t.of[i]], v) }
}

// models lists the models with columns that suit them.
func models() map[Model][]bool {
	return map[Model][]bool{
		Linear: make([]bool, 4), Smooth: make([]bool, 4), Discrete: {true, true, true, true}, Mixed: {false, true, false, true},
	}
}

// twin returns the score of v with its parents from a separate table of the rows without an intervention on v.
// The functions of a smooth model are those of the whole table.
func (t *drawn) twin(tb testing.TB, model Model, v int, parents []int) float64 {
	tb.Helper()
	in := t.input(tb, false, t.free(v))
	var s search.Score
	var err error
	switch model {
	case Linear:
		price := search.DefaultSettings().EdgePenalty(in.Moments.N, t.x.Cols)
		s, err = score.NewGaussianLocal(in.Moments.Correlation(), in.Moments.N, price)
	case Smooth:
		fit := basis.NewFit(in.Names(), nil)
		must.Succeed(tb, fit.Add(t.x.Data))
		functions, err := fit.Functions(basis.DefaultSettings())
		must.Succeed(tb, err)
		gram := functions.NewGram(1)
		must.Succeed(tb, in.Rows(context.Background(), func(b dataset.RowBatch) error { return gram.Add(b.Values) }))
		b := must.Get(gram.Blocks())
		s = must.Get(score.NewSmooth(b, score.DefaultSmoothSettings()))
	default:
		at := must.Get(plain().Of(context.Background(), in, model))
		place := func(v int) int { return slices.Index(at.Order, v) }
		set := make([]int, len(parents))
		for i, p := range parents {
			set[i] = place(p)
		}
		slices.Sort(set)
		return at.Score.Evaluator().Score(place(v), set)
	}
	must.Succeed(tb, err)
	return s.Evaluator().Score(v, parents)
}

// plain is the method with one weight of the prior, and full probability tables, for tables with and without targets.
func plain() *Method {
	m := New()
	m.AdaptEss, m.Tables = false, FullTables
	return m
}

var drawnTargets = [][]int{nil, {0}, {2}, {1, 3}, {0, 2}}

// TestEnvironmentScores checks that the score of each column uses only rows without an intervention on it, in every
// model and for every parent set.
func TestEnvironmentScores(t *testing.T) {
	for model, levels := range models() {
		t.Run(string(model), func(t *testing.T) {
			table := draw(rand.New(rand.NewPCG(1, 2)), 400, 4, drawnTargets, levels)
			at := must.Get(plain().Of(context.Background(), table.input(t, true, func(int) bool { return true }), model))
			if at.Score.Equivalent() {
				t.Error("graphs of one class are said to have one score, although experiments tell them apart")
			}
			eval := at.Score.Evaluator()
			for v := range 4 {
				for code := range 1 << 4 {
					if code>>v&1 == 1 {
						continue
					}
					var parents, set []int
					for i, p := range at.Order { // ascending in the order of the score
						if code>>p&1 == 1 {
							set = append(set, i)
						}
					}
					for p := range 4 {
						if code>>p&1 == 1 {
							parents = append(parents, p)
						}
					}
					got, want := eval.Score(slices.Index(at.Order, v), set), table.twin(t, model, v, parents)
					if math.Abs(got-want) > 1e-8*(1+math.Abs(want)) {
						t.Fatalf("column %d with parents %v: %v, from its own rows %v", v, parents, got, want)
					}
				}
			}
		})
	}
}

// TestEnvironmentsBruteForce checks that the found graph has the smallest sum of scores from explicit rows, among
// all 543 graphs on four columns.
func TestEnvironmentsBruteForce(t *testing.T) {
	var all []*graph.Graph
	for code := range 1 << 12 {
		g := graph.New(4)
		for i := range 4 {
			for j := range 4 {
				if bit := i*3 + j; j < i && code>>bit&1 == 1 || j > i && code>>(bit-1)&1 == 1 {
					g.AddEdge(i, j)
				}
			}
		}
		if g.IsAcyclic() {
			all = append(all, g)
		}
	}
	if len(all) != 543 {
		t.Fatalf("%d graphs", len(all))
	}
	for model, levels := range models() {
		t.Run(string(model), func(t *testing.T) {
			table := draw(rand.New(rand.NewPCG(3, 4)), 300, 4, drawnTargets, levels)
			in := table.input(t, true, func(int) bool { return true })
			m := plain()
			m.Model = model
			a := must.Get(m.Learn(context.Background(), in, nil))
			known := map[string]float64{}
			best, least := (*graph.Graph)(nil), math.Inf(1)
			for _, g := range all {
				sum := 0.0
				for v := range 4 {
					key := fmt.Sprint(v, g.Parents(v))
					s, ok := known[key]
					if !ok {
						s = table.twin(t, model, v, g.Parents(v))
						known[key] = s
					}
					sum += s
				}
				if sum < least {
					best, least = g, sum
				}
			}
			if math.Abs(a.Score-least) > 1e-7*math.Abs(least) || !a.Optimal {
				t.Errorf("found %v of score %v, the best is %v of %v", a.Graph.Directed().Edges(), a.Score, best.Edges(), least)
			}
		})
	}
}
