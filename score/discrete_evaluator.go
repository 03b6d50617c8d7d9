package score

import (
	"math"
	"slices"

	"github.com/polydag/polydag/internal/counts"
)

// A DiscreteEvaluator evaluates a Discrete score in one goroutine.
type DiscreteEvaluator struct {
	d       *Discrete
	counter *counts.Counter
	gammas  map[float64]*terms // by number of configurations
	visit   func(*counts.Tally)
	// visitKept is addKept.
	visitKept func(*counts.Tally)
	parts     []part // sums of Additions
	pairs     bool   // all candidates of parts are binary
	set       []int
	// discrete_sets.go
	cells, rest refined
	key         []int
	// discrete_additive.go
	fit    logit
	levels []int   // categories of the parents of fit
	digits []int32 // their categories in a configuration
	child  []uint32
	less   []uint32 // counts without one parent
	kept   tallies
	last   lastScore
	lost   []float64 // by each parent
	// configurations has the rows of each configuration of the parents.
	configurations []uint32
	theta          []float64 // parameters of the latest fit of a whole set, and of one near it
	near           []float64
}

// part is the sum for one candidate of Additions.
type part struct {
	x              int
	configs        float64
	perCell        *terms // terms of counts with v
	perConfig      *terms // terms of counts without v
	inCells, inAll int64
	likelihood     int64 // Σ c·ln c over cells less that over configurations
	estimate       float64
}

// Score returns the local score of v with its parents, ascending; +Inf if there are too few rows. O(n·p) at most, and 64 rows at a
// time if v and its few parents are binary.
func (e *DiscreteEvaluator) Score(v int, parents []int) float64 {
	if e.d.additive == nil || len(parents) < 2 {
		return e.full(v, parents)
	}
	if v == e.last.v && slices.Equal(parents, e.last.parents) {
		return e.last.value
	}
	s := e.both(v, parents)
	e.last.set(v, parents, s)
	return s
}

// Hold counts v and its parents once for the subsets that follow.
func (e *DiscreteEvaluator) Hold(v int, parents []int) {
	at, _ := slices.BinarySearch(parents, v)
	e.key = slices.Insert(append(e.key[:0], parents...), at, v)
	e.counter.Hold(e.key)
}

// full returns the score of the full table.
func (e *DiscreteEvaluator) full(v int, parents []int) float64 {
	q := e.configs(parents)
	r := float64(e.d.table.Levels(v))
	if len(parents) > 0 && q*r > e.d.most[v] {
		return math.Inf(1)
	}
	if family, set, ok := e.knownSums(v, parents); ok {
		return e.value(v, len(parents), q, family.own, set.own)
	}
	cells, configs, known := e.counter.Known(v, parents)
	if !known {
		cells, configs = e.counter.Family(v, parents)
	}
	return e.value(v, len(parents), q, e.terms(q*r).sum(cells), e.terms(q).sum(configs))
}

// Additions writes Score(v, parents + x) to dst[x] for every x that is neither v nor a parent, and leaves the rest. One pass over
// the rows counts for all x with at most counts.MostLevels categories; the others take a call of Score each. With additive effects a
// value that is not below Score(v, parents) may be a lower bound.
func (e *DiscreteEvaluator) Additions(dst []float64, v int, parents []int) {
	if e.d.additive != nil && len(parents) > 0 {
		e.additions(dst, v, parents)
		return
	}
	if e.refines(v, parents) && e.sharedAdditions(dst, v, parents) {
		return
	}
	q := e.configs(parents)
	r := float64(e.d.table.Levels(v))
	e.parts, e.pairs = e.parts[:0], true
	for x := range e.d.Variables() {
		if _, known := slices.BinarySearch(parents, x); known || x == v {
			continue
		}
		levels := e.d.table.Levels(x)
		configs := q * float64(levels)
		if configs*r > e.d.most[v] {
			dst[x] = math.Inf(1)
		} else if levels > counts.MostLevels {
			dst[x] = e.with(v, parents, x)
		} else {
			e.pairs = e.pairs && levels == 2
			e.parts = append(e.parts, part{x: x, configs: configs, perCell: e.terms(configs * r), perConfig: e.terms(configs)})
		}
	}
	if len(e.parts) == 0 {
		return
	}
	counted := e.counter.Joined(v, parents, e.visit) || e.counter.Extend(v, parents, e.visit)
	for i := range e.parts {
		p := &e.parts[i]
		if counted {
			dst[p.x] = e.value(v, len(parents)+1, p.configs, p.inCells, p.inAll)
		} else {
			dst[p.x] = e.with(v, parents, p.x)
		}
	}
}

