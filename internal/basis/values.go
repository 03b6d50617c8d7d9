package basis

import "slices"

// Range returns at most n values of column j, which is not categorical, from the least to the largest, each once: about half of
// them at equal steps of the rank, so that they stand close where there are many rows, and the others at equal steps of the
// value, so that tails have some, too. Those given are among them. n is at least 4 more than those.
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

// Quantile returns the value of column j, which is not categorical, that a share u of the rows is below.
func (f *Functions) Quantile(j int, u float64) float64 { return f.columns[j].ranks.quantile(u) }

// Levels returns the levels of column j, which is categorical: the one without an indicator, and the others in the order of
// their functions. The slice is the caller's.
func (f *Functions) Levels(j int) (base float64, others []float64) {
	return f.columns[j].base, slices.Clone(f.columns[j].levels)
}

// At writes the functions of column j at x, Start()[j+1] - Start()[j] values, to dst.
func (f *Functions) At(dst []float64, j int, x float64) {
	f.columns[j].expand(dst, x, f.categorical[j])
}

// quantile returns a value of the column: the first with a rank of at least u, and the last beyond.
func (r ranks) quantile(u float64) float64 {
	i, _ := slices.BinarySearch(r.u, u)
	if u >= 1 {
		i = len(r.u)
	}
	return r.x[min(i, len(r.x)-1)]
}
