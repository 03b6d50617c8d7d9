package effect

import (
	"math"
	"slices"
)

// dist is a distribution of one column: a number's mean, standard deviation and quantiles, or the probabilities of levels.
type dist struct {
	mean, std float64
	quantiles []Quantile
	levels    []float64 // nil for a number
	by        string
	err       float64 // standard error of sampling
}

// The quantiles that a distribution shows.
var shownQuantiles = []float64{0.05, 0.25, 0.5, 0.75, 0.95}

// How a distribution was computed.
const (
	byFormula     = "formula"     // a Gaussian
	byElimination = "elimination" // exact sums over the levels of all columns on the way
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

// empirical is the distribution of values, which it sorts.
func empirical(values []float64) *dist {
	slices.Sort(values)
	d := &dist{by: byRows}
	if low, high := values[0], values[len(values)-1]; high-low <= 1e-9*max(math.Abs(low), math.Abs(high)) { // one value, and rounding
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

// quantile returns the value that a share p of sorted values is below, at place p·(n+1), interpolated and held within the values
// (Hyndman and Fan 1996, definition 6). With n = 199 and p = 0.05 it is the tenth value: of two hundred equally likely places of
// a fresh one among them, ten are below.
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

// normalQuantile is the value that a standard normal number is below with probability p.
func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
