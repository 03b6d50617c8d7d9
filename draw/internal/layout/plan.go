package layout

import (
	"slices"

	"github.com/polydag/polydag/internal/intset"
)

// A plan selects the quality of the layout. The cost of dot grows with the number of places: the nodes, and one
// more for each layer that an edge crosses. Up to 2500 places it runs fully, in under a second. Up to 6000 its
// optimization is shortened. Above that, or with more than 3000 edges, dot gets only the transitive reduction,
// which leaves all layers unchanged. The other edges become straight lines that may pass behind boxes. If even
// the reduction is too large, dot is not called and all edges are straight.
//
// Times on two cores with Graphviz loaded: d = 50 with 100 edges 0.02 s, 200 with 400 0.2 s, 500 with 1000 0.7 s,
// 500 with 5000 2.7 s.
type plan struct {
	down     []bool // whether each edge points down; the others close a cycle
	keep     []int  // edges for dot
	places   int
	gaps     int // number of gaps between layers
	settings string
	quick    bool
}

const (
	fullPlaces = 2500
	mostPlaces = 6000
	mostEdges  = 3000
)

func newPlan(g Graph, hasty bool) plan {
	most := mostPlaces
	if hasty {
		most = fullPlaces
	}
	p := plan{down: orient(g)}
	for k := range g.Edges {
		p.keep = append(p.keep, k)
	}
	layer := layers(g, p.down)
	p.places = places(g, layer, p.keep)
	p.gaps = max(slices.Max(layer), 1)
	if p.places > most || len(p.keep) > mostEdges {
		p.keep = reduction(g, p.down)
		p.places = places(g, layer, p.keep)
		p.quick = p.places > most || len(p.keep) > mostEdges
	}
	if p.places > fullPlaces {
		p.settings = "mclimit=0.2 nslimit=2 nslimit1=2"
	}
	return p
}

// orient returns which edges point down if those that close a cycle, in a depth-first search from the first
// node, are reversed.
func orient(g Graph) []bool {
	out := outgoing(g)
	down := make([]bool, len(g.Edges))
	state := make([]byte, len(g.Nodes)) // 1 on the path, 2 done
	next := make([]int, len(g.Nodes))
	for s := range g.Nodes {
		if state[s] != 0 {
			continue
		}
		stack := []int{s}
		state[s] = 1
		for len(stack) > 0 {
			v := stack[len(stack)-1]
			if next[v] == len(out[v]) {
				state[v] = 2
				stack = stack[:len(stack)-1]
				continue
			}
			k := out[v][next[v]]
			next[v]++
			u := g.Edges[k].To
			down[k] = state[u] != 1
			if state[u] == 0 {
				state[u] = 1
				stack = append(stack, u)
			}
		}
	}
	return down
}

func outgoing(g Graph) [][]int {
	out := make([][]int, len(g.Nodes))
	for k, e := range g.Edges {
		out[e.From] = append(out[e.From], k)
	}
	return out
}

// ends returns the upper and the lower end of edge k.
func ends(g Graph, down []bool, k int) (upper, lower int) {
	if down[k] {
		return g.Edges[k].From, g.Edges[k].To
	}
	return g.Edges[k].To, g.Edges[k].From
}

// layers numbers the layers by longest paths, and moves nodes without parents down to their children.
func layers(g Graph, down []bool) []int {
	below, above := make([][]int, len(g.Nodes)), make([]int, len(g.Nodes))
	for k := range g.Edges {
		if a, b := ends(g, down, k); a != b {
			below[a] = append(below[a], b)
			above[b]++
		}
	}
	layer := make([]int, len(g.Nodes))
	left := slices.Clone(above)
	var ready []int
	for v, n := range left {
		if n == 0 {
			ready = append(ready, v)
		}
	}
	for len(ready) > 0 {
		v := ready[0]
		ready = ready[1:]
		for _, u := range below[v] {
			layer[u] = max(layer[u], layer[v]+1)
			if left[u]--; left[u] == 0 {
				ready = append(ready, u)
			}
		}
	}
	for v, n := range above {
		if n == 0 && len(below[v]) > 0 {
			low := layer[below[v][0]]
			for _, u := range below[v] {
				low = min(low, layer[u])
			}
			layer[v] = low - 1
		}
	}
	return layer
}

// places counts the nodes and the layers that edges cross. A label takes a separate layer on every edge.
func places(g Graph, layer, keep []int) int {
	n, labels := len(g.Nodes), 0
	for _, k := range keep {
		span := layer[g.Edges[k].To] - layer[g.Edges[k].From]
		n += max(span, -span, 1) - 1
		if g.Edges[k].LabelWidth > 0 {
			labels = 1
		}
	}
	return n + labels*(n-len(g.Nodes)+len(keep)) // dot doubles the layers
}

// reduction returns the edges of the transitive reduction. It costs d·E/64 words.
func reduction(g Graph, down []bool) []int {
	d := len(g.Nodes)
	words := (d + 63) / 64
	reach := make([][]uint64, d) // nodes below, over one or more edges
	below := make([][]int, d)
	for k := range g.Edges {
		if a, b := ends(g, down, k); a != b {
			below[a] = append(below[a], b)
		}
	}
	layer := layers(g, down)
	order := intset.Range(0, d)
	slices.SortFunc(order, func(a, b int) int { return layer[b] - layer[a] })
	longer := make([][]uint64, d) // over two or more edges
	for _, v := range order {
		reach[v], longer[v] = make([]uint64, words), make([]uint64, words)
		for _, u := range below[v] {
			for w, bits := range reach[u] {
				longer[v][w] |= bits
			}
		}
		copy(reach[v], longer[v])
		for _, u := range below[v] {
			reach[v][u/64] |= 1 << (u % 64)
		}
	}
	var keep []int
	for k := range g.Edges {
		if a, b := ends(g, down, k); longer[a][b/64]&(1<<(b%64)) == 0 {
			keep = append(keep, k)
		}
	}
	return keep
}

// Readable is about the number of arrows that a person can follow in one picture.
const Readable = 60

// Opening returns how many of the strongest arrows a picture shows by default: all, or Readable if there are
// more than 1.5 times as many.
func Opening(arrows int) int {
	if arrows > 3*Readable/2 {
		return Readable
	}
	return arrows
}
