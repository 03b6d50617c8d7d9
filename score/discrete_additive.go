package score

import (
	"math"
	"slices"

	"github.com/polydag/polydag/internal/counts"
)

// tallies keeps the counts of a pass over the configurations of the parents, so that only the candidates that may improve the score
// are fitted.
type tallies struct {
	on      bool // counts are kept
	parents []int
	width   int   // counts of one configuration
	first   []int // first count of each candidate
	counts  []uint32
	child   []uint32 // counts of the child, of one configuration after the other
	digits  []int32  // categories of the parents
	places  []int    // configurations of the parents as numbers, if cube is set
	cube    bool     // all columns are binary: discrete_additive_pairs.go
	// excess and variance have the sums of estimate, for each count of a configuration.
	excess, variance []float64
}

// A lastScore is the latest score of a column with several parents.
type lastScore struct {
	v       int
	parents []int
	value   float64
}

func (l *lastScore) set(v int, parents []int, value float64) {
	l.v, l.parents, l.value = v, append(l.parents[:0], parents...), value
}

// mostTallies bounds the counts that are kept: 8 MB.
const mostTallies = 1 << 21

// additive returns the score of v with additive effects of at least two parents.
func (e *DiscreteEvaluator) additive(v int, parents []int) float64 {
	if !e.d.fits(e.configs(parents), len(parents)) {
		return math.Inf(1)
	}
	if cells, at, ok := e.family(v, parents); ok {
		e.loadCells(v, parents, cells, at)
	} else {
		e.loadOccupied(v, parents)
	}
	return e.solved(v, parents, exactFit)
}

// Logit returns the score of v with additive effects of its parents, ascending, however many configurations they have: a search considers
// only few. Without settings for additive effects, and with fewer than two parents, it is that of the full table.
func (e *DiscreteEvaluator) Logit(v int, parents []int) float64 {
	if e.d.additive == nil || len(parents) < 2 {
		return e.full(v, parents)
	}
	e.loadOccupied(v, parents)
	return e.solved(v, parents, exactFit)
}

// both returns the better of the full table and additive effects, from one count of the rows.
func (e *DiscreteEvaluator) both(v int, parents []int) float64 {
	q := e.configs(parents)
	if !e.d.fits(q, len(parents)) {
		return e.d.better(e.full(v, parents), math.Inf(1))
	}
	cells, at, ok := e.family(v, parents)
	if !ok {
		return e.d.better(e.full(v, parents), e.additive(v, parents))
	}
	e.loadCells(v, parents, cells, at)
	return e.d.better(e.fullOf(v, parents, q, cells, at), e.solved(v, parents, exactFit))
}

// solved returns the score of additive effects after the counts were loaded.
func (e *DiscreteEvaluator) solved(v int, parents []int, least float64) float64 {
	return e.d.additive.penalty(v, parents) - 2*e.d.s.weight()*e.fit.solve(least)
}

// begin empties e.fit.
func (e *DiscreteEvaluator) begin(v int, parents []int) {
	e.levels = e.levels[:0]
	for _, p := range parents {
		e.levels = append(e.levels, e.d.table.Levels(p))
	}
	e.fit.reset(e.d.table.Levels(v), e.levels)
	e.digits = append(e.digits[:0], make([]int32, len(parents))...)
}

// loadCells puts the counts of v and its parents into e.fit. The number of a cell is Σ stride·category over the columns, in which v
// stands before parent number at, and the stride of the first column is 1. For any place of v the configurations of the parents come
// in the same order.
func (e *DiscreteEvaluator) loadCells(v int, parents []int, cells []uint32, at int) {
	e.begin(v, parents)
	if e.d.table.Binary() && e.fit.cube {
		for c := range len(cells) / 2 {
			zeros := beside(c, at)
			e.fit.addPair(c, cells[zeros], cells[zeros|1<<at])
		}
		return
	}
	r, stride := e.fit.r, 1
	for _, l := range e.levels[:at] {
		stride *= l
	}
	e.child = append(e.child[:0], make([]uint32, r)...)
	for base := 0; base < len(cells); base += stride * r {
		for first := base; first < base+stride; first++ {
			for y := range e.child {
				e.child[y] = cells[first+y*stride]
			}
			e.fit.add(e.digits, e.child)
			for i := range e.digits {
				if e.digits[i]++; int(e.digits[i]) < e.levels[i] {
					break
				}
				e.digits[i] = 0
			}
		}
	}
}

