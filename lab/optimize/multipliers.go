package optimize

import (
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/wire"
	"github.com/polydag/polydag/solve"
)

// Multipliers is the augmented Lagrangian of NOTEARS (Zheng, Aragam, Ravikumar and Xing 2018, Algorithm 1, and
// its released code). An inner solve minimizes score + penalty + αh + ρ/2 h². If h is above Progress times the
// previous h, ρ grows by Factor. Otherwise α ← α + ρh, and h is compared with HTol.
//
// After an increase of ρ, the released code restarts from the point of the last update of α. This schedule
// continues from the current point, because a schedule cannot move W. For the former, use one Run per inner
// solve with RhoMax = Rho, Rounds = 1 and Alpha.
type Multipliers struct {
	MultipliersSettings

	rho, alpha    float64
	lastH, before float64 // h at the last update of α; the objective at the last check
	since, rounds int
}

// MultipliersSettings define the updates of ρ and α. The released code of NOTEARS uses Rho = 1, Factor = 10,
// RhoMax = 1e16, Progress = 0.25, HTol = 1e-8 and Rounds = 100. Its L-BFGS-B corresponds to Every = 1 with Tol
// = 2.2e-9.
type MultipliersSettings struct {
	Rho, Factor, RhoMax float64
	Alpha               float64 // the first α
	Progress            float64
	HTol                float64
	Rounds              int // most updates of α
	Inner               int // most steps of one inner solve

	// Every is the number of steps between two checks of the objective. An inner solve ends when the objective
	// has changed by at most Tol·max(1, |objective|) since the last check.
	Every int
	Tol   float64
}

// Validate returns an error that names every invalid setting.
func (s MultipliersSettings) Validate() error {
	var errs []error
	if !(s.Rho > 0) || !(s.RhoMax >= s.Rho) || math.IsInf(s.RhoMax, 0) || !(s.Factor > 1) || math.IsInf(s.Factor, 0) {
		errs = append(errs, fmt.Errorf("ρ grows from %v to %v by factors of %v, want 0 < first ≤ last and a factor above 1", s.Rho, s.RhoMax, s.Factor))
	}
	if !(s.Alpha >= 0) || math.IsInf(s.Alpha, 0) {
		errs = append(errs, fmt.Errorf("setting Alpha = %v, want a finite number of at least 0", s.Alpha))
	}
	if !(s.Progress > 0 && s.Progress < 1) {
		errs = append(errs, fmt.Errorf("setting Progress = %v, want a number between 0 and 1", s.Progress))
	}
	if !(s.HTol >= 0) || !(s.Tol >= 0) {
		errs = append(errs, fmt.Errorf("HTol = %v and Tol = %v, want at least 0", s.HTol, s.Tol))
	}
	return errors.Join(append(errs, positive("Rounds", s.Rounds), positive("Inner", s.Inner), positive("Every", s.Every))...)
}

// NewMultipliers returns a Multipliers with the first ρ and α.
func NewMultipliers(s MultipliersSettings) *Multipliers {
	return &Multipliers{MultipliersSettings: s, rho: s.Rho, alpha: s.Alpha, lastH: math.Inf(1), before: math.Inf(1)}
}

// Next updates ρ or α at the end of each inner solve.
func (s *Multipliers) Next(p solve.Point) solve.Move {
	var m solve.Move
	if s.since > 0 && s.ended(p) {
		s.since, m.Restart = 0, true
		if p.H > s.Progress*s.lastH && s.rho < s.RhoMax {
			s.rho = min(s.rho*s.Factor, s.RhoMax)
		} else {
			s.alpha += s.rho * p.H
			s.lastH = p.H
			s.rounds++
			m.Done = p.H <= s.HTol
			m.Over = s.rounds == s.Rounds || s.rho >= s.RhoMax
		}
	}
	if s.since == 0 {
		s.before = s.objective(p)
	}
	s.since++
	m.ScoreWeight, m.HWeight, m.Curvature = 1, s.alpha+s.rho*p.H, s.rho
	m.Rho, m.Alpha = s.rho, s.alpha
	return m
}

func (s *Multipliers) objective(p solve.Point) float64 {
	return p.Score + p.Penalty + s.alpha*p.H + s.rho/2*p.H*p.H
}

func (s *Multipliers) ended(p solve.Point) bool {
	if p.Still || s.since >= s.Inner {
		return true
	}
	if s.since%s.Every != 0 {
		return false
	}
	now, before := s.objective(p), s.before
	s.before = now
	return math.Abs(before-now) <= s.Tol*max(math.Abs(before), math.Abs(now), 1)
}

// AtLimit returns StepLimit, because h did not fall below HTol.
func (s *Multipliers) AtLimit() solve.Status { return solve.StepLimit }

// MarshalBinary encodes α, ρ, the last h and objective, and both counters.
func (s *Multipliers) MarshalBinary() ([]byte, error) {
	return wire.Marshal("multipliers/1", &s.rho, &s.alpha, &s.lastH, &s.before, &s.since, &s.rounds)
}

// UnmarshalBinary restores the state that MarshalBinary encoded.
func (s *Multipliers) UnmarshalBinary(b []byte) error {
	return wire.Unmarshal("multipliers/1", b, &s.rho, &s.alpha, &s.lastH, &s.before, &s.since, &s.rounds)
}
