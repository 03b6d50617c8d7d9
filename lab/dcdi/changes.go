package dcdi

import (
	"cmp"
	"math"
	"slices"

	"github.com/polydag/polydag/method"
)

// changes returns the columns that each environment more probably changes than not, if targets are unknown. Their p-values are those of the
// hypothesis that the network of the environment predicts its held-out rows no better, by the mean gain and its standard error. A change must be
// significant: a network that was of use while the graph had cycles may no longer be.
func (l *learner) changes() (out []method.Change) {
	if !l.x.unknown {
		return nil
	}
	for j, c := range l.columns {
		gains := make([][]float64, len(c.target))
		for k := range l.parts {
			c.compare(&l.parts[k], gains)
		}
		for k, gain := range gains {
			if k == l.x.ref || c.target[k] <= 0 {
				continue
			}
			sum, squares, n := 0.0, 0.0, float64(len(gain))
			for _, v := range gain {
				sum += v
			}
			for _, v := range gain {
				squares += (v - sum/n) * (v - sum/n)
			}
			p := 1.0
			if squares > 0 {
				p = math.Erfc(sum/math.Sqrt(squares)*math.Sqrt((n-1)/n)/math.Sqrt2) / 2
			}
			if p > level {
				continue
			}
			out = append(out, method.Change{Environment: k, Column: j, P: p, Adjusted: min(1, p*float64(l.x.d*(len(gains)-1)))})
		}
	}
	slices.SortFunc(out, func(a, b method.Change) int { return cmp.Or(a.Environment-b.Environment, a.Column-b.Column) })
	return out
}
