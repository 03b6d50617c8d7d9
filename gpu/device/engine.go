package device

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// usage is the device of a context and whether runs used it. It is the accelerator of the context.
type usage struct {
	device *Device
	mu     sync.Mutex
	used   bool
	why    string // reason why a run did not use the device
}

// Use returns a context in which solve.RunAccelerated takes its steps on device d, if d is not nil.
func Use(ctx context.Context, d *Device) context.Context {
	if d == nil {
		return solve.WithAccelerator(ctx, nil)
	}
	return solve.WithAccelerator(ctx, &usage{device: d})
}

func usageOf(ctx context.Context) *usage {
	u, _ := solve.AcceleratorOf(ctx).(*usage)
	if u == nil {
		u = &usage{}
	}
	return u
}

// Of returns the device of a context, or nil.
func Of(ctx context.Context) *Device { return usageOf(ctx).device }

// Used reports whether a run under the context took steps on its device, and the reason if a run did not.
func Used(ctx context.Context) (used bool, why string) {
	u := usageOf(ctx)
	return u.Used(), u.reason()
}

func (u *usage) Used() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.used
}

func (u *usage) reason() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.why
}

func (u *usage) note(used bool, why string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.used = u.used || used
	if why != "" {
		u.why = why
	}
}

func (u *usage) Name() string { return u.device.Info.Name }

// Reserve returns at most MaxBatch: descents of one kind are groups on a device.
func (u *usage) Reserve(n int) int {
	n = min(n, MaxBatch)
	u.device.Expect(n)
	return n
}

func (u *usage) Run32(ctx context.Context, p solve.Problem[float32], sched solve.Schedule, desc solve.Descent[float32], s solve.Settings, observe solve.Observer) (*solve.Result[float32], error) {
	return run(ctx, u, p, sched, desc, s, observe)
}

func (u *usage) Run64(ctx context.Context, p solve.Problem[float64], sched solve.Schedule, desc solve.Descent[float64], s solve.Settings, observe solve.Observer) (*solve.Result[float64], error) {
	return run(ctx, u, p, sched, desc, s, observe)
}

// run is solve.Run on the device of u. It runs on the CPU if no device supports the problem, or if an optional device refuses it.
func run[T matrix.Float](ctx context.Context, u *usage, p solve.Problem[T], sched solve.Schedule, desc solve.Descent[T], s solve.Settings, observe solve.Observer) (*solve.Result[T], error) {
	d := u.device
	here := func(why string) (*solve.Result[T], error) {
		u.note(false, why)
		return solve.Run(ctx, p, sched, desc, s, observe)
	}
	there := func(out *solve.Result[T], err error) (*solve.Result[T], error) {
		if err != nil && d.leaves(err) {
			return here(err.Error())
		}
		u.note(true, "")
		return out, err
	}
	switch rows, err := describeRows(p.Score); {
	case err != nil:
		return here(err.Error())
	case rows != nil:
		return there(runRows(ctx, d, rows, p, sched, desc, s, observe))
	}
	problem, moments, err := Describe(p, desc)
	if err != nil {
		return here(err.Error())
	}
	if problem.Search {
		return there(runSearch(ctx, d, problem, moments, p, sched, desc, s, observe))
	}
	if _, ok := sched.(solve.Foreseer); !ok {
		return here(fmt.Sprintf("the schedule %T does not know its steps ahead", sched))
	}
	e, err := newEngine(d, problem, p, moments)
	if err != nil {
		return there(nil, err)
	}
	u.note(true, "")
	out, err := solve.RunOn(ctx, e, p, sched, desc, s, observe)
	if closed := e.close(); err == nil && closed != nil && !errors.Is(closed, ErrLost) {
		err = closed
	}
	return out, err
}

// engine is one problem on a device, alone or in a group. The device tracks only the changes of determinants.
// engine computes their values on the CPU at every Point: log|det(I - W)| of a likelihood, and h of a
// log-determinant.
type engine[T matrix.Float] struct {
	group       *group
	slot        int
	p           solve.Problem[T]
	likelihood  bool
	determinant bool // h is a log-determinant
	logdet, h   float64
}

func newEngine[T matrix.Float](d *Device, problem Problem, p solve.Problem[T], moments *matrix.Dense[T]) (*engine[T], error) {
	g, slot, err := d.join(problem)
	if err != nil {
		return nil, err
	}
	if _, err := g.send(slot, data(problem, p, moments)); err != nil {
		return nil, errors.Join(err, g.leave(slot))
	}
	return &engine[T]{
		group: g, slot: slot, p: p, likelihood: problem.Score != LeastSquares, determinant: problem.Constraint == LogDeterminant,
	}, nil
}

// data returns the request that sends the moments and the mask of a problem.
func data[T matrix.Float](problem Problem, p solve.Problem[T], moments *matrix.Dense[T]) *Request {
	q := &Request{Op: OpData, Blobs: [][]byte{raw(moments.Data)}}
	if problem.Masked {
		mask := make([]T, len(p.Forbidden))
		for i, no := range p.Forbidden {
			if !no {
				mask[i] = 1
			}
		}
		q.Blobs = append(q.Blobs, raw(mask))
	}
	return q
}

