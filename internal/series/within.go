package series

import (
	"math"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/chol"
)

// mostRegressors limits the columns of the autoregression, which then has fewer lags than the moments.
const mostRegressors = 300

// LongSeries is the number of points from which the means of series are precise enough.
const LongSeries = 500

// MeanBias estimates by how much the covariances of columns and their lags are too small because the mean of each series was estimated
// and removed. m has the moments of d columns and their lags, and a series has T points. The bias is the reason why lagged effects in
// short panels are wrong (Nickell 1981). With Γ(h) the covariance of x(t) and x(t-h), the mean x̄ of a series has
//
//	C(s) = Cov(x(s), x̄) = (1/T)·Σ_r Γ(s-r),   V = Var(x̄) = (1/T)·Σ_s C(s),
//
// and the covariance of x(t-a) and x(t-b) lacks K(a) + K(b)ᵀ - V, where K(a) is the mean of C(t-a) over the rows t = L, …, T-1. A vector
// autoregression on the corrected moments extends Γ beyond the L lags. Both are computed in turn until they agree.
func MeanBias(m *dataset.Moments, lags int, points float64) []float64 {
	wide := m.Dim()
	d := wide / (lags + 1)
	n := float64(m.N)
	order := min(lags, max(1, mostRegressors/d))
	k := d * order
	bias, s, a := make([]float64, wide*wide), make([]float64, wide*wide), make([]float64, d*k)
	largest := 0.0
	for j := range d {
		largest += m.Scatter[j*wide+j] / n
	}
	var past chol.Factor
	const turns, tolerance, growth = 300, 1e-5, 20
	for range turns {
		for i := range s {
			s[i] = m.Scatter[i]/n + bias[i]
		}
		past.Reset(k)
		for i := d; i < d+k; i++ {
			copy(past.Next(), s[i*wide+d:i*wide+i+1])
			past.Add(s[i*wide+i])
		}
		for j := range d {
			row := a[j*k : (j+1)*k]
			copy(row, s[j*wide+d:j*wide+d+k])
			past.Forward(row, s[j*wide+j])
			past.Back(row)
		}
		next := biasOf(covariances(s, a, wide, d, order, int(math.Round(points))), d, lags)
		trace, change, size := 0.0, 0.0, 0.0
		for i := range next {
			if i%(wide+1) == 0 {
				trace += next[i] / float64(lags+1)
			}
			change += math.Abs(next[i] - bias[i])
			size += math.Abs(next[i])
		}
		if !(trace < growth*largest) || !positive(m, next, n) { // the autoregression is not stationary
			return bias
		}
		if bias = next; change <= tolerance*size {
			break
		}
	}
	return bias
}

// positive reports whether no column of the corrected moments is a function of the others.
func positive(m *dataset.Moments, bias []float64, n float64) bool {
	wide := m.Dim()
	var f chol.Factor
	f.Reset(wide)
	for i := range wide {
		row := f.Next()
		for j := range row {
			row[j] = m.Scatter[i*wide+j]/n + bias[i*wide+j]
		}
		if f.Add(row[i]) == 0 {
			return false
		}
	}
	return true
}

// covariances returns Γ(h) for h from 0 to points-1 from the covariances s of columns and lags, and the autoregression a of some order.
func covariances(s, a []float64, wide, d, order, points int) [][]float64 {
	all := make([][]float64, points)
	for h := range all {
		of := make([]float64, d*d)
		all[h] = of
		if h <= order {
			for i := range d {
				copy(of[i*d:(i+1)*d], s[i*wide+h*d:i*wide+(h+1)*d])
			}
			continue
		}
		for k := range order { // Γ(h) = Σ A_k Γ(h-k)
			from := all[h-k-1]
			for i := range d {
				for p := range d {
					if c := a[i*d*order+k*d+p]; c != 0 {
						for j := range d {
							of[i*d+j] += c * from[p*d+j]
						}
					}
				}
			}
		}
	}
	return all
}

// biasOf returns K(a) + K(b)ᵀ - V for all lags a and b.
func biasOf(gamma [][]float64, d, lags int) []float64 {
	points := len(gamma)
	ahead, back := make([]float64, d*d), make([]float64, d*d) // Σ_{h=0}^{s} Γ(h), Σ_{h=1}^{T-1-s} Γ(h)ᵀ
	for h := 1; h < points; h++ {
		addTransposed(back, gamma[h], d, 1)
	}
	v := make([]float64, d*d)
	mean := make([][]float64, lags+1)
	for l := range mean {
		mean[l] = make([]float64, d*d)
	}
	rows := float64(max(1, points-lags))
	for at := range points { // C(at)
		for i, x := range gamma[at] {
			ahead[i] += x
		}
		if at > 0 {
			addTransposed(back, gamma[points-at], d, -1)
		}
		for i := range v {
			c := (ahead[i] + back[i]) / float64(points)
			v[i] += c / float64(points)
			for l := range mean {
				if t := at + l; t >= lags && t < points {
					mean[l][i] += c / rows
				}
			}
		}
	}
	wide := d * (lags + 1)
	bias := make([]float64, wide*wide)
	for i := range wide {
		for j := range wide {
			bias[i*wide+j] = mean[i/d][i%d*d+j%d] + mean[j/d][j%d*d+i%d] - v[i%d*d+j%d]
		}
	}
	return bias
}

func addTransposed(to, from []float64, d int, sign float64) {
	for i := range d {
		for j := range d {
			to[i*d+j] += sign * from[j*d+i]
		}
	}
}

// Unbiased returns the moments with a result of MeanBias added to the covariances, except where skip is true.
func Unbiased(m *dataset.Moments, bias []float64, skip []bool) *dataset.Moments {
	d, wide := len(skip), m.Dim()
	out := *m
	out.Scatter = make([]float64, len(m.Scatter))
	for i := range wide {
		for j := range wide {
			out.Scatter[i*wide+j] = m.Scatter[i*wide+j]
			if !skip[i%d] && !skip[j%d] {
				out.Scatter[i*wide+j] += float64(m.N) * bias[i*wide+j]
			}
		}
	}
	return &out
}
