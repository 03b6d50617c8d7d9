package network

import (
	"context"
	"math"
)

// A Lagrangian is the augmented Lagrangian of the program of DAG-GNN as a Policy. After a number of passes over the rows, ρ grows
// tenfold if h has not fallen to a quarter, and otherwise α ← α + ρh. It ends at h ≤ HTol or ρ = 10²⁰. Training.Memory
// begins as its Memory.
type Lagrangian struct {
	Passes int
	HTol   float64
	Rate   func(rho float64) float64 // learning rate; nil leaves it as it is
}

// These are the indices of Training.Memory.
const (
	passes = iota // passes since the last change of α or ρ
	lastH         // h at the last change of α
	memory
)

// Memory returns the state at the start.
func (p *Lagrangian) Memory() []float64 {
	m := make([]float64, memory)
	m[lastH] = math.Inf(1)
	return m
}

// AfterStep does nothing, because weights change after whole passes.
func (p *Lagrangian) AfterStep(context.Context, *Training) (bool, error) { return false, nil }

// AfterPass changes α or ρ at the end of a solve.
func (p *Lagrangian) AfterPass(_ context.Context, t *Training) (over bool, err error) {
	if t.Memory[passes]++; int(t.Memory[passes]) < p.Passes {
		return false, nil
	}
	t.Memory[passes] = 0
	h, err := t.Constrained()
	if err != nil {
		return false, nil // the next step will be undone
	}
	if h <= p.HTol {
		return true, nil
	}
	if h > 0.25*t.Memory[lastH] {
		t.Rho *= 10
	} else {
		t.Alpha += t.Rho * h
		t.Memory[lastH] = h
	}
	if p.Rate != nil {
		t.Rate = p.Rate(t.Rho)
	}
	return t.Rho >= 1e20, nil
}
