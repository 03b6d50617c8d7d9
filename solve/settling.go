package solve

import (
	"math"

	"github.com/polydag/polydag/internal/wire"
)

// Settling is Constant with an end: it minimizes score + penalty + Weight·h until the objective has changed by at most Tol times
// its value over Every steps, until the descent stands still, or until the steps run out. GOLEM (Ng, Ghassami and Zhang
// 2020) uses such a soft constraint with a fixed number of steps, which is Tol = 0.
type Settling struct {
	Weight float64
	Every  int // steps between two looks at the objective, at least 1
	Tol    float64

	since  int
	before float64
}

// NewSettling starts before the first step.
func NewSettling(weight float64, every int, tol float64) *Settling {
	return &Settling{Weight: weight, Every: every, Tol: tol, before: math.Inf(1)}
}

// Next has the same weights at every point.
func (s *Settling) Next(p Point) Move {
	m := Move{ScoreWeight: 1, HWeight: s.Weight, Rho: s.Weight, Done: p.Still}
	if s.since > 0 && s.since%s.Every == 0 {
		now := p.Score + p.Penalty + s.Weight*p.H
		m.Done = m.Done || s.Tol > 0 && math.Abs(s.before-now) <= s.Tol*max(math.Abs(now), 1)
		s.before = now
	}
	s.since++
	return m
}

// Ahead knows the steps before the next look at the objective, or all where none ends the run.
func (s *Settling) Ahead(int) (int, Weights) {
	w := Weights{Score: 1, A: s.Weight}
	if s.Tol == 0 {
		return math.MaxInt32, w
	}
	return (s.Every - s.since%s.Every) % s.Every, w
}

// AtLimit is Completed: a run of a fixed length is what the published method has.
func (s *Settling) AtLimit() Status { return Completed }

// MarshalBinary encodes the steps taken and the objective at the last look.
func (s *Settling) MarshalBinary() ([]byte, error) {
	w := wire.NewWriter("settling/1")
	w.Int(s.since)
	w.Float(s.before)
	return w.Seal(), nil
}

// UnmarshalBinary puts back what MarshalBinary encoded.
func (s *Settling) UnmarshalBinary(b []byte) error {
	r := wire.NewReader("settling/1", b)
	s.since, s.before = r.Int(), r.Float()
	return r.Close()
}