// loadOccupied is loadCells where there are too many configurations.
func (e *DiscreteEvaluator) loadOccupied(v int, parents []int) {
	e.begin(v, parents)
	r := e.fit.r
	cells, first := e.counter.Occupied(v, parents)
	for j, row := range first {
		for i, p := range parents {
			e.digits[i] = int32(e.d.table.Level(p, int(row)))
		}
		e.fit.add(e.digits, cells[j*r:(j+1)*r])
	}
}

// additions is Additions with additive effects and at least one parent.
func (e *DiscreteEvaluator) additions(dst []float64, v int, parents []int) {
	d := e.d
	if slices.ContainsFunc(parents, func(p int) bool { return d.table.Levels(p) > counts.MostLevels }) {
		for x := range d.Variables() {
			if _, known := slices.BinarySearch(parents, x); !known && x != v {
				dst[x] = e.with(v, parents, x)
			}
		}
		return
	}
	e.prepare(dst, v, parents)
	if len(e.parts) == 0 {
		return
	}
	joined := e.counter.Joined(v, parents, e.visitKept)
	if !joined && !e.counter.Extend(v, parents, e.visitKept) {
		for i := range e.parts {
			dst[e.parts[i].x] = e.with(v, parents, e.parts[i].x)
		}
		return
	}
	penalty := d.additive.penalty(v, parents)
	own := math.Inf(1)
	e.theta = e.theta[:0]
	if d.fits(e.configs(parents), len(parents)) {
		e.loadParents(v, parents)
		own = penalty - 2*d.s.weight()*e.fit.solve(exactFit)
		e.theta = e.fit.parameters(e.theta)
	}
	current := e.full(v, parents)
	table, each := current, e.kept.cube && len(parents) >= hopelessParents
	if e.kept.cube && !each {
		e.sumAllPairs()
	}
	if len(parents) > 1 {
		current = d.better(current, own)
		if joined { // Cells has the same order of configurations, so that Score has the same bits
			e.last.set(v, parents, current)
		}
	}
	if !math.IsInf(own, 1) {
		e.estimate()
	}
	for i := range e.parts {
		p := &e.parts[i]
		full := math.Inf(1)
		if p.perCell != nil && !e.hopeless(v, len(parents), table, own, p.estimate) {
			if each {
				e.sumPairs(i)
			}
			full = e.value(v, len(parents)+1, p.configs, p.inCells, p.inAll)
		}
		if !d.fits(p.configs, len(parents)+1) {
			dst[p.x] = d.better(full, math.Inf(1))
			continue
		}
		edge := d.additive.pair[v*d.Variables()+p.x]
		additive := own + edge - d.s.weight()*p.estimate
		if additive < current+0.6*edge { // a search does not look at the others (loose of package search)
			additive = max(additive, penalty+edge-2*float64(e.likelihood(v, i))/d.scale)
		}
		value := d.better(full, additive)
		if borderline := math.Abs(value-current) < 0.3*edge; borderline && e.kept.on {
			e.loadKept(v, parents, i)
			value = d.better(full, penalty+edge-2*d.s.weight()*e.fit.solveFrom(e.thetaWith(p.x), quickFit))
		}
		dst[p.x] = value
	}
}

// thetaWith returns the parameters in e.theta for e.set, which has the parent x besides those of e.theta, with 0 for x; none if they are
// unknown.
func (e *DiscreteEvaluator) thetaWith(x int) []float64 {
	if len(e.theta) == 0 {
		return nil
	}
	e.near = append(e.near[:0], e.theta[0])
	rest := e.theta[1:]
	for _, p := range e.set {
		n := e.d.table.Levels(p) - 1
		if p == x {
			e.near = append(e.near, make([]float64, n)...)
			continue
		}
		e.near, rest = append(e.near, rest[:n]...), rest[n:]
	}
	return e.near
}

// thetaWithout returns the parameters in e.theta without those of parent i; none if they are unknown.
func (e *DiscreteEvaluator) thetaWithout(parents []int, i int) []float64 {
	if len(e.theta) == 0 {
		return nil
	}
	at := 1
	for _, p := range parents[:i] {
		at += e.d.table.Levels(p) - 1
	}
	e.near = append(append(e.near[:0], e.theta[:at]...), e.theta[at+e.d.table.Levels(parents[i])-1:]...)
	return e.near
}

// mostConfigs bounds the configurations of the parents of additive effects, as far as there are more than fewParents: the work of a
// fit is proportional to it.
const (
	mostConfigs = 256
	fewParents  = 3
)

