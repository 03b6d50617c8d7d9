package score

import (
	"sync/atomic"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/search"
)

// pairs has the correlations of a problem: stored, computed on demand, or by rows that are computed on demand.
type pairs struct {
	r    *matrix.Dense[float64]
	g    *matrix.Gram
	rows *keptRows
	d    int
}

func pairsOf(p search.Problem) pairs { return pairs{p.R, p.Gram, nil, p.Len()} }

// Variables returns d.
func (c pairs) Variables() int { return c.d }

// excerpt is a buffer for the correlations of a few columns.
type excerpt struct {
	data []float64
	at   []int
	rows [][]float64 // correlations of the response and the parents with all columns
	room [][]float64 // memory of those that are not kept
	line []float64   // correlations of a candidate with the parents, the response and itself
}

// regress sets reg to the regression of v on its parents.
func (c pairs) regress(reg *chol.Regression, b *excerpt, v int, parents []int) {
	if c.r != nil {
		chol.Regress(reg, c.r.Data, c.r.Stride, v, parents)
		return
	}
	c.extract(b, v, parents)
	chol.Regress(reg, b.data, len(parents)+1, 0, b.at)
}

// extract sets b.data to the correlations of v and its parents, in this order, below the diagonal and in the first row.
func (c pairs) extract(b *excerpt, v int, parents []int) {
	if c.rows != nil {
		c.rows.take(b, v, parents)
	}
	m := len(parents) + 1
	b.data, b.at = chol.Grown(b.data, m*m), b.at[:0]
	b.data[0] = 1
	for i, p := range parents {
		b.at = append(b.at, i+1)
		row := b.data[(i+1)*m:]
		row[i+1] = 1
		if c.rows != nil {
			b.data[i+1] = b.rows[0][p]
			chol.Gather(row[1:], b.rows[i+1], parents[:i])
			continue
		}
		b.data[i+1] = c.g.At(v, p)
		for j, q := range parents[:i] {
			row[j+1] = c.g.At(p, q)
		}
	}
}

// scan sets s to the regression of v on its parents and returns the residual variance. The correlations are not those of a Gram.
func (c pairs) scan(s *chol.Scan, b *excerpt, v int, parents []int) float64 {
	if c.r != nil {
		s.R, s.Columns, s.Stride = c.r.Data, c.d, c.r.Stride
		return chol.RegressUnit(s, v, parents)
	}
	c.extract(b, v, parents)
	s.R, s.Stride = b.data, len(parents)+1
	return chol.RegressUnit(s, 0, b.at)
}

// reductions returns how much each further column lowers the residual variance, after scan; columns that do not are left out.
func (c pairs) reductions(s *chol.Scan, b *excerpt, v int, parents []int) []chol.Hit {
	if c.r != nil {
		return chol.Screen(s, v, parents, 0)
	}
	return chol.ScreenRows(s, b.rows, v, parents, 0)
}

// candidate is chol.Candidate for v, parents and buffers of the last call of regress. The correlations are not those of a Gram.
func (c pairs) candidate(reg *chol.Regression, b *excerpt, v, x int, parents []int) (pivot, takes float64) {
	if c.r != nil {
		return chol.Candidate(reg, c.r.Data, c.r.Stride, v, x, parents)
	}
	k := len(parents)
	b.line = chol.Grown(b.line, k+2)
	for i, row := range b.rows[1 : k+1] {
		b.line[i+1] = row[x]
	}
	b.line[0], b.line[k+1] = b.rows[0][x], 1
	return chol.Candidate(reg, b.line, 0, 0, k+1, b.at)
}

// CorrelationRows gives the correlations of a column with all columns; dataset.Moments does.
type CorrelationRows interface {
	Dim() int
	CorrelationRow(dst []float64, i int)
}

// RowMemory is the memory that several scores may use together to keep rows of correlations, in numbers.
type RowMemory struct{ left atomic.Int64 }

// NewRowMemory returns memory for so many numbers.
func NewRowMemory(values int64) *RowMemory {
	m := &RowMemory{}
	m.left.Store(values)
	return m
}

// keptRows computes rows of correlations when they are first asked for and keeps them while there is memory. A search asks for the few
// rows of a column and its possible parents again and again. Several goroutines may use it.
type keptRows struct {
	from   CorrelationRows
	memory *RowMemory
	kept   []atomic.Pointer[[]float64] // nil until first used
}

func newKeptRows(from CorrelationRows, memory *RowMemory) *keptRows {
	return &keptRows{from: from, memory: memory, kept: make([]atomic.Pointer[[]float64], from.Dim())}
}

// take sets b.rows to the rows of v and its parents.
func (k *keptRows) take(b *excerpt, v int, parents []int) {
	b.rows = b.rows[:0]
	for i := range len(parents) + 1 {
		x := v
		if i > 0 {
			x = parents[i-1]
		}
		if row := k.kept[x].Load(); row != nil {
			b.rows = append(b.rows, *row)
			continue
		}
		d := k.from.Dim()
		if k.memory.left.Add(-int64(d)) >= 0 {
			row := make([]float64, d)
			k.from.CorrelationRow(row, x)
			k.kept[x].Store(&row)
			b.rows = append(b.rows, row)
			continue
		}
		k.memory.left.Add(int64(d))
		for len(b.room) <= i {
			b.room = append(b.room, make([]float64, d))
		}
		k.from.CorrelationRow(b.room[i], x)
		b.rows = append(b.rows, b.room[i])
	}
}
