package optimize_test

import (
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/kit"
	"github.com/polydag/polydag/solve"
)

// walk calls a schedule n+1 times, with Still never set.
func walk(s solve.Schedule, n int, value func(step int) solve.Point) []solve.Move {
	var moves []solve.Move
	for step := range n + 1 {
		p := value(step)
		p.Step = step
		moves = append(moves, s.Next(p))
	}
	return moves
}

// checked tests that good settings are valid, and that each change gives an error with its text.
func checked[S interface{ Validate() error }](t *testing.T, good S, changes map[string]func(*S)) {
	t.Helper()
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for says, change := range changes {
		bad := good
		change(&bad)
		if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want an error with %q", err, says)
		}
	}
}

// TestFallingSchedule checks Algorithm 1 of DAGMA and its released code: μ ← 0.1 μ after each stage, with a new
// optimizer in each. A stage ends early when μ(score + penalty) + h has changed by at most Tol since the last
// check.
func TestFallingSchedule(t *testing.T) {
	s := optimize.NewFalling(optimize.FallingSettings{First: 1, Factor: 0.1, Stages: 3, StageSteps: 4, LastSteps: 6, Every: 2, Tol: 0.05})
	// The objective is 3μ + h. Stages 0 and 1 use up their 4 steps: the checks in stage 0 see 8 and 4, and
	// stage 1 ends before its second check. The last stage sees 0.53 twice and ends after 4 of its 6 steps.
	h := []float64{9, 9, 5, 9, 1, 9, 1, 9, 1, 9, 0.5, 9, 0.5}
	moves := walk(s, 12, func(step int) solve.Point { return solve.Point{Score: 2, Penalty: 1, H: h[step]} })
	for step, m := range moves {
		mu := []float64{1, 0.1, 0.01}[min(step/4, 2)]
		if !(math.Abs(m.ScoreWeight-mu) <= 1e-12) || m.HWeight != 1 || !(math.Abs(m.Rho*mu-1) <= 1e-12) || m.Restart != (step == 4 || step == 8) || m.Done != (step == 12) {
			t.Errorf("step %d: %+v, want μ = %v", step, m, mu)
		}
	}
	// The stage has 10 steps but ends early: the check at step 4 differs by less than Tol from the check at
	// step 2.
	s = optimize.NewFalling(optimize.FallingSettings{First: 2, Factor: 0.5, Stages: 2, StageSteps: 10, LastSteps: 3, Every: 2, Tol: 0.05})
	moves = walk(s, 7, func(step int) solve.Point { return solve.Point{Score: 100 + float64(step)} })
	for step, m := range moves {
		if m.Restart != (step == 4) || m.Done != (step == 7) {
			t.Errorf("an early end, step %d: %+v", step, m)
		}
	}
	if s.Steps() != 13 || s.AtLimit() != solve.StepLimit {
		t.Errorf("%d steps, at the limit %v", s.Steps(), s.AtLimit())
	}
	// The checked objective is μ(score + penalty) + h: 0.5·10 + 1, then 0.5·8 + 2.
	s = optimize.NewFalling(optimize.FallingSettings{First: 0.5, Factor: 0.5, Stages: 1, StageSteps: 10, LastSteps: 10, Every: 1, Tol: 1e-9})
	moves = walk(s, 2, func(step int) solve.Point {
		return []solve.Point{{Score: 3}, {Score: 6, Penalty: 4, H: 1}, {Score: 6, Penalty: 2, H: 2}}[step]
	})
	if moves[1].Done || !moves[2].Done {
		t.Errorf("the same objective twice: %+v", moves)
	}
	s = optimize.NewFalling(optimize.FallingSettings{First: 2, Factor: 0.5, Stages: 2, StageSteps: 10, LastSteps: 3, Every: 2})
	s.Next(solve.Point{})
	if m := s.Next(solve.Point{Step: 1, Still: true}); !m.Restart || m.ScoreWeight != 1 {
		t.Errorf("where the descent stands still: %+v, want the next stage", m)
	}
}

func TestFallingSettingsAreChecked(t *testing.T) {
	good := optimize.FallingSettings{First: 1, Factor: 0.1, Stages: 1, StageSteps: 1, LastSteps: 1, Every: 1}
	checked(t, good, map[string]func(*optimize.FallingSettings){
		"from 0 by": func(s *optimize.FallingSettings) { s.First = 0 }, "from +Inf": func(s *optimize.FallingSettings) { s.First = math.Inf(1) },
		"factor of 1,": func(s *optimize.FallingSettings) { s.Factor = 1 }, "factor of 0,": func(s *optimize.FallingSettings) { s.Factor = 0 },
		"Stages = 0":     func(s *optimize.FallingSettings) { s.Stages = 0 },
		"StageSteps = 0": func(s *optimize.FallingSettings) { s.StageSteps = 0 }, "LastSteps = 0": func(s *optimize.FallingSettings) { s.LastSteps = 0 },
		"Every = 0": func(s *optimize.FallingSettings) { s.Every = 0 }, "Tol = NaN": func(s *optimize.FallingSettings) { s.Tol = math.NaN() },
		"Window = 2": func(s *optimize.FallingSettings) { s.Window = 2 }, "Window = -1": func(s *optimize.FallingSettings) { s.Window = -1 },
	})
}

