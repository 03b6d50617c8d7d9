package layout

import "slices"

// A plan says how much care a graph gets. What dot costs grows with its places: the nodes, and one more wherever an edge
// passes a layer. Up to 2500 places it takes its time, under a second. Up to 6000 its search for a good order and for
// straight edges is cut short. Above that, or with more than 3000 edges, only the edges of the transitive reduction are
// shown to dot: a → c is left out where there is a path from a to c through other nodes, which leaves all layers as they are. The
// others become straight lines that may pass behind boxes, with labels where there happens to be room. If even the
// reduction is that large, dot is not called and all edges are straight.
//
// Measured on two cores, Graphviz already loaded: d = 50 with 100 edges 0.02 s, 200 with 400 0.2 s, 500 with 1000 0.7 s, 500 with 5000 2.7 s.
type plan struct {
	down     []bool // of each edge: whether it runs down; the others close a cycle
	keep     []int  // edges that dot is shown
	places   int
	gaps     int // between layers
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

// orient says which edges run down if those that close a cycle in a search from the first node on are turned around.
func orient(g Graph) []bool {
	out := outgoing(g)
	down := make([]bool, len(g.Edges))
	state := make([]byte, len(g.Nodes)) // 1 on the way here, 2 done
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

// ends are the upper and the lower end of edge k.
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
		a, b := ends(g, down, k)
		below[a] = append(below[a], b)
		above[b]++
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

// places counts the nodes and the layers that edges pass. A label takes a layer of its own on every edge.
func places(g Graph, layer, keep []int) int {
	n, labels := len(g.Nodes), 0
	for _, k := range keep {
		span := layer[g.Edges[k].To] - layer[g.Edges[k].From]
		n += max(span, -span) - 1
		if g.Edges[k].LabelWidth > 0 {
			labels = 1
		}
	}
	return n + labels*(n-len(g.Nodes)+len(keep)) // dot doubles the layers
}

// reduction lists the edges that no longer path replaces. Costs d·E/64 words.
func reduction(g Graph, down []bool) []int {
	d := len(g.Nodes)
	words := (d + 63) / 64
	reach := make([][]uint64, d) // what is below, over one edge or several
	below := make([][]int, d)
	for k := range g.Edges {
		a, b := ends(g, down, k)
		below[a] = append(below[a], b)
	}
	layer := layers(g, down)
	order := make([]int, d)
	for v := range order {
		order[v] = v
	}
	slices.SortFunc(order, func(a, b int) int { return layer[b] - layer[a] })
	longer := make([][]uint64, d) // over two edges or more
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
