package graph

// Shares approximates, for both directions of every undirected edge, the share of the DAGs in a Markov equivalence class that have
// it. Each node of a connected component is its root once. An edge points away from the root if its ends have different distances
// from it, and otherwise counts half for each direction. For trees, which have one DAG per root, the shares are exact. Cost: O(n·m)
// for a component of n nodes and m edges.
func (p *PDAG) Shares() map[Edge]float64 {
	count := map[Edge]int{} // in halves, because integer sums do not depend on the order
	size := map[Edge]int{}
	distance := make([]int, p.N())
	seen := make([]bool, p.N())
	for first := range p.N() {
		if seen[first] {
			continue
		}
		part := p.layers(first, distance)
		for _, root := range part {
			seen[root] = true
			for _, v := range p.layers(root, distance) {
				for _, w := range p.Neighbors(v) {
					switch {
					case distance[v] < distance[w]:
						count[Edge{v, w}] += 2
					case distance[v] == distance[w]:
						count[Edge{v, w}]++
					}
					size[Edge{v, w}] = 2 * len(part)
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
