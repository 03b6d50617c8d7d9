package graph

import "slices"

// Skeleton returns the adjacent pairs as edges with From < To, sorted. A pair i ⇄ j appears once; self-loops are omitted.
func (g *Graph) Skeleton() []Edge {
	var pairs []Edge
	for i := range g.children {
		// Merge the larger ends of both lists.
		c, p := after(g.children[i], i), after(g.parents[i], i)
		for len(c) > 0 || len(p) > 0 {
			var j int
			switch {
			case len(p) == 0 || len(c) > 0 && c[0] < p[0]:
				j, c = c[0], c[1:]
			case len(c) == 0 || p[0] < c[0]:
				j, p = p[0], p[1:]
			default:
				j, c, p = c[0], c[1:], p[1:]
			}
			pairs = append(pairs, Edge{i, j})
		}
	}
	return pairs
}

// after returns the part of a sorted list that is greater than v.
func after(list []int, v int) []int {
	at, found := slices.BinarySearch(list, v)
	if found {
		at++
	}
	return list[at:]
}

// A VStructure is A → Mid ← B with A < B and no edge between A and B.
type VStructure struct{ A, Mid, B int }

// VStructures returns all v-structures, sorted by Mid, then A, then B. It visits every pair of parents.
func (g *Graph) VStructures() []VStructure {
	var all []VStructure
	for mid, parents := range g.parents {
		for k, a := range parents {
			for _, b := range parents[k+1:] {
				if a != mid && b != mid && !g.Adjacent(a, b) {
					all = append(all, VStructure{a, mid, b})
				}
			}
		}
	}
	return all
}

// MarkovEquivalent reports whether two DAGs on the same nodes imply the same conditional independences, which is true exactly if
// they have the same skeleton and the same v-structures: Verma and Pearl (1990). The error is a *CycleError if one is not a DAG.
func MarkovEquivalent(g, h *Graph) (bool, error) {
	for _, x := range []*Graph{g, h} {
		if _, err := x.Order(); err != nil {
			return false, err
		}
	}
	return g.N() == h.N() && g.edges == h.edges &&
		slices.Equal(g.Skeleton(), h.Skeleton()) &&
		slices.Equal(g.VStructures(), h.VStructures()), nil
}
