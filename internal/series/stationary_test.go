package series

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestStationarity checks that each violation is found in series that have it, with its size, and hardly ever in stationary ones.
func TestStationarity(t *testing.T) {
	const n = 600
	draw := func(seed uint64, rho float64, change func(t int, e float64) (noise, add float64)) []float64 {
		rng := rand.New(rand.NewPCG(seed, 1))
		x, out := 0.0, make([]float64, n)
		for at := range 200 + n {
			noise, add := rng.NormFloat64(), 0.0
			if at >= 200 && change != nil {
				noise, add = change(at-200, noise)
			}
			if x = rho*x + noise; at >= 200 {
				out[at-200] = x + add
			}
		}
		return out
	}
	for _, c := range []struct {
		name, want string
		rho        float64
		low, high  float64 // bounds of the value
		period     int
		change     func(t int, e float64) (noise, add float64)
	}{
		{"trend", Trend, 0.5, 0.3, 0.95, 0, func(t int, e float64) (float64, float64) { return e, 0.01 * float64(t) }},
		{"random walk", UnitRoot, 1, 0.9, 1.01, 0, func(_ int, e float64) (float64, float64) { return e, 0 }},
		{"shift", LevelShift, 0.3, 1, 5, 0, func(t int, e float64) (float64, float64) {
			if t > 200 && t < 400 {
				return e, 3
			}
			return e, 0
		}},
		{"variance", ChangingVariance, 0.5, 2.5, 20, 0, func(t int, e float64) (float64, float64) { return e * (1 + 2*float64(t)/n), 0 }},
		{"season", Seasonality, 0.3, 0.1, 0.9, 12, func(t int, e float64) (float64, float64) { return e, 1.5 * math.Sin(2*math.Pi*float64(t)/12) }},
	} {
		hits := 0
		for seed := range uint64(10) {
			for _, v := range examine(draw(seed, c.rho, c.change)) {
				if v.Code == c.want {
					hits++
					if v.Value < c.low || v.Value > c.high || v.Period != c.period {
						t.Errorf("%s, seed %d: %+v", c.name, seed, v)
					}
				}
			}
		}
		if hits < 8 { // the test of a unit root has a level of 5 %
			t.Errorf("%s: found in %d of 10 series", c.name, hits)
		}
	}
	wrong := 0
	for seed := range uint64(200) {
		wrong += len(examine(draw(100+seed, 0.1+0.1*float64(seed%8), nil)))
	}
	if wrong > 2 {
		t.Errorf("%d violations in 200 stationary series", wrong)
	}
}

// TestCheckFollowsAdjustments checks that a trend is not found after it was removed, and that short series are not checked.
func TestCheckFollowsAdjustments(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	x := make([]float64, 300)
	for i := range x {
		x[i] = rng.NormFloat64() + 0.05*float64(i)
	}
	ctx := context.Background()
	for _, c := range []struct {
		a    Adjustment
		want int
	}{{Adjustment{}, 1}, {Adjustment{Trend: true}, 0}, {Adjustment{Difference: true}, 0}} {
		w := NewWalker(&Clock{Segments: []Segment{{}}, Series: 1}, rowsOf(x), []bool{false})
		f, err := w.Fit(ctx, c.a, []bool{false})
		must.Succeed(t, err)
		found, points, err := w.Check(ctx, f, []bool{false})
		if err != nil || len(found) != c.want || points < 299 {
			t.Errorf("%+v: %v, %d points, %v", c.a, found, points, err)
		}
	}
	w := NewWalker(&Clock{Segments: []Segment{{}, {Start: 40}}, Series: 1}, rowsOf(x[:80]), []bool{false})
	if found, points, err := w.Check(ctx, &Fitted{}, []bool{false}); found != nil || points != 40 || err != nil {
		t.Errorf("two short segments: %v, %d, %v", found, points, err)
	}
}
