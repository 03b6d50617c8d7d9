package search

import (
	"math"

	"github.com/polydag/polydag/internal/chol"
)

// hit is a variable x that would improve the score as another parent. q is the reduction of the residual variance or, under a
// Score, its key.
type hit struct {
	x int32
	q float64
}

// expand computes the node of v given its k parents: the loss, the cost of removing each parent, and the candidates for another
// parent. It costs k²/2 + 2k multiplications for each of d columns, most of the time of the search. With a Score, ask does the
// same.
func (w *worker) expand(v int32, hash uint64, parents []uint32) nodeID {
	e := w.e
	w.expansions++
	if w.eval != nil {
		return w.ask(v, hash, parents)
	}
	k := len(parents)
	s := w.factor(v, parents)
	loss := e.model.loss(v, s) + e.priorUnit*e.rules.priorSum(v, parents)

	w.hits = w.hits[:0]
	if k < e.limit && s > chol.Determined {
		for _, h := range chol.Screen(&w.regression, uint32(v), parents, e.model.screen(v, s, e.screenThreshold(v))) {
			if !e.rules.isForbidden(h.X, v) {
				w.hits = append(w.hits, hit{h.X, h.Takes})
			}
		}
	}
	for i, h := range w.hits {
		w.hits[i].q = e.model.key(v, h.q, s)
	}
	w.drops = w.drops[:0]
	for _, rise := range w.regression.Rise[:k] {
		w.drops = append(w.drops, e.model.dropKey(v, rise, s))
	}
	if e.rules.prior != nil {
		w.addPrior(v, parents)
	}

	id, nd := w.newNode(v, hash, parents, loss)
	for j, cost := range w.drops {
		if e.rules.isRequired(int32(parents[j]), v) {
			cost = math.Inf(1)
		}
		nd[headerWords+k+j] = math.Float32bits(float32(cost))
	}
	return id
}

// newNode returns a node with the candidates in w.hits, whose drop keys are not written yet.
func (w *worker) newNode(v int32, hash uint64, parents []uint32, loss float64) (nodeID, node) {
	m := len(w.hits)
	id, nd := w.arena.alloc(w.e.cache, headerWords+2*(len(parents)+m))
	bits := math.Float64bits(loss)
	nd[0], nd[1] = uint32(bits), uint32(bits>>32)
	nd[2], nd[3] = uint32(hash), uint32(hash>>32)
	nd[4], nd[5], nd[6] = uint32(v), uint32(len(parents)), uint32(m)
	copy(nd[headerWords:], parents)
	xs, keys := nd.candidates()
	for i, h := range w.hits {
		xs[i], keys[i] = uint32(h.x), math.Float32bits(float32(h.q))
	}
	return id, nd
}

// factor regresses v on its parents and returns the residual variance.
func (w *worker) factor(v int32, parents []uint32) float64 {
	return chol.RegressUnit(&w.regression, uint32(v), parents)
}
