package sample

import (
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/graph"
)

// A chain walks over pairs of a DAG and an order of the variables that agrees with it, with the distribution
//
//	P(G, order) ∝ w(G) · q(order | G),
//
// where q draws one variable after the other, uniformly among those whose parents are already drawn. q is a
// known distribution over the orders of G, so the marginal distribution of the graphs is w(G). Order MCMC
// (Friedman and Koller 2003) has 1 instead of q, which favors graphs with many orders. The number of orders
// would correct that, but it cannot be computed for more than a few dozen variables.
//
// A move selects a window of the order and a variable in it. The variable gets a new position in the window,
// with the probability of the order after summing over the parents of the window. Then those parents are drawn
// again. This is a draw from w(G) restricted to the window, so it is accepted with probability min(1, q(order'
// | G') / q(order | G)). Sometimes the order is drawn again from q(· | G), which is always accepted. Both
// preserve the distribution, and all graphs and orders can be reached, because the window can be the whole
// order.
type chain struct {
	nodes []*node
	rng   *rand.Rand
	order []int32
	pos   []int32
	sets  []set
	logq  float64
	logs  []float64 // ln 1, ln 2, …

	window  []int32  // the variables of a window without the moving one
	with    []before // by variable: predecessors if the moving one is among them
	without []before // by variable: predecessors without the moving one
	own     []before // predecessors of the moving one, by position
	gain    []float64
	weights []float64
	saved   []set
	old     []int32 // the order of the window before the move
	open    []int32 // scratch for q
	ready   []int32
	above   []uint64 // scratch for condition: the ancestors of each variable, as bits
	through []uint64 // the nodes with a path of two or more edges to it

	source          *rand.PCG // source of rng
	moves, accepted int
}

func newChain(nodes []*node, order []int, source *rand.PCG) *chain {
	c := emptyChain(nodes, source)
	for i, v := range order {
		c.order[i], c.pos[v] = int32(v), int32(i)
	}
	for v := range nodes {
		n := nodes[v]
		c.sets[v] = n.draw(c.rng, n.preceding(c.pos, c.pos[v]), c.pos, c.pos[v])
	}
	c.logq = c.extension()
	return c
}

// emptyChain returns a chain without a state.
func emptyChain(nodes []*node, source *rand.PCG) *chain {
	d := len(nodes)
	c := &chain{nodes: nodes, source: source, rng: rand.New(source), order: make([]int32, d), pos: make([]int32, d), sets: make([]set, d),
		logs: make([]float64, d+1), ready: make([]int32, d+1)}
	for i := range c.logs {
		c.logs[i] = math.Log(float64(i))
	}
	return c
}

// extension returns ln q(order | G): minus the sum, over the positions, of the logarithm of the number of
// available variables. A variable is available from the position after its last parent on. O(d + edges).
func (c *chain) extension() float64 {
	clear(c.ready)
	for i, v := range c.order {
		first := int32(0)
		n := c.nodes[v]
		s := c.sets[v]
		for at, rest := 0, s.mask; rest != 0; at, rest = at+1, rest>>1 {
			if rest&1 == 1 {
				first = max(first, c.pos[n.candidates[at]]+1)
			}
		}
		if s.other >= 0 {
			first = max(first, c.pos[n.others[s.other]]+1)
		}
		c.ready[first]++
		c.ready[i+1]--
	}
	logq, open := 0.0, int32(0)
	for i := range c.order {
		open += c.ready[i]
		logq -= c.logs[open]
	}
	return logq
}

// reorder draws an order of the graph from q.
func (c *chain) reorder() {
	d := len(c.nodes)
	missing := c.ready[:d]
	children := make([][]int32, d)
	c.open = c.open[:0]
	for v, n := range c.nodes {
		missing[v] = 0
		n.parents(c.sets[v], func(x int) {
			missing[v]++
			children[x] = append(children[x], int32(v))
		})
		if missing[v] == 0 {
			c.open = append(c.open, int32(v))
		}
	}
	logq := 0.0
	for i := range d {
		k := c.rng.IntN(len(c.open))
		logq -= c.logs[len(c.open)]
		v := c.open[k]
		c.open[k] = c.open[len(c.open)-1]
		c.open = c.open[:len(c.open)-1]
		c.order[i], c.pos[v] = v, int32(i)
		for _, y := range children[v] {
			if missing[y]--; missing[y] == 0 {
				c.open = append(c.open, y)
			}
		}
	}
	c.logq = logq
}

