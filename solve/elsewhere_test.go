package solve_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// twin is a local engine with the arithmetic of Run, so the results must have the same bits.
type twin struct {
	p      solve.Problem[float64]
	adam   *solve.Adam[float64]
	w      *matrix.Dense[float64]
	m, v   []float64
	t      int
	halved int

	stuckAt map[int]bool // steps, counted over the whole run, at which it fails once
	short   int          // most steps per Advance; 0 means no limit
	taken   int
	loads   int
	broken  error
}

func (e *twin) Load(w *matrix.Dense[float64], past solve.Past[float64]) error {
	e.loads++
	e.halved = past.Halved
	e.w = matrix.New[float64](w.Rows, w.Cols)
	e.w.CopyFrom(w)
	e.m, e.v, e.t = slices.Clone(past.Vectors[0]), slices.Clone(past.Vectors[1]), past.Steps
	return e.broken
}

func (e *twin) eval(grad, gradH *matrix.Dense[float64]) (solve.Point, error) {
	var pt solve.Point
	var err error
	if pt.Score, err = e.p.Score.Eval(grad, e.w); err != nil {
		return pt, err
	}
	if pt.H, err = e.p.Constraint.Eval(gradH, e.w); err != nil {
		return pt, err
	}
	pt.Penalty = e.p.Penalty.AddGrad(grad, e.w)
	return pt, nil
}

func (e *twin) Point() (solve.Point, error) {
	d := e.w.Rows
	return e.eval(matrix.New[float64](d, d), matrix.New[float64](d, d))
}

func (e *twin) Advance(at solve.Step, n int, rest solve.Weights) ([]solve.Point, error) {
	if e.broken != nil {
		return nil, e.broken
	}
	d := e.w.Rows
	before, m, v, t := slices.Clone(e.w.Data), slices.Clone(e.m), slices.Clone(e.v), e.t
	back := func(at int) error {
		copy(e.w.Data, before)
		e.m, e.v, e.t = m, v, t
		return fmt.Errorf("step %d: %w", at, solve.ErrStuck)
	}
	if e.short > 0 {
		n = min(n, e.short)
	}
	var points []solve.Point
	for i := range n + 1 {
		grad, gradH := matrix.New[float64](d, d), matrix.New[float64](d, d)
		pt, err := e.eval(grad, gradH)
		if err != nil || e.stuckAt[e.taken+i] {
			delete(e.stuckAt, e.taken+i)
			return nil, back(i)
		}
		weights := solve.Weights{Score: at.ScoreWeight, A: at.HWeight}
		if i > 0 {
			weights = rest
			points = append(points, pt)
		}
		solve.Combine(grad.Data, gradH.Data, weights.Score, weights.A+weights.B*pt.H)
		e.t++
		solve.AdamStep(e.adam, e.w.Data, grad.Data, e.m, e.v, e.t, e.halved)
		for k := range d {
			e.w.Set(k, k, 0)
		}
	}
	if _, err := e.Point(); err != nil {
		return nil, back(n + 1)
	}
	e.taken += n + 1
	return points, nil
}

func (e *twin) Most() int { return 100 }

func (e *twin) Fetch(w *matrix.Dense[float64], past *solve.Past[float64]) error {
	w.CopyFrom(e.w)
	if past != nil {
		copy(past.Vectors[0], e.m)
		copy(past.Vectors[1], e.v)
	}
	return e.broken
}

func problem(d int) solve.Problem[float64] {
	rng := rand.New(rand.NewPCG(3, uint64(d)))
	x := matrix.New[float64](3*d, d)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	for i := range x.Rows {
		for j := 1; j < d; j++ {
			x.Set(i, j, x.At(i, j)+x.At(i, j-1))
		}
	}
	s := matrix.New[float64](d, d)
	for i := range d {
		for j := range d {
			for k := range x.Rows {
				s.Set(i, j, s.At(i, j)+x.At(k, i)*x.At(k, j)/float64(x.Rows))
			}
		}
	}
	return solve.Problem[float64]{
		D: d, Score: score.NewLeastSquares[float64](s, 1), Constraint: &acyclic.Geometric[float64]{K: 16}, Penalty: solve.L1[float64]{Lambda: 0.02},
	}
}

// schedules returns every schedule that implements Foreseer.
func schedules() map[string]func() solve.Foreseer {
	return map[string]func() solve.Foreseer{
		"released": func() solve.Foreseer { return solve.NewReleased(1, 20) },
		"paper":    func() solve.Foreseer { return solve.NewPaper(1, 20, 1e-3) },
		"rising": func() solve.Foreseer {
			return solve.NewRising(solve.RisingSettings{First: 0.01, Last: 10, Stages: 6, StageSteps: 25})
		},
		"falling": func() solve.Foreseer {
			return optimize.NewFalling(optimize.FallingSettings{First: 1, Factor: 0.1, Stages: 4, StageSteps: 45, LastSteps: 60, Every: 10, Tol: 1e-3})
		},
		"settling":             func() solve.Foreseer { return optimize.NewSettling(2, 20, 1e-2) },
		"settling without end": func() solve.Foreseer { return optimize.NewSettling(2, 20, 0) },
		"constant":             func() solve.Foreseer { return solve.Constant{Weight: 2} },
	}
}

