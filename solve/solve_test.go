package solve_test

import (
	"math"
	"testing"

	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/kit"
	"github.com/polydag/polydag/solve"
)

func TestKit(t *testing.T) {
	t.Run("float64", testKit[float64])
	t.Run("float32", testKit[float32])
}

func testKit[T matrix.Float](t *testing.T) {
	schedules := map[string]func() solve.Schedule{
		"Released": func() solve.Schedule { return solve.NewReleased(1, 200) },
		"Paper":    func() solve.Schedule { return solve.NewPaper(1, 50, 1e-12) },
		"Constant": func() solve.Schedule { return solve.Constant{Weight: 2} },
		"Rising": func() solve.Schedule {
			return solve.NewRising(solve.RisingSettings{First: 0.1, Last: 10, Stages: 5, StageSteps: 60})
		},
	}
	descents := map[string]func() solve.Descent[T]{
		"Adam":  func() solve.Descent[T] { return solve.NewAdam[T](0.01) },
		"OWLQN": func() solve.Descent[T] { return optimize.NewOWLQN[T](1e-4) },
	}
	for seed := range uint64(2) {
		for name, sched := range schedules {
			for other, desc := range descents {
				if err := kit.Solver(func() (solve.Schedule, solve.Descent[T]) { return sched(), desc() }, seed); err != nil {
					t.Errorf("%s with %s: %v", name, other, err)
				}
			}
		}
	}
}

// TestPaperSchedule checks Algorithm 1 and "Hyperparameters" of the paper: α ← α + ρh after each inner solve, ρ
// doubled if h did not fall, stop at |h| < 1e-8. The values are computed by hand.
func TestPaperSchedule(t *testing.T) {
	s := solve.NewPaper(1, 2, 1e-8)
	for i, c := range []struct {
		h    float64
		want solve.Move
	}{
		{0.5, solve.Move{HWeight: 0.5, Rho: 1}},                            // 0 + 1·0.5
		{0.4, solve.Move{HWeight: 0.4, Rho: 1}},                            //
		{0.3, solve.Move{HWeight: 0.6, Rho: 1, Alpha: 0.3, Restart: true}}, // α = 0.3
		{0.2, solve.Move{HWeight: 0.5, Rho: 1, Alpha: 0.3}},
		{0.4, solve.Move{HWeight: 1.5, Rho: 2, Alpha: 0.7, Restart: true}}, // h rose: α = 0.7, then ρ = 2
		{0.1, solve.Move{HWeight: 0.9, Rho: 2, Alpha: 0.7}},
		{1e-9, solve.Move{HWeight: 0.7 + 4e-9, Rho: 2, Alpha: 0.7 + 2e-9, Restart: true, Done: true}},
	} {
		got := s.Next(solve.Point{Step: i, H: c.h})
		if !(math.Abs(got.HWeight-c.want.HWeight) <= 1e-12) || !(math.Abs(got.Alpha-c.want.Alpha) <= 1e-12) || got.Rho != c.want.Rho || got.Curvature != c.want.Rho || got.ScoreWeight != 1 || got.Restart != c.want.Restart || got.Done != c.want.Done {
			t.Errorf("step %d: %+v, want %+v", i, got, c.want)
		}
	}
}

// TestReleasedSchedule checks that α is updated after the steps 0, 200, 400, … with h from before the step, and
// that nothing else changes.
func TestReleasedSchedule(t *testing.T) {
	s := solve.NewReleased(1, 2)
	for i, c := range []struct{ h, weight, alpha float64 }{
		{0, 0, 0},       // then α += 0
		{0.5, 0.5, 0},   //
		{0.4, 0.4, 0},   // then α = 0.4
		{0.3, 0.7, 0.4}, //
		{0.2, 0.6, 0.4}, // then α = 0.6
		{0, 0.6, 0.6},
	} {
		got := s.Next(solve.Point{Step: i, H: c.h})
		if !(math.Abs(got.HWeight-c.weight) <= 1e-12) || !(math.Abs(got.Alpha-c.alpha) <= 1e-12) || got.Rho != 1 || got.Curvature != 1 || got.ScoreWeight != 1 || got.Restart || got.Done {
			t.Errorf("step %d: %+v, want weight %v, alpha %v", i, got, c.weight, c.alpha)
		}
	}
	if s.AtLimit() != solve.Completed {
		t.Error("the released schedule has a fixed length: using it up is completion")
	}
}