// Removals writes Score(v, parents without parents[j]) to dst[j], from one table of counts unless that is too large. With additive
// effects a value is an estimate where it is far from Score(v, parents).
func (e *DiscreteEvaluator) Removals(dst []float64, v int, parents []int) {
	if e.d.additive != nil && len(parents) > 2 {
		e.removals(dst, v, parents)
		return
	}
	if e.refines(v, parents) && e.sharedRemovals(dst, v, parents) {
		return
	}
	for j := range parents {
		dst[j] = e.without(v, parents, j)
	}
}

// without returns the score of the full table without parents[j].
func (e *DiscreteEvaluator) without(v int, parents []int, j int) float64 {
	r := float64(e.d.table.Levels(v))
	less := e.configs(parents) / float64(e.d.table.Levels(parents[j]))
	e.set = append(append(e.set[:0], parents[:j]...), parents[j+1:]...)
	if cells, configs, ok := e.counter.Less(v, parents, j); ok && (len(parents) == 1 || less*r <= e.d.most[v]) {
		return e.value(v, len(parents)-1, less, e.terms(less*r).sum(cells), e.terms(less).sum(configs))
	}
	return e.full(v, e.set)
}

// add adds the counts of one configuration of the parents.
func (e *DiscreteEvaluator) add(y *counts.Tally) {
	r := len(y.Child)
	if r == 2 && e.pairs {
		e.addPairs(y)
		return
	}
	for i := range e.parts {
		p := &e.parts[i]
		inCells, inAll := int64(0), int64(0)
		for n := y.Levels[p.x]; len(n) > 0; n = n[r:] {
			sum := uint32(0)
			for _, c := range n[:r] {
				inCells += p.perCell.of(c)
				sum += c
			}
			inAll += p.perConfig.of(sum)
		}
		p.inCells += inCells
		p.inAll += inAll
	}
}

// addPairs is add if v and all candidates are binary and so have the same terms.
func (e *DiscreteEvaluator) addPairs(y *counts.Tally) {
	perCell, perConfig := e.parts[0].perCell, e.parts[0].perConfig
	for i := range e.parts {
		p := &e.parts[i]
		n := y.Levels[p.x][:4:4]
		p.inCells += perCell.of(n[0]) + perCell.of(n[1]) + perCell.of(n[2]) + perCell.of(n[3])
		p.inAll += perConfig.of(n[0]+n[1]) + perConfig.of(n[2]+n[3])
	}
}

// with returns Score(v, parents + x).
func (e *DiscreteEvaluator) with(v int, parents []int, x int) float64 {
	e.set = append(e.set[:0], parents...)
	at, _ := slices.BinarySearch(e.set, x)
	e.set = slices.Insert(e.set, at, x)
	return e.Score(v, e.set)
}

// configs returns the number of configurations of the parents, exact up to maxCells.
func (e *DiscreteEvaluator) configs(parents []int) float64 {
	q := 1.0
	for _, p := range parents {
		q *= float64(e.d.table.Levels(p))
	}
	return q
}

// value computes the score of v from its sums.
func (e *DiscreteEvaluator) value(v, parents int, q float64, inCells, inAll int64) float64 {
	fit := 2 * float64(inAll-inCells) / e.d.scale
	price := e.d.edge * float64(parents)
	if e.d.s.Criterion == BIC {
		price += e.d.logN[v] * float64(e.d.table.Levels(v)-1) * q
	}
	return fit + price
}

// terms returns the terms for this number of configurations. Tables of BDeu depend on the number and are made on first use; when
// there are too many, the cache is cleared.
func (e *DiscreteEvaluator) terms(configs float64) *terms {
	if e.d.s.Criterion == BIC {
		return e.d.plain
	}
	t := e.gammas[configs]
	if t == nil {
		if len(e.gammas) >= maxGammas {
			clear(e.gammas)
		}
		first := gammaCounts
		if e.d.s.weight() == 1 && !e.d.s.Drawn {
			first = mostFew // enough for most cells; reach computes the others
		}
		t = newTerms(e.d.s.Ess/configs, e.d.s.weight(), e.d.s.Drawn, e.d.scale, first)
		most := gammaCounts
		if rows := e.d.Rows(); len(e.gammas) < wholeGammas || rows <= fewCounts {
			most = min(rows, wholeCounts)
		}
		t.makeOwned(most)
		e.gammas[configs] = t
	}
	return t
}

// A table takes 2 kB, 8 kB with counts above 255, and the cache of larger counts 64 kB. The first tables, which are all if the columns
// are binary, and those of tables with few rows have entries for counts up to 65,535 instead of the cache.
const (
	maxGammas   = 4096
	gammaCounts = 1023
	wholeGammas = 32
	wholeCounts = 1<<16 - 1
	fewCounts   = 1 << 14
)
