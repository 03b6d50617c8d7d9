package solve_test

import (
	"math"
	"strings"
	"testing"

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

// TestRisingIsGeometric checks the geometric sequence of μ and its first and last value.
func TestRisingIsGeometric(t *testing.T) {
	s := solve.NewRising(solve.RisingSettings{First: 0.01, Last: 100, Stages: 5, StageSteps: 3})
	moves := walk(s, s.Steps(), func(int) solve.Point { return solve.Point{H: 7, Score: 5} })
	for i, want := range []float64{0.01, 0.1, 1, 10, 100} {
		for _, m := range moves[3*i : 3*i+3] {
			if !(math.Abs(m.HWeight-want) <= 1e-12*want) || m.Rho != m.HWeight || m.ScoreWeight != 1 || m.Curvature != 0 || m.Alpha != 0 || m.Done || m.Restart {
				t.Errorf("stage %d: %+v, want μ = %v", i, m, want)
			}
		}
	}
	if len(moves) != 16 || !moves[15].Done || !(math.Abs(moves[15].Rho-100) <= 1e-9) || s.AtLimit() != solve.Completed {
		t.Errorf("after %d steps: %+v", len(moves)-1, moves[len(moves)-1])
	}
	one := solve.NewRising(solve.RisingSettings{First: 0.01, Last: 100, Stages: 1, StageSteps: 3})
	if m := one.Next(solve.Point{}); m.HWeight != 100 {
		t.Errorf("a single stage has μ = %v, want the last", m.HWeight)
	}
	s = solve.NewRising(solve.RisingSettings{First: 1, Last: 4, Stages: 3, StageSteps: 3})
	s.Next(solve.Point{})
	if m := s.Next(solve.Point{Step: 1, Still: true}); !(math.Abs(m.HWeight-2) <= 1e-12) {
		t.Errorf("μ = %v where the descent stands still, want that of the next stage", m.HWeight)
	}
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

func TestRisingSettingsAreChecked(t *testing.T) {
	good := solve.RisingSettings{First: 1, Last: 1, Stages: 1, StageSteps: 1}
	checked(t, good, map[string]func(*solve.RisingSettings){
		"from 0 to 1": func(s *solve.RisingSettings) { s.First = 0 }, "from 2 to 1": func(s *solve.RisingSettings) { s.First = 2 },
		"to +Inf": func(s *solve.RisingSettings) { s.Last = math.Inf(1) }, "from NaN": func(s *solve.RisingSettings) { s.First = math.NaN() },
		"Stages = 0": func(s *solve.RisingSettings) { s.Stages = 0 }, "StageSteps = 0": func(s *solve.RisingSettings) { s.StageSteps = 0 },
	})
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
