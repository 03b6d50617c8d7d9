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
)

var noiseNames = []string{"gaussian", "exponential", "gumbel", "uniform", "laplace"}

func (k NoiseKind) valid() bool { return k >= 0 && int(k) < len(noiseNames) }

// String returns the text form.
func (k NoiseKind) String() string {
	if !k.valid() {
		return fmt.Sprintf("NoiseKind(%d)", int(k))
	}
	return noiseNames[k]
}

// MarshalText implements encoding.TextMarshaler.
func (k NoiseKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *NoiseKind) UnmarshalText(text []byte) error {
	i := slices.Index(noiseNames, string(text))
	if i < 0 {
		return fmt.Errorf("noise %q, want one of %v", text, noiseNames)
	}
	*k = NoiseKind(i)
	return nil
}

// eulerGamma is the mean of the standard Gumbel distribution; its variance is π²/6.
const eulerGamma = 0.57721566490153286060651209008240243104215933593992

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
	default:
		return rng.NormFloat64()
	}
}

// drawScales returns a standard deviation for each node.
func drawScales(cfg Config, rng *rand.Rand) []float64 {
	sd := make([]float64, cfg.Nodes)
	for j := range sd {
		sd[j] = cfg.SDLow + (cfg.SDHigh-cfg.SDLow)*rng.Float64()
	}
	return sd
}
