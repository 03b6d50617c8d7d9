package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/device"
	"github.com/polydag/polydag/device/cuda/internal/ptx"
)

// rowSession holds one score of rows on a card: parameters come, and the sum over all rows goes back with its gradient. The launches of an evaluation are
// captured as a graph.
type rowSession struct {
	*rowPlan
	card     *Card
	base     uintptr
	evaluate uintptr
	answer   []byte // the gradient and the sums, as they were read last
}

// rowKernels loads the kernels for scores of rows, once.
func (c *Card) rowKernels(bits int) (map[string]uintptr, error) {
	if k := c.ofRows[bits]; k != nil {
		return k, nil
	}
	text := rows32
	if bits == 64 {
		text = rows64
	}
	found, err := c.load(text, ptx.RowNames(bits))
	if err == nil {
		c.ofRows[bits] = found
	}
	return found, err
}

func newRowSession(card *Card, p device.Problem) (*rowSession, error) {
	pl, err := newRowPlan(p)
	if err != nil {
		return nil, err
	}
	kernels, err := card.rowKernels(p.Bits)
	if err != nil {
		return nil, err
	}
	if free, err := card.Free(); err == nil && int64(pl.bytes) > free {
		return nil, fmt.Errorf("the rows with what is made of them take %d MiB of the card's memory, and %d MiB are free: %w", pl.bytes>>20, free>>20, errMemory)
	}
	base, err := card.alloc(pl.bytes)
	if err != nil {
		return nil, err
	}
	s := &rowSession{rowPlan: pl, card: card, base: base, answer: make([]byte, pl.at[rowFirst]-pl.at[rowFound])}
	err = card.clear(base, pl.bytes)
	if err == nil {
		err = card.up(base+uintptr(pl.at[rowKinds]), pl.kinds)
	}
	if err == nil {
		s.evaluate, err = card.capture(func() error {
			for _, l := range pl.launches() {
				args := make([]uint64, len(l.args))
				for i, a := range l.args {
					if args[i] = uint64(a.value); a.piece {
						args[i] += uint64(base)
					}
				}
				if err := card.launch(kernels[l.kernel], l.x, l.y, l.z, ptx.Threads, args...); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *rowSession) close() error {
	var err error
	if s.evaluate != 0 {
		err = s.card.do("cuGraphExecDestroy", s.evaluate)
	}
	return errors.Join(err, s.card.free(s.base))
}

// respond answers a request to the session.
func (s *rowSession) respond(q *device.Request) (*device.Reply, error) {
	switch q.Op {
	case device.OpData:
		return &device.Reply{}, s.data(q.Blobs)
	case device.OpValues:
		return s.values(q.Blobs)
	}
	return nil, fmt.Errorf("%q is about steps, and the session is for values of rows", q.Op)
}

// data takes the table, row after row.
func (s *rowSession) data(blobs [][]byte) error {
	row, wide := s.Rows.Inputs*s.Bits/8, s.inputs*s.Bits/8
	if len(blobs) != 1 || len(blobs[0]) != s.Rows.N*row {
		return fmt.Errorf("data wants one table of %d bytes", s.Rows.N*row)
	}
	table := make([]byte, s.Rows.N*wide)
	for i := range s.Rows.N {
		copy(table[i*wide:], blobs[0][i*row:(i+1)*row])
	}
	return s.card.up(s.base+uintptr(s.at[rowTable]), table)
}

// values evaluates at the parameters. The sums of the blocks are added here, in their order.
func (s *rowSession) values(blobs [][]byte) (*device.Reply, error) {
	size := s.Rows.Parameters() * s.Bits / 8
	if len(blobs) != 1 || len(blobs[0]) != size {
		return nil, fmt.Errorf("values wants one matrix of %d bytes", size)
	}
	if err := s.card.upLater(blobs[0], s.base+uintptr(s.at[rowSent])); err != nil {
		return nil, err
	}
	if err := s.card.replay(s.evaluate); err != nil {
		return nil, err
	}
	if err := s.card.down(s.answer, s.base+uintptr(s.at[rowFound])); err != nil {
		return nil, err
	}
	sum, sums := 0.0, s.answer[s.at[rowSums]-s.at[rowFound]:]
	for i := range s.sums() {
		sum += math.Float64frombits(binary.LittleEndian.Uint64(sums[8*i:]))
	}
	if sum-sum != 0 { // which JSON has no word for
		return &device.Reply{Stuck: []bool{true}}, nil
	}
	return &device.Reply{Points: [][][3]float64{{{sum}}}, Stuck: []bool{false}, Blobs: [][]byte{s.answer[:size]}}, nil
}
