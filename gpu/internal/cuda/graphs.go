package cuda

import (
	"encoding/binary"
	"math"

	"github.com/polydag/polydag/gpu/internal/cuda/internal/ptx"
)

// where returns the address of a matrix of problem 0.
func (s *session) where(m int) uint64 { return uint64(s.base) + uint64(m*s.matrix()) }

func (s *session) prepare() error {
	if err := s.card.clear(s.base, s.bytes()); err != nil {
		return err
	}
	frame := make([]byte, ptx.FrameSize)
	put := func(b []byte, at int, v uint64) { binary.LittleEndian.PutUint64(b[at:], v) }
	real := func(b []byte, at int, v float64) { put(b, at, math.Float64bits(v)) }
	for offset, m := range s.at {
		put(frame, offset, s.where(m))
	}
	put(frame, ptx.FrameR, uint64(s.base)+uint64(s.variances()))
	put(frame, ptx.FrameControl, uint64(s.base)+uint64(s.plan.control()))
	put(frame, ptx.FramePartial, uint64(s.base)+uint64(s.partial()))
	put(frame, ptx.FrameHistory, uint64(s.base)+uint64(s.history()))
	put(frame, ptx.FrameRates, uint64(s.base)+uint64(s.rates()))
	records := frame
	n := 0
	var coefficients []byte
	for _, launch := range s.all() {
		for _, j := range launch {
			r := make([]byte, ptx.JobSize)
			put(r, ptx.JobA, s.where(j.a))
			put(r, ptx.JobB, s.where(j.b))
			put(r, ptx.JobC, s.where(j.c))
			put(r, ptx.JobE, s.where(j.e))
			put(r, ptx.JobF, s.where(j.f))
			put(r, ptx.JobRungs, s.where(j.rungs))
			put(r, ptx.JobCoefficients, uint64(s.base)+uint64(s.factors()+128*n))
			real(r, ptx.JobAlpha, j.alpha)
			real(r, ptx.JobBeta, j.beta)
			real(r, ptx.JobGamma, j.gamma)
			real(r, ptx.JobDelta, j.delta)
			r[ptx.JobKind] = byte(j.kind)
			if j.kind == ptx.KindColumns {
				put(r, ptx.JobC, uint64(s.base)+uint64(s.variances()))
			}
			put(r, ptx.JobMatrix, uint64(s.matrix()))
			records = append(records, r...)
			for _, f := range j.factors {
				coefficients = binary.LittleEndian.AppendUint64(coefficients, math.Float64bits(f))
			}
			n++
		}
	}
	if err := s.card.up(s.base+uintptr(s.records()), append(records, coefficients...)); err != nil {
		return err
	}
	join := func(n int, parts ...func() error) func() error {
		return func() error {
			for range n {
				for _, part := range parts {
					if err := part(); err != nil {
						return err
					}
				}
			}
			return nil
		}
	}
	type graph struct {
		to   *uintptr
		body func() error
	}
	plain, move := s.products(0, len(s.launches)), func() error { return s.launchUpdate("update", 1) }
	both := func() error { return s.launchUpdate("step", 1) } // values and Adam
	var graphs []graph
	if s.stages == nil { // the number of launches depends on W
		graphs = append(graphs, graph{&s.evaluate, join(1, plain, s.launchReduce)})
	}
	byAdam := !s.Search
	if byAdam {
		graphs = append(graphs,
			graph{&s.one[0], join(1, plain, s.launchReduce, move)}, graph{&s.many[0], join(unrolled, plain, s.launchReduce, move)},
			graph{&s.one[1], join(1, plain, both)}, graph{&s.many[1], join(unrolled, plain, both)})
	}
	if s.careful != nil {
		careful := s.products(len(s.launches), len(s.all()))
		graphs = append(graphs, graph{&s.slowly, join(1, careful, s.launchReduce)})
		if byAdam {
			graphs = append(graphs, graph{&s.slow, join(1, careful, s.launchReduce, move)})
		}
	}
	for _, g := range graphs {
		var err error
		if *g.to, err = s.card.capture(g.body); err != nil {
			return err
		}
	}
	return nil
}

// products returns a function that launches the products from one index to another.
func (s *session) products(from, to int) func() error {
	return func() error {
		for i := from; i < to; i++ {
			if err := s.launchProducts(i); err != nil {
				return err
			}
		}
		return nil
	}
}

func (s *session) launchProducts(i int) error {
	at, all := uint64(s.base)+uint64(s.jobs()), s.all()
	for _, before := range all[:i] {
		at += uint64(len(before) * ptx.JobSize)
	}
	n := len(all[i])
	across := func(by int) int { return (s.D + by - 1) / by } // only zeros lie beyond
	return s.card.launch(s.kernels[s.tile.Name()], across(s.tile.Cols), across(s.tile.Rows), n*s.Batch, s.tile.Threads(),
		at, uint64(s.slab()), uint64(n), uint64(s.D), uint64(s.leading), uint64(s.depth))
}

func (s *session) frame() uint64 { return uint64(s.base) + uint64(s.records()) }

func (s *session) launchReduce() error {
	return s.card.launch(s.kernels["reduce"], min(s.squares()*s.squares(), ptx.Blocks), 1, s.Batch, ptx.Threads,
		s.frame(), uint64(s.slab()), uint64(s.D), uint64(s.leading), uint64(s.flags))
}

func (s *session) launchUpdate(kernel string, move uint64) error {
	return s.card.launch(s.kernels[kernel], s.squares(), s.squares(), s.Batch, ptx.Threads,
		s.frame(), uint64(s.slab()), uint64(s.D), uint64(s.leading), uint64(s.flags), move)
}
