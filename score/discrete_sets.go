package score

import (
	"math"
	"slices"

	"github.com/polydag/polydag/internal/counts"
)

// With L(F) the sum of the terms over the cells of a set F of columns, the score of v with parents S is 2·(L(S) - L(S + v)) plus
// penalties. So Additions(v, S) needs L(F + x) for every x, for F = S and for F = S + v, and it does not matter which column of F is
// the child. A setSums has these sums of one set. Every column of a family uses the same ones, and S + v is a set of parents in
// turn. On a table with the shape of PIGS (441 columns with 3 categories) 46,000 calls of Additions need 48,000 sets, half of
// which the calls have in common.
type setSums struct {
	own  int64   // L(F)
	with []int64 // L(F + x), in the order of counts.Data.Groups
}

// setMemory is the number of sums in a generation of the cache of a score: 64 MB. ownMemory is the number of sets in a generation of
// the cache of L(F) alone: about 20 MB.
const (
	setMemory = 8 << 20
	ownMemory = 1 << 17
)

// setCache has the sums of the sets of a table, for all evaluators of a score.
type setCache struct {
	sums   counts.BySet[*setSums]
	own    counts.BySet[int64] // L(F) alone, of more sets
	narrow bool
	shared bool  // the same rows count for every column
	place  []int // index of each column in setSums.with, or -1
	placed int
}

// newSetCache returns nil if sums of sets are not used: binary columns are counted by bits.
func newSetCache(t *counts.Data, s DiscreteSettings) *setCache {
	if s.Tables != FullTables || t.Binary() {
		return nil
	}
	c := &setCache{narrow: t.Lanes() <= narrowLanes, shared: !t.HasTargets(), place: make([]int, t.Variables())}
	c.sums.Most, c.own.Most = setMemory, ownMemory
	for x := range c.place {
		c.place[x] = -1
	}
	for _, g := range t.Groups() {
		for _, x := range g.Columns {
			c.place[x] = c.placed
			c.placed++
		}
	}
	return c
}

// refines reports whether sums of sets are used for this family. If the table is narrow, counting by joints skips the rows in which a
// column has its most common category, which takes less time than sorting all rows.
func (e *DiscreteEvaluator) refines(v int, parents []int) bool {
	return e.d.sets != nil && !(e.d.sets.narrow && e.counter.Joinable(v, parents))
}

// narrowLanes is the largest number of categories in a narrow table, of all columns together and without one of each column. On 10,000
// rows of ALARM, which has 68, sums of sets take 1.4 times the time of joints, and on HAILFINDER, which has 167, 0.5 times.
const narrowLanes = 128

// refined adds up the sums of one set.
type refined struct {
	set    *setSums
	self   *terms
	terms  []*terms // of each group; nil if there would be too many cells
	groups []counts.Group
	single int64 // configurations with one row
	visit  counts.Visit
}

// begin prepares for a set with the given number of cells.
func (f *refined) begin(e *DiscreteEvaluator, cells, most float64) {
	if f.visit == nil {
		f.visit = f.add
	}
	f.groups = e.d.table.Groups()
	f.set, f.self, f.single = &setSums{with: make([]int64, e.d.sets.placed)}, e.terms(cells), 0
	f.terms = f.terms[:0]
	for _, g := range f.groups {
		var t *terms
		if cells*float64(g.Levels) <= most {
			t = e.terms(cells * float64(g.Levels))
		}
		f.terms = append(f.terms, t)
	}
}

// add adds the terms of one cell of the set with every level of every column.
func (f *refined) add(rows uint32, few []uint8, many []uint32) {
	f.set.own += f.self.of(rows)
	if rows == 1 {
		f.single++
		return
	}
	to := f.set.with
	for i := range f.groups {
		g, t := &f.groups[i], f.terms[i]
		sums := to[:len(g.Columns)]
		to = to[len(g.Columns):]
		switch {
		case t == nil:
		case few != nil && t.complete > mostFew:
			addFew(sums, few[g.First:], g.Levels, rows, (*[mostFew + 1]int64)(t.table))
		case few != nil:
			addMany(sums, few[g.First:], g.Levels, rows, t)
		default:
			addMany(sums, many[g.First:], g.Levels, rows, t)
		}
	}
}

// end returns the sums.
func (f *refined) end() *setSums {
	to := f.set.with
	for i, g := range f.groups {
		if t := f.terms[i]; t != nil && f.single > 0 {
			one := f.single * t.of(1)
			for k := range g.Columns {
				to[k] += one
			}
		}
		to = to[len(g.Columns):]
	}
	return f.set
}

// mostFew is the largest count in the bytes of a counts.Visit.
const mostFew = 255

// addFew adds the terms of the columns of a group.
func addFew(sums []int64, lanes []uint8, levels int, rows uint32, t *[mostFew + 1]int64) {
	last := uint8(rows)
	switch levels {
	case 1:
		for i := range sums {
			sums[i] += t[last]
		}
	case 2:
		lanes = lanes[:len(sums)]
		for i, a := range lanes {
			sums[i] += t[a] + t[last-a]
		}
	case 3:
		lanes = lanes[:2*len(sums)]
		for i := range sums {
			a, b := lanes[2*i], lanes[2*i+1]
			sums[i] += t[a] + t[b] + t[last-a-b]
		}
	case 4:
		lanes = lanes[:3*len(sums)]
		for i := range sums {
			a, b, c := lanes[3*i], lanes[3*i+1], lanes[3*i+2]
			sums[i] += t[a] + t[b] + t[c] + t[last-a-b-c]
		}
	default:
		for i := range sums {
			sum, rest := int64(0), last
			for _, a := range lanes[:levels-1] {
				sum += t[a]
				rest -= a
			}
			lanes = lanes[levels-1:]
			sums[i] += sum + t[rest]
		}
	}
}

