// Package losses has a score that takes a loss for the kind of each column, from the rows.
package losses

import (
	"fmt"
	"math"
)

// A Loss measures how badly linear predictors η fit the values of one column; smaller is better. It is smooth and convex in η.
type Loss interface {
	// Width is the number of linear predictors, and the number of functions by which the column enters the predictors of others.
	Width() int
	// Expand writes the Width functions of value x, or returns an error for an invalid value.
	Expand(functions []float64, x float64) error
	// At returns the loss of one row, where y are the functions of the column's own value, and writes the derivatives in η.
	At(slope, eta, y []float64) float64
}

// SquaredLoss is ½(η - y)²: a Gaussian column with variance 1.
type SquaredLoss struct{}

func (SquaredLoss) Width() int { return 1 }

func (SquaredLoss) Expand(functions []float64, x float64) error { return number(functions, x) }

func (SquaredLoss) At(slope, eta, y []float64) float64 {
	r := eta[0] - y[0]
	slope[0] = r
	return r * r / 2
}

// HuberLoss is ½r² up to |r| = Delta and Delta(|r| - Delta/2) beyond, r = η - y: least squares that is robust to outliers (Huber
// 1964). Delta is in units of the column; 1.345 standard deviations of Gaussian noise keep 95 % of the efficiency of least squares.
type HuberLoss struct{ Delta float64 }

func (HuberLoss) Width() int { return 1 }

func (HuberLoss) Expand(functions []float64, x float64) error { return number(functions, x) }

func (l HuberLoss) At(slope, eta, y []float64) float64 {
	r := eta[0] - y[0]
	c := max(-l.Delta, min(r, l.Delta))
	slope[0] = c
	return c * (r - c/2)
}

// LogisticLoss is log(1 + e^η) - yη for a binary column of zeros and ones.
type LogisticLoss struct{}

func (LogisticLoss) Width() int { return 1 }

// Expand accepts 0 and 1.
func (LogisticLoss) Expand(functions []float64, x float64) error {
	if x != 0 && x != 1 {
		return fmt.Errorf("%v is not 0 or 1, which a binary column has", x)
	}
	functions[0] = x
	return nil
}

func (LogisticLoss) At(slope, eta, y []float64) float64 {
	e := eta[0]
	small := math.Exp(-math.Abs(e)) // no overflow on either side
	p := 1 / (1 + small)
	if e < 0 {
		p = small / (1 + small)
	}
	slope[0] = p - y[0]
	return max(e, 0) + math.Log1p(small) - y[0]*e
}

// SoftmaxLoss is log(1 + Σ_l e^{η_l}) - Σ_l y_l η_l for a categorical column with codes 0 … Levels-1, where y are the indicators of
// all categories except the first. With two categories it is LogisticLoss.
type SoftmaxLoss struct{ Levels int }

func (l SoftmaxLoss) Width() int { return l.Levels - 1 }

// Expand writes the indicators of all categories except the first.
func (l SoftmaxLoss) Expand(functions []float64, x float64) error {
	level := int(x)
	if float64(level) != x || level < 0 || level >= l.Levels {
		return fmt.Errorf("%v is no level of a column with levels 0 to %d", x, l.Levels-1)
	}
	clear(functions)
	if level > 0 {
		functions[level-1] = 1
	}
	return nil
}

func (l SoftmaxLoss) At(slope, eta, y []float64) float64 {
	most := 0.0 // the predictor of the first category is 0
	for _, e := range eta {
		most = max(most, e)
	}
	sum := math.Exp(-most)
	for i, e := range eta {
		slope[i] = math.Exp(e - most)
		sum += slope[i]
	}
	loss := most + math.Log(sum)
	for i, e := range eta {
		slope[i] = slope[i]/sum - y[i]
		loss -= y[i] * e
	}
	return loss
}

// PoissonLoss is e^η - yη for a column of counts.
type PoissonLoss struct{}

func (PoissonLoss) Width() int { return 1 }

// Expand accepts non-negative integers.
func (PoissonLoss) Expand(functions []float64, x float64) error {
	if !(x >= 0) || x != math.Trunc(x) || math.IsInf(x, 0) {
		return fmt.Errorf("%v is no count", x)
	}
	functions[0] = x
	return nil
}

func (PoissonLoss) At(slope, eta, y []float64) float64 {
	mean := math.Exp(eta[0])
	slope[0] = mean - y[0]
	return mean - y[0]*eta[0]
}

// number accepts x if it is finite.
func number(functions []float64, x float64) error {
	if x-x != 0 {
		return fmt.Errorf("%v is no finite number", x)
	}
	functions[0] = x
	return nil
}
