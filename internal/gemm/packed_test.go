package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
)

// TestPackedIsGemm checks that a packed product has the bytes of Gemm, for any packing and partition, and
// writes nothing else.
func TestPackedIsGemm(t *testing.T) {
	for _, kern := range Kernels() {
		t.Run(kern.String(), func(t *testing.T) {
			packedIsGemm[float64](t, kern)
			packedIsGemm[float32](t, kern)
		})
	}
}

func packedIsGemm[T Float](t *testing.T, kern Kernel) {
	t.Helper()
	rng := rand.New(rand.NewPCG(8, 8))
	var p Packed[T] // one for all sizes
	for _, size := range [][3]int{{1, 1, 1}, {3, 5, 2}, {8, 16, 16}, {13, 49, 30}, {40, 100, 100}, {20, 65, 257}, {9, 790, 600}, {61, 110, 130}} {
		m, n, k := size[0], size[1], size[2]
		for _, beta := range []T{0, 1, -0.5} {
			lda, ldb, ldc := k+rng.IntN(4), n+rng.IntN(4), n+rng.IntN(4)
			a, b, c := filled[T](rng, m*lda), filled[T](rng, k*ldb), filled[T](rng, m*ldc)
			if beta == 0 {
				for i := range m {
					c[i*ldc] = T(math.NaN()) // must not be read
				}
			}
			want := slices.Clone(c)
			GemmWith(kern, false, false, m, n, k, 1, a, lda, b, ldb, beta, want, ldc, 1)

			resize(&p, kern, k, n)
			cut := rng.IntN(k + 1)
			p.Pack(cut, k, b[cut*ldb:], ldb)
			p.Pack(0, cut, b, ldb)
			height := StripTile * (1 + rng.IntN(4))
			for lo := 0; lo < m; lo += height {
				p.Mul(min(height, m-lo), a[lo*lda:], lda, beta, c[lo*ldc:], ldc)
			}
			if fmt.Sprint(c) != fmt.Sprint(want) {
				t.Fatalf("%d×%d times %d×%d, beta %v: not the product, or more than it", m, k, k, n, beta)
			}
		}
	}
}

func filled[T Float](rng *rand.Rand, n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(rng.NormFloat64())
	}
	return x
}

// TestStrip checks that strips are whole tiles of every kernel: one for a small packed matrix, and otherwise
// many, but leaving work for all threads.
func TestStrip(t *testing.T) {
	for _, kern := range Kernels() {
		if rows, _ := kern.shape(); StripTile%rows != 0 {
			t.Errorf("%v has tiles of %d rows", kern, rows)
		}
	}
	for _, c := range []struct{ d, threads, want int }{
		{1, 1, 8}, {200, 4, 8}, {443, 1, 8}, {444, 1, 56}, {500, 0, 64}, {500, 2, 64}, {1000, 1, 128}, {1000, 2, 128}, {1000, 3, 88}, {1000, 16, 32}, {4000, 16, 64},
	} {
		if got := Strip[float32](c.d, c.d, c.d, c.threads); got != c.want {
			t.Errorf("d = %d, %d threads: strips of %d rows, want %d", c.d, c.threads, got, c.want)
		}
	}
	if got := Strip[float64](320, 320, 320, 1); got != 40 {
		t.Errorf("d = 320 in float64: strips of %d rows", got)
	}
}

// TestShareByTellsWorkersApart checks that no worker does two parts at a time, and that worker indices are
// below the number of threads.
func TestShareByTellsWorkersApart(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	check := func() {
		var busy [3]atomic.Bool
		ShareBy(3, 40, func(worker, _ int) {
			if !busy[worker].CompareAndSwap(false, true) {
				t.Errorf("worker %d does two parts", worker)
			}
			runtime.Gosched()
			busy[worker].Store(false)
		})
	}
	check()
	ShareBy(2, 2, func(int, int) { check() }) // with separate goroutines
}

func TestPackedRefuses(t *testing.T) {
	var p Packed[float64]
	p.Resize(3, 4)
	x := make([]float64, 12)
	for want, f := range map[string]func(){
		"at least one entry": func() { p.Resize(0, 4) },
		"rows 2 to 4":        func() { p.Pack(2, 4, x, 4) },
		"B is 3×4":           func() { p.Pack(0, 3, x[:11], 4) },
		"A is 4×3":           func() { p.Mul(4, x[:11], 3, 0, make([]float64, 16), 4) },
		"C is 4×4":           func() { p.Mul(4, x, 3, 0, make([]float64, 15), 4) },
		"stride 2 of A":      func() { p.Mul(4, x, 2, 0, make([]float64, 16), 4) },
	} {
		panics(t, want, f)
	}
}
