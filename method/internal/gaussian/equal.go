package gaussian

import (
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/search"
)

// Equal noise variances are a claim about units, and the strongest that a search can make: under it every edge is
// compelled. BIC alone cannot carry it. With weak effects all residual variances of standardized columns are near 1, and
// one variance parameter instead of d then wins for its price alone, with directions that mean nothing.
// So under --variance auto the claim must also be one (SameUnits) and hold (UnequalResiduals).

// unitTolerance is how far the standard deviations of standardized columns may lie apart, as a ratio less 1: enough for
// numbers that were written with three digits.
const unitTolerance = 0.01

// SameUnits reports whether all columns have the same standard deviation. Then somebody has standardized them, their units are
// gone, and equal variances would be a claim about shares of noise, which nobody makes.
func SameUnits(scale []float64) bool {
	return slices.Max(scale) <= slices.Min(scale)*(1+unitTolerance)
}

// UnequalResiduals tests the residual variances of a graph for equality and returns what speaks against it, "" if nothing does.
// residual are the shares of each column's variance that are left. With u_v the residual variances, divided by n less the
// parameters of each equation, the statistic is Bartlett's,
//
//	B = n·(d·ln(mean of u) - Σ ln u_v),
//
// which is χ² with d - 1 degrees of freedom for normal noise. Four standard deviations above its mean are allowed. Noise
// with heavier tails (the statistic grows in proportion to the kurtosis less 1) may fail for that alone. Then directions are
// left open that could have been known, which is the lesser evil; the setting variance = equal insists.
func UnequalResiduals(p search.Problem, residual []float64, parents [][]int) string {
	d, n := float64(len(residual)), float64(p.N)
	logs, sum := 0.0, 0.0
	for v, s := range residual {
		u := p.Scale[v] * p.Scale[v] * s * n / max(1, n-1-float64(len(parents[v])))
		logs += math.Log(u)
		sum += u
	}
	b := n * (d*math.Log(sum/d) - logs)
	most := d - 1 + 4*math.Sqrt(2*(d-1))
	if b <= most {
		return ""
	}
	return fmt.Sprintf("its residual variances are not equal: Bartlett's statistic is %.4g, with %.0f degrees of freedom and %.4g allowed", b, d-1, most)
}
