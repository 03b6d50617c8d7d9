package network

import (
	"math"

	"github.com/polydag/polydag/internal/vec"
)

// An Optimizer is Adam (Kingma and Ba 2015) or, with Plain, RMSprop (Tieleman and Hinton 2012):
//
//	v ← β₂v + (1-β₂)g²,   θ ← θ - rate·g/(√v + ε),
//
// which is Adam with β₁ = 0 and without bias correction. Constants are those of PyTorch.
type Optimizer struct {
	Beta1, Beta2 float64
	Plain        bool

	t    int
	m, v []float64
}

// Adam returns Adam with β₁ = 0.9 and β₂ = 0.999.
func Adam() *Optimizer { return &Optimizer{Beta1: 0.9, Beta2: 0.999} }

// RMSprop returns RMSprop with β₂ = 0.99.
func RMSprop() *Optimizer { return &Optimizer{Beta2: 0.99, Plain: true} }

// RMSpropStep returns the step of RMSprop for vec.Adam, whose first moment it does not use.
func RMSpropStep(rate float64) vec.AdamParams {
	return vec.AdamParams{Rate: rate, Beta2: 0.99, Eps: 1e-8, Corr1: 1, Corr2: 1}
}

// Reset clears the moments and the step count.
func (o *Optimizer) Reset() {
	o.t = 0
	clear(o.m)
	clear(o.v)
}

// Step moves theta by one step against the gradient.
func (o *Optimizer) Step(theta, grad []float64, rate float64) {
	if len(o.m) != len(theta) {
		o.m, o.v = make([]float64, len(theta)), make([]float64, len(theta))
	}
	o.t++
	p := vec.AdamParams{Rate: rate, Beta1: o.Beta1, Beta2: o.Beta2, Eps: 1e-8, Corr1: 1, Corr2: 1}
	if !o.Plain {
		p.Corr1, p.Corr2 = 1-math.Pow(o.Beta1, float64(o.t)), 1-math.Pow(o.Beta2, float64(o.t))
	}
	vec.Adam(theta, grad, o.m, o.v, p)
}

// Fields has the moments and the step count, for an optimizer with at most the given number of parameters.
func (o *Optimizer) Fields(c *Codec, parameters int) {
	c.Int(&o.t)
	if n := c.Count(len(o.m), parameters); len(o.m) != n {
		o.m, o.v = make([]float64, n), make([]float64, n)
	}
	Floats(c, o.m, o.v)
}
