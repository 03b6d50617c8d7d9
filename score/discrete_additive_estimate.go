package score

import (
	"math"
	"slices"

	"github.com/polydag/polydag/internal/counts"
)

// prepare lists the candidates of additions that are counted together, and computes the others.
func (e *DiscreteEvaluator) prepare(dst []float64, v int, parents []int) {
	d := e.d
	q, r := e.configs(parents), float64(d.table.Levels(v))
	e.parts = e.parts[:0]
	k := &e.kept
	k.width = 0
	k.parents, k.first, k.counts, k.digits, k.child, k.places = append(k.parents[:0], parents...), k.first[:0], k.counts[:0], k.digits[:0], k.child[:0], k.places[:0]
	for x := range d.Variables() {
		if _, known := slices.BinarySearch(parents, x); known || x == v {
			continue
		}
		levels := d.table.Levels(x)
		if levels > counts.MostLevels {
			dst[x] = e.with(v, parents, x)
			continue
		}
		configs := q * float64(levels)
		p := part{x: x, configs: configs}
		if configs*r <= d.most[v] {
			p.perCell, p.perConfig = e.terms(configs*r), e.terms(configs)
		}
		e.parts = append(e.parts, p)
		k.first = append(k.first, k.width)
		k.width += levels * d.table.Levels(v)
	}
	k.on = min(q, float64(d.table.Rows()))*float64(k.width) <= mostTallies
	k.cube = k.on && d.table.Binary() && 2*q <= mostCube
}

// estimate computes for each candidate x an estimate from above of what it adds to twice the log-likelihood: the score statistic with
// the variance of x within configurations of the parents. With the fitted probabilities P(y | j) of e.fit and n_jl rows with
// configuration j and category l of x,
//
//	Σ_ly U_ly²/V_ly · (r-1)(s-1)/(rs),   U_ly = Σ_j (n_jly - n_jl·P(y | j)),   V_ly = Σ_j P(y | j)·(1 - P(y | j))·n_jl·(1 - n_jl/n_j).
func (e *DiscreteEvaluator) estimate() {
	k, r := &e.kept, e.fit.r
	if !k.on {
		for i := range e.parts {
			e.parts[i].estimate = math.Inf(1)
		}
		return
	}
	if k.cube {
		e.estimatePairs()
		return
	}
	k.excess, k.variance = zeros(k.excess, k.width), zeros(k.variance, k.width)
	for j, total := range e.fit.total {
		fitted := e.fit.fit[j*r : (j+1)*r]
		n := k.counts[j*k.width : (j+1)*k.width]
		for at := 0; at < len(n); at += r {
			sum := uint32(0)
			for _, c := range n[at : at+r] {
				sum += c
			}
			if sum == 0 {
				continue
			}
			rows := float64(sum)
			spread := rows * (1 - rows/total)
			for y, c := range n[at : at+r] {
				p := fitted[y] / total
				k.excess[at+y] += float64(c) - rows*p
				k.variance[at+y] += p * (1 - p) * spread
			}
		}
	}
	for i := range e.parts {
		p := &e.parts[i]
		size := e.d.table.Levels(p.x) * r
		at, sum := k.first[i], 0.0
		for h := at; h < at+size; h++ {
			if u := k.excess[h]; k.variance[h] > 0 {
				sum += u * u / k.variance[h]
			} else if math.Abs(u) > 1e-6 {
				sum = math.Inf(1)
			}
		}
		p.estimate = sum * float64((r-1)*(size/r-1)) / float64(size)
	}
}

// loadParents puts the kept counts of v and its parents into e.fit.
func (e *DiscreteEvaluator) loadParents(v int, parents []int) {
	e.begin(v, parents)
	k, r := &e.kept, e.fit.r
	for j, place := range k.places {
		e.fit.addPair(place, k.child[2*j], k.child[2*j+1])
	}
	for j := 0; !k.cube && j*r < len(k.child); j++ {
		e.fit.add(k.digits[j*len(parents):(j+1)*len(parents)], k.child[j*r:(j+1)*r])
	}
}

// addKept adds the counts of one configuration of the parents, and keeps them. If they are too many to keep, it adds up the likelihoods,
// which otherwise are computed for few candidates (likelihood).
func (e *DiscreteEvaluator) addKept(y *counts.Tally) {
	r, k, raw := len(y.Child), &e.kept, e.d.additive.raw
	k.child = append(k.child, y.Child...)
	if k.cube {
		e.keepPairs(y)
		return
	}
	for _, p := range k.parents {
		k.digits = append(k.digits, categoryOf(y.Levels[p], r))
	}
	var to []uint32
	if k.on {
		at := len(k.counts)
		k.counts = slices.Grow(k.counts, k.width)[:at+k.width]
		to = k.counts[at:]
	}
	for i := range e.parts {
		p := &e.parts[i]
		n := y.Levels[p.x]
		if k.on {
			copy(to[k.first[i]:], n)
		} else {
			p.likelihood += raw.likelihood(n, r)
		}
		if p.perCell == nil {
			continue
		}
		for ; len(n) > 0; n = n[r:] {
			sum := uint32(0)
			for _, c := range n[:r] {
				p.inCells += p.perCell.of(c)
				sum += c
			}
			p.inAll += p.perConfig.of(sum)
		}
	}
}

// likelihood returns Σ c·ln c over the cells of one configuration less that over its categories, of r counts each, for terms of c·ln c.
func (t *terms) likelihood(n []uint32, r int) (l int64) {
	for ; len(n) > 0; n = n[r:] {
		sum := uint32(0)
		for _, c := range n[:r] {
			l += t.of(c)
			sum += c
		}
		l -= t.of(sum)
	}
	return l
}

// likelihood returns the log-likelihood of the full table with candidate i, in the scale of the terms.
func (e *DiscreteEvaluator) likelihood(v, i int) (l int64) {
	k, p := &e.kept, &e.parts[i]
	if !k.on {
		return p.likelihood
	}
	if k.cube {
		return e.pairLikelihood(i)
	}
	r, raw := e.d.table.Levels(v), e.d.additive.raw
	size := e.d.table.Levels(p.x) * r
	for at := k.first[i]; at < len(k.counts); at += k.width {
		l += raw.likelihood(k.counts[at:at+size], r)
	}
	return l
}

// categoryOf returns the only category that has counts.
func categoryOf(counts []uint32, r int) int32 {
	for at, c := range counts {
		if c > 0 {
			return int32(at / r)
		}
	}
	return 0
}

// loadKept puts the kept counts of v with its parents and candidate i into e.fit.
func (e *DiscreteEvaluator) loadKept(v int, parents []int, i int) {
	t, k := e.d.table, &e.kept
	x, r := e.parts[i].x, t.Levels(v)
	at, _ := slices.BinarySearch(parents, x)
	e.set = slices.Insert(append(e.set[:0], parents...), at, x)
	e.begin(v, e.set)
	if k.cube {
		e.loadPairs(i, at)
		return
	}
	size := t.Levels(x) * r
	for j := 0; j*k.width < len(k.counts); j++ {
		e.digits = append(e.digits[:0], k.digits[j*len(parents):(j+1)*len(parents)]...)
		e.digits = slices.Insert(e.digits, at, 0)
		from := j*k.width + k.first[i]
		for n := k.counts[from : from+size]; len(n) > 0; n = n[r:] {
			e.fit.add(e.digits, n[:r])
			e.digits[at]++
		}
	}
}
