package gemm

import (
	"fmt"
	"unsafe"
)

// Packed is a matrix B for many products. It is packed once, possibly by several threads, and then multiplied
// from the left by rows of A,
//
//	p.Resize(k, n)
//	p.Pack(l0, l1, b, ldb)                // rows l0 … l1-1 of B; each row once
//	p.Mul(rows, a, lda, beta, c, ldc)     // C = A·B + beta·C, some rows of it
//
// C has the same bytes as with Gemm. The zero value is ready for Resize.
type Packed[T Float] struct {
	kern   Kernel
	k, n   int
	split  split
	data   []T
	blocks []packedBlock
}

// packedBlock is a block of panels, steps l0 … l1-1.
type packedBlock struct {
	l0, l1 int
	panels []panel
}

// Resize prepares for a B of k rows and n columns, whose content is then undefined.
func (p *Packed[T]) Resize(k, n int) {
	if is32[T]() {
		resize32((*Packed[float32])(unsafe.Pointer(p)), Active(), k, n)
	} else {
		resize64((*Packed[float64])(unsafe.Pointer(p)), Active(), k, n)
	}
}

func resize[T Float](p *Packed[T], kern Kernel, k, n int) {
	if k <= 0 || n <= 0 {
		panic(fmt.Sprintf("gemm: Packed of %d×%d, want at least one entry", k, n))
	}
	if p.kern == kern && p.k == k && p.n == n && p.data != nil {
		return
	}
	p.kern, p.k, p.n, p.blocks = kern, k, n, nil
	if kern == Portable {
		p.data = make([]T, k*n)
		return
	}
	q := product[T]{kern: kern, m: 1, n: n, k: k}
	s := q.split()
	p.split = s
	p.data = aligned[T](k * s.vecs * s.lanes) // zero; the padding of the last vector reaches no result, so Memory may be overwritten
	at := 0
	for block := range s.blocks {
		p0, p1 := share(block, s.panels, s.blocks), share(block+1, s.panels, s.blocks)
		for step := range s.steps {
			b := packedBlock{l0: share(step, k, s.steps), l1: share(step+1, k, s.steps), panels: make([]panel, p1-p0)}
			for i := range b.panels {
				b.panels[i] = q.panel(s, p0+i)
				b.panels[i].packed = unsafe.Pointer(&p.data[at])
				at += b.panels[i].vecs * s.lanes * (b.l1 - b.l0)
			}
			p.blocks = append(p.blocks, b)
		}
	}
}

// aligned returns n zeros that start on a cache line.
func aligned[T Float](n int) []T {
	var x T
	size := int(unsafe.Sizeof(x))
	buf := make([]T, n+64/size)
	skip := (64 - int(uintptr(unsafe.Pointer(&buf[0]))%64)) % 64 / size
	return buf[skip:][:n]
}

// Pack copies rows l0 … l1-1 of B; b starts with the first of them.
func (p *Packed[T]) Pack(l0, l1 int, b []T, ldb int) {
	if is32[T]() {
		pack32((*Packed[float32])(unsafe.Pointer(p)), l0, l1, as[float32](b), ldb)
	} else {
		pack64((*Packed[float64])(unsafe.Pointer(p)), l0, l1, as[float64](b), ldb)
	}
}

func pack[T Float](p *Packed[T], l0, l1 int, b []T, ldb int) {
	if l0 < 0 || l1 > p.k {
		panic(fmt.Sprintf("gemm: rows %d to %d of a Packed with %d", l0, l1, p.k))
	}
	checkMatrix("B", false, l1-l0, p.n, len(b), ldb)
	if p.kern == Portable {
		for l := l0; l < l1; l++ {
			copy(p.data[l*p.n:][:p.n], b[(l-l0)*ldb:])
		}
		return
	}
	size := p.split.size
	var zero T
	var row [maxVecs * 64]byte
	// The kernels for a tile of one row copy B while reading it. Their result, zero times these rows, is not
	// used.
	t := tile[T]{a: unsafe.Pointer(&zero), stepB: uintptr(ldb * size), c: unsafe.Pointer(&row), alpha: 1}
	t.next = uintptr(t.c)
	for i := range p.blocks {
		q := &p.blocks[i]
		first, end := max(l0, q.l0), min(l1, q.l1)
		if t.k = end - first; t.k <= 0 {
			continue
		}
		for j := range q.panels {
			to := &q.panels[j]
			t.b = unsafe.Pointer(&b[(first-l0)*ldb+to.column/size])
			t.pack = unsafe.Add(to.packed, (first-q.l0)*to.vecs*p.split.vector)
			t.mask = to.mask
			runTile(p.kern, &t, 1, to.vecs, true)
		}
	}
}

