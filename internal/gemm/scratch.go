package gemm

import (
	"sync"
	"unsafe"
)

// Sizes of the blocks that a product is cut into. blockK decides the order of the sums, so
// it must not depend on the number of threads.
const (
	blockK      = 256 // steps of k
	blockPanels = 16  // panels of B: with blockK steps of 3 zmm 768 KiB, to fit the second cache
)

// scratch is the memory of one thread's product. So large an object starts on a page, hence
// on a cache line; nothing but speed depends on it.
type scratch struct {
	block [blockK * blockPanels * maxVecs * 64]byte // packed B
	strip [blockK * stripBytes]byte                 // copied Aᵀ
}

// scratches hands out memory only: which scratch a call gets changes no result.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

func values[T Float](buf []byte) []T {
	var x T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(buf))), len(buf)/int(unsafe.Sizeof(x)))
}

// share returns where part i of n things split evenly over parts begins; the first part is
// among the largest.
func share(i, n, parts int) int { return (i*n + parts - 1) / parts }

func ceilDiv(n, d int) int { return (n + d - 1) / d }