// addMany is addFew for any counts.
func addMany[T uint8 | uint32](sums []int64, lanes []T, levels int, rows uint32, t *terms) {
	if table := t.upTo(rows); table != nil {
		for i := range sums {
			sum, rest := int64(0), rows
			for _, a := range lanes[:levels-1] {
				sum += table[a]
				rest -= uint32(a)
			}
			lanes = lanes[levels-1:]
			sums[i] += sum + table[rest]
		}
		return
	}
	for i := range sums {
		sum, rest := int64(0), rows
		for _, a := range lanes[:levels-1] {
			sum += t.of(uint32(a))
			rest -= uint32(a)
		}
		lanes = lanes[levels-1:]
		sums[i] += sum + t.of(rest)
	}
}

// knownSums returns the sums of the family of v and of its parents, nil if they are not cached. ok is true if both are.
func (e *DiscreteEvaluator) knownSums(v int, parents []int) (family, set *setSums, ok bool) {
	if e.d.sets == nil || !e.d.sets.shared {
		return nil, nil, false
	}
	at, _ := slices.BinarySearch(parents, v)
	e.key = slices.Insert(append(e.key[:0], parents...), at, v)
	family, one := e.d.sets.sums.Get(e.key)
	set, two := e.d.sets.sums.Get(parents)
	return family, set, one && two
}

// sums is knownSums, but counts what is not cached. ok is false if there are too many configurations.
func (e *DiscreteEvaluator) sums(v int, parents []int) (family, set *setSums, ok bool) {
	if family, set, ok = e.knownSums(v, parents); ok {
		return family, set, true
	}
	q, r, most := e.configs(parents), float64(e.d.table.Levels(v)), e.d.most[v]
	var cells, configs counts.Visit
	if family == nil {
		e.cells.begin(e, q*r, most)
		cells = e.cells.visit
	}
	if set == nil {
		e.rest.begin(e, q, most)
		configs = e.rest.visit
	}
	if !e.counter.Refine(v, parents, cells, configs) {
		return nil, nil, false
	}
	if !e.d.sets.shared {
		return e.cells.end(), e.rest.end(), true
	}
	if family == nil {
		family = e.cells.end()
		set := slices.Clone(e.key)
		e.d.sets.sums.Put(set, family, len(family.with))
		e.d.sets.own.Put(set, family.own, 1)
	}
	if set == nil {
		set = e.rest.end()
		parents := slices.Clone(parents)
		e.d.sets.sums.Put(parents, set, len(set.with))
		e.d.sets.own.Put(parents, set.own, 1)
	}
	return family, set, true
}

// sharedAdditions is Additions from sums of sets. It returns false if there are too many configurations.
func (e *DiscreteEvaluator) sharedAdditions(dst []float64, v int, parents []int) bool {
	family, set, ok := e.sums(v, parents)
	if !ok {
		return false
	}
	q, r, most := e.configs(parents), float64(e.d.table.Levels(v)), e.d.most[v]
	for x := range dst {
		if _, known := slices.BinarySearch(parents, x); known || x == v {
			continue
		}
		at, configs := e.d.sets.place[x], q*float64(e.d.table.Levels(x))
		switch {
		case configs*r > most:
			dst[x] = math.Inf(1)
		case at < 0:
			dst[x] = e.with(v, parents, x)
		default:
			dst[x] = e.value(v, len(parents)+1, configs, family.with[at], set.with[at])
		}
	}
	return true
}

// sharedRemovals is Removals from the sums of smaller sets. It counts v and its parents once if one of these is not cached, and returns
// false if there are too many configurations.
func (e *DiscreteEvaluator) sharedRemovals(dst []float64, v int, parents []int) bool {
	if !e.d.sets.shared {
		return false
	}
	t, r := e.d.table, e.d.table.Levels(v)
	configs, stride := e.configs(parents), r
	var cells []uint32
	for j, x := range parents {
		levels := t.Levels(x)
		q, before := configs/float64(levels), stride
		stride *= levels
		if len(parents) > 1 && q*float64(r) > e.d.most[v] {
			dst[j] = math.Inf(1)
			continue
		}
		e.set = append(append(e.set[:0], parents[:j]...), parents[j+1:]...)
		all, known := e.d.sets.own.Get(e.set)
		at, _ := slices.BinarySearch(e.set, v)
		e.key = slices.Insert(append(e.key[:0], e.set...), at, v)
		each, ok := e.d.sets.own.Get(e.key)
		if !known || !ok {
			if cells == nil {
				if cells, ok = e.counter.Cells(v, parents); !ok {
					return false
				}
			}
			e.less = counts.SumOver(e.less, cells, before, levels)
			e.child = counts.SumOver(e.child, e.less, 1, r)
			each, all = e.terms(q*float64(r)).sum(e.less), e.terms(q).sum(e.child)
			e.d.sets.own.Put(slices.Clone(e.key), each, 1)
			e.d.sets.own.Put(slices.Clone(e.set), all, 1)
		}
		dst[j] = e.value(v, len(parents)-1, q, each, all)
	}
	return true
}
