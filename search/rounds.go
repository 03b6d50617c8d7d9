package search

import (
	"math"
	"math/rand/v2"
	"slices"
)

// loose is the smallest share of the penalty at which loosen descends. Candidates are stored down to it. Half at most doubles the
// memory of a node, and finds parents that improve the score only together.
const loose = 0.5

// With Restarts = Auto rounds continue while they improve the score. They end after idleRounds rounds without a gain, plus
// gainRounds for each round (waveGain for each wave) with a gain; after mostRounds; or when roundWork, or twice the work before the
// rounds if that is more, is spent. With many rows per column, neighbouring optima differ clearly and more work is worthwhile: up
// to sixteen times as much, from 80 rows per column on. (d = 100 with 16 neighbours, n = 20,000: of 30 tables of package sim's
// designs the rounds left two above the score of the true graph with four times the work.)
//
// Work is the number of parent sets visited, weighted by d·(k+2)² with k parents: the cost of evaluating the set, cached or not. So
// the count does not depend on clock, threads or cache, and a long round is cut at the same place on every machine.
//
// For a Score that is a Coster, costWork and its Cost replace roundWork and d, or costRounds times the work before the rounds if
// that is more: some thirty rounds, which take about as long as the descent, because most of their sets are cached. Up to about
// 30,000 rows of 40 columns to count that is no bound. A bound that was (2.4e10 in place of costWork) left graphs of CelebA-HQ and
// its halves 15 to 140 points worse.
const (
	idleRounds = 50
	gainRounds = 5
	waveGain   = 15
	mostRounds = 300
	roundWork  = 2.4e10
	costWork   = 5e11
	costRounds = 8
)

// another reports whether to make another round.
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

// work returns the work done so far, divided by d.
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

// overspent reports whether the rounds have used up their allowance. Call it only while no thread is working.
func (e *engine) overspent() bool { return e.allowance > 0 && e.work() >= e.allowance }

// leave moves away from the best state. The score gets worse or stays the same, and the next descents find a local optimum from
// there.
//
// No kind of move is best on all tables. Points above the best graph that any of twenty mixtures found, d = 100 with 8 neighbours,
// n = 1000, after as much work as a second of one core, mean of twelve tables hetero (package sim): loosen alone 193, swaps alone
// 173, wandering at a higher penalty alone 171, the four below 42; with 16 in the place of 64, 65.
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

// wander moves to a random graph of the class if that has the same score, otherwise to a random order of the same graph.
func (r *run) wander() {
	if r.equivalent() {
		r.e.equivalent(r.rng)
	} else {
		r.e.reshuffle(r.rng)
	}
}

// detour prepares a descent at another penalty before the one at the penalty itself: a lower one finds parents that improve the
// score only together, a higher one removes obstacles.
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

// tuck reverses a random edge p → v: v moves to just before p, together with its ancestors between the two (Lam, Andrews and Ramsey
// 2022). These two are queued last, so that the others adapt before they could move back.
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

// randomEdge returns an edge p → v of a random variable; ok is false if it has no parents, or if p cannot have parents.
func (e *engine) randomEdge(rng *rand.Rand) (p, v int32, ok bool) {
	if targets := e.rules.targets; targets != nil {
		v = targets[rng.IntN(len(targets))]
	} else {
		v = int32(rng.IntN(e.d))
	}
	parents := e.cache.at(e.node[v]).parents()
	if len(parents) == 0 {
		return 0, v, false
	}
	p = int32(parents[rng.IntN(len(parents))])
	return p, v, e.rules.isTarget(p)
}

// reorder fits every variable to another order and queues the affected ones.
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
