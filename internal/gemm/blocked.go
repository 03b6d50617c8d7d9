package gemm

import "unsafe"

// split defines how a product is divided for the vector kernels: k into steps, the rows of C into tiles, the
// vectors of a row into panels and those into blocks, each evenly.
type split struct {
	size   int // bytes of a value
	lanes  int // values in a vector
	vector int // bytes of a vector
	rows   int // most rows per tile
	steps  int
	tiles  int
	vecs   int
	panels int
	blocks int
	strips bool // copy Aᵀ in strips
}

func (p *product[T]) split() split {
	rows, vector := p.kern.shape()
	s := split{size: int(unsafe.Sizeof(p.alpha)), vector: vector, rows: rows}
	s.lanes = vector / s.size
	s.steps = ceilDiv(p.k, blockK)
	s.tiles = ceilDiv(p.m, rows)
	s.vecs = ceilDiv(p.n, s.lanes)
	s.panels = ceilDiv(s.vecs, maxVecs)
	s.blocks = ceilDiv(s.panels, blockPanels)
	s.strips = p.wantStrips(s.panels)
	return s
}

// panel is at most maxVecs vectors of the columns of C and B.
type panel struct {
	vecs   int
	whole  bool           // its last vector needs no mask
	mask   uintptr        // mask of its last vector
	b      unsafe.Pointer // its first row in B
	packed unsafe.Pointer // its position in the block
	column int            // byte offset in a row of C
}

// runSplit computes the product by a vector kernel. A block of panels of B stays in the L2 cache while the
// tiles of A pass, and each tile stays in the L1 cache while it meets the panels. So C is written along its
// rows.
func (p *product[T]) runSplit(s split) {
	mem := scratches.Get().(*scratch)
	var list [blockPanels]panel
	for block := range s.blocks {
		p0, p1 := share(block, s.panels, s.blocks), share(block+1, s.panels, s.blocks)
		for step := range s.steps {
			l0, l1 := share(step, p.k, s.steps), share(step+1, p.k, s.steps)
			panels := list[:p1-p0]
			p.setPanels(panels, s, mem, p0, l0, l1)
			p.runBlock(panels, s, mem, l0, l1)
		}
	}
	scratches.Put(mem)
}

// setPanels describes the panels from p0 on for steps l0 … l1-1, and packs them if B is transposed. Otherwise
// the first tile packs them.
func (p *product[T]) setPanels(panels []panel, s split, mem *scratch, p0, l0, l1 int) {
	packed := 0
	for i := range panels {
		panels[i] = p.panel(s, p0+i)
		q := &panels[i]
		q.packed = unsafe.Pointer(&mem.block[packed])
		j0 := q.column / s.size
		if p.transB {
			j1 := min(j0+q.vecs*s.lanes, p.n)
			p.packTransposed(values[T](mem.block[packed:]), q.vecs*s.lanes, l0, l1-l0, j0, j1)
		} else {
			q.b = unsafe.Pointer(&p.b[l0*p.ldb+j0])
		}
		packed += q.vecs * s.vector * (l1 - l0)
	}
}

// panel describes panel i except for its position.
func (p *product[T]) panel(s split, i int) panel {
	v0, v1 := share(i, s.vecs, s.panels), share(i+1, s.vecs, s.panels)
	j1 := min(v1*s.lanes, p.n)
	return panel{
		vecs: v1 - v0, whole: j1 == v1*s.lanes, mask: p.kern.lastMask(j1-(v1-1)*s.lanes, s.size), column: v0 * s.lanes * s.size,
	}
}

// runBlock computes steps l0 … l1-1 of the given panels of C, one tile of A after the other.
func (p *product[T]) runBlock(panels []panel, s split, mem *scratch, l0, l1 int) {
	t := tile[T]{k: l1 - l0, rowC: uintptr(p.ldc * s.size), alpha: p.alpha, beta: 1}
	if l0 == 0 {
		t.beta = p.beta
	}
	t.rowA, t.stepA = uintptr(p.lda*s.size), uintptr(s.size)
	if p.transA {
		t.rowA, t.stepA = t.stepA, t.rowA
	}
	first := unsafe.Add(unsafe.Pointer(unsafe.SliceData(p.a)), l0*int(t.stepA))
	for i := range s.tiles {
		i0, i1 := share(i, p.m, s.tiles), share(i+1, p.m, s.tiles)
		var next lookahead
		if s.strips {
			t.a, t.stepA = p.strip(mem, s, i, l0, l1), stripBytes
		} else {
			t.a = unsafe.Add(first, i0*int(t.rowA))
			if i+1 < s.tiles {
				if next = lookAlong(&t, i1-i0, s.size); p.transA {
					next.row, next.rows, next.bytes = t.stepA, t.k, prefetchBytes
				}
			}
		}
		if t.k >= prefetchK {
			t.rounds = i1 - i0
		}
		p.runRow(&t, panels, s, next, i0, i1)
	}
}

// runRow computes one tile, rows i0 … i1-1, of every panel. The first row packs B while reading it. A product
// of one row reads B in place and packs only if it needs a mask.
func (p *product[T]) runRow(t *tile[T], panels []panel, s split, next lookahead, i0, i1 int) {
	row := unsafe.Pointer(&p.c[i0*p.ldc])
	inPlace := i0 == 0 && !p.transB
	for j := range panels {
		q := &panels[j]
		t.c = unsafe.Add(row, q.column)
		t.mask = q.mask
		t.next, t.stepNext = next.take(t.rounds, uintptr(t.c))
		if inPlace {
			t.b, t.stepB, t.pack = q.b, uintptr(p.ldb*s.size), q.packed
		} else {
			t.b, t.stepB = q.packed, uintptr(q.vecs*s.vector)
		}
		runTile(p.kern, t, i1-i0, q.vecs, inPlace && (s.tiles > 1 || !q.whole))
	}
}
