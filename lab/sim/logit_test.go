package sim

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestDrawLogit compares the effects of a logit with their definition: centered over both categories, with a mean square of
// u²·(r-1)·(s-1)/(r·s) for u between 0.5 and 1, and intercepts with a standard deviation of 1/2.
func TestDrawLogit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const r, s = 3, 4
	m := &Model{parents: [][]int{nil, {0}}, levels: []int{s, r}}
	least, most, squares, n := math.Inf(1), 0.0, 0.0, 0
	for range 2000 {
		l := m.drawLogit(1, rng)
		size := 0.0
		for i := range s {
			row := 0.0
			for o := range r {
				row += l.effects[0][i*r+o]
				size += l.effects[0][i*r+o] * l.effects[0][i*r+o]
			}
			if math.Abs(row) > 1e-9 {
				t.Fatalf("the effects of category %d sum to %v, want 0", i, row)
			}
		}
		for o := range r {
			column := 0.0
			for i := range s {
				column += l.effects[0][i*r+o]
			}
			if math.Abs(column) > 1e-9 {
				t.Fatalf("the effects on category %d sum to %v, want 0", o, column)
			}
		}
		u := math.Sqrt(size / ((r - 1) * (s - 1)))
		least, most = min(least, u), max(most, u)
		for _, b := range l.intercept {
			squares += b * b
			n++
		}
	}
	if least < 0.5-1e-9 || least > 0.51 || most < 0.99 || most > 1+1e-9 {
		t.Errorf("u is between %v and %v, want 0.5 and 1", least, most)
	}
	if variance := squares / float64(n); math.Abs(variance-0.25) > 0.02 {
		t.Errorf("the variance of the intercepts is %v, want 1/4", variance)
	}
}

// TestLogitValue compares categories with the cumulative probabilities of a model with the odds 1 : 3 and 2 : 1.
func TestLogitValue(t *testing.T) {
	l := &logit{parents: []int{1}, outs: 2, intercept: []float64{0, math.Log(2)}, effects: [][]float64{{0, math.Log(1.5), math.Log(4), 0}}}
	for _, c := range []struct{ parent, noise, want float64 }{
		{0, 0.24, 0}, {0, 0.26, 1}, {1, 0.66, 0}, {1, 0.67, 1},
	} {
		if got := l.value([]float64{9, c.parent}, c.noise); got != c.want {
			t.Errorf("parent %v, noise %v: category %v, want %v", c.parent, c.noise, got, c.want)
		}
	}
}

// TestCumulative checks the range of the weights and the thresholds of an ordered category: quantiles of the logistic distribution with
// variance 1, times the standard deviation of the sum, with a shift of standard deviation 0.4.
func TestCumulative(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	m := &Model{parents: [][]int{nil, {0}}, levels: []int{0, 4}, mean: []float64{5, 0}, scale: []float64{0.5, 1}}
	least, most, squares := math.Inf(1), 0.0, 0.0
	const n = 2000
	for range n {
		c := m.drawCumulative(1, rng)
		w := math.Abs(c.weights[0])
		least, most = min(least, w), max(most, w)
		sd := math.Sqrt(1 + w*w)
		if len(c.thresholds) != 3 {
			t.Fatalf("%d thresholds, want 3", len(c.thresholds))
		}
		shift := c.thresholds[1] / sd // the median of the noise is 0
		squares += shift * shift
		for k, odds := range []float64{1.0 / 3, 1, 3} {
			if want := sd * (shift + math.Log(odds)*math.Sqrt(3)/math.Pi); math.Abs(c.thresholds[k]-want) > 1e-9 {
				t.Fatalf("threshold %d is %v, want %v", k, c.thresholds[k], want)
			}
		}
	}
	if least < 0.4 || least > 0.41 || most > 1 || most < 0.99 {
		t.Errorf("weights between %v and %v, want 0.4 and 1", least, most)
	}
	if sd := math.Sqrt(squares / n); math.Abs(sd-0.4) > 0.02 {
		t.Errorf("the standard deviation of the shift is %v, want 0.4", sd)
	}
	c := &cumulative{parents: []int{0}, weights: []float64{2}, mean: []float64{5}, scale: []float64{0.5}, thresholds: []float64{-1, 1}}
	for _, v := range []struct{ parent, noise, want float64 }{
		{5, 0.5, 1}, {3.9, 0.5, 0}, {4.1, 0.5, 1}, {5.9, 0.5, 1}, {6.1, 0.5, 2}, {5, 0, 0}, {5, 1, 2}, {5, 0.1, 0}, {5, 0.2, 1}, {5, 0.9, 2}, {5, 0.8, 1},
	} {
		if got := c.value([]float64{v.parent}, v.noise); got != v.want {
			t.Errorf("parent %v, noise %v: category %v, want %v", v.parent, v.noise, got, v.want)
		}
	}
}

// TestPick checks that the first category whose cumulative probability exceeds u is picked, and the last one if rounding leaves none.
func TestPick(t *testing.T) {
	for u, want := range map[float64]float64{0: 0, 0.24: 0, 0.25: 1, 0.74: 1, 0.75: 2, 0.99: 2, 1: 2} {
		if got := pick([]float64{0.25, 0.75, 1}, u); got != want {
			t.Errorf("u = %v: category %v, want %v", u, got, want)
		}
	}
}

// TestGamma compares the mean and the variance of the gamma distribution, both equal to its shape.
func TestGamma(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, shape := range []float64{0.5, 1, 4} {
		const n = 40000
		sum, square := 0.0, 0.0
		for range n {
			v := gamma(shape, rng)
			sum += v
			square += (v - shape) * (v - shape)
		}
		if math.Abs(sum/n-shape) > 0.03*max(1, shape) || math.Abs(square/n-shape) > 0.06*max(1, shape) {
			t.Errorf("shape %v: mean %v and variance %v", shape, sum/n, square/n)
		}
	}
}
