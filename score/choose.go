package score

import (
	"context"
	"math"
	"slices"

	"github.com/polydag/polydag/search"
)

// Evidence compares linear with nonlinear effects on the scale of twice the negative log-likelihood: smaller is better, and a
// difference of 10 is strong (Kass and Raftery 1995).
type Evidence struct {
	Linear float64 // total of the linear model
	Smooth float64 // total of the nonlinear model
}

// Curved reports whether the nonlinear model fits better.
func (e Evidence) Curved() bool { return e.Smooth < e.Linear }

// blanket is the largest number of predictors of one variable in Curvature.
const blanket = 12

// Curvature compares linear with nonlinear effects from moments alone, without a search over graphs. Under each model every
// variable is regressed on the others by forward selection of at most twelve predictors while the score of Smooth improves; the
// totals are the evidence. The nonlinear model pays for its functions, so linear data favour the linear model. If effects are
// linear and noise is Gaussian, a variable is linear in any others, so no direction has to be known. If the noise is skewed, a
// reversed linear effect is nonlinear, and the evidence may favour Smooth. Categorical variables give ErrCategorical.
//
// It costs d·12 calls of Additions for each model, at most. A cancelled context returns its error.
func Curvature(ctx context.Context, b *Blocks) (Evidence, error) {
	c, err := newComparison(b)
	if err != nil {
		return Evidence{}, err
	}
	var sum Evidence
	for v := range b.Variables() {
		if err := ctx.Err(); err != nil {
			return Evidence{}, err
		}
		e := c.of(v)
		sum.Linear += e.Linear
		sum.Smooth += e.Smooth
	}
	return sum, nil
}

// CurvatureOf is the contribution of variable v to Curvature.
func CurvatureOf(b *Blocks, v int) (Evidence, error) {
	c, err := newComparison(b)
	if err != nil {
		return Evidence{}, err
	}
	return c.of(v), nil
}

// comparison scores variables under two models.
type comparison struct {
	linear, smooth search.Evaluator
	d              int
}

func newComparison(b *Blocks) (*comparison, error) {
	lines, curves := ComparedSettings()
	linear, err := NewSmooth(b, lines)
	if err != nil {
		return nil, err
	}
	smooth, err := NewSmooth(b, curves)
	if err != nil {
		return nil, err
	}
	return &comparison{linear: linear.Evaluator(), smooth: smooth.Evaluator(), d: b.Variables()}, nil
}

func (c *comparison) of(v int) Evidence {
	return Evidence{Linear: explain(c.linear, c.d, v), Smooth: explain(c.smooth, c.d, v)}
}

// explain returns the score of v with the predictors found by forward selection.
func explain(fit search.Evaluator, d, v int) float64 {
	var parents []int
	now := fit.Score(v, nil)
	with := make([]float64, d)
	for len(parents) < min(blanket, d-1) {
		for x := range with {
			with[x] = math.Inf(1)
		}
		fit.Additions(with, v, parents)
		best := slices.Min(with)
		if best >= now {
			break
		}
		now = best
		x := slices.Index(with, best)
		at, _ := slices.BinarySearch(parents, x)
		parents = slices.Insert(parents, at, x)
	}
	return now
}
