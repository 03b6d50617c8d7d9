package device_test

import (
	"context"
	"slices"
	"testing"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/solve"
)

// TestSearchesGoOn takes more steps than a search has pairs.
func TestSearchesGoOn(t *testing.T) {
	t.Parallel()
	on := device.Use(context.Background(), emulated(t, nil))
	p := searched[float64](t, 4)["exponential"]
	here, there := search(t, context.Background(), p, solve.Settings{Steps: 25}), search(t, on, p, solve.Settings{Steps: 25})
	if worst := distance(here.W, there.W); worst > 1e-7 || there.Last.Step != here.Last.Step {
		t.Errorf("W differs by %g after %d steps, %d there", worst, here.Last.Step, there.Last.Step)
	}
}

// stubborn is a schedule that never ends and increases the weight of h from some step on.
type stubborn struct{ from int }

func (s stubborn) Next(pt solve.Point) solve.Move {
	if pt.Step < s.from {
		return solve.Move{ScoreWeight: 1, HWeight: 0.1}
	}
	return solve.Move{ScoreWeight: 1, HWeight: 1}
}

func (stubborn) AtLimit() solve.Status { return solve.Completed }

// TestSearchesThatCannotMove reaches a point where no step lowers the objective, neither along H nor along the
// gradient, and continues with another objective.
func TestSearchesThatCannotMove(t *testing.T) {
	t.Parallel()
	const from, steps = 12, 18
	run := func(ctx context.Context) (out *solve.Result[float64], still []bool) {
		out = must.Get(solve.RunAccelerated(ctx, searched[float64](t, 2)["geometric"], stubborn{from}, optimize.NewOWLQN[float64](0), solve.Settings{Steps: steps}, func(at solve.Step) { still = append(still, at.Still) }))
		return out, still
	}
	here, stood := run(context.Background())
	there, also := run(device.Use(context.Background(), emulated(t, nil)))
	if worst := distance(here.W, there.W); worst > 1e-7 || !stood[from] || !also[from] || also[from+1] {
		t.Errorf("W differs by %g; it stood still at %v here, and at %v", worst, stood, also)
	}
}

// TestSearchesStandStill has a tolerance above every gradient.
func TestSearchesStandStill(t *testing.T) {
	t.Parallel()
	on := device.Use(context.Background(), emulated(t, nil))
	var steps []solve.Step
	out, err := watched(on, searched[float64](t, 3)["none"], optimize.NewOWLQN[float64](1e9), solve.Settings{Steps: 3}, func(at solve.Step) { steps = append(steps, at) })
	if err != nil || len(steps) < 2 || !steps[1].Still || slices.ContainsFunc(out.W.Data, func(v float64) bool { return v != 0 }) {
		t.Errorf("%v, %+v", err, steps)
	}
}

// TestSearchesEndAndGoOn cancels a search and resumes its state. The bytes must equal those of an uninterrupted
// search.
func TestSearchesEndAndGoOn(t *testing.T) {
	t.Parallel()
	on := device.Use(context.Background(), emulated(t, nil))
	p := searched[float64](t, 4)["truncated"]
	want := search(t, on, p, solve.Settings{Steps: 12})
	for _, at := range []int{1, 7} {
		ctx, cancel := context.WithCancel(on)
		var state []byte
		pause := func(encode func() []byte) {
			if ctx.Err() != nil {
				state = encode()
			}
		}
		out, err := watched(ctx, p, optimize.NewOWLQN[float64](1e-5), solve.Settings{Steps: 12, Pause: pause}, func(s solve.Step) {
			if s.Step == at {
				cancel()
			}
		})
		if err != nil || out.Status != solve.Canceled || out.Last.Step != at {
			t.Fatalf("%+v, %v", out, err)
		}
		if got := search(t, on, p, solve.Settings{Steps: 12, Resume: state}); !slices.Equal(got.W.Data, want.W.Data) {
			t.Errorf("from step %d: other bytes", at)
		}
	}
}
