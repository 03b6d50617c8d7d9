package gemm

import "unsafe"

// With a transposed A, a tile reads a short piece of each row. If the rows are pages apart, every piece needs a
// TLB entry, and hardware prefetch does not work. Then the pieces of stripTiles tiles are first copied
// together, if A exceeds the L2 cache and enough panels of B read the copy. At d = 1000 this makes Aᵀ·B 1.1
// times faster.
const (
	stripTiles  = 8
	stripBytes  = stripTiles*8*8 + 64 // per step; the last 64 bytes spread the steps over cache sets
	stripStride = 2048                // smallest distance between rows of A in bytes
	stripFrom   = 2 << 20             // smallest size of A in bytes
	stripPanels = 4
)

func (p *product[T]) wantStrips(panels int) bool {
	size := int(unsafe.Sizeof(p.alpha))
	return p.transA && p.lda*size >= stripStride && p.m*p.k*size >= stripFrom && panels >= stripPanels
}

// strip returns the position of tile i of op(A), steps l0 … l1-1, in mem.strip. It copies the strip at its
// first tile.
func (p *product[T]) strip(mem *scratch, s split, i, l0, l1 int) unsafe.Pointer {
	first := i - i%stripTiles
	i0 := share(first, p.m, s.tiles)
	if i == first {
		n := share(min(first+stripTiles, s.tiles), p.m, s.tiles) - i0
		dst := values[T](mem.strip[:])
		for l := range l1 - l0 {
			copy(dst[l*(stripBytes/s.size):][:n], p.a[(l0+l)*p.lda+i0:])
		}
	}
	return unsafe.Pointer(&mem.strip[(share(i, p.m, s.tiles)-i0)*s.size])
}
