package score

import (
	"context"
	"math"
	"slices"

	"github.com/polydag/polydag/search"
)

// Evidence is what a table says about the shape of its effects, on the scale of twice the negative
// log-likelihood: less is better, and a difference of 10 is strong (Kass and Raftery 1995).
type Evidence struct {
	Linear float64 // total of the linear model
	Smooth float64 // total of the curved one
}

// Curved reports whether the table asks for Smooth rather than a linear score.
func (e Evidence) Curved() bool { return e.Smooth < e.Linear }

// blanket is the largest number of variables that explain one in Curvature.
const blanket = 12

// Curvature compares linear with curved effects from moments alone and without a search over graphs.
// Under each of the two models every variable is explained by the others, which are taken in one after
// the other while the score improves, twelve at most; the totals are the evidence. They are those of
// Smooth: the curved model pays for its functions, so linear data speak for the linear model. Where
// variables and noise are Gaussian and effects linear, a variable is a linear function of any others, so
// no direction has to be known. Where the noise of linear effects is skewed, an effect seen backwards is
// curved, and the evidence may be for Smooth. Categorical variables are refused with ErrCategorical.
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

// CurvatureOf is what variable v alone adds to Curvature.
func CurvatureOf(b *Blocks, v int) (Evidence, error) {
	c, err := newComparison(b)
	if err != nil {
		return Evidence{}, err
	}
	return c.of(v), nil
}

// comparison explains variables under two models.
type comparison struct {
	linear, smooth search.Evaluator
	d              int
}

func newComparison(b *Blocks) (*comparison, error) {
	linear, err := NewSmooth(b, SmoothSettings{Linear: true})
	if err != nil {
		return nil, err
	}
	smooth, err := NewSmooth(b, SmoothSettings{Strengths: DefaultSmoothSettings().Strengths})
	if err != nil {
		return nil, err
	}
	return &comparison{linear: linear.Evaluator(), smooth: smooth.Evaluator(), d: b.Variables()}, nil
}

func (c *comparison) of(v int) Evidence {
	return Evidence{Linear: explain(c.linear, c.d, v), Smooth: explain(c.smooth, c.d, v)}
}

// explain returns the score of v with the variables that forward selection finds for it.
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
