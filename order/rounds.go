package order

import (
	"math"
	"math/rand/v2"
	"slices"
)

// loose is the part of the penalty at which loosen descends. Candidates are kept down to it. Half
// doubles the memory of a node at most, and finds what pays only together with another parent.
const loose = 0.5

// leave moves away from the present state, the best so far. Its score gets worse or stays,
// and the descents that follow find a local optimum from there.
func (r *run) leave(round int) {
	e := r.e
	r.at.kind, r.at.turn = settling, 0
	switch {
	case r.s.Variance == Equal:
		e.jumble(round, r.rng)
	case round%3 == 1:
		e.equivalent(r.rng)
		r.loosen()
	case round%3 == 2:
		e.equivalent(r.rng)
	default:
		e.shuffle(r.rng)
	}
}

// loosen prepares a descent at a lower penalty, before the one at the penalty itself: a penalty path from below.
func (r *run) loosen() {
	e := r.e
	e.setPenalty(max(e.basePenalty, r.penalty*loose))
	e.load(e.order)
	e.queueAll()
	r.at.kind = loosened
}

// shuffle exchanges ln d random pairs of variables.
func (e *engine) shuffle(rng *rand.Rand) {
	if e.d < 2 {
		return
	}
	order := slices.Clone(e.order)
	for range max(1, int(math.Log(float64(e.d)))) {
		i, j := rng.IntN(e.d), rng.IntN(e.d)
		order[i], order[j] = order[j], order[i]
	}
	e.reorder(e.rules.repair(order))
}

// reorder fits every variable to another order and queues those whom that concerns.
func (e *engine) reorder(order []int32) {
	before := slices.Clone(e.node)
	e.load(order)
	for v, id := range before {
		if e.node[v] != id {
			e.queueAround(id)
			e.queueAround(e.node[v])
		}
	}
}
