package counts

import (
	"fmt"
	"math"
	"slices"
)

// Code is the type of the levels of a column. Only equality and order matter.
type Code interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint
}

// Rows are properties of the rows besides their levels. The zero value is a plain table.
type Rows struct {
	// Weights are the weights of the rows; nil means one each. Zero is allowed.
	Weights []uint32
	// Environments has the experiment of each row, and Targets the intervention targets of each experiment. The
	// counts of a variable exclude the rows of experiments that target it. Both are nil for observational rows.
	Environments []int
	Targets      [][]int
	// Merge merges identical rows of the same experiment and adds their weights.
	Merge bool
}

// Data is a table of categorical columns for counting. It is immutable and safe for concurrent use. Its rows
// are ordered by experiment, which may differ from the input.
type Data struct {
	rows    int
	columns []column
	weights []uint32 // nil means one each
	repeats bool     // weights are small: sorted rows are repeated instead of multiplied
	planes  [][]uint64
	runs    [][]run // by variable: the rows that count; shared by variables without a target
	totals  []uint64
	targets bool
	binary  bool // every column has two levels
	lanes   lanes
	joints  *joints  // nil if rows have weights or targets
	dealt   []uint32 // see join.go; by row before merging: its index, or nil without merging
}

// column has the levels 0..levels-1 of one variable in the narrowest of three formats.
type column struct {
	levels int
	narrow []uint8
	middle []uint16
	wide   []uint32
	bits   []uint64 // for a binary column, the rows with level 1
}

// run is a range of rows, lo inclusive and hi exclusive.
type run struct{ lo, hi int }

// maxTotal limits the sum of the weights, so that no count overflows 32 bits.
const maxTotal = math.MaxUint32

// New returns a table with copies of the given columns. Levels are numbered in ascending order of their codes;
// codes that do not occur are not levels. O(n·d), plus a sort of the distinct codes of each column.
func New[T Code](columns [][]T, o Rows) (*Data, error) { return build(columns, o, false) }

// build is New. If release is true it sets each of columns to nil when it has been copied, so that the memory of both is never needed at
// once.
func build[T Code](columns [][]T, o Rows, release bool) (*Data, error) {
	if len(columns) == 0 {
		return nil, fmt.Errorf("a table without columns; give at least one")
	}
	n := len(columns[0])
	if n == 0 {
		return nil, fmt.Errorf("a table without rows; give at least one")
	}
	if n > math.MaxInt32 {
		return nil, fmt.Errorf("%d rows, want at most %d; merge identical rows and pass their number as weights", n, math.MaxInt32)
	}
	for v, col := range columns {
		if len(col) != n {
			return nil, fmt.Errorf("column %d has %d rows, column 1 has %d", v+1, len(col), n)
		}
	}
	if err := o.check(n, len(columns)); err != nil {
		return nil, err
	}
	order, bounds := o.byEnvironment(n)
	t := &Data{rows: n, columns: make([]column, len(columns)), targets: slices.ContainsFunc(o.Targets, func(s []int) bool { return len(s) > 0 })}
	for v, col := range columns {
		codes, levels := number(col, order)
		t.columns[v] = pack(codes, levels)
		if release {
			columns[v] = nil
		}
	}
	weights := reorder(o.Weights, order)
	if o.Merge {
		var rows []int
		rows, bounds, weights = t.distinct(bounds, weights)
		t.rows = len(rows)
		for v := range t.columns {
			t.columns[v] = t.columns[v].gather(rows)
		}
	}
	t.findRuns(bounds, o.Targets)
	t.binary = true
	for v := range t.columns {
		t.columns[v].setBits()
		t.binary = t.binary && t.columns[v].levels == 2
	}
	t.lanes = newLanes(t)
	t.setWeights(weights)
	return t, nil
}

// check returns the first error of the settings for a table of n rows and d columns.
func (o Rows) check(n, d int) error {
	if o.Weights != nil && len(o.Weights) != n {
		return fmt.Errorf("%d weights for %d rows", len(o.Weights), n)
	}
	sum := uint64(0)
	for _, w := range o.Weights {
		sum += uint64(w)
	}
	if sum > maxTotal {
		return fmt.Errorf("the weights sum to %d, want at most %d; divide them by a common factor", sum, uint64(maxTotal))
	}
	if (o.Environments == nil) != (o.Targets == nil) {
		return fmt.Errorf("options Environments and Targets go together; one of them is nil")
	}
	if o.Environments != nil && len(o.Environments) != n {
		return fmt.Errorf("%d environments for %d rows", len(o.Environments), n)
	}
	for i, r := range o.Environments {
		if r < 0 || r >= len(o.Targets) {
			return fmt.Errorf("row %d: environment %d, but Targets has 0 to %d", i+1, r, len(o.Targets)-1)
		}
	}
	for r, targets := range o.Targets {
		for _, v := range targets {
			if v < 0 || v >= d {
				return fmt.Errorf("environment %d: target %d, want a column from 0 to %d", r, v, d-1)
			}
		}
	}
	return nil
}

