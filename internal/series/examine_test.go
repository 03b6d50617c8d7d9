package series

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
)

// examined is examine from the definitions, without its search for seasons.
func examined(y []float64) (found []Violation) {
	n := float64(len(y))
	mean := func(x []float64) (sum float64) {
		for _, v := range x {
			sum += v / float64(len(x))
		}
		return sum
	}
	moment := func(x []float64, power int) (sum float64) {
		for _, v := range x {
			product := 1 / float64(len(x))
			for range power {
				product *= v
			}
			sum += product
		}
		return sum
	}
	var times, level []float64
	for t := range y {
		times = append(times, float64(t)-(n-1)/2)
		level = append(level, y[t]-mean(y))
	}
	slope := dot(times, level) / dot(times, times)
	rest := make([]float64, len(y))
	for t := range y {
		rest[t] = level[t] - slope*times[t]
	}
	r2 := 1 - moment(rest, 2)/moment(level, 2)
	neighbours := func(x []float64) float64 { return dot(x[1:], x[:len(x)-1]) / dot(x, x) }
	rho := neighbours(rest)
	bounded := min(rho, 0.99)
	stretch := math.Sqrt((1 + bounded) / (1 - bounded))
	trend := r2 > 0.1 && math.Abs(slope) > 5*stretch*math.Sqrt(moment(rest, 2)/dot(times, times))
	root, critical := level, -2.86
	if trend {
		found = append(found, Violation{Code: Trend, Value: r2})
		root, critical = rest, -3.41
	}
	if phi := neighbours(root); phi > 0.9 && changeOnLevel(root) > critical {
		return append(found, Violation{Code: UnitRoot, Value: phi})
	}
	var noise []float64
	for t := 1; t < len(rest); t++ {
		noise = append(noise, rest[t]-rho*rest[t-1])
	}
	third := len(y) / 3
	var means, variances []float64
	for k := range 3 {
		means = append(means, mean(rest[k*third:(k+1)*third]))
		variances = append(variances, moment(noise[k*third:min(len(noise), (k+1)*third)], 2))
	}
	shift := (slices.Max(means) - slices.Min(means)) / math.Sqrt(moment(rest, 2))
	if !trend && shift > 1 && shift > 5*stretch*math.Sqrt(2/float64(third)) {
		found = append(found, Violation{Code: LevelShift, Value: shift})
	}
	// The logarithm of the variance of m values has the variance (kurtosis - 1)/m, the difference of two of them twice that. A kurtosis
	// below that of two values of equal size and opposite sign counts as 2.
	kurtosis := moment(noise, 4) / moment(noise, 2) / moment(noise, 2)
	ratio := slices.Max(variances) / slices.Min(variances)
	if ratio > 2.5 && math.Log(ratio) > 5*math.Sqrt(2*max(kurtosis-1, 1)/float64(third)) {
		found = append(found, Violation{Code: ChangingVariance, Value: ratio})
	}
	return found
}

// TestExamineAgainstDefinition compares the violations of short series with trends, shifts and changing variances, many of them near the
// limits, with their definitions.
func TestExamineAgainstDefinition(t *testing.T) {
	count := map[string]int{}
	for seed := range uint64(800) {
		rng := rand.New(rand.NewPCG(seed, 61))
		n := (50 + rng.IntN(120)) * (1 + 4*rng.IntN(2))
		y, x := make([]float64, n), 0.0
		rho, slope := 0.99*rng.Float64()*rng.Float64(), 0.0
		if rng.IntN(2) == 0 {
			slope = rng.ExpFloat64() * 3 / float64(n)
		}
		level, scale := 0.0, 1.0
		switch rng.IntN(3) {
		case 0:
			level = 6 * rng.Float64()
		case 1:
			scale = 1 + 6*rng.Float64()
		}
		two := rng.IntN(3) == 0 // two values, whose kurtosis is 1
		for t := range y {
			e := rng.NormFloat64()
			if two {
				e = math.Copysign(1, e)
			}
			if t >= n/3 && t < 2*n/3 {
				e *= scale
			}
			x = rho*x + e
			y[t] = x + slope*float64(t)
			if t >= n/3 && t < 2*n/3 {
				y[t] += level
			}
		}
		want := examined(y)
		got := slices.DeleteFunc(examine(slices.Clone(y)), func(v Violation) bool { return v.Code == Seasonality })
		same := slices.EqualFunc(got, want, func(a, b Violation) bool { return a.Code == b.Code && math.Abs(a.Value-b.Value) < 1e-9*b.Value })
		if !same {
			t.Errorf("seed %d, %d points: %v, want %v", seed, n, got, want)
		}
		for _, v := range want {
			count[v.Code]++
		}
	}
	if min(count[Trend], count[LevelShift], count[ChangingVariance]) < 30 {
		t.Errorf("%v: the test looks at too little", count)
	}
}

