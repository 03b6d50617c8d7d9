package tape

import (
	"fmt"

	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// Product is a·b, with gradients ∂a = ∂y·bᵀ and ∂b = aᵀ·∂y: one product forward and at most two
// backward.
func (t *Tape) Product(a, b *Node) *Node {
	if a.Cols() != b.Rows() {
		panic(fmt.Sprintf("tape: a product of %d×%d and %d×%d", a.Rows(), a.Cols(), b.Rows(), b.Cols()))
	}
	y := t.result(a.Rows(), b.Cols(), a, b)
	m, k, n := a.Rows(), a.Cols(), b.Cols()
	return t.do(y, func() error {
		matrix.Mul(y.Value, a.Value, b.Value, t.threads)
		return nil
	}, func() {
		g := y.Grad.Data
		if a.Grad != nil {
			gemm.Gemm(false, true, m, k, n, 1, g, n, b.Value.Data, n, 1, a.Grad.Data, k, t.threads)
		}
		if b.Grad != nil {
			gemm.Gemm(true, false, k, n, m, 1, a.Value.Data, k, g, n, 1, b.Grad.Data, n, t.threads)
		}
	})
}

// BlockProduct multiplies blocks: with x of n × (blocks·p) and w of (blocks·p) × q the result is n ×
// (blocks·q), and its block j is block j of the columns of x times block j of the rows of w. This is one layer
// of several parallel networks. It costs 2npq·blocks flops, forward and for each gradient.
func (t *Tape) BlockProduct(x, w *Node, blocks int) *Node {
	if x.Cols() != w.Rows() || blocks < 1 || x.Cols()%blocks != 0 {
		panic(fmt.Sprintf("tape: a product of %d×%d and %d×%d in %d blocks", x.Rows(), x.Cols(), w.Rows(), w.Cols(), blocks))
	}
	n, p, q := x.Rows(), x.Cols()/blocks, w.Cols()
	y := t.result(n, blocks*q, x, w)
	if q == 1 {
		return t.blockSums(y, x, w, n, p)
	}
	return t.do(y, func() error {
		for j := range blocks {
			gemm.Gemm(false, false, n, q, p, 1, x.Value.Data[j*p:], blocks*p, w.Value.Data[j*p*q:(j+1)*p*q], q, 0, y.Value.Data[j*q:], blocks*q, t.threads)
		}
		return nil
	}, func() {
		for j := range blocks {
			g := y.Grad.Data[j*q:]
			if x.Grad != nil {
				gemm.Gemm(false, true, n, p, q, 1, g, blocks*q, w.Value.Data[j*p*q:(j+1)*p*q], q, 1, x.Grad.Data[j*p:], blocks*p, t.threads)
			}
			if w.Grad != nil {
				gemm.Gemm(true, false, p, q, n, 1, x.Value.Data[j*p:], blocks*p, g, blocks*q, 1, w.Grad.Data[j*p*q:(j+1)*p*q], q, t.threads)
			}
		}
	})
}

// blockSums is BlockProduct with one column per block, which is too narrow for the kernels. It computes Σ x∘w
// over each block, row by row.
func (t *Tape) blockSums(y, x, w *Node, n, p int) *Node {
	return t.do(y, func() error {
		for i := range n {
			in := x.Value.Row(i)
			for j := range y.Value.Row(i) {
				sum, weights := 0.0, w.Value.Data[j*p:(j+1)*p]
				for k, v := range in[j*p : (j+1)*p] {
					sum += v * weights[k]
				}
				y.Value.Data[i*y.Value.Stride+j] = sum
			}
		}
		return nil
	}, func() {
		for i := range n {
			for j, g := range y.Grad.Row(i) {
				at := i*x.Value.Stride + j*p
				if x.Grad != nil {
					dst, weights := x.Grad.Data[at:at+p], w.Value.Data[j*p:(j+1)*p]
					for k, v := range weights {
						dst[k] += g * v
					}
				}
				if w.Grad != nil {
					dst := w.Grad.Data[j*p : (j+1)*p]
					for k, v := range x.Value.Data[at : at+p] {
						dst[k] += g * v
					}
				}
			}
		}
	})
}

// Reshape is the same numbers in another shape, row by row. It shares memory with x and costs nothing.
func (t *Tape) Reshape(x *Node, rows, cols int) *Node {
	y := &Node{Value: matrix.Of(rows, cols, x.Value.Data)}
	if x.Grad != nil {
		y.Grad = matrix.Of(rows, cols, x.Grad.Data)
	}
	return y
}

// Columns is a copy of the columns from first up to end, without end.
func (t *Tape) Columns(x *Node, first, end int) *Node {
	if first < 0 || end > x.Cols() || first >= end {
		panic(fmt.Sprintf("tape: columns %d to %d of %d×%d", first, end, x.Rows(), x.Cols()))
	}
	y := t.result(x.Rows(), end-first, x)
	return t.do(y, func() error {
		for i := range y.Rows() {
			copy(y.Value.Row(i), x.Value.Row(i)[first:end])
		}
		return nil
	}, func() {
		for i := range y.Rows() {
			vec.Axpy(x.Grad.Row(i)[first:end], 1, y.Grad.Row(i))
		}
	})
}

// Inverse is (I - x)⁻¹ of a square x, with gradient yᵀ·∂y·yᵀ. A singular I - x is outside its
// domain. It costs 2n³ flops forward and two products backward.
func (t *Tape) Inverse(x *Node) *Node {
	if x.Rows() != x.Cols() {
		panic(fmt.Sprintf("tape: the inverse of %d×%d", x.Rows(), x.Cols()))
	}
	n := x.Rows()
	y, from := t.result(n, n, x), matrix.New[float64](n, n)
	lu := &matrix.LU[float64]{Threads: t.threads}
	return t.do(y, func() error {
		for i, v := range x.Value.Data {
			from.Data[i] = -v
		}
		for i := range n {
			from.Data[i*n+i]++
		}
		if err := lu.Factor(from); err != nil {
			return fmt.Errorf("the inverse of I - A: %w", err)
		}
		lu.Inverse(y.Value)
		return nil
	}, func() {
		matrix.MulTB(from, y.Grad, y.Value, t.threads) // ∂y·yᵀ
		gemm.Gemm(true, false, n, n, n, 1, y.Value.Data, n, from.Data, n, 1, x.Grad.Data, n, t.threads)
	})
}
