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

// MeanVariance estimates the covariance matrix V of the mean of a series with this number of points, d×d. m has the moments of d columns
// and their lags after the mean of each series was removed.
//
// Removing an estimated mean lowers the covariance of x(t) and x(t-k) for every k by V, which is why lagged effects in short panels are
// biased (Nickell 1981). V follows from the autocovariances Γ,
//
//	V = (1/T)·(Γ(0) + Σ_{h=1}^{T-1} (1 - h/T)·(Γ(h) + Γ(h)ᵀ)),
//
// which a vector autoregression on the corrected moments extends beyond the lags. Both are computed in turn until they agree.
func MeanVariance(m *dataset.Moments, lags int, points float64) []float64 {
	wide := m.Dim()
	d := wide / (lags + 1)
	n := float64(m.N)
	v := make([]float64, d*d)
	s := make([]float64, wide*wide)
	order := min(lags, max(1, mostRegressors/d))
	k := d * order
	largest := 0.0 // trace of Γ(0) before the correction, which V must not exceed
	for j := range d {
		largest += m.Scatter[j*wide+j] / n
	}
	a := make([]float64, d*k)
	var past chol.Factor
	const turns, tolerance = 50, 1e-6
	for range turns {
		for i := range wide {
			for j := range wide {
				s[i*wide+j] = m.Scatter[i*wide+j]/n + v[i%d*d+j%d]
			}
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
		next := sumCovariances(s, a, wide, d, order, points)
		trace, change, size := 0.0, 0.0, 0.0
		for i := range next {
			if i%(d+1) == 0 {
				trace += next[i]
			}
			change += math.Abs(next[i] - v[i])
			size += math.Abs(next[i])
		}
		if !(trace < largest) { // the autoregression is not stationary
			return v
		}
		if v = next; change <= tolerance*size {
			break
		}
	}
	return v
}

// sumCovariances returns V from the covariances s of columns and lags, and the autoregression a.
func sumCovariances(s, a []float64, wide, d, lags int, points float64) []float64 {
	gamma := make([][]float64, lags) // Γ(h), …, Γ(h-lags+1)
	v := make([]float64, d*d)
	add := func(h int, of []float64) {
		w := (1 - float64(h)/points) / points
		for i := range d {
			for j := range d {
				if h == 0 {
					v[i*d+j] += w * of[i*d+j]
				} else {
					v[i*d+j] += w * (of[i*d+j] + of[j*d+i])
				}
			}
		}
	}
	for h := range lags + 1 {
		of := make([]float64, d*d) // covariance of x(t) and x(t-h)
		for i := range d {
			copy(of[i*d:(i+1)*d], s[i*wide+h*d:i*wide+(h+1)*d])
		}
		if float64(h) < points {
			add(h, of)
		}
		if h > 0 {
			gamma[lags-h] = of
		}
	}
	for h := lags + 1; float64(h) < points; h++ {
		of := make([]float64, d*d)
		for k := range lags { // Γ(h) = Σ A_k Γ(h-k)
			for i := range d {
				for p := range d {
					if c := a[i*d*lags+k*d+p]; c != 0 {
						for j := range d {
							of[i*d+j] += c * gamma[k][p*d+j]
						}
					}
				}
			}
		}
		copy(gamma[1:], gamma[:lags-1])
		gamma[0] = of
		add(h, of)
	}
	return v
}

// AddMeanVariance returns the moments with v, a result of MeanVariance, added to the covariances of the columns and their lags, except
// where skip is true.
func AddMeanVariance(m *dataset.Moments, v []float64, skip []bool) *dataset.Moments {
	d, wide := len(skip), m.Dim()
	out := *m
	out.Scatter = make([]float64, len(m.Scatter))
	for i := range wide {
		for j := range wide {
			out.Scatter[i*wide+j] = m.Scatter[i*wide+j]
			if !skip[i%d] && !skip[j%d] {
				out.Scatter[i*wide+j] += float64(m.N) * v[i%d*d+j%d]
			}
		}
	}
	return &out
}
