package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/gpu/internal/cuda/internal/ptx"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// session is one problem, or a batch of problems, on a GPU.
type session struct {
	*plan
	card    *card
	kernels map[string]uintptr
	base    uintptr

	evaluate     uintptr    // graph of an evaluation
	one, many    [2]uintptr // graphs of one and several steps, if the weight of h depends on h, and if not
	slowly, slow uintptr    // graphs of a careful evaluation and step, if any

	taken    []int     // step count of the moments of each problem
	rate     []float64 // by problem
	settled  []bool    // by problem: the inverses belong to the current W
	controls []byte    // as read last, one after the other
	sent     [2][]byte // controls and rates being sent
	search   *searcher // state of a line search
	up, down []byte    // matrix being transferred, in device layout; the padding of up is zero
}

// unrolled is the number of steps in one graph, because a replay costs a few microseconds.
const unrolled = 8

func newSession(card *card, p device.Problem) (*session, error) {
	pl, err := newPlan(p)
	if err != nil {
		return nil, err
	}
	return open(card, pl)
}

func open(card *card, pl *plan) (*session, error) {
	kernels, err := card.kernels(pl.Bits)
	if err != nil {
		return nil, err
	}
	base, err := card.reserve(pl.bytes(), "the problem takes")
	if err != nil {
		return nil, err
	}
	s := &session{plan: pl, card: card, kernels: kernels, base: base, taken: make([]int, pl.Batch), rate: make([]float64, pl.Batch), settled: make([]bool, pl.Batch)}
	s.up, s.down = make([]byte, pl.matrix()), make([]byte, pl.D*pl.leading*pl.Bits/8)
	if pl.Search {
		s.search = newSearcher(s)
	}
	if err := s.prepare(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *session) close() error {
	var errs []error
	for _, g := range []uintptr{s.evaluate, s.one[0], s.one[1], s.many[0], s.many[1], s.slowly, s.slow} {
		if g != 0 {
			errs = append(errs, s.card.do("cuGraphExecDestroy", g))
		}
	}
	return errors.Join(append(errs, s.card.free(s.base))...)
}

// address returns the address of a matrix of a problem.
func (s *session) address(problem, m int) uintptr {
	return s.base + uintptr(problem*s.slab()+m*s.matrix())
}

// put copies a matrix to the device with zero padding.
func (s *session) put(problem, m int, data []byte) error {
	row, wide := s.D*s.Bits/8, s.leading*s.Bits/8
	if len(data) != s.D*row {
		return fmt.Errorf("a matrix of %d bytes came, want %d", len(data), s.D*row)
	}
	for i := range s.D {
		copy(s.up[i*wide:], data[i*row:(i+1)*row])
	}
	return s.card.up(s.address(problem, m), s.up)
}

func (s *session) get(problem, m int) ([]byte, error) {
	row, wide := s.D*s.Bits/8, s.leading*s.Bits/8
	if err := s.card.down(s.down, s.address(problem, m)); err != nil {
		return nil, err
	}
	out := make([]byte, s.D*row)
	for i := range s.D {
		copy(out[i*row:(i+1)*row], s.down[i*wide:])
	}
	return out, nil
}

// load sets W and both moments of a problem, their step count, and the halvings of the rate.
func (s *session) load(problem int, w, m, v []byte, t, halved int) error {
	for i, data := range [][]byte{w, m, v} {
		if err := s.put(problem, s.kept[i], data); err != nil {
			return err
		}
	}
	if s.flags&ptx.Likelihood != 0 {
		if err := s.invert(problem, ptx.FrameY, w, 1, func(w float64) float64 { return w }); err != nil {
			return err
		}
	}
	if s.flags&ptx.LogDet != 0 {
		if err := s.invert(problem, ptx.FrameQ, w, s.S, func(w float64) float64 { return w * w }); err != nil {
			return err
		}
	}
	s.taken[problem], s.rate[problem], s.settled[problem] = t, math.Ldexp(s.Rate, -halved), false
	return nil
}

// invert computes (shift·I - f(W))⁻ᵀ on the CPU, once per load.
func (s *session) invert(problem, frame int, w []byte, shift float64, f func(float64) float64) error {
	d := s.D
	n := matrix.New[float64](d, d)
	for i := range d {
		for j := range d {
			v := 0.0
			if s.Bits == 32 {
				v = float64(math.Float32frombits(binary.LittleEndian.Uint32(w[4*(i*d+j):])))
			} else {
				v = math.Float64frombits(binary.LittleEndian.Uint64(w[8*(i*d+j):]))
			}
			n.Set(j, i, -f(v))
		}
	}
	for i := range d {
		n.Set(i, i, n.At(i, i)+shift)
	}
	lu := matrix.LU[float64]{Threads: 1}
	if err := lu.Factor(n); err != nil {
		return fmt.Errorf("a matrix that W makes is singular: %w: %w", err, solve.ErrStuck)
	}
	y := matrix.New[float64](d, d)
	lu.Inverse(y)
	var out []byte
	for _, v := range y.Data {
		if s.Bits == 32 {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(v)))
		} else {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
	}
	return s.put(problem, s.at[frame], out)
}
