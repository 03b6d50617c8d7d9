package matrix

import "fmt"

// Float is the set of element types. Every formula is written once and compiled for both.
type Float interface{ float32 | float64 }

// Dense is a row-major matrix: entry (i, j) is Data[i*Stride+j]. In a weighted adjacency matrix entry (i, j) is
// the edge i → j. The fields are exported so that kernels and callers can share memory. Stride is at least
// Cols.
type Dense[T Float] struct {
	Rows, Cols, Stride int
	Data               []T
}

// New returns a zero matrix with contiguous rows.
func New[T Float](rows, cols int) *Dense[T] {
	if rows < 0 || cols < 0 {
		panic(fmt.Sprintf("matrix: New(%d, %d)", rows, cols))
	}
	return &Dense[T]{Rows: rows, Cols: cols, Stride: cols, Data: make([]T, rows*cols)}
}

// Of wraps data, row by row, without copying it.
func Of[T Float](rows, cols int, data []T) *Dense[T] {
	if len(data) != rows*cols {
		panic(fmt.Sprintf("matrix: %d values for %d×%d", len(data), rows, cols))
	}
	return &Dense[T]{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

// Convert returns a copy of m in another precision.
func Convert[U, T Float](m *Dense[T]) *Dense[U] {
	out := New[U](m.Rows, m.Cols)
	for i := range m.Rows {
		dst := out.Row(i)
		for j, v := range m.Row(i) {
			dst[j] = U(v)
		}
	}
	return out
}

// At returns entry (i, j).
func (m *Dense[T]) At(i, j int) T { return m.Data[i*m.Stride+j] }

// Set stores v at (i, j).
func (m *Dense[T]) Set(i, j int, v T) { m.Data[i*m.Stride+j] = v }

// Row returns row i; it shares memory with m.
func (m *Dense[T]) Row(i int) []T { return m.Data[i*m.Stride : i*m.Stride+m.Cols : i*m.Stride+m.Cols] }

// Contiguous reports whether the rows follow each other without a gap, so that
// Data[:Rows*Cols] is the whole matrix.
func (m *Dense[T]) Contiguous() bool { return m.Stride == m.Cols }

// Clone returns a contiguous copy.
func (m *Dense[T]) Clone() *Dense[T] { return Convert[T](m) }

// CopyFrom overwrites m with src; the shapes must agree.
func (m *Dense[T]) CopyFrom(src *Dense[T]) {
	if m.Rows != src.Rows || m.Cols != src.Cols {
		panic(fmt.Sprintf("matrix: copy of %d×%d into %d×%d", src.Rows, src.Cols, m.Rows, m.Cols))
	}
	for i := range m.Rows {
		copy(m.Row(i), src.Row(i))
	}
}

// Zero sets every entry to zero.
func (m *Dense[T]) Zero() {
	for i := range m.Rows {
		clear(m.Row(i))
	}
}

// Trace returns the sum of the diagonal, added in float64.
func (m *Dense[T]) Trace() float64 {
	t := 0.0
	for i := range min(m.Rows, m.Cols) {
		t += float64(m.At(i, i))
	}
	return t
}

// Finite reports whether no entry is NaN or infinite.
func (m *Dense[T]) Finite() bool {
	for i := range m.Rows {
		for _, v := range m.Row(i) {
			if v-v != 0 {
				return false
			}
		}
	}
	return true
}