// fits reports whether additive effects are considered for so many configurations of the parents.
func (d *Discrete) fits(configs float64, parents int) bool {
	return configs <= mostConfigs || parents <= fewParents
}

// removals is Removals with additive effects and at least three parents, from one count of the rows. A removal that may improve the
// score is fitted; the others are estimated by the Wald statistic of the effect.
func (e *DiscreteEvaluator) removals(dst []float64, v int, parents []int) {
	d := e.d
	configs := e.configs(parents)
	fewest := configs // without the parent with the most categories
	for _, x := range parents {
		fewest = min(fewest, configs/float64(d.table.Levels(x)))
	}
	cells, at, ok := []uint32(nil), 0, d.fits(fewest, len(parents)-1)
	if ok {
		cells, at, ok = e.family(v, parents)
	}
	if !ok {
		e.uncountedRemovals(dst, v, parents, configs)
		return
	}
	e.loadCells(v, parents, cells, at)
	current, own := e.fullOf(v, parents, configs, cells, at), math.Inf(1)
	e.lost = append(e.lost[:0], make([]float64, len(parents))...)
	for j := range e.lost {
		e.lost[j] = math.NaN()
	}
	e.theta = e.theta[:0]
	if d.fits(configs, len(parents)) {
		if own = e.solved(v, parents, exactFit); e.fit.steps {
			e.fit.wald(e.lost)
		}
		e.theta = e.fit.parameters(e.theta)
	}
	current = d.better(current, own)
	r := d.table.Levels(v)
	before := 1 // cells of the columns before parents[j]
	for j, x := range parents {
		if j == at {
			before *= r
		}
		levels := d.table.Levels(x)
		stride := before
		before *= levels
		if !d.fits(configs/float64(levels), len(parents)-1) {
			dst[j] = e.weakest(current, v, x)
			continue
		}
		e.set = append(append(e.set[:0], parents[:j]...), parents[j+1:]...)
		e.less = counts.SumOver(e.less, cells, stride, levels)
		place := at
		if j < at {
			place--
		}
		full := e.fullOf(v, e.set, configs/float64(levels), e.less, place)
		edge := d.additive.pair[v*d.Variables()+x]
		dst[j] = d.better(full, own-edge+d.s.weight()*e.lost[j])
		if !(math.Abs(dst[j]-current) > 0.5*edge) { // also if there is no estimate
			e.loadCells(v, e.set, e.less, place)
			dst[j] = d.better(full, d.additive.penalty(v, e.set)-2*d.s.weight()*e.fit.solveFrom(e.thetaWithout(parents, j), quickFit))
		}
	}
}

// uncountedRemovals is removals if there are too many configurations for one count.
func (e *DiscreteEvaluator) uncountedRemovals(dst []float64, v int, parents []int, configs float64) {
	current := e.Score(v, parents)
	for j, x := range parents {
		if !e.d.fits(configs/float64(e.d.table.Levels(x)), len(parents)-1) {
			dst[j] = e.weakest(current, v, x)
			continue
		}
		e.set = append(append(e.set[:0], parents[:j]...), parents[j+1:]...)
		dst[j] = e.Score(v, e.set)
	}
}

// weakest returns the value of the removal of x if there are too many configurations for additive effects without it too: the weakest
// parent is removed first.
func (e *DiscreteEvaluator) weakest(current float64, v, x int) float64 {
	i := v*e.d.Variables() + x
	return current - e.d.additive.pair[i]/(1+max(0, e.d.additive.gain[i]))
}

// family returns the counts of v and its parents, in which v stands before parent number at; false if there are too many cells. They
// are valid until the next call.
func (e *DiscreteEvaluator) family(v int, parents []int) (cells []uint32, at int, ok bool) {
	if cells, _, ok = e.counter.Known(v, parents); ok {
		at, _ = slices.BinarySearch(parents, v)
		return cells, at, true
	}
	cells, ok = e.counter.Cells(v, parents)
	return cells, 0, ok
}

// fullOf returns the score of the full table from counts in which v stands before parent number at.
func (e *DiscreteEvaluator) fullOf(v int, parents []int, q float64, cells []uint32, at int) float64 {
	levels := e.d.table.Levels(v)
	r := float64(levels)
	if q*r > e.d.most[v] {
		return math.Inf(1)
	}
	stride := 1
	for _, p := range parents[:at] {
		stride *= e.d.table.Levels(p)
	}
	e.configurations = counts.SumOver(e.configurations, cells, stride, levels)
	return e.value(v, len(parents), q, e.terms(q*r).sum(cells), e.terms(q).sum(e.configurations))
}
