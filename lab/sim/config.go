package sim

import (
	"errors"
)

// Settings describes a random model. Start from Default.
type Settings struct {
	Nodes  int
	Graph  GraphKind
	Degree float64 // expected number of edges per node, in and out together
	// Edges, if not 0, is the exact number of edges of an ER graph, and Degree is not used. All such graphs along the order are
	// equally likely.
	Edges int
	// CausalOrder makes the node numbers a causal order, as in the paper's released code. Otherwise the order is random, as in its
	// text.
	CausalOrder bool

	Mechanism Mechanism // family of functions of the parents

	WeightLow, WeightHigh float64 // weights of Linear are uniform on ±[WeightLow, WeightHigh]
	WeightScale           float64 // times this

	Design Design // distribution of effects and noise over the graph

	Noise         NoiseKind
	SDLow, SDHigh float64 // range of the standard deviation of a node's noise, uniform
	// Variance, if not zero, replaces SDLow and SDHigh: the noise variance is uniform on the range. RootVariance does the same for
	// nodes without parents.
	Variance, RootVariance Range

	LevelsLow, LevelsHigh int     // range of the number of categories, inclusive
	Concentration         float64 // Dirichlet parameter of the probability tables of Discrete

	// Interventions is the number of settings with their own targets; 0 for none. Environments is the number of environments; in each
	// except the first, EnvironmentChanges nodes have another mechanism; 0 for none.
	Interventions      int
	Intervention       InterventionKind
	InterventionSize   int     // targets per setting
	InterventionMean   float64 // mean of a numeric target of a hard intervention, and of a root target of a soft one
	Observational      float64 // share of rows without an intervention
	Environments       int
	EnvironmentChanges int

	// Standardize standardizes each numeric column of a sample (dividing by n), as in the paper's text but not in its released
	// code.
	Standardize bool

	Seed uint64
}

// A Range is the interval from Low to High; its zero value means none.
type Range struct{ Low, High float64 }

// Given reports whether the range is set.
func (r Range) Given() bool { return r != Range{} }

// at interpolates between Low and High.
func (r Range) at(u float64) float64 { return r.Low + (r.High-r.Low)*u }

// Default returns the paper's model: 100 nodes, Erdős–Rényi with expected degree 4, weights
// on ±[0.5, 2], standard normal noise, raw columns, no interventions.
func Default() Settings {
	return Settings{
		Nodes: 100, Graph: ER, Degree: 4,
		WeightLow: 0.5, WeightHigh: 2, WeightScale: 1,
		Noise: Gaussian, SDLow: 1, SDHigh: 1,
		LevelsLow: 2, LevelsHigh: 5, Concentration: 1,
		InterventionSize: 1, InterventionMean: 2, EnvironmentChanges: 1,
	}
}

// Validate reports every error in the configuration.
func (c Settings) Validate() error {
	var errs faults
	fault := errs.unless
	fault(c.Nodes >= 2, "Nodes = %d, want at least 2", c.Nodes)
	fault(known(c.Graph, graphNames), "Graph = %v, want one of %v", c.Graph, graphNames)
	fault(c.Degree >= 0, "Degree = %v, want >= 0", c.Degree)
	if c.Nodes >= 2 && c.Edges == 0 {
		fault(!(c.Degree > float64(c.Nodes-1)), "Degree = %v with %d nodes, want at most %d: a node has no more neighbours", c.Degree, c.Nodes, c.Nodes-1)
	}
	fault(c.WeightLow >= 0 && c.WeightHigh >= c.WeightLow && finite(c.WeightHigh), "weights on ±[%v, %v], want 0 <= low <= high", c.WeightLow, c.WeightHigh)
	fault(finite(c.WeightScale) && c.WeightScale != 0, "WeightScale = %v, want a finite number other than 0", c.WeightScale)
	fault(c.WeightHigh != 0, "WeightHigh = 0, want > 0: an edge of weight 0 is no edge")
	fault(known(c.Design, designNames), "Design = %v, want one of %v", c.Design, designNames)
	fault(known(c.Noise, noiseNames), "Noise = %v, want one of %v", c.Noise, noiseNames)
	fault(c.SDLow > 0 && c.SDHigh >= c.SDLow && finite(c.SDHigh), "standard deviations on [%v, %v], want 0 < low <= high", c.SDLow, c.SDHigh)
	fault(known(c.Mechanism, mechanismNames), "Mechanism = %v, want one of %v", c.Mechanism, mechanismNames)
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
	c.checkSettings(fault)
	return errors.Join(errs...)
}

func finite(v float64) bool { return v-v == 0 }