// TestAdamByHand compares three steps of Adam on one entry with the formulas of Kingma and Ba.
func TestAdamByHand(t *testing.T) {
	a := solve.NewAdam[float64](0.1)
	w, g := matrix.New[float64](1, 1), matrix.New[float64](1, 1)
	var m, v, want float64
	for i, grad := range []float64{1, -2, 0.5} {
		n := float64(i + 1)
		m, v = 0.9*m+0.1*grad, 0.999*v+0.001*grad*grad
		want -= 0.1 * (m / (1 - math.Pow(0.9, n))) / (math.Sqrt(v/(1-math.Pow(0.999, n))) + 1e-8)
		g.Data[0] = grad
		a.Step(w, g)
		if !(math.Abs(w.Data[0]-want) <= 1e-12) {
			t.Fatalf("step %d: w = %v, want %v", i, w.Data[0], want)
		}
	}
	a.Reset()
	g.Data[0] = 3
	at := w.Data[0]
	a.Step(w, g)
	if got := at - w.Data[0]; !(math.Abs(got-0.1) <= 1e-9) {
		t.Errorf("the first step after Reset has length %v, want the rate", got)
	}
}

// TestPenalties compares both penalties with their definitions, and the gradients with central differences away
// from the kinks.
func TestPenalties(t *testing.T) {
	const lambda, width, delta = 0.3, 0.6, 1e-6
	l1 := func(v float64) float64 { return lambda * math.Abs(v) }
	mcp := func(v float64) float64 {
		if a := math.Abs(v); a < width {
			return lambda * (a - a*a/(2*width))
		}
		return lambda * width / 2
	}
	w := matrix.Of(2, 4, []float64{0, 0.1, -0.1, 0.59, -0.61, 2, -3, 1e-3})
	for name, c := range map[string]struct {
		p solve.Penalty[float64]
		f func(float64) float64
	}{
		"L1":  {solve.L1[float64]{Lambda: lambda}, l1},
		"MCP": {solve.MCP[float64]{Lambda: lambda, Width: width}, mcp},
	} {
		g := matrix.New[float64](2, 4)
		for i := range g.Data {
			g.Data[i] = 5 // added to, not overwritten
		}
		if kink := c.p.(interface{ Kink() float64 }).Kink(); !(math.Abs(kink-(c.f(delta)-c.f(0))/delta) <= 1e-5) {
			t.Errorf("%s: kink %v", name, kink)
		}
		got, want := c.p.AddGrad(g, w), 0.0
		for i, v := range w.Data {
			want += c.f(v)
			slope := (c.f(v+delta) - c.f(v-delta)) / (2 * delta) // 0 at 0, by symmetry
			if !(math.Abs(g.Data[i]-5-slope) <= 1e-8) {
				t.Errorf("%s at %v: slope %v, want %v", name, v, g.Data[i]-5, slope)
			}
		}
		if !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("%s: value %v, want %v", name, got, want)
		}
	}
}

func TestPenaltiesKeepTheLaws(t *testing.T) {
	t.Run("float64", testPenalties[float64])
	t.Run("float32", testPenalties[float32])
}

func testPenalties[T matrix.Float](t *testing.T) {
	for name, c := range map[string]struct {
		p    solve.Penalty[T]
		size float64
	}{
		"L1":  {solve.L1[T]{Lambda: 0.3}, 1},
		"MCP": {solve.MCP[T]{Lambda: 0.3, Width: 0.6}, 0.4},
	} {
		for seed := range uint64(3) {
			if err := kit.Penalty(c.p, 4, 5, c.size, seed); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestFinished(t *testing.T) {
	for st, want := range map[solve.Status]bool{
		solve.Converged: true, solve.Completed: true, solve.StepLimit: false, solve.Canceled: false, solve.Failed: false, "": false,
	} {
		if st.Finished() != want {
			t.Errorf("%q finished: %v", st, !want)
		}
	}
}
