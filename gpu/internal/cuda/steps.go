package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/polydag/polydag/gpu/internal/cuda/internal/ptx"
	"github.com/polydag/polydag/solve"
)

// A command has the weights of score and h of the first step, with h at its start, and the weights of the other
// steps.
type command struct {
	now  [][3]float64
	rest []solve.Weights
}

// setControl writes the control block of every problem for the next evaluation. next is its first step, and
// careful selects the careful launches. Problems in still do not move.
func (s *session) setControl(next uint32, c *command, still []bool, careful bool) error {
	scale := s.scale
	if careful {
		scale = s.finer
	}
	blocks := make([]byte, s.Batch*ptx.ControlSize)
	for p := range s.Batch {
		block := blocks[p*ptx.ControlSize:][:ptx.ControlSize]
		binary.LittleEndian.PutUint32(block[ptx.ControlNext:], next)
		if still != nil && still[p] {
			binary.LittleEndian.PutUint32(block[ptx.ControlFlag:], 1)
		}
		real := func(at int, v float64) { binary.LittleEndian.PutUint64(block[at:], math.Float64bits(v)) }
		if c != nil {
			real(ptx.ControlNow, c.now[p][0])
			real(ptx.ControlNow+8, c.now[p][1])
			real(ptx.ControlH, c.now[p][2])
			real(ptx.ControlRest, c.rest[p].Score)
			real(ptx.ControlRest+8, c.rest[p].A)
			real(ptx.ControlRest+16, c.rest[p].B)
		}
		real(ptx.ControlLambda, s.Lambda)
		real(ptx.ControlWidth, s.Width)
		real(ptx.ControlBeta1, s.Beta1)
		real(ptx.ControlBeta2, s.Beta2)
		real(ptx.ControlEps, s.Eps)
		real(ptx.ControlTrace, s.constants[0])
		real(ptx.ControlChain, s.constants[1])
		real(ptx.ControlTop, s.constants[2])
		real(ptx.ControlLimit, s.limit)
		real(ptx.ControlGuard, s.guard)
		real(ptx.ControlScale, scale)
		real(ptx.ControlShift, s.S)
		if s.controls != nil { // the variance of the last evaluation
			copy(block[ptx.ControlEqual:ptx.ControlEqual+8], s.controls[p*ptx.ControlSize+ptx.ControlEqual:])
		}
	}
	s.sent[0] = blocks
	return s.each(blocks, ptx.ControlSize, s.plan.control(), s.card.upLater)
}

// each copies one piece of all to or from each problem, at an offset in its slab. all must not change until the
// next wait.
func (s *session) each(all []byte, piece, offset int, copy func(piece []byte, at uintptr) error) error {
	for p := range s.Batch {
		if err := copy(all[p*piece:][:piece], s.base+uintptr(p*s.slab()+offset)); err != nil {
			return err
		}
	}
	return nil
}

