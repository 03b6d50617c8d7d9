package gemm

// portableRows and portableCols are the tile of the portable kernel. 4×2 sums, two entries of B, one of A and
// one product fill 16 registers; 4×4 spills and is 2.5 times slower on amd64.
const (
	portableRows = 4
	portableCols = 2
)

// runPortable computes the product in plain Go. Blocks of A and panels of B are packed and padded with zeros to
// whole tiles and an even number of steps, so that one kernel without bounds checks does every tile. The
// position of an entry in its tile depends only on its position in C, so its bits do not depend on the number
// of threads, even if the compiler fuses operations.
func (p *product[T]) runPortable() {
	const rows = 128 // 256 KiB with blockK steps of 8 bytes
	mem := scratches.Get().(*scratch)
	steps := ceilDiv(p.k, blockK)
	for step := range steps {
		l0, l1 := share(step, p.k, steps), share(step+1, p.k, steps)
		k := (l1 - l0 + 1) &^ 1
		beta := T(1)
		if step == 0 {
			beta = p.beta
		}
		a := values[T](mem.block[:])
		b := a[rows*k:][:portableCols*k]
		for i0 := 0; i0 < p.m; i0 += rows {
			i1 := min(i0+rows, p.m)
			for i := i0; i < i1; i += portableRows {
				p.packA(a[(i-i0)*k:][:portableRows*k], i, l0, l1)
			}
			for j := 0; j < p.n; j += portableCols {
				p.packB(b, j, l0, l1)
				for i := i0; i < i1; i += portableRows {
					p.store(portableTile(a[(i-i0)*k:][:portableRows*k], b), i, j, beta)
				}
			}
		}
	}
	scratches.Put(mem)
}

// portableTile returns the 4×2 sums over a panel of 4 rows of A and one of 2 columns of B.
func portableTile[T Float](a, b []T) [portableRows * portableCols]T {
	var c00, c01, c10, c11, c20, c21, c30, c31 T
	for len(a) >= 8 && len(b) >= 4 {
		b0, b1 := b[0], b[1]
		x := a[0]
		c00 += x * b0
		c01 += x * b1
		x = a[1]
		c10 += x * b0
		c11 += x * b1
		x = a[2]
		c20 += x * b0
		c21 += x * b1
		x = a[3]
		c30 += x * b0
		c31 += x * b1
		b0, b1 = b[2], b[3]
		x = a[4]
		c00 += x * b0
		c01 += x * b1
		x = a[5]
		c10 += x * b0
		c11 += x * b1
		x = a[6]
		c20 += x * b0
		c21 += x * b1
		x = a[7]
		c30 += x * b0
		c31 += x * b1
		a, b = a[8:], b[4:]
	}
	return [...]T{c00, c01, c10, c11, c20, c21, c30, c31}
}

// store adds a tile to C at (i, j), clipped to C.
func (p *product[T]) store(sums [portableRows * portableCols]T, i, j int, beta T) {
	for r := range min(portableRows, p.m-i) {
		row := p.c[(i+r)*p.ldc+j:][:min(portableCols, p.n-j)]
		for s := range row {
			v := p.alpha * sums[r*portableCols+s]
			if beta != 0 {
				v += beta * row[s]
			}
			row[s] = v
		}
	}
}

// packA writes rows i … i+3 and steps l0 … l1-1 of op(A) to dst, step by step.
func (p *product[T]) packA(dst []T, i, l0, l1 int) {
	rows := min(portableRows, p.m-i)
	if rows < portableRows || (l1-l0)&1 != 0 {
		clear(dst)
	}
	if p.transA {
		for l := range l1 - l0 {
			copy(dst[l*portableRows:][:portableRows], p.a[(l0+l)*p.lda+i:][:rows])
		}
		return
	}
	for r := range rows {
		for l, v := range p.a[(i+r)*p.lda+l0:][:l1-l0] {
			dst[l*portableRows+r] = v
		}
	}
}

// packB writes columns j and j+1 and steps l0 … l1-1 of op(B) to dst, step by step.
func (p *product[T]) packB(dst []T, j, l0, l1 int) {
	cols := min(portableCols, p.n-j)
	if cols < portableCols || (l1-l0)&1 != 0 {
		clear(dst)
	}
	if !p.transB {
		for l := range l1 - l0 {
			copy(dst[l*portableCols:][:portableCols], p.b[(l0+l)*p.ldb+j:][:cols])
		}
		return
	}
	for s := range cols {
		for l, v := range p.b[(j+s)*p.ldb+l0:][:l1-l0] {
			dst[l*portableCols+s] = v
		}
	}
}
