package gemm

import (
	"fmt"
	"unsafe"
)

// Transpose copies the rows×cols matrix src to dst with rows and columns exchanged,
//
//	dst[j*ldd+i] = src[i*lds+j],
//
// in square blocks held in registers. dst must not overlap src.
func Transpose[T Float](rows, cols int, dst []T, ldd int, src []T, lds int) {
	if is32[T]() {
		transpose32(rows, cols, as[float32](dst), ldd, as[float32](src), lds)
	} else {
		transpose64(rows, cols, as[float64](dst), ldd, as[float64](src), lds)
	}
}

func transpose[T Float](rows, cols int, dst []T, ldd int, src []T, lds int) {
	if rows < 0 || cols < 0 || ldd < rows || lds < cols {
		panic(fmt.Sprintf("gemm: Transpose of %d×%d with strides %d and %d", rows, cols, ldd, lds))
	}
	if rows == 0 || cols == 0 {
		return
	}
	// Check the last entries of both, so that no block can exceed them.
	_, _ = dst[(cols-1)*ldd+rows-1], src[(rows-1)*lds+cols-1]
	transposeWith(Active(), rows, cols, dst, ldd, src, lds)
}

// transposeWith is Transpose with a given kernel. The last block of a row or column overlaps its neighbor, so
// that nothing is left over if the matrix holds at least one block.
func transposeWith[T Float](kern Kernel, rows, cols int, dst []T, ldd int, src []T, lds int) {
	_, vector := kern.shape()
	size := int(unsafe.Sizeof(dst[0]))
	n := vector / size
	if kern == Portable || rows < n || cols < n {
		for i := range rows {
			for j, v := range src[i*lds:][:cols] {
				dst[j*ldd+i] = v
			}
		}
		return
	}
	rowDst, rowSrc := uintptr(ldd*size), uintptr(lds*size)
	for i := 0; i < rows; i += n {
		i := min(i, rows-n)
		transposeBlocks[T](kern, unsafe.Pointer(&dst[i]), rowDst, unsafe.Pointer(&src[i*lds]), rowSrc, cols/n)
		if cols%n != 0 {
			j := cols - n
			transposeBlocks[T](kern, unsafe.Pointer(&dst[j*ldd+i]), rowDst, unsafe.Pointer(&src[i*lds+j]), rowSrc, 1)
		}
	}
}

// packTransposed writes rows l0 … l0+k-1 and columns j0 … j1-1 of Bᵀ to dst, whose rows have length width. The
// rest of a row becomes zero, because the kernels compute with it and denormal numbers would slow them down.
func (p *product[T]) packTransposed(dst []T, width, l0, k, j0, j1 int) {
	if j1-j0 < width {
		for l := range k {
			clear(dst[l*width+j1-j0 : (l+1)*width])
		}
	}
	transposeWith(p.kern, j1-j0, k, dst, width, p.b[j0*p.ldb+l0:], p.ldb)
}
