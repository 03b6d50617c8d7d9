package confidence

import (
	"math"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/score"
)

// The curve rises with both frequencies, leaves a half a half, and the two directions of a pair make one probability.
func TestCalibrate(t *testing.T) {
	const n = 200
	calibrate := func(by string, frequency, adjacency float64, n int) float64 {
		return newCurve(by, n).of(frequency, adjacency)
	}
	before := 0.0
	for k := 1; k <= n; k++ {
		adjacency := float64(k) / n
		both := calibrate(Simulated, adjacency/2, adjacency, n)
		if both <= before || both > 0.5 {
			t.Fatalf("half of %v becomes %v after %v", adjacency, both, before)
		}
		before = both
		forward, back := calibrate(Simulated, 0.8*adjacency, adjacency, n), calibrate(Simulated, 0.2*adjacency, adjacency, n)
		if math.Abs(forward+back-2*both) > 1e-12 || forward <= back {
			t.Fatalf("%v + %v, want %v", forward, back, 2*both)
		}
	}
	if c := calibrate(Simulated, 1, 1, n); c < 0.99 || c > 1 {
		t.Errorf("all samples make %v", c)
	}
	if calibrate(Simulated, 0, 0, n) != 0 || calibrate(NoCalibration, 0.3, 0.4, n) != 0.3 {
		t.Error("none is not none")
	}
	if calibration(polydag.Halves, score.LinearEffects) != NoCalibration || calibration(polydag.Bootstrap, score.SmoothEffects) != NoCalibration || calibration(polydag.Bootstrap, score.TableEffects) != Simulated {
		t.Error("the curve is for bootstrap samples of linear, discrete and mixed models")
	}
}
