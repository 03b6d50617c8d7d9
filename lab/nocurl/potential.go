package nocurl

import (
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
)

// potentials returns a number p for each column; edges point from lower to higher p. C marks the pairs
// connected by a path of weights above the threshold. p is the potential whose differences p_j - p_i are
// closest to C - Cᵀ by least squares. Up to a factor and a constant, that is the number of ancestors of a
// column minus the number of its descendants. Then p is raised along required edges.
func potentials[T matrix.Float](w *matrix.Dense[T], threshold float64, required *graph.Graph) []int {
	d := w.Rows
	g := graph.Threshold(d, func(i, j int) float64 { return float64(w.At(i, j)) }, threshold)
	for _, e := range required.Edges() {
		g.AddEdge(e.From, e.To)
	}
	p := make([]int, d)
	for i := range d {
		for j, path := range g.Reachable(i) {
			if path {
				p[j]++
				p[i]--
			}
		}
	}
	if order, err := required.Order(); err == nil { // knowledge with a cycle was already rejected
		for _, i := range order {
			for _, j := range required.Children(i) {
				p[j] = max(p[j], p[i]+1)
			}
		}
	}
	return p
}

// notUphill marks the entries along which p does not increase, in addition to the forbidden ones. The remaining
// entries have no cycle.
func notUphill(forbidden []bool, p []int) []bool {
	d := len(p)
	marked := make([]bool, d*d)
	copy(marked, forbidden)
	for i := range p {
		for j := range p {
			if p[j] <= p[i] {
				marked[i*d+j] = true
			}
		}
	}
	return marked
}
