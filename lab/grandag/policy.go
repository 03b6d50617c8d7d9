package grandag

import (
	"context"
	"math"

	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/lab/tape"
)

// These are the constants of the authors' program.
const (
	window    = 100  // steps between evaluations of the held-out rows
	clamp     = 1e-4 // an edge at or below this is removed permanently
	flat      = 1e-4 // change of the objective over a window below which a solve ends
	slowly    = 0.9  // ρ grows if h does not fall below this share of its previous value
	firstRho  = 1e-3
	growth    = 10.0
	heldEvery = 5 // one row in this many is held out
)

// policy is the augmented Lagrangian of the authors' program. A solve ends after two windows in which the
// held-out objective changed monotonically and by little. Then α ← α + ρh, ρ grows if h has not fallen enough,
// and the optimizer restarts. After each step, edges at or below the clamp are removed. The training ends at h
// ≤ HTol, but not before the first solve has ended, because h is always 0 if knowledge rules out every cycle.
type policy struct {
	model model
	held  *network.Sum
	rows  float64
	edges *tape.Node
	hTol  float64
	rate  float64
}

// These are the indices of Training.Memory.
const (
	before = iota // the objective two windows ago
	half          // the objective one window ago
	lastH         // h at the last change of α
	solved        // 1 after the first solve
	memory
)

func newMemory() []float64 {
	m := make([]float64, memory)
	m[before], m[half], m[lastH] = math.Inf(1), math.Inf(1), math.Inf(1)
	return m
}

// AfterStep evaluates the held-out rows at the end of each window.
func (p *policy) AfterStep(ctx context.Context, t *network.Training) (over bool, err error) {
	p.clamp(t)
	if t.Now <= p.hTol && t.Memory[solved] > 0 {
		return true, nil
	}
	if t.Step%window != 0 {
		return false, nil
	}
	nll, err := p.held.Eval(ctx, nil, t.Theta)
	if err != nil {
		if ctx.Err() == nil {
			err = nil // rows outside the domain of the network; the next step is undone
		}
		return false, err
	}
	now := nll/p.rows + t.Alpha*t.Now + t.Rho/2*t.Now*t.Now
	if t.Step%(2*window) != 0 {
		t.Memory[half] = now
		return false, nil
	}
	was, middle := t.Memory[before], t.Memory[half]
	t.Memory[before] = now
	if !network.Settled(was, middle, now, window, flat) {
		return false, nil
	}
	if t.Memory[solved] = 1; t.Now <= p.hTol {
		return true, nil
	}
	t.Alpha += t.Rho * t.Now
	if t.Now > slowly*t.Memory[lastH] {
		t.Rho *= growth
	}
	t.Memory[lastH] = t.Now
	t.Memory[before] = nll/p.rows + t.Alpha*t.Now + t.Rho/2*t.Now*t.Now
	t.Rate = p.rate
	t.Optimizer.Reset()
	return false, nil
}

// AfterPass does nothing, because this policy counts steps and not passes.
func (p *policy) AfterPass(context.Context, *network.Training) (bool, error) { return false, nil }

// clamp removes edges that have become too weak, according to the last evaluation.
func (p *policy) clamp(t *network.Training) {
	d, m := p.model.columns, p.model.hidden
	for e, v := range p.edges.Value.Data[:d*d] {
		if v > clamp || t.Zero[e*m] {
			continue
		}
		for k := e * m; k < (e+1)*m; k++ {
			t.Zero[k], t.Theta[k] = true, 0
		}
	}
}