// trace formats the result and all observed steps of a run.
func trace(r *solve.Result[float64], steps []solve.Step) string {
	var b bytes.Buffer
	fmt.Fprintln(&b, r.Status, r.Last, r.W.Data)
	for _, s := range steps {
		fmt.Fprintln(&b, s)
	}
	return b.String()
}

func TestRunOnIsRun(t *testing.T) {
	for name, sched := range schedules() {
		for variant, e := range map[string]*twin{
			"plain":           {},
			"a step at once":  {short: 1},
			"three at once":   {short: 3},
			"stuck at times":  {stuckAt: map[int]bool{0: true, 5: true, 40: true, 41: true}},
			"stuck in chunks": {short: 2, stuckAt: map[int]bool{3: true, 50: true}},
		} {
			t.Run(name+"/"+variant, func(t *testing.T) {
				const steps = 150
				var wanted, got []solve.Step
				want, err := solve.Run(context.Background(), problem(6), sched(), solve.NewAdam[float64](0.02), solve.Settings{Steps: steps}, func(s solve.Step) { wanted = append(wanted, s) })
				must.Succeed(t, err)
				adam := solve.NewAdam[float64](0.02)
				e.p, e.adam = problem(6), adam
				have := must.Get(solve.RunOn(context.Background(), e, problem(6), sched(), adam, solve.Settings{Steps: steps}, func(s solve.Step) { got = append(got, s) }))
				if trace(want, wanted) != trace(have, got) {
					t.Errorf("the run differs:\n%v\n%v", want.Last, have.Last)
				}
			})
		}
	}
}

// TestRunOnHalves takes steps that leave the domain of a log-determinant. Run undoes them and repeats them with
// half the rate, and the engine continues with that rate.
func TestRunOnHalves(t *testing.T) {
	p := problem(6)
	p.Constraint = &acyclic.LogDet[float64]{}
	settings := solve.Settings{Steps: 150, Retries: 20}
	sched := func() solve.Foreseer {
		return optimize.NewFalling(optimize.FallingSettings{First: 1, Factor: 0.1, Stages: 3, StageSteps: 50, LastSteps: 50, Every: 10, Tol: 0})
	}
	want, err := solve.Run(context.Background(), p, sched(), solve.NewAdam[float64](0.9), settings, nil)
	if err != nil || want.Last.Rejected == 0 {
		t.Fatalf("%+v, %v: want a run with steps undone", want, err)
	}
	adam := solve.NewAdam[float64](0.9)
	e := &twin{p: p, adam: adam, short: 3}
	have := must.Get(solve.RunOn(context.Background(), e, p, sched(), adam, settings, nil))
	if trace(want, nil) != trace(have, nil) {
		t.Errorf("the run differs:\n%v\n%v", want.Last, have.Last)
	}
	if e.taken < 50 {
		t.Errorf("the engine took %d of 150 steps", e.taken)
	}
}

// TestStatesTravel stops a local run and resumes it on an engine, and vice versa.
func TestStatesTravel(t *testing.T) {
	for name, sched := range schedules() {
		t.Run(name, func(t *testing.T) {
			const steps = 90
			run := func(elsewhere bool, s solve.Settings) *solve.Result[float64] {
				adam := solve.NewAdam[float64](0.02)
				var out *solve.Result[float64]
				var err error
				if elsewhere {
					out, err = solve.RunOn(context.Background(), &twin{p: problem(5), adam: adam, short: 4}, problem(5), sched(), adam, s, nil)
				} else {
					out, err = solve.Run(context.Background(), problem(5), sched(), adam, s, nil)
				}
				must.Succeed(t, err)
				return out
			}
			want := run(false, solve.Settings{Steps: steps})
			for _, first := range []bool{false, true} {
				var states [][]byte
				run(first, solve.Settings{Steps: steps, Pause: func(encode func() []byte) { states = append(states, encode()) }})
				for _, state := range [][]byte{states[0], states[len(states)/2], states[len(states)-1]} {
					have := run(!first, solve.Settings{Steps: steps, Resume: state})
					if trace(want, nil) != trace(have, nil) {
						t.Errorf("from a state made elsewhere=%v: %v, want %v", first, have.Last, want.Last)
					}
				}
			}
		})
	}
}

func TestRunOnStops(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	adam := solve.NewAdam[float64](0.02)
	n := 0
	out, err := solve.RunOn(ctx, &twin{p: problem(5), adam: adam, short: 2}, problem(5), solve.NewReleased(1, 200), adam, solve.Settings{Steps: 1000}, func(solve.Step) {
		if n++; n == 30 {
			cancel(why)
		}
	})
	if err != nil || out.Status != solve.Canceled || !errors.Is(out.Cause, why) || out.Last.Step > 40 {
		t.Errorf("%+v, %v", out, err)
	}
	lost := errors.New("lost")
	adam = solve.NewAdam[float64](0.02)
	_, err = solve.RunOn(context.Background(), &twin{p: problem(5), adam: adam, broken: lost}, problem(5), solve.NewReleased(1, 200), adam, solve.Settings{Steps: 10}, nil)
	if !errors.Is(err, lost) {
		t.Errorf("got %v, want the engine's error", err)
	}
}
