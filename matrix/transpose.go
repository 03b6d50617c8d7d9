package matrix

import (
	"fmt"

	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
)

// The trace of a product reads one operand along rows and the other along columns, in blocks. tileRows rows of
// the first are processed together, so that each read of a row of the second uses tileRows neighbors. tileCols
// columns at a time keep the rows of the second in the L1 cache.
const (
	tileRows = 4
	tileCols = 64
)

// Transpose computes dst = srcᵀ. dst must not overlap src.
func Transpose[T Float](dst, src *Dense[T]) {
	checkTransposed("Transpose", dst, src)
	gemm.Transpose(src.Rows, src.Cols, dst.Data, dst.Stride, src.Data, src.Stride)
}

// SquareT computes dst = (w∘w)ᵀ, the first step of the gradient of an acyclicity constraint. dst must not
// overlap w.
func SquareT[T Float](dst, w *Dense[T]) {
	checkTransposed("SquareT", dst, w)
	gemm.Transpose(w.Rows, w.Cols, dst.Data, dst.Stride, w.Data, w.Stride)
	if dst.Contiguous() {
		n := dst.Rows * dst.Cols
		vec.Square(dst.Data[:n], dst.Data[:n])
		return
	}
	for i := range dst.Rows {
		vec.Square(dst.Row(i), dst.Row(i))
	}
}

// TraceMul returns tr(a·b) = Σ_ij a_ij·b_ji in O(Rows·Cols), without computing the product. It works in
// float64, in an order that depends only on the shape.
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

func checkTransposed[T Float](name string, a, b *Dense[T]) {
	if a.Rows != b.Cols || a.Cols != b.Rows {
		panic(fmt.Sprintf("matrix: %s of %d×%d and %d×%d, want transposed shapes", name, a.Rows, a.Cols, b.Rows, b.Cols))
	}
}
