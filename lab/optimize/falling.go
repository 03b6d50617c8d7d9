package optimize

import (
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/wire"
	"github.com/polydag/polydag/solve"
)

// Falling is the central path of DAGMA (Bello, Aragam and Ravikumar 2022, Algorithm 1). It minimizes μ(score +
// penalty) + h for a geometrically decreasing μ. Each stage starts at the end of the previous one with a new
// optimizer state. In the limit the score only chooses among matrices with h = 0.
type Falling struct {
	FallingSettings

	stage, since int
	before       float64 // the objective at the last check
	sum          float64 // sum of the objective over the steps in the window of the next check
}

// FallingSettings define the sequence of μ. The released code of DAGMA uses First = 1, Factor = 0.1, Stages =
// 5, StageSteps = 30000, LastSteps = 60000, Every = 1000 and Tol = 1e-6. It also lowers the s of log-det in
// each stage. A schedule cannot do that, so use one Run per s, each from the result of the previous one.
type FallingSettings struct {
	First, Factor float64 // μ is First · Factorᵏ in stage k = 0, 1, …
	Stages        int
	StageSteps    int // most steps of each stage but the last
	LastSteps     int // most steps of the last stage

	// Every is the number of steps between two checks of the objective. A stage ends when the relative change
	// since the last check is at most Tol.
	Every int
	Tol   float64
	// Window is the number of last steps over which a check averages the objective; 0 means 1, as in the
	// released code. In float32 one value has a relative rounding error of about 1e-5, which hides a change of
	// 1e-6.
	Window int
}

// positive returns an error unless the setting is at least 1.
func positive(name string, n int) error {
	if n < 1 {
		return fmt.Errorf("%s = %d, want at least 1", name, n)
	}
	return nil
}

// Validate returns an error that names every invalid setting.
func (s FallingSettings) Validate() error {
	var errs []error
	if !(s.First > 0) || math.IsInf(s.First, 0) || !(s.Factor > 0 && s.Factor < 1) {
		errs = append(errs, fmt.Errorf("μ falls from %v by a factor of %v, want a positive number and one between 0 and 1", s.First, s.Factor))
	}
	errs = append(errs, positive("Stages", s.Stages), positive("StageSteps", s.StageSteps), positive("LastSteps", s.LastSteps), positive("Every", s.Every))
	if !(s.Tol >= 0) {
		errs = append(errs, fmt.Errorf("setting Tol = %v, want at least 0", s.Tol))
	}
	if s.Window < 0 || s.Window > s.Every {
		errs = append(errs, fmt.Errorf("setting Window = %d, want at least 0 and at most Every = %d", s.Window, s.Every))
	}
	return errors.Join(errs...)
}

// NewFalling returns a Falling at its first stage.
func NewFalling(s FallingSettings) *Falling {
	return &Falling{FallingSettings: s, before: math.Inf(1)}
}

// Steps returns the largest number of steps of all stages together.
func (f *Falling) Steps() int { return (f.Stages-1)*f.StageSteps + f.LastSteps }

// mu returns the weight of the score in the current stage.
func (f *Falling) mu() float64 { return f.First * math.Pow(f.Factor, float64(f.stage)) }

// most returns the largest number of steps of the current stage.
func (f *Falling) most() int {
	if f.stage == f.Stages-1 {
		return f.LastSteps
	}
	return f.StageSteps
}

// Next starts the next stage when the current one has used its steps, no longer moves or no longer improves.
func (f *Falling) Next(p solve.Point) solve.Move {
	var m solve.Move
	if f.ended(p) {
		f.since, f.before, f.sum = 0, math.Inf(1), 0
		if m.Done = f.stage == f.Stages-1; !m.Done {
			f.stage++
			m.Restart = true
		}
	}
	f.since++
	m.ScoreWeight, m.HWeight = f.mu(), 1
	m.Rho = 1 / m.ScoreWeight // the weight of h relative to the score
	return m
}

func (f *Falling) ended(p solve.Point) bool {
	if p.Still || f.since == f.most() {
		return true
	}
	if f.since == 0 {
		return false
	}
	window := max(f.Window, 1)
	if to := f.Every - 1 - (f.since-1)%f.Every; to < window { // steps to the next check
		f.sum += f.mu()*(p.Score+p.Penalty) + p.H
	}
	if f.since%f.Every != 0 {
		return false
	}
	now, before := f.sum/float64(window), f.before
	f.before, f.sum = now, 0
	return math.Abs(before-now) <= f.Tol*math.Abs(before) && !math.IsInf(before, 0)
}

// Ahead covers the steps before the next check of the objective or the end of the stage.
func (f *Falling) Ahead(int) (int, solve.Weights) {
	return min(f.Every-1-(f.since-1)%f.Every, f.most()-f.since), solve.Weights{Score: f.mu(), A: 1}
}

// AtLimit returns StepLimit, because the last stage did not end.
func (f *Falling) AtLimit() solve.Status { return solve.StepLimit }

// MarshalBinary encodes the stage, its step count, the objective at the last check and the sum for the next
// one.
func (f *Falling) MarshalBinary() ([]byte, error) {
	return wire.Marshal("falling/2", &f.stage, &f.since, &f.before, &f.sum)
}

// UnmarshalBinary restores the state that MarshalBinary encoded.
func (f *Falling) UnmarshalBinary(b []byte) error {
	return wire.Unmarshal("falling/2", b, &f.stage, &f.since, &f.before, &f.sum)
}
