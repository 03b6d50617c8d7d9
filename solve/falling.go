package solve

import (
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/wire"
)

// Falling is the central path of DAGMA (Bello, Aragam and Ravikumar 2022, Algorithm 1): it minimizes μ(score + penalty) + h
// for a μ that falls geometrically, stage after stage, each from where the last one ended and with a new optimizer. In
// the limit the score only chooses among matrices with h = 0.
type Falling struct {
	FallingSettings

	stage, since int
	before       float64 // the objective at the last look
	sum          float64 // of the objective, over the steps of the next look that are past
}

// FallingSettings say how μ falls. The released code of DAGMA has First = 1, Factor = 0.1, Stages = 5, StageSteps = 30000,
// LastSteps = 60000, Every = 1000 and Tol = 1e-6. It also lowers the s of log-det with each stage, which a schedule
// cannot: that is a Run of one stage for each s, from where the last one ended.
type FallingSettings struct {
	First, Factor float64 // μ is First · Factorᵏ in stage k = 0, 1, …
	Stages        int
	StageSteps    int // most steps of each stage but the last
	LastSteps     int // most steps of the last one

	// After each Every steps of a stage the objective is looked at. The stage ends where it has changed by at most Tol
	// times its value since the last look.
	Every int
	Tol   float64
	// Window is over how many of the last steps the objective is averaged for a look; 0 means 1, as in the released code. In
	// float32 one value has a rounding error of about 1e-5 of it, which hides a change of 1e-6.
	Window int
}

// Validate reports every fault at once.
func (s FallingSettings) Validate() error {
	var errs []error
	if !(s.First > 0) || math.IsInf(s.First, 0) || !(s.Factor > 0 && s.Factor < 1) {
		errs = append(errs, fmt.Errorf("μ falls from %v by a factor of %v, want a positive number and one between 0 and 1", s.First, s.Factor))
	}
	for _, n := range []struct {
		name string
		n    int
	}{{"Stages", s.Stages}, {"StageSteps", s.StageSteps}, {"LastSteps", s.LastSteps}, {"Every", s.Every}} {
		if n.n < 1 {
			errs = append(errs, fmt.Errorf("%s = %d, want at least 1", n.name, n.n))
		}
	}
	if !(s.Tol >= 0) {
		errs = append(errs, fmt.Errorf("setting Tol = %v, want at least 0", s.Tol))
	}
	if s.Window < 0 || s.Window > s.Every {
		errs = append(errs, fmt.Errorf("setting Window = %d, want at least 0 and at most Every = %d", s.Window, s.Every))
	}
	return errors.Join(errs...)
}

// NewFalling starts at the first stage.
func NewFalling(s FallingSettings) *Falling {
	return &Falling{FallingSettings: s, before: math.Inf(1)}
}

// Steps is the most steps that all stages together can take.
func (f *Falling) Steps() int { return (f.Stages-1)*f.StageSteps + f.LastSteps }

// mu returns the weight of the score in the current stage.
func (f *Falling) mu() float64 { return f.First * math.Pow(f.Factor, float64(f.stage)) }

// Next moves on to the next stage when the current one has used its steps, stands still or gains nothing any more.
func (f *Falling) Next(p Point) Move {
	var m Move
	if f.ended(p) {
		f.since, f.before, f.sum = 0, math.Inf(1), 0
		if m.Done = f.stage == f.Stages-1; !m.Done {
			f.stage++
			m.Restart = true
		}
	}
	f.since++
	m.ScoreWeight, m.HWeight = f.mu(), 1
	m.Rho = 1 / m.ScoreWeight // what h weighs against the score
	return m
}

func (f *Falling) ended(p Point) bool {
	most := f.StageSteps
	if f.stage == f.Stages-1 {
		most = f.LastSteps
	}
	if p.Still || f.since == most {
		return true
	}
	if f.since == 0 {
		return false
	}
	window := max(f.Window, 1)
	if to := f.Every - 1 - (f.since-1)%f.Every; to < window { // steps to the next look
		f.sum += f.mu()*(p.Score+p.Penalty) + p.H
	}
	if f.since%f.Every != 0 {
		return false
	}
	now, before := f.sum/float64(window), f.before
	f.before, f.sum = now, 0
	return math.Abs(before-now) <= f.Tol*math.Abs(before) && !math.IsInf(before, 0)
}

// Ahead knows the steps before the next look at the objective, or before the end of the stage.
func (f *Falling) Ahead(int) (int, Weights) {
	most := f.StageSteps
	if f.stage == f.Stages-1 {
		most = f.LastSteps
	}
	return min(f.Every-1-(f.since-1)%f.Every, most-f.since), Weights{Score: f.mu(), A: 1}
}

// AtLimit is StepLimit: the last stage was not over.
func (f *Falling) AtLimit() Status { return StepLimit }

// MarshalBinary encodes the stage, the steps taken in it, the objective at the last look and what is summed for the next.
func (f *Falling) MarshalBinary() ([]byte, error) {
	w := wire.NewWriter("falling/2")
	w.Int(f.stage)
	w.Int(f.since)
	w.Float(f.before)
	w.Float(f.sum)
	return w.Seal(), nil
}

// UnmarshalBinary puts back what MarshalBinary encoded.
func (f *Falling) UnmarshalBinary(b []byte) error {
	r := wire.NewReader("falling/2", b)
	f.stage, f.since, f.before, f.sum = r.Int(), r.Int(), r.Float(), r.Float()
	return r.Close()
}