// save saves the state of a problem, and restore restores it.
func (s *session) save(problem int) error {
	for i, m := range s.kept {
		if err := s.card.copy(s.address(problem, s.matrices+i), s.address(problem, m), s.matrix()); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) restore(problem int) error {
	for i, m := range s.kept {
		if err := s.card.copy(s.address(problem, m), s.address(problem, s.matrices+i), s.matrix()); err != nil {
			return err
		}
	}
	return nil
}

// points evaluates every problem at its current point and saves its state. An evaluation improves an inverse.
// If the inverse of a problem already belongs to its W, it is restored, so that results do not depend on the
// ends of commands or on other problems.
func (s *session) points() ([][]solve.Point, []bool, error) {
	for p := range s.Batch {
		if err := s.save(p); err != nil {
			return nil, nil, err
		}
	}
	points, bad, err := s.evaluateAll()
	if err != nil {
		return nil, nil, err
	}
	for p, settled := range s.settled {
		if settled {
			err = errors.Join(err, s.restore(p))
		}
		s.settled[p] = !bad[p]
	}
	return points, bad, err
}

// evaluateAll evaluates every problem at its current point, carefully if one of them needs it.
func (s *session) evaluateAll() ([][]solve.Point, []bool, error) {
	points, bad, err := s.evaluateThose(nil, false)
	if err == nil && s.careful != nil && slices.Contains(bad, true) {
		return s.evaluateThose(nil, true)
	}
	return points, bad, err
}

func (s *session) evaluateThose(still []bool, careful bool) ([][]solve.Point, []bool, error) {
	products := func() error { return s.card.replay(s.evaluate) }
	switch {
	case careful:
		products = func() error { return s.card.replay(s.slowly) }
	case s.stages != nil:
		products = s.inStages
	}
	if err := errors.Join(s.setControl(0, nil, still, careful), s.launchUpdate("update", 0), products()); err != nil {
		return nil, nil, err
	}
	return s.outcome(0, 1)
}

// outcome waits for the steps of a command. It reads n points from index first on, and which problems met an
// unusable value.
func (s *session) outcome(first, n int) ([][]solve.Point, []bool, error) {
	s.controls = make([]byte, s.Batch*ptx.ControlSize)
	all := make([]byte, s.Batch*n*ptx.RecordSize)
	err := s.each(s.controls, ptx.ControlSize, s.plan.control(), s.card.downLater)
	if err == nil && n > 0 {
		err = s.each(all, n*ptx.RecordSize, s.history()+first*ptx.RecordSize, s.card.downLater)
	}
	if err := errors.Join(err, s.card.wait()); err != nil {
		return nil, nil, err
	}
	runtime.KeepAlive(all)
	out, bad := make([][]solve.Point, s.Batch), make([]bool, s.Batch)
	for p := range out {
		if bad[p] = binary.LittleEndian.Uint32(s.controls[p*ptx.ControlSize+ptx.ControlFlag:]) > 0; bad[p] || n == 0 {
			continue
		}
		out[p] = make([]solve.Point, n)
		for i := range n {
			real := func(at int) float64 {
				return math.Float64frombits(binary.LittleEndian.Uint64(all[(p*n+i)*ptx.RecordSize+at:]))
			}
			out[p][i] = solve.Point{Score: real(0), Penalty: real(8), H: real(16)}
		}
	}
	return out, bad, nil
}

// advance takes a step with the weights of the command, whose evaluation was just made, and n more. If an
// inverse failed, the problem repeats the steps with the careful launches while the others wait. If that fails
// too, it returns to the state of that evaluation.
func (s *session) advance(c *command, n int) ([][]solve.Point, []bool, error) {
	if n < 0 || n > historySteps-1 {
		return nil, nil, fmt.Errorf("%d steps at once, at most %d", n+1, historySteps)
	}
	points, bad, err := s.take(c, n, nil, false)
	if err != nil {
		return nil, nil, err
	}
	if s.careful != nil && slices.Contains(bad, true) {
		if err := s.again(c, n, points, bad); err != nil {
			return nil, nil, err
		}
	}
	for p := range s.taken {
		if s.settled[p] = !bad[p]; !bad[p] {
			s.taken[p] += n + 1
			continue
		}
		if err := s.restore(p); err != nil {
			return nil, nil, err
		}
	}
	return points, bad, s.card.wait()
}

// again repeats the steps of bad problems with the careful launches. The others keep their state; their
// inverses, which the launches change, are saved.
func (s *session) again(c *command, n int, points [][]solve.Point, bad []bool) error {
	still := make([]bool, s.Batch)
	for p := range still {
		still[p] = !bad[p]
		move := s.restore
		if still[p] {
			move = s.save
		}
		if err := move(p); err != nil {
			return err
		}
	}
	if _, _, err := s.evaluateThose(still, true); err != nil {
		return err
	}
	got, worse, err := s.take(c, n, still, true)
	if err != nil {
		return err
	}
	for p := range still {
		if still[p] {
			if err := s.restore(p); err != nil {
				return err
			}
			continue
		}
		points[p], bad[p] = got[p], worse[p]
	}
	return nil
}

// take takes the steps of a command by replaying graphs. The final point is also evaluated: a problem that
// cannot be evaluated there is bad.
func (s *session) take(c *command, n int, still []bool, careful bool) ([][]solve.Point, []bool, error) {
	if err := s.setControl(1, c, still, careful); err != nil {
		return nil, nil, err
	}
	rates := make([]byte, 0, 16*(n+1)*s.Batch)
	for p, taken := range s.taken {
		for i := range n + 1 {
			t := float64(taken + 1 + i)
			rates = binary.LittleEndian.AppendUint64(rates, math.Float64bits(s.rate[p]/(1-math.Pow(s.Beta1, t))))
			rates = binary.LittleEndian.AppendUint64(rates, math.Float64bits(1/math.Sqrt(1-math.Pow(s.Beta2, t))))
		}
	}
	s.sent[1] = rates
	if err := s.each(rates, 16*(n+1), s.rates(), s.card.upLater); err != nil {
		return nil, nil, err
	}
	if err := s.launchUpdate("update", 1); err != nil {
		return nil, nil, err
	}
	end, fused := s.evaluate, 1
	if careful {
		end = s.slowly
	}
	for _, w := range c.rest {
		if w.B != 0 || s.flags&ptx.Equal != 0 || s.D > launchBound { // the shared variance of all columns is also a value
			fused = 0
		}
	}
	for left := n; left > 0; {
		graph, steps := s.one[fused], 1
		switch {
		case careful:
			graph = s.slow
		case left >= unrolled:
			graph, steps = s.many[fused], unrolled
		}
		if err := s.card.replay(graph); err != nil {
			return nil, nil, err
		}
		left -= steps
	}
	if err := s.card.replay(end); err != nil {
		return nil, nil, err
	}
	return s.outcome(1, n)
}
