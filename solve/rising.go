package solve

import (
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/wire"
)

// Rising is a penalty method: it minimizes score + penalty + μh for a μ that rises geometrically, stage after stage, each
// from where the last one ended and with the optimizer's memory kept. Rising slowly from a μ that hardly
// matters lets the score decide the directions before the constraint closes in.
type Rising struct {
	RisingSettings

	stage, since int
}

// RisingSettings say how far μ rises, and how fast.
type RisingSettings struct {
	First, Last float64 // μ of the first and of the last stage
	Stages      int
	StageSteps  int // most steps of one stage
}

// Validate reports every fault at once.
func (s RisingSettings) Validate() error {
	var errs []error
	if !(s.First > 0) || !(s.Last >= s.First) || math.IsInf(s.Last, 0) {
		errs = append(errs, fmt.Errorf("μ rises from %v to %v, want 0 < first ≤ last", s.First, s.Last))
	}
	if s.Stages < 1 {
		errs = append(errs, fmt.Errorf("setting Stages = %d, want at least 1", s.Stages))
	}
	if s.StageSteps < 1 {
		errs = append(errs, fmt.Errorf("StageSteps = %d, want at least 1", s.StageSteps))
	}
	return errors.Join(errs...)
}

// NewRising starts at the first stage.
func NewRising(s RisingSettings) *Rising { return &Rising{RisingSettings: s} }

// Steps is the most steps that all stages together can take.
func (p *Rising) Steps() int { return p.Stages * p.StageSteps }

// mu returns the weight of h in the current stage.
func (p *Rising) mu() float64 {
	if p.Stages == 1 {
		return p.Last
	}
	t := float64(min(p.stage, p.Stages-1)) / float64(p.Stages-1)
	return p.First * math.Pow(p.Last/p.First, t)
}

// Next moves on to the next stage when the current one has used its steps or stands still.
func (p *Rising) Next(pt Point) Move {
	if p.since == p.StageSteps || pt.Still {
		p.stage, p.since = p.stage+1, 0
	}
	p.since++
	mu := p.mu()
	return Move{ScoreWeight: 1, HWeight: mu, Rho: mu, Done: p.stage >= p.Stages}
}

// Ahead knows the rest of the stage.
func (p *Rising) Ahead(int) (int, Weights) {
	return p.StageSteps - p.since, Weights{Score: 1, A: p.mu()}
}

// AtLimit is Completed: the number of stages is fixed.
func (p *Rising) AtLimit() Status { return Completed }

// MarshalBinary encodes the stage and the steps taken in it.
func (p *Rising) MarshalBinary() ([]byte, error) {
	w := wire.NewWriter("rising/1")
	w.Int(p.stage)
	w.Int(p.since)
	return w.Seal(), nil
}

// UnmarshalBinary puts back what MarshalBinary encoded.
func (p *Rising) UnmarshalBinary(b []byte) error {
	r := wire.NewReader("rising/1", b)
	p.stage, p.since = r.Int(), r.Int()
	return r.Close()
}
