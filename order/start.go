package order

import "math"

const unplaced = math.MaxInt32

// start puts the variables into the order in which the least explained comes next: of those
// not placed yet, the one with the largest residual variance given the parents that it would
// choose among the placed ones. It is a pivoted Cholesky factorization of R with
// parents selected instead of all predecessors, so it also works for d > n, needs no copy of
// R, and leaves every variable fitted.
//
// With scale, the squared standard deviations, the smallest residual variance in the units of
// the data comes next instead: with equal noise variances it has all its parents among
// the placed ones (Chen, Drton and Wang 2019).
//
// O(d²) for choosing, and the fits. When stop says so, the rest is placed as it comes.
func (e *engine) start(scale []float64, stop func() bool) {
	w := e.workers[0]
	d := int32(e.d)
	open := make([]int, d)
	for v := range d {
		e.pos[v] = unplaced
		required := e.rules.requiredOf(v)
		open[v] = len(required)
		e.setNode(v, w.nodeOf(v, required))
	}
	for i := range d {
		hurry := stop()
		next, most := int32(-1), math.Inf(-1)
		for v := range d {
			if e.pos[v] != unplaced || open[v] > 0 || e.rules.first != nil && e.rules.first[v] > i {
				continue
			}
			rank := e.cache.at(e.node[v]).loss()
			if scale != nil {
				rank = -rank - e.model.n*math.Log(scale[v])
			}
			if rank > most {
				most, next = rank, v
			}
			if hurry {
				break
			}
		}
		e.order[i], e.pos[next] = next, i
		if e.rules.requires != nil {
			for _, c := range e.rules.requires[next] {
				open[c]--
			}
		}
		if hurry {
			continue
		}
		w.scan.members = e.interest.appendRow(w.scan.members[:0], int(next))
		for _, z := range w.scan.members {
			if e.pos[z] == unplaced {
				if id := w.fit(e.node[z], window{limit: d, moved: -1}); id != e.node[z] {
					e.setNode(z, id)
				}
			}
		}
	}
}

// load makes order the present one and fits every variable to it, from the parents that
// it has if they still precede it, else from those that do.
func (e *engine) load(order []int32) {
	copy(e.order, order)
	for i, v := range e.order {
		e.pos[v] = int32(i)
	}
	w := e.workers[0]
	for i, v := range e.order {
		id := e.node[v]
		if id == 0 {
			id = w.nodeOf(v, e.rules.requiredOf(v))
		}
		if id = w.fit(w.restrict(id, int32(i)), window{limit: int32(i), moved: -1}); id != e.node[v] {
			e.setNode(v, id)
		}
	}
}

// restrict returns the node without the parents that do not stand before limit.
func (w *worker) restrict(id nodeID, limit int32) nodeID {
	e := w.e
	nd := e.cache.at(id)
	var set []uint32
	for _, p := range nd.parents() {
		if e.pos[p] < limit {
			set = append(set, p)
		}
	}
	if len(set) == nd.degree() {
		return id
	}
	return w.nodeOf(nd.variable(), set)
}
