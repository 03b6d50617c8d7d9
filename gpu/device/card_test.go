package device_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// card opens the first card, or skips with the reason.
func card(t *testing.T) *device.Device {
	t.Helper()
	d, err := device.Open(0)
	if err != nil {
		t.Skipf("no card to run on: %v", err)
	}
	t.Cleanup(d.Close)
	return d
}

func table(t *testing.T, d int) *dataset.Moments {
	t.Helper()
	cfg := sim.Default()
	cfg.Nodes, cfg.Seed = d, 4
	cfg.Degree = min(cfg.Degree, float64(d-1))
	model, err := sim.New(cfg)
	must.Succeed(t, err)
	data := must.Get(dataset.MomentsOf(model.Names(), model.Sample(sim.Stream(cfg.Seed, sim.StreamNoise), 500), 1))
	return data
}

// kinds are problems of every kind that a card knows: each score with a penalty, and each constraint.
func kinds[T matrix.Float](data *dataset.Moments, forbid bool) map[string]solve.Problem[T] {
	d := data.Dim()
	base := solve.Problem[T]{D: d, Constraint: &acyclic.Geometric[T]{K: 16}}
	if forbid {
		base.Forbidden = make([]bool, d*d)
		for i := range base.Forbidden {
			base.Forbidden[i] = i%5 == 0
		}
	}
	squares, unequal := score.NewLeastSquares[T](data.Covariance(), 1), score.NewGaussian[T](data.Correlation(), false, 1)
	with := func(s solve.Score[T], p solve.Penalty[T], h solve.Constraint[T]) solve.Problem[T] {
		out := base
		out.Score, out.Penalty, out.Constraint = s, p, h
		return out
	}
	l1, mcp := solve.L1[T]{Lambda: 0.01}, solve.MCP[T]{Lambda: 0.2, Width: 0.6}
	return map[string]solve.Problem[T]{
		"least squares, L1, geometric":        with(squares, l1, &acyclic.Geometric[T]{K: 16}),
		"Gaussian, MCP, geometric":            with(unequal, mcp, &acyclic.Geometric[T]{K: 16}),
		"equal, none, exponential":            with(score.NewGaussian[T](data.Covariance(), true, 1), nil, &acyclic.Exp[T]{}),
		"Gaussian, MCP, log-determinant":      with(unequal, mcp, &acyclic.LogDet[T]{}),
		"least squares, L1, log-determinant":  with(squares, l1, &acyclic.LogDet[T]{S: 0.9}),
		"least squares, L1, exponential":      with(squares, l1, &acyclic.Exp[T]{}),
		"least squares, none, power sum":      with(squares, nil, &acyclic.Poly[T]{}),
		"least squares, MCP, geometric of 11": with(squares, mcp, &acyclic.Geometric[T]{K: 11}),
		"Gaussian, none, no constraint":       with(unequal, nil, nil),
	}
}

// ran returns the result of a run that must succeed.
func ran[T matrix.Float](t *testing.T, ctx context.Context, p solve.Problem[T], sched solve.Schedule, desc solve.Descent[T], s solve.Settings) *solve.Result[T] {
	t.Helper()
	out := must.Get(solve.RunAccelerated(ctx, p, sched, desc, s, nil))
	return out
}

func distance[T matrix.Float](a, b *matrix.Dense[T]) float64 {
	worst := 0.0
	for i := range a.Data {
		worst = max(worst, math.Abs(float64(a.Data[i])-float64(b.Data[i])))
	}
	return worst
}

// agree compares some steps on a GPU with those on the CPU, including every point on the way. Adam amplifies
// rounding errors of tiny gradients, so ε is large here. A second run, on the other device if there is one,
// must have the same bytes.
func agree[T matrix.Float](t *testing.T, on, other *device.Device, columns, stage int, tolerance float64, only ...string) {
	t.Helper()
	forbid := columns%2 == 1
	data := table(t, columns)
	for name, p := range kinds[T](data, forbid) {
		if len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		run := func(ctx context.Context) (*solve.Result[T], []solve.Step) {
			path := solve.NewRising(solve.RisingSettings{First: 0.1, Last: 1, Stages: 3, StageSteps: stage})
			adam := solve.NewAdam[T](0.003)
			adam.Eps = 0.1
			var steps []solve.Step
			out, err := solve.RunAccelerated(ctx, p, path, adam, solve.Settings{Steps: path.Steps(), Retries: 10}, func(s solve.Step) { steps = append(steps, s) })
			if err != nil {
				t.Fatalf("d = %d, %s: %v", columns, name, err)
			}
			return out, steps
		}
		here, wanted := run(context.Background())
		there, got := run(device.Use(context.Background(), on))
		if worst := distance(here.W, there.W); worst > tolerance {
			t.Errorf("d = %d, %s, forbidden %v: W differs by %g", columns, name, forbid, worst)
		}
		if there.W.Data[0] != 0 || forbid && columns > 2 && there.W.Data[5] != 0 {
			t.Errorf("d = %d, %s: an entry that must stay zero is not", columns, name)
		}
		for k, step := range got {
			want, most := wanted[k], 1e-3 // determinants are followed by the trapezoid rule within a command
			if k == len(got)-1 {
				most = 100 * tolerance
			}
			for i, v := range []float64{step.Score - want.Score, step.Penalty - want.Penalty, step.H - want.H} {
				if !(math.Abs(v) <= max(most, 100*tolerance)*(1+math.Abs(want.Score))) {
					t.Fatalf("d = %d, %s, step %d: value %d differs by %g", columns, name, k, i, v)
				}
			}
		}
		if other == nil {
			continue
		}
		if again, _ := run(device.Use(context.Background(), other)); !slices.Equal(again.W.Data, there.W.Data) {
			t.Errorf("d = %d, %s: a second run has other bytes", columns, name)
		}
	}
}

