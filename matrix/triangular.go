package matrix

import (
	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
)

// leafRows is the size up to which triangular systems are solved row by row. Larger ones are split in halves:
// solve one half, update the other with a product, solve the other. Minimum times of Factor and Inverse at n =
// 100 and 200: 4 takes 3-4 % longer than 8, and 16 takes 5-10 %.
const leafRows = 8

// block returns rows i0 … i1-1 and columns j0 … j1-1 of m; it shares memory with m.
func block[T Float](m *Dense[T], i0, i1, j0, j1 int) Dense[T] {
	b := Dense[T]{Rows: i1 - i0, Cols: j1 - j0, Stride: m.Stride}
	if b.Rows > 0 && b.Cols > 0 {
		b.Data = m.Data[i0*m.Stride+j0 : (i1-1)*m.Stride+j1]
	}
	return b
}

// halve returns an index about halfway from i0 to i1, if possible a multiple of unit from i0, so that products
// work on whole tiles.
func halve(i0, i1, unit int) int {
	half := (i1 - i0) / 2
	if half > unit {
		half -= half % unit
	}
	return i0 + half
}

// mulSub computes c -= a·b.
func mulSub[T Float](c, a, b *Dense[T], threads int) {
	gemm.Gemm(false, false, c.Rows, c.Cols, a.Cols, -1, a.Data, a.Stride, b.Data, b.Stride, 1, c.Data, c.Stride, threads)
}

// solveLower overwrites b with L⁻¹·b; L is the strict lower triangle of l with ones on the
// diagonal. Cost: n²·b.Cols flops.
func solveLower[T Float](b, l *Dense[T], threads int) {
	n := l.Rows
	if n <= leafRows {
		for i := 1; i < n; i++ {
			row := b.Row(i)
			for k, v := range l.Row(i)[:i] {
				vec.Axpy(row, -v, b.Row(k))
			}
		}
		return
	}
	mid := halve(0, n, leafRows)
	top, bottom := block(b, 0, mid, 0, b.Cols), block(b, mid, n, 0, b.Cols)
	l11, l21, l22 := block(l, 0, mid, 0, mid), block(l, mid, n, 0, mid), block(l, mid, n, mid, n)
	solveLower(&top, &l11, threads)
	mulSub(&bottom, &l21, &top, threads)
	solveLower(&bottom, &l22, threads)
}

// solveUpper overwrites b with U⁻¹·b; U is the upper triangle of u with its diagonal.
// Cost: n²·b.Cols flops.
func solveUpper[T Float](b, u *Dense[T], threads int) {
	n := u.Rows
	if n <= leafRows {
		for i := n - 1; i >= 0; i-- {
			row, coef := b.Row(i), u.Row(i)
			for k := i + 1; k < n; k++ {
				vec.Axpy(row, -coef[k], b.Row(k))
			}
			divide(row, coef[i])
		}
		return
	}
	mid := halve(0, n, leafRows)
	top, bottom := block(b, 0, mid, 0, b.Cols), block(b, mid, n, 0, b.Cols)
	u11, u12, u22 := block(u, 0, mid, 0, mid), block(u, 0, mid, mid, n), block(u, mid, n, mid, n)
	solveUpper(&bottom, &u22, threads)
	mulSub(&top, &u12, &bottom, threads)
	solveUpper(&top, &u11, threads)
}

// invertLower overwrites the lower triangle of x, which must be zero, with that of L⁻¹. L is as in solveLower.
// Cost: n³/3 flops.
func invertLower[T Float](x, l *Dense[T], threads int) {
	n := l.Rows
	if n <= leafRows {
		for i := range n {
			row := x.Row(i)
			row[i] = 1
			for k, v := range l.Row(i)[:i] {
				for j, w := range x.Row(k)[:k+1] {
					row[j] -= v * w
				}
			}
		}
		return
	}
	mid := halve(0, n, leafRows)
	x11, x21, x22 := block(x, 0, mid, 0, mid), block(x, mid, n, 0, mid), block(x, mid, n, mid, n)
	l11, l21, l22 := block(l, 0, mid, 0, mid), block(l, mid, n, 0, mid), block(l, mid, n, mid, n)
	invertLower(&x11, &l11, threads)
	mulSub(&x21, &l21, &x11, threads)
	solveLower(&x21, &l22, threads)
	invertLower(&x22, &l22, threads)
}
