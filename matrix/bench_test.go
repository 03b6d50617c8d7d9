package matrix

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

func BenchmarkTranspose(b *testing.B) {
	for _, d := range []int{100, 500, 1000} {
		b.Run(fmt.Sprintf("Transpose/float32/d=%d", d), func(b *testing.B) { benchTranspose(b, d, Transpose[float32]) })
		b.Run(fmt.Sprintf("Transpose/float64/d=%d", d), func(b *testing.B) { benchTranspose(b, d, Transpose[float64]) })
		b.Run(fmt.Sprintf("SquareT/float32/d=%d", d), func(b *testing.B) { benchTranspose(b, d, SquareT[float32]) })
		b.Run(fmt.Sprintf("SquareT/float64/d=%d", d), func(b *testing.B) { benchTranspose(b, d, SquareT[float64]) })
		b.Run(fmt.Sprintf("TraceMul/float32/d=%d", d), func(b *testing.B) {
			benchTranspose(b, d, func(x, y *Dense[float32]) { TraceMul(x, y) })
		})
		b.Run(fmt.Sprintf("TraceMul/float64/d=%d", d), func(b *testing.B) {
			benchTranspose(b, d, func(x, y *Dense[float64]) { TraceMul(x, y) })
		})
	}
}

func benchTranspose[T Float](b *testing.B, d int, f func(x, y *Dense[T])) {
	x, y := New[T](d, d), New[T](d, d)
	for i := range x.Data {
		x.Data[i], y.Data[i] = T(i%7), T(i%5)
	}
	for b.Loop() {
		f(x, y)
	}
}

// BenchmarkLU measures factorization and inverse; test/linalg compares them with gonum.
func BenchmarkLU(b *testing.B) {
	for _, d := range []int{20, 100, 200, 500} {
		b.Run(fmt.Sprintf("Factor/float32/d=%d", d), func(b *testing.B) { benchLU[float32](b, d, false) })
		b.Run(fmt.Sprintf("Factor/float64/d=%d", d), func(b *testing.B) { benchLU[float64](b, d, false) })
		b.Run(fmt.Sprintf("Inverse/float32/d=%d", d), func(b *testing.B) { benchLU[float32](b, d, true) })
		b.Run(fmt.Sprintf("Inverse/float64/d=%d", d), func(b *testing.B) { benchLU[float64](b, d, true) })
	}
}

func benchLU[T Float](b *testing.B, d int, inverse bool) {
	a := strided[T](rand.New(rand.NewPCG(1, 1)), d, d, 0)
	x := New[T](d, d)
	var f LU[T]
	for b.Loop() {
		must.Succeed(b, f.Factor(a))
		if inverse {
			f.Inverse(x)
		}
	}
}
