package linalg

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"

	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

func random(n int) []float64 {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	x := make([]float64, n*n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// BenchmarkProduct compares C = A·B of d×d matrices on one thread with gonum, which takes all threads for d > 256.
func BenchmarkProduct(b *testing.B) {
	for _, d := range []int{100, 200, 500, 1000} {
		x, y, z := random(d), random(d), make([]float64, d*d)
		b.Run(fmt.Sprintf("polydag/d=%d", d), func(b *testing.B) {
			for b.Loop() {
				gemm.Gemm(false, false, d, d, d, 1, x, d, y, d, 0, z, d, 1)
			}
		})
		b.Run(fmt.Sprintf("gonum/d=%d", d), func(b *testing.B) {
			for b.Loop() {
				gonum.Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, d, d, d, 1, x, d, y, d, 0, z, d)
			}
		})
	}
}

func BenchmarkInverse(b *testing.B) {
	for _, d := range []int{20, 100, 200, 500} {
		x := random(d)
		b.Run(fmt.Sprintf("polydag/d=%d", d), func(b *testing.B) {
			var f matrix.LU[float64]
			out := matrix.New[float64](d, d)
			for b.Loop() {
				must.Succeed(b, f.Factor(matrix.Of(d, d, x)))
				f.Inverse(out)
			}
		})
		b.Run(fmt.Sprintf("gonum/d=%d", d), func(b *testing.B) {
			out := mat.NewDense(d, d, nil)
			for b.Loop() {
				must.Succeed(b, out.Inverse(mat.NewDense(d, d, x)))
			}
		})
	}
}
