//go:build amd64 && !noasm

package vec

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// An isa chooses the version of the kernels: an instruction set.
type isa uint8

const (
	portable isa = iota
	avx2
	avx512
)

// best is the fastest version for this processor; it never changes.
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

// available lists the versions that this machine can run, for tests.
func available() []isa {
	var list []isa
	for k := portable; k <= best; k++ {
		list = append(list, k)
	}
	return list
}

// The two precisions are compiled apart, so every test of is32 and every conversion below is
// resolved at compile time.

func is32[T Float]() bool {
	var t T
	return unsafe.Sizeof(t) == 4
}

func p32[T Float](s []T) *float32 { return (*float32)(unsafe.Pointer(unsafe.SliceData(s))) }
func p64[T Float](s []T) *float64 { return (*float64)(unsafe.Pointer(unsafe.SliceData(s))) }

func axpy[T Float](k isa, y []T, a T, x []T) {
	switch {
	case k == avx512 && is32[T]():
		axpyF32AVX512(p32(y), float32(a), p32(x), len(x))
	case k == avx512:
		axpyF64AVX512(p64(y), float64(a), p64(x), len(x))
	case k == avx2 && is32[T]():
		axpyF32AVX2(p32(y), float32(a), p32(x), len(x))
	case k == avx2:
		axpyF64AVX2(p64(y), float64(a), p64(x), len(x))
	default:
		axpyGo(y, a, x)
	}
}

func scale[T Float](k isa, dst []T, a T, x []T) {
	switch {
	case k == avx512 && is32[T]():
		scaleF32AVX512(p32(dst), float32(a), p32(x), len(x))
	case k == avx512:
		scaleF64AVX512(p64(dst), float64(a), p64(x), len(x))
	case k == avx2 && is32[T]():
		scaleF32AVX2(p32(dst), float32(a), p32(x), len(x))
	case k == avx2:
		scaleF64AVX2(p64(dst), float64(a), p64(x), len(x))
	default:
		scaleGo(dst, a, x)
	}
}

func square[T Float](k isa, dst, x []T) {
	switch {
	case k == avx512 && is32[T]():
		squareF32AVX512(p32(dst), p32(x), len(x))
	case k == avx512:
		squareF64AVX512(p64(dst), p64(x), len(x))
	case k == avx2 && is32[T]():
		squareF32AVX2(p32(dst), p32(x), len(x))
	case k == avx2:
		squareF64AVX2(p64(dst), p64(x), len(x))
	default:
		squareGo(dst, x)
	}
}

func lin3[T Float](k isa, dst []T, a T, x []T, b T, y []T, c T, z []T) {
	switch {
	case k == avx512 && is32[T]():
		lin3F32AVX512(p32(dst), float32(a), p32(x), float32(b), p32(y), float32(c), p32(z), len(x))
	case k == avx512:
		lin3F64AVX512(p64(dst), float64(a), p64(x), float64(b), p64(y), float64(c), p64(z), len(x))
	case k == avx2 && is32[T]():
		lin3F32AVX2(p32(dst), float32(a), p32(x), float32(b), p32(y), float32(c), p32(z), len(x))
	case k == avx2:
		lin3F64AVX2(p64(dst), float64(a), p64(x), float64(b), p64(y), float64(c), p64(z), len(x))
	default:
		lin3Go(dst, a, x, b, y, c, z)
	}
}

func ladder[T Float](k isa, d0, d1, d2, d3 []T, a T, x []T, b T, y []T, c T, z []T, step T) {
	switch {
	case k == avx512 && is32[T]():
		ladderF32AVX512(p32(d0), p32(d1), p32(d2), p32(d3), float32(a), p32(x), float32(b), p32(y), float32(c), p32(z), float32(step), len(x))
	case k == avx512:
		ladderF64AVX512(p64(d0), p64(d1), p64(d2), p64(d3), float64(a), p64(x), float64(b), p64(y), float64(c), p64(z), float64(step), len(x))
	case k == avx2 && is32[T]():
		ladderF32AVX2(p32(d0), p32(d1), p32(d2), p32(d3), float32(a), p32(x), float32(b), p32(y), float32(c), p32(z), float32(step), len(x))
	case k == avx2:
		ladderF64AVX2(p64(d0), p64(d1), p64(d2), p64(d3), float64(a), p64(x), float64(b), p64(y), float64(c), p64(z), float64(step), len(x))
	default:
		ladderGo(d0, d1, d2, d3, a, x, b, y, c, z, step)
	}
}

