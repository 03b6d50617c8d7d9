package search

import (
	"math"
	"math/rand/v2"
	"slices"
)

// loose is the part of the penalty at which loosen descends at least. Candidates are kept down to it. Half
// doubles the memory of a node at most, and finds what pays only together with another parent.
const loose = 0.5

// Rounds go on while they pay: with Restarts = Auto they end when idleRounds in a row, and gainRounds more for each round, or
// waveGain for each wave, that did gain something, gained nothing, so that an easy table is left soon and a hard one is not; after
// mostRounds; or when roundWork, or twice the work of what came before them if that is more, is spent. Many rows for each
// column tell neighbouring optima apart and are worth more work: up to sixteen times as much, with 80 and more for each. (d = 100 with 16
// neighbours, n = 20,000: of 30 tables of package sim's designs the rounds left two above the score of the true graph with four
// times the work.)
//
// Work is counted in parent sets visited, each d·(k+2)² with k its parents: what evaluating it would take, whether or not the
// cache has it. So the count depends on no clock, no thread and no cache, and a round that turns out too long is
// cut at the same place on every machine.
//
// A Score that is a Coster has costWork and its Cost in place of roundWork and d, or costRounds times the work of what came before the
// rounds if that is more: some thirty rounds, which take about as long as the descent, since most of the sets that they visit are
// known by then. Up to about 30,000 rows of 40 columns to count that is no bound. A bound that was (2.4e10 in place of
// costWork) left graphs of CelebA-HQ and its halves 15 to 140 points worse.
const (
	idleRounds = 50
	gainRounds = 5
	waveGain   = 15
	mostRounds = 300
	roundWork  = 2.4e10
	costWork   = 5e11
	costRounds = 8
)

// another reports whether there is a further round after those made.
func (r *run) another(round int) bool {
	if r.s.Restarts != Auto {
		return round <= r.s.Restarts
	}
	if round == 1 {
		done := r.e.work()
		share := 1.0
		if r.p.Score == nil {
			share = min(16, max(1, float64(r.p.N)/float64(5*r.e.d)))
		}
		r.e.allowance = done + max(int(share*roundWork/float64(r.e.d)), 2*done)
		if c, ok := r.p.Score.(Coster); ok {
			r.e.allowance = done + max(int(costWork/c.Cost()), costRounds*done)
		}
	}
	gain := gainRounds
	if r.waves() {
		gain = waveGain
	}
	return round <= mostRounds && r.idle < idleRounds+gain*r.stats.Improved && !r.e.overspent()
}

// work returns what the visits to parent sets have come to so far, divided by d.
func (e *engine) work() int {
	sum := 0
	for _, w := range e.workers {
		sum += w.work
	}
	return sum
}

// setWork makes work return n.
func (e *engine) setWork(n int) {
	for _, w := range e.workers {
		w.work = 0
	}
	e.workers[0].work = n
}

// overspent reports whether the rounds have used up what they may. It may be asked only where all threads stand still.
func (e *engine) overspent() bool { return e.allowance > 0 && e.work() >= e.allowance }

// leave moves away from the present state, the best so far. Its score gets worse or stays,
// and the descents that follow find a local optimum from there.
//
// No kind of move is best on all tables. Points above the best graph that any of twenty mixtures found, d = 100 with 8
// neighbours, n = 1000, after as much work as a second of one core, mean of twelve tables hetero (package sim): loosen alone
// 193, swaps alone 173, wandering at a higher penalty alone 171, the four below 42; with 16 in the place of 64, 65.
func (r *run) leave(round int) {
	e := r.e
	r.at.kind, r.at.turn = settling, 0
	switch {
	case r.s.Variance == Equal:
		e.jumble(round, r.rng)
	case round%4 == 1:
		r.wander()
		r.detour(math.Pow(64, r.rng.Float64()))
	case round%4 == 2:
		e.swap(r.rng)
	case round%4 == 3:
		e.tuck(r.rng)
	default:
		r.wander()
		r.detour(loose)
	}
}

// wander goes to a random graph of the class where that has the same score, else to a random order of the same graph.
func (r *run) wander() {
	if r.equivalent() {
		r.e.equivalent(r.rng)
	} else {
		r.e.reshuffle(r.rng)
	}
}

// detour prepares a descent at another penalty, before the one at the penalty itself: a lower one finds what pays only together,
// a higher one lets go of what stands in the way.
func (r *run) detour(factor float64) {
	e := r.e
	e.setPenalty(max(e.basePenalty, r.penalty*factor))
	e.load(e.order)
	e.queueAll()
	r.at.kind = detouring
}

// swap exchanges the places of the ends of three random edges.
func (e *engine) swap(rng *rand.Rand) {
	order := slices.Clone(e.order)
	pos := slices.Clone(e.pos)
	for range 3 {
		p, v, ok := e.randomEdge(rng)
		if !ok {
			continue
		}
		order[pos[p]], order[pos[v]] = v, p
		pos[p], pos[v] = pos[v], pos[p]
	}
	e.reorder(e.rules.repair(order))
}

// tuck turns a random edge p → v round: v moves to just before p, together with those of its ancestors that stand between the
// two (Lam, Andrews and Ramsey 2022). The two are looked at last, so that the others have adapted before
// they could move back.
func (e *engine) tuck(rng *rand.Rand) {
	p, v, ok := e.randomEdge(rng)
	if !ok {
		return
	}
	above := make([]bool, e.d) // v and its ancestors after p
	above[v] = true
	var front, back []int32
	for i := e.pos[v]; i > e.pos[p]; i-- {
		z := e.order[i]
		if !above[z] {
			back = append(back, z)
			continue
		}
		front = append(front, z)
		for _, q := range e.cache.at(e.node[z]).parents() {
			above[q] = true
		}
	}
	back = append(back, p)
	slices.Reverse(front)
	slices.Reverse(back)
	order := slices.Clone(e.order)
	copy(order[e.pos[p]:], front)
	copy(order[int(e.pos[p])+len(front):], back)
	e.reorder(e.rules.repair(order))
	queued := e.queue.list()
	e.queue.clear()
	for _, z := range queued {
		if z != p && z != v {
			e.queue.push(z)
		}
	}
	e.queue.push(v)
	e.queue.push(p)
}

// randomEdge returns an edge p → v of a random variable; ok is false where that has no parents.
func (e *engine) randomEdge(rng *rand.Rand) (p, v int32, ok bool) {
	v = int32(rng.IntN(e.d))
	parents := e.cache.at(e.node[v]).parents()
	if len(parents) == 0 {
		return 0, v, false
	}
	return int32(parents[rng.IntN(len(parents))]), v, true
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
