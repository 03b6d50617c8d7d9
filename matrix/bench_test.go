package matrix

import (
	"fmt"
	"testing"
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
