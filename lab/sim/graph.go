package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// A GraphKind is a family of random graphs. Its text form is er, sf or sfin.
type GraphKind int

const (
	// ER is Erdős–Rényi: along a random order every pair is an edge with probability
	// degree/(d-1), so there are about degree·d/2 edges.
	ER GraphKind = iota
	// ScaleFree is preferential attachment (Barabási and Albert 1999): each node points
	// back from m = round(degree/2), at least 1, earlier nodes, picked with probability
	// proportional to their degree. Edges run from old to new.
	ScaleFree
	// ScaleFreeIn is ScaleFree with every edge reversed: hubs have many parents instead of many children.
	ScaleFreeIn
)

var graphNames = []string{"er", "sf", "sfin"}

// GraphNames lists the text forms.
func GraphNames() []string { return slices.Clone(graphNames) }

// String returns the text form.
func (k GraphKind) String() string { return nameOf(k, "GraphKind", graphNames) }

// MarshalText implements encoding.TextMarshaler.
func (k GraphKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *GraphKind) UnmarshalText(text []byte) error {
	return parse(k, graphNames, text, fmt.Errorf("graph %q, want one of %v", text, graphNames))
}

// drawGraph returns a causal order and the parents of each node. Edges only run forward in the order, so the graph is acyclic. cfg
// must be valid.
func drawGraph(cfg Settings, rng *rand.Rand) (order []int, parents [][]int) {
	d := cfg.Nodes
	order = make([]int, d)
	for i := range order {
		order[i] = i
	}
	if !cfg.CausalOrder {
		rng.Shuffle(d, func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	var byPlace [][]int // place in the order → places of the parents, ascending
	switch cfg.Graph {
	case ScaleFree:
		byPlace = attach(d, max(1, int(math.Round(cfg.Degree/2))), rng)
	case ScaleFreeIn:
		byPlace = turned(attach(d, max(1, int(math.Round(cfg.Degree/2))), rng))
	default:
		if cfg.Edges > 0 {
			byPlace = exactly(d, cfg.Edges, rng)
			break
		}
		byPlace = erdosRenyi(d, cfg.Degree/float64(d-1), rng)
	}
	parents = make([][]int, d)
	for b, places := range byPlace {
		for _, a := range places {
			parents[order[b]] = append(parents[order[b]], order[a])
		}
	}
	return order, parents
}

// erdosRenyi makes each pair a < b an edge with probability p. It visits the pairs row by
// row and draws the gap to the next edge, which is geometric (Batagelj and Brandes 2005):
// O(d + edges) instead of O(d²).
func erdosRenyi(d int, p float64, rng *rand.Rand) [][]int {
	parents := make([][]int, d)
	if p <= 0 {
		return parents
	}
	logq := math.Log1p(-p) // -Inf at p = 1: every gap is 0
	b, a := 1, -1
	for {
		gap := math.Floor(math.Log1p(-rng.Float64()) / logq)
		if !(gap < float64(d)*float64(d)) {
			return parents
		}
		a += 1 + int(gap)
		for a >= b {
			a -= b
			if b++; b >= d {
				return parents
			}
		}
		parents[b] = append(parents[b], a)
	}
}

// exactly returns a graph with the given number of edges, all equally likely, by Floyd's sampling without replacement (Bentley and
// Floyd 1987): time and memory are proportional to the edges, not the pairs.
func exactly(d, edges int, rng *rand.Rand) [][]int {
	parents := make([][]int, d)
	pairs := d * (d - 1) / 2
	taken := make(map[int]bool, edges)
	for last := pairs - edges; last < pairs; last++ {
		pair := rng.IntN(last + 1)
		if taken[pair] {
			pair = last
		}
		taken[pair] = true
	}
	for pair := range taken {
		// Pair b·(b-1)/2 + a is a < b.
		b := int((1 + math.Sqrt(1+8*float64(pair))) / 2)
		for b*(b-1)/2 > pair {
			b--
		}
		for (b+1)*b/2 <= pair {
			b++
		}
		parents[b] = append(parents[b], pair-b*(b-1)/2)
	}
	for _, p := range parents {
		slices.Sort(p)
	}
	return parents
}

// turned reverses every edge and the places, so that edges run forward again.
func turned(parents [][]int) [][]int {
	last := len(parents) - 1
	out := make([][]int, len(parents))
	for b := last; b >= 0; b-- {
		for _, a := range parents[b] {
			out[last-a] = append(out[last-a], last-b)
		}
	}
	return out
}

// attach gives node t the parents drawn from 0..t-1, min(m, t) of them, each with
// probability proportional to its degree so far.
func attach(d, m int, rng *rand.Rand) [][]int {
	parents := make([][]int, d)
	var ends []int // both ends of every edge, so that a uniform pick is proportional to the degree
	for t := 1; t < d; t++ {
		if t <= m {
			for a := range t {
				parents[t] = append(parents[t], a)
			}
		} else {
			for len(parents[t]) < m {
				if a := ends[rng.IntN(len(ends))]; !slices.Contains(parents[t], a) {
					parents[t] = append(parents[t], a)
				}
			}
			slices.Sort(parents[t])
		}
		for _, a := range parents[t] {
			ends = append(ends, a, t)
		}
	}
	return parents
}
