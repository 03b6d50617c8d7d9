package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/gpu/device"
)

// rowSession is one score of rows on a GPU. It gets parameters and returns the sum over all rows with its
// gradient.
type rowSession struct {
	*rowPlan
	*evaluation
	answer []byte // the last gradient and sums
}

func newRowSession(card *card, p device.Problem) (*rowSession, error) {
	pl, err := newRowPlan(p)
	if err != nil {
		return nil, err
	}
	e, err := newEvaluation(card, p.Bits, pl.bytes, pl.launches(), "the rows with what is made of them take")
	if err != nil {
		return nil, err
	}
	s := &rowSession{rowPlan: pl, evaluation: e, answer: make([]byte, pl.at[rowFirst]-pl.at[rowFound])}
	if err := card.up(e.base+uintptr(pl.at[rowKinds]), pl.kinds); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *rowSession) respond(q *device.Request) (*device.Reply, error) {
	switch q.Op {
	case device.OpData:
		return &device.Reply{}, s.data(q.Blobs)
	case device.OpValues:
		return s.values(q.Blobs)
	}
	return nil, fmt.Errorf("%q is about steps, and the session is for values of rows", q.Op)
}

// data stores the table, row by row.
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

// values evaluates at the parameters, with an optional new table. The sums of the blocks are added on the CPU
// in order.
func (s *rowSession) values(blobs [][]byte) (*device.Reply, error) {
	size := s.Rows.Parameters() * s.Bits / 8
	if len(blobs) < 1 || len(blobs) > 2 || len(blobs[0]) != size {
		return nil, fmt.Errorf("values wants a matrix of %d bytes, and no more than a table beside it", size)
	}
	if len(blobs) == 2 {
		if err := s.data(blobs[1:]); err != nil {
			return nil, err
		}
	}
	if err := s.put(s.at[rowSent], blobs[0]); err != nil {
		return nil, err
	}
	if err := s.find(s.answer, s.at[rowFound]); err != nil {
		return nil, err
	}
	sum, sums := 0.0, s.answer[s.at[rowSums]-s.at[rowFound]:]
	for i := range s.sums() {
		sum += math.Float64frombits(binary.LittleEndian.Uint64(sums[8*i:]))
	}
	if sum-sum != 0 { // JSON cannot represent it
		return &device.Reply{Stuck: []bool{true}}, nil
	}
	return &device.Reply{Points: [][][3]float64{{{sum}}}, Stuck: []bool{false}, Blobs: [][]byte{s.answer[:size]}}, nil
}
