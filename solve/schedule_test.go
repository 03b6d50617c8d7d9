package solve_test

import (
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag/solve"
)

// walk asks a schedule n+1 times, with points that never stand still.
func walk(s solve.Schedule, n int, value func(step int) solve.Point) []solve.Move {
	var moves []solve.Move
	for step := range n + 1 {
		p := value(step)
		p.Step = step
		moves = append(moves, s.Next(p))
	}
	return moves
}

// μ of each stage is the one before times the same factor, and the first and the last are those asked for.
func TestRisingIsGeometric(t *testing.T) {
	s := solve.NewRising(solve.RisingSettings{First: 0.01, Last: 100, Stages: 5, StageSteps: 3})
	moves := walk(s, s.Steps(), func(int) solve.Point { return solve.Point{H: 7, Score: 5} })
	for i, want := range []float64{0.01, 0.1, 1, 10, 100} {
		for _, m := range moves[3*i : 3*i+3] {
			if math.Abs(m.HWeight-want) > 1e-12*want || m.Rho != m.HWeight || m.ScoreWeight != 1 || m.Curvature != 0 || m.Alpha != 0 || m.Done || m.Restart {
				t.Errorf("stage %d: %+v, want μ = %v", i, m, want)
			}
		}
	}
	if len(moves) != 16 || !moves[15].Done || math.Abs(moves[15].Rho-100) > 1e-9 || s.AtLimit() != solve.Completed {
		t.Errorf("after %d steps: %+v", len(moves)-1, moves[len(moves)-1])
	}
	one := solve.NewRising(solve.RisingSettings{First: 0.01, Last: 100, Stages: 1, StageSteps: 3})
	if m := one.Next(solve.Point{}); m.HWeight != 100 {
		t.Errorf("a single stage has μ = %v, want the last", m.HWeight)
	}
	s = solve.NewRising(solve.RisingSettings{First: 1, Last: 4, Stages: 3, StageSteps: 3})
	s.Next(solve.Point{})
	if m := s.Next(solve.Point{Step: 1, Still: true}); math.Abs(m.HWeight-2) > 1e-12 {
		t.Errorf("μ = %v where the descent stands still, want that of the next stage", m.HWeight)
	}
}