func dot[T Float](k isa, x, y []T) float64 {
	switch {
	case k == avx512 && is32[T]():
		return dotF32AVX512(p32(x), p32(y), len(x))
	case k == avx512:
		return dotF64AVX512(p64(x), p64(y), len(x))
	case k == avx2 && is32[T]():
		return dotF32AVX2(p32(x), p32(y), len(x))
	case k == avx2:
		return dotF64AVX2(p64(x), p64(y), len(x))
	default:
		return dotGo(x, y)
	}
}

func chainRule[T Float](k isa, dst, w, p []T) float64 {
	switch {
	case k == avx512 && is32[T]():
		return chainRuleF32AVX512(p32(dst), p32(w), p32(p), len(w))
	case k == avx512:
		return chainRuleF64AVX512(p64(dst), p64(w), p64(p), len(w))
	case k == avx2 && is32[T]():
		return chainRuleF32AVX2(p32(dst), p32(w), p32(p), len(w))
	case k == avx2:
		return chainRuleF64AVX2(p64(dst), p64(w), p64(p), len(w))
	default:
		return chainRuleGo(dst, w, p)
	}
}

func addL1[T Float](k isa, g []T, lambda T, w []T) float64 {
	switch {
	case k == avx512 && is32[T]():
		return addL1F32AVX512(p32(g), float32(-lambda), p32(w), len(w))
	case k == avx512:
		return addL1F64AVX512(p64(g), float64(-lambda), p64(w), len(w))
	case k == avx2 && is32[T]():
		return addL1F32AVX2(p32(g), float32(-lambda), p32(w), len(w))
	case k == avx2:
		return addL1F64AVX2(p64(g), float64(-lambda), p64(w), len(w))
	default:
		return addL1Go(g, lambda, w)
	}
}

func adam[T Float](k isa, w []T, a T, x []T, b T, y, m, v []T, p adamStep[T]) {
	n := len(w)
	switch {
	case k == avx512 && is32[T]():
		adamF32AVX512(p32(w), p32(x), p32(y), p32(m), p32(v), n, float32(a), float32(b), float32(p.beta1), float32(p.comp1),
			float32(p.beta2), float32(p.comp2), float32(p.step), float32(p.root), float32(p.eps))
	case k == avx512:
		adamF64AVX512(p64(w), p64(x), p64(y), p64(m), p64(v), n, float64(a), float64(b), float64(p.beta1), float64(p.comp1),
			float64(p.beta2), float64(p.comp2), float64(p.step), float64(p.root), float64(p.eps))
	case k == avx2 && is32[T]():
		adamF32AVX2(p32(w), p32(x), p32(y), p32(m), p32(v), n, float32(a), float32(b), float32(p.beta1), float32(p.comp1),
			float32(p.beta2), float32(p.comp2), float32(p.step), float32(p.root), float32(p.eps))
	case k == avx2:
		adamF64AVX2(p64(w), p64(x), p64(y), p64(m), p64(v), n, float64(a), float64(b), float64(p.beta1), float64(p.comp1),
			float64(p.beta2), float64(p.comp2), float64(p.step), float64(p.root), float64(p.eps))
	default:
		adamGo(w, a, x, b, y, m, v, p)
	}
}

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
	// The last group was moved back to end at n.
	if rest := n % 32; rest != 0 {
		mask[n/32] >>= 32 - rest
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

func sweep[T Float](k isa, y, taken []T, s T) int {
	n, rest := len(taken), 1-s
	switch {
	case k == avx512 && is32[T]():
		return sweepF32AVX512(p32(y), p32(taken), float32(s), float32(rest), n)
	case k == avx512:
		return sweepF64AVX512(p64(y), p64(taken), float64(s), float64(rest), n)
	case k == avx2 && is32[T]():
		return sweepF32AVX2(p32(y), p32(taken), float32(s), float32(rest), n)
	case k == avx2:
		return sweepF64AVX2(p64(y), p64(taken), float64(s), float64(rest), n)
	default:
		return sweepGo(y, taken, s)
	}
}
