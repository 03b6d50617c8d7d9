package graph

import "math"

// Shares approximates, for both directions of every undirected edge, the share of the DAGs in a Markov equivalence class that have
// it. Each node of a connected component is its root once. An edge points away from the root if its ends have different distances
// from it, and otherwise counts half for each direction. For trees, which have one DAG per root, the shares are exact. Cost: O(n·m)
// for a component of n nodes and m edges.
func (p *PDAG) Shares() map[Edge]float64 { return p.WeightedShares(nil) }

// WeightedShares is Shares with the weight exp(Σ logOdds(i, j)) of a DAG with the edges i → j. An edge between nodes with the same
// distance from a root does not count in its weight. A nil logOdds gives equal weights.
func (p *PDAG) WeightedShares(logOdds func(i, j int) float64) map[Edge]float64 {
	// All sums are of integers, so that they do not depend on the order of the nodes.
	count, size := map[Edge]int{}, map[Edge]int{} // twice the weight of the roots
	distance := make([]int, p.N())
	seen := make([]bool, p.N())
	for first := range p.N() {
		if seen[first] {
			continue
		}
		part := p.layers(first, distance)
		weights := p.rootWeights(part, distance, logOdds)
		total := 0
		for _, w := range weights {
			total += 2 * w
		}
		for k, root := range part {
			seen[root] = true
			for _, v := range p.layers(root, distance) {
				for _, w := range p.Neighbors(v) {
					switch {
					case distance[v] < distance[w]:
						count[Edge{v, w}] += 2 * weights[k]
					case distance[v] == distance[w]:
						count[Edge{v, w}] += weights[k]
					}
					size[Edge{v, w}] = total
				}
			}
		}
	}
	out := make(map[Edge]float64, len(size))
	for e, n := range size {
		out[e] = float64(count[e]) / float64(n)
	}
	return out
}

// rootWeights returns the weight of each root of a component, at least 1 and at most 2^30.
func (p *PDAG) rootWeights(part, distance []int, logOdds func(i, j int) float64) []int {
	const unit, most = 1 << 20, 1 << 30
	weights := make([]int, len(part))
	if logOdds == nil {
		for k := range weights {
			weights[k] = 1
		}
		return weights
	}
	best := math.MinInt
	for k, root := range part {
		for _, v := range p.layers(root, distance) {
			for _, w := range p.Neighbors(v) {
				if distance[v] < distance[w] {
					weights[k] += int(math.Round(unit * logOdds(v, w)))
				}
			}
		}
		best = max(best, weights[k])
	}
	for k, w := range weights {
		weights[k] = max(1, int(math.Round(most*math.Exp(float64(w-best)/unit))))
	}
	return weights
}

// Lean returns the probability of each direction of the undirected edges by prior log odds alone: the share of the graphs with it,
// relative to the share without a prior. It is a multiple of 2^-20, so that sums of it are exact.
func (p *PDAG) DirectionShares(logOdds func(i, j int) float64) map[Edge]float64 {
	const unit = 1 << 20
	plain, weighted := p.Shares(), p.WeightedShares(logOdds)
	out := make(map[Edge]float64, len(plain))
	for e, was := range plain {
		back := Edge{e.To, e.From}
		with, without := weighted[e]*plain[back], weighted[back]*was
		out[e] = 0.5
		if with+without > 0 {
			out[e] = math.Round(unit*with/(with+without)) / unit
		}
	}
	return out
}

// layers lists the nodes connected with root by undirected edges, nearest first, and writes their distances.
func (p *PDAG) layers(root int, distance []int) []int {
	part := []int{root}
	at := map[int]bool{root: true}
	distance[root] = 0
	for k := 0; k < len(part); k++ {
		for _, w := range p.Neighbors(part[k]) {
			if !at[w] {
				at[w] = true
				distance[w] = distance[part[k]] + 1
				part = append(part, w)
			}
		}
	}
	return part
}
