package series

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/knowledge"
)

// TestBlockLength compares the length of blocks with Carlstein's formula for the median correlation of numeric columns, at most 0.95, and
// with its limits: a tenth of the rows, and one.
func TestBlockLength(t *testing.T) {
	// moments returns the moments of columns whose correlation with their lagged value is given.
	moments := func(rho ...float64) *dataset.Moments {
		d := len(rho)
		m := dataset.NewMoments(make([]string, 2*d))
		m.N = 100
		for j, r := range rho {
			m.Scatter[j*2*d+j], m.Scatter[(j+d)*2*d+j+d] = 100, 100
			m.Scatter[j*2*d+j+d], m.Scatter[(j+d)*2*d+j] = 100*r, 100*r
		}
		return m
	}
	formula := func(rho, rows float64) int {
		return int(math.Ceil(math.Pow(math.Sqrt(6)*rho/(1-rho*rho), 2./3) * math.Pow(rows, 1./3)))
	}
	number, category := dataset.Variable{Kind: dataset.Continuous}, dataset.Variable{Kind: dataset.Categorical}
	for _, c := range []struct {
		name  string
		rho   []float64
		kinds []dataset.Variable
		rows  int
		want  int
	}{
		{"median of three", []float64{0.9, 0.1, -0.5}, nil, 1000, formula(0.5, 1000)},
		{"upper median of two", []float64{0.2, 0.6}, nil, 1000, formula(0.6, 1000)},
		{"at most 0.95", []float64{0.99}, nil, 100_000, formula(0.95, 100_000)},
		{"a tenth of the rows", []float64{0.9}, nil, 100, 10},
		{"few rows", []float64{0.9}, nil, 9, 1},
		{"no correlation", []float64{0}, nil, 1000, 1},
		{"without a category", []float64{0.5, 0.9}, []dataset.Variable{number, category}, 1000, formula(0.5, 1000)},
		{"only categories", []float64{0.9}, []dataset.Variable{category}, 1000, 1},
	} {
		if got := Block(moments(c.rho...), c.kinds, len(c.rho), c.rows); got != c.want {
			t.Errorf("%s: blocks of %d rows, want %d", c.name, got, c.want)
		}
	}
}

// TestBiasOfMeans compares the bias with its definition: with C(s) the mean over r of Γ(s-r), K(a) the mean of C(t-a) over the rows
// t = L, …, T-1 and V the mean of C, it is K(a) + K(b)ᵀ - V.
func TestBiasOfMeans(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 51))
	const d, lags, points = 2, 2, 6
	gamma := make([][]float64, points)
	for h := range gamma {
		gamma[h] = make([]float64, d*d)
		for i := range gamma[h] {
			gamma[h][i] = rng.NormFloat64()
		}
	}
	gamma[0][2] = gamma[0][1] // a covariance matrix
	at := func(h, i, j int) float64 {
		if h < 0 {
			return gamma[-h][j*d+i]
		}
		return gamma[h][i*d+j]
	}
	c := func(s, i, j int) (sum float64) {
		for r := range points {
			sum += at(s-r, i, j) / points
		}
		return sum
	}
	mean := func(a, i, j int) (sum float64) {
		for t := lags; t < points; t++ {
			sum += c(t-a, i, j) / (points - lags)
		}
		return sum
	}
	got := biasOf(gamma, d, lags)
	const wide = d * (lags + 1)
	for a := range lags + 1 {
		for b := range lags + 1 {
			for i := range d {
				for j := range d {
					v := 0.0
					for s := range points {
						v += c(s, i, j) / points
					}
					want := mean(a, i, j) + mean(b, j, i) - v
					if x := got[(a*d+i)*wide+b*d+j]; math.Abs(x-want) > 1e-12 {
						t.Errorf("lags %d and %d, columns %d and %d: bias %v, want %v", a, b, i, j, x, want)
					}
				}
			}
		}
	}
}

// TestCovariancesOfAutoregression checks that Γ(h) = A₁·Γ(h-1) + A₂·Γ(h-2) beyond the lags that are given.
func TestCovariancesOfAutoregression(t *testing.T) {
	s := []float64{4, 2, 1, 2, 4, 2, 1, 2, 4} // one column with two lags: Γ(0) = 4, Γ(1) = 2, Γ(2) = 1
	got := covariances(s, []float64{0.5, -0.25}, 3, 1, 2, 6)
	for h, want := range []float64{4, 2, 1, 0.5*1 - 0.25*2, 0.5*0 - 0.25*1, 0.5*-0.25 - 0.25*0} {
		if got[h][0] != want {
			t.Errorf("the covariance at distance %d is %v, want %v", h, got[h][0], want)
		}
	}
}

// TestPresentKnowledge checks that values at the present time lose their mark, and that a prior without a probability stays as it is.
func TestPresentKnowledge(t *testing.T) {
	got := Present(knowledge.Spec{Require: []string{"a(t) -> b(t)"}, Forbid: []string{"a(t-1)->b(t)"}, Prior: []string{"a(t)->b(t)=0.8", "broken"}})
	if got.Require[0] != "a->b" || got.Forbid[0] != "a(t-1)->b" || got.Prior[0] != "a->b=0.8" || got.Prior[1] != "broken" {
		t.Errorf("%+v, want names without (t)", got)
	}
	same := SameTime(knowledge.Spec{Require: []string{"a(t)->b(t)", "a(t-1)->b(t)"}, Forbid: []string{"b->a"}})
	if len(same.Require) != 1 || same.Require[0] != "a->b" || len(same.Forbid) != 1 || same.Forbid[0] != "b->a" {
		t.Errorf("%+v, want the edges of one time", same)
	}
}

// TestConstantSeries checks that a constant violates nothing, in spite of rounding errors of its mean, and that a random walk far from 0 does.
func TestConstantSeries(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 51))
	y, walk := make([]float64, 200), make([]float64, 200)
	x := 1e6
	for i := range y {
		x += rng.NormFloat64()
		y[i], walk[i] = 3, x
	}
	if got := examine(y); got != nil {
		t.Errorf("a constant has the violations %v", got)
	}
	if got := examine(walk); got == nil {
		t.Error("a random walk has no violation")
	}
}

// TestMeanOfAStep checks that the rows of a step are averaged without missing values, and that categories have their last value.
func TestMeanOfAStep(t *testing.T) {
	m, row := newMean([]bool{false, true, false}), make([]float64, 3)
	if m.take(row) {
		t.Error("there is a mean of no rows")
	}
	for _, r := range [][]float64{{1, 2, math.NaN()}, {math.NaN(), 7, math.NaN()}, {4, 5, math.NaN()}} {
		m.add(r)
	}
	if !m.take(row) || row[0] != 2.5 || row[1] != 5 || row[2] == row[2] {
		t.Errorf("the mean is %v, want 2.5, the category 5 and a missing value", row)
	}
	if m.add([]float64{8, 1, 3}); !m.take(row) || row[0] != 8 || row[1] != 1 || row[2] != 3 {
		t.Errorf("the next mean is %v, want 8, 1 and 3", row)
	}
}
