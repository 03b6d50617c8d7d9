package heldout

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// A Likelihood computes the likelihood of the rows of one table under graphs whose mechanisms are fitted to
// another. Numeric columns are scaled by their standard deviation in the whole table, so that the result does
// not depend on units.
//
// Mechanisms are those of package mechanism. The noise of a numeric column is Gaussian with the variance
//
//	s² = Σ residual² / (n - p - 1) for n rows and p parents,
//
// and at least the share chol.Determined of the variance of the column, so that a column determined by others has a density.
// Categories have the probabilities of their table or logit.
//
// It is not safe for concurrent use. Results per column and parent set are cached, because most columns keep
// their parents along a path of graphs.
type Likelihood struct {
	model       score.Effects
	fit, test   *polydag.Table
	std         []float64       // standard deviations of the numeric columns in the whole table
	rows, other *mechanism.Rows // rows of fit and of test; nil for a linear model
	known       map[string]float64
}

// NewLikelihood returns the likelihood of the rows of test under mechanisms fitted to the rows of fit. Both
// were sampled from whole, which defines the categories and the units.
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

// Bits returns the log-likelihood of a DAG in bits per row. When ctx ends, it returns the error of ctx.
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
			own := graph.New(g.N()) // only the family of v
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

// normal returns the log-likelihood of n values with the given sum of squared residuals.
func (l *Likelihood) normal(v int, n, squares, variance float64) float64 {
	variance = max(variance, chol.Determined*l.std[v]*l.std[v])
	return -n/2*math.Log(2*math.Pi*variance/(l.std[v]*l.std[v])) - squares/(2*variance)
}

// straight computes the log-likelihood under a linear model from the moments of both tables. With w the
// least-squares weights and m the means of the fitted rows, the sum of squares of the other rows is
//
//	Σ (x_v - m_v - Σ_p w_p (x_p - m_p))² = (1, -w)ᵀ (S + n·δδᵀ) (1, -w), δ = their means - m,
//
// where S are the sums of squares and products about their own means.
func (l *Likelihood) straight(g *graph.Graph, v int) (float64, error) {
	parents := g.Parents(v)
	index := append([]int{v}, parents...)
	fit, test := l.fit.Moments, l.test.Moments
	w := make([]float64, len(index))
	w[0] = 1
	residual := 1.0
	if len(parents) > 0 {
		places := intset.Range(1, len(parents)+1)
		reg, err := score.Regress(fit.CorrelationOf(index), 0, places)
		if err != nil {
			return 0, fmt.Errorf("the parents of %s are collinear, so their weights are not identified: %w; drop one of them", fit.Names[v], err)
		}
		for i, p := range parents {
			if s := fit.At(p, p); s > 0 {
				w[i+1] = -reg.Beta[i] * math.Sqrt(fit.At(v, v)/s)
			}
		}
		residual = min(1, max(0, reg.Residual))
	}
	squares, shift := 0.0, 0.0
	for i, a := range index {
		shift += w[i] * (test.Mean[a] - fit.Mean[a])
		for j, b := range index {
			squares += w[i] * w[j] * test.At(a, b)
		}
	}
	n := float64(test.N)
	free := max(1, float64(fit.N-len(parents)-1))
	return l.normal(v, n, max(0, squares)+n*shift*shift, fit.At(v, v)*residual/free), nil
}

// gaussian returns the log-likelihood of a numeric column whose mechanism gives its mean.
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

// counted returns the log-likelihood of a categorical column under its probability table.
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

// half is one half of the rows for learning, and the likelihood of the other.
type half struct {
	fit    *polydag.Table
	likely *Likelihood
}

// drawHalf draws half k of the rows. Halves 2i and 2i + 1 are disjoint and form split i.
func drawHalf(ctx context.Context, from *polydag.Resampler, seed uint64, k int) (*polydag.Table, error) {
	return from.Draw(ctx, polydag.Draw{Kind: polydag.Halves, Seed: seed, Replicate: k})
}

// finiteBits is Bits with an error if the result is not finite.
func (l *Likelihood) finiteBits(ctx context.Context, g *graph.Graph) (float64, error) {
	bits, err := l.Bits(ctx, g)
	if err == nil && bits-bits != 0 {
		err = fmt.Errorf("the likelihood of the rows held out is %v", bits)
	}
	return bits, err
}

// standardError returns the standard error of the mean difference of a and b, which have the bits per row of
// each half. The halves of one split are disjoint. With D_1 and D_2 the differences on them, (D_1 - D_2)²/4
// estimates the variance of their mean. The estimates of all splits are averaged (Dietterich 1998, "Approximate
// statistical tests for comparing supervised classification learning algorithms"). All splits use the same
// rows, so several splits do not reduce the error.
func standardError(a, b []float64) float64 {
	sum := 0.0
	for k := 0; k < len(a); k += 2 {
		d := (a[k] - b[k]) - (a[k+1] - b[k+1])
		sum += d * d / 4
	}
	return math.Sqrt(sum / (float64(len(a)) / 2))
}

func mean(list []float64) (m float64) {
	for _, v := range list {
		m += v / float64(len(list))
	}
	return m
}
