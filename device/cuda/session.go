package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"

	"github.com/polydag/polydag/device"
	"github.com/polydag/polydag/device/cuda/internal/ptx"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// session holds one problem, or a batch of them, on a card.
type session struct {
	*plan
	card    *Card
	kernels map[string]uintptr
	base    uintptr

	evaluate, one, many uintptr // graphs: an evaluation; a step; unrolled steps
	taken               []int   // steps that the moments of each problem come from
	controls            []byte  // as they were read last, one after another
}

// unrolled is the number of steps in one graph: replaying one costs a few microseconds.
const unrolled = 8

func newSession(card *Card, p device.Problem) (*session, error) {
	pl, err := newPlan(p)
	if err != nil {
		return nil, err
	}
	kernels, err := card.kernels(p.Bits)
	if err != nil {
		return nil, err
	}
	if free, err := card.Free(); err == nil && int64(pl.bytes()) > free {
		return nil, fmt.Errorf("the problem takes %d MiB of the card's memory, and %d MiB are free: %w", pl.bytes()>>20, free>>20, errMemory)
	}
	base, err := card.alloc(pl.bytes())
	if err != nil {
		return nil, err
	}
	s := &session{plan: pl, card: card, kernels: kernels, base: base, taken: make([]int, p.Batch)}
	if err := s.prepare(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

var errMemory = errors.New("out of memory")

func (s *session) close() error {
	var errs []error
	for _, g := range []uintptr{s.evaluate, s.one, s.many} {
		if g != 0 {
			errs = append(errs, s.card.do("cuGraphExecDestroy", g))
		}
	}
	return errors.Join(append(errs, s.card.free(s.base))...)
}

// where is the address of a matrix of problem 0.
func (s *session) where(m int) uint64 { return uint64(s.base) + uint64(m*s.matrix()) }

// prepare writes the records and captures the graphs.
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
	for _, launch := range s.launches {
		for _, j := range launch {
			r := make([]byte, ptx.JobSize)
			put(r, ptx.JobA, s.where(j.a))
			put(r, ptx.JobB, s.where(j.b))
			put(r, ptx.JobC, s.where(j.c))
			put(r, ptx.JobE, s.where(j.e))
			put(r, ptx.JobSecond, s.where(j.second))
			put(r, ptx.JobRungs, s.where(j.rungs))
			put(r, ptx.JobCoefficients, uint64(s.base)+uint64(s.factors()+128*n))
			real(r, ptx.JobAlpha, j.alpha)
			real(r, ptx.JobBeta, j.beta)
			real(r, ptx.JobDelta, j.delta)
			if j.ladder {
				r[ptx.JobKind] = ptx.KindLadder
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
	var err error
	if s.evaluate, err = s.card.capture(s.launchEvaluate); err != nil {
		return err
	}
	step := func(n int) func() error {
		return func() error {
			for range n {
				if err := errors.Join(s.launchEvaluate(), s.launchUpdate(1)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	if s.one, err = s.card.capture(step(1)); err != nil {
		return err
	}
	s.many, err = s.card.capture(step(unrolled))
	return err
}

// launchEvaluate starts what leads from W to the values and gradients of a step.
func (s *session) launchEvaluate() error {
	for i := range s.launches {
		if err := s.launchProducts(i); err != nil {
			return err
		}
	}
	if s.flags&ptx.Likelihood != 0 {
		if err := s.launchColumns(); err != nil {
			return err
		}
	}
	return s.launchReduce()
}

func (s *session) launchProducts(i int) error {
	at := uint64(s.base) + uint64(s.jobs())
	for _, before := range s.launches[:i] {
		at += uint64(len(before) * ptx.JobSize)
	}
	n := len(s.launches[i])
	return s.card.launch(s.kernels[s.tile.Name()], s.leading/s.tile.Cols, s.leading/s.tile.Rows, n*s.Batch, s.tile.Threads(),
		at, uint64(s.slab()), uint64(n), uint64(s.D), uint64(s.leading), uint64(s.depth))
}

func (s *session) frame() uint64 { return uint64(s.base) + uint64(s.records()) }

func (s *session) launchColumns() error {
	return s.card.launch(s.kernels["columns"], s.leading/32, 1, s.Batch, ptx.Threads, s.frame(), uint64(s.slab()), uint64(s.D), uint64(s.leading))
}

func (s *session) launchReduce() error {
	across := (s.D + 31) / 32
	return s.card.launch(s.kernels["reduce"], min(across*across, ptx.Blocks), 1, s.Batch, ptx.Threads,
		s.frame(), uint64(s.slab()), uint64(s.D), uint64(s.leading), uint64(s.flags))
}

func (s *session) launchUpdate(move uint64) error {
	across := s.leading / 32
	return s.card.launch(s.kernels["update"], across, across, s.Batch, ptx.Threads,
		s.frame(), uint64(s.slab()), uint64(s.D), uint64(s.leading), uint64(s.flags), move)
}

// address is that of a matrix of a problem.
func (s *session) address(problem, m int) uintptr {
	return s.base + uintptr(problem*s.slab()+m*s.matrix())
}

// put copies a matrix up, with zeros around it.
func (s *session) put(problem, m int, data []byte) error {
	row, wide := s.D*s.Bits/8, s.leading*s.Bits/8
	if len(data) != s.D*row {
		return fmt.Errorf("a matrix of %d bytes came, want %d", len(data), s.D*row)
	}
	padded := make([]byte, s.matrix())
	for i := range s.D {
		copy(padded[i*wide:], data[i*row:(i+1)*row])
	}
	return s.card.up(s.address(problem, m), padded)
}

func (s *session) get(problem, m int) ([]byte, error) {
	row, wide := s.D*s.Bits/8, s.leading*s.Bits/8
	padded := make([]byte, s.D*wide)
	if err := s.card.down(padded, s.address(problem, m)); err != nil {
		return nil, err
	}
	out := make([]byte, 0, s.D*row)
	for i := range s.D {
		out = append(out, padded[i*wide:i*wide+row]...)
	}
	return out, nil
}

// load sets W and both moments of a problem, and the number of steps that they come from.
func (s *session) load(problem int, w, m, v []byte, t int) error {
	for i, data := range [][]byte{w, m, v} {
		if err := s.put(problem, s.kept[i], data); err != nil {
			return err
		}
	}
	if s.flags&ptx.Likelihood != 0 {
		y, err := s.inverse(w)
		if err != nil {
			return err
		}
		if err := s.put(problem, s.at[ptx.FrameY], y); err != nil {
			return err
		}
	}
	s.taken[problem] = t
	return nil
}

// inverse computes (I - W)⁻ᵀ here, once for each load.
func (s *session) inverse(w []byte) ([]byte, error) {
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
			n.Set(j, i, -v)
		}
	}
	for i := range d {
		n.Set(i, i, n.At(i, i)+1)
	}
	lu := matrix.LU[float64]{Threads: 1}
	if err := lu.Factor(n); err != nil {
		return nil, fmt.Errorf("the matrix I - W is singular: %w: %w", err, solve.ErrStuck)
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
	return out, nil
}

// setControl writes the control block of every problem. In the evaluation that follows, step next is the first.
func (s *session) setControl(next uint32, now [][2]float64, rest []solve.Weights) error {
	blocks := make([]byte, s.Batch*ptx.ControlSize)
	_, limit := s.iterations()
	for p := range s.Batch {
		c := blocks[p*ptx.ControlSize:][:ptx.ControlSize]
		binary.LittleEndian.PutUint32(c[ptx.ControlNext:], next)
		real := func(at int, v float64) { binary.LittleEndian.PutUint64(c[at:], math.Float64bits(v)) }
		if now != nil {
			real(ptx.ControlNow, now[p][0])
			real(ptx.ControlNow+8, now[p][1])
			real(ptx.ControlRest, rest[p].Score)
			real(ptx.ControlRest+8, rest[p].A)
			real(ptx.ControlRest+16, rest[p].B)
		}
		real(ptx.ControlLambda, s.Lambda)
		real(ptx.ControlWidth, s.Width)
		real(ptx.ControlBeta1, s.Beta1)
		real(ptx.ControlBeta2, s.Beta2)
		real(ptx.ControlEps, s.Eps)
		real(ptx.ControlTrace, s.constants[0])
		real(ptx.ControlChain, s.constants[1])
		real(ptx.ControlTop, s.constants[2])
		real(ptx.ControlLimit, limit)
		real(ptx.ControlScale, 1)
		if s.controls != nil { // the variance that the last evaluation found
			copy(c[ptx.ControlEqual:ptx.ControlEqual+8], s.controls[p*ptx.ControlSize+ptx.ControlEqual:])
		}
	}
	return s.each(blocks, ptx.ControlSize, s.plan.control(), s.card.upLater)
}

// each copies one piece of all to or from each problem, offset bytes into its slab, and waits.
func (s *session) each(all []byte, piece, offset int, copy func(piece []byte, at uintptr) error) error {
	for p := range s.Batch {
		if err := copy(all[p*piece:][:piece], s.base+uintptr(p*s.slab()+offset)); err != nil {
			return err
		}
	}
	err := s.card.wait()
	runtime.KeepAlive(all)
	return err
}

// stuck reads the control blocks back and says which problems met a value that cannot be used.
func (s *session) stuck() ([]bool, error) {
	s.controls = make([]byte, s.Batch*ptx.ControlSize)
	if err := s.each(s.controls, ptx.ControlSize, s.plan.control(), s.card.downLater); err != nil {
		return nil, err
	}
	out := make([]bool, s.Batch)
	for p := range out {
		out[p] = binary.LittleEndian.Uint32(s.controls[p*ptx.ControlSize+ptx.ControlFlag:]) > 0
	}
	return out, nil
}

// points evaluates every problem where it stands and keeps a copy of its state.
func (s *session) points() ([][]solve.Point, []bool, error) {
	if err := s.setControl(0, nil, nil); err != nil {
		return nil, nil, err
	}
	for p := range s.Batch {
		for i, m := range s.kept {
			if err := s.card.copy(s.address(p, s.matrices+i), s.address(p, m), s.matrix()); err != nil {
				return nil, nil, err
			}
		}
	}
	if err := errors.Join(s.launchUpdate(0), s.card.replay(s.evaluate)); err != nil {
		return nil, nil, err
	}
	return s.outcome(0, 1)
}

// outcome waits for the steps of a command and reads n points from the first on.
func (s *session) outcome(first, n int) ([][]solve.Point, []bool, error) {
	bad, err := s.stuck()
	if err != nil {
		return nil, nil, err
	}
	out := make([][]solve.Point, s.Batch)
	if n == 0 {
		return out, bad, nil
	}
	all := make([]byte, s.Batch*n*ptx.RecordSize)
	if err := s.each(all, n*ptx.RecordSize, s.history()+first*ptx.RecordSize, s.card.downLater); err != nil {
		return nil, nil, err
	}
	for p := range out {
		if bad[p] {
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

// advance takes a step with the weights now, whose evaluation has just been made, and n more. A problem that is stuck goes back to
// the state of that evaluation.
func (s *session) advance(now [][2]float64, n int, rest []solve.Weights) ([][]solve.Point, []bool, error) {
	if n < 0 || n > historySteps-1 {
		return nil, nil, fmt.Errorf("%d steps at once, at most %d", n+1, historySteps)
	}
	if err := s.setControl(1, now, rest); err != nil {
		return nil, nil, err
	}
	rates := make([]byte, 0, 16*(n+1)*s.Batch)
	for _, taken := range s.taken {
		for i := range n + 1 {
			t := float64(taken + 1 + i)
			rates = binary.LittleEndian.AppendUint64(rates, math.Float64bits(s.Rate/(1-math.Pow(s.Beta1, t))))
			rates = binary.LittleEndian.AppendUint64(rates, math.Float64bits(1/math.Sqrt(1-math.Pow(s.Beta2, t))))
		}
	}
	if err := s.each(rates, 16*(n+1), s.rates(), s.card.upLater); err != nil {
		return nil, nil, err
	}
	if err := s.launchUpdate(1); err != nil {
		return nil, nil, err
	}
	for i := 0; i < n; {
		graph, steps := s.one, 1
		if n-i >= unrolled {
			graph, steps = s.many, unrolled
		}
		if err := s.card.replay(graph); err != nil {
			return nil, nil, err
		}
		i += steps
	}
	points, bad, err := s.outcome(1, n)
	if err != nil {
		return nil, nil, err
	}
	for p := range s.taken {
		if !bad[p] {
			s.taken[p] += n + 1
			continue
		}
		for i, m := range s.kept {
			if err := s.card.copy(s.address(p, m), s.address(p, s.matrices+i), s.matrix()); err != nil {
				return nil, nil, err
			}
		}
	}
	return points, bad, s.card.wait()
}
