package explain

// mediators returns the inner nodes of the directed paths from one node to another.
func (m *Model) mediators(from, to int) []int {
	after, before := m.graph.Descendants([]int{from}), m.graph.Ancestors([]int{to})
	var out []int
	for v := range m.names {
		if v != from && v != to && after[v] && before[v] {
			out = append(out, v)
		}
	}
	return out
}

// confounders returns the common causes on open back-door paths: nodes with directed paths to a and to b that share no other node.
// The search moves two walkers; the one that is earlier in topological order moves, so neither can visit a node of the other.
// O(p²·degree) time and p² bytes for p common ancestors.
func (m *Model) confounders(a, b int) []int {
	n := len(m.names)
	place := make([]int, n)
	for k, v := range m.order {
		place[v] = k
	}
	toA, toB := m.graph.Ancestors([]int{a}), m.graph.Ancestors([]int{b})
	id, count := make([]int, n), 0 // ids of the nodes that a walker can visit
	for v := range n {
		if toA[v] || toB[v] {
			id[v] = count
			count++
		}
	}
	const unknown, no, yes = 0, 1, 2
	memo := make([]byte, count*count)
	var apart func(u, v int) bool // whether disjoint paths from u to a and from v to b exist
	apart = func(u, v int) bool {
		if u == v || !toA[u] || !toB[v] {
			return false
		}
		if u == a && v == b {
			return true
		}
		known := &memo[id[u]*count+id[v]]
		if *known != unknown {
			return *known == yes
		}
		*known = no
		if v == b || u != a && place[u] < place[v] {
			for _, c := range m.graph.Children(u) {
				if apart(c, v) {
					*known = yes
					break
				}
			}
		} else {
			for _, c := range m.graph.Children(v) {
				if apart(u, c) {
					*known = yes
					break
				}
			}
		}
		return *known == yes
	}
	var out []int
	for v := range n {
		if !toA[v] || !toB[v] {
			continue
		}
	fork:
		for _, u := range m.graph.Children(v) {
			for _, w := range m.graph.Children(v) {
				if apart(u, w) {
					out = append(out, v)
					break fork
				}
			}
		}
	}
	return out
}
