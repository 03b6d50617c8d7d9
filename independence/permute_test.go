package independence

import (
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// A quarter of ones has the skewness of χ² with 6 degrees of freedom, whose tail is e^(-x/2)·(1 + x/2 + x²/8). Frequent values have their share.
func TestTailOfPermutations(t *testing.T) {
	drawn := make([]float64, 40)
	for i := range 10 {
		drawn[4*i] = 1
	}
	for _, own := range []float64{1.5, 3} {
		x := (own-0.25)/math.Sqrt(3./16)*math.Sqrt(12) + 6
		must.Near(t, tail(drawn, own), math.Exp(-x/2)*(1+x/2+x*x/8), 1e-9, "tail")
	}
	drawn[1] = 2
	must.Near(t, tail(drawn, 1), 12./41, 1e-12, "share")
	must.Near(t, tail([]float64{3, 3, 3}, 4), 1, 0, "tail of a constant")
	// Without skewness the law is that of the least one, 0.05: 3200 degrees of freedom.
	want := ChiSquared(3*math.Sqrt(6400)+3200, 3200)
	must.Near(t, tail([]float64{-1, 1, -1, 1}, 3)/want, 1, 1e-9, "tail without skewness")
}

// The p-value of a small table agrees with that over all permutations within the strata.
func TestPermutedAgainstAllPermutations(t *testing.T) {
	z := []uint32{0, 1, 0, 1, 0, 1, 0, 1, 0}
	x := []uint32{0, 1, 0, 0, 1, 0, 0, 1, 2}
	y := []uint32{0, 1, 0, 0, 1, 0, 1, 1, 1}
	entropy := func(x []uint32) (sum float64) {
		cells := map[[3]uint32]float64{}
		for i := range x {
			cells[[3]uint32{x[i], y[i], z[i]}]++
		}
		for _, c := range cells {
			sum += c * math.Log(c)
		}
		return sum
	}
	var strata [2][]int
	for i, k := range z {
		strata[k] = append(strata[k], i)
	}
	own, all, larger := entropy(x), 0.0, 0.0
	permutationsOf(strata[0], func(a []int) {
		permutationsOf(strata[1], func(b []int) {
			other := slices.Clone(x)
			for k, i := range strata[0] {
				other[i] = x[a[k]]
			}
			for k, i := range strata[1] {
				other[i] = x[b[k]]
			}
			all++
			if entropy(other) >= own-1e-9 {
				larger++
			}
		})
	})
	must.Near(t, Permuted(x, y, [][]uint32{z}, 1), larger/all, 0.07, "p")
	if p := Permuted(x, y, nil, 1); p == larger/all {
		t.Errorf("without the condition p is %v too", p)
	}
}

// A p-value near the usual levels uses 2000 permutations, and any other 200. With n permutations, p·(n + 1) is an integer.
func TestNumberOfPermutations(t *testing.T) {
	x := []uint32{0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1}
	for _, c := range []struct {
		exchanged    int // rows of each half of x that have the y of the other half
		least, most  float64
		permutations float64
	}{
		{1, 0.015, 0.045, 2000}, // Fisher's exact test: 2·(1 + 49)/3432 = 0.029
		{2, 0.2, 0.4, 200},      // 2·(1 + 49 + 441)/3432 = 0.286
	} {
		y := slices.Clone(x)
		for k := range c.exchanged {
			y[k], y[13-k] = 1, 0
		}
		p := Permuted(x, y, nil, 1)
		if n := p * (c.permutations + 1); !(math.Abs(n-math.Round(n)) <= 1e-9) || p < c.least || p > c.most {
			t.Errorf("%d exchanged rows: p = %v", c.exchanged, p)
		}
	}
}

func permutationsOf(list []int, visit func([]int)) {
	var rec func(k int)
	list = slices.Clone(list)
	rec = func(k int) {
		if k == len(list) {
			visit(list)
			return
		}
		for i := k; i < len(list); i++ {
			list[k], list[i] = list[i], list[k]
			rec(k + 1)
			list[k], list[i] = list[i], list[k]
		}
	}
	rec(0)
}

// Permutations stay within the strata of the condition. Two columns that the condition determines have the same table in all of them, although
// they determine each other.
func TestPermutationsWithinStrata(t *testing.T) {
	var x, y, z []uint32
	for i := range 60 {
		k := uint32(i % 3)
		x, y, z = append(x, k), append(y, 2-k), append(z, k)
	}
	must.Near(t, Permuted(x, y, [][]uint32{z}, 1), 1, 0, "p-value given the cause")
	if p := Permuted(x, y, nil, 1); p > 1e-6 {
		t.Errorf("two copies have p = %v", p)
	}
	// Only the last stratum varies, and there the columns are copies: one of 6!/(3!·3!) = 20 tables, and its mirror image.
	x, y, z = nil, nil, nil
	for i := range 12 {
		k := uint32(i % 2)
		if i < 6 {
			k = 0
		}
		x, y, z = append(x, k), append(y, k), append(z, uint32(i/6))
	}
	if p := Permuted(x, y, [][]uint32{z}, 1); p < 0.05 || p > 0.17 {
		t.Errorf("copies in one stratum of six rows: p = %v, want about 0.1", p)
	}
}

// Reference: R 4.2.2, digamma(c(0.5, 1, 3.7, 10, 25)); the first two are -γ - 2 ln 2 and -γ.
func TestDigamma(t *testing.T) {
	for x, want := range map[float64]float64{0.5: -1.963510026021423, 1: -0.577215664901532, 3.7: 1.167153539361511, 10: 2.251752589066721, 25: 3.198742512851974} {
		must.Near(t, digamma(x), want, 1e-13, "ψ(%v)", x)
	}
}

// A statistic below 0 by rounding counts as 0, and without degrees of freedom nothing is tested.
func TestChi(t *testing.T) {
	for _, c := range []struct {
		statistic, df float64
		want          Result
	}{
		{-1e-12, 2, Result{DF: 2, P: 1}},
		{2 * math.Ln2, 2, Result{Statistic: 2 * math.Ln2, DF: 2, P: 0.5}},
		{3, 0, Result{P: 1}},
	} {
		if got := chi(c.statistic, c.df); !(math.Abs(got.P-c.want.P) <= 1e-15) || got.Statistic != c.want.Statistic || got.DF != c.want.DF {
			t.Errorf("statistic %v with %v degrees of freedom: %+v, want %+v", c.statistic, c.df, got, c.want)
		}
	}
}
