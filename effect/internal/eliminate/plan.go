package eliminate

import (
	"cmp"
	"github.com/polydag/polydag/internal/intset"
	"iter"
	mathbits "math/bits"
	"slices"
)

// plan is the order in which the nodes of a network are summed out of the product of its tables (bucket
// elimination: Dechter 1999). Each node has a bucket, which multiplies the tables and messages that contain the
// node. After the node is summed out, the rest is a message to the bucket of its first remaining node. The
// buckets form a forest, along which beliefs return (pass.go). A plan depends only on the shape of the network,
// so it serves all values and all tables.
type plan struct {
	rank    []int // the position of each node in the elimination order, or -1 if its value is known
	nodes   []int // by rank
	levels  []int // by rank
	buckets []bucket
	Up      float64 // cells multiplied and summed on the way to the roots
	room    int     // cells of memory
}

// bucket sums out one node.
type bucket struct {
	scope    []int // ranks of the nodes of the product, ascending; the node itself is first
	cells    int
	into     int // bucket that receives its message, or -1 at a root
	operands []operand
	products []product // products of the operands from the smallest on, except the last one
	last     []operand // the last one or two operands
	sum      *walk     // from the last two to the message, if the whole product is not needed
	whole    *walk     // from the last two to their product
	message  *walk     // from the whole product to the message
	// These are the positions in the memory of a run; wholeAt is only for a pass.
	messageAt, wholeAt span
}

// operand is the table of a node, the message of a bucket, or, if both are -1, the previous product.
type operand struct {
	table, from int
	scope       []int
	cells       int
}

// product is the product of two operands, over the nodes of both.
type product struct {
	a, b  operand
	scope []int
	cells int
	walk  *walk
}

// NewPlan plans the elimination of a network, with the target last, or in any order if it is -1. It returns nil
// if a bucket would exceed mostCells, or the memory mostRoom.
func NewPlan(n *Network, target int) *plan {
	p := &plan{rank: make([]int, len(n.Nodes))}
	for k := range p.rank {
		p.rank[k] = -1
	}
	if !p.choose(n, target) {
		return nil
	}
	p.buckets = make([]bucket, len(p.nodes))
	for k, node := range n.Nodes {
		if node.fixed < 0 {
			scope := p.family(n, k)
			if len(scope) == 0 { // all nodes are known; the factor cancels in the normalization
				continue
			}
			b := &p.buckets[scope[0]]
			b.operands = append(b.operands, operand{table: k, from: -1, scope: scope, cells: p.cells(scope)})
		}
	}
	for r := range p.buckets {
		p.fill(r, target < 0 || r == len(p.buckets)-1)
	}
	if target >= 0 {
		if p.room = p.place(nil); p.room > mostRoom {
			return nil
		}
	}
	return p
}

// choose orders the nodes greedily by the smallest bucket (Zhang and Poole 1994); ties go to the first. Nodes
// that share a factor are neighbors, as bits.
func (p *plan) choose(n *Network, target int) bool {
	words := (len(n.Nodes) + 63) / 64
	near := make([][]uint64, len(n.Nodes))
	var left []int
	for k := range n.Nodes {
		if _, known := n.known(k); !known {
			near[k] = make([]uint64, words)
			left = append(left, k)
		}
	}
	for k, node := range n.Nodes {
		if node.fixed >= 0 {
			continue
		}
		family := append(slices.Clone(node.parents), k)
		for _, u := range family {
			for _, v := range family {
				if u != v && near[u] != nil && near[v] != nil {
					near[u][v/64] |= 1 << (v % 64)
				}
			}
		}
	}
	size := make([]int, len(n.Nodes))
	measure := func(k int) {
		size[k] = n.levels(k)
		for v := range each(near[k]) {
			if size[k] = min(size[k]*n.levels(v), mostCells+1); size[k] > mostCells {
				return
			}
		}
	}
	for _, k := range left {
		measure(k)
	}
	for len(left) > 0 {
		best := -1
		for i, k := range left {
			if k != target && (best < 0 || size[k] < size[left[best]]) {
				best = i
			}
		}
		if best < 0 {
			best = 0 // only the target is left
		}
		k := left[best]
		if size[k] > mostCells {
			return false
		}
		left = slices.Delete(left, best, best+1)
		p.rank[k] = len(p.nodes)
		p.nodes, p.levels = append(p.nodes, k), append(p.levels, n.levels(k))
		for u := range each(near[k]) {
			for w, x := range near[k] {
				near[u][w] |= x
			}
			near[u][u/64] &^= 1 << (u % 64)
			near[u][k/64] &^= 1 << (k % 64)
		}
		for u := range each(near[k]) {
			measure(u)
		}
	}
	return true
}

// each iterates over the members of a bit set.
func each(set []uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for w, x := range set {
			for ; x != 0; x &= x - 1 {
				if !yield(64*w + mathbits.TrailingZeros64(x)) {
					return
				}
			}
		}
	}
}

// family lists the ranks of a node and its unknown parents, ascending.
func (p *plan) family(n *Network, k int) (scope []int) {
	for _, v := range append(slices.Clone(n.Nodes[k].parents), k) {
		if p.rank[v] >= 0 {
			scope = append(scope, p.rank[v])
		}
	}
	slices.Sort(scope)
	return scope
}

func (p *plan) cells(scope []int) int {
	size := 1
	for _, r := range scope {
		size *= p.levels[r]
	}
	return size
}

// fill plans the products of bucket r, which has all its operands, and passes its message on. It multiplies
// small operands first. whole means that the product itself is also needed.
func (p *plan) fill(r int, whole bool) {
	b := &p.buckets[r]
	slices.SortStableFunc(b.operands, func(x, y operand) int { return cmp.Compare(x.cells, y.cells) })
	at := b.operands[0]
	for _, next := range b.operands[1:] {
		if len(b.last) == 2 {
			x, y := b.last[0], b.last[1]
			scope := intset.Union(x.scope, y.scope)
			b.products = append(b.products, product{a: x, b: y, scope: scope, cells: p.cells(scope), walk: p.walk(scope, scope, x.scope, y.scope)})
			p.Up += float64(p.cells(scope))
			at = operand{table: -1, from: -1, scope: scope, cells: p.cells(scope)}
		}
		b.last = []operand{at, next}
	}
	if b.last == nil {
		b.last = []operand{at, {table: -1, from: -1}}
	}
	b.scope = intset.Union(b.last[0].scope, b.last[1].scope)
	b.cells = p.cells(b.scope)
	out := b.scope[1:]
	if whole {
		b.whole = p.walk(b.scope, b.scope, b.last[0].scope, b.last[1].scope)
		b.message = p.walk(b.scope, out, b.scope, nil)
		p.Up += float64(b.cells)
	} else {
		b.sum = p.walk(b.scope, out, b.last[0].scope, b.last[1].scope)
	}
	p.Up += float64(b.cells)
	if b.into = -1; len(out) > 0 {
		b.into = out[0]
		to := &p.buckets[b.into]
		to.operands = append(to.operands, operand{table: -1, from: r, scope: out, cells: p.cells(out)})
	}
}
