package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// A NoiseKind is a distribution, centred and scaled to variance 1. Its text form is its
// name in lower case.
type NoiseKind int

// The distributions.
const (
	Gaussian NoiseKind = iota
	Exponential
	Gumbel
	Uniform
	Laplace
	Student // with 5 degrees of freedom: the least whole number at which the kurtosis, 9, is finite
)

var noiseNames = []string{"gaussian", "exponential", "gumbel", "uniform", "laplace", "student"}

// NoiseNames lists the text forms.
func NoiseNames() []string { return slices.Clone(noiseNames) }

// String returns the text form.
func (k NoiseKind) String() string { return nameOf(k, "NoiseKind", noiseNames) }

// MarshalText implements encoding.TextMarshaler.
func (k NoiseKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *NoiseKind) UnmarshalText(text []byte) error {
	return parse(k, noiseNames, text, fmt.Errorf("noise %q, want one of %v", text, noiseNames))
}

// eulerGamma is the mean of the standard Gumbel distribution; its variance is π²/6.
const eulerGamma = 0.57721566490153286060651209008240243104215933593992

const studentFreedom = 5

// draw returns one value with mean 0 and variance 1.
func (k NoiseKind) draw(rng *rand.Rand) float64 {
	switch k {
	case Exponential:
		return rng.ExpFloat64() - 1
	case Gumbel:
		return (-math.Log(rng.ExpFloat64()) - eulerGamma) * (math.Sqrt(6) / math.Pi)
	case Uniform:
		return (2*rng.Float64() - 1) * math.Sqrt(3)
	case Laplace:
		v := rng.ExpFloat64() / math.Sqrt2
		if rng.Uint64()>>63 == 1 {
			v = -v
		}
		return v
	case Student:
		v, square := rng.NormFloat64(), 0.0
		for range studentFreedom {
			z := rng.NormFloat64()
			square += z * z
		}
		return v * math.Sqrt((studentFreedom-2)/square)
	default:
		return rng.NormFloat64()
	}
}

func drawScales(cfg Settings, parents [][]int, rng *rand.Rand) []float64 {
	sd := make([]float64, cfg.Nodes)
	for j := range sd {
		u := rng.Float64()
		switch {
		case cfg.RootVariance.Given() && len(parents[j]) == 0:
			sd[j] = math.Sqrt(cfg.RootVariance.at(u))
		case cfg.Variance.Given():
			sd[j] = math.Sqrt(cfg.Variance.at(u))
		default:
			sd[j] = Range{cfg.SDLow, cfg.SDHigh}.at(u)
		}
	}
	return sd
}
