package search

import "math"

// adapt lowers the penalty per edge if effects are weak, after the first descent at the extended BIC's penalty p1. Of the edges
// found, A cost less than 2·p1 to remove: about A/p1 true edges per unit of gain around p1. Of d(d-1) ordered pairs without an
// edge, d(d-1)·f(p) per unit gain p by chance, where f is the density of χ² with one degree of freedom,
//
//	f(p) = exp(-p/2)/√(2πp).
//
// The penalty becomes the p at which the two are equal: an edge that gains exactly its penalty is then as likely to be true as
// false. It stays between twice BIC's penalty and the extended BIC's,
//
//	price = max(min(2·ln n, p1), min(p1, p)),   d(d-1)·f(p) = (A - √A)/p1,
//
// where A is reduced by its standard error, so that a few edges change nothing. If effects are strong there is no edge near the
// penalty and it stays the same.
func (r *run) adapt() {
	if !r.s.Adapt || r.e.model.variance != Unequal || r.ended {
		return
	}
	e := r.e
	near := 0.0
	threshold := float32(e.model.dropThreshold(2 * r.penalty))
	for _, id := range e.node {
		nd := e.cache.at(id)
		for j := range nd.parents() {
			if nd.drop(j) < threshold { // infinite for a required parent
				near++
			}
		}
	}
	r.penalty = balancedPrice(r.penalty, near, e.model.n, e.d)
}

// balancedPrice is the formula of adapt.
func balancedPrice(p1, near, n float64, d int) float64 {
	least := min(2*math.Log(n), p1)
	density := (near - math.Sqrt(near)) / p1
	if density <= 0 {
		return p1
	}
	// f decreases, so bisection finds the only solution above least, or p1 if it lies above.
	excess := func(p float64) float64 {
		return float64(d)*float64(d-1)*math.Exp(-p/2)/math.Sqrt(2*math.Pi*p) - density
	}
	low, high := least, p1
	for range 60 {
		if mid := (low + high) / 2; excess(mid) > 0 {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}
