package figure

import (
	"math"
	"slices"
)

// layout places the nodes of a DAG on layers, parents above children (Sugiyama, Tagawa and Toda 1981): layers by longest
// paths, long edges through places of their own on the layers between, the order within a layer by barycentres, places
// across by least squares that keep the order. It is deterministic, and made for tens of nodes.
type layout struct {
	layer []int     // of each node, places on long edges included
	order [][]int   // of each layer, from left to right
	x     []float64 // middle of each node
	wide  []float64 // width of each node
	up    [][]int   // neighbours on the layer above
	down  [][]int   // and below
	path  [][]int   // of each edge: from, places between, to
	gap   float64   // between neighbours on a layer
	n     int       // real nodes
}

func newLayout(wide []float64, edges []GraphEdge, gap float64) *layout {
	l := &layout{n: len(wide), wide: slices.Clone(wide), gap: gap}
	l.rank(edges)
	l.subdivide(edges)
	l.sort()
	l.place()
	return l
}

// rank puts each node one below its lowest parent, then moves nodes without parents down to their children.
func (l *layout) rank(edges []GraphEdge) {
	l.layer = make([]int, l.n)
	for range l.n { // a path has at most n nodes
		for _, e := range edges {
			l.layer[e.To] = max(l.layer[e.To], l.layer[e.From]+1)
		}
	}
	for v := range l.n {
		low, hasParent := math.MaxInt, false
		for _, e := range edges {
			if e.From == v {
				low = min(low, l.layer[e.To]-1)
			}
			hasParent = hasParent || e.To == v
		}
		if !hasParent && low != math.MaxInt {
			l.layer[v] = low
		}
	}
}

// subdivide gives an edge over several layers a place on each between.
func (l *layout) subdivide(edges []GraphEdge) {
	link := func(a, b int) {
		l.down[a], l.up[b] = append(l.down[a], b), append(l.up[b], a)
	}
	l.up, l.down = make([][]int, l.n), make([][]int, l.n)
	for _, e := range edges {
		path := []int{e.From}
		for k := l.layer[e.From] + 1; k < l.layer[e.To]; k++ {
			v := len(l.layer)
			l.layer, l.wide = append(l.layer, k), append(l.wide, 4)
			l.up, l.down = append(l.up, nil), append(l.down, nil)
			link(path[len(path)-1], v)
			path = append(path, v)
		}
		link(path[len(path)-1], e.To)
		l.path = append(l.path, append(path, e.To))
	}
	l.order = make([][]int, slices.Max(l.layer)+1)
	for v, k := range l.layer {
		l.order[k] = append(l.order[k], v)
	}
}

// sort orders each layer by the mean place of the neighbours, down and up, and keeps the order with the fewest crossings.
func (l *layout) sort() {
	best, fewest := clone(l.order), l.crossings()
	for sweep := range 40 {
		rank := make([]float64, len(l.layer))
		number := func(k int) {
			for i, v := range l.order[k] {
				rank[v] = float64(i) - float64(len(l.order[k]))/2
			}
		}
		for k := range l.order {
			number(k)
		}
		for step := range l.order {
			k, side := step, l.up
			if sweep%2 == 1 {
				k, side = len(l.order)-1-step, l.down
			}
			key := map[int]float64{}
			for _, v := range l.order[k] {
				key[v] = rank[v]
				if len(side[v]) > 0 {
					key[v] = 0
					for _, u := range side[v] {
						key[v] += rank[u] / float64(len(side[v]))
					}
				}
			}
			slices.SortStableFunc(l.order[k], func(a, b int) int {
				switch {
				case key[a] < key[b]:
					return -1
				case key[a] > key[b]:
					return 1
				}
				if sweep/2%2 == 1 { // ties the other way round now and then, to leave a bad order
					return b - a
				}
				return 0
			})
			number(k)
		}
		if c := l.crossings(); c < fewest {
			best, fewest = clone(l.order), c
		}
	}
	l.order = best
}

func clone(o [][]int) [][]int {
	out := make([][]int, len(o))
	for i := range o {
		out[i] = slices.Clone(o[i])
	}
	return out
}

// crossings counts crossing edges between neighbouring layers.
func (l *layout) crossings() int {
	at := make([]int, len(l.layer))
	for _, o := range l.order {
		for i, v := range o {
			at[v] = i
		}
	}
	count := 0
	for k := range len(l.order) - 1 {
		var pairs [][2]int
		for _, v := range l.order[k] {
			for _, u := range l.down[v] {
				pairs = append(pairs, [2]int{at[v], at[u]})
			}
		}
		for i, a := range pairs {
			for _, b := range pairs[:i] {
				if (a[0]-b[0])*(a[1]-b[1]) < 0 {
					count++
				}
			}
		}
	}
	return count
}

// place pulls each node towards its neighbours, layer after layer; long edges pull hardest, so that they run straight.
func (l *layout) place() {
	l.x = make([]float64, len(l.layer))
	for _, o := range l.order {
		l.spread(o, func(int) (float64, float64) { return 0, 1 })
	}
	for sweep := range 60 {
		for step := range l.order {
			k := step
			if sweep%2 == 1 {
				k = len(l.order) - 1 - step
			}
			l.spread(l.order[k], func(v int) (float64, float64) {
				sum, weight := 0.0, 0.0
				for _, u := range append(slices.Clone(l.up[v]), l.down[v]...) {
					w := 1.0
					if u >= l.n && v >= l.n {
						w = 8
					} else if u >= l.n || v >= l.n {
						w = 2
					}
					sum, weight = sum+w*l.x[u], weight+w
				}
				if weight == 0 {
					return l.x[v], 1
				}
				return sum / weight, weight
			})
		}
	}
}

// spread sets x on one layer: the weighted least squares to the wishes under the order and the gaps, by pooling neighbours that
// would overlap (isotonic regression).
func (l *layout) spread(o []int, wish func(v int) (x, weight float64)) {
	type block struct {
		sum, weight float64
		size        int
	}
	var blocks []block
	offset := make([]float64, len(o))
	for i, v := range o {
		if i > 0 {
			offset[i] = offset[i-1] + (l.wide[o[i-1]]+l.wide[v])/2 + l.gap
		}
		x, w := wish(v)
		blocks = append(blocks, block{w * (x - offset[i]), w, 1})
		for n := len(blocks); n > 1 && blocks[n-2].sum/blocks[n-2].weight > blocks[n-1].sum/blocks[n-1].weight; n-- {
			a, b := blocks[n-2], blocks[n-1]
			blocks = append(blocks[:n-2], block{a.sum + b.sum, a.weight + b.weight, a.size + b.size})
		}
	}
	i := 0
	for _, b := range blocks {
		for range b.size {
			l.x[o[i]] = b.sum/b.weight + offset[i]
			i++
		}
	}
}
