package solve

import (
	"math"

	"github.com/polydag/polydag/internal/wire"
)

// Constant minimizes score + penalty + Weight·h with a constant weight, until the descent no longer moves or
// the steps run out. Problems without a constraint use it too, and then Weight has no effect. One example is
// GOLEM (Ng, Ghassami and Zhang 2020).
type Constant struct{ Weight float64 }

// Next returns the same weights at every point.
func (c Constant) Next(p Point) Move {
	return Move{ScoreWeight: 1, HWeight: c.Weight, Rho: c.Weight, Done: p.Still}
}

// Ahead covers all steps, because the weights never change.
func (c Constant) Ahead(int) (int, Weights) { return math.MaxInt32, Weights{Score: 1, A: c.Weight} }

// AtLimit returns Completed: descents such as Adam always take all their steps.
func (c Constant) AtLimit() Status { return Completed }

// MarshalBinary encodes an empty state, because the weights never change.
func (c Constant) MarshalBinary() ([]byte, error) { return wire.Marshal("constant/1") }

// UnmarshalBinary checks that b is the state of a Constant.
func (c Constant) UnmarshalBinary(b []byte) error { return wire.Unmarshal("constant/1", b) }
