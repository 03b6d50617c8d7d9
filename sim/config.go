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
	// Edges, where it is not 0, is the exact number of edges of an ER graph, all graphs with as many along the order
	// equally likely. Degree is not used then.
	Edges int
	// CausalOrder makes the numbers of the nodes a causal order, as in the paper's released
	// code. Otherwise the order is random, as in its text.
	CausalOrder bool

	Mechanism Mechanism // what a node is made of its parents by

	WeightLow, WeightHigh float64 // weights of Linear are uniform on ±[WeightLow, WeightHigh]
	WeightScale           float64 // times this

	Design Design // how effects and noise are laid out over the graph

	Noise         NoiseKind
	SDLow, SDHigh float64 // a node's noise has standard deviation uniform on [SDLow, SDHigh]
	// Variance, where it is not zero, takes the place of SDLow and SDHigh: the noise has a variance that is uniform on the
	// range. RootVariance does the same for nodes without parents.
	Variance, RootVariance Range

	LevelsLow, LevelsHigh int     // numbers of levels of Discrete and Mixed are uniform on these, both included
	Concentration         float64 // rows of the tables of Discrete are Dirichlet with this parameter

	// Interventions is the number of settings with targets of their own; 0 is none. Regimes is the number of
	// environments, in each of which but the first RegimeChanges nodes have another mechanism; 0 is none.
	Interventions    int
	Intervention     InterventionKind
	InterventionSize int     // targets of a setting
	InterventionMean float64 // mean of a number under a hard intervention, and of one without parents under a soft one
	Observational    float64 // share of the rows without an intervention
	Regimes          int
	RegimeChanges    int

	// Standardize makes each column of numbers of a sample have mean 0 and variance 1 (dividing by
	// n), as the paper's text says and its released code does not.
	Standardize bool

	Seed uint64
}

// A Range is from Low to High; its zero value stands for none.
type Range struct{ Low, High float64 }

// Given reports whether there is a range.
func (r Range) Given() bool { return r != Range{} }

// at returns the place u of the way from Low to High.
func (r Range) at(u float64) float64 { return r.Low + (r.High-r.Low)*u }

// Default returns the paper's model: 100 nodes, Erdős–Rényi with expected degree 4, weights
// on ±[0.5, 2], standard normal noise, raw columns, no interventions.
func Default() Config {
	return Config{
		Nodes: 100, Graph: ER, Degree: 4,
		WeightLow: 0.5, WeightHigh: 2, WeightScale: 1,
		Noise: Gaussian, SDLow: 1, SDHigh: 1,
		LevelsLow: 2, LevelsHigh: 5, Concentration: 1,
		InterventionSize: 1, InterventionMean: 2, RegimeChanges: 1,
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
	if c.Nodes >= 2 && c.Edges == 0 {
		fault(!(c.Degree > float64(c.Nodes-1)), "Degree = %v with %d nodes, want at most %d: a node has no more neighbours", c.Degree, c.Nodes, c.Nodes-1)
	}
	fault(c.WeightLow >= 0 && c.WeightHigh >= c.WeightLow && finite(c.WeightHigh), "weights on ±[%v, %v], want 0 <= low <= high", c.WeightLow, c.WeightHigh)
	fault(finite(c.WeightScale) && c.WeightScale != 0, "WeightScale = %v, want a finite number other than 0", c.WeightScale)
	fault(c.WeightHigh != 0, "WeightHigh = 0, want > 0: an edge of weight 0 is no edge")
	fault(c.Design.valid(), "Design = %v, want one of %v", c.Design, designNames)
	fault(c.Noise.valid(), "Noise = %v, want one of %v", c.Noise, noiseNames)
	fault(c.SDLow > 0 && c.SDHigh >= c.SDLow && finite(c.SDHigh), "standard deviations on [%v, %v], want 0 < low <= high", c.SDLow, c.SDHigh)
	fault(c.Mechanism.valid(), "Mechanism = %v, want one of %v", c.Mechanism, mechanismNames)
	fault(c.Design == Plain || c.Mechanism == Linear, "Design = %v with Mechanism = %v: designs lay out the weights of linear effects", c.Design, c.Mechanism)
	pairs := c.Nodes * (c.Nodes - 1) / 2
	fault(c.Edges >= 0 && (c.Nodes < 2 || c.Edges <= pairs), "Edges = %d with %d nodes, want 0 to %d", c.Edges, c.Nodes, pairs)
	fault(c.Edges == 0 || c.Graph == ER, "Edges = %d with Graph = %v: only er has an exact number of edges", c.Edges, c.Graph)
	for _, r := range []struct {
		name string
		Range
	}{{"Variance", c.Variance}, {"RootVariance", c.RootVariance}} {
		fault(!r.Given() || r.Low > 0 && r.High >= r.Low && finite(r.High), "%s on [%v, %v], want 0 < low <= high", r.name, r.Low, r.High)
	}
	fault(c.LevelsLow >= 2 && c.LevelsHigh >= c.LevelsLow && c.LevelsHigh <= mostLevels, "levels from %d to %d, want 2 <= low <= high <= %d", c.LevelsLow, c.LevelsHigh, mostLevels)
	fault(c.Concentration > 0 && finite(c.Concentration), "Concentration = %v, want > 0", c.Concentration)
	errs = append(errs, c.settingFaults()...)
	return errors.Join(errs...)
}

func finite(v float64) bool { return v-v == 0 }
