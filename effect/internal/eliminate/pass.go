package eliminate

import (
	"slices"

	"github.com/polydag/polydag/internal/intset"
)

// Pass computes the effects of an intervention on one column on several others. Messages go along the buckets
// of one plan to the roots and back, and then each bucket has the joint distribution of its nodes (Lauritzen
// and Spiegelhalter 1988). It costs about two or three eliminations for any number of targets. A pass has no
// numbers and is safe for concurrent use.
type Pass struct {
	*plan
	nodes   []netNode // nodes of the network, the intervened column first
	targets []target
	needed  []bool  // buckets whose beliefs are needed
	Cost    float64 // cells of one run
	back    []*walk // to the nodes that a bucket shares with its parent bucket
}

// target is a target column.
type target struct {
	column, rank int
	// If the intervened column is a parent, these are the bucket with the other parents, their ranks, and the
	// walk from the bucket.
	child   bool
	bucket  int
	parents []int
	others  *walk
}

// looked is a target column: its node, and whether the intervened column is one of its parents.
type looked struct {
	column, node int
	child        bool
}

// newPass plans the effects of an intervention on the first node of a network on some columns. It returns nil
// if that needs more than passRoom.
func newPass(n *Network, at []looked) *Pass {
	plan := NewPlan(n, -1)
	if plan == nil {
		return nil
	}
	p := &Pass{plan: plan, nodes: n.Nodes, needed: make([]bool, len(plan.buckets)), back: make([]*walk, len(plan.buckets)), Cost: plan.Up}
	for _, l := range at {
		k := l.node
		t := target{column: l.column, rank: plan.rank[k], child: l.child}
		p.needed[t.rank] = true
		if t.child {
			family := plan.family(n, k)
			t.bucket = family[0]
			t.parents = slices.DeleteFunc(family, func(r int) bool { return r == t.rank })
			bucket := plan.buckets[t.bucket]
			t.others = plan.walk(bucket.scope, t.parents, bucket.scope, nil)
			p.needed[t.bucket] = true
			p.Cost += float64(bucket.cells)
		}
		p.targets = append(p.targets, t)
	}
	for r := range plan.buckets { // ascending: a bucket precedes its parent
		b := &plan.buckets[r]
		if !p.needed[r] {
			continue
		}
		p.Cost += float64(b.cells)
		if b.into >= 0 {
			p.needed[b.into] = true
			into := plan.buckets[b.into]
			p.back[r] = plan.walk(into.scope, b.scope[1:], into.scope, nil)
			p.Cost += float64(into.cells)
		}
	}
	if p.room = plan.place(p.needed); p.room > passRoom {
		return nil
	}
	return p
}

// Has reports whether b is a target.
func (p *Pass) Has(b int) bool {
	return slices.ContainsFunc(p.targets, func(t target) bool { return t.column == b })
}

// Found is the result of a pass for one value of the intervened column.
type Found struct {
	Do map[int][]float64 // by target: the probabilities of its levels
	// Direct has the probabilities of a target that is a child, with the other parents distributed as under the
	// intervention, and the edge from the intervened column carrying each of its levels.
	Direct map[int][][]float64
}

// Run computes the probabilities under a model of the graph of the pass, with an intervention that sets the
// column to code.
func (p *Pass) Run(m tables, code int) (*Found, error) {
	n := &Network{of: m, Nodes: slices.Clone(p.nodes)}
	n.Nodes[0].fixed = code
	if err := n.Fit(); err != nil {
		return nil, err
	}
	c := memory.Get().(*cells)
	defer memory.Put(c)
	p.beliefs(c, n)
	out := &Found{Do: map[int][]float64{}, Direct: map[int][][]float64{}}
	for _, t := range p.targets {
		whole := p.buckets[t.rank].wholeAt.of(c.held)
		levels := p.levels[t.rank]
		y := make([]float64, levels)
		for l := range y {
			for _, x := range whole[l*len(whole)/levels : (l+1)*len(whole)/levels] {
				y[l] += x
			}
		}
		out.Do[t.column] = y
		if t.child {
			out.Direct[t.column] = p.edge(c, n, t)
		}
	}
	return out, nil
}

// beliefs computes the joint distribution of each needed bucket in its whole product. The message from the
// parent bucket is the distribution of the shared nodes and replaces the message that went up.
func (p *Pass) beliefs(c *cells, n *Network) {
	c.held = grown(c.held, p.room)
	for r := range p.buckets {
		a, b := p.fold(c, n, r)
		bucket := &p.buckets[r]
		whole, message := bucket.wholeAt.of(c.held), bucket.messageAt.of(c.held)
		bucket.whole.do(&c.places, whole, a, b)
		clear(message)
		bucket.message.do(&c.places, message, whole, one)
	}
	for r := len(p.buckets) - 1; r >= 0; r-- {
		if !p.needed[r] {
			continue
		}
		bucket := &p.buckets[r]
		whole, up := bucket.wholeAt.of(c.held), bucket.messageAt.of(c.held)
		c.ratio = zeroed(c.ratio, len(up))
		if bucket.into >= 0 {
			p.back[r].do(&c.places, c.ratio, p.buckets[bucket.into].wholeAt.of(c.held), one)
		} else {
			c.ratio[0] = 1
		}
		for i, x := range up {
			if x > 0 {
				c.ratio[i] /= x
			}
		}
		for at := 0; at < len(whole); at += len(up) {
			part := whole[at:][:len(c.ratio)]
			for i, x := range c.ratio {
				part[i] *= x
			}
		}
	}
}

// edge returns the distributions of a child if the edge from the intervened column carries each of its levels.
func (p *Pass) edge(c *cells, n *Network, t target) [][]float64 {
	share := make([]float64, p.plan.cells(t.parents))
	t.others.do(&c.places, share, p.buckets[t.bucket].wholeAt.of(c.held), one)
	k := p.plan.nodes[t.rank]
	scope := intset.Union(t.parents, []int{t.rank})
	own := operand{table: k, from: -1, scope: scope, cells: p.plan.cells(scope)}
	along := p.walk(scope, []int{t.rank}, scope, t.parents)
	table := make([]float64, own.cells)
	was := n.Nodes[0].fixed
	defer func() { n.Nodes[0].fixed = was }()
	out := make([][]float64, n.levels(0))
	for level := range out {
		n.Nodes[0].fixed = level
		p.own(n, own, table)
		out[level] = make([]float64, p.levels[t.rank])
		along.do(&c.places, out[level], table, share)
	}
	return out
}
