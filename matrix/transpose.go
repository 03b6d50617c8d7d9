package matrix

import "fmt"

// Transposes and traces of products walk one operand along rows and the other along columns. They go
// in blocks: tileRows rows of the first side by side, so that each visit to a row of the second
// uses tileRows neighbours, and tileCols columns at a time, so that the rows of the second stay
// in the first cache until the next visit.
const (
	tileRows = 4
	tileCols = 64
)

// Transpose computes dst = srcᵀ. dst must not overlap src.
func Transpose[T Float](dst, src *Dense[T]) {
	checkTransposed("Transpose", dst, src)
	for j0 := 0; j0 < src.Cols; j0 += tileCols {
		j1 := min(j0+tileCols, src.Cols)
		i := 0
		for ; i+tileRows <= src.Rows; i += tileRows {
			r0 := src.Row(i)[j0:j1]
			r1, r2, r3 := src.Row(i + 1)[j0:j1][:len(r0)], src.Row(i + 2)[j0:j1][:len(r0)], src.Row(i + 3)[j0:j1][:len(r0)]
			at := j0*dst.Stride + i
			for j, v := range r0 {
				q := dst.Data[at : at+4 : at+4]
				q[0], q[1], q[2], q[3] = v, r1[j], r2[j], r3[j]
				at += dst.Stride
			}
		}
		for ; i < src.Rows; i++ {
			at := j0*dst.Stride + i
			for _, v := range src.Row(i)[j0:j1] {
				dst.Data[at] = v
				at += dst.Stride
			}
		}
	}
}

// SquareT computes dst = (w∘w)ᵀ: the transposed matrix of squared weights, with which the
// gradient of an acyclicity constraint begins. dst must not overlap w.
func SquareT[T Float](dst, w *Dense[T]) {
	checkTransposed("SquareT", dst, w)
	for j0 := 0; j0 < w.Cols; j0 += tileCols {
		j1 := min(j0+tileCols, w.Cols)
		i := 0
		for ; i+tileRows <= w.Rows; i += tileRows {
			r0 := w.Row(i)[j0:j1]
			r1, r2, r3 := w.Row(i + 1)[j0:j1][:len(r0)], w.Row(i + 2)[j0:j1][:len(r0)], w.Row(i + 3)[j0:j1][:len(r0)]
			at := j0*dst.Stride + i
			for j, v := range r0 {
				q := dst.Data[at : at+4 : at+4]
				q[0], q[1], q[2], q[3] = v*v, r1[j]*r1[j], r2[j]*r2[j], r3[j]*r3[j]
				at += dst.Stride
			}
		}
		for ; i < w.Rows; i++ {
			at := j0*dst.Stride + i
			for _, v := range w.Row(i)[j0:j1] {
				dst.Data[at] = v * v
				at += dst.Stride
			}
		}
	}
}

// TraceMul returns tr(a·b) = Σ_ij a_ij·b_ji in O(Rows·Cols), without the product. Products and sum
// are in float64, in an order that depends on the shape alone.
func TraceMul[T Float](a, b *Dense[T]) float64 {
	checkTransposed("TraceMul", a, b)
	var s0, s1, s2, s3 float64
	for j0 := 0; j0 < a.Cols; j0 += tileCols {
		j1 := min(j0+tileCols, a.Cols)
		i := 0
		for ; i+tileRows <= a.Rows; i += tileRows {
			r0 := a.Row(i)[j0:j1]
			r1, r2, r3 := a.Row(i + 1)[j0:j1][:len(r0)], a.Row(i + 2)[j0:j1][:len(r0)], a.Row(i + 3)[j0:j1][:len(r0)]
			at := j0*b.Stride + i
			for j, v := range r0 {
				q := b.Data[at : at+4 : at+4]
				s0 += float64(v) * float64(q[0])
				s1 += float64(r1[j]) * float64(q[1])
				s2 += float64(r2[j]) * float64(q[2])
				s3 += float64(r3[j]) * float64(q[3])
				at += b.Stride
			}
		}
		for ; i < a.Rows; i++ {
			at := j0*b.Stride + i
			for _, v := range a.Row(i)[j0:j1] {
				s0 += float64(v) * float64(b.Data[at])
				at += b.Stride
			}
		}
	}
	return (s0 + s1) + (s2 + s3)
}

// TraceSquare returns tr(m·m) = Σ_i m_ii² + 2 Σ_{i<j} m_ij·m_ji: half the work of TraceMul(m, m).
func TraceSquare[T Float](m *Dense[T]) float64 {
	checkTransposed("TraceSquare", m, m)
	n := m.Rows
	var s0, s1, s2, s3, diagonal float64
	for i := 0; i < n; i += tileRows {
		end := min(i+tileRows, n) // the block on the diagonal, both halves of it
		for r := i; r < end; r++ {
			for c := i; c < end; c++ {
				diagonal += float64(m.At(r, c)) * float64(m.At(c, r))
			}
		}
		if end == n {
			break
		}
		r0 := m.Row(i)[end:]
		r1, r2, r3 := m.Row(i + 1)[end:][:len(r0)], m.Row(i + 2)[end:][:len(r0)], m.Row(i + 3)[end:][:len(r0)]
		at := end*m.Stride + i
		for j, v := range r0 {
			q := m.Data[at : at+4 : at+4]
			s0 += float64(v) * float64(q[0])
			s1 += float64(r1[j]) * float64(q[1])
			s2 += float64(r2[j]) * float64(q[2])
			s3 += float64(r3[j]) * float64(q[3])
			at += m.Stride
		}
	}
	return diagonal + 2*((s0+s1)+(s2+s3))
}

func checkTransposed[T Float](name string, a, b *Dense[T]) {
	if a.Rows != b.Cols || a.Cols != b.Rows {
		panic(fmt.Sprintf("matrix: %s of %d×%d and %d×%d, want transposed shapes", name, a.Rows, a.Cols, b.Rows, b.Cols))
	}
}
