package continuous

import (
	"slices"

	"github.com/polydag/polydag/internal/wire"
)

// layout is the format version of encode. It changes when the format or the meaning of a pass changes.
const layout = "swaps/1"

// encode writes the state between two passes of the first descent, or between two rounds: the graph, its order
// and the queued columns. Regressions follow from these.
func (s *swaps) encode() []byte {
	w := wire.NewWriter(layout)
	w.Int(s.moves)
	w.Int(s.round)
	w.Int(s.failed)
	wire.Ints(w, s.order)
	for v, f := range s.now {
		w.Bool(s.queued[v])
		wire.Ints(w, f.parents)
	}
	return w.Seal()
}

// decode restores the state that encode wrote.
func decode(f *fits, b []byte) (*swaps, error) {
	d := len(f.required)
	r := wire.NewReader(layout, b)
	moves, round, failed := r.Int(), r.Int(), r.Between(0, patience)
	order := wire.ReadInts[int](r, 0, d)
	parents, queued := make([][]int, d), make([]bool, d)
	for v := range d {
		queued[v] = r.Bool()
		parents[v] = wire.ReadInts[int](r, 0, d)
	}
	if err := r.Close(); err != nil {
		return nil, err
	}
	for i, v := range slices.Sorted(slices.Values(order)) {
		if i != v || len(order) != d {
			r.Fail("the order does not have every column once")
			return nil, r.Err()
		}
	}
	s := newSwaps(f, order, parents)
	s.moves, s.round, s.failed, s.queued = moves, round, failed, queued
	return s, nil
}
