package basis

import (
	"errors"
	"fmt"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// Functions are the functions of every column. They are immutable and may be shared.
type Functions struct {
	names       []string
	categorical []bool
	columns     []column
	start       []int
	labels      []string
	crossed     int   // crossed functions per column
	curved      []int // the crossed columns
	lines       bool  // see Settings.CrossedLines
}

// cross adds the products of pairs if the settings request them.
func (f *Functions) cross(s Settings) {
	for j, c := range f.columns {
		if c.curves > 0 {
			f.curved = append(f.curved, j)
		}
	}
	if len(f.curved) > s.CrossedColumns {
		return
	}
	f.crossed, f.lines = s.Crossed, s.CrossedLines
	name := func(j, k int) string {
		if f.lines && k == 0 {
			return f.labels[f.start[j]]
		}
		return f.labels[f.start[j]+1+k]
	}
	for i, b := range f.curved {
		for _, a := range f.curved[:i] {
			for k := range s.Crossed {
				for l := range s.Crossed {
					f.labels = append(f.labels, name(a, k)+"*"+name(b, l))
				}
			}
		}
	}
}

// Names returns the name of every function, grouped by column: age, age~curve1, …, and city=2 for a category;
// then the products. The caller owns the slice.
func (f *Functions) Names() []string { return slices.Clone(f.labels) }

// Size returns the number of functions and products.
func (f *Functions) Size() int { return len(f.labels) }

// Start returns the index of the first function of every column, and at the end that of the first product. The
// caller owns the slice.
func (f *Functions) Start() []int { return slices.Clone(f.start) }

// Expand writes the functions of one row, len(Names()) values, to dst. It returns an error that matches
// ErrLevels for a category that the first pass did not see.
func (f *Functions) Expand(dst, row []float64) error {
	for j := range f.columns {
		if err := f.expand(dst, row, j); err != nil {
			return err
		}
	}
	if f.crossed > 0 {
		for b := range f.curved {
			for a := range b {
				f.multiply(dst, a, b)
			}
		}
	}
	return nil
}

// ExpandOf is Expand for the functions of some columns and the products of two of them. It leaves the rest of dst.
func (f *Functions) ExpandOf(dst, row []float64, columns []int) error {
	for _, j := range columns {
		if err := f.expand(dst, row, j); err != nil {
			return err
		}
	}
	if f.crossed > 0 {
		for b, column := range f.curved {
			if !slices.Contains(columns, column) {
				continue
			}
			for a, column := range f.curved[:b] {
				if slices.Contains(columns, column) {
					f.multiply(dst, a, b)
				}
			}
		}
	}
	return nil
}

// expand writes the functions of column j.
func (f *Functions) expand(dst, row []float64, j int) error {
	if !f.columns[j].expand(dst[f.start[j]:f.start[j+1]], row[j], f.categorical[j]) {
		return fmt.Errorf("column %d (%s): the level %v was not there in the first pass: %w; pass the same rows twice",
			j+1, f.names[j], row[j], ErrLevels)
	}
	return nil
}

// multiply writes the products of the curved columns number a and b, a < b.
func (f *Functions) multiply(dst []float64, a, b int) {
	left, right := dst[f.start[f.curved[a]]:], dst[f.start[f.curved[b]]:]
	at := f.start[len(f.columns)] + (b*(b-1)/2+a)*f.crossed*f.crossed
	first := f.factor(f.curved[b], right)
	for k, p := range left[1 : 1+f.crossed] {
		if k == 0 {
			p = f.factor(f.curved[a], left)
		}
		for l, q := range right[1 : 1+f.crossed] {
			if l == 0 {
				q = first
			}
			dst[at] = p * q
			at++
		}
	}
}

// factor returns the first crossed function of column j from the values of all its functions.
func (f *Functions) factor(j int, functions []float64) float64 {
	if !f.lines {
		return functions[1]
	}
	c := &f.columns[j]
	return (functions[0] - c.mean) / c.sd
}

// Factor returns crossed function k of column j from the values of all its functions.
func (f *Functions) Factor(j, k int, functions []float64) float64 {
	if k == 0 {
		return f.factor(j, functions)
	}
	return functions[1+k]
}

// laneCount is the number of accumulators to which blocks of rows are added in turn, so that several threads
// can add: at most 4, and 64 MB of moments for each of at most 8 parts. It depends only on the number of functions
// and parts, so results do not depend on the number of threads.
func laneCount(functions, parts int) int {
	return max(1, min(4, (64<<20)/max(8, parts)/max(1, functions*functions)))
}

// blockRows is the number of rows expanded at a time.
const blockRows = 1024

// A Gram is the second pass: it computes the moments of the functions. Memory is 8·D² bytes for each of
// laneCount lanes with D functions, twice that while blocks are merged.
type Gram struct {
	f       *Functions
	lanes   []*dataset.Moments // nil before their first block
	pending []float64          // rows not yet added, less than a block per lane
	threads int
}

// NewGram returns a Gram without rows that adds on at most the given number of threads.
func (f *Functions) NewGram(threads int) *Gram { return f.Parts(1, threads)[0] }

// Parts returns Grams for parts of the rows, each on at most the given number of threads.
func (f *Functions) Parts(parts, threads int) []*Gram {
	out := make([]*Gram, parts)
	for p := range out {
		out[p] = &Gram{f: f, lanes: make([]*dataset.Moments, laneCount(len(f.labels), parts)), threads: threads}
	}
	return out
}

// Add adds whole rows, which it neither changes nor retains.
func (g *Gram) Add(rows []float64) error {
	d := len(g.f.names)
	if d == 0 || len(rows)%d != 0 {
		return fmt.Errorf("%d values are not whole rows of %d columns", len(rows), d)
	}
	turn := len(g.lanes) * blockRows * d
	for len(rows) > 0 {
		k := min(len(rows), turn-len(g.pending))
		g.pending = append(g.pending, rows[:k]...)
		rows = rows[k:]
		if len(g.pending) == turn {
			if err := g.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush adds the pending rows, one block per lane.
func (g *Gram) flush() error {
	size := blockRows * len(g.f.names)
	lanes := len(g.lanes)
	faults := make([]error, lanes)
	parallel.For(lanes, g.threads, func(lane int) {
		if lo := lane * size; lo < len(g.pending) {
			faults[lane] = g.addBlock(lane, g.pending[lo:min(lo+size, len(g.pending))])
		}
	})
	g.pending = g.pending[:0]
	return errors.Join(faults...)
}

func (g *Gram) addBlock(lane int, rows []float64) error {
	d, all := len(g.f.names), len(g.f.labels)
	n := len(rows) / d
	wide := make([]float64, n*all)
	for i := range n {
		if err := g.f.Expand(wide[i*all:(i+1)*all], rows[i*d:(i+1)*d]); err != nil {
			return err
		}
	}
	return g.addExpanded(lane, wide)
}

// addExpanded adds the functions of whole rows.
func (g *Gram) addExpanded(lane int, wide []float64) error {
	if g.lanes[lane] == nil {
		g.lanes[lane] = dataset.NewMoments(g.f.labels)
	}
	return g.lanes[lane].AddBlock(wide)
}

// Moments returns the moments of the functions over all rows, which may be none, and ends the pass.
func (g *Gram) Moments() (*dataset.Moments, error) {
	if err := g.flush(); err != nil {
		return nil, err
	}
	m := dataset.NewMoments(g.f.labels)
	if err := m.Merge(slices.DeleteFunc(slices.Clone(g.lanes), func(m *dataset.Moments) bool { return m == nil })...); err != nil {
		return nil, err
	}
	return m, nil
}

// Blocks returns the input of scores for all rows and ends the pass.
func (g *Gram) Blocks() (*score.Blocks, error) {
	m, err := g.Moments()
	if err == nil && m.N == 0 {
		err = fmt.Errorf("%w", dataset.ErrNoRows)
	}
	if err != nil {
		return nil, err
	}
	return g.f.Blocks(m), nil
}

// Blocks returns the input of scores for the rows of m, which are moments of these functions.
func (f *Functions) Blocks(m *dataset.Moments) *score.Blocks {
	s := m.Covariance()
	// A function that is constant except for rounding errors explains nothing.
	for j := range s.Rows {
		if m.Min[j] == m.Max[j] {
			for i := range s.Rows {
				s.Set(i, j, 0)
				s.Set(j, i, 0)
			}
		}
	}
	return &score.Blocks{N: m.N, Start: f.Start(), Levels: slices.Clone(f.categorical), Crossed: f.crossed, Gram: s, Mean: slices.Clone(m.Mean)}
}

// OfRows expands the rows of x, which it neither changes nor retains, on at most the given number of threads.
func OfRows(names []string, categorical []bool, x *matrix.Dense[float64], s Settings, threads int) (*score.Blocks, error) {
	if len(names) != x.Cols || categorical != nil && len(categorical) != x.Cols {
		return nil, fmt.Errorf("%d names and %d kinds for %d columns; give one of each a column", len(names), len(categorical), x.Cols)
	}
	fit := NewFit(names, categorical)
	for i := range x.Rows {
		if err := fit.Add(x.Row(i)); err != nil {
			return nil, err
		}
	}
	f, err := fit.Functions(s)
	if err != nil {
		return nil, err
	}
	g := f.NewGram(threads)
	for i := range x.Rows {
		if err := g.Add(x.Row(i)); err != nil {
			return nil, err
		}
	}
	return g.Blocks()
}
