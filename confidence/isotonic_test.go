package confidence

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/score"
)

// slowIsotonic is the definition by the largest of the smallest means: number i is max over a ≤ i of min over b ≥ i of the mean of
// values a to b (Robertson, Wright and Dykstra 1988, theorem 1.4.4).
func slowIsotonic(values, weights []float64) []float64 {
	mean := func(a, b int) float64 {
		sum, weight := 0.0, 0.0
		for k := a; k <= b; k++ {
			sum += weights[k] * values[k]
			weight += weights[k]
		}
		return sum / weight
	}
	out := make([]float64, len(values))
	for i := range out {
		out[i] = math.Inf(-1)
		for a := 0; a <= i; a++ {
			least := math.Inf(1)
			for b := i; b < len(values); b++ {
				least = min(least, mean(a, b))
			}
			out[i] = max(out[i], least)
		}
	}
	return out
}

func TestIsotonicAgainstItsTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pooled := 0
	for range 2000 {
		n := 1 + rng.IntN(12)
		values, weights := make([]float64, n), make([]float64, n)
		for i := range values {
			values[i], weights[i] = float64(rng.IntN(6))+float64(i)*rng.Float64()*0.5, 0.1+float64(rng.IntN(4))
		}
		fast, slow := isotonic(values, weights), slowIsotonic(values, weights)
		for i := range fast {
			if !(math.Abs(fast[i]-slow[i]) <= 1e-12) {
				t.Fatalf("%v with weights %v: %v, want %v", values, weights, fast, slow)
			}
			if i > 0 && fast[i] == fast[i-1] && values[i] != values[i-1] {
				pooled++
			}
		}
	}
	if pooled < 100 {
		t.Errorf("%d values were pooled: the tables do not try the algorithm", pooled)
	}
}

// TestFitRising checks that the fitted function is nondecreasing, stays within 0 and 1, and approaches the
// observed shares with many pairs.
func TestFitRising(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var all []seen
	for range 20000 {
		x := rng.Float64()
		all = append(all, seen{x, number(rng.Float64() < x*x)})
	}
	same := func(x float64) float64 { return x }
	r := fitRising(all, same)
	last := 0.0
	for k := 0; k <= 1000; k++ {
		x := float64(k) / 1000
		y := r.at(x)
		if y < last || y > 1 {
			t.Fatalf("%v at %v after %v", y, x, last)
		}
		if last = y; !(math.Abs(y-x*x) <= 0.05) {
			t.Errorf("%v at %v, want %v", y, x, x*x)
		}
	}
	if alone := fitRising(nil, same); !(math.Abs(alone.at(0.35)-0.35) <= 1e-12) || !(math.Abs(alone.at(0.52)-0.52) <= 1e-12) {
		t.Errorf("%v and %v, want the curve before where nothing was seen", alone.at(0.35), alone.at(0.52))
	}
}

// TestFitRisingWeighsThePrior has six pairs in one class, 60 % of them right, in addition to the four pairs of
// the prior, 55 % of them right.
func TestFitRisingWeighsThePrior(t *testing.T) {
	var all []seen
	for range 6 {
		all = append(all, seen{0.55, 0.6})
	}
	r := fitRising(all, func(x float64) float64 { return x })
	if got, want := r.at(0.55), (6*0.6+4*0.55)/10; !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("%v, want %v", got, want)
	}
	for i := range all { // all right: the class is joined with the next two, of four pairs of the prior each
		all[i].right = 1
	}
	r = fitRising(all, func(x float64) float64 { return x })
	if got, want := r.at(0.65), (6+4*(0.55+0.65+0.75))/18; !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestMiscalibrationIsMended checks that too high frequencies are corrected. Pairs that are adjacent in a share
// a of the graphs are adjacent with probability a³, and a direction in a share r of these is right with
// probability 0.5 + 0.4·(r - 0.5).
func TestMiscalibrationIsMended(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	truth := func(a, r float64) (adjacent, forward float64) {
		return a * a * a, 0.5 + 0.4*(r-0.5)
	}
	draw := func(tables int) (by [][]verdict) {
		for range tables {
			var own []verdict
			for range 100 {
				a, r := rng.Float64(), rng.Float64()
				v := verdict{there: a * r, turned: a * (1 - r)}
				adjacent, forward := truth(a, r)
				if rng.Float64() < adjacent {
					v.forward = rng.Float64() < forward
					v.back = !v.forward
				}
				own = append(own, v)
			}
			by = append(by, own)
		}
		return by
	}
	r := learnFrom(draw(20), newCurve(NoCalibration, 0))
	if r.report.Tables != 20 || r.report.Before < 0.15 || r.report.After > 0.04 {
		t.Errorf("%+v, want an error that falls from more than 0.15 to less than 0.04", *r.report)
	}
	var fresh, plain reliability
	for _, own := range draw(50) {
		fresh.judge(r.curve, own)
		plain.judge(newCurve(NoCalibration, 0), own)
	}
	after, _ := fresh.off()
	before, _ := plain.off()
	if after > 0.04 || before < 0.15 {
		t.Errorf("on fresh tables %.3f after %.3f", after, before)
	}
	for _, a := range []float64{0.2, 0.6, 1} {
		forward, back := r.curve.of(0.9*a, a), r.curve.of(0.1*a, a)
		if sum := r.curve.adjacency(a); !(math.Abs(forward+back-sum) <= 1e-9) {
			t.Errorf("two directions of %v and %v, want %v together", forward, back, sum)
		}
		if half := r.curve.of(a/2, a); !(math.Abs(2*half-r.curve.adjacency(a)) <= 1e-9) {
			t.Errorf("an open direction has %v of %v", half, r.curve.adjacency(a))
		}
	}
	if both := r.curve.of(0, 0.5) + r.curve.of(0.5, 0.5); !(math.Abs(both-r.curve.adjacency(0.5)) <= 1e-9) {
		t.Errorf("a direction that no sample has, and the other: %v, want the adjacency's %v", both, r.curve.adjacency(0.5))
	}
	if r.curve.of(0, 0) != 0 {
		t.Error("an edge that was never found has a confidence")
	}
}

