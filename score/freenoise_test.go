package score

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

var shapes = map[string]func(*rand.Rand) float64{
	"gaussian":    func(r *rand.Rand) float64 { return r.NormFloat64() },
	"uniform":     func(r *rand.Rand) float64 { return (2*r.Float64() - 1) * math.Sqrt(3) },
	"exponential": func(r *rand.Rand) float64 { return r.ExpFloat64() - 1 },
	"laplace":     func(r *rand.Rand) float64 { return (r.ExpFloat64() - r.ExpFloat64()) / math.Sqrt2 },
	"bimodal":     func(r *rand.Rand) float64 { return 0.9*float64(1-2*r.IntN(2)) + 0.44*r.NormFloat64() },
}

// The slow twin of fit climbs the likelihood of the rows themselves, by small steps along the slope, with the density normalized by
// a fine sum over the line.
func slowTilt(u []float64) (theta [tiltTerms]float64, gain float64) {
	functions := func(u float64) (c [tiltTerms]float64) {
		t := math.Erfc(-u/math.Sqrt2) / 2
		for k := range c {
			c[k] = math.Sqrt2 * math.Cos(math.Pi*float64(k+1)*t)
		}
		return c
	}
	var mean [tiltTerms]float64
	for _, x := range u {
		for k, c := range functions(x) {
			mean[k] += c / float64(len(u))
		}
	}
	type point struct {
		c [tiltTerms]float64
		w float64
	}
	var line []point
	const step = 1.0 / 16
	for x := -8.0; x <= 8; x += step {
		line = append(line, point{functions(x), math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) * step})
	}
	psi := 0.0
	for range 4000 {
		total := 0.0
		var at [tiltTerms]float64
		for _, p := range line {
			sum := 0.0
			for k, c := range p.c {
				sum += theta[k] * c
			}
			w := p.w * math.Exp(sum)
			total += w
			for k, c := range p.c {
				at[k] += w * c
			}
		}
		psi = math.Log(total)
		for k := range theta {
			theta[k] += 0.1 * (mean[k] - at[k]/total - tiltRidge/float64(len(u))*theta[k])
		}
	}
	for k := range theta {
		gain += float64(len(u)) * theta[k] * mean[k]
	}
	return theta, gain - float64(len(u))*psi
}

// The quick fit has the parameters and the gain of the slow one, up to its classes.
func TestTiltTwin(t *testing.T) {
	for name, draw := range shapes {
		rng := rand.New(rand.NewPCG(1, 2))
		u := make([]float64, 1500)
		for i := range u {
			u[i] = draw(rng)
		}
		if !standard(u) {
			t.Fatal(name)
		}
		var quick tilt
		gain := quick.fit(u)
		theta, want := slowTilt(u)
		if !(math.Abs(gain-want) <= 0.02*want+1) {
			t.Errorf("%s: gain %.2f, slowly %.2f", name, gain, want)
		}
		for k := range theta {
			if !(math.Abs(theta[k]-quick.theta[k]) <= 0.1*math.Abs(theta[k])+0.1) {
				t.Errorf("%s: theta %v, slowly %v", name, quick.theta, theta)
				break
			}
		}
		total := 0.0
		for _, l := range quick.log {
			total += math.Exp(l) / tiltClasses
		}
		if !(math.Abs(total-1) <= 1e-9) {
			t.Errorf("%s: the density has a total of %v", name, total)
		}
		if far := gain > 20; far != (name != "gaussian") {
			t.Errorf("%s: gain %.2f", name, gain)
		}
	}
}

// The classes have equal shares of a Gaussian, and what is far out is in the last.
func TestClasses(t *testing.T) {
	for b := range tiltClasses {
		middle := math.Sqrt2 * math.Erfinv(2*(float64(b)+0.5)/tiltClasses-1)
		if got := class(middle); int(got) != b {
			t.Errorf("class of %v is %d, want %d", middle, got, b)
		}
	}
	if class(-1e300) != 0 || class(1e300) != tiltClasses-1 || class(math.Inf(1)) != tiltClasses-1 || class(math.Inf(-1)) != 0 {
		t.Error("the ends of the line")
	}
}

// noisy draws a linear table 0 → 1 → 2, 0 → 2, with 3 apart.
func noisy(t testing.TB, draw func(*rand.Rand) float64, n int, seed uint64) (*matrix.Dense[float64], *dataset.Moments) {
	rng := rand.New(rand.NewPCG(seed, 5))
	x := matrix.New[float64](n, 4)
	for i := range n {
		r := x.Row(i)
		r[0] = draw(rng)
		r[1] = 0.8*r[0] + draw(rng)
		r[2] = r[1] - 0.5*r[0] + draw(rng)
		r[3] = draw(rng)
	}
	m := must.Get(dataset.MomentsOf([]string{"a", "b", "c", "d"}, x, 1))
	return x, m
}

