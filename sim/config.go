package sim

import (
	"errors"
	"fmt"
)

// Config describes a random model. Start from Default.
type Config struct {
	Nodes  int
	Graph  GraphKind
	Degree float64 // expected number of edges at a node, in and out together
	// CausalOrder makes the numbers of the nodes a causal order, as in the paper's released
	// code. Otherwise the order is random, as in its text.
	CausalOrder bool

	WeightLow, WeightHigh float64 // weights are uniform on ±[WeightLow, WeightHigh]
	WeightScale           float64 // times this

	Design Design // how effects and noise are laid out over the graph

	Noise         NoiseKind
	SDLow, SDHigh float64 // a node's noise has standard deviation uniform on [SDLow, SDHigh]

	// Standardize makes each column of a sample have mean 0 and variance 1 (dividing by
	// n), as the paper's text says and its released code does not.
	Standardize bool

	Seed uint64
}

// Default returns the paper's model: 100 nodes, Erdős–Rényi with expected degree 4, weights
// on ±[0.5, 2], standard normal noise, raw columns.
func Default() Config {
	return Config{
		Nodes: 100, Graph: ER, Degree: 4,
		WeightLow: 0.5, WeightHigh: 2, WeightScale: 1,
		Noise: Gaussian, SDLow: 1, SDHigh: 1,
	}
}

// Validate reports every fault of the configuration.
func (c Config) Validate() error {
	var errs []error
	fault := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	fault(c.Nodes >= 2, "Nodes = %d, want at least 2", c.Nodes)
	fault(c.Graph.valid(), "Graph = %v, want one of %v", c.Graph, graphNames)
	fault(c.Degree >= 0, "Degree = %v, want >= 0", c.Degree)
	if c.Nodes >= 2 {
		fault(!(c.Degree > float64(c.Nodes-1)), "Degree = %v with %d nodes, want at most %d: a node has no more neighbours", c.Degree, c.Nodes, c.Nodes-1)
	}
	fault(c.WeightLow >= 0 && c.WeightHigh >= c.WeightLow && finite(c.WeightHigh), "weights on ±[%v, %v], want 0 <= low <= high", c.WeightLow, c.WeightHigh)
	fault(finite(c.WeightScale) && c.WeightScale != 0, "WeightScale = %v, want a finite number other than 0", c.WeightScale)
	fault(c.WeightHigh != 0, "WeightHigh = 0, want > 0: an edge of weight 0 is no edge")
	fault(c.Design.valid(), "Design = %v, want one of %v", c.Design, designNames)
	fault(c.Noise.valid(), "Noise = %v, want one of %v", c.Noise, noiseNames)
	fault(c.SDLow > 0 && c.SDHigh >= c.SDLow && finite(c.SDHigh), "standard deviations on [%v, %v], want 0 < low <= high", c.SDLow, c.SDHigh)
	return errors.Join(errs...)
}

func finite(v float64) bool { return v-v == 0 }
