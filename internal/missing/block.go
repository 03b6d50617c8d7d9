package missing

import "slices"

// A block draws the missing categories of a row together, from their distribution given the rest of the row, by variable elimination.
// Where columns nearly determine each other, draws of one category at a time hardly change.
type block struct {
	g       *Network
	of      []int32   // variable of each column, -1 for none
	columns []int32   // column of each variable
	factors []factor  // probabilities of families, and sums over eliminated variables
	on      [][]int32 // factors of each variable that are not yet multiplied
	size    []int     // cells of the table that eliminates a variable; 0 if it is done
	steps   []factor  // tables in the order of elimination; the eliminated variable comes first
	alone   []int32   // columns to draw by themselves
	near    []int     // variables of the next table
	ints    arena[int]
	cells   arena[float64]
}

// A factor is a function of variables: the cell of their codes is the sum of code times stride.
type factor struct {
	on, stride []int
	p          []float64
}

// mostBlock limits the cells of a table. A variable that needs a larger one keeps its value and is drawn by itself.
const mostBlock = 1 << 10

func newBlock(g *Network) *block {
	b := &block{g: g, of: make([]int32, len(g.nodes))}
	for v := range b.of {
		b.of[v] = -1
	}
	return b
}

// draw draws the missing categories of a row whose families have probability tables. It returns the columns that remain to be drawn one
// by one: numbers, categories with additive models, and categories whose tables would be too large.
func (b *block) draw(s *gibbs, row []float64, lacks []int32) []int32 {
	b.columns, b.factors, b.steps, b.alone = b.columns[:0], b.factors[:0], b.steps[:0], b.alone[:0]
	b.ints.reset()
	b.cells.reset()
	for _, v := range lacks {
		if !b.g.nodes[v].tables {
			b.alone = append(b.alone, v)
			continue
		}
		u := len(b.columns)
		b.of[v] = int32(u)
		b.columns = append(b.columns, v)
		if u == len(b.on) {
			b.on, b.size = append(b.on, nil), append(b.size, 0)
		}
		b.on[u] = b.on[u][:0]
	}
	for _, v := range b.columns {
		b.family(row, int(v))
		for _, c := range b.g.nodes[v].children {
			if b.of[c] < 0 && b.firstParent(c) == int(v) {
				b.family(row, c)
			}
		}
	}
	for u := range b.columns {
		b.size[u] = b.scope(u)
	}
	for range b.columns {
		b.eliminate(row)
	}
	for _, f := range slices.Backward(b.steps) {
		at := 0
		for i, u := range f.on[1:] {
			at += f.stride[i+1] * int(row[b.columns[u]])
		}
		row[b.columns[f.on[0]]] = float64(s.pick(f.p[at : at+b.levels(f.on[0])]))
	}
	for _, v := range b.columns {
		b.of[v] = -1
	}
	return b.alone
}

// levels returns the number of levels of variable u.
func (b *block) levels(u int) int { return len(b.g.columns[b.columns[u]].levels) }

// firstParent returns the first parent of column c that is a variable.
func (b *block) firstParent(c int) int {
	for _, p := range b.g.nodes[c].parents {
		if b.of[p] >= 0 {
			return p
		}
	}
	return -1
}

// family adds the probability of column c given its parents.
func (b *block) family(row []float64, c int) {
	t := b.g.nodes[c].table
	on, stride := b.ints.take(len(t.parents) + 1)[:0], b.ints.take(len(t.parents) + 1)[:0]
	at := 0
	put := func(v, step int) {
		if u := b.of[v]; u >= 0 {
			on, stride = append(on, int(u)), append(stride, step)
		} else {
			at += step * int(row[v])
		}
	}
	put(c, 1)
	for i, p := range t.parents {
		put(p, t.stride[i])
	}
	b.add(on, stride, t.p[at:])
}

// add adds a factor.
func (b *block) add(on, stride []int, p []float64) {
	for _, u := range on {
		b.on[u] = append(b.on[u], int32(len(b.factors)))
	}
	b.factors = append(b.factors, factor{on, stride, p})
}

