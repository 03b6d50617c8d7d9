package chol

import (
	"math"

	"github.com/polydag/polydag/internal/vec"
)

// Index is the type of column numbers.
type Index interface{ ~int | ~int32 | ~uint32 }

// A Factor is the lower triangular matrix L with L·Lᵀ = S, where S holds the covariances of columns that were added one
// after the other. The zero value needs Reset before use.
type Factor struct {
	l      []float64 // row i begins at i·stride
	pivots []float64 // squares of the diagonal
	stride int
	n      int
}

// Reset removes all columns and makes room for the given number of columns.
func (f *Factor) Reset(most int) {
	f.l, f.pivots = Grown(f.l, most*most), Grown(f.pivots, most)
	f.stride, f.n = most, 0
}

// Len returns the number of columns.
func (f *Factor) Len() int { return f.n }

// Truncate removes all columns but the first n.
func (f *Factor) Truncate(n int) { f.n = min(f.n, n) }

// Matrix returns the rows of L, with the number passed to Reset as the stride. Entries above the diagonal have no meaning.
// A caller may fill in all covariances here before it adds the columns.
func (f *Factor) Matrix() []float64 { return f.l }

// Row returns row i of L up to the diagonal.
func (f *Factor) Row(i int) []float64 { return f.l[i*f.stride : i*f.stride+i+1] }

// Next returns the row of the next column. Before Add or Reduce it must hold the covariances with the columns so far, then
// the variance.
func (f *Factor) Next() []float64 { return f.Row(f.n) }

// Gather copies the entries of row at the places in set to dst.
func Gather[I Index](dst, row []float64, set []I) {
	dst = dst[:len(set)]
	for j, q := range set {
		dst[j] = row[q]
	}
}

// Reduce overwrites the covariances in Next with the row of L and returns the variance that the columns so far leave. Append
// must follow.
func (f *Factor) Reduce() float64 {
	row := f.Next()
	return f.Forward(row[:f.n], row[f.n])
}

// Append adds the column in Next, which Reduce has processed. Its pivot is the square of its diagonal entry; 0 marks a
// determined column.
func (f *Factor) Append(pivot float64) {
	f.l[f.n*f.stride+f.n] = math.Sqrt(pivot)
	f.pivots[f.n] = pivot
	f.n++
}

// Add adds the column in Next and returns its pivot: the variance that is left, or 0 if that is at most the share Determined
// of whole.
func (f *Factor) Add(whole float64) float64 {
	left := f.Reduce()
	if !(left > Determined*whole) {
		left = 0
	}
	f.Append(left)
	return left
}

// Forward overwrites x, the covariances of a column with the first columns, by L⁻¹·x. It returns the column's variance less
// Σx², the variance that is left.
func (f *Factor) Forward(x []float64, variance float64) float64 { return f.forward(x, 0, variance) }

// ForwardFrom is Forward without a variance for an x that is 0 before the given place.
func (f *Factor) ForwardFrom(x []float64, from int) { f.forward(x, from, 0) }

// longRow is the length from which the vector kernel is faster than the loop.
const longRow = 16

// forward is Forward for an x that is 0 before the given place.
func (f *Factor) forward(x []float64, from int, left float64) float64 {
	for j := from; j < len(x); j++ {
		row := f.l[j*f.stride : j*f.stride+j+1]
		sum := x[j]
		if done := x[from:j]; len(done) < longRow {
			for h, a := range row[from:j] {
				sum -= a * done[h]
			}
		} else {
			sum -= vec.Dot(row[from:j], done)
		}
		x[j] = 0
		if row[j] > 0 {
			x[j] = sum / row[j]
			left -= x[j] * x[j]
		}
	}
	return left
}

// Back overwrites z by L⁻ᵀ·z. With z from Forward this gives regression coefficients.
func (f *Factor) Back(z []float64) {
	n := len(z)
	for i := n - 1; i >= 0; i-- {
		diag := f.l[i*f.stride+i]
		if diag == 0 {
			z[i] = 0
			continue
		}
		sum := z[i]
		for h := i + 1; h < n; h++ {
			sum -= f.l[h*f.stride+i] * z[h]
		}
		z[i] = sum / diag
	}
}

// InverseDiagonal writes the diagonal of S⁻¹ to dst, 0 for determined columns. Scratch holds as many values.
func (f *Factor) InverseDiagonal(dst, scratch []float64) {
	for c := range f.n {
		clear(scratch[:f.n])
		scratch[c] = 1
		dst[c] = -f.forward(scratch[:f.n], c, 0)
	}
}

// LogDet returns the logarithm of the product of the pivots of column from and later. A determined column counts with
// Determined.
func (f *Factor) LogDet(from int) float64 {
	p := product{value: 1}
	for _, x := range f.pivots[from:f.n] {
		if x == 0 {
			x = Determined
		}
		p.times(x)
	}
	return p.log()
}

// LogProduct returns Σ ln x of positive numbers with one logarithm for many of them.
func LogProduct(x []float64) float64 {
	p := product{value: 1}
	for _, v := range x {
		p.times(v)
	}
	return p.log()
}

// product is a product that does not overflow.
type product struct{ value, logs float64 }

func (p *product) times(x float64) {
	if p.value *= x; p.value < 1e-200 || p.value > 1e200 {
		p.logs += math.Log(p.value)
		p.value = 1
	}
}

func (p *product) log() float64 { return p.logs + math.Log(p.value) }

// Grown returns a slice of n values, s itself if it is large enough. The content is undefined.
func Grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}