// Residuals are scaled for the degrees of freedom: 1, 0, 3 and 2 have a sum of squares of 5 about their mean, with 3 degrees of freedom.
func TestResidualsHaveTheirVariance(t *testing.T) {
	for rows, want := range map[int]float64{4: 5. / 3, 2: 0.5} {
		l := &likeness{d: 1, x: []float64{1, 0, 3, 2}}
		_, noise := l.line(0, nil, []int{0, 1, 2, 3}[:rows])
		mean, variance := map[int]float64{4: 1.5, 2: 0.5}[rows], 0.0
		for _, e := range noise {
			variance += (e - mean) * (e - mean) / float64(rows)
		}
		if !(math.Abs(variance-want) <= 1e-12) {
			t.Errorf("the variance of %d rows is %v, want %v", rows, variance, want)
		}
	}
}

// Numeric neighbours are the nearest √n rows, rounded up, in standard deviations; another category counts 1. Of more than 1000 rows every second
// one or fewer are searched.
func TestNearestNeighbours(t *testing.T) {
	for n, want := range map[int][]int{9: {4, 5, 3}, 10: {4, 5, 3, 6}} {
		l := &likeness{d: 1, scale: []float64{2}}
		var rows []int
		for i := range n {
			l.x, rows = append(l.x, float64(i)), append(rows, i)
		}
		if got := l.neighbours([]int{0}, rows)([]float64{4.2}); !slices.Equal(got, want) {
			t.Errorf("%d rows: neighbours %v, want %v", n, got, want)
		}
	}
	l := &likeness{d: 2, scale: []float64{2, 0}, x: []float64{0, 1, 1, 0, 3, 0, 2, 0}}
	if got := l.neighbours([]int{0, 1}, []int{0, 1, 2, 3})([]float64{0, 0}); !slices.Equal(got, []int{1, 0, 3}) {
		t.Errorf("numbers and categories: %v, want 1 at a distance of 1/4, and 0 and 3 at 1", got)
	}
	// From (0, 0) the rows 0, 2 and 4 have distances 0, 1 and 4, and the rows 1 and 3 of the other category 1/4 + 1 and 9/4 + 1.
	l = &likeness{d: 2, scale: []float64{2, 0}, x: []float64{0, 0, 1, 1, 2, 0, 3, 1, 4, 0, 9, 0, 9, 0, 9, 0, 9, 0, 9, 0}}
	if got := l.neighbours([]int{0, 1}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})([]float64{0, 0}); !slices.Equal(got, []int{0, 2, 1, 3}) {
		t.Errorf("squared distances: %v, want 0, 2, 1, 3", got)
	}
	for n, want := range map[int]int{1000: 32, 1001: 23} {
		l := &likeness{d: 1, x: make([]float64, n), scale: []float64{1}}
		rows := make([]int, n)
		for i := range n {
			l.x[i], rows[i] = float64(i*i), i
		}
		if got := l.neighbours([]int{0}, rows)([]float64{0}); len(got) != want {
			t.Errorf("%d rows: %d neighbours, want %d", n, len(got), want)
		}
	}
}

// The nearest neighbours by a category are all rows that have it, also if they are more than √n. All other categories are equally far.
func TestNeighboursIncludeTies(t *testing.T) {
	l := &likeness{d: 1, x: []float64{0, 1, 0, 1, 0, 1, 0, 1, 0}, scale: []float64{0}}
	near := l.neighbours([]int{0}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8})
	if got, want := near([]float64{0}), []int{0, 2, 4, 6, 8}; !slices.Equal(got, want) {
		t.Errorf("neighbours %v, want %v", got, want)
	}
	l = &likeness{d: 1, x: []float64{0, 2, 1, 2, 1}, scale: []float64{0}}
	if got, want := l.neighbours([]int{0}, []int{0, 1, 2, 3, 4})([]float64{0}), []int{0, 1, 2, 3, 4}; !slices.Equal(got, want) {
		t.Errorf("one row of the category: neighbours %v, want %v", got, want)
	}
}

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
