package mechanism

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

func span(from, to int) (out []int) {
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}

// A category without parents: the share of each level is compared by z, with the covariance HC3, which divides each deviation by 1 - 1/n.
// Bonferroni's correction triples the least p-value. The size is half of the sum of |share - share|.
func TestDifferenceOfACategory(t *testing.T) {
	counts := [2][3]float64{{300, 500, 200}, {330, 440, 230}}
	var column []float64
	for _, side := range counts {
		for level, n := range side {
			column = append(column, slices.Repeat([]float64{float64(level)}, int(n))...)
		}
	}
	least, size := 1.0, 0.0
	for level := range 3 {
		p, q := counts[0][level]/1000, counts[1][level]/1000
		z := math.Abs(p-q) / math.Sqrt((p*(1-p)+q*(1-q))/1000) * (1 - 1.0/1000)
		least = min(least, math.Erfc(z/math.Sqrt2))
		size += math.Abs(p-q) / 2
	}
	all := New([][]float64{column}, [][]float64{{0, 1, 2}})
	got := must.Get(Differ(score.MixedEffects, graph.New(1), all, span(0, 1000), span(1000, 2000), 0))
	near(t, "p-value", got.P, 3*least, 1e-6)
	near(t, "size", got.Size, size, 1e-3)
}

// The test of equal spread, by hand: residuals ±1, ±2 and 0 have a mean absolute value of 6/5 with squared deviations that add up to 2.8,
// and ten times these values ten times that. HC3 divides each deviation by 1 - 1/5. Bonferroni's correction covers the location and the
// spread, both again for the scores of the other rows, and 0, which has a fifth of the rows.
func TestDifferenceOfASpread(t *testing.T) {
	column := []float64{-2, -1, 0, 1, 2, -20, -10, 0, 10, 20}
	all := New([][]float64{column}, [][]float64{nil})
	got := must.Get(Differ(score.LinearEffects, graph.New(1), all, span(0, 5), span(5, 10), 0))
	z := (12 - 1.2) / math.Sqrt((2.8+280)/16)
	near(t, "p-value", got.P, 5*math.Erfc(z/math.Sqrt2), 1e-6)
	near(t, "size", got.Size, 0, 1e-9)
}

// TestEqualIsTheWaldTest compares the test in an orthonormal basis with the textbook formulas: β = (X'X)⁻¹X'h, the covariance
// (X'X)⁻¹ X' diag(e²/(1-h)²) X (X'X)⁻¹, and the Wald statistic of the last coefficients.
func TestEqualIsTheWaldTest(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 7))
	const n, k, tested = 60, 5, 2
	x, y := matrix.New[float64](n, k), make([]float64, n)
	full := newSubspace(n)
	for i := range n {
		for j := range k {
			x.Set(i, j, rng.NormFloat64()+float64(j))
		}
		y[i] = rng.NormFloat64() * (1 + math.Abs(x.At(i, 1)))
	}
	for j := range k {
		full.add(column(x, j))
	}
	left := slices.Repeat([]float64{1}, n)
	for _, q := range full.q {
		for i, u := range q {
			left[i] -= u * u
		}
	}
	gram, inverse := matrix.New[float64](k, k), matrix.New[float64](k, k)
	for i := range n {
		for a := range k {
			for b := range k {
				gram.Set(a, b, gram.At(a, b)+x.At(i, a)*x.At(i, b))
			}
		}
	}
	var lu matrix.LU[float64]
	must.Succeed(t, lu.Factor(gram))
	lu.Inverse(inverse)
	weights := make([][]float64, n) // of y[i] in each coefficient
	beta := make([]float64, k)
	for i := range n {
		for a := range k {
			sum := 0.0
			for b := range k {
				sum += inverse.At(a, b) * x.At(i, b)
			}
			weights[i] = append(weights[i], sum)
			beta[a] += sum * y[i]
		}
	}
	var cov [2][2]float64
	for i := range n {
		e, hat := y[i], 0.0
		for a := range k {
			e -= beta[a] * x.At(i, a)
			hat += weights[i][a] * x.At(i, a)
		}
		e /= 1 - hat
		for a := range 2 {
			for b := range 2 {
				cov[a][b] += weights[i][k-2+a] * weights[i][k-2+b] * e * e
			}
		}
	}
	u, w := beta[k-2], beta[k-1]
	statistic := (u*u*cov[1][1] - 2*u*w*cov[0][1] + w*w*cov[0][0]) / (cov[0][0]*cov[1][1] - cov[0][1]*cov[0][1])
	near(t, "p-value", equal(y, full, full.q[k-tested:], left), math.Exp(-statistic/2), 1e-8)
}

// Noise whose spread depends on the parent, a curve and zeros do not make a mechanism differ if only the parent is distributed
// differently; a shift, a slope, the spread and the share of zeros do.
func TestDifferenceWithUnequalSpread(t *testing.T) {
	g, _ := graph.FromEdges(2, []graph.Edge{{From: 0, To: 1}})
	const n = 1000
	for name, shift := range map[string]func(x, e float64, zero bool) float64{
		"": nil, "shift": func(x, e float64, _ bool) float64 { return 0.3 + e }, "slope": func(x, e float64, _ bool) float64 { return 0.4*x + e },
		"spread": func(_, e float64, _ bool) float64 { return 1.4 * e }, "zeros": func(_, e float64, zero bool) float64 {
			if zero {
				return math.Inf(-1)
			}
			return e
		},
	} {
		rng := rand.New(rand.NewPCG(4, 9))
		var x, y []float64
		for i := range 2 * n {
			at := rng.NormFloat64()
			if i >= n {
				at = 0.7 + 1.2*at
			}
			e, zero, more := math.Exp(0.3*at)*rng.NormFloat64(), rng.Float64() < 1/(1+math.Exp(at)), rng.Float64() < 0.15
			if i >= n && shift != nil {
				e = shift(at, e, more)
			}
			x = append(x, at)
			if zero || math.IsInf(e, -1) {
				y = append(y, 0)
			} else {
				y = append(y, math.Exp(0.5*at+0.5*e))
			}
		}
		got := must.Get(Differ(score.LinearEffects, g, New([][]float64{x, y}, [][]float64{nil, nil}), span(0, n), span(n, 2*n), 1))
		if name == "" && got.P < 0.05 || name != "" && got.P > 1e-3 {
			t.Errorf("%q: p = %v", name, got.P)
		}
	}
}

// A column borrows the mechanism of the other rows if a parent is constant in its own rows and varies in the others.
func TestBorrow(t *testing.T) {
	g, _ := graph.FromEdges(2, []graph.Edge{{From: 0, To: 1}})
	rows := func(x []float64) *Rows {
		return New([][]float64{x, {1, 2, 4, 3, 5, 7}}, [][]float64{nil, nil})
	}
	constant, varied := rows([]float64{2, 2, 2, 2, 2, 2}), rows([]float64{1, 2, 3, 4, 5, 6})
	for _, c := range []struct {
		own, other *Rows
		want       bool
	}{{constant, varied, true}, {varied, constant, false}, {constant, constant, false}, {varied, varied, false}} {
		own := must.Get(FitNetwork(score.LinearEffects, g, c.own, nil))
		other := must.Get(FitNetwork(score.LinearEffects, g, c.other, nil))
		own.Borrow(other, c.own, c.other, []int{0, 1})
		if got := own.F[1] == other.F[1]; got != c.want {
			t.Errorf("parent %v, other rows %v: borrowed %v", c.own.Columns[0], c.other.Columns[0], got)
		}
	}
}
