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
	// Window is over how many of the last steps the objective is averaged for a look; 0 means 1, and more than Every means Every. Adam
	// moves to and fro around a kink, and in float32 one value has a rounding error: both hide that nothing is gained any more. What is
	// left of it in a mean is as often a rise as a fall, and so a mean has settled where it fell by at most Tol, a rise included.
	Window int

	since  int
	before float64
	sum    float64 // of the objective, over the steps of the next look that are past
}

// NewSettling starts before the first step.
func NewSettling(weight float64, every int, tol float64) *Settling {
	return &Settling{Weight: weight, Every: every, Tol: tol, before: math.Inf(1)}
}

// Next has the same weights at every point.
func (s *Settling) Next(p Point) Move {
	m := Move{ScoreWeight: 1, HWeight: s.Weight, Rho: s.Weight, Done: p.Still}
	if window := min(max(s.Window, 1), s.Every); s.since > 0 {
		if to := s.Every - 1 - (s.since-1)%s.Every; to < window { // steps to the next look
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

// MarshalBinary encodes the steps taken, the objective at the last look and what is summed for the next.
func (s *Settling) MarshalBinary() ([]byte, error) {
	w := wire.NewWriter("settling/2")
	w.Int(s.since)
	w.Float(s.before)
	w.Float(s.sum)
	return w.Seal(), nil
}

// UnmarshalBinary puts back what MarshalBinary encoded.
func (s *Settling) UnmarshalBinary(b []byte) error {
	r := wire.NewReader("settling/2", b)
	s.since, s.before, s.sum = r.Int(), r.Float(), r.Float()
	return r.Close()
}
