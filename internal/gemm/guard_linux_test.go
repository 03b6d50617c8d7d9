package gemm

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"

	"github.com/polydag/polydag/internal/must"
)

// TestNoAccessBehindTheEnd places each matrix against a page that must not be touched: a
// kernel that loads or stores past the last value faults.
func TestNoAccessBehindTheEnd(t *testing.T) {
	forEach(t, testGuard[float64], testGuard[float32])
}

func testGuard[T Float](t *testing.T, kern Kernel) {
	rng := rand.New(rand.NewPCG(9, 10))
	a, b, c := guarded[T](t), guarded[T](t), guarded[T](t)
	end := func(x []T, n int) []T { return x[len(x)-n:] }
	for range 300 {
		m, n, k := 1+rng.IntN(20), 1+rng.IntN(60), 1+rng.IntN(40)
		transA, transB := rng.IntN(2) == 0, rng.IntN(2) == 0
		lda, ldb := k, n
		if transA {
			lda = m
		}
		if transB {
			ldb = k
		}
		GemmWith(kern, transA, transB, m, n, k, 1, end(a, m*k), lda, end(b, k*n), ldb, T(rng.IntN(2)), end(c, m*n), n, 1)
	}
}

// guarded returns memory that ends at an inaccessible page.
func guarded[T Float](t *testing.T) []T {
	page := syscall.Getpagesize()
	size := (60*60*8 + page - 1) / page * page
	mem := must.Get(syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE))
	t.Cleanup(func() { syscall.Munmap(mem) })
	must.Succeed(t, syscall.Mprotect(mem[size:], syscall.PROT_NONE))
	return unsafe.Slice((*T)(unsafe.Pointer(&mem[0])), size/int(unsafe.Sizeof(T(0))))
}
