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
	k.on, k.width = true, 0
	k.parents, k.first, k.counts, k.digits, k.child = append(k.parents[:0], parents...), k.first[:0], k.counts[:0], k.digits[:0], k.child[:0]
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
	k.excess, k.variance = zeros(k.excess, k.width), zeros(k.variance, k.width)
	for j, total := range e.fit.total {
		fitted := e.fit.fit[j*r : (j+1)*r]
		n := k.counts[j*k.width : (j+1)*k.width]
		if r == 2 {
			e.estimatePairs(n, fitted[1]/total, total)
			continue
		}
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
		if r == 2 {
			sum *= 2
		}
		p.estimate = sum * float64((r-1)*(size/r-1)) / float64(size)
	}
}

// estimatePairs is a step of estimate for a binary child, for its second category alone: the first has the same terms.
func (e *DiscreteEvaluator) estimatePairs(n []uint32, p, total float64) {
	k := &e.kept
	w := p * (1 - p)
	for at := 0; at+1 < len(n); at += 2 {
		rows := float64(n[at] + n[at+1])
		k.excess[at] += float64(n[at+1]) - rows*p
		k.variance[at] += w * rows * (1 - rows/total)
	}
}

// loadParents puts the kept counts of v and its parents into e.fit.
func (e *DiscreteEvaluator) loadParents(v int, parents []int) {
	e.begin(v, parents)
	k, r := &e.kept, e.fit.r
	for j := 0; j*r < len(k.child); j++ {
		e.fit.add(k.digits[j*len(parents):(j+1)*len(parents)], k.child[j*r:(j+1)*r])
	}
}

// addKept adds the counts of one configuration of the parents, and keeps them.
func (e *DiscreteEvaluator) addKept(y *counts.Tally) {
	r := len(y.Child)
	raw := e.d.additive.raw
	for i := range e.parts {
		p := &e.parts[i]
		n := y.Levels[p.x]
		full := p.perCell != nil
		for ; len(n) > 0; n = n[r:] {
			sum := uint32(0)
			for _, c := range n[:r] {
				if full {
					p.inCells += p.perCell.of(c)
				}
				p.likelihood += raw.of(c)
				sum += c
			}
			if full {
				p.inAll += p.perConfig.of(sum)
			}
			p.likelihood -= raw.of(sum)
		}
	}
	k := &e.kept
	k.child = append(k.child, y.Child...)
	for _, p := range k.parents {
		k.digits = append(k.digits, categoryOf(y.Levels[p], r))
	}
	if k.on = k.on && len(k.counts)+k.width <= mostTallies; !k.on {
		return
	}
	for i := range e.parts {
		k.counts = append(k.counts, y.Levels[e.parts[i].x]...)
	}
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
