package effect

import (
	"math"
	"slices"
)

// dist is the distribution of one column: mean, standard deviation and quantiles of a number, or the probabilities of categories.
type dist struct {
	mean, std float64
	quantiles []Quantile
	levels    []float64 // nil for a number
	by        string
	err       float64 // standard error of sampling
}

// shownQuantiles are the reported quantiles.
var shownQuantiles = []float64{0.05, 0.25, 0.5, 0.75, 0.95}

const (
	byFormula     = "formula"     // a Gaussian
	byElimination = "elimination" // exact sums over the categories of all columns on the paths
	bySampling    = "sampling"    // rows drawn from the model
	byRows        = "rows"        // the rows of the table, each with its own noise
)

func gaussian(mean, std float64) *dist {
	d := &dist{mean: mean, std: std, by: byFormula}
	for _, p := range shownQuantiles {
		d.quantiles = append(d.quantiles, Quantile{P: p, Value: mean + std*math.Sqrt2*math.Erfinv(2*p-1)})
	}
	return d
}

// empirical returns the distribution of values, which it sorts.
func empirical(values []float64) *dist {
	slices.Sort(values)
	d := &dist{by: byRows}
	if low, high := values[0], values[len(values)-1]; high-low <= 1e-9*max(math.Abs(low), math.Abs(high)) { // a single value up to rounding
		values = []float64{(low + high) / 2}
	}
	for _, v := range values {
		d.mean += v / float64(len(values))
	}
	for _, v := range values {
		d.std += (v - d.mean) * (v - d.mean) / float64(len(values))
	}
	d.std = math.Sqrt(d.std)
	for _, p := range shownQuantiles {
		d.quantiles = append(d.quantiles, Quantile{P: p, Value: quantile(values, p)})
	}
	return d
}

// quantile returns the p-quantile of sorted values at position p·(n+1), interpolated and limited to the values (Hyndman and Fan
// 1996, definition 6). With n = 199 and p = 0.05 it is the tenth value.
func quantile(sorted []float64, p float64) float64 {
	n := len(sorted)
	at := p*float64(n+1) - 1
	if at <= 0 {
		return sorted[0]
	}
	if at >= float64(n-1) {
		return sorted[n-1]
	}
	k := int(at)
	f := at - float64(k)
	return sorted[k]*(1-f) + sorted[k+1]*f
}

// normalQuantile is the quantile function of the standard normal distribution.
func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