// byEnvironment returns the rows sorted by environment, or nil if they already are, and the start of each environment.
func (o Rows) byEnvironment(n int) (order, bounds []int) {
	if o.Environments == nil {
		return nil, []int{0, n}
	}
	bounds = make([]int, len(o.Targets)+1)
	for _, r := range o.Environments {
		bounds[r+1]++
	}
	for r := range o.Targets {
		bounds[r+1] += bounds[r]
	}
	if slices.IsSorted(o.Environments) {
		return nil, bounds
	}
	next, order := slices.Clone(bounds), make([]int, n)
	for i, r := range o.Environments {
		order[next[r]] = i
		next[r]++
	}
	return order, bounds
}

// reorder returns a copy of x in the given order; nil stays nil.
func reorder[T any](x []T, order []int) []T {
	if order == nil || x == nil {
		return slices.Clone(x)
	}
	y := make([]T, len(order))
	for i, from := range order {
		y[i] = x[from]
	}
	return y
}

// number returns the rank of every row's code among the distinct codes of the column, in the given order of
// rows.
func number[T Code](col []T, order []int) (codes []uint32, levels int) {
	rank := make(map[T]uint32)
	last := col[0] // adjacent codes are often equal
	rank[last] = 0
	for _, c := range col {
		if c != last {
			rank[c] = 0
			last = c
		}
	}
	values := make([]T, 0, len(rank))
	for c := range rank {
		values = append(values, c)
	}
	slices.Sort(values)
	for k, c := range values {
		rank[c] = uint32(k)
	}
	codes = make([]uint32, len(col))
	if span := uint64(values[len(values)-1]) - uint64(values[0]); span < 1<<16 {
		direct := make([]uint32, span+1)
		for k, c := range values {
			direct[uint64(c)-uint64(values[0])] = uint32(k)
		}
		for i, c := range col {
			codes[i] = direct[uint64(c)-uint64(values[0])]
		}
	} else {
		for i, c := range col {
			codes[i] = rank[c]
		}
	}
	if order != nil {
		codes = reorder(codes, order)
	}
	return codes, len(values)
}

// pack stores codes in the narrowest format.
func pack(codes []uint32, levels int) column {
	c := column{levels: levels}
	switch {
	case levels <= 1<<8:
		c.narrow = convert[uint8](codes)
	case levels <= 1<<16:
		c.middle = convert[uint16](codes)
	default:
		c.wide = codes
	}
	return c
}

func convert[T uint8 | uint16](codes []uint32) []T {
	out := make([]T, len(codes))
	for i, k := range codes {
		out[i] = T(k)
	}
	return out
}

// at returns the level of row i.
func (c *column) at(i int) uint32 {
	switch {
	case c.narrow != nil:
		return uint32(c.narrow[i])
	case c.middle != nil:
		return uint32(c.middle[i])
	}
	return c.wide[i]
}

// setBits computes the bit set of a binary column.
func (c *column) setBits() {
	if c.levels != 2 {
		return
	}
	c.bits = make([]uint64, words(len(c.narrow)))
	for i, k := range c.narrow {
		c.bits[i/64] |= uint64(k) << (i % 64)
	}
}

// words returns how many 64-bit words hold n bits.
func words(n int) int { return (n + 63) / 64 }

// Variables returns the number of columns.
func (t *Data) Variables() int { return len(t.columns) }

// Rows returns the number of rows after merging.
func (t *Data) Rows() int { return t.rows }

// Levels returns the number of levels of variable v that occur in some row, whatever its weight.
func (t *Data) Levels(v int) int { return t.columns[v].levels }

// Level returns the level of variable v in row i.
func (t *Data) Level(v, i int) int { return int(t.columns[v].at(i)) }

// Total returns the weight of the rows that count for variable v: all rows without an intervention on it.
func (t *Data) Total(v int) uint64 { return t.totals[v] }

// Binary reports whether every column has two levels.
func (t *Data) Binary() bool { return t.binary }

// HasTargets reports whether some experiment intervened on a variable.
func (t *Data) HasTargets() bool { return t.targets }

// Excluded reports whether the counts of variable v exclude row i.
func (t *Data) Excluded(v, i int) bool {
	for _, r := range t.runs[v] {
		if r.lo <= i && i < r.hi {
			return false
		}
	}
	return true
}
