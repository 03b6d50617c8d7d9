package gaussian

import (
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/search"
)

// Equal noise variances are an assumption about units under which every direction is identified. BIC alone
// cannot support it. With weak effects, all residual variances of standardized columns are near 1. One variance
// parameter instead of d then wins by its smaller penalty, and the directions are meaningless. So variance =
// auto also requires that the columns were not standardized (SameUnits) and that a test does not reject
// (UnequalResiduals).

// unitTolerance is the largest relative difference between the standard deviations of standardized columns:
// enough for numbers written with three digits.
const unitTolerance = 0.01

// SameUnits reports whether all columns have the same standard deviation, up to three times its relative standard
// error stdError at either end. They were then standardized, and equal variances would be an unlikely assumption
// about shares of noise.
func SameUnits(scale []float64, stdError float64) bool {
	return slices.Max(scale) <= slices.Min(scale)*(1+unitTolerance+6*stdError)
}

// UnequalResiduals tests whether the residual variances of a graph are equal and returns the evidence against
// it, or "". residual are the unexplained shares of each column's variance. With u_v the residual variances,
// divided by n minus the parameters of each equation, the statistic is Bartlett's,
//
//	B = n·(d·ln(mean of u) - Σ ln u_v),
//
// which is χ² with d - 1 degrees of freedom for normal noise. The threshold is four standard deviations above
// its mean. Heavy-tailed noise alone may exceed it, because the statistic grows with the kurtosis. Some
// directions then stay unidentified; variance = equal skips the test.
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
