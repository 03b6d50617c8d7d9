package gemm

import "unsafe"

// tile is the argument of the assembly kernels, one tile of C:
//
//	C(i,j) = alpha·Σ_l A(i,l)·B(l,j) + beta·C(i,j), l = 0 … k-1.
//
// Strides are in bytes. packaging/asm/gemm depends on this layout.
type tile[T Float] struct {
	a        unsafe.Pointer
	rowA     uintptr // from A(i,l) to A(i+1,l)
	stepA    uintptr // from A(i,l) to A(i,l+1)
	b        unsafe.Pointer
	stepB    uintptr // from B(l,j) to B(l+1,j)
	c        unsafe.Pointer
	rowC     uintptr        // from C(i,j) to C(i+1,j)
	k        int            // > 0
	pack     unsafe.Pointer // where the packing kernels copy B
	next     uintptr        // prefetch address, one row at a time; need not be mapped
	stepNext uintptr
	rounds   int     // number of prefetch rounds; see packaging/asm/gemm
	mask     uintptr // mask of the last vector, in the kernel's format
	alpha    T
	beta     T
}

// maxVecs is the largest number of vectors in a row of a tile.
const maxVecs = 3

// shape returns the most rows of a tile and the bytes of a vector.
func (k Kernel) shape() (rows, vector int) {
	if k == AVX512 {
		return 8, 64
	}
	return 4, 32
}

// lastMask returns the mask for n lanes of size bytes in the last vector.
func (k Kernel) lastMask(n, size int) uintptr {
	if k == AVX512 {
		return 1<<n - 1
	}
	return uintptr(32 - n*size)
}
