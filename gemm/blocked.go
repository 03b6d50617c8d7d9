package gemm

import "unsafe"

// split says how a product is cut for the vector kernels: k into steps; the rows of C into
// tiles, and those into blocks; the vectors of a row into panels.
type split struct {
	size   int // bytes of a value
	lanes  int // values in a vector
	vector int // bytes of a vector
	steps  int
	tiles  int
	blocks int
	vecs   int
	panels int
	copyA  bool
}

func (p *product[T]) split() split {
	rows, vector := p.kern.shape()
	s := split{size: int(unsafe.Sizeof(p.alpha)), vector: vector}
	s.lanes = vector / s.size
	s.steps = ceilDiv(p.k, blockK)
	s.tiles = ceilDiv(p.m, rows)
	s.blocks = ceilDiv(s.tiles, blockM/rows)
	s.vecs = ceilDiv(p.n, s.lanes)
	s.panels = ceilDiv(s.vecs, maxVecs)
	s.copyA = p.lda*s.size >= copyStride && s.panels >= copyPanels
	return s
}

// A block of A is copied together if its rows lie about a page or more apart, so that the
// address cache would not hold them, and if enough panels of B pay for the copy.
const (
	copyStride = 4096
	copyPanels = 8
)

// runTiles computes the product by a vector kernel. For every block of A, which stays in the
// second cache, it passes over the panels of B, each of which stays in the first while all
// tiles of the block read it.
func (p *product[T]) runTiles() {
	s := p.split()
	mem := scratches.Get().(*scratch)
	t := tile[T]{rowC: uintptr(p.ldc * s.size), alpha: p.alpha}
	for step := range s.steps {
		l0, l1 := share(step, p.k, s.steps), share(step+1, p.k, s.steps)
		t.k = l1 - l0
		t.beta = 1
		if step == 0 {
			t.beta = p.beta
		}
		for block := range s.blocks {
			t0, t1 := share(block, s.tiles, s.blocks), share(block+1, s.tiles, s.blocks)
			a := p.placeA(&t, s, mem, share(t0, p.m, s.tiles), share(t1, p.m, s.tiles), l0)
			for panel := range s.panels {
				p.runPanel(&t, s, mem, panel, t0, t1, l0, a)
			}
		}
	}
	scratches.Put(mem)
}

// placeA sets the strides of A and returns where entry (i0, l0) is. It may copy the block of
// rows i0 … i1-1 and t.k steps.
func (p *product[T]) placeA(t *tile[T], s split, mem *scratch, i0, i1, l0 int) unsafe.Pointer {
	outer, inner := i1-i0, t.k // rows of A as it is stored, and their length
	from := i0*p.lda + l0
	if p.transA {
		outer, inner = inner, outer
		from = l0*p.lda + i0
	}
	at, stride := unsafe.Pointer(&p.a[from]), p.lda
	if s.copyA {
		// An odd number of cache lines spreads the rows over the sets of the cache.
		stride = (ceilDiv(inner*s.size, 64) | 1) * 64 / s.size
		block := values[T](mem.block[:])
		for i := range outer {
			copy(block[i*stride:][:inner], p.a[from+i*p.lda:])
		}
		at = unsafe.Pointer(&mem.block)
	}
	t.rowA, t.stepA = uintptr(stride*s.size), uintptr(s.size)
	if p.transA {
		t.rowA, t.stepA = t.stepA, t.rowA
	}
	return at
}

// runPanel computes tiles t0 … t1-1 of one panel of C. a points to the first tile's first
// row, at step l0. The panel of B is packed by the first tile on its way, unless there is
// but one tile.
func (p *product[T]) runPanel(t *tile[T], s split, mem *scratch, panel, t0, t1, l0 int, a unsafe.Pointer) {
	v0, v1 := share(panel, s.vecs, s.panels), share(panel+1, s.vecs, s.panels)
	j0, j1 := v0*s.lanes, min(v1*s.lanes, p.n)
	t.mask = p.kern.lastMask(j1-(v1-1)*s.lanes, s.size)

	packed, stepPacked := unsafe.Pointer(&mem.panel), uintptr((v1-v0)*s.vector)
	c := unsafe.Pointer(unsafe.SliceData(p.c))
	pack := false
	t.next, t.stepNext = uintptr(c), 0
	if p.transB {
		p.packTransposed(values[T](mem.panel[:]), (v1-v0)*s.lanes, l0, t.k, j0, j1)
		t.b, t.stepB = packed, stepPacked
	} else {
		t.b, t.stepB = unsafe.Pointer(&p.b[l0*p.ldb+j0]), uintptr(p.ldb*s.size)
		t.pack, pack = packed, t1-t0 > 1
		if panel+1 < s.panels {
			t.next, t.stepNext = uintptr(t.b)+uintptr((j1-j0)*s.size), t.stepB
		}
	}
	first, ahead := share(t0, p.m, s.tiles), 0
	for i := t0; i < t1; i++ {
		i0, i1 := share(i, p.m, s.tiles), share(i+1, p.m, s.tiles)
		t.a = unsafe.Add(a, (i0-first)*int(t.rowA))
		t.c = unsafe.Add(c, (i0*p.ldc+j0)*s.size)
		runTile(p.kern, t, i1-i0, v1-v0, pack)
		if pack {
			pack = false
			t.b, t.stepB = packed, stepPacked
		}
		// Each tile prefetches as many rows of the next panel as it has rows of C.
		t.next += uintptr(i1-i0) * t.stepNext
		if ahead += i1 - i0; ahead >= t.k {
			t.stepNext = 0
		}
	}
}
