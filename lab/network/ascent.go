package network

import (
	"math"

	"github.com/polydag/polydag/solve"
)

// Ascent is the augmented Lagrangian of NOTEARS as in its authors' program. It minimizes
//
//	score + penalty + αh + ρ/2 h²
//
// until the objective falls by less than Tol of its value over Every steps, or the descent no longer moves. If
// h is then above a quarter of its previous value, ρ grows tenfold and the same problem is solved again from
// there. Otherwise α ← α + ρh. It ends at h ≤ HTol or ρ ≥ RhoMax.
type Ascent struct {
	HTol, RhoMax, Tol float64
	Every, Inner      int // steps between checks of the objective, and most steps of one solve

	rho, alpha, h, before float64
	since                 int
}

// NewAscent returns an Ascent with ρ = 1 and α = 0.
func NewAscent(hTol, rhoMax, tol float64, every, inner int) *Ascent {
	return &Ascent{HTol: hTol, RhoMax: rhoMax, Tol: tol, Every: every, Inner: inner, rho: 1, h: math.Inf(1), before: math.Inf(1)}
}

// Next starts the next solve when one is over.
func (a *Ascent) Next(p solve.Point) solve.Move {
	var m solve.Move
	if a.over(p) {
		a.since, a.before = 0, math.Inf(1)
		m.Restart = true
		if p.H > 0.25*a.h {
			a.rho *= 10
		} else {
			a.alpha += a.rho * p.H
			a.h = p.H
		}
		m.Done = p.H <= a.HTol || a.rho >= a.RhoMax
	}
	a.since++
	m.ScoreWeight, m.HWeight, m.Curvature = 1, a.alpha+a.rho*p.H, a.rho
	m.Rho, m.Alpha = a.rho, a.alpha
	return m
}

// over reports whether the solve has ended.
func (a *Ascent) over(p solve.Point) bool {
	if p.Still || a.since == a.Inner {
		return true
	}
	if a.since == 0 || a.since%a.Every != 0 {
		return false
	}
	now, before := p.Score+p.Penalty+a.alpha*p.H+a.rho/2*p.H*p.H, a.before
	a.before = now
	return !math.IsInf(before, 0) && before-now <= a.Tol*max(math.Abs(before), math.Abs(now), 1)
}

// AtLimit returns StepLimit, because h should be zero.
func (a *Ascent) AtLimit() solve.Status { return solve.StepLimit }

// MarshalBinary encodes ρ, α, the last h and the state of the solve.
func (a *Ascent) MarshalBinary() ([]byte, error) { return Encode("ascent/1", a.fields), nil }

// UnmarshalBinary restores the state that MarshalBinary encoded.
func (a *Ascent) UnmarshalBinary(b []byte) error { return Decode("ascent/1", b, a.fields) }

func (a *Ascent) fields(c *Codec) {
	c.Float(&a.rho, &a.alpha, &a.h, &a.before)
	c.Int(&a.since)
}