// TestMultipliersSchedule checks Algorithm 1 of NOTEARS and its released code: ρ ← 10ρ if h fell to no less
// than a quarter, else α ← α + ρh.
func TestMultipliersSchedule(t *testing.T) {
	settings := optimize.MultipliersSettings{Rho: 1, Factor: 10, RhoMax: 1e16, Progress: 0.25, HTol: 1e-8, Rounds: 100, Inner: 2, Every: 100}
	s := optimize.NewMultipliers(settings)
	for i, c := range []struct {
		h          float64
		rho, alpha float64
		restart    bool
		done       bool
	}{
		{0.9, 1, 0, false, false},
		{0.8, 1, 0, false, false},
		{0.4, 1, 0.4, true, false}, // less than a quarter of infinity: α = 0.4
		{0.3, 1, 0.4, false, false},
		{0.2, 10, 0.4, true, false}, // 0.2 > 0.1: ρ = 10
		{0.2, 10, 0.4, false, false},
		{0.05, 10, 0.9, true, false}, // α = 0.4 + 10·0.05
		{0.05, 10, 0.9, false, false},
		{1e-9, 10, 0.9 + 1e-8, true, true},
	} {
		m := s.Next(solve.Point{Step: i, H: c.h, Score: float64(i)})
		if m.Rho != c.rho || !(math.Abs(m.Alpha-c.alpha) <= 1e-12) || !(math.Abs(m.HWeight-(c.alpha+c.rho*c.h)) <= 1e-12) || m.Curvature != c.rho || m.Restart != c.restart || m.Done != c.done || m.Over {
			t.Errorf("step %d: %+v, want %+v", i, m, c)
		}
	}

	// An inner solve ends when the objective no longer changes or the descent no longer moves.
	settings.Inner, settings.Every, settings.Tol = 1000, 1, 1e-3
	s = optimize.NewMultipliers(settings)
	for i, c := range []struct {
		score float64
		still bool
		ends  bool
	}{{100, false, false}, {50, false, false}, {49.99, false, true}, {30, false, false}, {20, true, true}} {
		if m := s.Next(solve.Point{Step: i, Score: c.score, H: 1e-3, Still: c.still}); m.Restart != c.ends {
			t.Errorf("step %d: restart %v, want %v", i, m.Restart, c.ends)
		}
	}

	// If ρ is at its maximum or the rounds are used up, the run is over without convergence.
	settings.RhoMax, settings.Inner = 10, 1
	s = optimize.NewMultipliers(settings)
	var m solve.Move
	for i := 0; !m.Over && i < 10; i++ {
		if m = s.Next(solve.Point{Step: i, Score: float64(i), H: 1}); m.Over != (i == 3) || m.Done {
			t.Errorf("step %d: %+v", i, m)
		}
	}
	settings.RhoMax, settings.Rounds = 1e16, 1
	s = optimize.NewMultipliers(settings)
	s.Next(solve.Point{H: 1})
	if m := s.Next(solve.Point{Step: 1, H: 0.1}); !m.Over || m.Done || s.AtLimit() != solve.StepLimit {
		t.Errorf("after the last round: %+v", m)
	}
}

func TestMultipliersSettingsAreChecked(t *testing.T) {
	good := optimize.MultipliersSettings{Rho: 1, Factor: 10, RhoMax: 1e16, Progress: 0.25, HTol: 1e-8, Rounds: 1, Inner: 1, Every: 1}
	checked(t, good, map[string]func(*optimize.MultipliersSettings){
		"from 0": func(s *optimize.MultipliersSettings) { s.Rho = 0 }, "to 0.5": func(s *optimize.MultipliersSettings) { s.RhoMax = 0.5 },
		"factors of 1,": func(s *optimize.MultipliersSettings) { s.Factor = 1 }, "Progress = 1": func(s *optimize.MultipliersSettings) { s.Progress = 1 },
		"Alpha = -1": func(s *optimize.MultipliersSettings) { s.Alpha = -1 },
		"HTol = NaN": func(s *optimize.MultipliersSettings) { s.HTol = math.NaN() }, "Tol = -1": func(s *optimize.MultipliersSettings) { s.Tol = -1 },
		"Rounds = 0": func(s *optimize.MultipliersSettings) { s.Rounds = 0 }, "Inner = 0": func(s *optimize.MultipliersSettings) { s.Inner = 0 },
		"Every = 0": func(s *optimize.MultipliersSettings) { s.Every = 0 },
	})
}

