package independence_test

import (
	"math"
	"testing"

	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// The expected values below come from R 4.2.2 and its built-in data.

// TestFisherZAgainstR tests mpg and hp given wt in mtcars. R:
//
//	r <- cor(resid(lm(mpg ~ wt, mtcars)), resid(lm(hp ~ wt, mtcars)))
//	z <- sqrt(32 - 1 - 3) * atanh(abs(r)); 2 * pnorm(-z)
func TestFisherZAgainstR(t *testing.T) {
	const mpgWt, mpgHp, wtHp = -0.867659376517228, -0.776168371826586, 0.658747887344759
	r := matrix.Of(3, 3, []float64{1, mpgWt, mpgHp, mpgWt, 1, wtHp, mpgHp, wtHp, 1})
	test := must.Get(independence.NewFisherZ(r, 32))
	got, err := test.Independent(0, 2, []int{1})
	if err != nil || !(math.Abs(got.Statistic-3.24940507085166) <= 1e-10) || !(math.Abs(got.P-0.00115646669983797) <= 1e-12) {
		t.Errorf("%+v, %v; R has z = 3.249405, p = 0.001156467", got, err)
	}
}

// TestLevelsAgainstR tests Admit and Gender given Dept in UCBAdmissions. R:
//
//	m <- loglin(UCBAdmissions, list(c(1, 3), c(2, 3))); c(m$lrt, m$pearson, m$df); pchisq(m$lrt, m$df, lower = FALSE)
func TestLevelsAgainstR(t *testing.T) {
	cells := []int{512, 313, 89, 19, 353, 207, 17, 8, 120, 205, 202, 391, 138, 279, 131, 244, 53, 138, 94, 299, 22, 351, 24, 317}
	columns := make([][]uint32, 3)
	for k, n := range cells {
		for range n {
			for j, level := range []int{k % 2, k / 2 % 2, k / 4} {
				columns[j] = append(columns[j], uint32(level))
			}
		}
	}
	table := must.Get(counts.New(columns, counts.Rows{}))
	for name, c := range map[string]struct {
		make         func(*counts.Data, float64) (*independence.Levels, error)
		statistic, p float64
	}{
		"g2":   {independence.NewG2, 21.7355067781328, 0.0013519926531709},
		"chi2": {independence.NewChi2, 19.9384133778807, 0.00284016430158041},
	} {
		test := must.Get(c.make(table, 1))
		got, err := test.Independent(0, 1, []int{2})
		if err != nil || !(math.Abs(got.Statistic-c.statistic) <= 1e-9) || got.DF != 6 || !(math.Abs(got.P-c.p) <= 1e-10) {
			t.Errorf("%s: %+v, %v; R has %v with 6 degrees of freedom, p = %v", name, got, err, c.statistic, c.p)
		}
	}
}

// Tail probabilities against exact ones: with two degrees of freedom exp(-x/2), with one erfc(√(x/2)), and with four
// (1 + x/2)·exp(-x/2).
func TestChiSquared(t *testing.T) {
	for _, x := range []float64{1e-3, 0.5, 1, 3, 10, 50, 300} {
		for df, want := range map[float64]float64{2: math.Exp(-x / 2), 1: math.Erfc(math.Sqrt(x / 2)), 4: (1 + x/2) * math.Exp(-x/2)} {
			must.Near(t, independence.ChiSquared(x, df), want, 1e-11*want+1e-15, "%v with %v degrees of freedom", x, df)
		}
	}
	for _, x := range []float64{0, -1, math.NaN(), math.Inf(-1)} {
		if p := independence.ChiSquared(x, 3); p != 1 {
			t.Errorf("%v: %v, want 1", x, p)
		}
	}
	if p := independence.ChiSquared(math.Inf(1), 3); p != 0 {
		t.Errorf("infinite: %v", p)
	}
}
