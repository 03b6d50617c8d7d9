package solve

import (
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/wire"
)

// Path is a penalty path: it minimizes score + penalty + μh for a μ that rises geometrically, stage after stage, each
// from where the last one ended and with the optimizer's memory kept. Rising slowly from a μ that hardly
// matters lets the score decide the directions before the constraint closes in.
type Path struct {
	PathSettings

	stage, since int
}

// PathSettings describe a path.
type PathSettings struct {
	First, Last float64 // μ of the first and of the last stage
	Stages      int
	StageSteps  int // most steps of one stage
}

// Validate reports every fault at once.
func (s PathSettings) Validate() error {
	var errs []error
	if !(s.First > 0) || !(s.Last >= s.First) || math.IsInf(s.Last, 0) {
		errs = append(errs, fmt.Errorf("solve: path from μ = %v to %v, want 0 < first ≤ last", s.First, s.Last))
	}
	if s.Stages < 1 {
		errs = append(errs, fmt.Errorf("solve: Stages = %d, want at least 1", s.Stages))
	}
	if s.StageSteps < 1 {
		errs = append(errs, fmt.Errorf("solve: StageSteps = %d, want at least 1", s.StageSteps))
	}
	return errors.Join(errs...)
}

// NewPath starts at the first stage.
func NewPath(s PathSettings) *Path { return &Path{PathSettings: s} }

// Steps is the most steps that the path can take.
func (p *Path) Steps() int { return p.Stages * p.StageSteps }

// mu returns the weight of h in the current stage.
func (p *Path) mu() float64 {
	if p.Stages == 1 {
		return p.Last
	}
	t := float64(min(p.stage, p.Stages-1)) / float64(p.Stages-1)
	return p.First * math.Pow(p.Last/p.First, t)
}

// Next moves on to the next stage when the current one has used its steps.
func (p *Path) Next(pt Point) Move {
	if p.since == p.StageSteps {
		p.stage, p.since = p.stage+1, 0
	}
	p.since++
	mu := p.mu()
	return Move{Weight: mu, Rho: mu, Done: p.stage >= p.Stages}
}

// AtLimit is Completed: a path has a fixed length.
func (p *Path) AtLimit() Status { return Completed }

// MarshalBinary encodes the stage and the steps taken in it.
func (p *Path) MarshalBinary() ([]byte, error) {
	w := wire.NewWriter("path/1")
	w.Int(p.stage)
	w.Int(p.since)
	return w.Seal(), nil
}

// UnmarshalBinary puts back what MarshalBinary encoded.
func (p *Path) UnmarshalBinary(b []byte) error {
	r := wire.NewReader("path/1", b)
	p.stage, p.since = r.Int(), r.Int()
	return r.Close()
}
