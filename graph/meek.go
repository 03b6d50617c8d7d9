package graph

// Close directs every undirected edge whose direction follows from the directed ones, by the rules of Meek (1995), "Causal
// inference and causal explanation with background knowledge", until none applies. On a CPDAG in which some edges were directed by
// SetDirected, an edge is then directed exactly if all DAGs of the class that have these edges agree on it.
//
// x — y becomes x → y if
//
//	R1  c → x, and c, y are not adjacent;
//	R2  x → c → y;
//	R3  x — c → y and x — d → y, and c, d are not adjacent;
//	R4  x — c → d → y, x and d are adjacent, and c, y are not.
//
// If no DAG agrees with the directed edges the result has no meaning; WithKnowledge detects that. An edge is tested again only
// after a nearby edge was directed.
func (p *PDAG) Close() { p.CloseBut(noDoubt()) }

// Doubt excludes premises from Meek's rules if test results contradict each other.
type Doubt struct {
	// Edge reports whether an undirected edge must not become x → y.
	Edge func(x, y int) bool
	// Triple reports whether an unshielded triple a — b — c is not known to be a noncollider.
	Triple func(a, b, c int) bool
}

func noDoubt() Doubt {
	return Doubt{Edge: func(int, int) bool { return false }, Triple: func(int, int, int) bool { return false }}
}

// CloseBut is Close without the conclusions that d excludes.
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
		// x → y can direct edges out of y (R1), into y (R2, R3, R4 with y as their y), or into a child of y (R2 with y as c, R4
		// with y as d).
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