// Memory returns n values of p's memory, n ≤ k·n of Resize, for reuse after the last product with the packed
// matrix. This saves a matrix in the caches. After writing to it, the matrix must be packed again.
func (p *Packed[T]) Memory(n int) []T { return p.data[:n:n] }

// Mul computes the given number of rows of C = A·B + beta·C on the calling thread. With beta == 0 C is not
// read.
func (p *Packed[T]) Mul(rows int, a []T, lda int, beta T, c []T, ldc int) {
	if is32[T]() {
		mul32((*Packed[float32])(unsafe.Pointer(p)), rows, as[float32](a), lda, float32(beta), as[float32](c), ldc)
	} else {
		mul64((*Packed[float64])(unsafe.Pointer(p)), rows, as[float64](a), lda, float64(beta), as[float64](c), ldc)
	}
}

func mul[T Float](p *Packed[T], rows int, a []T, lda int, beta T, c []T, ldc int) {
	checkMatrix("A", false, rows, p.k, len(a), lda)
	checkMatrix("C", false, rows, p.n, len(c), ldc)
	if rows <= 0 {
		return
	}
	if p.kern == Portable {
		q := product[T]{kern: p.kern, m: rows, n: p.n, k: p.k, alpha: 1, a: a, lda: lda, b: p.data, ldb: p.n, beta: beta, c: c, ldc: ldc}
		q.runPortable()
		return
	}
	size, height := p.split.size, p.split.rows
	t := tile[T]{rowA: uintptr(lda * size), stepA: uintptr(size), rowC: uintptr(ldc * size), alpha: 1, beta: beta}
	for i := range p.blocks {
		q := &p.blocks[i]
		t.k = q.l1 - q.l0
		if t.beta = 1; q.l0 == 0 {
			t.beta = beta
		}
		for i0 := 0; i0 < rows; i0 += height {
			t.a = unsafe.Pointer(&a[i0*lda+q.l0])
			row := unsafe.Pointer(&c[i0*ldc])
			n := min(height, rows-i0)
			var next lookahead
			if rows > StripTile && t.k >= prefetchK {
				t.rounds = n
				if i0+height < rows {
					next = lookAlong(&t, n, size)
				}
			}
			for j := range q.panels {
				x := &q.panels[j]
				t.c = unsafe.Add(row, x.column)
				t.b, t.stepB, t.mask = x.packed, uintptr(x.vecs*p.split.vector), x.mask
				t.next, t.stepNext = next.take(t.rounds, uintptr(t.c))
				runTile(p.kern, &t, n, x.vecs, false)
			}
		}
	}
}

// secondCache is the largest size of a packed matrix that is expected to stay in the L2 cache.
const secondCache = 3 << 18

// StripTile is the unit of strips of rows, the height of the highest tile of a kernel. Sums over rows should be
// computed tile by tile, so that their bytes depend only on the number of rows.
const StripTile = 8

// Strips have leastStrip to mostStrip rows if the packed matrix does not fit in the L2 cache, because it is
// loaded once per strip. Higher strips save loads until they leave the L2 cache themselves. Lower ones give at
// least stripsAll strips, and stripsEach per thread, for balance.
const (
	leastStrip = 32
	mostStrip  = 128
	stripsAll  = 8
	stripsEach = 4
)

// Strip returns the number of rows to process at a time, out of m rows of a product with a packed k×n matrix.
// It is one tile if the matrix fits in the L2 cache, and more otherwise.
func Strip[T Float](m, k, n, threads int) int {
	var x T
	if k*n*int(unsafe.Sizeof(x)) <= secondCache {
		return StripTile
	}
	tiles := ceilDiv(ceilDiv(m, max(stripsAll, stripsEach*threads)), StripTile)
	return min(max(tiles*StripTile, leastStrip), mostStrip)
}
