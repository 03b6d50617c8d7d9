package nocurl

import (
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
)

// potentials returns a number p for each column; an edge i → j is one along which p rises. With C the matrix of pairs that a path of
// weights above the threshold joins, p is the potential whose differences p_j - p_i are nearest to C - Cᵀ in the sense of
// least squares: up to a factor and a constant, the number of ancestors of a column less that
// of its descendants. Along required edges p is raised until it rises.
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
	if order, err := required.Order(); err == nil { // knowledge with a cycle is refused before
		for _, i := range order {
			for _, j := range required.Children(i) {
				p[j] = max(p[j], p[i]+1)
			}
		}
	}
	return p
}

// notUphill marks the entries along which p does not rise, beside those that are forbidden already. What is left has no cycle.
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
