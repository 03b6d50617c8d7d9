package solve

import (
	"math"

	"github.com/polydag/polydag/internal/wire"
)

// Paper and Released both minimize the augmented Lagrangian
//
//	L(W) = F(W) + α h(W) + ρ/2 h(W)²,   so that ∇h weighs α + ρ h(W),
//
// They differ in how they update α and ρ. The paper's text and its released code disagree, and the paper's
// numbers come from the code.

// Paper is Algorithm 1 as the paper's text states it. After every Inner steps it sets α ← α + ρh, and it
// doubles ρ if h did not decrease since the last update. Each inner solve starts with a fresh optimizer. The
// run stops at |h| < HTol.
type Paper struct {
	Inner int     // steps of one inner solve
	HTol  float64 // the run has converged below this |h|

	rho, alpha, lastH float64
}

// NewPaper returns a Paper with α = 0 and the given ρ. The paper uses ρ = 1, inner = 200 and hTol = 1e-8.
func NewPaper(rho float64, inner int, hTol float64) *Paper {
	return &Paper{Inner: inner, HTol: hTol, rho: rho, lastH: math.Inf(1)}
}

// Next updates α and ρ at the end of each inner solve: after Inner steps, or when the descent no longer moves.
func (s *Paper) Next(p Point) Move {
	m := Move{}
	if p.Still || p.Step > 0 && p.Step%s.Inner == 0 {
		s.alpha += s.rho * p.H
		m.Done = math.Abs(p.H) < s.HTol
		if p.H >= s.lastH {
			s.rho *= 2
		}
		s.lastH = p.H
		m.Restart = true
	}
	m.ScoreWeight, m.HWeight, m.Curvature = 1, s.alpha+s.rho*p.H, s.rho
	m.Rho, m.Alpha = s.rho, s.alpha
	return m
}

// Ahead covers the steps before the next update, because that update depends on h.
func (s *Paper) Ahead(step int) (int, Weights) {
	return s.Inner - 1 - step%s.Inner, Weights{Score: 1, A: s.alpha, B: s.rho}
}

// AtLimit returns StepLimit, because Algorithm 1 requires |h| < HTol.
func (s *Paper) AtLimit() Status { return StepLimit }

// MarshalBinary encodes α, ρ and the last h.
func (s *Paper) MarshalBinary() ([]byte, error) {
	return wire.Marshal("paper/1", &s.rho, &s.alpha, &s.lastH)
}

// UnmarshalBinary restores the state that MarshalBinary encoded.
func (s *Paper) UnmarshalBinary(b []byte) error {
	return wire.Unmarshal("paper/1", b, &s.rho, &s.alpha, &s.lastH)
}

// Released is the augmented Lagrangian of the published code. ρ is constant, the optimizer state is never
// reset, and there is no stopping rule. α ← α + ρh happens after the step at every multiple of Every. The first
// update uses h of the start, so α stays 0 for another Every steps.
type Released struct {
	Every int // steps between updates of α

	rho, alpha float64
}

// NewReleased returns a Released with α = 0. The released code uses ρ = 1 and every = 200.
func NewReleased(rho float64, every int) *Released { return &Released{Every: every, rho: rho} }

// Next returns the weights with the current α and then updates α.
func (s *Released) Next(p Point) Move {
	m := Move{ScoreWeight: 1, HWeight: s.alpha + s.rho*p.H, Curvature: s.rho, Rho: s.rho, Alpha: s.alpha}
	if p.Step%s.Every == 0 {
		s.alpha += s.rho * p.H
	}
	return m
}

// Ahead covers the steps up to and including the next update, which still uses the old α.
func (s *Released) Ahead(step int) (int, Weights) {
	return s.Every - step%s.Every, Weights{Score: 1, A: s.alpha, B: s.rho}
}

// AtLimit returns Completed, because the released code always runs all its steps.
func (s *Released) AtLimit() Status { return Completed }

// MarshalBinary encodes α and ρ.
func (s *Released) MarshalBinary() ([]byte, error) {
	return wire.Marshal("released/1", &s.rho, &s.alpha)
}

// UnmarshalBinary restores the state that MarshalBinary encoded.
func (s *Released) UnmarshalBinary(b []byte) error {
	return wire.Unmarshal("released/1", b, &s.rho, &s.alpha)
}
