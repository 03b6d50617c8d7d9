package graph

import (
	"cmp"
	"math"
	"slices"
)

// Votes count in how many graphs over the same nodes an edge, an adjacency or a path is found. Each graph stands for a class of DAGs
// that fit its data equally well: an edge i → j counts whole, and one without a direction half each way. What is read is a
// frequency, from 0 to 1. Memory is O(n²).
type Votes struct {
	n        int
	graphs   int
	directed []float64 // of i → j at i·n + j
	ancestor []float64
}

// NewVotes returns the votes of no graphs over n nodes.
func NewVotes(n int) *Votes {
	return &Votes{n: n, directed: make([]float64, n*n), ancestor: make([]float64, n*n)}
}

// Add counts one more graph: O(n·(n + edges)).
func (v *Votes) Add(m *Mixed) {
	v.graphs++
	ways, sure := New(v.n), New(v.n)
	for _, e := range m.Edges() {
		forward, back := 0.5, 0.5
		switch {
		case e.Directed():
			forward, back = 1, 0
			sure.AddEdge(e.From, e.To)
		case e.AtFrom == Arrow && e.AtTo == Arrow: // neither acts on the other
			forward, back = 0, 0
		case e.AtTo == Arrow:
			back = 0
		}
		v.directed[e.From*v.n+e.To] += forward
		v.directed[e.To*v.n+e.From] += back
		if forward > 0 {
			ways.AddEdge(e.From, e.To)
		}
		if back > 0 {
			ways.AddEdge(e.To, e.From)
		}
	}
	for i := range v.n {
		row := v.ancestor[i*v.n : (i+1)*v.n]
		if len(ways.Children(i)) == 0 {
			continue
		}
		certain := sure.Reachable(i)
		for j, may := range ways.Reachable(i) {
			switch {
			case j == i:
			case certain[j]:
				row[j]++
			case may:
				row[j] += 0.5
			}
		}
	}
}

// Graphs returns how many graphs were counted.
func (v *Votes) Graphs() int { return v.graphs }

// N returns the number of nodes.
func (v *Votes) N() int { return v.n }

// Directed returns the frequency of i → j, 0 where no graph was counted.
func (v *Votes) Directed(i, j int) float64 { return v.share(v.directed[i*v.n+j]) }

// Adjacent returns the frequency of an edge between i and j, with a direction or without one.
func (v *Votes) Adjacent(i, j int) float64 { return v.Directed(i, j) + v.Directed(j, i) }

// Ancestor returns the frequency of a directed path from i to j: it counts whole where every edge of one has its direction, and half
// where a path needs an edge without one.
func (v *Votes) Ancestor(i, j int) float64 { return v.share(v.ancestor[i*v.n+j]) }

func (v *Votes) share(count float64) float64 {
	if v.graphs == 0 {
		return 0
	}
	return count / float64(v.graphs)
}

// Consensus returns the DAG that agrees best with the graphs: it maximizes
//
//	Σ (directed(i, j) + adjacent(i, j))/2 - level
//
// over the edges i → j of a DAG. At level 1/2 that is the DAG with the least expected structural Hamming distance from a graph
// that is drawn from those counted, in which an edge too many, one too few and one turned round are one error each: leaving a pair
// out costs adjacent, and i → j costs 1 - directed. A higher level asks for more agreement.
//
// order is a topological order of a graph to lean on: where the two directions of a pair differ by less than two standard errors,
// the pair goes forward in it, since directions that are decided by chance one by one make collisions that no graph has. Of the
// cycles that are left, the edges are cut that cost least, by BreakCycles.
func (v *Votes) Consensus(level float64, order []int) (*Graph, error) {
	place := make([]int, v.n)
	for at, node := range order {
		place[node] = at
	}
	g := New(v.n)
	gain := func(i, j int) float64 { return (v.Directed(i, j)+v.Adjacent(i, j))/2 - level }
	for i := range v.n {
		for j := range i {
			from, to := j, i
			forward, back := v.Directed(j, i), v.Directed(i, j)
			near := v.near(i, j)
			if !near && back > forward || near && place[i] < place[j] {
				from, to = i, j
			}
			if gain(from, to) >= 0 && v.Adjacent(i, j) > 0 {
				g.AddEdge(from, to)
			}
		}
	}
	kept, _, err := BreakCycles(g, func(e Edge) float64 { return max(gain(e.From, e.To), 1e-9) })
	return kept, err
}

// near reports whether the two directions of a pair differ by less than two standard errors.
func (v *Votes) near(i, j int) bool {
	forward, back := v.Directed(i, j), v.Directed(j, i)
	return min(forward, back) > 0 && math.Abs(forward-back) <= 2*math.Sqrt((forward+back)/float64(v.graphs))
}

// Turned returns the DAG g with those edges turned round that the graphs have the other way more often, by more than two standard
// errors, and lists these as they are now, by their numbers. The adjacencies stay. Edges are turned one after the other, the clearest first, each
// only where no cycle comes of it; one that has to wait for another is tried again. O(edges²·(n + edges)) at most.
func (v *Votes) Turned(g *Graph) (*Graph, []Edge) {
	var wrong []Edge
	for _, e := range g.Edges() {
		if v.Directed(e.To, e.From) > v.Directed(e.From, e.To) && !v.near(e.From, e.To) {
			wrong = append(wrong, e)
		}
	}
	margin := func(e Edge) float64 { return v.Directed(e.To, e.From) - v.Directed(e.From, e.To) }
	slices.SortStableFunc(wrong, func(a, b Edge) int { return cmp.Compare(margin(b), margin(a)) })
	out := g.Clone()
	var turned []Edge
	for again := true; again; {
		again = false
		wrong = slices.DeleteFunc(wrong, func(e Edge) bool {
			out.RemoveEdge(e.From, e.To)
			if out.HasPath(e.From, e.To) { // the edge turned round would close it
				out.AddEdge(e.From, e.To)
				return false
			}
			out.AddEdge(e.To, e.From)
			turned = append(turned, Edge{From: e.To, To: e.From})
			again = true
			return true
		})
	}
	slices.SortFunc(turned, compareEdges)
	return out, turned
}
