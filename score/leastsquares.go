package score

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// LeastSquares is the score of NOTEARS,
//
//	F(W) = 1/(2n) ‖X - XW‖² = ½ tr((I-W)ᵀ S (I-W)),   ∇F = S(W - I),   S = XᵀX/n,
//
// with X centred, so that S is the covariance matrix. Cost: one product for any n. It depends on the units of the columns:
// rescaling a column can change the best graph. It has internal buffers, so each goroutine needs its own.
type LeastSquares[T matrix.Float] struct {
	s       *matrix.Dense[T]
	threads int
	grad    *matrix.Dense[T] // used if the caller does not want a gradient
	w       gemm.Packed[T]
	sums    []float64                 // one per tile of rows
	also    []float64                 // results of after, one per tile
	after   func(grad, w []T) float64 // set during EvalThen
}

// NewLeastSquares copies s, the d×d covariance matrix.
func NewLeastSquares[T matrix.Float](s *matrix.Dense[float64], threads int) *LeastSquares[T] {
	if s.Rows != s.Cols {
		panic(fmt.Sprintf("score: covariance is %d×%d, want square", s.Rows, s.Cols))
	}
	return &LeastSquares[T]{s: matrix.Convert[T](s), threads: threads}
}

// Moments returns S, which must not be changed.
func (l *LeastSquares[T]) Moments() *matrix.Dense[T] { return l.s }

// Eval returns F(w); if grad is not nil it is overwritten with the gradient. It neither changes
// nor keeps w.
func (l *LeastSquares[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) {
	if grad == nil {
		if l.grad == nil {
			l.grad = matrix.New[T](w.Rows, w.Cols)
		}
		grad = l.grad
	}
	f := l.residual(grad, w) / 2
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return math.Inf(1), fmt.Errorf("least squares overflows; scale the data (standardize) or lower the learning rate")
	}
	return f, nil
}

// EvalThen is Eval, and calls after for finished rows of grad and w, several rows at a time and on several threads, while they are
// in the first-level cache. A penalty can add its gradient there without another pass. also is the sum of the results of after, in
// row order. grad and w must be contiguous.
func (l *LeastSquares[T]) EvalThen(grad, w *matrix.Dense[T], after func(grad, w []T) float64) (f, also float64, err error) {
	l.after = after
	f, err = l.Eval(grad, w)
	l.after = nil
	for _, v := range l.also {
		also += v
	}
	return f, also, err
}

// residual computes S(W - I) and returns ⟨W - I, S(W - I)⟩. Each thread computes the product and the sums of a strip of rows; the
// sums are added in row order.
func (l *LeastSquares[T]) residual(grad, w *matrix.Dense[T]) float64 {
	d := w.Rows
	height := gemm.Strip[T](d, d, d, l.threads)
	strips := (d + height - 1) / height
	if tiles := (d + gemm.StripTile - 1) / gemm.StripTile; len(l.sums) != tiles {
		l.sums, l.also = make([]float64, tiles), make([]float64, tiles)
	}
	l.w.Resize(d, d)
	if gemm.Shared(l.threads, d*d) {
		l.packShared(w)
	} else {
		l.w.Pack(0, d, w.Data, w.Stride)
	}
	if threads := gemm.Threads(l.threads, float64(d)*float64(d)*float64(d)); threads > 1 {
		l.stripsShared(grad, w, height, strips, threads)
	} else {
		for i := range strips {
			l.strip(grad, w, i*height, min((i+1)*height, d))
		}
	}
	f := 0.0
	for _, sum := range l.sums {
		f += sum
	}
	return f
}

func (l *LeastSquares[T]) packShared(w *matrix.Dense[T]) {
	d, parts := w.Rows, 4*l.threads
	gemm.Share(l.threads, parts, func(p int) {
		lo, hi := p*d/parts, (p+1)*d/parts
		l.w.Pack(lo, hi, w.Data[lo*w.Stride:], w.Stride)
	})
}

func (l *LeastSquares[T]) stripsShared(grad, w *matrix.Dense[T], height, strips, threads int) {
	gemm.Share(threads, strips, func(i int) { l.strip(grad, w, i*height, min((i+1)*height, w.Rows)) })
}

// strip computes rows lo … hi-1.
func (l *LeastSquares[T]) strip(grad, w *matrix.Dense[T], lo, hi int) {
	d := w.Rows
	l.w.Mul(hi-lo, l.s.Data[lo*d:hi*d], d, 0, grad.Data[lo*grad.Stride:], grad.Stride)
	for at := lo; at < hi; at += gemm.StripTile {
		l.tile(grad, w, at, min(at+gemm.StripTile, hi))
	}
}

// tile subtracts S from rows lo … hi-1 of SW and computes their sums.
func (l *LeastSquares[T]) tile(grad, w *matrix.Dense[T], lo, hi int) {
	d, i, sum := w.Rows, lo/gemm.StripTile, 0.0
	if grad.Contiguous() && w.Contiguous() {
		g, v := grad.Data[lo*d:hi*d], w.Data[lo*d:hi*d]
		vec.Axpy(g, -1, l.s.Data[lo*d:hi*d])
		sum = vec.Dot(v, g)
		for k := lo; k < hi; k++ {
			sum -= float64(g[(k-lo)*d+k])
		}
		if l.after != nil {
			l.also[i] = l.after(g, v)
		}
	} else {
		for k := lo; k < hi; k++ {
			row := grad.Row(k)
			vec.Axpy(row, -1, l.s.Row(k))
			sum += vec.Dot(w.Row(k), row) - float64(row[k])
		}
	}
	l.sums[i] = sum
}
