package series

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
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
	if got := examine(make([]float64, 100)); got != nil {
		t.Errorf("a constant series has %v", got)
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
		if err != nil {
			t.Fatal(err)
		}
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

// A wave whose frequency is between two of the transform has its period from both, and nearly all power.
func TestSeasonBetweenFrequencies(t *testing.T) {
	x := make([]float64, 512)
	for t := range x {
		x[t] = math.Sin(2 * math.Pi * float64(t) / 49)
	}
	if share, period, ok := season(x); !ok || period != 49 || share < 0.75 {
		t.Errorf("share %v, period %d, %v; want most of the power at period 49", share, period, ok)
	}
}

// With a trend, the unit root is rejected below -3.41 (MacKinnon 1991), not below the -2.86 of a series without a trend.
func TestUnitRootWithTrend(t *testing.T) {
	var above, below int
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 2))
		y, x := make([]float64, 600), 0.0
		for t := range y {
			x = 0.97*x + rng.NormFloat64()
			y[t] = x + 0.1*float64(t)
		}
		left := make([]float64, len(y)) // without the line of least squares
		var slope, spread, mean float64
		for t, v := range y {
			at := float64(t) - 299.5
			slope, spread, mean = slope+at*v, spread+at*at, mean+v/600
		}
		for t, v := range y {
			left[t] = v - mean - slope/spread*(float64(t)-299.5)
		}
		statistic, found := dickey(left), false
		for _, v := range examine(y) {
			found = found || v.Code == UnitRoot
		}
		switch {
		case statistic > -3.35 && statistic < -2.9:
			if above++; !found {
				t.Errorf("seed %d: statistic %v without a unit root", seed, statistic)
			}
		case statistic < -3.47:
			if below++; found {
				t.Errorf("seed %d: statistic %v with a unit root", seed, statistic)
			}
		}
	}
	if above == 0 || below == 0 {
		t.Errorf("%d and %d series", above, below)
	}
}
