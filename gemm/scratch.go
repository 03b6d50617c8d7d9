package gemm

import (
	"sync"
	"unsafe"
)

// Sizes of the blocks that a product is cut into. They decide the order of the sums, so
// they depend on the kernel alone, never on the number of threads.
const (
	blockK = 256 // steps of k: a panel of 3 zmm by 256 is 48 KiB, the first cache
	blockM = 512 // rows of A: 512 by 256 float64 are 1 MiB, half of the second cache
)

// scratch is the memory of one thread's product. Large objects start on a page, so both
// parts start on a cache line.
type scratch struct {
	panel [blockK * maxVecs * 64]byte
	block [blockM * (blockK*8 + 64)]byte
}

// scratches hands out memory only: which scratch a call gets changes no result.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

// values returns buf as a slice of T.
func values[T Float](buf []byte) []T {
	var x T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(buf))), len(buf)/int(unsafe.Sizeof(x)))
}

// share returns where part i of n things split evenly over parts begins; the first part is
// among the largest.
func share(i, n, parts int) int { return (i*n + parts - 1) / parts }

func ceilDiv(n, d int) int { return (n + d - 1) / d }
