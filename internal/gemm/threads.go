package gemm

import "unsafe"

// minPart is the smallest work m·n·k of one thread's part; with less, handing it over costs more than it saves.
// minApart is the same if the helpers are busy and threads must be started.
const (
	minPart  = 300_000   // 2 · 300,000 = 84³
	minApart = 4_000_000 // 2 · 4e6 = 200³
)

// Threads returns how many of the given threads to use for a number of multiplications.
func Threads(threads int, work float64) int {
	if threads <= 1 {
		return 1
	}
	least := float64(minPart)
	if helpers.busy.Load() {
		least = minApart
	}
	return max(1, int(min(float64(threads), mostHelpers+1, work/least)))
}

// runParallel divides C, never k, into parts of whole tiles and computes them concurrently.
func (p *product[T]) runParallel(parts int) {
	rows, cols := p.unit()
	tiles, vecs := ceilDiv(p.m, rows), ceilDiv(p.n, cols)
	r, c := grid(parts, tiles, vecs)
	Share(parts, r*c, func(part int) {
		i, j := part/c, part%c
		p.part(
			rows*share(i, tiles, r), min(p.m, rows*share(i+1, tiles, r)),
			cols*share(j, vecs, c), min(p.n, cols*share(j+1, vecs, c))).run()
	})
}

// unit returns the rows and columns of C that must stay together.
func (p *product[T]) unit() (rows, cols int) {
	if p.kern == Portable {
		return portableRows, portableCols
	}
	rows, vector := p.kern.shape()
	return rows, vector / int(unsafe.Sizeof(p.alpha))
}

// grid returns the division of the tiles of a column and the vectors of a row into at most parts parts with the
// smallest largest part. Among equals it divides columns first, because a division of the rows packs B twice.
func grid(parts, tiles, vecs int) (rows, cols int) {
	least := tiles*vecs + 1
	for r := 1; r <= min(parts, tiles); r++ {
		c := min(parts/r, vecs)
		if work := ceilDiv(tiles, r) * ceilDiv(vecs, c); work < least {
			least, rows, cols = work, r, c
		}
	}
	return rows, cols
}

// part returns the product restricted to rows i0 … i1-1 and columns j0 … j1-1 of C.
func (p *product[T]) part(i0, i1, j0, j1 int) *product[T] {
	q := *p
	q.m, q.n = i1-i0, j1-j0
	if p.transA {
		q.a = p.a[i0:]
	} else {
		q.a = p.a[i0*p.lda:]
	}
	if p.transB {
		q.b = p.b[j0*p.ldb:]
	} else {
		q.b = p.b[j0:]
	}
	q.c = p.c[i0*p.ldc+j0:]
	return &q
}
