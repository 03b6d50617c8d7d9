package graph

import "slices"

// cutRounds limits the rounds of local search. In practice it stops after two or three rounds because nothing improves.
const cutRounds = 20

// cutOrder returns an order with a small total weight of arcs against it: the better of two heuristics, each improved by moving
// single nodes. After each improvement, arcs that close no cycle are restored, which gives another order to improve, until nothing
// changes.
func (c *component) cutOrder() []int {
	var best []int
	var bestCost float64
	for _, order := range [][]int{c.greedyOrder(), c.heaviestOrder()} {
		_, cost := c.withoutCycles(order)
		for range cutRounds {
			next := slices.Clone(order)
			c.improve(next)
			keep, nextCost := c.withoutCycles(next)
			if nextCost >= cost {
				break
			}
			order, cost = c.orderOf(keep), nextCost
		}
		if best == nil || cost < bestCost {
			best, bestCost = order, cost
		}
	}
	return best
}

// greedyOrder is the heuristic of Eades, Lin and Smyth (1993) with weights: sinks go to the
// right end, sources to the left end, and if there are neither the node with the largest
// difference of outgoing and incoming weight goes to the left. O(k² + m).
func (c *component) greedyOrder() []int {
	out, in := make([]float64, c.k), make([]float64, c.k)
	outArcs, inArcs := make([]int, c.k), make([]int, c.k)
	count := func(a weightedEdge, by int) {
		outArcs[a.From] += by
		inArcs[a.To] += by
		out[a.From] += float64(by) * a.weight
		in[a.To] += float64(by) * a.weight
	}
	for _, a := range c.arcs {
		count(a, 1)
	}
	order := make([]int, c.k)
	left, right := 0, c.k
	gone := make([]bool, c.k)
	for left < right {
		pick, toRight := -1, false
		for v := range c.k {
			if gone[v] {
				continue
			}
			if outArcs[v] == 0 {
				pick, toRight = v, true
				break
			}
			if inArcs[v] == 0 {
				pick = v
				break
			}
			if pick < 0 || out[v]-in[v] > out[pick]-in[pick] {
				pick = v
			}
		}
		gone[pick] = true
		if toRight {
			right--
			order[right] = pick
		} else {
			order[left] = pick
			left++
		}
		for _, k := range c.at[pick] {
			if a := c.arcs[k]; !gone[a.From] || !gone[a.To] {
				count(a, -1)
			}
		}
	}
	return order
}

// heaviestOrder inserts the arcs from the heaviest on, skips those that close a cycle, and returns an order of the result.
func (c *component) heaviestOrder() []int {
	keep := make([]bool, len(c.arcs))
	paths := newReach(c.k)
	for k, a := range c.arcs {
		keep[k] = paths.add(a.From, a.To)
	}
	return c.orderOf(keep)
}

// orderOf returns a topological order of the kept arcs, which must be acyclic.
func (c *component) orderOf(keep []bool) []int {
	parents := make([][]int, c.k)
	for k, a := range c.arcs {
		if keep[k] {
			parents[a.To] = append(parents[a.To], a.From)
		}
	}
	order, err := FromParents(parents).Order()
	if err != nil {
		panic("graph: kept arcs have a cycle: " + err.Error())
	}
	return order
}

// improve moves single nodes to the position in the order with the least weight of backward arcs, until no move
// improves. Ties and gains below rounding do not move a node, so it terminates. O(m log m) per pass and O(k)
// per move.
func (c *component) improve(order []int) {
	place := places(order)
	total := 0.0
	for _, a := range c.arcs {
		total += a.weight
	}
	tiny := 1e-12 * total
	// A step packs the place of a neighbor and the index of the arc into one number, because sorting takes most of the time in a
	// dense component.
	const arcBits = 32
	var steps []int64
	for moved := true; moved; {
		moved = false
		for v := range c.k {
			steps = steps[:0]
			cost := 0.0 // cost of v at the far left: all arcs into it go against the order
			for _, k := range c.at[v] {
				a := c.arcs[k]
				if a.To == v {
					cost += a.weight
					steps = append(steps, int64(place[a.From])<<arcBits|int64(k))
				} else {
					steps = append(steps, int64(place[a.To])<<arcBits|int64(k))
				}
			}
			slices.Sort(steps)

			// slot s means: after every node with place < s, before the others.
			slot, slotCost := 0, cost
			hereCost := cost // cost at the present place of v
			for s := 0; s < len(steps); {
				p := int(steps[s] >> arcBits)
				for ; s < len(steps) && int(steps[s]>>arcBits) == p; s++ {
					a := c.arcs[steps[s]&(1<<arcBits-1)]
					if a.To == v {
						cost -= a.weight
					} else {
						cost += a.weight
					}
				}
				if cost < slotCost {
					slot, slotCost = p+1, cost
				}
				if place[v] > p && (s == len(steps) || place[v] < int(steps[s]>>arcBits)) {
					hereCost = cost
				}
			}
			if slotCost >= hereCost-tiny {
				continue
			}
			moved = true
			moveTo(order, place, v, slot)
		}
	}
}

// moveTo moves v before the node at place slot.
func moveTo(order, place []int, v, slot int) {
	from := place[v]
	if slot > from {
		slot--
		copy(order[from:slot], order[from+1:slot+1])
	} else {
		copy(order[slot+1:from+1], order[slot:from])
	}
	order[slot] = v
	for at := min(from, slot); at <= max(from, slot); at++ {
		place[order[at]] = at
	}
}
