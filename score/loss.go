package score

import (
	"fmt"
	"math"
)

// A Loss says how badly linear predictors η explain the values of one column; less is better. It is convex in η, and smooth.
type Loss interface {
	// Width is the number of linear predictors, and of functions that the column itself enters those of others with.
	Width() int
	// Expand writes the functions of value x, as many as Width, or says what is wrong with it.
	Expand(functions []float64, x float64) error
	// At returns the loss of one row, where y are the functions of the column's own value, and writes the derivatives in η.
	At(slope, eta, y []float64) float64
}

// SquaredLoss is ½(η - y)²: a Gaussian column with variance 1.
type SquaredLoss struct{}

// Width is 1.
func (SquaredLoss) Width() int { return 1 }

// Expand takes every number.
func (SquaredLoss) Expand(functions []float64, x float64) error { return number(functions, x) }

// At returns the loss.
func (SquaredLoss) At(slope, eta, y []float64) float64 {
	r := eta[0] - y[0]
	slope[0] = r
	return r * r / 2
}

// HuberLoss is ½r² up to |r| = Delta and Delta(|r| - Delta/2) beyond, r = η - y: least squares that outliers do not rule
// (Huber 1964). Delta is in units of the column; 1.345 standard deviations of the noise keep 95 % of least squares' efficiency where it is Gaussian.
type HuberLoss struct{ Delta float64 }

// Width is 1.
func (HuberLoss) Width() int { return 1 }

// Expand takes every number.
func (HuberLoss) Expand(functions []float64, x float64) error { return number(functions, x) }

// At returns the loss.
func (l HuberLoss) At(slope, eta, y []float64) float64 {
	r := eta[0] - y[0]
	c := max(-l.Delta, min(r, l.Delta))
	slope[0] = c
	return c * (r - c/2)
}

// LogisticLoss is log(1 + e^η) - yη for a column of zeros and ones.
type LogisticLoss struct{}

// Width is 1.
func (LogisticLoss) Width() int { return 1 }

// Expand takes 0 and 1.
func (LogisticLoss) Expand(functions []float64, x float64) error {
	if x != 0 && x != 1 {
		return fmt.Errorf("%v is not 0 or 1, which a binary column has", x)
	}
	functions[0] = x
	return nil
}

// At returns the loss.
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

// SoftmaxLoss is log(1 + Σ_l e^{η_l}) - Σ_l y_l η_l for a column of levels 0 … Levels-1, y the indicators of all levels but the
// first. With two levels it is LogisticLoss.
type SoftmaxLoss struct{ Levels int }

// Width is one less than the levels.
func (l SoftmaxLoss) Width() int { return l.Levels - 1 }

// Expand writes the indicators of the levels but the first.
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

// At returns the loss.
func (l SoftmaxLoss) At(slope, eta, y []float64) float64 {
	most := 0.0 // the predictor of the first level is 0
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

// Width is 1.
func (PoissonLoss) Width() int { return 1 }

// Expand takes whole numbers from 0 on.
func (PoissonLoss) Expand(functions []float64, x float64) error {
	if !(x >= 0) || x != math.Trunc(x) || math.IsInf(x, 0) {
		return fmt.Errorf("%v is no count", x)
	}
	functions[0] = x
	return nil
}

// At returns the loss.
func (PoissonLoss) At(slope, eta, y []float64) float64 {
	mean := math.Exp(eta[0])
	slope[0] = mean - y[0]
	return mean - y[0]*eta[0]
}

// number takes x where it is finite.
func number(functions []float64, x float64) error {
	if x-x != 0 {
		return fmt.Errorf("%v is no finite number", x)
	}
	functions[0] = x
	return nil
}
