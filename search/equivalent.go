package search

import (
	"math/rand/v2"
	"slices"
)

// Graphs of one Markov equivalence class have the same score (with unequal variances), and
// reversals of covered edges join any two of them: edges p → v with
// parents(v) = parents(p) ∪ {p} (Chickering 1995).

// class is a graph that is moved within its Markov equivalence class.
type class struct {
	e       *engine
	parents [][]int32 // ascending
	changed []bool
}

func (e *engine) class() *class {
	c := &class{e: e, parents: make([][]int32, e.d), changed: make([]bool, e.d)}
	for v := range c.parents {
		for _, p := range e.cache.at(e.node[v]).parents() {
			c.parents[v] = append(c.parents[v], int32(p))
		}
	}
	return c
}

// reverse reverses the edge from the j-th parent of v if it is covered and prior knowledge allows it, and reports whether it did.
func (c *class) reverse(v int32, j int) bool {
	p := c.parents[v][j]
	if !covered(c.parents[p], c.parents[v], p) || c.e.rules.isRequired(p, v) || c.e.rules.isForbidden(v, p) {
		return false
	}
	c.parents[v] = slices.Delete(c.parents[v], j, j+1)
	at, _ := slices.BinarySearch(c.parents[p], v)
	c.parents[p] = slices.Insert(c.parents[p], at, v)
	c.changed[v], c.changed[p] = true, true
	return true
}

// covered reports whether the sorted sets satisfy big = small ∪ {p}.
func covered(small, big []int32, p int32) bool {
	if len(big) != len(small)+1 {
		return false
	}
	i := 0
	for _, x := range big {
		if x == p {
			continue
		}
		if i == len(small) || small[i] != x {
			return false
		}
		i++
	}
	return true
}

// adopt makes the graph the present one, in the topological order of smallest rank.
func (c *class) adopt(rank []int32) {
	e := c.e
	for v, changed := range c.changed {
		if changed {
			e.setNode(int32(v), e.workers[0].nodeOf(int32(v), unsigned(c.parents[v])))
		}
	}
	e.place(e.rules.tiered(topological(c.parents, rank)))
}

// equivalent moves to a random graph of the class and a random order of it. The score stays the same.
func (e *engine) equivalent(rng *rand.Rand) {
	c := e.class()
	for range 2 * e.edges() {
		v := int32(rng.IntN(e.d))
		if k := len(c.parents[v]); k > 0 {
			c.reverse(v, rng.IntN(k))
		}
	}
	c.adopt(randomRank(e.d, rng))
	e.load(e.order)
	e.queueAll()
}

func randomRank(d int, rng *rand.Rand) []int32 {
	rank := make([]int32, d)
	for i, r := range rng.Perm(d) {
		rank[i] = int32(r)
	}
	return rank
}

// prefer moves to the graph of the class that agrees best with a preferred order, given as the rank of each variable: it reverses
// covered edges against the prior, or against the order where the prior is indifferent, until there are none. Data cannot distinguish the
// graphs of a class, and otherwise the choice would be the random one of the last successful round. The order of the first descent is right
// more often (F1 .97 against .96 at 2d edges).
func (e *engine) prefer(rank []int32) {
	c := e.class()
	for again := true; again; {
		again = false
		for v := range int32(e.d) {
			for j := 0; j < len(c.parents[v]); j++ {
				if e.prefersReversal(c.parents[v][j], v, rank) && c.reverse(v, j) {
					again = true
					j--
				}
			}
		}
	}
	c.adopt(rank)
}
