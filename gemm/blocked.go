package gemm

import (
	"sync"
	"unsafe"
)

// blockK is the most rows of B in a panel: 3 vectors of 64 bytes by 256 are 48 KiB.
// blockM is the most rows of A that a panel meets before the next: A is then read from the
// second cache.
const (
	blockK = 256
	blockM = 512
)

// panel is the packed part of B that the tiles of a block share: a row is at most maxVecs
// vectors, padded with zeros.
type panel [blockK*maxVecs*64 + 64]byte

// aligned returns the first byte of the panel on a cache line.
func (p *panel) aligned() unsafe.Pointer {
	return unsafe.Pointer(&p[-uintptr(unsafe.Pointer(p))%64])
}

// panels holds no result, only memory: which panel a call gets changes nothing.
var panels = sync.Pool{New: func() any { return new(panel) }}

// share returns where part i of n things split evenly over parts begins; the first part is
// among the largest.
func share(i, n, parts int) int { return (i*n + parts - 1) / parts }

// runTiles computes the product by the assembly kernels.
func (p *product[T]) runTiles() {
	rows, vector := p.kern.shape()
	size := int(unsafe.Sizeof(p.alpha))
	lanes := vector / size

	t := tile[T]{rowA: uintptr(p.lda * size), stepA: uintptr(size), rowC: uintptr(p.ldc * size), alpha: p.alpha}
	if p.transA {
		t.rowA, t.stepA = t.stepA, t.rowA
	}
	vecs := (p.n + lanes - 1) / lanes
	widths := (vecs + maxVecs - 1) / maxVecs
	tiles := (p.m + rows - 1) / rows
	blocks := (p.m + blockM - 1) / blockM
	steps := (p.k + blockK - 1) / blockK

	buf := panels.Get().(*panel)
	packed := buf.aligned()
	a, b, c := unsafe.Pointer(unsafe.SliceData(p.a)), unsafe.Pointer(unsafe.SliceData(p.b)), unsafe.Pointer(unsafe.SliceData(p.c))
	for s := range steps {
		l0 := share(s, p.k, steps)
		t.k = share(s+1, p.k, steps) - l0
		t.beta = 1
		if s == 0 {
			t.beta = p.beta
		}
		for block := range blocks {
			t0, t1 := share(block, tiles, blocks), share(block+1, tiles, blocks)
			for w := range widths {
				v0, v1 := share(w, vecs, widths), share(w+1, vecs, widths)
				j0, j1 := v0*lanes, min(v1*lanes, p.n)
				t.mask = p.kern.lastMask(j1-(v1-1)*lanes, size)
				stepPacked := uintptr((v1 - v0) * vector)
				pack := false
				if p.transB {
					packTransposed((*T)(packed), (v1-v0)*lanes, p.b, p.ldb, l0, t.k, j0, j1)
					t.b, t.stepB = packed, stepPacked
				} else {
					t.b, t.stepB = unsafe.Add(b, (l0*p.ldb+j0)*size), uintptr(p.ldb*size)
					pack = t1-t0 > 1
					t.pack = packed
				}
				for i := t0; i < t1; i++ {
					i0, i1 := share(i, p.m, tiles), share(i+1, p.m, tiles)
					t.a = unsafe.Add(a, i0*int(t.rowA)+l0*int(t.stepA))
					t.c = unsafe.Add(c, (i0*p.ldc+j0)*size)
					runTile(p.kern, &t, i1-i0, v1-v0, pack)
					if pack {
						pack = false
						t.b, t.stepB = packed, stepPacked
					}
				}
			}
		}
	}
	panels.Put(buf)
}

// packTransposed writes rows l0 … l0+k-1 and columns j0 … j1-1 of Bᵀ to dst, whose rows are
// width long; the rest of a row becomes zero.
func packTransposed[T Float](dst *T, width int, b []T, ldb, l0, k, j0, j1 int) {
	out := unsafe.Slice(dst, k*width)
	for j := range width {
		if j0+j >= j1 {
			for l := range k {
				out[l*width+j] = 0
			}
			continue
		}
		row := b[(j0+j)*ldb+l0:][:k]
		for l, v := range row {
			out[l*width+j] = v
		}
	}
}
