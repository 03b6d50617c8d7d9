package optimize

import (
	"math"

	"github.com/polydag/polydag/internal/wire"
	"github.com/polydag/polydag/solve"
)

// Settling is Constant with a convergence test. It minimizes score + penalty + Weight·h until the relative
// change of the objective over Every steps is at most Tol. It also ends when the descent no longer moves or the
// steps run out. GOLEM (Ng, Ghassami and Zhang 2020) uses such a soft constraint with a fixed number of steps,
// which is Tol = 0.
type Settling struct {
	Weight float64
	Every  int // steps between two checks of the objective, at least 1
	Tol    float64
	// Window is the number of last steps over which a check averages the objective; 0 means 1, and at most
	// Every are used. Adam oscillates around a kink, and float32 values have rounding errors, so single values
	// hide convergence. The remaining error of a mean has a random sign. A mean has therefore converged if it
	// fell by at most Tol or rose.
	Window int

	since  int
	before float64
	sum    float64 // sum of the objective over the steps in the window of the next check
}

// NewSettling returns a Settling before its first step.
func NewSettling(weight float64, every int, tol float64) *Settling {
	return &Settling{Weight: weight, Every: every, Tol: tol, before: math.Inf(1)}
}

// Next returns the same weights at every point and Done when the objective has converged.
func (s *Settling) Next(p solve.Point) solve.Move {
	m := solve.Move{ScoreWeight: 1, HWeight: s.Weight, Rho: s.Weight, Done: p.Still}
	if window := min(max(s.Window, 1), s.Every); s.since > 0 {
		if to := s.Every - 1 - (s.since-1)%s.Every; to < window { // steps to the next check
			s.sum += p.Score + p.Penalty + s.Weight*p.H
		}
		if s.since%s.Every == 0 {
			now := s.sum / float64(window)
			fall := s.before - now
			if window == 1 {
				fall = math.Abs(fall)
			}
			m.Done = m.Done || s.Tol > 0 && fall <= s.Tol*max(math.Abs(now), 1)
			s.before, s.sum = now, 0
		}
	}
	s.since++
	return m
}

// Ahead covers the steps before the next check of the objective, or all steps if Tol is 0.
func (s *Settling) Ahead(int) (int, solve.Weights) {
	w := solve.Weights{Score: 1, A: s.Weight}
	if s.Tol == 0 {
		return math.MaxInt32, w
	}
	return (s.Every - s.since%s.Every) % s.Every, w
}

// AtLimit returns Completed, because the published method has a fixed number of steps.
func (s *Settling) AtLimit() solve.Status { return solve.Completed }

// MarshalBinary encodes the step count, the objective at the last check and the sum for the next one.
func (s *Settling) MarshalBinary() ([]byte, error) {
	return wire.Marshal("settling/2", &s.since, &s.before, &s.sum)
}

// UnmarshalBinary restores the state that MarshalBinary encoded.
func (s *Settling) UnmarshalBinary(b []byte) error {
	return wire.Unmarshal("settling/2", b, &s.since, &s.before, &s.sum)
}