// A twin from the rows by another way of least squares.
func TestFreeNoise(t *testing.T) {
	for name, draw := range shapes {
		x, m := noisy(t, draw, 600, 3)
		f := must.Get(NewFreeNoise(m.Correlation(), m.N, 7, x.Data, 1))
		fit := f.Fit()
		gaussian := must.Get(NewGaussianLocal(m.Correlation(), m.N, 7))
		for v, parents := range [][]int{{}, {0}, {0, 1}, {0, 1, 2}} {
			reg := must.Get(Regress(m.Correlation(), v, parents))
			u := make([]float64, x.Rows)
			for i := range u {
				u[i] = x.At(i, v) / m.Std()[v]
				for k, p := range parents {
					u[i] -= reg.Beta[k] * x.At(i, p) / m.Std()[p]
				}
			}
			standard(u)
			var d tilt
			gain := d.fit(u)
			n := float64(m.N)
			want := n*(1+math.Log(2*math.Pi)) + n*math.Log(reg.Residual) - 2*gain + 7*float64(len(parents))
			if got := fit.Score(v, parents); !(math.Abs(got-want) <= 1e-6*n) {
				t.Errorf("%s: %d given %v: %v, twin %v", name, v, parents, got, want)
			}
			if got, want := fit.Gaussian().Fit().Score(v, parents), gaussian.Evaluator().Score(v, parents); !(math.Abs(got-want) <= 1e-8*n) {
				t.Errorf("%s: %d given %v: Gaussian %v, want %v", name, v, parents, got, want)
			}
			// Row by row the log-likelihood adds up to the score, but for constants and the price.
			rows := make([]float64, x.Rows)
			if !fit.AddRows(rows, v, parents, 1) {
				t.Fatal("no rows")
			}
			sum := 0.0
			for _, l := range rows {
				sum += l
			}
			if want := -(want - n*math.Log(2*math.Pi) - 7*float64(len(parents))) / 2; !(math.Abs(sum-want) <= 1e-6*n) {
				t.Errorf("%s: %d given %v: rows add up to %v, want %v", name, v, parents, sum, want)
			}
		}
	}
}

// The two directions of a pair have the same score under Gaussian noise, up to chance, and under other noise the true one is far
// ahead.
func TestNoiseTellsDirections(t *testing.T) {
	for name, draw := range shapes {
		x, m := noisy(t, draw, 2000, 8)
		f := must.Get(NewFreeNoise(m.Correlation(), m.N, 7, x.Data, 1))
		fit := f.Fit()
		ahead := fit.Score(1, nil) + fit.Score(0, []int{1}) - fit.Score(0, nil) - fit.Score(1, []int{0})
		if name == "gaussian" && !(math.Abs(ahead) <= 10) || name != "gaussian" && ahead < 50 {
			t.Errorf("%s: the true direction is ahead by %.1f", name, ahead)
		}
		if p := fit.Gain(3, nil); (p > 20) != (name != "gaussian") {
			t.Errorf("%s: gain %.1f", name, p)
		}
	}
}

// What cannot be scored is said.
func TestFreeNoiseFaults(t *testing.T) {
	x, m := noisy(t, shapes["uniform"], 200, 1)
	constant := make([]float64, len(x.Data))
	missing := append([]float64(nil), x.Data...)
	missing[17] = math.NaN()
	infinite := append([]float64(nil), x.Data...)
	infinite[17] = math.Inf(1)
	for what, make := range map[string]func() (*FreeNoise, error){
		"few rows":     func() (*FreeNoise, error) { return NewFreeNoise(m.Correlation(), m.N, 7, x.Data[:4*99], 1) },
		"half a row":   func() (*FreeNoise, error) { return NewFreeNoise(m.Correlation(), m.N, 7, x.Data[:4*150+1], 1) },
		"free edges":   func() (*FreeNoise, error) { return NewFreeNoise(m.Correlation(), m.N, 0, x.Data, 1) },
		"weightless":   func() (*FreeNoise, error) { return NewFreeNoise(m.Correlation(), m.N, 7, x.Data, 0) },
		"constant":     func() (*FreeNoise, error) { return NewFreeNoise(m.Correlation(), m.N, 7, constant, 1) },
		"heavy":        func() (*FreeNoise, error) { return NewFreeNoise(m.Correlation(), m.N, 7, x.Data, 1.5) },
		"infinite":     func() (*FreeNoise, error) { return NewFreeNoise(m.Correlation(), m.N, 7, infinite, 1) },
		"missing":      func() (*FreeNoise, error) { return NewFreeNoise(m.Correlation(), m.N, 7, missing, 1) },
		"too few rows": func() (*FreeNoise, error) { return NewFreeNoise(m.Correlation(), 2, 7, x.Data, 1) },
	} {
		if f, err := make(); err == nil || f != nil {
			t.Errorf("%s: no error", what)
		}
	}
	f := must.Get(NewFreeNoise(m.Correlation(), 5, 7, x.Data, 0.5))
	if s := f.Fit().Score(3, []int{0, 1}); !math.IsInf(s, 1) {
		t.Errorf("two parents of five rows: %v", s)
	}
}

func BenchmarkFreeNoise(b *testing.B) {
	for _, n := range []int{2000, 4096} {
		x, m := noisy(b, shapes["uniform"], n, 1)
		f := must.Get(NewFreeNoise(m.Correlation(), m.N, 7, x.Data, 1))
		b.Run(fmt.Sprintf("rows=%d", n), func(b *testing.B) {
			fit := f.Fit()
			for b.Loop() {
				fit.Score(2, []int{0, 1})
			}
		})
	}
}

// The prior of the fit counts as much as one row: at the maximum, the sum of c_k over 20 rows minus its expectation is θ_k.
func TestTiltPriorIsOneRow(t *testing.T) {
	u := make([]float64, 20)
	for i := range u {
		u[i] = 0.1 * float64(i)
	}
	var fit tilt
	fit.fit(u)
	for k, theta := range fit.theta {
		slope := 0.0
		for b, w := range fit.weight {
			slope += (fit.count[b] - 20*w) * tiltFunctions[b][k]
		}
		if !(math.Abs(slope-theta) <= 0.15) || k == 0 && math.Abs(theta) < 0.5 {
			t.Errorf("term %d: a slope of %v at θ = %v", k+1, slope, theta)
		}
	}
}
