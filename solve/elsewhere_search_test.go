package solve_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// seeker is a local engine for line searches that uses its own OWLQN.
type seeker struct {
	p     solve.Problem[float64]
	q     *optimize.OWLQN[float64]
	w     *matrix.Dense[float64]
	still bool

	stuckAt map[int]bool // steps, counted over the whole run, at which it fails once
	taken   int
}

func newSeeker(p solve.Problem[float64], stuckAt ...int) *seeker {
	e := &seeker{p: p, q: optimize.NewOWLQN[float64](1e-7).(*optimize.OWLQN[float64]), stuckAt: map[int]bool{}}
	for _, step := range stuckAt {
		e.stuckAt[step] = true
	}
	return e
}

func (e *seeker) Load(w *matrix.Dense[float64], past solve.Past[float64]) error {
	e.w, e.still = matrix.New[float64](w.Rows, w.Cols), false
	e.w.CopyFrom(w)
	for i, v := range past.Vectors {
		past.Vectors[i] = slices.Clone(v)
	}
	e.q.Recall(past)
	return nil
}

func (e *seeker) Most() int { return 1 }

func (e *seeker) Fetch(w *matrix.Dense[float64], past *solve.Past[float64]) error {
	w.CopyFrom(e.w)
	if past != nil {
		past.Vectors = nil
		for _, v := range e.q.Past(len(w.Data)).Vectors {
			past.Vectors = append(past.Vectors, slices.Clone(v))
		}
	}
	return nil
}

// at evaluates w and the gradient of the step's objective.
func (e *seeker) at(w *matrix.Dense[float64], grad *matrix.Dense[float64], step *solve.Step) (solve.Point, float64) {
	pt, _ := (&twin{p: e.p, w: w}).Point()
	if step == nil {
		return pt, 0
	}
	up := pt.H - step.H
	if grad != nil {
		gradH := matrix.New[float64](w.Rows, w.Rows)
		(&twin{p: e.p, w: w}).eval(grad, gradH)
		solve.Combine(grad.Data, gradH.Data, step.ScoreWeight, step.HWeight+step.Curvature*up)
		for k := range w.Rows {
			grad.Set(k, k, 0)
		}
	}
	return pt, step.ScoreWeight*(pt.Score+pt.Penalty) + step.HWeight*up + step.Curvature/2*up*up
}

func (e *seeker) Point() (solve.Point, error) {
	pt, _ := e.at(e.w, nil, nil)
	pt.Still = e.still
	return pt, nil
}

func (e *seeker) Advance(step solve.Step, n int, _ solve.Weights) ([]solve.Point, error) {
	if n != 0 {
		panic("a search cannot be foreseen")
	}
	if e.stuckAt[e.taken] {
		delete(e.stuckAt, e.taken)
		return nil, solve.ErrStuck
	}
	e.taken++
	grad := matrix.New[float64](e.w.Rows, e.w.Rows)
	_, value := e.at(e.w, grad, &step)
	e.q.Aim(solve.Objective[float64]{
		Value: value, Kink: step.ScoreWeight * e.p.Penalty.(solve.L1[float64]).Lambda,
		Eval: func(grad, w *matrix.Dense[float64]) (float64, error) {
			_, f := e.at(w, grad, &step)
			return f, nil
		},
	})
	before := slices.Clone(e.w.Data)
	e.q.Step(e.w, grad)
	e.still = slices.Equal(before, e.w.Data)
	return nil, nil
}

// TestSearchesElsewhereAreRun checks that RunOn with a line search gives the same bits as Run, also when the
// engine fails at times and when a state of either is resumed.
func TestSearchesElsewhereAreRun(t *testing.T) {
	schedule := func() solve.Schedule {
		return optimize.NewMultipliers(optimize.MultipliersSettings{Rho: 1, Factor: 10, RhoMax: 1e16, Progress: 0.25, HTol: 1e-8, Rounds: 100, Inner: 20, Every: 1, Tol: 1e-9})
	}
	run := func(s solve.Settings, e *seeker) string {
		var steps []solve.Step
		observe := func(at solve.Step) { steps = append(steps, at) }
		if s.Resume != nil || s.Pause != nil {
			observe = nil
		}
		var out *solve.Result[float64]
		var err error
		if e != nil {
			out, err = solve.RunOn(context.Background(), e, problem(6), schedule(), optimize.NewOWLQN[float64](1e-7), s, observe)
		} else {
			out, err = solve.Run(context.Background(), problem(6), schedule(), optimize.NewOWLQN[float64](1e-7), s, observe)
		}
		must.Succeed(t, err)
		if len(steps) == 0 {
			return trace(out, nil)
		}
		return trace(out, steps)
	}
	const steps = 150
	want := run(solve.Settings{Steps: steps}, nil)
	for name, e := range map[string]*seeker{"plain": newSeeker(problem(6)), "stuck": newSeeker(problem(6), 0, 5, 40, 41)} {
		if got := run(solve.Settings{Steps: steps}, e); got != want {
			t.Errorf("%s: the run differs", name)
		}
	}
	for _, first := range []bool{false, true} {
		var states [][]byte
		engine := func(there bool) *seeker {
			if there {
				return newSeeker(problem(6))
			}
			return nil
		}
		want := run(solve.Settings{Steps: steps, Pause: func(encode func() []byte) { states = append(states, encode()) }}, engine(first))
		for _, at := range []int{0, len(states) / 3, len(states) / 2, len(states) - 1} {
			if got := run(solve.Settings{Steps: steps, Resume: states[at]}, engine(!first)); got != want {
				t.Errorf("from state %d, made elsewhere %v: the run differs", at, first)
			}
		}
	}
}

// TestSearchesOfTwoSizes uses one OWLQN for two problems: the second starts without pairs.
func TestSearchesOfTwoSizes(t *testing.T) {
	q := optimize.NewOWLQN[float64](1e-7)
	for _, d := range []int{6, 4} {
		e := newSeeker(problem(d))
		must.Get(solve.RunOn(context.Background(), e, problem(d), solve.Constant{Weight: 1}, q, solve.Settings{Steps: 5}, nil))
		for _, v := range e.q.Past(d * d).Vectors {
			if len(v) != d*d {
				t.Errorf("d = %d: a vector of %d entries", d, len(v))
			}
		}
	}
}

// TestStatesOfAnotherProblem checks that RunOn rejects a state of another problem, as Run does.
func TestStatesOfAnotherProblem(t *testing.T) {
	other := problem(6)
	other.Penalty = solve.L1[float64]{Lambda: 20}
	for name, desc := range descents(0.02, 1e-7) {
		var state []byte
		must.Get(solve.Run(context.Background(), problem(6), solve.Constant{Weight: 1}, desc(), solve.Settings{Steps: 8, Pause: func(encode func() []byte) { state = encode() }}, nil))
		var e solve.Engine[float64] = newSeeker(other)
		d := desc()
		if adam, ok := d.(*solve.Adam[float64]); ok {
			e = &twin{p: other, adam: adam}
		}
		for _, engine := range []bool{false, true} {
			var err error
			if engine {
				_, err = solve.RunOn(context.Background(), e, other, solve.Constant{Weight: 1}, d, solve.Settings{Steps: 8, Resume: state}, nil)
			} else {
				_, err = solve.Run(context.Background(), other, solve.Constant{Weight: 1}, desc(), solve.Settings{Steps: 8, Resume: state}, nil)
			}
			if err == nil || !strings.Contains(err.Error(), "another problem") {
				t.Errorf("%s, on an engine %v: %v", name, engine, err)
			}
		}
	}
}
