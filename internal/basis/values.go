package basis

import "slices"

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
