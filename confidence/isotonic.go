package confidence

import "slices"

// isotonic returns the nondecreasing numbers that minimize Σ weight·(number - value)²: the pool-adjacent-violators algorithm (Ayer
// et al. 1955). Weights are positive. It costs O(n).
func isotonic(values, weights []float64) []float64 {
	type block struct {
		sum, weight float64
		n           int
	}
	var blocks []block
	for i, v := range values {
		b := block{v * weights[i], weights[i], 1}
		for k := len(blocks) - 1; k >= 0 && blocks[k].sum*b.weight >= b.sum*blocks[k].weight; k-- {
			b = block{blocks[k].sum + b.sum, blocks[k].weight + b.weight, blocks[k].n + b.n}
			blocks = blocks[:k]
		}
		blocks = append(blocks, b)
	}
	out := make([]float64, 0, len(values))
	for _, b := range blocks {
		for range b.n {
			out = append(out, b.sum/b.weight)
		}
	}
	return out
}

// rising is a nondecreasing, piecewise linear function from [0, 1] to [0, 1], constant beyond the first and last point.
type rising struct{ x, y []float64 }

func (r *rising) at(x float64) float64 {
	switch k, _ := slices.BinarySearch(r.x, x); k {
	case 0:
		return r.y[0]
	case len(r.x):
		return r.y[k-1]
	default:
		part := (x - r.x[k-1]) / (r.x[k] - r.x[k-1])
		return r.y[k-1] + part*(r.y[k]-r.y[k-1])
	}
}

// seen is an observed share and whether the edge was true: 1, 0, or a probability.
type seen struct{ share, right float64 }

// classes are the class boundaries of shares: tenths, and finer towards both ends, where most shares are.
var classes = []float64{0.005, 0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.975, 0.995}

// priorPairs is the weight of the fixed curve in each class, in pairs.
const priorPairs = 4

// fitRising estimates how often an edge with a given share is true. Each class has its observed pairs plus priorPairs
// pseudo-observations from prior; isotonic regression merges classes that violate the order.
func fitRising(all []seen, prior func(share float64) float64) *rising {
	n := len(classes) + 1
	share, right, count := make([]float64, n), make([]float64, n), make([]float64, n)
	for _, s := range all {
		k := 0
		for k < len(classes) && s.share >= classes[k] {
			k++
		}
		share[k] += s.share
		right[k] += s.right
		count[k]++
	}
	edges := append(append([]float64{0}, classes...), 1)
	r := &rising{x: make([]float64, n)}
	for k := range n {
		if r.x[k] = (edges[k] + edges[k+1]) / 2; count[k] > 0 {
			r.x[k] = share[k] / count[k]
		}
		right[k] = (right[k] + priorPairs*prior(r.x[k])) / (count[k] + priorPairs)
		count[k] += priorPairs
	}
	r.y = isotonic(right, count)
	return r
}
