package graph

// Visible reports whether i → j is an edge of p and no hidden common cause of i and j is possible in any graph that p represents
// (Zhang 2008, "Causal reasoning with ancestral graphs", Definitions 8 and 10). This needs a node that is not adjacent to j and
// either has an edge with an arrowhead at i, or starts a path into i on which every inner node is a collider and a parent of j.
// O(edges).
func (p *PAG) Visible(i, j int) bool {
	if !p.directed(i, j) {
		return false
	}
	seen := map[int]bool{i: true, j: true}
	for queue := []int{i}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		for _, u := range p.near[v] {
			if seen[u] || p.At(u, v) != Arrow {
				continue
			}
			if !p.Adjacent(u, j) {
				return true
			}
			if p.At(v, u) == Arrow && p.directed(u, j) {
				seen[u] = true
				queue = append(queue, u)
			}
		}
	}
	return false
}
