package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Prior costs are part of the loss of a node, of the keys of its candidates and of its drop keys, so that the inner loops of the
// search do not know them. With equal variances the loss has another unit than the costs: see priorUnit.

// edgeCost is the prior cost of the edge from x.
type edgeCost struct {
	x    int32
	cost float64
}

// compilePrior lists the costs that are not 0 by child, ascending by parent; nil without any. bonus has the smallest cost of an
// edge to each variable, at most 0.
func (k Knowledge) compilePrior(d int) (costs [][]edgeCost, bonus []float64) {
	if k.Prior == nil {
		return nil, nil
	}
	costs, bonus = make([][]edgeCost, d), make([]float64, d)
	for v := range d {
		for x := range d {
			if x == v {
				continue
			}
			if c := k.Prior(x, v); c != 0 {
				costs[v] = append(costs[v], edgeCost{int32(x), c})
				bonus[v] = min(bonus[v], c)
			}
		}
	}
	return costs, bonus
}

// priorFault returns an error for a cost that is not finite.
func (k Knowledge) priorFault(d int) error {
	for v := range d {
		for x := range d {
			if x == v {
				continue
			}
			if c := k.Prior(x, v); math.IsNaN(c) || math.IsInf(c, 0) {
				return fmt.Errorf("Knowledge.Prior(%d, %d) = %v, want a finite number", x, v, c)
			}
		}
	}
	return nil
}

// priorCost returns the prior cost of x → v.
func (r *rules) priorCost(x, v int32) float64 {
	if r.prior == nil {
		return 0
	}
	i, ok := slices.BinarySearchFunc(r.prior[v], x, func(c edgeCost, x int32) int { return cmp.Compare(c.x, x) })
	if !ok {
		return 0
	}
	return r.prior[v][i].cost
}

// priorSum returns the prior cost of the edges to v.
func (r *rules) priorSum(v int32, parents []uint32) float64 {
	if r.prior == nil || len(r.prior[v]) == 0 {
		return 0
	}
	sum := 0.0
	for _, p := range parents {
		sum += r.priorCost(int32(p), v)
	}
	return sum
}

// priorTotal returns the prior cost of the present graph.
func (e *engine) priorTotal() float64 {
	if e.rules.prior == nil {
		return 0
	}
	sum := 0.0
	for v, id := range e.node {
		sum += e.rules.priorSum(int32(v), e.cache.at(id).parents())
	}
	return sum
}

// screenThreshold returns the key above which a candidate of v may exceed the base threshold.
func (e *engine) screenThreshold(v int32) float64 {
	if e.rules.prior == nil || e.rules.bonus[v] == 0 {
		return e.baseThreshold
	}
	return e.model.threshold(max(0, e.basePenalty+e.priorUnit*e.rules.bonus[v]))
}

// addPrior includes the prior in the keys of a node of correlations, and drops the candidates that it leaves below the threshold.
func (w *worker) addPrior(v int32, parents []uint32) {
	e := w.e
	kept := w.hits[:0]
	for _, h := range w.hits {
		if c := e.priorUnit * e.rules.priorCost(h.x, v); c != 0 {
			h.q = e.model.threshold(e.model.gain(h.q) - c)
		}
		if h.q > e.baseThreshold {
			kept = append(kept, h)
		}
	}
	w.hits = kept
	for j, p := range parents {
		if c := e.priorUnit * e.rules.priorCost(int32(p), v); c != 0 {
			w.drops[j] = e.model.dropThreshold(e.model.dropLoss(w.drops[j]) - c)
		}
	}
}

// prefersReversal reports whether the prior prefers v → p to the covered edge p → v, or is indifferent and the order prefers it.
func (e *engine) prefersReversal(p, v int32, rank []int32) bool {
	now, then := e.rules.priorCost(p, v), e.rules.priorCost(v, p)
	return then < now || then == now && rank[p] > rank[v]
}
