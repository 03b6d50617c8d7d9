package gemm

// prefetchK is the smallest number of steps for which tiles prefetch. Shorter products fit the caches, and
// prefetches cost 2 % to 5 % there.
const prefetchK = 96

// prefetchBytes is the number of bytes that a kernel prefetches in one round.
const prefetchBytes = 128

// lookahead returns the addresses of the next tile of A, a part for each panel, so that it arrives in the L2
// cache in time. Addresses are integers, because a prefetch may leave the matrix.
type lookahead struct {
	at    uintptr // the next row of A in memory
	row   uintptr // stride between rows
	rows  int     // remaining rows
	bytes uintptr // bytes of a row
	done  uintptr // bytes of a row already returned
}

// lookAlong returns the lookahead of the tile after t, for A that is not transposed.
func lookAlong[T Float](t *tile[T], rows, size int) lookahead {
	return lookahead{at: uintptr(t.a) + uintptr(rows)*t.rowA, row: t.rowA, rows: rows, bytes: uintptr(t.k * size)}
}

// take returns the prefetch address and step of the next kernel; at the end it returns idle, which is in the
// cache anyway.
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
