package graph

// Close directs every undirected edge whose direction follows from the directed ones, by
// the rules of Meek (1995), "Causal inference and causal explanation with background
// knowledge", until none applies. On a CPDAG in which some edges were directed by
// SetDirected, an edge is then directed exactly if all DAGs of the class that have these
// edges agree on it.
//
// x — y becomes x → y if
//
//	R1  c → x, and c, y are not adjacent;
//	R2  x → c → y;
//	R3  x — c → y and x — d → y, and c, d are not adjacent;
//	R4  x — c → d → y, x and d are adjacent, and c, y are not.
//
// If no DAG agrees with the knowledge the result has no meaning; WithKnowledge tells. An
// edge is tested again only after one near it was directed.
func (p *PDAG) Close() { p.CloseBut(noDoubt()) }

// Doubt says what is not to be concluded from, where findings contradict each other.
type Doubt struct {
	// Edge holds of an undirected edge that is not to become x → y.
	Edge func(x, y int) bool
	// Triple holds of a — b — c with a, c not adjacent where it is not known that b is no collider.
	Triple func(a, b, c int) bool
}

func noDoubt() Doubt {
	return Doubt{Edge: func(int, int) bool { return false }, Triple: func(int, int, int) bool { return false }}
}

// CloseBut is Close without what is in doubt.
func (p *PDAG) CloseBut(d Doubt) {
	queue := p.UndirectedEdges()
	touch := func(v int) {
		for _, u := range p.Neighbors(v) {
			queue = append(queue, Edge{v, u})
		}
	}
	for k := 0; k < len(queue); k++ {
		x, y := queue[k].From, queue[k].To
		if !p.HasUndirected(x, y) {
			continue
		}
		if d.Edge(x, y) || !p.follows(x, y, d) {
			if d.Edge(y, x) || !p.follows(y, x, d) {
				continue
			}
			x, y = y, x
		}
		p.SetDirected(x, y)
		// What can follow from x → y is directed out of y (R1) or into y (R2, R3, R4 with
		// y as their y), or into a child of y (R2 with y as c, R4 with y as d).
		touch(y)
		for _, c := range p.Children(y) {
			touch(c)
		}
	}
}

// follows reports whether a rule directs x — y as x → y.
func (p *PDAG) follows(x, y int, doubt Doubt) bool {
	for _, c := range p.Parents(x) { // R1
		if !p.Adjacent(c, y) && !doubt.Triple(c, x, y) {
			return true
		}
	}
	for _, c := range p.Parents(y) { // R2
		if p.HasDirected(x, c) {
			return true
		}
	}
	for k, c := range p.Parents(y) { // R3
		if !p.HasUndirected(x, c) {
			continue
		}
		for _, d := range p.Parents(y)[:k] {
			if p.HasUndirected(x, d) && !p.Adjacent(c, d) && !doubt.Triple(c, x, d) {
				return true
			}
		}
	}
	for _, d := range p.Parents(y) { // R4
		if !p.Adjacent(x, d) {
			continue
		}
		for _, c := range p.Parents(d) {
			if p.HasUndirected(x, c) && !p.Adjacent(c, y) && !doubt.Triple(c, x, y) {
				return true
			}
		}
	}
	return false
}
