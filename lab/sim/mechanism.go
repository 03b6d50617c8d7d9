package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// A Mechanism is a family of functions that compute a node from its parents. Its text form is its name in lower case.
type Mechanism int

const (
	// Linear is a weighted sum of the parents plus noise.
	Linear Mechanism = iota
	// Additive is a sum of functions of one parent each, drawn from a Gaussian process, plus noise (Bühlmann, Peters and Ernest
	// 2014).
	Additive
	// Joint is one function of all parents, drawn from a Gaussian process, plus noise.
	Joint
	// MLP is a neural network with one hidden sigmoid layer, plus noise (Zheng et al. 2020).
	MLP
	// Discrete makes every node categorical, with a separate distribution for each configuration of its parents.
	Discrete
	// Mixed makes half of the nodes categorical, by a multinomial logit, and half numeric with an effect of each category plus
	// noise.
	Mixed
	// Logit makes every node categorical, with additive effects of its parents in a multinomial logit.
	Logit
	// Ordinal makes every node an ordered category 0, 1, …, with linear effects of its parents in a cumulative logit.
	Ordinal
)

var mechanismNames = []string{"linear", "additive", "joint", "mlp", "discrete", "mixed", "logit", "ordinal"}

// MechanismNames lists the text forms.
func MechanismNames() []string { return slices.Clone(mechanismNames) }

// String returns the text form.
func (k Mechanism) String() string { return nameOf(k, "Mechanism", mechanismNames) }

// MarshalText implements encoding.TextMarshaler.
func (k Mechanism) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *Mechanism) UnmarshalText(text []byte) error {
	return parse(k, mechanismNames, text, fmt.Errorf("mechanism %q, want one of %v", text, mechanismNames))
}

// An equation computes one node from the values of its parents in a row and noise: with variance 1 for a numeric node, uniform on
// [0, 1) for a categorical node with codes 0, 1, …. It is immutable and may be shared.
type equation interface {
	value(row []float64, noise float64) float64
}

// equation draws the equation of node v from a seed.
func (m *Model) equation(v int, seed uint64) equation {
	rng := Stream(sub(seed, uint64(v)), streamMechanism)
	parents, sd := m.parents[v], m.sd[v]
	switch m.cfg.Mechanism {
	case Additive:
		e := curve{sd: sd}
		for _, p := range parents {
			e.functions = append(e.functions, drawProcess([]int{p}, rng))
		}
		return e
	case Joint:
		e := curve{sd: sd}
		if len(parents) > 0 {
			e.functions = []process{drawProcess(parents, rng)}
		}
		return e
	case MLP:
		return drawPerceptron(parents, sd, rng)
	case Discrete:
		return newTable(parents, m.levels, m.levels[v], m.cfg.Concentration, sub(seed, uint64(v)))
	case Mixed:
		return m.drawPredictor(v, rng)
	case Logit:
		return m.drawLogit(v, rng)
	case Ordinal:
		return m.drawCumulative(v, rng)
	}
	weights := make([]float64, len(parents))
	for k := range weights {
		weights[k] = drawWeight(m.cfg, rng)
	}
	return line{parents, weights, sd}
}

// A line is Σ weight·parent + sd·noise.
type line struct {
	parents []int
	weights []float64
	sd      float64
}

func (l line) value(row []float64, noise float64) float64 {
	v := l.sd * noise
	for k, i := range l.parents {
		v += l.weights[k] * row[i]
	}
	return v
}

func (m *Model) noiseOf(v int, rng *rand.Rand) float64 {
	if m.levels[v] > 0 {
		return rng.Float64()
	}
	return m.cfg.Noise.draw(rng)
}
