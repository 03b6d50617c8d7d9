package graph

// A reach stores the reachability of a growing DAG as one bit per pair. A test costs one bit. All updates together cost at most n²
// row operations of n/64 words, because each row update adds a new pair.
type reach struct {
	n     int
	words int
	row   []uint64 // row[v·words ...]: bit u is set if v == u or v has a path to u
}

func newReach(n int) *reach {
	words := (n + 63) / 64
	r := &reach{n: n, words: words, row: make([]uint64, n*words)}
	for v := range n {
		r.row[v*words+v/64] |= 1 << (v % 64)
	}
	return r
}

func (r *reach) has(v, u int) bool { return r.row[v*r.words+u/64]>>(u%64)&1 != 0 }

// merge adds everything reachable from u to the row of v.
func (r *reach) merge(v, u int) {
	a, b := r.row[v*r.words:][:r.words], r.row[u*r.words:][:r.words]
	for k, x := range b {
		a[k] |= x
	}
}

// add adds the edge v → u, or reports false if it would close a cycle.
func (r *reach) add(v, u int) bool {
	if r.has(u, v) {
		return false
	}
	if r.has(v, u) {
		return true
	}
	for x := range r.n {
		if r.has(x, v) && !r.has(x, u) {
			r.merge(x, u)
		}
	}
	return true
}
