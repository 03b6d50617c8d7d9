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
	with []int64 // L(F + x), in the order of counts.Table.Groups
}

// setMemory is the number of sums in a generation of the cache of a score: 64 MB.
const setMemory = 8 << 20

// sharesSets reports whether sums of sets are used: the rows that count must be the same for every column. Binary columns are
// counted by bits.
func (d *Discrete) sharesSets() bool {
	return d.s.Tables == FullTables && !d.table.HasTargets() && !d.table.Binary()
}

// places returns the index of each column in setSums.with, or -1, and the length of that.
func (d *Discrete) places() (at []int, n int) {
	at = make([]int, d.Variables())
	for x := range at {
		at[x] = -1
	}
	for _, g := range d.table.Groups() {
		for _, x := range g.Columns {
			at[x] = n
			n++
		}
	}
	return at, n
}

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
	f.set, f.self, f.single = &setSums{with: make([]int64, e.d.placed)}, e.terms(cells), 0
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
	if rows <= gammaCounts && t.own && t.complete <= gammaCounts {
		t.reach()
	}
	if int(rows) < t.complete {
		table := t.table[:rows+1]
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
	if !e.d.shares {
		return nil, nil, false
	}
	at, _ := slices.BinarySearch(parents, v)
	e.key = slices.Insert(append(e.key[:0], parents...), at, v)
	family, one := e.d.sets.Get(e.key)
	set, two := e.d.sets.Get(parents)
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
	if family == nil {
		family = e.cells.end()
		e.d.sets.Put(slices.Clone(e.key), family, len(family.with))
	}
	if set == nil {
		set = e.rest.end()
		e.d.sets.Put(slices.Clone(parents), set, len(set.with))
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
		at, configs := e.d.place[x], q*float64(e.d.table.Levels(x))
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

// sharedRemovals is Removals from one count of v and its parents. It returns false if there are too many configurations.
func (e *DiscreteEvaluator) sharedRemovals(dst []float64, v int, parents []int) bool {
	cells, ok := e.counter.Cells(v, parents)
	if !ok {
		return false
	}
	t := e.d.table
	r := t.Levels(v)
	configs, stride := e.configs(parents), r
	for j, x := range parents {
		levels := t.Levels(x)
		q := configs / float64(levels)
		e.less = counts.SumOver(e.less, cells, stride, levels)
		stride *= levels
		if len(parents) > 1 && q*float64(r) > e.d.most[v] {
			dst[j] = math.Inf(1)
			continue
		}
		e.child = counts.SumOver(e.child, e.less, 1, r)
		dst[j] = e.value(v, len(parents)-1, q, e.terms(q*float64(r)).sum(e.less), e.terms(q).sum(e.child))
	}
	return true
}
