package search

import (
	"context"
	"math"
	"math/bits"
)

// maxExact limits Settings.Exact: the tables take 16·d·2^d bytes.
const maxExact = 16

// lattice finds the globally optimal graph by dynamic programming over sets of variables (Silander and Myllymäki 2006): the best
// parents of v inside a set are the set itself or the best ones inside a smaller set, and the best graph on a set is that on the
// set without its last variable plus that variable with its best parents. O(d²·2^d) once the d·2^(d-1) losses are known.
type lattice struct {
	d    int
	loss [][]float64 // by variable and parent set; +Inf if knowledge or the limit forbids it
	best [][]float64 // smallest score of the variable with parents inside the set
	from [][]uint32  // the parents that attain it
	path []float64   // smallest score of a graph on the set
	last []uint8     // last variable of that graph
}

// newLattice computes all losses, those of a variable on one thread. It returns nil if stop returns true. Sets that margin skips
// count as forbidden: see Settings.ExactMargin.
func newLattice(e *engine, margin float64, stop func() bool) *lattice {
	d := e.d
	l := &lattice{d: d, path: make([]float64, 1<<d), last: make([]uint8, 1<<d), loss: make([][]float64, d)}
	for range d {
		l.best = append(l.best, make([]float64, 1<<d))
		l.from = append(l.from, make([]uint32, 1<<d))
	}
	e.parallel(d, func(w *worker, i int) {
		v := int32(i)
		var required, forbidden uint32
		forbidden = 1 << v
		for _, p := range e.rules.requiredOf(v) {
			required |= 1 << p
		}
		for x := range int32(d) {
			if e.rules.isForbidden(x, v) {
				forbidden |= 1 << x
			}
		}
		loss := make([]float64, 1<<d)
		least := l.best[v] // minimum over the set and its subsets; solve overwrites it
		for set := range uint32(1) << d {
			if e.halt.Load() {
				break
			}
			loss[set] = math.Inf(1)
			near, below := math.Inf(1), math.Inf(1)
			for rest := set; rest != 0 && margin > 0; rest &= rest - 1 {
				less := set &^ (rest & -rest)
				if below = min(below, least[less]); !math.IsInf(least[less], 1) {
					near = min(near, loss[less]-least[less])
				}
			}
			far := margin > 0 && bits.OnesCount32(set&^required) > 2 && near > margin && !math.IsInf(below, 1)
			if set&forbidden == 0 && set&required == required && bits.OnesCount32(set) <= e.limit && !far {
				loss[set] = w.lossOf(v, members(set))
			}
			least[set] = min(below, loss[set])
		}
		l.loss[v] = loss
	})
	if stop() {
		return nil
	}
	return l
}

// solve finds the graph with the smallest score, where each edge costs charge besides the losses, and makes it the engine's state.
// weight, if not nil, has the prior cost of each set of parents, as a number of edges. It returns the sum of the losses and the number
// of edges, including weights.
func (l *lattice) solve(e *engine, charge float64, weight [][]float64) (loss, edges float64) {
	count := func(v int, set uint32) float64 {
		n := float64(bits.OnesCount32(set))
		if weight != nil {
			n += weight[v][set]
		}
		return n
	}
	for v := range l.d {
		best, from := l.best[v], l.from[v]
		for set := range uint32(1) << l.d {
			best[set], from[set] = l.loss[v][set]+charge*count(v, set), set
			for rest := set; rest != 0; rest &= rest - 1 {
				if less := set &^ (rest & -rest); best[less] < best[set] {
					best[set], from[set] = best[less], from[less]
				}
			}
		}
	}
	for set := uint32(1); set < 1<<l.d; set++ {
		l.path[set] = math.Inf(1)
		for rest := set; rest != 0; rest &= rest - 1 {
			v := bits.TrailingZeros32(rest)
			before := set &^ (1 << v)
			if score := l.path[before] + l.best[v][before]; score < l.path[set] {
				l.path[set], l.last[set] = score, uint8(v)
			}
		}
	}
	order := make([]int32, l.d)
	for set, i := uint32(1)<<l.d-1, l.d-1; set != 0; i-- {
		v := l.last[set]
		set &^= 1 << v
		parents := l.from[v][set]
		order[i] = int32(v)
		e.setNode(int32(v), e.workers[0].nodeOf(int32(v), members(parents)))
		loss += l.loss[v][parents]
		edges += count(int(v), parents)
	}
	e.place(e.rules.tiered(order))
	return loss, edges
}

// exact replaces the best state by the globally optimal graph if that is better, and reports whether it finished.
//
// With equal variances the true score is concave in (sum of losses, edges), so its minimum over all graphs lies on the lower convex
// hull of these points, and every corner of the hull is the solution at some penalty: exact visits all corners.
func (r *run) exact(ctx context.Context) bool {
	stopped := func() bool { return ctx.Err() != nil }
	l := newLattice(r.e, r.s.ExactMargin, stopped)
	if l == nil {
		return false
	}
	if r.s.Variance == Unequal {
		l.solve(r.e, r.penalty-r.e.model.price, nil)
		r.keepBetter()
		return true
	}
	weight := r.priorEdges()
	gap := 2.0 // smallest difference of edges with a corner between
	if weight != nil {
		gap = 1e-6
	}
	corner := func(penalty float64) (loss, edges float64) {
		loss, edges = l.solve(r.e, penalty, weight)
		r.keepBetter()
		return loss, edges
	}
	var between func(loss1, edges1, loss2, edges2 float64)
	between = func(loss1, edges1, loss2, edges2 float64) {
		if edges2-edges1 < gap || stopped() {
			return
		}
		slope := (loss1 - loss2) / (edges2 - edges1)
		loss, edges := corner(slope)
		if loss+slope*edges >= loss1+slope*edges1-1e-12*loss1 {
			return
		}
		between(loss1, edges1, loss, edges)
		between(loss, edges, loss2, edges2)
	}
	sparse, few := corner(mostCharge)
	dense, many := corner(0)
	between(sparse, few, dense, many)
	return !stopped()
}

// mostCharge exceeds all losses, and its product with any number of edges is finite.
const mostCharge = 1e200

// priorEdges returns the prior cost of each variable and set of parents in penalties per edge; nil without a prior.
func (r *run) priorEdges() [][]float64 {
	if r.e.rules.prior == nil {
		return nil
	}
	weight := make([][]float64, r.e.d)
	for v := range weight {
		weight[v] = make([]float64, 1<<r.e.d)
		for set := range uint32(1) << r.e.d {
			weight[v][set] = r.e.rules.priorSum(int32(v), members(set)) / r.penalty
		}
	}
	return weight
}

// members lists the bits of a set.
func members(set uint32) []uint32 {
	list := make([]uint32, 0, bits.OnesCount32(set))
	for ; set != 0; set &= set - 1 {
		list = append(list, uint32(bits.TrailingZeros32(set)))
	}
	return list
}
