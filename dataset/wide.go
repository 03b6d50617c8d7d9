package dataset

import (
	"context"
	"math"
	"runtime/debug"
	"slices"

	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// Moments of many columns and few rows are kept as the rows themselves: n·d numbers and a matrix of correlations in 16
// bits take a fraction of the memory of a scatter of float64. Scatter is then nil, and At computes an entry on demand.

// wideColumns is the number of columns from which an accumulator may keep the rows. Below it the scatter is fast and
// takes at most 0.3 GB.
const wideColumns = 6000

// wideRows is the largest number of rows for which the rows are kept: beyond it they take more memory than the scatter
// saves, and an entry takes as long as the screening of a row.
func wideRows(d int) int { return d / 4 }

// wide has the rows instead of the scatter.
type wide struct {
	gram   *matrix.Gram // correlations; the vectors are the centred columns, divided by their length
	square []float64    // diagonal of the scatter
}

// OnDemand lets the moments of many columns and few rows be computed from the rows on demand. It returns a.
func (a *Accumulator) OnDemand() *Accumulator {
	a.wide = len(a.names) >= a.wideFrom
	return a
}

// WideRows returns the number of rows up to which the moments of d columns are computed on demand; 0 if they never are.
func WideRows(d int) int {
	if d < wideColumns {
		return 0
	}
	return wideRows(d)
}

// WideBytes estimates the memory of moments that are computed on demand: correlations in 16 bits, the rows, and the
// largest correlations.
func WideBytes(rows, columns int) int64 {
	n, d := int64(rows), int64(columns)
	return 2*d*d + 14*n*d
}

// FewRows returns the moments of at least one row, computed on demand. rows has whole rows one after the other, which it
// neither changes nor retains.
func FewRows(names []string, rows []float64, threads int) (*Moments, error) {
	return fewRows(names, [][]float64{rows}, threads)
}

// fewRows is FewRows for rows in chunks of whole rows, which it sets to nil.
func fewRows(names []string, chunks [][]float64, threads int) (*Moments, error) {
	d, values := len(names), 0
	for _, c := range chunks {
		values += len(c)
	}
	n := values / d
	m := unknown(slices.Clone(names), n)
	m.wide = &wide{square: make([]float64, d)}
	data := make([]float64, values)
	const strip = 16 // columns at a time, two cache lines of a row
	parallel.Each(context.Background(), (d+strip-1)/strip, max(1, threads), func(int) func(int) {
		return func(k int) {
			lo := k * strip
			hi := min(lo+strip, d)
			i := 0
			for _, rows := range chunks {
				for ; len(rows) > 0; rows = rows[d:] {
					for j, x := range rows[lo:hi] {
						data[(lo+j)*n+i] = x
					}
					i++
				}
			}
			for j := lo; j < hi; j++ {
				m.wide.square[j] = m.centre(j, data[j*n:(j+1)*n])
			}
		}
	})
	for j, mean := range m.Mean {
		if mean-mean != 0 {
			return nil, unfit(names, j, slices.Concat(chunks...))
		}
	}
	if err := m.Finite(); err != nil {
		return nil, err
	}
	clear(chunks)
	if int64(d)*int64(d) > 1<<29 { // a matrix of more than 1 GB must not stand beside the garbage of the readers
		debug.FreeOSMemory()
	}
	m.wide.gram = matrix.NewGram(data, n, threads)
	return m, nil
}

// keepFew keeps a copy of the rows and reports true, unless there are too many.
func (a *Accumulator) keepFew(rows []float64) bool {
	const chunk = 4 << 20 // values
	d, have := len(a.names), 0
	for _, c := range a.kept {
		have += len(c)
	}
	if have+len(rows) > wideRows(d)*d {
		return false
	}
	last := len(a.kept) - 1
	if last < 0 || len(a.kept[last])+len(rows) > cap(a.kept[last]) {
		a.kept = append(a.kept, make([]float64, 0, max(len(rows), min(chunk, wideRows(d)*d))))
		last++
	}
	a.kept[last] = append(a.kept[last], rows...)
	return true
}

// centre sets the moments of column j and replaces its values x by the deviations from the mean, divided by their length. It returns
// their sum of squares.
func (m *Moments) centre(j int, x []float64) (square float64) {
	n, ref := float64(len(x)), x[0]
	lo, hi, sum := math.Inf(1), math.Inf(-1), 0.0
	for _, v := range x {
		lo, hi = min(lo, v), max(hi, v)
		sum += v - ref
	}
	m.Min[j], m.Max[j] = lo, hi
	mean := ref + sum/n
	rest := 0.0
	for i, v := range x {
		x[i] = v - mean
		rest += x[i]
	}
	rest /= n // the mean that rounding left
	for i := range x {
		x[i] -= rest
		square += x[i] * x[i]
	}
	m.Mean[j], m.low[j] = vec.TwoSum(mean, rest)
	if square > 0 {
		root := math.Sqrt(square)
		for i := range x {
			x[i] /= root
		}
	}
	return square
}

// Gram returns the correlations of moments that are computed on demand, or nil if Scatter has them.
func (m *Moments) Gram() *matrix.Gram {
	if m.wide == nil {
		return nil
	}
	return m.wide.gram
}

// At returns entry (i, j) of the scatter: Σ (x_i-mean_i)(x_j-mean_j).
func (m *Moments) At(i, j int) float64 {
	switch w := m.wide; {
	case m.onDemand != nil:
		return m.onDemand.at(i, j)
	case w == nil:
		return m.Scatter[i*m.Dim()+j]
	case i == j:
		return w.square[i]
	default:
		return w.gram.At(i, j) * math.Sqrt(w.square[i]) * math.Sqrt(w.square[j])
	}
}

// Stored returns the moments with a Scatter: m itself, or a copy if m computes its entries on demand.
func (m *Moments) Stored() *Moments {
	if m.Scatter != nil || m.wide == nil && m.onDemand == nil {
		return m
	}
	d := m.Dim()
	out := *m
	if m.onDemand != nil {
		out.onDemand, out.Scatter = nil, make([]float64, d*d)
		for i := range d {
			for j := i; j < d; j++ {
				out.Scatter[i*d+j] = m.onDemand.at(i, j)
			}
		}
		out.mirror()
		return &out
	}
	out.wide, out.Scatter = nil, m.wide.gram.Dense().Data
	root := make([]float64, d)
	for j, s := range m.wide.square {
		root[j] = math.Sqrt(s)
	}
	for i := range d {
		row := out.Scatter[i*d : (i+1)*d]
		for j := range row {
			row[j] *= root[min(i, j)] * root[max(i, j)]
		}
		row[i] = m.wide.square[i]
	}
	return &out
}

// scaled returns w with column j multiplied by the square root of by(j).
func (w *wide) scaled(by func(j int) float64) *wide {
	out := &wide{gram: w.gram, square: make([]float64, len(w.square))}
	for j, s := range w.square {
		out.square[j] = s * by(j)
	}
	return out
}
