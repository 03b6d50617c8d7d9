package gemm

import (
	"sync"
	"unsafe"
)

// These are the block sizes of a product. blockK determines the order of the sums, so it must not depend on the
// number of threads.
const (
	blockK      = 256 // steps of k
	blockPanels = 16  // panels of B: 768 KiB with blockK steps of 3 zmm, to fit the L2 cache
)

// scratch is the memory of the product of one thread. An object of this size starts on a page and thus on a
// cache line; only speed depends on it.
type scratch struct {
	block [blockK * blockPanels * maxVecs * 64]byte // packed B
	strip [blockK * stripBytes]byte                 // copied Aᵀ
}

// scratches caches scratch memory, which does not affect results.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

func values[T Float](buf []byte) []T {
	var x T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(buf))), len(buf)/int(unsafe.Sizeof(x)))
}

// share returns the start of part i of n things split evenly over parts; the first part is among the largest.
func share(i, n, parts int) int { return (i*n + parts - 1) / parts }

func ceilDiv(n, d int) int { return (n + d - 1) / d }
