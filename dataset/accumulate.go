package dataset

// blockRows is the number of rows that are multiplied at once: about 2 MB of values, not
// fewer than 256 rows so that a product pays for the pass over the d×d scatter, not more
// than 4096. It depends on d alone: the boundaries of the blocks, and with them the last
// bits of the moments, are the same however the rows arrive.
func blockRows(d int) int {
	return max(256, min(4096, (1<<18)/max(d, 1)))
}

// An accumulator gathers rows into blocks and blocks into moments.
type accumulator struct {
	m       *Moments
	block   []float64 // rows not yet added
	size    int       // values in a full block
	threads int
}

func newAccumulator(names []string, threads int) *accumulator {
	return &accumulator{m: NewMoments(names), size: blockRows(len(names)) * len(names), threads: threads}
}

// add copies whole rows.
func (a *accumulator) add(rows []float64) error {
	for len(rows) > 0 {
		if a.block == nil {
			a.block = make([]float64, 0, a.size)
		}
		k := min(len(rows), a.size-len(a.block))
		a.block = append(a.block, rows[:k]...)
		rows = rows[k:]
		if len(a.block) == a.size {
			if err := a.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *accumulator) flush() error {
	err := a.m.addUpper(a.block, a.threads)
	a.block = a.block[:0]
	return err
}

// finish returns the moments of all rows added, or an error matching ErrOverflow.
func (a *accumulator) finish() (*Moments, error) {
	if err := a.flush(); err != nil {
		return nil, err
	}
	if err := a.m.overflow(); err != nil {
		return nil, err
	}
	a.m.mirror()
	return a.m, nil
}
