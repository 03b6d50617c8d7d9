package mechanism

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/score"
)

func span(from, to int) (out []int) {
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}

// A category without parents: the likelihood ratio is G² = 2·Σ observed·ln(observed / expected) of the 2×3 table of counts, with two
// degrees of freedom, where χ² has the tail exp(-G²/2). The size is half of the sum of |share - share|.
func TestDifferenceOfACategory(t *testing.T) {
	counts := [2][3]float64{{300, 500, 200}, {330, 440, 230}}
	var column []float64
	for _, side := range counts {
		for level, n := range side {
			column = append(column, slices.Repeat([]float64{float64(level)}, int(n))...)
		}
	}
	g2, size := 0.0, 0.0
	for level := range 3 {
		both := counts[0][level] + counts[1][level]
		for side := range 2 {
			g2 += 2 * counts[side][level] * math.Log(counts[side][level]/(both/2))
		}
		size += math.Abs(counts[0][level]-counts[1][level]) / 1000 / 2
	}
	all := New([][]float64{column}, [][]float64{{0, 1, 2}})
	got := must.Get(Differ(score.MixedEffects, graph.New(1), all, span(0, 1000), span(1000, 2000), 0))
	near(t, "p-value", got.P, math.Exp(-g2/2), 0.02*math.Exp(-g2/2))
	near(t, "size", got.Size, size, 1e-3)
}

// The test of equal spread, by hand: residuals ±1, ±2 and 0 have mean deviation 6/5 from their median with squared deviations that add
// up to 2.8, and ten times these values ten times that. Least squares leaves the constant out, which scales residuals by √(5/4).
func TestDifferenceOfASpread(t *testing.T) {
	column := []float64{-2, -1, 0, 1, 2, -20, -10, 0, 10, 20}
	all := New([][]float64{column}, [][]float64{nil})
	got := must.Get(Differ(score.LinearEffects, graph.New(1), all, span(0, 5), span(5, 10), 0))
	z := (12 - 1.2) / math.Sqrt((2.8+280)/4/5)
	near(t, "p-value", got.P, 2*math.Erfc(z/math.Sqrt2), 1e-9)
	near(t, "size", got.Size, 0, 1e-9)
}

// TestDifferenceOfALine compares the Wald test with the formulas of a simple regression: hat values 1/n + (x - mean)²/Sxx, residuals
// divided by 1 - h, and the 2×2 covariance of the value at 0 and the slope of each side. Different numbers of rows also check the
// scale √(n/(n-2)) of the residuals whose spreads are compared. 1 - h is at least 0.001, which a value far from the others shows.
func TestDifferenceOfALine(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 7))
	const n, m = 12, 23
	for _, c := range []struct{ slope, noise, far float64 }{{0.6, 1, 0}, {0.3, 1.4, 0}, {0, 1, 0}, {0, 2, 0}, {0, 1, 150}} {
		x, y := make([]float64, n+m), make([]float64, n+m)
		for i := range x {
			x[i] = rng.NormFloat64()
			if i == 0 || i == n {
				x[i] += c.far
			}
			y[i] = x[i] + rng.NormFloat64()
			if i >= n {
				y[i] = (1+c.slope)*x[i] + c.noise*rng.NormFloat64()
			}
			if i == n {
				y[i] += c.far / 5
			}
		}
		line := func(x, y []float64) (a, b, aa, ab, bb, mean, variance float64) {
			n := float64(len(x))
			var mx, my, sxx, sxy float64
			for i := range x {
				mx, my = mx+x[i]/n, my+y[i]/n
			}
			for i := range x {
				sxx, sxy = sxx+(x[i]-mx)*(x[i]-mx), sxy+(x[i]-mx)*(y[i]-my)
			}
			b = sxy / sxx
			a = my - b*mx
			var left []float64
			for i := range x {
				e := y[i] - a - b*x[i]
				left = append(left, e*math.Sqrt(n/(n-2)))
				e /= max(1-1/n-(x[i]-mx)*(x[i]-mx)/sxx, 1e-3)
				wb := (x[i] - mx) / sxx // the weights of y[i] in b and in a
				wa := 1/n - wb*mx
				aa, ab, bb = aa+wa*wa*e*e, ab+wa*wb*e*e, bb+wb*wb*e*e
			}
			median := slices.Sorted(slices.Values(left))[len(left)/2]
			for _, e := range left {
				mean += math.Abs(e-median) / n
			}
			for _, e := range left {
				variance += (math.Abs(e-median) - mean) * (math.Abs(e-median) - mean) / (n - 1) / n
			}
			return a, b, aa, ab, bb, mean, variance
		}
		a0, b0, aa0, ab0, bb0, m0, v0 := line(x[:n], y[:n])
		a1, b1, aa1, ab1, bb1, m1, v1 := line(x[n:], y[n:])
		da, db, aa, ab, bb := a0-a1, b0-b1, aa0+aa1, ab0+ab1, bb0+bb1
		statistic := (da*da*bb - 2*da*db*ab + db*db*aa) / (aa*bb - ab*ab)
		want := min(1, 2*min(math.Exp(-statistic/2), math.Erfc(math.Abs(m0-m1)/math.Sqrt(2*(v0+v1)))))
		g, _ := graph.FromEdges(2, []graph.Edge{{From: 0, To: 1}})
		got := must.Get(Differ(score.LinearEffects, g, New([][]float64{x, y}, [][]float64{nil, nil}), span(0, n), span(n, n+m), 1))
		near(t, "p-value", got.P, want, 1e-5)
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
