package score

import (
	"math"
	"slices"

	"github.com/polydag/polydag/internal/counts"
)

// In a binary table, a configuration of the parents is a number whose bit i is the category of parent i. The counts of a candidate that
// are kept are those of its first category: those of the second are the rest of the child's.

// beside returns the number of a configuration with a further bit at place at, which is 0.
func beside(c, at int) int { return c>>at<<(at+1) | c&(1<<at-1) }

// With at least hopelessParents parents, the full table with a further one is not considered if the full table scores worse than additive
// effects by more than hopelessMargin penalties per edge and hopelessGain times the estimated gain of the additive effect. It would have
// twice as many parameters. With fewer parents it is, because estimate is too small for strong effects, and the full table is exact.
const (
	hopelessParents = 6
	hopelessMargin  = 4
	hopelessGain    = 2
)

// hopeless reports whether the full table with a further parent is not considered, given the scores of v with its parents.
func (e *DiscreteEvaluator) hopeless(v, parents int, full, additive, estimate float64) bool {
	return e.kept.cube && parents >= hopelessParents && full > additive+hopelessMargin*(e.d.logN[v]+e.d.edge)+hopelessGain*estimate
}

// keepPairs keeps the counts of one configuration of the parents.
func (e *DiscreteEvaluator) keepPairs(y *counts.Tally) {
	k, place := &e.kept, 0
	for i, p := range k.parents {
		if n := y.Levels[p]; n[0]|n[1] == 0 {
			place |= 1 << i
		}
	}
	k.places = append(k.places, place)
	at, width := len(k.counts), 2*len(e.parts)
	k.counts = slices.Grow(k.counts, width)[:at+width]
	to := k.counts[at:]
	for i := range e.parts {
		n := y.Levels[e.parts[i].x]
		to[2*i], to[2*i+1] = n[0], n[1]
	}
}

// sumPairs adds up the terms of the full table of candidate i.
func (e *DiscreteEvaluator) sumPairs(i int) {
	k, p := &e.kept, &e.parts[i]
	for j := range k.places {
		zeros, ones := k.child[2*j], k.child[2*j+1]
		at := 2 * (j*len(e.parts) + i)
		a, b := k.counts[at], k.counts[at+1]
		p.inCells += p.perCell.of(a) + p.perCell.of(b) + p.perCell.of(zeros-a) + p.perCell.of(ones-b)
		p.inAll += p.perConfig.of(a+b) + p.perConfig.of(zeros+ones-a-b)
	}
}

// sumAllPairs is sumPairs for all candidates.
func (e *DiscreteEvaluator) sumAllPairs() {
	k := &e.kept
	if e.parts[0].perCell == nil {
		return
	}
	perCell, perConfig := e.parts[0].perCell, e.parts[0].perConfig // the same for all
	width := 2 * len(e.parts)
	for j := range k.places {
		zeros, ones := k.child[2*j], k.child[2*j+1]
		n := k.counts[j*width : (j+1)*width]
		cells, configs := perCell.upTo(zeros+ones), perConfig.upTo(zeros+ones)
		for i := range e.parts {
			p := &e.parts[i]
			a, b := n[2*i], n[2*i+1]
			if cells != nil && configs != nil {
				p.inCells += cells[a] + cells[b] + cells[zeros-a] + cells[ones-b]
				p.inAll += configs[a+b] + configs[zeros+ones-a-b]
				continue
			}
			p.inCells += perCell.of(a) + perCell.of(b) + perCell.of(zeros-a) + perCell.of(ones-b)
			p.inAll += perConfig.of(a+b) + perConfig.of(zeros+ones-a-b)
		}
	}
}

// estimatePairs is estimate: both categories of a binary candidate, and of the child, have the same term.
func (e *DiscreteEvaluator) estimatePairs() {
	k := &e.kept
	width := 2 * len(e.parts)
	k.excess, k.variance = zeros(k.excess, len(e.parts)), zeros(k.variance, len(e.parts))
	excess, variance := k.excess, k.variance[:len(k.excess)]
	for j, total := range e.fit.total {
		p := e.fit.fit[2*j+1] / total
		w, square := p*(1-p), p*(1-p)/total
		n := k.counts[j*width : (j+1)*width]
		for i := range excess {
			b := float64(n[2*i+1])
			rows := float64(n[2*i]) + b
			excess[i] += b - rows*p
			variance[i] += rows * (w - square*rows)
		}
	}
	for i := range e.parts {
		switch u := excess[i]; {
		case variance[i] > 0:
			e.parts[i].estimate = u * u / variance[i]
		case math.Abs(u) > 1e-6:
			e.parts[i].estimate = math.Inf(1)
		default:
			e.parts[i].estimate = 0
		}
	}
}

// pairLikelihood is likelihood.
func (e *DiscreteEvaluator) pairLikelihood(i int) (l int64) {
	k, raw := &e.kept, e.d.additive.raw
	for j := range k.places {
		at := 2 * (j*len(e.parts) + i)
		a, b := k.counts[at], k.counts[at+1]
		c, d := k.child[2*j]-a, k.child[2*j+1]-b
		l += raw.of(a) + raw.of(b) - raw.of(a+b) + raw.of(c) + raw.of(d) - raw.of(c+d)
	}
	return l
}

// loadPairs puts the kept counts of the child with its parents and candidate i, which comes before parent number at, into e.fit.
func (e *DiscreteEvaluator) loadPairs(i, at int) {
	k := &e.kept
	for j, place := range k.places {
		from, to := 2*(j*len(e.parts)+i), beside(place, at)
		a, b := k.counts[from], k.counts[from+1]
		e.fit.addPair(to, a, b)
		e.fit.addPair(to|1<<at, k.child[2*j]-a, k.child[2*j+1]-b)
	}
}
