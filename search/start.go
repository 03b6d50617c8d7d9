package search

import (
	"math"
	"slices"
)

const unplaced = math.MaxInt32

// start builds an order in which the least explained variable comes next: of those not placed yet, the one with the largest
// residual variance given its best parents among the placed ones, or under a Score the one with the smallest gain from its parents.
// It is a pivoted Cholesky factorization of R with parents selected instead of all predecessors, so it also works for d > n, needs
// no copy of R, and leaves every variable fitted.
//
// With scale, the squared standard deviations, the smallest residual variance in the units of the data comes next instead: with
// equal noise variances it has all its parents among the placed ones (Chen, Drton and Wang 2019).
//
// O(d²) plus the fits. When stop returns true, the rest is placed in its present order. The first e.placed variables are already
// placed, and every variable has its node: this is the whole state of start between two variables.
func (e *engine) start(scale []float64, stop func() bool) {
	d := int32(e.d)
	open := make([]int, d)
	members := identity(e.d)
	for v := range d {
		e.pos[v] = unplaced
		open[v] = len(e.rules.requiredOf(v))
	}
	if e.placed == 0 {
		e.fitAll(members, func(w *worker, v int32) nodeID { return w.nodeOf(v, e.rules.requiredOf(v)) })
	}
	rank := make([]float64, d) // the largest comes next
	setRank := func(v int32) {
		rank[v] = e.explained(v)
		if scale != nil {
			rank[v] = -rank[v] - e.model.n*math.Log(scale[v])
		}
	}
	for v := range d {
		setRank(v)
	}
	put := func(i, v int32) {
		e.order[i], e.pos[v], rank[v] = v, i, math.Inf(-1)
		if e.rules.requires != nil {
			for _, c := range e.rules.requires[v] {
				open[c]--
			}
		}
	}
	fresh := e.placed == 0 && e.rules.targets != nil
	if fresh {
		for v := range d {
			if !e.rules.isTarget(v) {
				e.order[e.placed] = v
				e.placed++
			}
		}
	}
	for i, v := range e.order[:e.placed] {
		put(int32(i), v)
	}
	if fresh {
		e.fitAll(e.rules.targets, func(w *worker, z int32) nodeID { return w.fit(e.node[z], window{limit: d, moved: -1}) })
		for _, v := range e.rules.targets {
			setRank(v)
		}
		e.partial = e.halt.Load()
	}
	for i := int32(e.placed); i < d; i++ {
		e.placed = int(i)
		hurry := stop()
		e.trim()
		next, most := int32(-1), math.Inf(-1)
		for v, r := range rank {
			if r > most && open[v] == 0 && (e.rules.first == nil || e.rules.first[v] <= i) {
				most, next = r, int32(v)
				if hurry {
					break
				}
			}
		}
		for v := int32(0); next < 0; v++ { // no rank is finite: take the first allowed variable
			if e.pos[v] == unplaced && open[v] == 0 && (e.rules.first == nil || e.rules.first[v] <= i) {
				next = v
			}
		}
		put(i, next)
		if hurry {
			continue
		}
		members = e.interest.appendRow(members[:0], int(next))
		members = slices.DeleteFunc(members, func(z int32) bool { return e.pos[z] != unplaced })
		e.fitAll(members, func(w *worker, z int32) nodeID { return w.fit(e.node[z], window{limit: d, moved: -1}) })
		for _, z := range members {
			setRank(z)
		}
		e.partial = e.halt.Load()
	}
	e.placed = int(d)
}

// explained returns the loss of v minus its loss without parents: 0 without parents, otherwise negative. It includes
// neither the penalty nor the prior.
func (e *engine) explained(v int32) float64 {
	nd := e.cache.at(e.node[v])
	loss := nd.loss() - e.priorUnit*e.rules.priorSum(v, nd.parents())
	if e.model.variance != general {
		return loss
	}
	return loss - e.model.price*float64(nd.degree()) - e.model.bare[v]
}

// identity lists 0..d-1.
func identity(d int) []int32 {
	vs := make([]int32, d)
	for v := range vs {
		vs[v] = int32(v)
	}
	return vs
}

// fitAll sets the node of each variable to the result of f, which must not depend on the nodes of the others.
func (e *engine) fitAll(vs []int32, f func(w *worker, v int32) nodeID) {
	e.fitted = slices.Grow(e.fitted[:0], len(vs))[:len(vs)]
	e.parallel(len(vs), func(w *worker, i int) { e.fitted[i] = f(w, vs[i]) })
	for i, v := range vs {
		if e.fitted[i] != e.node[v] {
			e.setNode(v, e.fitted[i])
		}
	}
}

// place makes order the present one. The nodes must fit it.
func (e *engine) place(order []int32) {
	copy(e.order, order)
	for i, v := range e.order {
		e.pos[v] = int32(i)
	}
	e.placed = e.d
}

// load makes order the present one and refits every variable, starting from its present parents that still precede it.
func (e *engine) load(order []int32) {
	e.place(order)
	for rest := e.order; len(rest) > 0; {
		now := rest[:min(len(rest), batchSize)]
		rest = rest[len(now):]
		over := e.overspent() // then the round is abandoned and only needs a valid graph
		e.fitAll(now, func(w *worker, v int32) nodeID {
			id := e.node[v]
			if id == 0 {
				id = w.nodeOf(v, e.rules.requiredOf(v))
			}
			id = w.restrict(id, e.pos[v])
			if over {
				return id
			}
			return w.fit(id, window{limit: e.pos[v], moved: -1})
		})
	}
	e.partial = e.halt.Load()
}

// restrict returns the node without the parents at or after position limit.
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
