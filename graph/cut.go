package graph

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// exactCutNodes is the largest cyclic component that BreakCycles solves exactly: time and
// memory double with each node, and 14 nodes take a few milliseconds.
const exactCutNodes = 14

// BreakCycles removes edges of small total |weight| so that a DAG remains. It returns that DAG and the removed edges, sorted. It
// removes only edges inside cyclic components, and adding any of them again would close a cycle. The result depends only on the
// arguments.
//
// Minimizing the total is the weighted feedback arc set problem, which is NP-hard. Components of up to 14 nodes are solved exactly,
// larger ones by two heuristics with local search (see cutOrder); the cheaper cut is used. A component of k nodes and m edges takes
// O(k²) bits, and O(m log m) for each pass of the local search.
//
// An edge inside a cyclic component whose weight is not finite is an error.
func BreakCycles(g *Graph, weight func(Edge) float64) (kept *Graph, cut []Edge, err error) {
	kept = g.Clone()
	for _, nodes := range g.CyclicComponents() {
		c, err := newComponent(g, nodes, weight)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range c.cut() {
			e = Edge{nodes[e.From], nodes[e.To]}
			kept.RemoveEdge(e.From, e.To)
			cut = append(cut, e)
		}
	}
	slices.SortFunc(cut, Edge.Compare)
	return kept, cut, nil
}

// A component is a strongly connected component with its nodes renumbered 0..k-1, in ascending order.
type component struct {
	k     int
	arcs  []weightedEdge // all edges inside, heaviest first, then by from and to; no self-loops
	at    [][]int        // for each node, the indices of its arcs in both directions
	loops []Edge
}

func newComponent(g *Graph, nodes []int, weight func(Edge) float64) (*component, error) {
	c := &component{k: len(nodes), at: make([][]int, len(nodes))}
	for from, i := range nodes {
		for _, j := range g.children[i] {
			to, inside := slices.BinarySearch(nodes, j)
			if !inside {
				continue
			}
			e := Edge{i, j}
			w := math.Abs(weight(e))
			if math.IsNaN(w) || math.IsInf(w, 0) {
				return nil, fmt.Errorf("edge %d → %d has weight %v; weights must be finite", i, j, weight(e))
			}
			if from == to {
				c.loops = append(c.loops, Edge{from, to})
				continue
			}
			c.arcs = append(c.arcs, weightedEdge{Edge{from, to}, w})
		}
	}
	slices.SortStableFunc(c.arcs, func(a, b weightedEdge) int { return cmp.Compare(b.weight, a.weight) })
	for k, a := range c.arcs {
		c.at[a.From] = append(c.at[a.From], k)
		c.at[a.To] = append(c.at[a.To], k)
	}
	return c, nil
}

// cut returns the edges to remove, in the component's numbering.
func (c *component) cut() []Edge {
	var order []int
	if c.k <= exactCutNodes {
		order = c.exactOrder()
	} else {
		order = c.cutOrder()
	}
	keep, _ := c.withoutCycles(order)
	edges := c.loops
	for k, a := range c.arcs {
		if !keep[k] {
			edges = append(edges, a.Edge)
		}
	}
	return edges
}

// withoutCycles returns which arcs stay and the total weight of the others. All arcs along the order stay, and of the others, heaviest
// first, each that closes no cycle.
func (c *component) withoutCycles(order []int) (keep []bool, cost float64) {
	place := places(order)
	keep = make([]bool, len(c.arcs))
	var against []int // heaviest first, as arcs are
	children := make([][]int, c.k)
	for k, a := range c.arcs {
		if place[a.From] < place[a.To] {
			keep[k] = true
			children[a.From] = append(children[a.From], a.To)
		} else {
			against = append(against, k)
		}
	}
	paths := newReach(c.k)
	for at := c.k - 1; at >= 0; at-- {
		for _, child := range children[order[at]] {
			paths.merge(order[at], child)
		}
	}
	for _, k := range against {
		keep[k] = paths.add(c.arcs[k].From, c.arcs[k].To)
	}
	for k, a := range c.arcs {
		if !keep[k] {
			cost += a.weight
		}
	}
	return keep, cost
}

// exactOrder returns an order with the least total weight of arcs against it. With best(S) the least total among the nodes S,
// placed first in some order,
//
//	best(S ∪ {v}) = min over v of best(S) + sum of weight(v, u) over u in S,
//
// over all 2^k sets S.
func (c *component) exactOrder() []int {
	w := make([]float64, c.k*c.k)
	for _, a := range c.arcs {
		w[a.From*c.k+a.To] = a.weight
	}
	best := make([]float64, 1<<c.k)
	last := make([]int8, 1<<c.k)
	back := make([]float64, c.k<<c.k) // back[s·k + v]: sum of weight(v, u) over u in s
	for s := uint(1); s < 1<<c.k; s++ {
		best[s] = math.Inf(1)
		first, others := bits.TrailingZeros(s), back[(s&(s-1))*uint(c.k):]
		for v := range c.k {
			cost := others[v] + w[v*c.k+first]
			back[s*uint(c.k)+uint(v)] = cost
			rest := s &^ (1 << v)
			if rest == s {
				continue
			}
			if cost += best[rest]; cost < best[s] { // w(v, v) is 0
				best[s], last[s] = cost, int8(v)
			}
		}
	}
	order := make([]int, c.k)
	for s, at := uint(1)<<c.k-1, c.k-1; at >= 0; at-- {
		order[at] = int(last[s])
		s &^= 1 << last[s]
	}
	return order
}

// places returns the inverse of a permutation.
func places(order []int) []int {
	place := make([]int, len(order))
	for k, v := range order {
		place[v] = k
	}
	return place
}
