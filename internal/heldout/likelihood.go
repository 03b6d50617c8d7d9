package heldout

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// A Likelihood says how probable the rows of one table are under graphs whose mechanisms are fitted to the rows of another one. Columns
// of numbers count in units of their standard deviation over the whole table, so that the figure does not depend on units.
//
// Mechanisms are those of Ask. The noise of a number is Gaussian, with the variance
//
//	s² = Σ (what its parents leave)² / (n - p - 1), n rows fitted to, p parents,
//
// and at least 1e-10 of the variance of the column, so that a column which others determine has a density. Levels have the
// probabilities of their table or logit.
//
// It is for one goroutine. What was found of a column with certain parents is kept: along a path of graphs most columns keep theirs.
type Likelihood struct {
	model       score.Effects
	fit, test   *polydag.Table
	std         []float64       // of the columns of numbers over the whole table
	rows, other *mechanism.Rows // of fit and of test; nil under a linear model
	known       map[string]float64
}

// leastNoise is the least variance of noise, as a share of that of the column.
const leastNoise = 1e-10

// NewLikelihood returns the likelihood of the rows of test under mechanisms that are fitted to those of fit. Both were drawn from whole,
// whose levels and units count.
func NewLikelihood(ctx context.Context, model score.Effects, whole, fit, test *polydag.Table) (*Likelihood, error) {
	l := &Likelihood{model: model, fit: fit, test: test, std: whole.Moments.Std(), known: map[string]float64{}}
	if model == score.LinearEffects || model == "" {
		l.model = score.LinearEffects
		return l, nil
	}
	all, err := mechanism.Read(ctx, whole, model, nil)
	if err != nil {
		return nil, err
	}
	if l.rows, err = mechanism.Read(ctx, fit, model, all); err != nil {
		return nil, err
	}
	l.other, err = mechanism.Read(ctx, test, model, all)
	return l, err
}

// Bits returns the logarithm to base 2 of the likelihood of a DAG, a row. When ctx ends it returns its error.
func (l *Likelihood) Bits(ctx context.Context, g *graph.Graph) (float64, error) {
	sum := 0.0
	for v := range g.N() {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		parents := slices.Clone(g.Parents(v))
		slices.Sort(parents)
		key := fmt.Sprint(v, parents)
		bits, ok := l.known[key]
		if !ok {
			own := graph.New(g.N()) // the family alone
			for _, p := range parents {
				own.AddEdge(p, v)
			}
			nats, err := l.column(own, v)
			if err != nil {
				return 0, err
			}
			bits = nats / float64(l.test.Moments.N) / math.Ln2
			l.known[key] = bits
		}
		sum += bits
	}
	return sum, nil
}

// column returns the log-likelihood of all values of column v given its parents in g.
func (l *Likelihood) column(g *graph.Graph, v int) (float64, error) {
	switch l.model {
	case score.LinearEffects:
		return l.straight(g, v)
	case score.TableEffects:
		return l.counted(g, v)
	}
	f, err := mechanism.Fit(l.model, g, l.rows, v)
	if err != nil {
		return 0, err
	}
	if l.rows.Levels[v] == nil {
		return l.gaussian(g, v, f), nil
	}
	sum := 0.0
	x := l.other.Family(g, v)
	for i := range x.Rows {
		row := x.Row(i)
		sum += math.Log(max(f.At(row[1:])[l.other.Code(v, row[0])], math.SmallestNonzeroFloat64))
	}
	return sum, nil
}

// normal is the log-likelihood of n values whose squared distances from what is expected sum to squares.
func (l *Likelihood) normal(v int, n, squares, variance float64) float64 {
	variance = max(variance, leastNoise*l.std[v]*l.std[v])
	return -n/2*math.Log(2*math.Pi*variance/(l.std[v]*l.std[v])) - squares/(2*variance)
}

// straight needs no more than the moments of both tables. With w the weights of least squares and m the means of the rows that
// they were fitted to, the squares of the others are
//
//	Σ (x_v - m_v - Σ_p w_p (x_p - m_p))² = (1, -w)ᵀ (S + n·δδᵀ) (1, -w), δ = their means - m,
//
// S the sums of their squares and products about their own means.
func (l *Likelihood) straight(g *graph.Graph, v int) (float64, error) {
	parents := g.Parents(v)
	index := append([]int{v}, parents...)
	fit, test := l.fit.Moments, l.test.Moments
	d := fit.Dim()
	w := make([]float64, len(index))
	w[0] = 1
	residual := 1.0
	if len(parents) > 0 {
		places := make([]int, len(parents))
		for i := range places {
			places[i] = i + 1
		}
		reg, err := score.Regress(fit.CorrelationOf(index), 0, places)
		if err != nil {
			return 0, fmt.Errorf("the parents of %s are collinear, so their weights are not identified: %w; drop one of them", fit.Names[v], err)
		}
		for i, p := range parents {
			if s := fit.Scatter[p*d+p]; s > 0 {
				w[i+1] = -reg.Beta[i] * math.Sqrt(fit.Scatter[v*d+v]/s)
			}
		}
		residual = min(1, max(0, reg.Residual))
	}
	squares, shift := 0.0, 0.0
	for i, a := range index {
		shift += w[i] * (test.Mean[a] - fit.Mean[a])
		for j, b := range index {
			squares += w[i] * w[j] * test.Scatter[a*d+b]
		}
	}
	n := float64(test.N)
	free := max(1, float64(fit.N-len(parents)-1))
	return l.normal(v, n, max(0, squares)+n*shift*shift, fit.Scatter[v*d+v]*residual/free), nil
}

// gaussian is the log-likelihood of a number whose mechanism gives its mean.
func (l *Likelihood) gaussian(g *graph.Graph, v int, f mechanism.Function) float64 {
	squares := func(x *matrix.Dense[float64]) (sum float64) {
		for i := range x.Rows {
			row := x.Row(i)
			left := row[0] - f.At(row[1:])[0]
			sum += left * left
		}
		return sum
	}
	fit, test := l.rows.Family(g, v), l.other.Family(g, v)
	free := max(1, float64(fit.Rows-len(g.Parents(v))-1))
	return l.normal(v, float64(test.Rows), squares(test), squares(fit)/free)
}

// counted is the log-likelihood of a column of levels under its table.
func (l *Likelihood) counted(g *graph.Graph, v int) (float64, error) {
	t, err := mechanism.NewCPT(l.rows, v, g.Parents(v))
	if err != nil {
		return 0, err
	}
	sum := 0.0
	parents := g.Parents(v)
	codes := make([]int, len(parents))
	for i := range l.other.N {
		for k, p := range parents {
			codes[k] = l.other.Code(p, l.other.Columns[p][i])
		}
		sum += math.Log(t.At(codes)[l.other.Code(v, l.other.Columns[v][i])])
	}
	return sum, nil
}
