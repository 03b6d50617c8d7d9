package dataset

import "sync"

// BlockRows is the number of rows that are multiplied at once: about 512 KB of values, between 256 and 4096 rows. It depends on d
// alone, so the block boundaries and the last bits of the moments do not depend on how the rows arrive.
func BlockRows(d int) int {
	return max(256, min(4096, (1<<16)/max(d, 1)))
}

// laneCount is the number of partial moments to which blocks are added alternately, so that several threads can
// add: at most 16, and at most 64 MB of scatter. It depends only on d.
func laneCount(d int) int {
	return max(1, min(16, (8<<20)/max(d*d, 1)))
}

// AccumulatorBytes estimates the memory of an accumulator's sums for d columns: 8·d² bytes per lane.
func AccumulatorBytes(d int) int64 { return 8 * int64(d) * int64(d) * int64(laneCount(d)) }

// An Accumulator gathers rows into blocks and blocks into moments. Block k is added to lane k mod laneCount, and the lanes are
// merged in order, so the result does not depend on the number of threads.
type Accumulator struct {
	lanes   []*Moments // nil before the first block of the lane
	names   []string
	size    int       // values in a block
	blocks  int       // number of blocks added so far
	pending []float64 // rows not yet added: less than one block per worker
	work    []*workspace
	threads int
	wide    bool        // the rows so far are few enough to be kept
	kept    [][]float64 // these rows, in chunks
	// wideFrom is wideColumns, except in tests.
	wideFrom int
}

// NewAccumulator returns an accumulator for rows with these columns that uses up to the given number of threads.
func NewAccumulator(names []string, threads int) *Accumulator {
	d := len(names)
	return &Accumulator{
		names:   names,
		lanes:   make([]*Moments, laneCount(d)),
		size:    max(1, BlockRows(d)*d),
		work:    make([]*workspace, max(1, min(threads, laneCount(d)))),
		threads: threads, wideFrom: wideColumns,
	}
}

// Add adds whole rows, which it neither changes nor retains. It copies rows only if a block spans two calls or
// a call brings less than one block per worker.
func (a *Accumulator) Add(rows []float64) error {
	if a.wide {
		if a.keepFew(rows) {
			return nil
		}
		few := a.kept
		a.wide, a.kept = false, nil
		for _, chunk := range few {
			if err := a.Add(chunk); err != nil {
				return err
			}
		}
	}
	if (len(a.pending)+len(rows))/a.size < len(a.work) {
		a.addPending(rows)
		return nil
	}
	if over := len(a.pending) % a.size; over > 0 {
		a.addPending(rows[:a.size-over])
		rows = rows[a.size-over:]
	}
	whole := len(rows) / a.size * a.size
	if err := a.addBlocks(a.pending, rows[:whole]); err != nil {
		return err
	}
	a.pending = a.pending[:0]
	a.addPending(rows[whole:])
	return nil
}

// addPending copies rows to pending.
func (a *Accumulator) addPending(rows []float64) {
	if need := len(a.pending) + len(rows); need > cap(a.pending) {
		if a.pending != nil {
			need = len(a.work) * a.size
		}
		a.pending = append(make([]float64, 0, need), a.pending...)
	}
	a.pending = append(a.pending, rows...)
}

// addBlocks adds the blocks of two consecutive runs of rows. Only the last block may be short.
func (a *Accumulator) addBlocks(first, second []float64) error {
	k := (len(first) + a.size - 1) / a.size
	all := k + (len(second)+a.size-1)/a.size
	block := func(i int) []float64 {
		if i < k {
			return first[i*a.size : min((i+1)*a.size, len(first))]
		}
		return second[(i-k)*a.size : min((i-k+1)*a.size, len(second))]
	}
	workers := min(len(a.work), all)
	if workers == 0 {
		return nil
	}
	faults := make([]error, all)
	run := func(w int) {
		for i := range all {
			if (a.blocks+i)%len(a.lanes)%workers != w {
				continue
			}
			if faults[i] = a.addBlock(a.blocks+i, block(i), w, workers); faults[i] != nil {
				return
			}
		}
	}
	var group sync.WaitGroup
	for w := 1; w < workers; w++ {
		group.Go(func() { run(w) })
	}
	run(0)
	group.Wait()
	a.blocks += all
	for _, err := range faults {
		if err != nil {
			return err
		}
	}
	return nil
}

// addBlock adds block k on worker w of workers.
func (a *Accumulator) addBlock(k int, rows []float64, w, workers int) error {
	lane := &a.lanes[k%len(a.lanes)]
	if *lane == nil {
		*lane = NewMoments(a.names)
	}
	if a.work[w] == nil || len(a.work[w].centred) < len(rows) {
		a.work[w] = newWorkspace(len(a.names), len(rows))
	}
	return (*lane).addUpper(rows, a.work[w], max(1, a.threads/workers))
}

// Moments returns the moments of all rows added, or an error matching ErrOverflow. The accumulator cannot be used afterwards.
func (a *Accumulator) Moments() (*Moments, error) {
	if a.wide && len(a.kept) > 0 {
		few := a.kept
		a.kept, a.lanes = nil, nil
		return fewRows(a.names, few, a.threads)
	}
	if err := a.addBlocks(a.pending, nil); err != nil {
		return nil, err
	}
	a.pending = nil
	m := a.lanes[0]
	if m == nil {
		m = NewMoments(a.names)
	}
	for _, lane := range a.lanes[1:] {
		if lane != nil {
			m.mergeUpper(lane)
		}
	}
	a.lanes = nil
	if err := m.Finite(); err != nil {
		return nil, err
	}
	m.mirror()
	return m, nil
}
