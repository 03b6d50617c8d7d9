//go:build !noasm

package gemm

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// available reports whether the CPU has the instructions and the operating system saves the registers; package
// cpu checks both.
func (k Kernel) available() bool {
	switch k {
	case AVX512:
		return cpu.X86.HasAVX512F
	case AVX2:
		return cpu.X86.HasAVX2 && cpu.X86.HasFMA
	}
	return k == Portable
}

// runTile computes one tile of rows × vecs vectors; with pack it also copies B to t.pack.
func runTile[T Float](k Kernel, t *tile[T], rows, vecs int, pack bool) {
	switch {
	case k == AVX512 && unsafe.Sizeof(t.alpha) == 8:
		avx512f64((*tile[float64])(unsafe.Pointer(t)), rows, vecs, pack)
	case k == AVX512:
		avx512f32((*tile[float32])(unsafe.Pointer(t)), rows, vecs, pack)
	case unsafe.Sizeof(t.alpha) == 8:
		avx2f64((*tile[float64])(unsafe.Pointer(t)), rows, vecs, pack)
	default:
		avx2f32((*tile[float32])(unsafe.Pointer(t)), rows, vecs, pack)
	}
}

// transposeBlocks transposes square blocks of vector width. They are adjacent along the rows of src and down
// the columns of dst.
func transposeBlocks[T Float](k Kernel, dst unsafe.Pointer, rowDst uintptr, src unsafe.Pointer, rowSrc uintptr, blocks int) {
	var x T
	switch {
	case k == AVX512 && unsafe.Sizeof(x) == 8:
		avx512f64transpose(dst, rowDst, src, rowSrc, blocks)
	case k == AVX512:
		avx512f32transpose(dst, rowDst, src, rowSrc, blocks)
	case unsafe.Sizeof(x) == 8:
		avx2f64transpose(dst, rowDst, src, rowSrc, blocks)
	default:
		avx2f32transpose(dst, rowDst, src, rowSrc, blocks)
	}
}