// TestTrendOfSmoothSeries checks that a correlation of neighbouring values counts as 0.99 at most.
func TestTrendOfSmoothSeries(t *testing.T) {
	const n = 9000
	wave := make([]float64, n)
	middle, xy, spread := (n-1)/2., 0.0, n*(n*n-1)/12.
	for i := range wave {
		wave[i] = math.Cos(2 * math.Pi * 12 * float64(i) / n)
		xy += wave[i] * (float64(i) - middle)
	}
	for i := range wave {
		wave[i] -= xy / spread * (float64(i) - middle)
	}
	limit := 5 * math.Sqrt(dot(wave, wave)/n/spread) * math.Sqrt(1.99/0.01)
	for _, by := range []float64{0.9995, 1.0005} {
		y := slices.Clone(wave)
		for i := range y {
			y[i] += by * limit * float64(i)
		}
		if got := has(y, Trend); got != (by > 1) {
			t.Errorf("a trend of %v times the limit: %v", by, got)
		}
	}
}

// TestSeasonOfEveryFrequency compares the share and the period of a season with sums of sines and cosines, for waves between all
// frequencies.
func TestSeasonOfEveryFrequency(t *testing.T) {
	const n, half = 64, 32
	for periods := 3.0; periods <= half-1; periods += 0.2 {
		x, power, sum, at := make([]float64, n), make([]float64, half+1), 0.0, 1
		for i := range x {
			x[i] = math.Cos(1 + 2*math.Pi*periods*float64(i)/n)
		}
		for k := 1; k < half; k++ {
			var a, b float64
			for i, v := range x {
				a, b = a+v*math.Cos(2*math.Pi*float64(i*k)/n), b+v*math.Sin(2*math.Pi*float64(i*k)/n)
			}
			power[k] = a*a + b*b
			if sum += power[k]; power[k] > power[at] {
				at = k
			}
		}
		near := at - 1
		if power[at+1] >= power[near] {
			near = at + 1
		}
		weight := power[at] + power[near]
		period := int(math.Round(n / ((float64(at)*power[at] + float64(near)*power[near]) / weight)))
		share, got, ok := season(x)
		if math.Abs(share-weight/sum) > 1e-9 || got != period || !ok {
			t.Errorf("%.1f periods: share %v, period %d, %v; want %v and %d", periods, share, got, ok, weight/sum, period)
		}
	}
}

// TestCheckedPoints checks that the first 5000 points of a segment are used, and that an error of the reader ends the check.
func TestCheckedPoints(t *testing.T) {
	y := make([]float64, 5200)
	for i := range y {
		y[i] = float64(i)
	}
	for n, want := range map[int]int{4999: 4999, 5000: 5000, 5001: 5000, 5200: 5000} {
		w := NewWalker(&Clock{Segments: []Segment{{}}, Series: 1}, rowsOf(y[:n]), []bool{false})
		if found, points, err := w.Check(context.Background(), &Fitted{}, []bool{false}); points != want || len(found) == 0 || err != nil {
			t.Errorf("%d rows: %d points, %v, %v; want %d points with a trend", n, points, found, err, want)
		}
	}
	broken := errors.New("broken")
	w := NewWalker(&Clock{Segments: []Segment{{}}, Series: 1}, func(ctx context.Context, each func(dataset.RowBatch) error) error {
		return errors.Join(each(dataset.RowBatch{Values: y[:100]}), broken)
	}, []bool{false})
	if found, _, err := w.Check(context.Background(), &Fitted{}, []bool{false}); found != nil || !errors.Is(err, broken) {
		t.Errorf("a reader with an error: %v, %v; want the error only", found, err)
	}
}
