package graph

// Shares returns, for both directions of every undirected edge of p, about the share of the DAGs of a Markov equivalence class that have
// it, if the undirected part of p is that of the class. Each variable of a connected part is the root of the part in turn, equally often.
// An edge then points away from the root where its ends are at different distances from it, and counts half for each direction where they are not.
// For trees, whose class has one DAG for each root, the shares are exact. Cost: O(n·m) for a part of n variables and m edges.
func (p *PDAG) Shares() map[Edge]float64 {
	count := map[Edge]int{} // in halves: whole numbers have the same sum in every order
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

// layers lists the nodes that undirected edges connect with root, nearest first, and writes their distances.
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
