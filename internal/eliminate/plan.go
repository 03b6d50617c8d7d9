package eliminate

import (
	"cmp"
	"iter"
	mathbits "math/bits"
	"slices"
)

// plan is how the nodes of a network are summed out of the product of its tables, one after the other (bucket elimination: Dechter
// 1999). Each node has a bucket: the tables and messages that have the node are multiplied there, and what is left when the node is
// summed out is a message to the bucket of the first of the nodes that it is over. The buckets are a forest, along which beliefs go
// back (pass.go). A plan knows the shape of the network alone: the same one serves all values that nodes are fixed to and all
// numbers in the tables.
type plan struct {
	rank    []int // of each node in the order of elimination, -1 where it is known
	nodes   []int // by rank
	levels  []int // by rank
	buckets []bucket
	Up      float64 // cells that are multiplied and summed on the way to the roots
	room    int     // cells that are held meanwhile
}

// bucket is where one node is summed out.
type bucket struct {
	scope    []int // ranks of the nodes of the product, rising: the node itself is the first
	cells    int
	into     int // the bucket that its message goes to, -1 at a root
	operands []operand
	products []product // of the operands from the smallest on: all but the last, which the purpose decides
	last     []operand // what is left to multiply, two of them or one
	sum      *walk     // from the last two to the message, where the whole product is not wanted
	whole    *walk     // from the last two to their product
	message  *walk     // from the whole product to the message
	// Where they are in the memory of a run; wholeAt of a pass alone.
	messageAt, wholeAt span
}

// operand is the table of a node, the message of a bucket, or the product before, where both are -1.
type operand struct {
	table, from int
	scope       []int
	cells       int
}

// product is one of two operands, over the nodes of both.
type product struct {
	a, b  operand
	scope []int
	cells int
	walk  *walk
}

// NewPlan plans the elimination of a network, with the target last, or in any order where it is -1. It returns nil where a bucket
// would have more than mostCells, or all that is held at once more than mostRoom.
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
			if len(scope) == 0 { // all is known: a factor that normalizing takes out
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

// choose orders the nodes, always the one whose bucket is smallest (Zhang and Poole 1994), and of several the first. Nodes that share
// a factor are near each other, one bit each.
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
			best = 0 // the target alone
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

// each goes over the numbers of a set that has one bit for each.
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

// family lists the ranks of a node and its parents that are not known, rising.
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

// fill settles the products of bucket r, which has all of its operands, and sends its message on. Small operands are multiplied first, over no
// more nodes than they have. whole says that the product is wanted as well as the message.
func (p *plan) fill(r int, whole bool) {
	b := &p.buckets[r]
	slices.SortStableFunc(b.operands, func(x, y operand) int { return cmp.Compare(x.cells, y.cells) })
	at := b.operands[0]
	for _, next := range b.operands[1:] {
		if len(b.last) == 2 {
			x, y := b.last[0], b.last[1]
			scope := union(x.scope, y.scope)
			b.products = append(b.products, product{a: x, b: y, scope: scope, cells: p.cells(scope), walk: p.walk(scope, scope, x.scope, y.scope)})
			p.Up += float64(p.cells(scope))
			at = operand{table: -1, from: -1, scope: scope, cells: p.cells(scope)}
		}
		b.last = []operand{at, next}
	}
	if b.last == nil {
		b.last = []operand{at, {table: -1, from: -1}}
	}
	b.scope = union(b.last[0].scope, b.last[1].scope)
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

// union merges two rising lists.
func union(a, b []int) []int {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}
