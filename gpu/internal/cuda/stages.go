package cuda

import (
	"encoding/binary"
	"math"

	"github.com/polydag/polydag/gpu/internal/cuda/internal/ptx"
)

// inStages runs the stages until the power has no entry above the limit, as acyclic.Truncated does, and then
// computes the values. A stage costs one read of eight bytes.
func (s *session) inStages() error {
	for i, st := range s.stages {
		if err := s.products(st.begin, st.end)(); err != nil {
			return err
		}
		if i < len(s.stages)-1 {
			top, err := s.largest(st.power)
			if err != nil {
				return err
			}
			if !(top <= s.Least) { // NaN continues, and the values show it
				continue
			}
		}
		for frame, m := range map[int]int{ptx.FrameSum: st.sum, ptx.FrameQ: st.der} {
			if err := s.card.copy(s.address(0, s.at[frame]), s.address(0, m), s.matrix()); err != nil {
				return err
			}
		}
		return s.launchReduce()
	}
	return nil
}

// largest returns the largest entry of a nonnegative matrix.
func (s *session) largest(m int) (float64, error) {
	to := s.base + uintptr(s.plan.control()+ptx.ControlLargest)
	if err := s.card.clear(to, 8); err != nil {
		return 0, err
	}
	n := s.leading * s.leading
	if err := s.card.launch(s.kernels["largest"], min((n+ptx.Threads-1)/ptx.Threads, ptx.Blocks), 1, 1, ptx.Threads, uint64(s.address(0, m)), uint64(to), uint64(n)); err != nil {
		return 0, err
	}
	var b [8]byte
	err := s.card.down(b[:], to)
	return math.Float64frombits(binary.LittleEndian.Uint64(b[:])), err
}
