package sim

import "math/rand/v2"

// drawWeights draws a weight for each edge, uniform on ±[low, high] times scale, along the
// causal order. The result has the shape of parents.
func drawWeights(cfg Config, order []int, parents [][]int, rng *rand.Rand) [][]float64 {
	weights := make([][]float64, len(parents))
	for _, v := range order {
		weights[v] = make([]float64, len(parents[v]))
		for k := range weights[v] {
			weights[v][k] = drawWeight(cfg, rng)
		}
	}
	return weights
}

func drawWeight(cfg Config, rng *rand.Rand) float64 {
	return cfg.WeightScale * signed(cfg.WeightLow, cfg.WeightHigh, rng)
}

// signed draws from ±[low, high], uniformly.
func signed(low, high float64, rng *rand.Rand) float64 {
	w := low + (high-low)*rng.Float64()
	if rng.Uint64()>>63 == 1 {
		w = -w
	}
	return w
}
