package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// A Mechanism is a family of functions that make a node of its parents. Its text form is its name in lower case.
type Mechanism int

const (
	// Linear is a weighted sum of the parents, and noise.
	Linear Mechanism = iota
	// Additive is a sum of functions of one parent each, drawn from a Gaussian process, and noise (Bühlmann, Peters
	// and Ernest 2014).
	Additive
	// Joint is one function of all parents, drawn from a Gaussian process, and noise.
	Joint
	// MLP is a network with one hidden layer of sigmoids, and noise (Zheng et al. 2020).
	MLP
	// Discrete makes every node one of a few levels, with a distribution of its own for each combination of levels of
	// its parents.
	Discrete
	// Mixed makes half of the nodes levels, by a multinomial logit, and half numbers with an effect of each level
	// and noise.
	Mixed
)

var mechanismNames = []string{"linear", "additive", "joint", "mlp", "discrete", "mixed"}

// MechanismNames lists the text forms.
func MechanismNames() []string { return slices.Clone(mechanismNames) }

func (k Mechanism) valid() bool { return k >= 0 && int(k) < len(mechanismNames) }

// String returns the text form.
func (k Mechanism) String() string {
	if !k.valid() {
		return fmt.Sprintf("Mechanism(%d)", int(k))
	}
	return mechanismNames[k]
}

// MarshalText implements encoding.TextMarshaler.
func (k Mechanism) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *Mechanism) UnmarshalText(text []byte) error {
	i := slices.Index(mechanismNames, string(text))
	if i < 0 {
		return fmt.Errorf("mechanism %q, want one of %v", text, mechanismNames)
	}
	*k = Mechanism(i)
	return nil
}

// An equation makes one node. It reads the values of the parents from a row, and noise: of variance 1 where the node
// is a number, uniform on [0, 1) where it has levels, which are 0, 1, …. It does not change and may be shared.
type equation interface {
	value(row []float64, noise float64) float64
}

// equation draws that of node v from a seed; other seeds give other mechanisms of the same family.
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
