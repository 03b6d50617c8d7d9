package dataset

import (
	"math"

	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
)

// panel is the width of the column panels in which addUpper multiplies. Only the part of a panel below the diagonal is wasted work,
// and at 32 rows of the product the kernel still runs at full speed.
const panel = 32

// A workspace holds the buffers for adding a block. Only one goroutine may use it at a time.
type workspace struct {
	centred  []float64 // the rows minus ref
	ref, sum []float64

	rootT, rootL []float64 // √n·t and √n_a·l of addUpper
}

// newWorkspace returns buffers for blocks of up to values numbers in d columns.
func newWorkspace(d, values int) *workspace {
	return &workspace{centred: make([]float64, values), ref: make([]float64, d), sum: make([]float64, d), rootT: make([]float64, d), rootL: make([]float64, d)}
}

// addUpper adds a block of rows, which it does not change, to N, Mean, Min, Max and the upper triangle of Scatter (including whole
// panels on the diagonal). The lower triangle is stale until mirror is called. After an error m is unusable.
//
// With the mean so far c + l (high and low part), n_a rows before and n_b rows of the block, y = x - c and t = (n_a·l + Σy)/n,
//
//	scatter += n_a·llᵀ + Σyyᵀ - n·ttᵀ,   mean = c + t:
//
// This takes one pass over the rows and one product. The last term subtracts at most what the distance of the means adds to the
// scatter, so there is no cancellation. The first block needs one more pass for its own mean.
func (m *Moments) addUpper(rows []float64, w *workspace, threads int) error {
	if len(rows) == 0 {
		return nil
	}
	d := m.Dim()
	block := len(rows) / d
	y := w.centred[:len(rows)]
	if m.N == 0 {
		if err := m.firstReference(rows, w); err != nil {
			return err
		}
	} else {
		copy(w.ref, m.Mean)
	}
	clear(w.sum)
	vec.Centre(y, rows, w.ref, w.sum, m.Min, m.Max)
	for j, s := range w.sum {
		if s-s != 0 {
			return unfit(m.Names, j, rows)
		}
	}
	before, n := float64(m.N), float64(m.N+block)
	t := w.sum
	for j := range t {
		t[j] = (before*m.low[j] + t[j]) / n
	}
	for lo := 0; lo < d; lo += panel {
		hi := min(lo+panel, d)
		gemm.Gemm(true, false, hi-lo, d-lo, block, 1, y[lo:], d, y[lo:], d, 1, m.Scatter[lo*d+lo:], d, threads)
	}
	rootT, rootL := w.rootT, w.rootL
	for j := range t {
		rootT[j], rootL[j] = math.Sqrt(n)*t[j], math.Sqrt(before)*m.low[j]
		m.Mean[j], m.low[j] = vec.TwoSum(w.ref[j], t[j])
	}
	// The factor n is split between the two factors, so that the product is symmetric.
	for i := range d {
		row := m.Scatter[i*d+i : (i+1)*d]
		vec.Axpy(row, -rootT[i], rootT[i:])
		if l := rootL[i]; l != 0 {
			vec.Axpy(row, l, rootL[i:])
		}
	}
	m.N += block
	return nil
}

// firstReference sets w.ref to approximately the mean of the rows; for a constant column it is exactly the value.
func (m *Moments) firstReference(rows []float64, w *workspace) error {
	d := m.Dim()
	n := float64(len(rows) / d)
	copy(w.ref, rows[:d])
	clear(w.sum)
	vec.Centre(w.centred[:len(rows)], rows, w.ref, w.sum, m.Min, m.Max)
	for j, s := range w.sum {
		if w.ref[j] += s / n; w.ref[j]-w.ref[j] != 0 {
			return unfit(m.Names, j, rows)
		}
	}
	return nil
}
