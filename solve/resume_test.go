package solve_test

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// covariance returns the covariance of d dependent columns.
func covariance(d int, seed uint64) *matrix.Dense[float64] {
	rng := rand.New(rand.NewPCG(seed, 5))
	s := matrix.New[float64](d, d)
	x := make([]float64, d)
	for range 20 * d {
		for j := range x {
			x[j] = rng.NormFloat64()
			if j > 0 {
				x[j] += 0.8 * x[rng.IntN(j)]
			}
		}
		for i := range x {
			for j := range x {
				s.Data[i*d+j] += x[i] * x[j] / float64(20*d)
			}
		}
	}
	return s
}

type made[T matrix.Float] struct {
	sched solve.Schedule
	desc  solve.Descent[T]
	steps int

	retries int
	problem *solve.Problem[T] // nil for a Gaussian likelihood with MCP under the geometric constraint
}

// resumeCase checks one solver in one precision: resumed after every step, and resumed repeatedly after each
// second one.
func resumeCase[T matrix.Float](t *testing.T, threads int, make func() made[T]) {
	t.Helper()
	const d = 7
	run := func(ctx context.Context, threads int, s solve.Settings, observe solve.Observer) *solve.Result[T] {
		t.Helper()
		m := make()
		s.Steps, s.Retries = m.steps, m.retries
		if m.problem == nil {
			m.problem = &solve.Problem[T]{
				D: d, Score: score.NewGaussian[T](covariance(d, 1), false, threads),
				Constraint: &acyclic.Geometric[T]{K: 5, Threads: threads}, Penalty: solve.MCP[T]{Lambda: 0.1, Width: 0.5},
			}
		}
		res := must.Get(solve.Run(ctx, *m.problem, m.sched, m.desc, s, observe))
		return res
	}
	same := func(a, b *solve.Result[T]) bool { return reflect.DeepEqual(a, b) }

	want := run(context.Background(), 1, solve.Settings{}, nil)
	var states [][]byte
	got := run(context.Background(), 1, solve.Settings{Pause: func(state func() []byte) { states = append(states, state()) }}, nil)
	if !same(got, want) {
		t.Fatal("Pause changed the result")
	}
	if len(states) != want.Last.Step {
		t.Fatalf("%d pauses in %d steps", len(states), want.Last.Step)
	}
	for i, state := range states {
		first := -1
		got := run(context.Background(), threads, solve.Settings{Resume: state}, func(s solve.Step) {
			if first < 0 {
				first = s.Step
			}
		})
		if !same(got, want) || first != i+1 {
			t.Fatalf("taken up before step %d: %+v, want %+v; observed from %d", i, got.Last, want.Last, first)
		}
	}

	var state []byte
	for range states {
		ctx, cancel := context.WithCancel(context.Background())
		pauses := 0
		got := run(ctx, 1, solve.Settings{Resume: state, Pause: func(encode func() []byte) {
			if pauses++; pauses == 2 {
				cancel()
			}
			state = encode()
		}}, nil)
		cancel()
		if got.Status != solve.Canceled {
			if !same(got, want) {
				t.Fatal("interrupted at every second step, the result differs")
			}
			return
		}
	}
	t.Error("the interrupted run did not end")
}

func TestResume(t *testing.T) {
	released, paper := func() solve.Schedule { return solve.NewReleased(1, 7) }, func() solve.Schedule { return solve.NewPaper(1, 6, 1e-8) }
	rising := func(stages, steps int) func() solve.Schedule {
		return func() solve.Schedule {
			return solve.NewRising(solve.RisingSettings{First: 1e-2, Last: 10, Stages: stages, StageSteps: steps})
		}
	}
	for name, c := range map[string]struct {
		threads, steps int
		sched          func() solve.Schedule
		desc           func() solve.Descent[float64]
	}{
		"released":     {2, 40, released, func() solve.Descent[float64] { return solve.NewAdam[float64](0.02) }},
		"paper":        {1, 50, paper, func() solve.Descent[float64] { return solve.NewAdam[float64](0.02) }},
		"paper, OWLQN": {2, 60, paper, func() solve.Descent[float64] { return optimize.NewOWLQN[float64](1e-3) }},
	} {
		t.Run(name+" float64", func(t *testing.T) {
			resumeCase(t, c.threads, func() made[float64] { return made[float64]{sched: c.sched(), desc: c.desc(), steps: c.steps} })
		})
	}
	for name, c := range map[string]struct {
		threads, steps int
		sched          func() solve.Schedule
		desc           func() solve.Descent[float32]
	}{
		"released":      {3, 40, released, func() solve.Descent[float32] { return solve.NewAdam[float32](0.02) }},
		"rising":        {2, 45, rising(5, 9), func() solve.Descent[float32] { return solve.NewAdam[float32](0.02) }},
		"rising, OWLQN": {2, 45, rising(3, 15), func() solve.Descent[float32] { return optimize.NewOWLQN[float32](1e-2) }},
	} {
		t.Run(name+" float32", func(t *testing.T) {
			resumeCase(t, c.threads, func() made[float32] { return made[float32]{sched: c.sched(), desc: c.desc(), steps: c.steps} })
		})
	}
}

