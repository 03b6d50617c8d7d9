package matrix

import (
	"math/rand/v2"
	"testing"
)

func TestMul(t *testing.T) {
	for _, s := range [][3]int{{0, 2, 3}, {2, 0, 3}, {1, 1, 1}, {3, 5, 2}, {17, 33, 9}} {
		testMul[float32](t, s[0], s[1], s[2])
		testMul[float64](t, s[0], s[1], s[2])
	}
}

// testMul checks the four products of an m×k and a k×n matrix against the definition.
func testMul[T Float](t *testing.T, m, k, n int) {
	rng := rand.New(rand.NewPCG(6, uint64(m+k+n)))
	a, b := strided[T](rng, m, k, 2), strided[T](rng, k, n, 1)
	at, bt := New[T](k, m), New[T](n, k)
	Transpose(at, a)
	Transpose(bt, b)
	start := strided[T](rng, m, n, 3)
	products := map[string]func(c *Dense[T]){
		"Mul":    func(c *Dense[T]) { Mul(c, a, b, 2) },
		"MulTA":  func(c *Dense[T]) { MulTA(c, at, b, 2) },
		"MulTB":  func(c *Dense[T]) { MulTB(c, a, bt, 2) },
		"MulAdd": func(c *Dense[T]) { MulAdd(c, a, b, 2) },
	}
	for name, product := range products {
		want := slowMul(a, b)
		if name == "MulAdd" {
			for i := range m {
				for j := range n {
					want.Set(i, j, want.At(i, j)+float64(start.At(i, j)))
				}
			}
		}
		c := &Dense[T]{Rows: m, Cols: n, Stride: start.Stride, Data: append([]T(nil), start.Data...)}
		product(c)
		checkGaps(t, c)
		if e := norm(subtract(Convert[float64](c), want)); e > 4*float64(k+1)*unit[T]()*(norm(a)*norm(b)+norm(start)) {
			t.Errorf("%s of %T %d×%d×%d: off by %v", name, T(0), m, k, n, e)
		}
	}
	if k > 0 {
		mustPanic(t, "product of wrong shapes", func() { Mul(start, a, New[T](k+1, n), 1) })
	}
}
