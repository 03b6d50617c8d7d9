package matrix

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// shapes covers every remainder of the tiles, and more than one tile.
var shapes = [][2]int{{0, 0}, {0, 3}, {3, 0}, {1, 1}, {1, 9}, {9, 1}, {3, 5}, {4, 4}, {5, 64}, {64, 6}, {7, 65}, {66, 131}, {100, 100}}

func TestTranspose(t *testing.T) {
	for _, s := range shapes {
		testTranspose[float32](t, s[0], s[1])
		testTranspose[float64](t, s[0], s[1])
	}
}

func testTranspose[T Float](t *testing.T, rows, cols int) {
	t.Run(fmt.Sprintf("%T/%d×%d", T(0), rows, cols), func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, uint64(rows*1000+cols)))
		src, dst := strided[T](rng, rows, cols, 3), strided[T](rng, cols, rows, 2)
		Transpose(dst, src)
		checkGaps(t, dst)
		checkGaps(t, src)
		square := strided[T](rng, cols, rows, 1)
		SquareT(square, src)
		checkGaps(t, square)
		for i := range rows {
			for j, v := range src.Row(i) {
				if dst.At(j, i) != v || square.At(j, i) != v*v {
					t.Fatalf("entry (%d, %d): %v and %v, want %v and %v", j, i, dst.At(j, i), square.At(j, i), v, v*v)
				}
			}
		}

		b := strided[T](rng, cols, rows, 4)
		want, size := 0.0, 0.0
		for i := range rows {
			for j := range cols {
				p := float64(src.At(i, j)) * float64(b.At(j, i))
				want += p
				size += math.Abs(p)
			}
		}
		if got := TraceMul(src, b); !(math.Abs(got-want) <= 1e-15*float64(1+rows*cols)*size) {
			t.Fatalf("TraceMul = %v, want %v", got, want)
		}
	})
}

func TestTransposeMisuse(t *testing.T) {
	a, b := New[float64](2, 3), New[float64](2, 3)
	mustPanic(t, "Transpose", func() { Transpose(a, b) })
	mustPanic(t, "SquareT", func() { SquareT(a, b) })
	mustPanic(t, "TraceMul", func() { TraceMul(a, b) })
}
