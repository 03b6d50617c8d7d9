package gemm

// prefetchK is the least number of steps for which tiles prefetch: shorter products fit the
// caches, and there prefetches cost 2 % to 5 %.
const prefetchK = 96

// prefetchBytes is what a kernel prefetches in one round.
const prefetchBytes = 128

// lookahead hands out the addresses of the tile of A that comes next, a part for each panel,
// so that it arrives in the second cache while this tile meets the panels. Addresses are
// plain numbers, since a prefetch may leave the matrix.
type lookahead struct {
	at    uintptr // the next row of A, as it is stored
	row   uintptr // from row to row
	rows  int     // how many are left
	bytes uintptr // of a row
	done  uintptr // of them handed out
}

// lookahead returns that of the tile after t.
func (p *product[T]) lookahead(t *tile[T], rows, size int) lookahead {
	if p.transA {
		return lookahead{at: uintptr(t.a) + uintptr(rows)*t.rowA, row: t.stepA, rows: t.k, bytes: prefetchBytes}
	}
	return lookAlong(t, rows, size)
}

// lookAlong is lookahead where A is not transposed.
func lookAlong[T Float](t *tile[T], rows, size int) lookahead {
	return lookahead{at: uintptr(t.a) + uintptr(rows)*t.rowA, row: t.rowA, rows: rows, bytes: uintptr(t.k * size)}
}

// take returns where the next kernel begins to prefetch and its step from round to round; at
// the end it returns idle, which is in the cache anyway.
func (n *lookahead) take(rounds int, idle uintptr) (at, step uintptr) {
	if n.rows <= 0 {
		return idle, 0
	}
	if n.bytes == prefetchBytes {
		at = n.at
		n.at += uintptr(rounds) * n.row
		n.rows -= rounds
		return at, n.row
	}
	at = n.at + n.done
	n.done += uintptr(rounds) * prefetchBytes
	if n.done >= n.bytes {
		n.at, n.rows, n.done = n.at+n.row, n.rows-1, 0
	}
	return at, prefetchBytes
}
