package confidence

import (
	"math"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/score"
)

// TestCalibrate checks that each curve rises with both frequencies, leaves a half a half, and the two
// directions of a pair make one probability.
func TestCalibrate(t *testing.T) {
	const n = 200
	calibrate := func(by string, frequency, adjacency float64, n int) float64 {
		return newCurve(by, n).of(frequency, adjacency)
	}
	for _, by := range []string{Simulated, SimulatedSmooth} {
		before := 0.0
		for k := 1; k <= n; k++ {
			adjacency := float64(k) / n
			both := calibrate(by, adjacency/2, adjacency, n)
			if both <= before || both > 0.5 {
				t.Fatalf("%s: half of %v becomes %v after %v", by, adjacency, both, before)
			}
			before = both
			forward, back := calibrate(by, 0.8*adjacency, adjacency, n), calibrate(by, 0.2*adjacency, adjacency, n)
			if !(math.Abs(forward+back-2*both) <= 1e-12) || forward <= back {
				t.Fatalf("%s: %v + %v, want %v", by, forward, back, 2*both)
			}
		}
		if c := calibrate(by, 1, 1, n); c < 0.99 || c > 1 {
			t.Errorf("%s: all samples make %v", by, c)
		}
	}
	if calibrate(Simulated, 0, 0, n) != 0 || calibrate(NoCalibration, 0.3, 0.4, n) != 0.3 {
		t.Error("none is not none")
	}
	for _, c := range []struct {
		kind  polydag.Resampling
		model score.Effects
		want  string
	}{
		{polydag.Halves, score.LinearEffects, NoCalibration}, {polydag.Halves, score.SmoothEffects, NoCalibration},
		{polydag.Bootstrap, score.SmoothEffects, SimulatedSmooth}, {polydag.Bootstrap, score.TableEffects, Simulated}, {polydag.Bootstrap, score.MixedEffects, Simulated},
	} {
		if got := calibration(c.kind, c.model); got != c.want {
			t.Errorf("%s under a %s model has %s, want %s", c.kind, c.model, got, c.want)
		}
	}
}

// TestFittedCurves has the values of both published curves at an adjacency in 70 % of 200 samples, 80 % of them in one direction, worked out
// from the coefficients of the logistic regressions: (0.30, 1.53, 1.53), and (-0.15, 1.64, 2.4) for smooth effects.
func TestFittedCurves(t *testing.T) {
	for by, want := range map[string][2]float64{Simulated: {0.83049269, 0.89156213}, SimulatedSmooth: {0.77413436, 0.96459245}} {
		c := newCurve(by, 200)
		if a, d := c.adjacency(0.7), c.direction(0.8); !(math.Abs(a-want[0]) <= 1e-8) || !(math.Abs(d-want[1]) <= 1e-8) {
			t.Errorf("%s: adjacency %.8f and direction %.8f, want %.8f", by, a, d, want)
		}
	}
}
