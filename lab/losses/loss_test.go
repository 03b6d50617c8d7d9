package losses

import (
	"math"
	"testing"
)

// Each loss accepts the values of its kind of column.
func TestValuesOfLosses(t *testing.T) {
	for _, c := range []struct {
		loss  Loss
		value float64
		valid bool
	}{
		{PoissonLoss{}, 0, true}, {PoissonLoss{}, 7, true}, {PoissonLoss{}, -1, false}, {PoissonLoss{}, 1.5, false}, {PoissonLoss{}, math.Inf(1), false}, {PoissonLoss{}, math.NaN(), false},
		{LogisticLoss{}, 0, true}, {LogisticLoss{}, 1, true}, {LogisticLoss{}, 2, false}, {LogisticLoss{}, 0.5, false},
		{SoftmaxLoss{Levels: 3}, 2, true}, {SoftmaxLoss{Levels: 3}, 3, false}, {SoftmaxLoss{Levels: 3}, -1, false}, {SoftmaxLoss{Levels: 3}, 0.5, false},
		{SquaredLoss{}, -2.5, true}, {SquaredLoss{}, math.Inf(1), false}, {HuberLoss{Delta: 1}, math.NaN(), false},
	} {
		if err := c.loss.Expand(make([]float64, c.loss.Width()), c.value); (err == nil) != c.valid {
			t.Errorf("%T of %v: %v, want valid: %v", c.loss, c.value, err, c.valid)
		}
	}
}

// The loss of categories is -ln of the softmax, also where predictors are too large for exponentials, in any place.
func TestLargePredictors(t *testing.T) {
	l := SoftmaxLoss{Levels: 3}
	for _, c := range []struct {
		eta, y, slope [2]float64
		loss          float64
	}{
		{[2]float64{0, 0}, [2]float64{1, 0}, [2]float64{1./3 - 1, 1. / 3}, math.Log(3)},
		{[2]float64{1000, 0}, [2]float64{1, 0}, [2]float64{0, 0}, 0},
		{[2]float64{0, 1000}, [2]float64{1, 0}, [2]float64{-1, 1}, 1000},
		{[2]float64{1000, 998}, [2]float64{0, 1}, [2]float64{1 / (1 + math.Exp(-2)), 1/(1+math.Exp(2)) - 1}, 2 + math.Log1p(math.Exp(-2))},
		{[2]float64{-1000, -999}, [2]float64{0, 0}, [2]float64{0, 0}, 0},
	} {
		var slope [2]float64
		got := l.At(slope[:], c.eta[:], c.y[:])
		if !(math.Abs(got-c.loss) <= 1e-9) || !(math.Abs(slope[0]-c.slope[0]) <= 1e-9) || !(math.Abs(slope[1]-c.slope[1]) <= 1e-9) {
			t.Errorf("predictors %v of %v: loss %v with slopes %v, want %v with %v", c.eta, c.y, got, slope, c.loss, c.slope)
		}
	}
}