// TestCardAgrees compares every kind of problem with the CPU, at sizes around those of tiles and with every
// tile. W must agree within 1e-10 in double, and within the length of a step in single, because Adam amplifies
// rounding errors.
func TestCardAgrees(t *testing.T) {
	on := card(t)
	for _, columns := range []int{2, 5, 31, 33, 64, 100} {
		agree[float64](t, on, on, columns, 4, 1e-10)
		agree[float32](t, on, on, columns, 4, 3e-3)
	}
	some := []string{"least squares, L1, geometric", "Gaussian, MCP, log-determinant"}
	agree[float64](t, on, on, 300, 2, 1e-10, some...)
	agree[float32](t, on, on, 300, 2, 3e-3, some...)
	agree[float64](t, on, on, 700, 1, 1e-10, some...) // tiles of 128 × 64
	agree[float32](t, on, on, 700, 1, 3e-3, some...)
	agree[float32](t, on, on, 1500, 1, 3e-3, some[0]) // and of 128 × 128
}

// TestCardBearsLargeSteps takes steps that an inverse cannot follow from the one before: with the careful launches hardly any has to be taken here.
func TestCardBearsLargeSteps(t *testing.T) { bears(t, card(t), 100, 50, 0.02) }

func bears(t *testing.T, on *device.Device, columns, stage int, rate float64) {
	t.Helper()
	p := kinds[float32](table(t, columns), false)["Gaussian, MCP, geometric"]
	run := func(ctx context.Context) *solve.Result[float32] {
		path := solve.NewRising(solve.RisingSettings{First: 0.001, Last: 10, Stages: 4, StageSteps: stage})
		return ran(t, ctx, p, path, solve.NewAdam[float32](rate), solve.Settings{Steps: path.Steps()})
	}
	out, here := run(device.Use(context.Background(), on)), run(context.Background())
	if a, b := out.Last.Score+out.Last.Penalty, here.Last.Score+here.Last.Penalty; !(math.Abs(a-b) <= 0.02*math.Abs(b)) {
		t.Errorf("the objective is %v, and here %v", a, b)
	}
}

// TestCompanyChangesNothing runs problems alone and together.
func TestCompanyChangesNothing(t *testing.T) { company(t, card(t), 40, 20, 60) }

func company(t *testing.T, on *device.Device, columns, n, stage int) {
	t.Helper()
	data := table(t, columns)
	run := func() *solve.Result[float32] {
		p := kinds[float32](data, false)["Gaussian, MCP, geometric"]
		path := solve.NewRising(solve.RisingSettings{First: 0.001, Last: 10, Stages: 5, StageSteps: stage})
		out, err := solve.RunAccelerated(device.Use(context.Background(), on), p, path, solve.NewAdam[float32](0.006), solve.Settings{Steps: path.Steps()}, nil)
		if err != nil {
			t.Error(err)
		}
		return out
	}
	alone := run()
	on.Expect(n)
	var all sync.WaitGroup
	out := make([]*solve.Result[float32], n)
	for i := range n {
		all.Go(func() { out[i] = run() })
	}
	all.Wait()
	for i, o := range out {
		if alone == nil || o == nil || !slices.Equal(o.W.Data, alone.W.Data) {
			t.Fatalf("problem %d of %d differs from the one that ran alone", i, n)
		}
	}
}

// TestStatesTravelToACard stops on the GPU and resumes on the CPU, and vice versa: 1e-6 in double after 100
// steps.
func TestStatesTravelToACard(t *testing.T) { travel(t, card(t), 30, 100) }

func travel(t *testing.T, to *device.Device, columns, steps int) {
	t.Helper()
	on, here := device.Use(context.Background(), to), context.Background()
	p := kinds[float64](table(t, columns), false)["least squares, L1, geometric"]
	run := func(ctx context.Context, s solve.Settings) *solve.Result[float64] {
		return ran(t, ctx, p, solve.NewReleased(1, steps/2), solve.NewAdam[float64](0.003), s)
	}
	want := run(here, solve.Settings{Steps: steps})
	for _, from := range []context.Context{here, on} {
		to := on
		if from == on {
			to = here
		}
		var states [][]byte
		run(from, solve.Settings{Steps: steps, Pause: func(encode func() []byte) { states = append(states, encode()) }})
		for _, state := range [][]byte{states[len(states)/2], states[len(states)-1]} {
			if worst := distance(want.W, run(to, solve.Settings{Steps: steps, Resume: state}).W); worst > 1e-6 {
				t.Errorf("W differs by %g", worst)
			}
		}
	}
}

// TestCardStops ends a long run within half a second, with the point that it had reached.
func TestCardStops(t *testing.T) {
	on := card(t)
	p := kinds[float32](table(t, 200), false)["least squares, L1, geometric"]
	ctx, cancel := context.WithCancelCause(device.Use(context.Background(), on))
	why := errors.New("enough")
	var asked time.Time
	time.AfterFunc(700*time.Millisecond, func() { asked = time.Now(); cancel(why) })
	out, err := solve.RunAccelerated(ctx, p, solve.NewReleased(1, 200), solve.NewAdam[float32](0.01), solve.Settings{Steps: 100_000_000}, nil)
	if err != nil || out.Status != solve.Canceled || !errors.Is(out.Cause, why) || out.Last.Step == 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	if late := time.Since(asked); late > 500*time.Millisecond {
		t.Errorf("it stopped after %v", late)
	}
}
