package gemm

import "unsafe"

// packTransposed writes rows l0 … l0+k-1 and columns j0 … j1-1 of Bᵀ to dst, whose rows are
// width long. The rest of a row becomes zero: the kernels compute with it, though they do not
// store what comes out, and denormal numbers would slow them down.
//
// Square blocks go through registers. The last block of a row or column is moved back to
// overlap its neighbour, so that nothing is left over if the panel holds one block at all.
func (p *product[T]) packTransposed(dst []T, width, l0, k, j0, j1 int) {
	_, vector := p.kern.shape()
	size := int(unsafe.Sizeof(p.alpha))
	n := vector / size
	if j1-j0 < width {
		for l := range k {
			clear(dst[l*width+j1-j0 : (l+1)*width])
		}
	}
	src := p.b[j0*p.ldb+l0:]
	if k < n || j1-j0 < n {
		for j := range j1 - j0 {
			for l, v := range src[j*p.ldb:][:k] {
				dst[l*width+j] = v
			}
		}
		return
	}
	rowDst, rowSrc := uintptr(width*size), uintptr(p.ldb*size)
	for j := 0; j < j1-j0; j += n {
		j := min(j, j1-j0-n)
		transposeBlocks[T](p.kern, unsafe.Pointer(&dst[j]), rowDst, unsafe.Pointer(&src[j*p.ldb]), rowSrc, k/n)
		if k%n != 0 {
			l := k - n
			transposeBlocks[T](p.kern, unsafe.Pointer(&dst[l*width+j]), rowDst, unsafe.Pointer(&src[j*p.ldb+l]), rowSrc, 1)
		}
	}
}
