package prepare

import (
	"slices"

	"github.com/polydag/polydag/dataset"
)

// A rowBuffer keeps all rows of a sink that changes them together, and then passes them on. It needs 8 bytes per value.
type rowBuffer struct {
	d     int // values of a row
	to    sink
	opt   *options
	runs  [][]float64 // rows in their order
	clean bool        // no value is missing
	rows  int
}

// store adds a copy of the rows. It returns the number of bytes of all rows, and whether they are allowed.
func (b *rowBuffer) store(rows []float64, clean bool) (need int64, allowed bool) {
	b.rows += len(rows) / b.d
	if need = 8 * int64(b.rows) * int64(b.d); b.opt.MaxMemory > 0 && need > b.opt.MaxMemory {
		return need, false
	}
	b.clean = b.clean && clean
	b.runs = append(b.runs, slices.Clone(rows))
	return need, true
}

// passOn passes the rows on, and frees each run after that.
func (b *rowBuffer) passOn() (*dataset.Moments, []string, error) {
	for i, run := range b.runs {
		if err := b.to.add(run, b.clean); err != nil {
			return nil, nil, err
		}
		b.runs[i] = nil
	}
	return b.to.finish()
}
