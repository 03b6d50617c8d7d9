package order

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
)

// equivalent moves to another graph of the same Markov equivalence class and to a random
// order of it: every graph of the class has the same score (with unequal variances), and two of
// them are joined by reversals of covered edges, those p → v with
// parents(v) = parents(p) ∪ {p} (Chickering 1995). The score stays, the place in the search changes.
func (e *engine) equivalent(rng *rand.Rand) {
	parents := make([][]int32, e.d)
	edges := 0
	for v := range parents {
		for _, p := range e.cache.at(e.node[v]).parents() {
			parents[v] = append(parents[v], int32(p))
		}
		edges += len(parents[v])
	}
	changed := make([]bool, e.d)
	for range 2 * edges {
		v := rng.IntN(e.d)
		if len(parents[v]) == 0 {
			continue
		}
		j := rng.IntN(len(parents[v]))
		p := parents[v][j]
		if !covered(parents[p], parents[v], p) || e.rules.isRequired(p, int32(v)) || e.rules.isForbidden(int32(v), p) {
			continue
		}
		parents[v] = slices.Delete(parents[v], j, j+1)
		at, _ := slices.BinarySearch(parents[p], int32(v))
		parents[p] = slices.Insert(parents[p], at, int32(v))
		changed[v], changed[p] = true, true
	}
	w := e.workers[0]
	for v, c := range changed {
		if c {
			e.setNode(int32(v), w.nodeOf(int32(v), unsigned(parents[v])))
		}
	}
	// Random ranks make the topological order random.
	rank := make([]int32, e.d)
	for i, r := range rng.Perm(e.d) {
		rank[i] = int32(r)
	}
	e.load(e.rules.tiered(topological(parents, rank)))
	for _, v := range e.order {
		e.queue.push(v)
	}
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

// shuffle exchanges ln d random pairs of variables.
func (e *engine) shuffle(rng *rand.Rand) {
	if e.d < 2 {
		return
	}
	order := slices.Clone(e.order)
	for range max(1, int(math.Log(float64(e.d)))) {
		i, j := rng.IntN(e.d), rng.IntN(e.d)
		order[i], order[j] = order[j], order[i]
	}
	e.reorder(e.rules.repair(order))
}

// reorder fits every variable to another order and queues those whom that concerns.
func (e *engine) reorder(order []int32) {
	before := slices.Clone(e.node)
	e.load(order)
	mark := func(x uint32) { e.queue.push(int32(x)) }
	for v, id := range before {
		if e.node[v] != id {
			e.queue.push(int32(v))
			e.each(e.cache.at(id), mark)
			e.each(e.cache.at(e.node[v]), mark)
		}
	}
}

func unsigned(xs []int32) []uint32 {
	out := make([]uint32, len(xs))
	for i, x := range xs {
		out[i] = uint32(x)
	}
	return out
}

var looseFactor = func() float64 {
	f, err := strconv.ParseFloat(os.Getenv("LOOSE"), 64)
	if err != nil {
		return 0.5
	}
	return f
}()

// loosen descends at a lower penalty first.
func (r *run) loosen() {
	e := r.e
	e.setPenalty(r.penalty * looseFactor)
	e.load(e.order)
	e.queueAll()
	e.descend(r.stopped)
	e.setPenalty(r.penalty)
	e.load(e.order)
	e.queueAll()
}
