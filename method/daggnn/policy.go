package daggnn

import (
	"context"
	"math"

	"github.com/polydag/polydag/method/internal/network"
)

// policy is the augmented Lagrangian of the authors' program. After a number of passes over the rows, ρ grows
// tenfold if h has not fallen to a quarter, and otherwise α ← α + ρh. It ends at h ≤ HTol or ρ = 10²⁰.
type policy struct {
	passes int
	rate   float64
	hTol   float64
}

// These are the indices of Training.Memory.
const (
	passes = iota // passes since the last change of α or ρ
	lastH         // h at the last change of α
	memory
)

func newMemory() []float64 {
	m := make([]float64, memory)
	m[lastH] = math.Inf(1)
	return m
}

// AfterStep does nothing, because weights change after whole passes.
func (p *policy) AfterStep(context.Context, *network.Training) (bool, error) { return false, nil }

// AfterPass changes α or ρ at the end of a solve.
func (p *policy) AfterPass(_ context.Context, t *network.Training) (over bool, err error) {
	if t.Memory[passes]++; int(t.Memory[passes]) < p.passes {
		return false, nil
	}
	t.Memory[passes] = 0
	h, err := t.Constrained()
	if err != nil {
		return false, nil // the next step will be undone
	}
	if h > 0.25*t.Memory[lastH] {
		t.Rho *= 10
	} else {
		t.Alpha += t.Rho * h
		t.Memory[lastH] = h
	}
	t.Rate = rateAt(p.rate, t.Rho)
	return h <= p.hTol || t.Rho >= 1e20, nil
}

// rateAt decreases with log₁₀ ρ, between 1e-4 and 1e-2, as in the program.
func rateAt(rate, rho float64) float64 {
	return max(1e-4, min(1e-2, rate/(math.Log10(rho)+1e-10)))
}
