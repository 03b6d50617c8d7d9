package anm

import (
	"math"
	"slices"

	"github.com/polydag/polydag/independence"
)

// hsic returns the p-value of the independence of x and y, against any form of dependence. It is the
// Hilbert–Schmidt criterion of Gretton et al. (2008), "A kernel statistical test of independence", with
// Gaussian kernels of median width. A gamma distribution with the same mean and variance approximates the null
// distribution. It costs m² memory and exponentials.
func hsic(x, y []float64) float64 {
	m := float64(len(x))
	if len(x) < leastRows {
		return 1
	}
	k, meanK, ok := kernel(x)
	l, meanL, also := kernel(y)
	if !ok || !also {
		return 1 // a constant is independent of everything
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

// leastRows is the smallest number of rows for the gamma approximation.
const leastRows = 20

// kernel returns the centred kernel matrix of x and the mean of the off-diagonal entries before centring. ok is
// false if x is constant.
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

// medianDistance returns the median distance of the first hundred values, or of the distinct pairs if most are
// equal.
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
