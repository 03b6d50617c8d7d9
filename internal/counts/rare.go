package counts

import (
	"math/bits"
	"slices"
	"sync/atomic"
)

// A rareNode has the counts of the rows in which every column of a set has its rare level, the less frequent
// level of a binary column. It has the number of these rows and the number in each lane. The sets are paths in
// a tree from the empty set, with the rarest columns first.
//
// The counts of all configurations of a set follow from those of its subsets by subtraction (Moore and Lee
// 1998). For s columns that are rare in a fifth of the rows, all are rare in about 5^-s of the table. A subset
// is counted once for all sets that contain it. Several goroutines share a tree; a node computed twice has the
// same content.
type rareNode struct {
	rows  uint32
	lanes []uint32
	list  []uint32                                   // the rows, if they are few
	kids  atomic.Pointer[[]atomic.Pointer[rareNode]] // by rank of the columns after the last of the set
}

const (
	rareMemory = 12 << 20 // values in all nodes: 48 MB; then the tree starts again
	rareCost   = 16       // rows that can be sorted in the time of one node
)

// rarePays reports whether all columns of a set are binary, and nodes for the subsets with x cost less than
// sorting the rows in which x is rare. There are 2^(s-1) such nodes for s columns, and most are cached. With
// some hundred columns they would not be, because the nodes of single columns would use too much memory.
func (c *Counter) rarePays(set []int, x int) bool {
	if 3*len(c.t.columns)*c.t.lanes.count > rareMemory/48 {
		return false
	}
	for _, v := range set {
		if c.t.columns[v].levels != 2 {
			return false
		}
	}
	return rareCost<<(len(set)-1) <= len(c.t.joints.rare[x])
}

// joinRare computes the joint of a set from the joint without its member x. First, each configuration in which
// x is rare gets the rows with its rare levels, for any levels of the other columns. Then the rows that violate
// the common levels are subtracted, one column after the other. O(2^s·s·lanes), plus the cost of missing nodes.
func (c *Counter) joinRare(set []int, x int, smaller *joint) *joint {
	t := c.t
	size, lanes := len(smaller.rows)*2, t.lanes.count
	j := &joint{set: set, rows: make([]uint32, size), lanes: make([]uint32, size*lanes)}
	js := t.joints
	root := js.tree.Load()
	if root == nil || js.treeSize.Load() > rareMemory {
		root = &rareNode{rows: uint32(t.rows)}
		js.tree.Store(root)
		js.treeSize.Store(0)
	}
	c.path, c.places = c.path[:0], c.places[:0]
	for k := range set {
		c.places = append(c.places, k)
	}
	slices.SortFunc(c.places, func(a, b int) int { return js.rank[set[a]] - js.rank[set[b]] })
	c.fillRare(j, root, 0, 0, x)
	stride := j.stride(t, x)
	for k, y := range set {
		if y == x {
			continue
		}
		step, common := 1<<k, int(js.common[y])<<k
		for id, n := range j.rows {
			if id&step == common || n == 0 {
				continue
			}
			to := id ^ step
			j.rows[to] -= n
			subtractFrom(j.lanes[to*lanes:][:lanes], j.lanes[id*lanes:][:lanes])
		}
	}
	j.rest(smaller, stride, 2, int(js.common[x]), lanes)
	return j
}

// fillRare writes the nodes below node to the joint: those of the subsets continued by columns from the k-th
// rarest of the set on. id has the levels of the earlier columns, and c.path the columns of the subset. Subsets
// without x are omitted.
func (c *Counter) fillRare(j *joint, node *rareNode, k, id, x int) {
	if node.rows == 0 {
		return
	}
	if k == len(j.set) {
		j.rows[id] = node.rows
		copy(j.lanes[id*len(node.lanes):], node.lanes)
		return
	}
	place := c.places[k]
	y := j.set[place]
	common := int(c.t.joints.common[y])
	if y != x {
		c.fillRare(j, node, k+1, id|common<<place, x)
	}
	c.path = append(c.path, y)
	c.fillRare(j, c.rareKid(node), k+1, id|(1-common)<<place, x)
	c.path = c.path[:len(c.path)-1]
}

// rareKid returns the node of c.path and creates it if needed; node is that of the path without its last
// column.
func (c *Counter) rareKid(node *rareNode) *rareNode {
	js, behind := c.t.joints, 0
	if k := len(c.path); k > 1 {
		behind = js.rank[c.path[k-2]] + 1
	}
	latest := c.path[len(c.path)-1]
	kids := node.kids.Load()
	if kids == nil {
		own := make([]atomic.Pointer[rareNode], len(c.t.columns)-behind)
		js.treeSize.Add(int64(2 * len(own)))
		if kids = &own; !node.kids.CompareAndSwap(nil, kids) {
			kids = node.kids.Load()
		}
	}
	at := &(*kids)[js.rank[latest]-behind]
	kid := at.Load()
	if kid == nil {
		kid = &rareNode{lanes: make([]uint32, c.t.lanes.count)}
		rows := c.rareRows(node.list)
		if kid.rows = c.sum(kid.lanes, rows); len(rows) <= len(js.rareBits[latest]) {
			kid.list = slices.Clone(rows)
		}
		js.treeSize.Add(int64(len(kid.lanes) + len(kid.list) + 24))
		at.Store(kid)
	}
	return kid
}

// rareRows lists the rows in which every column of c.path is rare. within are those of the path without its
// last column, or nil if they are not stored.
func (c *Counter) rareRows(within []uint32) []uint32 {
	rare, latest := c.t.joints.rareBits, c.path[len(c.path)-1]
	if len(c.path) == 1 {
		return c.t.joints.rare[latest]
	}
	if within != nil {
		rows, k, set := slices.Grow(c.list[:0], len(within))[:len(within)], 0, rare[latest]
		for _, i := range within {
			rows[k] = i
			k += int(set[i/64] >> (i % 64) & 1)
		}
		c.list = rows
		return rows[:k]
	}
	rows := c.list[:0]
	first, second, more := rare[c.path[0]], rare[c.path[1]], c.path[2:]
	second = second[:len(first)]
	for i, w := range first {
		w &= second[i]
		for _, y := range more {
			w &= rare[y][i]
		}
		for base := uint32(i * 64); w != 0; w &= w - 1 {
			rows = append(rows, base+uint32(bits.TrailingZeros64(w)))
		}
	}
	c.list = rows
	return rows
}

// subtractFrom subtracts b from a.
func subtractFrom(a, b []uint32) {
	b = b[:len(a)]
	for i := range a {
		a[i] -= b[i]
	}
}
