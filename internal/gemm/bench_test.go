package gemm_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/gemm"
)

// BenchmarkGemm measures C = A·B of d×d matrices by every kernel. The comparison with gonum is in test/linalg.
func BenchmarkGemm(b *testing.B) {
	for _, d := range []int{100, 200, 500, 1000} {
		x, y, z := operands[float64](d)
		for _, kern := range gemm.Kernels() {
			run(b, d, "f64", "kernel="+kern.String(), func() { gemm.GemmWith(kern, false, false, d, d, d, 1, x, d, y, d, 0, z, d, 1) })
		}
		x32, y32, z32 := operands[float32](d)
		for _, kern := range gemm.Kernels() {
			run(b, d, "f32", "kernel="+kern.String(), func() { gemm.GemmWith(kern, false, false, d, d, d, 1, x32, d, y32, d, 0, z32, d, 1) })
		}
	}
}

// BenchmarkTranspose measures Aᵀ·B and A·Bᵀ by the kernel Active.
func BenchmarkTranspose(b *testing.B) {
	for _, d := range []int{100, 500} {
		x, y, z := operands[float64](d)
		run(b, d, "f64", "op=tn", func() { gemm.Gemm(true, false, d, d, d, 1, x, d, y, d, 0, z, d, 1) })
		run(b, d, "f64", "op=nt", func() { gemm.Gemm(false, true, d, d, d, 1, x, d, y, d, 0, z, d, 1) })
	}
}

// BenchmarkThreads shows from which size on more threads pay.
func BenchmarkThreads(b *testing.B) {
	for _, d := range []int{60, 80, 100, 150, 200, 500, 1000} {
		x, y, z := operands[float64](d)
		for _, threads := range []int{1, 2} {
			run(b, d, "f64", fmt.Sprintf("threads=%d", threads), func() { gemm.Gemm(false, false, d, d, d, 1, x, d, y, d, 0, z, d, threads) })
		}
	}
}

func operands[T gemm.Float](d int) (a, b, c []T) {
	rng := rand.New(rand.NewPCG(1, uint64(d)))
	a, b, c = make([]T, d*d), make([]T, d*d), make([]T, d*d)
	for i := range a {
		a[i], b[i] = T(rng.NormFloat64()), T(rng.NormFloat64())
	}
	return a, b, c
}

func run(b *testing.B, d int, prec, what string, product func()) {
	b.Run(fmt.Sprintf("d=%d/prec=%s/%s", d, prec, what), func(b *testing.B) {
		for b.Loop() {
			product()
		}
		b.ReportMetric(2*float64(d*d*d)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
	})
}
