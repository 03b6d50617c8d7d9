package search

import (
	"math"
	"slices"
	"sync/atomic"
)

// asked is what a worker hands to its evaluator and gets back.
type asked struct {
	set  []int     // parents
	with []float64 // Score with each further parent
	less []uint32  // parents without one
	// known is the loss of the set that add wants, from the node that it adds to.
	known   float64
	isKnown bool
}

// unasked stands for a drop key that nobody has asked for.
var unasked = math.Float32bits(float32(math.NaN()))

// ask computes the node of v given its parents from the evaluator: one call of Additions, and one of Score unless the set
// has grown out of another one, whose additions had its score. Most sets grow further when they are first seen and are never
// shrunk, so drop keys wait until cheapest asks for them. When the context has ended there is no call of Additions: the
// node has its loss and nothing else, which is all that winding up needs.
//
// Losses are kept in float64, and every step of fit compares them. Keys are float32: they choose which step is looked at, and
// a key that is rounded over the threshold costs one look-up.
func (w *worker) ask(v int32, hash uint64, parents []uint32) nodeID {
	e := w.e
	k := len(parents)
	loss := w.asked.known
	if !w.asked.isKnown {
		loss = w.value(v, parents)
	}
	w.hits = w.hits[:0]
	if k < e.limit && !math.IsInf(loss, 1) && !e.halt.Load() {
		if w.asked.with == nil {
			w.asked.with = make([]float64, e.d)
		}
		with := w.asked.with
		w.eval.Additions(with, int(v), w.handed(parents))
		next := 0
		for x := range int32(e.d) {
			if next < k && uint32(x) == parents[next] {
				next++
				continue
			}
			// No number compares greater than NaN, nor has an infinite score a key.
			if key := loss - with[x] + e.model.price; x != v && key > e.baseThreshold && !math.IsInf(key, 0) && !e.rules.isForbidden(x, v) {
				w.hits = append(w.hits, hit{x, key})
			}
		}
	}
	m := len(w.hits)
	id, nd := w.newNode(v, hash, parents, loss, m, 2*m)
	for j := range parents {
		nd[headerWords+k+j] = unasked
	}
	at := headerWords + 2*k
	for i, h := range w.hits {
		nd[at+i] = uint32(h.x)
		nd[at+m+i] = math.Float32bits(float32(h.q))
		bits := math.Float64bits(w.asked.with[h.x])
		nd[at+2*m+2*i], nd[at+2*m+2*i+1] = uint32(bits), uint32(bits>>32)
	}
	return id
}

// expect tells ask what the loss of nd's variable with the further parent x is, if x is a candidate.
func (w *worker) expect(nd node, x uint32) {
	xs, _ := nd.candidates()
	i, ok := slices.BinarySearch(xs, x)
	if w.asked.isKnown = ok; ok {
		words := nd[headerWords+2*(nd.degree()+len(xs))+2*i:]
		w.asked.known = math.Float64frombits(uint64(words[0]) | uint64(words[1])<<32)
	}
}

// cheapest returns the parent whose drop key is the least below the threshold in force, or -1. Threads may ask for the keys of
// one node at the same time; they write the same bits.
func (w *worker) cheapest(nd node) int {
	e := w.e
	least, at := e.dropThreshold, -1
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

// dropKey returns what removing parent j costs before the price of an edge is saved; +Inf where it may not be removed.
func (w *worker) dropKey(nd node, j int) float64 {
	v := nd.variable()
	if w.e.rules.isRequired(int32(nd.parents()[j]), v) {
		return math.Inf(1)
	}
	cost := w.without(v, nd.hash(), nd.parents(), j) - nd.loss() + w.e.model.price
	if math.IsNaN(cost) {
		return math.Inf(1)
	}
	return cost
}

// without returns the loss of v without its parent j. Mostly the cache has it, since sets grow by one.
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

// value asks for one score. What is no number, or below all of them, counts as +Inf: such a set is never taken.
func (w *worker) value(v int32, parents []uint32) float64 {
	s := w.eval.Score(int(v), w.handed(parents))
	if math.IsNaN(s) || math.IsInf(s, -1) {
		return math.Inf(1)
	}
	return s
}

// handed returns the parents as an evaluator takes them, in memory that the next call uses again.
func (w *worker) handed(parents []uint32) []int {
	set := w.asked.set[:0]
	for _, p := range parents {
		set = append(set, int(p))
	}
	w.asked.set = set
	return set
}

// lossOf returns the loss of v given its parents, and nothing else of the node.
func (w *worker) lossOf(v int32, parents []uint32) float64 {
	if w.eval != nil {
		return w.value(v, parents)
	}
	return w.e.model.loss(v, w.factor(v, parents))
}