// scope sets near to u and the variables that share a factor with it. It returns the number of cells of their table, or a number above
// mostBlock.
func (b *block) scope(u int) int {
	b.near = append(b.near[:0], u)
	cells := b.levels(u)
	for _, f := range b.on[u] {
		for _, w := range b.factors[f].on {
			if !slices.Contains(b.near, w) {
				b.near = append(b.near, w)
				cells = min(cells*b.levels(w), 2*mostBlock)
			}
		}
	}
	return cells
}

// eliminate multiplies the factors of the variable with the smallest table and adds their sum over the variable as a factor.
func (b *block) eliminate(row []float64) {
	u := -1
	for w := range b.columns {
		if b.size[w] > 0 && (u < 0 || b.size[w] < b.size[u]) {
			u = w
		}
	}
	cells := b.scope(u)
	if cells > mostBlock {
		b.hold(row)
		return
	}
	on, stride := b.ints.take(len(b.near)), b.ints.take(len(b.near))
	copy(on, b.near)
	for i, n := 0, 1; i < len(on); i++ {
		stride[i] = n
		n *= b.levels(on[i])
	}
	p := b.cells.take(cells)
	b.multiply(p, on, b.on[u])
	b.steps = append(b.steps, factor{on, stride, p})
	b.size[u] = 0
	if len(on) == 1 {
		return
	}
	for _, w := range on[1:] {
		b.on[w] = slices.DeleteFunc(b.on[w], func(f int32) bool { return slices.Contains(b.on[u], f) })
	}
	k := b.levels(u)
	sums, steps, most := b.cells.take(cells/k), b.ints.take(len(on)-1), 0.0
	for i := range sums {
		sums[i] = 0
		for _, q := range p[i*k : (i+1)*k] {
			sums[i] += q
		}
		most = max(most, sums[i])
	}
	for i := range sums {
		sums[i] /= most // against underflow
	}
	for i := range steps {
		steps[i] = stride[i+1] / k
	}
	b.add(on[1:], steps, sums)
	for _, w := range on[1:] {
		b.size[w] = b.scope(w)
	}
}

// multiply writes the product of factors over the variables on.
func (b *block) multiply(p []float64, on []int, factors []int32) {
	for i := range p {
		p[i] = 1
	}
	mark := len(b.ints.used)
	step, digit := b.ints.take(len(on)), b.ints.take(len(on))
	for _, k := range factors {
		f := &b.factors[k]
		clear(step)
		clear(digit)
		for i, w := range f.on {
			step[slices.Index(on, w)] = f.stride[i]
		}
		levels, first := b.levels(on[0]), step[0]
		for i, at := 0, 0; i < len(p); i += levels {
			for l := range levels {
				p[i+l] *= f.p[at+l*first]
			}
			for j := 1; j < len(on); j++ {
				at += step[j]
				if digit[j]++; digit[j] < b.levels(on[j]) {
					break
				}
				at -= step[j] * digit[j]
				digit[j] = 0
			}
		}
	}
	b.ints.used = b.ints.used[:min(mark, len(b.ints.used))]
}

// hold fixes the variable of near with the most levels at its present value.
func (b *block) hold(row []float64) {
	u := b.near[0]
	for _, w := range b.near {
		if b.levels(w) > b.levels(u) {
			u = w
		}
	}
	v := b.columns[u]
	b.alone = append(b.alone, v)
	for _, k := range b.on[u] {
		f := &b.factors[k]
		i := slices.Index(f.on, u)
		f.p = f.p[f.stride[i]*int(row[v]):]
		f.on, f.stride = slices.Delete(slices.Clone(f.on), i, i+1), slices.Delete(slices.Clone(f.stride), i, i+1)
	}
	b.size[u] = 0
	for w := range b.columns {
		if b.size[w] > 0 {
			b.size[w] = b.scope(w)
		}
	}
}

// An arena hands out memory that is free again after reset.
type arena[T any] struct{ used []T }

func (a *arena[T]) reset() { a.used = a.used[:0] }

// take returns n values, which may be those of an earlier use.
func (a *arena[T]) take(n int) []T {
	at := len(a.used)
	if at+n > cap(a.used) { // slices that were returned before stay in the old memory
		a.used, at = make([]T, 0, max(2*cap(a.used), n, 1024)), 0
	}
	a.used = a.used[:at+n]
	return a.used[at : at+n : at+n]
}
