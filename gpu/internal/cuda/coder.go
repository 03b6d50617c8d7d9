package cuda

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/polydag/polydag/gpu/device"
)

// coderSession is one autoencoder on a GPU. It gets a batch of rows, the graph and the other parameters, and
// returns the loss with its gradients.
type coderSession struct {
	*coderPlan
	*evaluation
	answer []byte // the last result
	tail   []byte // the gradient in the parameters besides the graph
}

func newCoderSession(card *card, p device.Problem) (*coderSession, error) {
	pl, err := newCoderPlan(p)
	if err != nil {
		return nil, err
	}
	e, err := newEvaluation(card, p.Bits, pl.bytes, pl.launches(), "the autoencoder with a batch of rows take")
	if err != nil {
		return nil, err
	}
	return &coderSession{pl, e, make([]byte, pl.at[coderX]-pl.at[coderFoundS]), make([]byte, 8*pl.Tail())}, nil
}

func (s *coderSession) respond(q *device.Request) (*device.Reply, error) {
	if q.Op != device.OpValues {
		return nil, fmt.Errorf("%q is not about values, and the session is for those of an autoencoder", q.Op)
	}
	sent := []int{coderSentX, coderSentS, coderSentY, coderTail, coderSentNoise}
	sizes := []int{s.Rows * s.Columns, s.Columns * s.Columns, s.Columns * s.Columns, s.Tail(), s.Rows * s.Columns}
	if !s.Noise {
		sent = sent[:4]
	}
	if len(q.Blobs) != len(sent) {
		return nil, fmt.Errorf("values wants %d matrices, got %d", len(sent), len(q.Blobs))
	}
	for i, piece := range sent {
		if len(q.Blobs[i]) != 8*sizes[i] {
			return nil, fmt.Errorf("matrix %d has %d bytes, want %d", i, len(q.Blobs[i]), 8*sizes[i])
		}
		if err := s.put(s.at[piece], q.Blobs[i]); err != nil {
			return nil, err
		}
	}
	if err := s.find(s.answer, s.at[coderFoundS]); err != nil {
		return nil, err
	}
	return s.found(), nil
}

// found converts the result to a reply. The gradient in c has four parts: e = … + c, z = … - c, u = … + c and
// the input of the decoder, … - c. The gradient in the encoder's bias is that in e. Sums are added in order.
func (s *coderSession) found() *device.Reply {
	part := func(piece, numbers int) []byte { return s.answer[s.at[piece]-s.at[coderFoundS]:][:8*numbers] }
	real := func(b []byte, i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:])) }
	graph, tail := s.Columns*s.Columns, part(coderFoundTail, s.Tail()-1)
	gradS, losses, loss := part(coderFoundS, graph), part(coderLosses, across(s.Rows*s.Columns)), 0.0
	for i := range len(losses) / 8 {
		loss += real(losses, i)
	}
	if loss-loss != 0 { // JSON cannot represent it
		return &device.Reply{Stuck: []bool{true}}
	}
	for i := range graph { // eᵀ∂z, because z has -eS
		gradS[8*i+7] ^= 0x80
	}
	shift := real(tail, 3*s.Hidden)
	for i, sign := range []float64{-1, 1, -1} {
		sums := part(coderFoundSums, 3*s.columns)[8*i*s.columns:]
		for j := range s.Columns {
			shift += sign * real(sums, j)
		}
	}
	binary.LittleEndian.PutUint64(s.tail, math.Float64bits(shift))
	copy(s.tail[8:], tail)
	return &device.Reply{Stuck: []bool{false}, Points: [][][3]float64{{{loss}}}, Blobs: [][]byte{gradS, part(coderFoundY, graph), s.tail}}
}