func TestRisingSettingsAreChecked(t *testing.T) {
	good := solve.RisingSettings{First: 1, Last: 1, Stages: 1, StageSteps: 1}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for _, bad := range []solve.RisingSettings{
		{First: 0, Last: 1, Stages: 1, StageSteps: 1}, {First: 2, Last: 1, Stages: 1, StageSteps: 1},
		{First: 1, Last: math.Inf(1), Stages: 1, StageSteps: 1}, {First: math.NaN(), Last: 1, Stages: 1, StageSteps: 1},
		{First: 1, Last: 1, Stages: 0, StageSteps: 1}, {First: 1, Last: 1, Stages: 1, StageSteps: 0},
	} {
		if bad.Validate() == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
}

// Reference: Algorithm 1 of DAGMA and its released code: μ ← 0.1 μ after each stage, a new optimizer in each, and a stage
// ends early where the objective μ(score + penalty) + h has changed by no more than Tol since the last look.
func TestFallingSchedule(t *testing.T) {
	s := solve.NewFalling(solve.FallingSettings{First: 1, Factor: 0.1, Stages: 3, StageSteps: 4, LastSteps: 6, Every: 2, Tol: 0.05})
	// The objective is 3μ + h. Stages 0 and 1 use up their 4 steps: in stage 0 the looks after 2 and 4 steps see 8 and 4,
	// and stage 1, which sees 1.3 twice, is over by then. The last one sees 0.53 twice and ends after 4 of its 6 steps.
	h := []float64{9, 9, 5, 9, 1, 9, 1, 9, 1, 9, 0.5, 9, 0.5}
	moves := walk(s, 12, func(step int) solve.Point { return solve.Point{Score: 2, Penalty: 1, H: h[step]} })
	for step, m := range moves {
		mu := []float64{1, 0.1, 0.01}[min(step/4, 2)]
		if math.Abs(m.ScoreWeight-mu) > 1e-12 || m.HWeight != 1 || math.Abs(m.Rho*mu-1) > 1e-12 || m.Restart != (step == 4 || step == 8) || m.Done != (step == 12) {
			t.Errorf("step %d: %+v, want μ = %v", step, m, mu)
		}
	}
	// An early end: what the look at step 4 sees differs by less than Tol from what that at step 2 saw, and the stage has 10 steps.
	s = solve.NewFalling(solve.FallingSettings{First: 2, Factor: 0.5, Stages: 2, StageSteps: 10, LastSteps: 3, Every: 2, Tol: 0.05})
	moves = walk(s, 7, func(step int) solve.Point { return solve.Point{Score: 100 + float64(step)} })
	for step, m := range moves {
		if m.Restart != (step == 4) || m.Done != (step == 7) {
			t.Errorf("an early end, step %d: %+v", step, m)
		}
	}
	if s.Steps() != 13 || s.AtLimit() != solve.StepLimit {
		t.Errorf("%d steps, at the limit %v", s.Steps(), s.AtLimit())
	}
	// What is looked at is μ(score + penalty) + h: 0.5·10 + 1, then 0.5·8 + 2.
	s = solve.NewFalling(solve.FallingSettings{First: 0.5, Factor: 0.5, Stages: 1, StageSteps: 10, LastSteps: 10, Every: 1, Tol: 1e-9})
	moves = walk(s, 2, func(step int) solve.Point {
		return []solve.Point{{Score: 3}, {Score: 6, Penalty: 4, H: 1}, {Score: 6, Penalty: 2, H: 2}}[step]
	})
	if moves[1].Done || !moves[2].Done {
		t.Errorf("the same objective twice: %+v", moves)
	}
	s = solve.NewFalling(solve.FallingSettings{First: 2, Factor: 0.5, Stages: 2, StageSteps: 10, LastSteps: 3, Every: 2})
	s.Next(solve.Point{})
	if m := s.Next(solve.Point{Step: 1, Still: true}); !m.Restart || m.ScoreWeight != 1 {
		t.Errorf("where the descent stands still: %+v, want the next stage", m)
	}
}

func TestFallingSettingsAreChecked(t *testing.T) {
	good := solve.FallingSettings{First: 1, Factor: 0.1, Stages: 1, StageSteps: 1, LastSteps: 1, Every: 1}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for says, change := range map[string]func(*solve.FallingSettings){
		"from 0 by": func(s *solve.FallingSettings) { s.First = 0 }, "from +Inf": func(s *solve.FallingSettings) { s.First = math.Inf(1) },
		"factor of 1,": func(s *solve.FallingSettings) { s.Factor = 1 }, "factor of 0,": func(s *solve.FallingSettings) { s.Factor = 0 },
		"Stages = 0":     func(s *solve.FallingSettings) { s.Stages = 0 },
		"StageSteps = 0": func(s *solve.FallingSettings) { s.StageSteps = 0 }, "LastSteps = 0": func(s *solve.FallingSettings) { s.LastSteps = 0 },
		"Every = 0": func(s *solve.FallingSettings) { s.Every = 0 }, "Tol = NaN": func(s *solve.FallingSettings) { s.Tol = math.NaN() },
	} {
		bad := good
		change(&bad)
		if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want an error with %q", err, says)
		}
	}
}

func TestConstantSchedule(t *testing.T) {
	s := solve.Constant{Weight: 3}
	if m := s.Next(solve.Point{Step: 4, H: 2}); m != (solve.Move{ScoreWeight: 1, HWeight: 3, Rho: 3}) {
		t.Errorf("%+v", m)
	}
	if !s.Next(solve.Point{Still: true}).Done {
		t.Error("not done where the descent stands still")
	}
}
