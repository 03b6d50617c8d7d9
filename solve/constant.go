package solve

import (
	"math"

	"github.com/polydag/polydag/internal/wire"
)

// Constant minimizes score + penalty + Weight·h with one weight throughout, until the descent stands still or the steps
// run out. A problem without a constraint, as GOLEM's (Ng, Ghassami and Zhang 2020), needs no other schedule; its Weight
// has no effect.
type Constant struct{ Weight float64 }

// Next is the same at every point.
func (c Constant) Next(p Point) Move {
	return Move{ScoreWeight: 1, HWeight: c.Weight, Rho: c.Weight, Done: p.Still}
}

// Ahead knows everything.
func (c Constant) Ahead(int) (int, Weights) { return math.MaxInt32, Weights{Score: 1, A: c.Weight} }

// AtLimit is Completed: a descent that never stands still, as Adam, is to take all its steps.
func (c Constant) AtLimit() Status { return Completed }

// MarshalBinary encodes that there is nothing to encode.
func (c Constant) MarshalBinary() ([]byte, error) { return wire.NewWriter("constant/1").Seal(), nil }

// UnmarshalBinary checks what MarshalBinary encoded.
func (c Constant) UnmarshalBinary(b []byte) error { return wire.NewReader("constant/1", b).Close() }
