package score

import (
	"context"
	"math"

	"github.com/polydag/polydag/internal/intset"
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
	c, err := compared(b)
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
	c, err := compared(b)
	if err != nil {
		return Evidence{}, err
	}
	return c.of(v), nil
}

// comparison has the two models of the same blocks.
type comparison struct{ linear, smooth *Smooth }

func compared(b *Blocks) (c comparison, err error) {
	lines, curves := ComparedSettings()
	if c.linear, err = NewSmooth(b, lines); err != nil {
		return c, err
	}
	c.smooth, err = NewSmooth(b, curves)
	return c, err
}

func (c comparison) of(v int) Evidence {
	d := c.linear.Variables()
	return Evidence{Linear: ForwardScore(c.linear.Evaluator(), d, v, d, blanket), Smooth: ForwardScore(c.smooth.Evaluator(), d, v, d, blanket)}
}

// ForwardScore returns the score of v, one of d variables, with predictors found by forward selection among the first variables: at
// most the given number, and only while the best further one improves the score. Of equally good predictors it takes the first.
func ForwardScore(fit search.Evaluator, d, v, among, most int) float64 {
	var parents []int
	now, with := fit.Score(v, nil), make([]float64, d)
	for len(parents) < most {
		for x := range with {
			with[x] = math.Inf(1)
		}
		fit.Additions(with, v, parents)
		best := -1
		for x, s := range with[:among] {
			if s < now {
				best, now = x, s
			}
		}
		if best < 0 {
			break
		}
		parents = intset.With(parents, best)
	}
	return now
}
