//go:build amd64 && !noasm

package vec

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// An isa is an instruction set, which selects the version of the kernels.
type isa uint8

const (
	portable isa = iota
	avx2
	avx512
)

// best is the fastest version for this processor.
var best = detect()

func detect() isa {
	c := &cpu.X86
	switch {
	case c.HasAVX512F && c.HasAVX512VL && c.HasAVX512DQ && c.HasAVX512BW && c.HasBMI2:
		return avx512
	case c.HasAVX2 && c.HasFMA:
		return avx2
	default:
		return portable
	}
}

func (k isa) String() string { return [...]string{"go", "avx2", "avx512"}[k] }

// available lists the versions that this machine supports, for tests.
func available() []isa {
	var list []isa
	for k := portable; k <= best; k++ {
		list = append(list, k)
	}
	return list
}

// The two precisions are compiled separately, so every test of is32 and every conversion below is resolved at
// compile time.

func is32[T Float]() bool {
	var t T
	return unsafe.Sizeof(t) == 4
}

func p32[T Float](s []T) *float32 { return (*float32)(unsafe.Pointer(unsafe.SliceData(s))) }
func p64[T Float](s []T) *float64 { return (*float64)(unsafe.Pointer(unsafe.SliceData(s))) }

func partial(k isa, mask []uint32, c, q []float64, t float64, y []float64, rows []*float64, a, b, scratch []float64) {
	n := len(y)
	if n < 32 || len(rows) == 0 || k == portable {
		partialGo(mask, c, q, t, y, rows, a, b, scratch)
		return
	}
	if k == avx512 {
		partialF64AVX512(&mask[0], &c[0], &q[0], t, &y[0], &rows[0], len(rows), &a[0], &b[0], &scratch[0], n)
	} else {
		partialF64AVX2(&mask[0], &c[0], &q[0], t, &y[0], &rows[0], len(rows), &a[0], &b[0], &scratch[0], n)
	}
	// The last group overlaps the previous one.
	if rest := n % 32; rest != 0 {
		mask[n/32] >>= 32 - rest
	}
}

func coarse(k isa, mask []uint64, t, near, most float32, y []int16, rows []*int16, a, b, scratch []float32) {
	var pr **int16
	if len(rows) > 0 {
		pr = &rows[0]
	}
	switch k {
	case avx512:
		coarseF32AVX512(&mask[0], t, near, most, &y[0], pr, len(rows), p32(a), p32(b), p32(scratch), len(y))
	case avx2:
		coarseF32AVX2(&mask[0], t, near, most, &y[0], pr, len(rows), p32(a), p32(b), p32(scratch), len(y))
	default:
		coarseGo(mask, t, near, most, y, rows, a, b, scratch)
	}
}

func centre(k isa, dst, x, ref, sum, lo, hi []float64) {
	switch k {
	case avx512:
		centreF64AVX512(&dst[0], &x[0], &ref[0], &sum[0], &lo[0], &hi[0], len(x)/len(ref), len(ref))
	case avx2:
		centreF64AVX2(&dst[0], &x[0], &ref[0], &sum[0], &lo[0], &hi[0], len(x)/len(ref), len(ref))
	default:
		centreGo(dst, x, ref, sum, lo, hi)
	}
}

func countBits(k isa, planes, table []uint64, width int, rows []uint32) {
	if k == portable || width < 4 {
		countBitsGo(planes, table, width, rows)
		return
	}
	countBitsAVX2(&planes[0], &table[0], width, &rows[0], len(rows), Planes(len(rows)))
}

func spreadBits(k isa, dst []uint8, planes []uint64, width, depth int) {
	if k == portable {
		spreadBitsGo(dst, planes, width, depth)
		return
	}
	spreadBitsAVX2(&dst[0], &planes[0], width, depth)
}