func (e *engine[T]) close() error { return e.group.leave(e.slot) }

func (e *engine[T]) Load(w *matrix.Dense[T], past solve.Past[T]) error {
	q := &Request{Op: OpLoad, Taken: past.Steps, Halved: past.Halved, Blobs: [][]byte{raw(w.Data)}}
	for _, v := range past.Vectors {
		q.Blobs = append(q.Blobs, raw(v))
	}
	_, err := e.group.send(e.slot, q)
	return err
}

func (e *engine[T]) Point() (solve.Point, error) {
	points, err := e.group.wait(e.slot, &call{})
	if err != nil {
		return solve.Point{}, err
	}
	if len(points) != 1 {
		return solve.Point{}, fmt.Errorf("the device answered with %d points, want one: %w", len(points), ErrLost)
	}
	if e.likelihood || e.determinant {
		if err := e.determinants(); err != nil {
			return solve.Point{}, err
		}
	}
	pt := e.point(points[0])
	if e.determinant {
		pt.H = e.h
	}
	return pt, nil
}

// point subtracts the log-determinant of the last Point from the score, which already includes its changes
// since then.
func (e *engine[T]) point(v [3]float64) solve.Point {
	return solve.Point{Score: v[0] - e.logdet, Penalty: v[1], H: v[2]}
}

// determinants computes log|det(I - W)| and h of a log-determinant on the CPU.
func (e *engine[T]) determinants() error {
	d := e.p.D
	w := matrix.New[T](d, d)
	if err := e.Fetch(w, nil); err != nil {
		return err
	}
	if e.determinant {
		var err error
		if e.h, err = e.p.Constraint.Eval(nil, w); err != nil {
			return fmt.Errorf("%w: %w", err, solve.ErrStuck)
		}
	}
	if !e.likelihood {
		return nil
	}
	for i, v := range w.Data {
		w.Data[i] = -v
	}
	for i := range d {
		w.Data[i*d+i]++
	}
	lu := matrix.LU[T]{Threads: 1}
	if err := lu.Factor(w); err != nil {
		return fmt.Errorf("the matrix I - W is singular: %w: %w", err, solve.ErrStuck)
	}
	e.logdet, _ = lu.LogAbsDet()
	return nil
}

func (e *engine[T]) Advance(at solve.Step, n int, rest solve.Weights) ([]solve.Point, error) {
	got, err := e.group.wait(e.slot, &call{
		advance: true, now: [3]float64{at.ScoreWeight, at.HWeight, e.h}, steps: n, rest: [3]float64{rest.Score, rest.A, rest.B},
	})
	if err != nil {
		return nil, err
	}
	if len(got) > n {
		return nil, fmt.Errorf("the device answered with %d points, want at most %d: %w", len(got), n, ErrLost)
	}
	points := make([]solve.Point, len(got))
	for i, v := range got {
		points[i] = e.point(v)
	}
	return points, nil
}

// Most estimates the time of a step on this GPU: 50 µs of launches, and ten products of every problem in the
// group at a fraction of the peak rate that grows with d. Double precision is four times slower. On an H200,
// commands then take 50 to 150 ms.
func (e *engine[T]) Most() int {
	const seconds, enough, least = 0.2, 2048, 16
	info, p := e.group.device.Info, e.group.problem
	peak := 256 * float64(info.Processors) * info.Clock * min(0.4, 0.4*float64(p.D)/1000) * 32 / float64(p.Bits) * 32 / float64(p.Bits)
	if !(peak > 0) {
		return enough
	}
	step := 50e-6 + 20*float64(p.Batch)*float64(p.D)*float64(p.D)*float64(p.D)/peak
	return max(least, min(enough, int(seconds/step)))
}

func (e *engine[T]) Fetch(w *matrix.Dense[T], past *solve.Past[T]) error {
	wanted := [][]T{w.Data}
	if past != nil {
		wanted = append(wanted, past.Vectors...)
	}
	reply, err := e.group.send(e.slot, &Request{Op: OpFetch, Only: past == nil})
	if err != nil {
		return err
	}
	return spread(reply.Blobs, wanted)
}

// spread copies the matrices of a reply to wanted.
func spread[T matrix.Float](blobs [][]byte, wanted [][]T) error {
	if len(blobs) != len(wanted) {
		return fmt.Errorf("the device answered with %d matrices, want %d: %w", len(blobs), len(wanted), ErrLost)
	}
	for i, to := range wanted {
		if len(blobs[i]) != len(raw(to)) {
			return fmt.Errorf("the device answered with a matrix of %d bytes, want %d: %w", len(blobs[i]), len(raw(to)), ErrLost)
		}
		copy(raw(to), blobs[i])
	}
	return nil
}

// raw returns the bytes of x without copying.
func raw[T matrix.Float](x []T) []byte {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])))
}
