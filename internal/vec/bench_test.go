package vec

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Run with -bench . and compare kernel=go with the others: the ratio within one run is the gain.

func benchmark(b *testing.B, f32, f64 func(b *testing.B, k isa, n int)) {
	for _, n := range []int{5, 20, 100, 10000} {
		for _, k := range available() {
			b.Run(fmt.Sprintf("float32/n=%d/kernel=%v", n, k), func(b *testing.B) { f32(b, k, n) })
			b.Run(fmt.Sprintf("float64/n=%d/kernel=%v", n, k), func(b *testing.B) { f64(b, k, n) })
		}
	}
}

func four[T Float](n int) (w, x, y, z []T) {
	rng := rand.New(rand.NewPCG(1, 1))
	return random[T](rng, n), random[T](rng, n), random[T](rng, n), random[T](rng, n)
}

func BenchmarkAxpy(b *testing.B) { benchmark(b, benchAxpy[float32], benchAxpy[float64]) }

func benchAxpy[T Float](b *testing.B, k isa, n int) {
	_, x, y, _ := four[T](n)
	for b.Loop() {
		axpy(k, y, T(1e-9), x)
	}
}

func BenchmarkScale(b *testing.B) { benchmark(b, benchScale[float32], benchScale[float64]) }

func benchScale[T Float](b *testing.B, k isa, n int) {
	_, x, y, _ := four[T](n)
	for b.Loop() {
		scale(k, y, T(1.5), x)
	}
}

func BenchmarkLin3(b *testing.B) { benchmark(b, benchLin3[float32], benchLin3[float64]) }

func benchLin3[T Float](b *testing.B, k isa, n int) {
	w, x, y, z := four[T](n)
	for b.Loop() {
		lin3(k, w, T(1), x, T(2), y, T(3), z)
	}
}

func BenchmarkDot(b *testing.B) { benchmark(b, benchDot[float32], benchDot[float64]) }

func benchDot[T Float](b *testing.B, k isa, n int) {
	_, x, y, _ := four[T](n)
	for b.Loop() {
		dot(k, x, y)
	}
}

func BenchmarkChainRule(b *testing.B) {
	benchmark(b, benchChainRule[float32], benchChainRule[float64])
}

func benchChainRule[T Float](b *testing.B, k isa, n int) {
	w, x, y, _ := four[T](n)
	for b.Loop() {
		chainRule(k, w, x, y)
	}
}

func BenchmarkAddL1(b *testing.B) { benchmark(b, benchAddL1[float32], benchAddL1[float64]) }

func benchAddL1[T Float](b *testing.B, k isa, n int) {
	w, x, _, _ := four[T](n)
	for b.Loop() {
		addL1(k, w, T(1e-9), x)
	}
}

func BenchmarkAdam(b *testing.B) { benchmark(b, benchAdam[float32], benchAdam[float64]) }

func benchAdam[T Float](b *testing.B, k isa, n int) {
	w, x, y, z := four[T](n)
	p := newAdamStep[T](AdamParams{Rate: 1e-3, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Corr1: 1, Corr2: 1})
	for b.Loop() {
		adam(k, w, 1, x, 0.5, x, y, z, p)
	}
}
