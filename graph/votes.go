package graph

import (
	"cmp"
	"math"
	"slices"
)

// Votes count how many graphs over the same nodes have an edge, an adjacency or a path. Each graph represents an equivalence class
// of DAGs: an edge i → j counts fully, and an undirected edge half for each direction. The methods return frequencies from 0 to 1.
// Memory is O(n²).
type Votes struct {
	n        int
	graphs   int
	directed []float64 // count of i → j at i·n + j
	ancestor []float64
}

// NewVotes returns the votes of no graphs over n nodes.
func NewVotes(n int) *Votes {
	return &Votes{n: n, directed: make([]float64, n*n), ancestor: make([]float64, n*n)}
}

// Add counts another graph: O(n·(n + edges)).
func (v *Votes) Add(m *Mixed) { v.AddWithShares(m, nil) }

// AddWithShares is Add with a prior: each direction of an undirected edge counts with its probability in lean, or one half if it has
// none.
func (v *Votes) AddWithShares(m *Mixed, lean map[Edge]float64) {
	v.graphs++
	ways, sure := New(v.n), New(v.n)
	for _, e := range m.Edges() {
		forward, back := 0.5, 0.5
		if p, ok := lean[e.Edge]; ok {
			forward, back = p, 1-p
		}
		switch {
		case e.Directed():
			forward, back = 1, 0
			sure.AddEdge(e.From, e.To)
		case e.AtFrom == Arrow && e.AtTo == Arrow: // neither end is a cause of the other
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

// Graphs returns the number of counted graphs.
func (v *Votes) Graphs() int { return v.graphs }

// N returns the number of nodes.
func (v *Votes) N() int { return v.n }

// Directed returns the frequency of i → j, or 0 if no graph was counted.
func (v *Votes) Directed(i, j int) float64 { return v.share(v.directed[i*v.n+j]) }

// Adjacent returns the frequency of an edge between i and j, directed or not.
func (v *Votes) Adjacent(i, j int) float64 { return v.Directed(i, j) + v.Directed(j, i) }

// Ancestor returns the frequency of a directed path from i to j. A path counts fully if all its edges are directed, and half if it
// needs an undirected edge.
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
// over the edges i → j of a DAG. At level 1/2 it is the DAG with the least expected structural Hamming distance
// from a random one of the counted graphs, where an extra, a missing and a reversed edge are one error each:
// omitting a pair costs adjacent, and i → j costs 1 - directed. A higher level requires more agreement.
//
// order is the topological order of a reference graph. If the frequencies of the two directions of a pair
// differ by less than two standard errors, the edge follows order, because directions decided by chance create
// v-structures that no graph has. BreakCycles removes the remaining cycles at least cost.
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

// Turned returns the DAG g with those edges reversed that the graphs have more often in the other direction, by more than two
// standard errors, and lists the reversed edges. The adjacencies stay. Edges are reversed one at a time, the clearest first, unless
// that would close a cycle; blocked edges are tried again. O(edges²·(n + edges)) at most.
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
			if out.HasPath(e.From, e.To) { // the reversed edge would close a cycle
				out.AddEdge(e.From, e.To)
				return false
			}
			out.AddEdge(e.To, e.From)
			turned = append(turned, Edge{From: e.To, To: e.From})
			again = true
			return true
		})
	}
	slices.SortFunc(turned, Edge.Compare)
	return out, turned
}
