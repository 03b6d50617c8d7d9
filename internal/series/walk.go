package series

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/polydag/polydag/dataset"
)

// A Walker visits the rows of a table in the order of time. Several goroutines may use it at the same time.
type Walker struct {
	clock    *Clock
	rows     dataset.Rows
	discrete []bool // columns with categories, which are not averaged

	load sync.Mutex
	kept []float64 // the rows in the order of time, if the table has another order
}

// NewWalker returns a walker over rows with these columns.
func NewWalker(clock *Clock, rows dataset.Rows, discrete []bool) *Walker {
	return &Walker{clock: clock, rows: rows, discrete: discrete}
}

// A Point is the place of a row in time.
type Point struct {
	Series, Step int
	New          bool // the first row of a segment
}

// Walk calls visit with each row. visit must not keep the row but may change it.
func (w *Walker) Walk(ctx context.Context, visit func(at Point, row []float64) error) error {
	d := len(w.discrete)
	read := w.rows
	if w.clock.Order != nil {
		if err := w.loadRows(ctx); err != nil {
			return err
		}
		read = dataset.RowBatch{Values: w.kept}.Rows(d)
	}
	place, k, gathered := 0, -1, newMean(w.discrete)
	var at Point
	room := make([]float64, d)
	emit := func() error {
		if !gathered.take(room) {
			return nil
		}
		err := visit(at, room)
		at.New = false
		return err
	}
	err := read(ctx, func(b dataset.RowBatch) error {
		for i := 0; i < len(b.Values); i += d {
			isNew := k+1 < len(w.clock.Segments) && w.clock.Segments[k+1].Start == place
			step := at.Step + 1
			if w.clock.Steps != nil {
				step = w.clock.Steps[place]
			}
			if isNew || step != at.Step {
				if err := emit(); err != nil {
					return err
				}
				at.Step = step
			}
			if isNew {
				k++
				at = Point{Series: w.clock.Segments[k].Series, Step: w.clock.Segments[k].Step, New: true}
			}
			gathered.add(b.Values[i : i+d])
			place++
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	return emit()
}

// loadRows loads the rows in the order of time.
func (w *Walker) loadRows(ctx context.Context) error {
	w.load.Lock()
	defer w.load.Unlock()
	if w.kept != nil {
		return nil
	}
	d := len(w.discrete)
	place := make([]int32, len(w.clock.Order))
	for p, row := range w.clock.Order {
		place[row] = int32(p)
	}
	kept, row := make([]float64, d*len(place)), 0
	err := w.rows(ctx, func(b dataset.RowBatch) error {
		for i := 0; i < len(b.Values); i += d {
			copy(kept[d*int(place[row]):], b.Values[i:i+d])
			row++
		}
		return nil
	})
	if err == nil {
		w.kept = kept
	}
	return err
}

// A mean averages the rows of one step. Categories have their last value.
type mean struct {
	discrete []bool
	sum      []float64
	count    []float64
	rows     int
}

func newMean(discrete []bool) *mean {
	return &mean{discrete: discrete, sum: make([]float64, len(discrete)), count: make([]float64, len(discrete))}
}

func (m *mean) add(row []float64) {
	m.rows++
	for j, x := range row {
		switch {
		case x != x:
		case m.discrete[j]:
			m.sum[j], m.count[j] = x, 1
		default:
			m.sum[j] += x
			m.count[j]++
		}
	}
}

// take writes the mean to row and starts again. It returns false if there is none.
func (m *mean) take(row []float64) bool {
	if m.rows == 0 {
		return false
	}
	for j, n := range m.count {
		row[j] = math.NaN()
		if n > 0 {
			row[j] = m.sum[j] / n
		}
		m.sum[j], m.count[j] = 0, 0
	}
	m.rows = 0
	return true
}

// Lagged returns rows of the values at a time t and at the lags steps before it: the columns of the table at t, then those at
// t-1, and so on. A row needs all its lags in one segment. f adjusts the values first; nil leaves them. whole omits rows with missing
// values. The values of a batch may be changed.
func (w *Walker) Lagged(lags int, f *Fitted, whole bool) dataset.Rows {
	return func(ctx context.Context, each func(dataset.RowBatch) error) error {
		return w.lagged(ctx, lags, f, whole, each)
	}
}

func (w *Walker) lagged(ctx context.Context, lags int, f *Fitted, whole bool, each func(dataset.RowBatch) error) error {
	d := len(w.discrete)
	const batch = 1024 // rows per call
	width := d * (lags + 1)
	out := make([]float64, 0, batch*width)
	past := make([]float64, width) // the present values first
	before := make([]float64, d)   // the values before differences
	known := 0
	flush := func() error {
		if len(out) == 0 {
			return nil
		}
		err := each(dataset.RowBatch{Values: out})
		out = out[:0]
		return err
	}
	err := w.Walk(ctx, func(at Point, row []float64) error {
		f.apply(at, row)
		if at.New {
			known = 0
		}
		if f != nil && f.Difference {
			for j, x := range row {
				if !f.skip[j] {
					row[j], before[j] = x-before[j], x
				}
			}
			if at.New {
				known = -1
			}
		}
		known++
		copy(past[d:], past[:width-d])
		copy(past, row)
		if known <= lags || whole && slices.ContainsFunc(past, func(x float64) bool { return x != x }) {
			return nil
		}
		if out = append(out, past...); len(out) == cap(out) {
			return flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}
