package series

import (
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
)

// Block returns the length of the blocks of rows that a bootstrap draws from a table with d columns and their lagged values:
// (√6·ρ/(1-ρ²))^(2/3)·n^(1/3) for the median correlation ρ of neighbouring values of numeric columns and n rows (Carlstein 1986).
func Block(m *dataset.Moments, kinds []dataset.Variable, d, rows int) int {
	var all []float64
	for j := range d {
		if kinds == nil || kinds[j].Kind != dataset.Categorical {
			all = append(all, math.Abs(m.CorrelationOf([]int{j, j + d}).At(0, 1)))
		}
	}
	if len(all) == 0 {
		return 1
	}
	slices.Sort(all)
	rho := min(all[len(all)/2], 0.95)
	length := math.Pow(math.Sqrt(6)*rho/(1-rho*rho), 2.0/3) * math.Cbrt(float64(rows))
	return max(1, min(int(math.Ceil(length)), rows/10))
}
