package basis

import (
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
)

// scaled returns x on the scale of the column. Values beyond those of the rows have the scores of the least and the largest.
func (c *column) scaled(x float64) float64 {
	switch c.scale {
	case dataset.LogScale:
		return math.Log(max(x, math.SmallestNonzeroFloat64))
	case dataset.ScoreScale:
		return normalQuantile(c.ranks.at(x))
	}
	return x
}

// Scaled returns the value x of column j, which is not categorical, on the scale of the column.
func (f *Functions) Scaled(j int, x float64) float64 { return f.columns[j].scaled(x) }

// Back returns the value of column j, which is not categorical, at y on the scale of the column. It is the inverse of Scaled.
func (f *Functions) Back(j int, y float64) float64 {
	c := &f.columns[j]
	switch c.scale {
	case dataset.LogScale:
		return math.Exp(y)
	case dataset.ScoreScale:
		return c.ranks.value(math.Erfc(-y/math.Sqrt2) / 2)
	}
	return y
}

// Scale returns the scale of column j.
func (f *Functions) Scale(j int) dataset.Scale { return f.columns[j].scale }

// normalQuantile returns Φ⁻¹(u).
func normalQuantile(u float64) float64 { return math.Sqrt2 * math.Erfinv(2*u-1) }

// value returns the x with u(x) = u, or the least or the largest value for u outside of the ranks.
func (r ranks) value(u float64) float64 {
	i, _ := slices.BinarySearch(r.u, u)
	switch {
	case i == 0:
		return r.x[0]
	case i == len(r.u):
		return r.x[i-1]
	}
	share := (u - r.u[i-1]) / (r.u[i] - r.u[i-1])
	return r.x[i-1]*(1-share) + r.x[i]*share
}

// standardize computes the mean and the standard deviation of the column on its scale.
func (c *column) standardize() {
	below, sum, squares := 0.0, 0.0, 0.0
	for i, u := range c.ranks.u {
		share := 2 * (u - below) // u is halfway through the step
		below += share
		x := c.scaled(c.ranks.x[i])
		sum += share * x
		squares += share * x * x
	}
	c.mean, c.sd = sum, math.Sqrt(max(0, squares-sum*sum))
	if c.sd == 0 {
		c.sd = 1
	}
}

// Range returns at most n distinct ascending values of numeric column j, from its minimum to its maximum. About
// half are at equal steps of the rank, and the others at equal steps of the value, to cover the tails. It
// includes the given values; n must be at least 4 more than those.
func (f *Functions) Range(j, n int, given ...float64) []float64 {
	r := f.columns[j].ranks
	out := slices.Clone(given)
	ranks := (n - len(given) + 1) / 2
	for k := range ranks {
		out = append(out, r.quantile(float64(k)/float64(ranks-1)))
	}
	low, high := r.quantile(0), r.quantile(1)
	for steps := n - len(out); len(out) < n; {
		share := float64(n-len(out)) / float64(steps+1)
		out = append(out, low*(1-share)+high*share)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Quantile returns the u-quantile of numeric column j.
func (f *Functions) Quantile(j int, u float64) float64 { return f.columns[j].ranks.quantile(u) }

// Levels returns the categories of column j: the one without an indicator, and the others in the order of their
// functions. The caller owns the slice.
func (f *Functions) Levels(j int) (base float64, others []float64) {
	return f.columns[j].base, slices.Clone(f.columns[j].levels)
}

// At writes the functions of column j at x, Start()[j+1] - Start()[j] values, to dst.
func (f *Functions) At(dst []float64, j int, x float64) {
	f.columns[j].expand(dst, x, f.categorical[j])
}

// quantile returns the first value with a rank of at least u, or the last value.
func (r ranks) quantile(u float64) float64 {
	i, _ := slices.BinarySearch(r.u, u)
	return r.x[min(i, len(r.x)-1)]
}