// TestOneInnerSolve checks a single inner solve: α is the given one, ρ is constant, and the run is over when
// the objective has converged.
func TestOneInnerSolve(t *testing.T) {
	for h, done := range map[float64]bool{0.5: false, 1e-9: true} {
		s := optimize.NewMultipliers(optimize.MultipliersSettings{Rho: 10, RhoMax: 10, Factor: 10, Alpha: 3, Progress: 0.25, HTol: 1e-8, Rounds: 1, Inner: 9, Every: 1, Tol: 1e-9})
		for step, m := range walk(s, 1, func(int) solve.Point { return solve.Point{Score: 2, H: h} }) {
			if step == 0 && (m.HWeight != 3+10*h || m.Curvature != 10 || m.Over || m.Done) || step == 1 && (!m.Over || m.Done != done) {
				t.Errorf("h = %g, step %d: %+v", h, step, m)
			}
		}
	}
}

// TestSettlingSchedule checks the objective score + penalty + 2h after 2, 4 and 6 steps, and ends when it has
// converged.
func TestSettlingSchedule(t *testing.T) {
	h := []float64{9, 9, 5, 9, 1, 9, 1.0001, 9}
	s := optimize.NewSettling(2, 2, 1e-3)
	for step, m := range walk(s, 7, func(step int) solve.Point { return solve.Point{Score: 2, Penalty: 1, H: h[step]} }) {
		if m.HWeight != 2 || m.ScoreWeight != 1 || m.Restart || m.Over || m.Done != (step == 6) {
			t.Errorf("step %d: %+v", step, m)
		}
	}
	for _, m := range walk(optimize.NewSettling(2, 1, 0), 5, func(int) solve.Point { return solve.Point{Score: 1} }) {
		if m.Done {
			t.Error("with Tol = 0 it ended before the steps ran out")
		}
	}
	if m := optimize.NewSettling(1, 10, 0).Next(solve.Point{Still: true}); !m.Done || s.AtLimit() != solve.Completed {
		t.Errorf("where the descent stands still: %+v", m)
	}
}

// TestSettlingLooksAtMeans checks the means of a window: 6 and 6.5 of (9, 3) and (4, 9), a rise. The single
// values are 3 and 9. A resumed copy must see the same means.
func TestSettlingLooksAtMeans(t *testing.T) {
	values := []float64{100, 50, 9, 3, 70, 4, 9}
	for window, ends := range map[int]int{2: 6, 0: -1, 1: -1} {
		s := optimize.NewSettling(1, 3, 1e-9)
		s.Window = window
		for step, v := range values {
			text := must.Get(s.MarshalBinary())
			s = optimize.NewSettling(1, 3, 1e-9)
			s.Window = window
			must.Succeed(t, s.UnmarshalBinary(text))
			if m := s.Next(solve.Point{Step: step, Score: v}); m.Done != (step == ends) {
				t.Errorf("window %d, step %d: %+v", window, step, m)
			}
		}
	}
}

// TestFallingLooksAtMeans checks the means of a window: 6 and 6 of (9, 3) and (4, 8). The single values are 3
// and 8.
func TestFallingLooksAtMeans(t *testing.T) {
	values := []float64{100, 50, 9, 3, 70, 4, 8}
	for window, ends := range map[int]int{2: 6, 1: -1} {
		s := optimize.NewFalling(optimize.FallingSettings{First: 1, Factor: 0.5, Stages: 1, StageSteps: 9, LastSteps: 9, Every: 3, Tol: 1e-9, Window: window})
		for step, m := range walk(s, 6, func(step int) solve.Point { return solve.Point{Score: values[step]} }) {
			if m.Done != (step == ends) {
				t.Errorf("window %d, step %d: %+v", window, step, m)
			}
		}
	}
}

func TestKit(t *testing.T) {
	t.Run("float64", testKit[float64])
	t.Run("float32", testKit[float32])
}

func testKit[T matrix.Float](t *testing.T) {
	schedules := map[string]func() solve.Schedule{
		"Constant": func() solve.Schedule { return solve.Constant{Weight: 2} },
		"Falling": func() solve.Schedule {
			return optimize.NewFalling(optimize.FallingSettings{First: 1, Factor: 0.5, Stages: 3, StageSteps: 90, LastSteps: 120, Every: 40, Tol: 1e-5, Window: 8})
		},
		"Settling": func() solve.Schedule { return optimize.NewSettling(2, 100, 1e-5) },
		"Multipliers": func() solve.Schedule {
			return optimize.NewMultipliers(optimize.MultipliersSettings{Rho: 1, Factor: 10, RhoMax: 1e6, Progress: 0.25, HTol: 1e-8, Rounds: 20, Inner: 60, Every: 1, Tol: 1e-9})
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
