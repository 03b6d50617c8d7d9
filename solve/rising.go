package solve

import (
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/wire"
)

// Rising is a penalty method: it minimizes score + penalty + μh for a geometrically increasing μ. Each stage
// starts at the end of the previous one and keeps the optimizer state. With a small first μ and slow growth,
// the score determines the directions before the constraint dominates.
type Rising struct {
	RisingSettings

	stage, since int
}

// RisingSettings define the sequence of μ.
type RisingSettings struct {
	First, Last float64 // μ of the first and the last stage
	Stages      int
	StageSteps  int // most steps of one stage
}

// positive returns an error unless the setting is at least 1.
func positive(name string, n int) error {
	if n < 1 {
		return fmt.Errorf("%s = %d, want at least 1", name, n)
	}
	return nil
}

// Validate returns an error that names every invalid setting.
func (s RisingSettings) Validate() error {
	errs := []error{nil, positive("setting Stages", s.Stages), positive("StageSteps", s.StageSteps)}
	if !(s.First > 0) || !(s.Last >= s.First) || math.IsInf(s.Last, 0) {
		errs[0] = fmt.Errorf("μ rises from %v to %v, want 0 < first ≤ last", s.First, s.Last)
	}
	return errors.Join(errs...)
}

// NewRising returns a Rising at its first stage.
func NewRising(s RisingSettings) *Rising { return &Rising{RisingSettings: s} }

// Steps returns the largest number of steps of all stages together.
func (p *Rising) Steps() int { return p.Stages * p.StageSteps }

// mu returns the weight of h in the current stage.
func (p *Rising) mu() float64 {
	if p.Stages == 1 {
		return p.Last
	}
	t := float64(min(p.stage, p.Stages-1)) / float64(p.Stages-1)
	return p.First * math.Pow(p.Last/p.First, t)
}

// Next starts the next stage when the current one has used its steps or no longer moves.
func (p *Rising) Next(pt Point) Move {
	if p.since == p.StageSteps || pt.Still {
		p.stage, p.since = p.stage+1, 0
	}
	p.since++
	mu := p.mu()
	return Move{ScoreWeight: 1, HWeight: mu, Rho: mu, Done: p.stage >= p.Stages}
}

// Ahead covers the rest of the stage.
func (p *Rising) Ahead(int) (int, Weights) {
	return p.StageSteps - p.since, Weights{Score: 1, A: p.mu()}
}

// AtLimit returns Completed, because the number of stages is fixed.
func (p *Rising) AtLimit() Status { return Completed }

// MarshalBinary encodes the stage and its step count.
func (p *Rising) MarshalBinary() ([]byte, error) {
	return wire.Marshal("rising/1", &p.stage, &p.since)
}

// UnmarshalBinary restores the state that MarshalBinary encoded.
func (p *Rising) UnmarshalBinary(b []byte) error {
	return wire.Unmarshal("rising/1", b, &p.stage, &p.since)
}
