package search

import (
	"math"
	"slices"
	"sync/atomic"
)

// asked has a worker's buffers for calls of its evaluator.
type asked struct {
	set  []int     // parents
	with []float64 // Score with each further parent
	less []uint32  // parents without one
	gone []float64 // Score without each parent
}

// unasked marks a drop key that was not computed yet.
var unasked = math.Float32bits(float32(math.NaN()))

// ask computes the node of v given its parents from the evaluator: one call of Additions, and one of Score, for which many have
// counted by then. Most sets grow when they are first evaluated and never shrink, so drop keys are computed on demand by cheapest.
// After the context has ended Additions is not called: the node has only its loss, which is enough to finish.
//
// Losses are float64, and every step of fit compares them. Keys are float32: they choose which step to try, and a key rounded over
// the threshold costs only one lookup.
func (w *worker) ask(v int32, hash uint64, parents []uint32) nodeID {
	e := w.e
	k := len(parents)
	more := k < e.limit && !e.halt.Load()
	with := w.asked.with
	if more {
		if with == nil {
			with = make([]float64, e.d)
			w.asked.with = with
		}
		w.eval.Additions(with, int(v), w.ints(parents))
	}
	loss := w.value(v, parents)
	w.hits = w.hits[:0]
	if more && !math.IsInf(loss, 1) {
		next, here := 0, e.rules.priorSum(v, parents)
		for x := range int32(e.d) {
			if next < k && uint32(x) == parents[next] {
				next++
				continue
			}
			// A comparison with NaN is false, and an infinite score has no key.
			if key := loss - with[x] - here - e.rules.priorCost(x, v) + e.model.price; x != v && key > e.baseThreshold && !math.IsInf(key, 0) && !e.rules.isForbidden(x, v) {
				w.hits = append(w.hits, hit{x, key})
			}
		}
	}
	id, nd := w.newNode(v, hash, parents, loss)
	for j := range parents {
		nd[headerWords+k+j] = unasked
	}
	return id
}

// cheapest returns the parent with the smallest drop key below the current threshold, or -1. Threads may compute the keys of one
// node at the same time; they write the same bits.
func (w *worker) cheapest(nd node) int {
	e := w.e
	least, at := e.dropThreshold, -1
	w.askRemovals(nd)
	for j := range nd.degree() {
		word := &nd[headerWords+nd.degree()+j]
		bits := atomic.LoadUint32(word)
		if bits == unasked {
			if e.halt.Load() {
				return -1
			}
			bits = math.Float32bits(float32(w.dropKey(nd, j)))
			atomic.StoreUint32(word, bits)
		}
		if cost := math.Float32frombits(bits); cost < least {
			least, at = cost, j
		}
	}
	return at
}

// askRemovals fills in the missing drop keys of a node if the evaluator computes them all at once.
func (w *worker) askRemovals(nd node) {
	exact, is := w.eval.(Remover)
	rounded, ok := w.eval.(RoundingRemover)
	k := nd.degree()
	if !is && !ok || k == 0 || w.e.halt.Load() {
		return
	}
	keys := nd[headerWords+k : headerWords+2*k]
	missing := false
	for j := range keys {
		missing = missing || atomic.LoadUint32(&keys[j]) == unasked
	}
	if !missing {
		return
	}
	w.asked.gone = slices.Grow(w.asked.gone[:0], k)[:k]
	if is {
		exact.Removals(w.asked.gone, int(nd.variable()), w.ints(nd.parents()))
	} else {
		rounded.RoundedRemovals(w.asked.gone, int(nd.variable()), w.ints(nd.parents()))
	}
	v := nd.variable()
	here := w.e.rules.priorSum(v, nd.parents())
	for j, p := range nd.parents() {
		without := w.asked.gone[j] + (here - w.e.rules.priorCost(int32(p), v))
		atomic.StoreUint32(&keys[j], math.Float32bits(float32(w.dropCost(nd, j, without))))
	}
}

// dropKey returns the cost of removing parent j before the edge penalty is saved; +Inf if it is required.
func (w *worker) dropKey(nd node, j int) float64 {
	v := nd.variable()
	if w.e.rules.isRequired(int32(nd.parents()[j]), v) {
		return math.Inf(1)
	}
	return w.dropCost(nd, j, w.without(v, nd.hash(), nd.parents(), j))
}

// dropCost is dropKey if the score without parent j is already known.
func (w *worker) dropCost(nd node, j int, without float64) float64 {
	cost := without - nd.loss() + w.e.model.price
	if math.IsNaN(cost) || w.e.rules.isRequired(int32(nd.parents()[j]), nd.variable()) {
		return math.Inf(1)
	}
	return cost
}

// without returns the loss of v without its parent j. Usually it is in the cache, because sets grow one by one.
func (w *worker) without(v int32, hash uint64, parents []uint32, j int) float64 {
	c := w.e.cache
	w.asked.less = append(append(w.asked.less[:0], parents[:j]...), parents[j+1:]...)
	key := hash ^ c.words[parents[j]][0] ^ c.words[v][1]
	s := &c.shards[key>>56]
	s.mu.Lock()
	id := c.find(s, key, v, w.asked.less)
	s.mu.Unlock()
	if id != 0 {
		return c.at(id).loss()
	}
	return w.value(v, w.asked.less)
}

// value computes one score with the prior. NaN and -Inf count as +Inf: such a set is never chosen.
func (w *worker) value(v int32, parents []uint32) float64 {
	s := w.eval.Score(int(v), w.ints(parents)) + w.e.rules.priorSum(v, parents)
	if math.IsNaN(s) || math.IsInf(s, -1) {
		return math.Inf(1)
	}
	return s
}

// ints converts a set of parents for an evaluator.
func (w *worker) ints(parents []uint32) []int {
	w.asked.set = slices.Grow(w.asked.set[:0], len(parents))
	for _, p := range parents {
		w.asked.set = append(w.asked.set, int(p))
	}
	return w.asked.set
}

// lossOf returns only the loss of v given its parents, with the prior unless its unit varies.
func (w *worker) lossOf(v int32, parents []uint32) float64 {
	if w.eval != nil {
		return w.value(v, parents)
	}
	loss := w.e.model.loss(v, w.factor(v, parents))
	if w.e.model.variance == Equal {
		return loss
	}
	return loss + w.e.rules.priorSum(v, parents)
}