// TestResumeWhatIsRare resumes runs with undone steps, without a constraint and with parameters other than W.
func TestResumeWhatIsRare(t *testing.T) {
	t.Run("falling, undone steps", func(t *testing.T) {
		resumeCase(t, 1, func() made[float64] {
			p, sched := leaving()
			return made[float64]{sched: sched(), desc: solve.NewAdam[float64](0.9), steps: 140, retries: 20, problem: &p}
		})
		p, sched := leaving()
		if _, points := trail(t, p, sched(), solve.NewAdam[float64](0.9), solve.Settings{Steps: 140, Retries: 20}); points[len(points)-1].Rejected == 0 {
			t.Error("no step was undone: the test shows nothing")
		}
	})
	for name, desc := range descents(0.02, 1e-6) {
		t.Run("no constraint, parameters, "+name, func(t *testing.T) {
			resumeCase(t, 1, func() made[float64] {
				p := noCurlProblem(4)
				return made[float64]{sched: &solve.Constant{}, desc: desc(), steps: 40, problem: &p}
			})
		})
	}
}

// TestResumeThenFail checks that a resumed run fails as the uninterrupted one does.
func TestResumeThenFail(t *testing.T) {
	run := func(s solve.Settings) (*solve.Result[float64], error) {
		s.Steps = 20
		return solve.Run(context.Background(), solve.Problem[float64]{
			D: 4, Score: score.NewLeastSquares[float64](covariance(4, 2), 1), Constraint: &limit{max: 0.3},
		}, solve.NewReleased(1, 5), solve.NewAdam[float64](0.05), s, nil)
	}
	var states [][]byte
	want, wantErr := run(solve.Settings{Pause: func(state func() []byte) { states = append(states, state()) }})
	if wantErr == nil || len(states) < 3 {
		t.Fatalf("%d steps and error %v: the test does not reach the failure", len(states), wantErr)
	}
	for i, state := range states {
		got, err := run(solve.Settings{Resume: state})
		if err == nil || err.Error() != wantErr.Error() || !reflect.DeepEqual(got.W, want.W) || got.Last != want.Last {
			t.Errorf("taken up before step %d: %v, want %v", i, err, wantErr)
		}
	}
}

// limit is a constraint that is 0 up to a largest weight and fails above it.
type limit struct{ max float64 }

func (l *limit) Eval(grad, w *matrix.Dense[float64]) (float64, error) {
	if grad != nil {
		grad.Zero()
	}
	if slices.Max(w.Data) > l.max {
		return math.Inf(1), acyclic.ErrDomain
	}
	return 0, nil
}

// bare has no MarshalBinary.
type bare struct{ solve.Schedule }

func TestResumeRefuses(t *testing.T) {
	run := func(d int, seed uint64, sched solve.Schedule, s solve.Settings) error {
		_, err := solve.Run(context.Background(), solve.Problem[float64]{
			D: d, Score: score.NewLeastSquares[float64](covariance(d, seed), 1), Constraint: &acyclic.Geometric[float64]{},
		}, sched, solve.NewAdam[float64](0.05), s, nil)
		return err
	}
	var state []byte
	pause := func(encode func() []byte) { state = encode() }
	released := func() solve.Schedule { return solve.NewReleased(1, 5) }
	if err := run(4, 1, bare{released()}, solve.Settings{Steps: 5, Pause: pause}); err != nil || state != nil {
		t.Errorf("a schedule that cannot be saved: error %v, state of %d bytes", err, len(state))
	}
	if err := run(4, 1, released(), solve.Settings{Steps: 5, Pause: pause}); err != nil || state == nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		err  error
		says string
	}{
		"variables":        {run(5, 1, released(), solve.Settings{Steps: 5, Resume: state}), "4 variables, here 5"},
		"steps":            {run(4, 1, released(), solve.Settings{Steps: 6, Resume: state}), "5 steps, here 6"},
		"data":             {run(4, 9, released(), solve.Settings{Steps: 5, Resume: state}), "another problem"},
		"retries":          {run(4, 1, released(), solve.Settings{Steps: 5, Retries: 1, Resume: state}), "0 retries, here 1"},
		"schedule":         {run(4, 1, solve.NewPaper(1, 5, 1e-8), solve.Settings{Steps: 5, Resume: state}), "start from the beginning"},
		"no such schedule": {run(4, 1, bare{released()}, solve.Settings{Steps: 5, Resume: state}), "UnmarshalBinary"},
		"empty":            {run(4, 1, released(), solve.Settings{Steps: 5, Resume: []byte{}}), "checksum"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("other %s: %v, want an error with %q", name, c.err, c.says)
		}
	}
}
