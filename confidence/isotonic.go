package confidence

// isotonic returns the numbers, none smaller than the one before, that minimize Σ weight·(number - value)²: the pool-adjacent-violators
// algorithm (Ayer et al. 1955). Weights are positive. It costs O(n).
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

// rising is a function from [0, 1] to [0, 1] that does not fall: straight lines between points, and level beyond the first and last.
type rising struct{ x, y []float64 }

func (r *rising) at(x float64) float64 {
	k := 0
	for k < len(r.x) && r.x[k] < x {
		k++
	}
	switch {
	case k == 0:
		return r.y[0]
	case k == len(r.x):
		return r.y[k-1]
	}
	part := (x - r.x[k-1]) / (r.x[k] - r.x[k-1])
	return r.y[k-1] + part*(r.y[k]-r.y[k-1])
}

// seen is a share that was observed and whether what it is a share of was right: 1, 0, or a probability.
type seen struct{ share, right float64 }

// classes are where shares are cut: tenths, and finer towards both ends, where most shares are and confidences matter most.
var classes = []float64{0.005, 0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.975, 0.995}

// priorPairs is how many pairs the curve that is there without a simulation counts as in each class.
const priorPairs = 4

// fitRising learns how often a share is right. In each class the pairs that were seen stand beside priorPairs ones that are right as often
// as prior says at their mean share, and isotonic joins classes that contradict the order.
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