// move makes a move with a window of size variables, at most all.
func (c *chain) move(size int) {
	first := c.rng.IntN(len(c.order) - size + 1)
	v := int(c.order[first+c.rng.IntN(size)])
	c.old = append(c.old[:0], c.order[first:first+size]...)
	c.window, c.saved = c.window[:0], c.saved[:0]
	for _, u := range c.old {
		c.saved = append(c.saved, c.sets[u])
		if int(u) != v {
			c.window = append(c.window, u)
		}
	}
	c.place(v, first, c.choose(v, first))
	c.moves++
	if logq := c.extension(); logq >= c.logq || c.rng.Float64() < math.Exp(logq-c.logq) {
		c.logq = logq
		c.accepted++
		return
	}
	for i, u := range c.old {
		c.order[first+i], c.pos[u], c.sets[u] = u, int32(first+i), c.saved[i]
	}
}

// place puts v after k variables of the window and draws the parents of all of them.
func (c *chain) place(v, first, k int) {
	for i, u := range c.window {
		at := first + i
		if i >= k {
			at++
		}
		c.order[at], c.pos[u] = u, int32(at)
	}
	c.order[first+k], c.pos[v] = int32(v), int32(first+k)
	for i, u := range c.window {
		b := c.without[i]
		if i >= k {
			b = c.with[i]
		}
		c.sets[u] = c.nodes[u].draw(c.rng, b, c.pos, c.pos[u])
	}
	c.sets[v] = c.nodes[v].draw(c.rng, c.own[k], c.pos, c.pos[v])
}

// choose draws the number k of window variables before v. The weight of k is Π_{i < k} A without v · Π_{i >= k}
// A with v · A of v. Meanwhile the window is at its first positions without v.
func (c *chain) choose(v, first int) int {
	nowhere := int32(len(c.order))
	c.pos[v] = nowhere
	for i, u := range c.window {
		c.pos[u] = int32(first + i)
	}
	c.with, c.without, c.own, c.gain = c.with[:0], c.without[:0], c.own[:0], c.gain[:0]
	for i, u := range c.window {
		n, at := c.nodes[u], int32(first+i)
		without := n.preceding(c.pos, at)
		gain := 0.0
		with := without
		if n.slot[v] >= 0 || n.place[v] >= 0 {
			value := n.value(without)
			c.pos[v] = -1
			with = n.with(without, v, c.pos, at)
			gain = value - n.value(with)
			c.pos[v] = nowhere
		}
		c.with, c.without, c.gain = append(c.with, with), append(c.without, without), append(c.gain, gain)
	}
	n, at := c.nodes[v], int32(first)
	own := n.preceding(c.pos, at)
	c.weights = append(c.weights[:0], n.value(own))
	c.own = append(c.own, own)
	for _, u := range c.window {
		at++
		own = n.with(own, int(u), c.pos, at)
		c.own = append(c.own, own)
		c.weights = append(c.weights, n.value(own))
	}
	// Relative to position 0. A gain of -Inf is a required parent, which must come before.
	sum := 0.0
	for k, gain := range c.gain {
		sum += gain
		c.weights[k+1] += sum
	}
	return drawLog(c.rng, c.weights)
}

// drawLog draws an index with probability proportional to exp(logs).
func drawLog(rng *rand.Rand, logs []float64) int {
	top := math.Inf(-1)
	for _, w := range logs {
		top = max(top, w)
	}
	sum := 0.0
	for i, w := range logs {
		logs[i] = expDiff(w, top)
		sum += logs[i]
	}
	left, found := rng.Float64()*sum, 0
	for i, w := range logs {
		if w > 0 {
			found = i
			if left -= w; left < 0 {
				break
			}
		}
	}
	return found
}

// sweep makes d moves with windows of 2 to d variables, small ones more often, and draws a new order regularly.
func (c *chain) sweep() {
	d := len(c.order)
	if d < 2 {
		return
	}
	for i := range d {
		c.move(c.size())
		if i%4 == 0 {
			c.reorder()
		}
	}
}

// size draws the size of a window: 2·2^u with u uniform, so that each power of two is equally likely.
func (c *chain) size() int {
	d := len(c.order)
	return min(d, int(2*math.Exp2(c.rng.Float64()*math.Log2(float64(d)/2+0.5))))
}

// graph returns the edges and the log weight of the graph.
func (c *chain) graph() (edges []graph.Edge, logw float64) {
	for v, n := range c.nodes {
		n.parents(c.sets[v], func(x int) { edges = append(edges, graph.Edge{From: x, To: v}) })
		logw += n.weight(c.sets[v])
	}
	return edges, logw
}
