package anm

import (
	"math"
	"slices"

	"github.com/polydag/polydag/independence"
)

// hsic returns the probability of as much dependence between x and y, of any form, where they are independent: the Hilbert–Schmidt
// criterion of Gretton et al. (2008), "A kernel statistical test of independence", with Gaussian kernels as wide as the median distance, and
// the gamma distribution of the same mean and variance in place of the distribution under independence. It costs m² numbers and the
// exponentials of as many.
func hsic(x, y []float64) float64 {
	m := float64(len(x))
	if len(x) < leastRows {
		return 1
	}
	k, meanK, ok := kernel(x)
	l, meanL, also := kernel(y)
	if !ok || !also {
		return 1 // nothing varies, and nothing depends on it
	}
	statistic, spread := 0.0, 0.0
	n := len(x)
	for i := range n {
		for j := range n {
			product := k[i*n+j] * l[i*n+j]
			statistic += product
			if i != j {
				spread += product * product / 36
			}
		}
	}
	statistic /= m
	variance := spread / (m * (m - 1)) * 72 * (m - 4) * (m - 5) / (m * (m - 1) * (m - 2) * (m - 3))
	mean := (1 + meanK*meanL - meanK - meanL) / m
	if !(variance > 0) || !(mean > 0) {
		return 1
	}
	shape, scale := mean*mean/variance, variance*m/mean
	return independence.ChiSquared(2*statistic/scale, 2*shape)
}

// leastRows is the fewest that the gamma distribution was meant for.
const leastRows = 20

// kernel returns the centred kernel matrix of x, and the mean of the entries off the diagonal before centring; false where x does not vary.
func kernel(x []float64) (k []float64, mean float64, ok bool) {
	n := len(x)
	width := medianDistance(x)
	if !(width > 0) {
		return nil, 0, false
	}
	k = make([]float64, n*n)
	rows := make([]float64, n)
	for i := range n {
		k[i*n+i] = 1
		for j := range i {
			t := (x[i] - x[j]) / width
			k[i*n+j] = math.Exp(-t * t / 2)
			k[j*n+i] = k[i*n+j]
			mean += 2 * k[i*n+j]
		}
	}
	all := 0.0
	for i := range n {
		for _, v := range k[i*n : (i+1)*n] {
			rows[i] += v / float64(n)
		}
		all += rows[i] / float64(n)
	}
	for i := range n {
		for j := range n {
			k[i*n+j] += all - rows[i] - rows[j]
		}
	}
	return k, mean / (float64(n) * float64(n-1)), true
}

// medianDistance is that of the first hundred values, or of all pairs that differ where most do not.
func medianDistance(x []float64) float64 {
	x = x[:min(len(x), 100)]
	var all []float64
	for i := range x {
		for j := range i {
			if d := math.Abs(x[i] - x[j]); d > 0 {
				all = append(all, d)
			}
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}
