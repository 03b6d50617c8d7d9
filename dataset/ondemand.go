package dataset

import (
	"math"

	"github.com/polydag/polydag/internal/vec"
)

// Tables with interventions on many columns have an environment for each, and each column has the rows of all environments but its own. A scatter
// for each of them would take d³ numbers. So the moments of an environment with few rows keep these rows, and the moments of all other rows
// are those of the table less those of a few environments. Scatter is nil, and At computes an entry on demand.

// leanColumns is the number of columns from which moments of environments are computed on demand. Below it a scatter takes at most 128 KB.
const leanColumns = 128

// LeanRows returns the number of rows up to which the moments of an environment with d columns keep the rows; 0 if they never do.
func LeanRows(d int) int {
	if d < leanColumns {
		return 0
	}
	return d
}

// entries are the entries of a scatter that is not stored.
type entries interface {
	at(i, j int) float64
	arranged(order []int) entries
}

// Lean reports whether the entries of the moments of a part of a table are computed on demand.
func (m *Moments) OnDemand() bool { return m.onDemand != nil }

// few has the centred columns of some rows, divided by their lengths. Single precision is enough, because the rows are a small part of
// every sum.
type few struct {
	unit   [][]float32
	square []float64 // diagonal of the scatter
}

// OnDemandMoments returns the moments of a few rows, computed on demand. rows has whole rows one after the other, which it neither
// changes nor retains.
func OnDemandMoments(names []string, rows []float64) (*Moments, error) {
	d := len(names)
	n := len(rows) / d
	m := unknown(names, n)
	f := &few{unit: make([][]float32, d), square: make([]float64, d)}
	data, x := make([]float32, n*d), make([]float64, n)
	for j := range d {
		if n == 0 {
			m.Min[j], m.Max[j] = math.Inf(1), math.Inf(-1)
			continue
		}
		for i := range x {
			x[i] = rows[i*d+j]
		}
		f.square[j] = m.centre(j, x)
		f.unit[j] = data[j*n : (j+1)*n : (j+1)*n]
		for i, v := range x {
			f.unit[j][i] = float32(v)
		}
	}
	m.onDemand = f
	for j, mean := range m.Mean {
		if mean-mean != 0 {
			return nil, unfit(names, j, rows)
		}
	}
	return m, m.Finite()
}

func (f *few) at(i, j int) float64 {
	if i == j {
		return f.square[i]
	}
	return vec.Dot(f.unit[i], f.unit[j]) * (math.Sqrt(f.square[i]) * math.Sqrt(f.square[j]))
}

func (f *few) arranged(order []int) entries {
	return &few{pick(f.unit, order), pick(f.square, order)}
}

// scaled returns f with column j divided by by[j].
func (f *few) scaled(by []float64) *few {
	out := &few{f.unit, make([]float64, len(f.square))}
	for j, s := range f.square {
		out.square[j] = s / by[j] / by[j]
	}
	return out
}

// rest has the rows of a table without those of some environments. With M the mean of the table, m_k those of the environments, n the rows that
// are left and b their mean less M,
//
//	scatter = scatter of all - Σ_k (scatter_k + n_k·(m_k - M)(m_k - M)ᵀ) - n·bbᵀ.
type rest struct {
	all    *Moments
	parts  []*Moments
	shift  [][]float64 // √n_k·(m_k - M)
	drift  []float64   // √n·b
	square []float64   // diagonal
}

// leastRest is the smallest share of the variance of a column that may be left. With less, the difference has too few digits.
const leastRest = 1e-6

// without returns the moments of the rows of m that are not in parts, which are moments of disjoint rows of m. It returns nil if these
// have nearly all of the variance of a column, or none is left. Min and Max are those of m.
func (m *Moments) without(parts []*Moments) *Moments {
	d := m.Dim()
	out := &Moments{Names: m.Names, N: m.N, Mean: make([]float64, d), low: make([]float64, d), Min: m.Min, Max: m.Max}
	r := &rest{all: m, parts: parts, drift: make([]float64, d), square: make([]float64, d)}
	for _, p := range parts {
		out.N -= p.N
		root, shift := math.Sqrt(float64(p.N)), make([]float64, d)
		for j := range shift {
			delta := (p.Mean[j] - m.Mean[j]) + (p.low[j] - m.low[j])
			shift[j] = root * delta
			r.drift[j] -= float64(p.N) * delta
		}
		r.shift = append(r.shift, shift)
	}
	if out.N < 1 {
		return nil
	}
	n := float64(out.N)
	for j, sum := range r.drift {
		mean, low := vec.TwoSum(m.Mean[j], sum/n)
		out.Mean[j], out.low[j] = vec.TwoSum(mean, low+m.low[j])
		r.drift[j] = sum / math.Sqrt(n)
		r.square[j] = r.entry(j, j)
		if whole := m.At(j, j); !(r.square[j] > leastRest*whole) && whole > 0 {
			return nil
		}
	}
	out.onDemand = r
	return out
}

func (r *rest) at(i, j int) float64 {
	if i == j {
		return r.square[i]
	}
	return r.entry(i, j)
}

func (r *rest) entry(i, j int) float64 {
	s := r.all.At(i, j)
	for k, p := range r.parts {
		s -= p.At(i, j) + r.shift[k][i]*r.shift[k][j]
	}
	return s - r.drift[i]*r.drift[j]
}

func (r *rest) arranged(order []int) entries {
	out := &rest{all: r.all.Arranged(order), drift: pick(r.drift, order), square: pick(r.square, order)}
	for k, p := range r.parts {
		out.parts, out.shift = append(out.parts, p.Arranged(order)), append(out.shift, pick(r.shift[k], order))
	}
	return out
}

// CorrelationRow writes the correlations of column i with all columns to dst, with the same bits as CorrelationOf.
func (m *Moments) CorrelationRow(dst []float64, i int) {
	root := math.Sqrt(m.At(i, i))
	for j := range dst {
		dst[j] = 0
		if other := math.Sqrt(m.At(j, j)); i == j {
			dst[j] = 1
		} else if root > 0 && other > 0 {
			dst[j] = max(-1, min(1, m.At(i, j)/(root*other)))
		}
	}
}
