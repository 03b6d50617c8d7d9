package solve

import (
	"math"

	"github.com/polydag/polydag/internal/wire"
)

// Both schedules here minimize the augmented Lagrangian
//
//	L(W) = F(W) + α h(W) + ρ/2 h(W)²,   so that ∇h weighs α + ρ h(W),
//
// and differ in what happens to α and ρ. The paper's text and its released code disagree, and the
// numbers of the paper come from the code.

// Paper is Algorithm 1 of the paper's text: after each Inner steps α ← α + ρh; ρ doubles when h
// did not fall since the last time; each inner solve starts with a fresh optimizer; stop at |h| < HTol.
type Paper struct {
	Inner int     // steps of one inner solve
	HTol  float64 // converged below

	rho, alpha, lastH float64
}

// NewPaper starts with α = 0 and the given ρ. The paper has ρ = 1, inner = 200, hTol = 1e-8.
func NewPaper(rho float64, inner int, hTol float64) *Paper {
	return &Paper{Inner: inner, HTol: hTol, rho: rho, lastH: math.Inf(1)}
}

// Next updates α and ρ at the end of each inner solve: after Inner steps, or where the descent stands still.
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

// Ahead knows all steps up to the next update, which depends on the h that it finds.
func (s *Paper) Ahead(step int) (int, Weights) {
	return s.Inner - 1 - step%s.Inner, Weights{Score: 1, A: s.alpha, B: s.rho}
}

// AtLimit is StepLimit: the text asks for |h| < HTol.
func (s *Paper) AtLimit() Status { return StepLimit }

// MarshalBinary encodes α, ρ and the last h.
func (s *Paper) MarshalBinary() ([]byte, error) {
	return marshalFloats("paper/1", s.rho, s.alpha, s.lastH), nil
}

// UnmarshalBinary puts back what MarshalBinary encoded.
func (s *Paper) UnmarshalBinary(b []byte) error {
	return unmarshalFloats("paper/1", b, &s.rho, &s.alpha, &s.lastH)
}

// Released is what the published code does: ρ never changes; α ← α + ρh after the step at
// every multiple of Every, the first included, where h is still that of the start (so α stays 0 for
// Every steps more); one optimizer state throughout; no stopping rule.
type Released struct {
	Every int // steps between updates of α

	rho, alpha float64
}

// NewReleased starts with α = 0. The released code has ρ = 1 and every = 200.
func NewReleased(rho float64, every int) *Released { return &Released{Every: every, rho: rho} }

// Next weighs with the old α, then updates it.
func (s *Released) Next(p Point) Move {
	m := Move{ScoreWeight: 1, HWeight: s.alpha + s.rho*p.H, Curvature: s.rho, Rho: s.rho, Alpha: s.alpha}
	if p.Step%s.Every == 0 {
		s.alpha += s.rho * p.H
	}
	return m
}

// Ahead knows all steps up to the next update and the one at which it happens, which still weighs with the old α.
func (s *Released) Ahead(step int) (int, Weights) {
	return s.Every - step%s.Every, Weights{Score: 1, A: s.alpha, B: s.rho}
}

// AtLimit is Completed: the released code always runs all its steps.
func (s *Released) AtLimit() Status { return Completed }

// MarshalBinary encodes α and ρ.
func (s *Released) MarshalBinary() ([]byte, error) {
	return marshalFloats("released/1", s.rho, s.alpha), nil
}

// UnmarshalBinary puts back what MarshalBinary encoded.
func (s *Released) UnmarshalBinary(b []byte) error {
	return unmarshalFloats("released/1", b, &s.rho, &s.alpha)
}

func marshalFloats(layout string, vs ...float64) []byte {
	w := wire.NewWriter(layout)
	for _, v := range vs {
		w.Float(v)
	}
	return w.Seal()
}

func unmarshalFloats(layout string, b []byte, vs ...*float64) error {
	r := wire.NewReader(layout, b)
	for _, v := range vs {
		*v = r.Float()
	}
	return r.Close()
}
