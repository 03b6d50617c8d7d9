package independence

import (
	"math"

	"github.com/polydag/polydag/internal/chol"
)

// leastSquares has the buffers for regressions of one or two numbers on others, with an intercept.
type leastSquares struct {
	width, n int
	l        chol.Factor // factor of the centred second moments of the predictors, then the responses
	mean     []float64
	total    float64 // sum of squares of the first response before the regression
	first    int     // its index
}

// gather computes the centred second moments of some rows.
func (f *leastSquares) gather(columns []Column, explaining, explained []int, rows []uint32) {
	w := len(explaining) + len(explained)
	f.width, f.n, f.first = w, len(rows), len(explaining)
	f.mean = chol.Grown(f.mean, 2*w)
	clear(f.mean)
	f.l.Reset(w)
	s := f.l.Matrix()
	clear(s)
	at := func(k int) []float64 {
		if k < len(explaining) {
			return columns[explaining[k]].Values
		}
		return columns[explained[k-len(explaining)]].Values
	}
	row := f.mean[w:]
	for k := range w {
		values, sum := at(k), 0.0
		for _, i := range rows {
			sum += values[i]
		}
		f.mean[k] = sum / float64(len(rows))
	}
	for _, i := range rows {
		for k := range w {
			row[k] = at(k)[i] - f.mean[k]
		}
		for k, a := range row {
			for j, b := range row[:k+1] {
				s[k*w+j] += a * b
			}
		}
	}
	f.total = s[f.first*w+f.first]
}

// factor factors the moments and returns the number of predictors that are not collinear with earlier ones.
func (f *leastSquares) factor() (rank int) {
	for k := range f.width {
		if f.l.Add(f.l.Next()[k]) > 0 && k < f.first {
			rank++
		}
	}
	return rank
}

// residual returns the residual sum of squares of the response and the number of parameters, including the intercept.
func (f *leastSquares) residual() (left float64, parameters int) {
	parameters = f.factor() + 1
	l := f.l.Row(f.first)[f.first]
	return l * l, parameters
}

// partial returns the partial correlation of the two responses, NaN if one of them is determined.
func (f *leastSquares) partial() float64 {
	x, y := f.first, f.first+1
	total := f.l.Row(y)[y]
	f.factor()
	along, rest := f.l.Row(y)[x], f.l.Row(y)[y]
	left := along*along + rest*rest
	if f.l.Row(x)[x] == 0 || !(left > chol.Determined*total) {
		return math.NaN()
	}
	return along / math.Sqrt(left)
}

// digamma is the derivative of ln Γ, for x > 0: by ψ(x) = ψ(x+1) - 1/x up to 10, and from there by its asymptotic series
// (Abramowitz and Stegun 6.3.18), to about 1e-13.
func digamma(x float64) float64 {
	below := 0.0
	for ; x < 10; x++ {
		below += 1 / x
	}
	q := 1 / (x * x)
	return math.Log(x) - 0.5/x - q*(1./12-q*(1./120-q*(1./252-q*(1./240-q/132)))) - below
}
