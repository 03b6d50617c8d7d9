package dag

// IsCovered reports whether i → j is an edge of g with Parents(j) = Parents(i) ∪ {i}.
// Reversing such an edge of a DAG gives a DAG of the same Markov equivalence class, and
// any two DAGs of a class are joined by such reversals: Chickering (1995).
func (g *Graph) IsCovered(i, j int) bool {
	if !g.HasEdge(i, j) {
		return false
	}
	a, b := g.parents[i], g.parents[j]
	if len(b) != len(a)+1 {
		return false
	}
	k := 0
	for _, p := range b {
		if p == i {
			continue
		}
		if k == len(a) || a[k] != p {
			return false
		}
		k++
	}
	return true
}

// CoveredEdges returns the covered edges of g, sorted by From, then To. O(edges) lists are
// compared, most of them by length alone.
func CoveredEdges(g *Graph) []Edge {
	var covered []Edge
	for i, children := range g.children {
		for _, j := range children {
			if g.IsCovered(i, j) {
				covered = append(covered, Edge{i, j})
			}
		}
	}
	return covered
}
