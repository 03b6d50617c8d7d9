package matrix

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// FromGonum returns a copy of m.
func FromGonum(m mat.Matrix) *Dense[float64] {
	rows, cols := m.Dims()
	out := New[float64](rows, cols)
	ToGonum(out).Copy(m)
	return out
}

// ToGonum returns m as a gonum matrix that shares memory with it.
func ToGonum(m *Dense[float64]) *mat.Dense {
	var out mat.Dense
	out.SetRawMatrix(blas64.General{Rows: m.Rows, Cols: m.Cols, Stride: m.Stride, Data: m.Data})
	return &out
}
