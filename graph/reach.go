package graph

// A reach holds, for a DAG that grows by edges, which nodes each node has a path to, as one
// bit a pair. A test costs one bit; the updates of a whole life cost at most n² rows of
// n/64 words, since each row update adds a pair that was not there.
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

// merge adds all that u reaches to what v reaches.
func (r *reach) merge(v, u int) {
	a, b := r.row[v*r.words:][:r.words], r.row[u*r.words:][:r.words]
	for k, x := range b {
		a[k] |= x
	}
}

// add adds the edge v → u and reports true, or reports false if it closes a cycle.
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
