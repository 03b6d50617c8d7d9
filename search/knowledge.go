package search

import (
	"fmt"
	"slices"
)

// Knowledge is prior knowledge about the graph. It is enforced: every result has the required edges and none of the forbidden ones.
// The zero value is empty.
type Knowledge struct {
	// Required lists edges {i, j}, i → j. They must be acyclic.
	Required [][2]int
	// Forbidden reports whether the edge i → j is forbidden; nil allows all. It must be a pure function: it is called once for
	// every pair before the search.
	Forbidden func(i, j int) bool
	// Tiers has the tier of each variable, or is nil. No edge leads from a tier to a lower one.
	Tiers []int
	// Prior is the cost of the edge i → j besides its penalty, on the scale of the score: minus twice the logarithm of its prior
	// odds. It is negative for an edge that is more probable than others; nil for no prior. It must be a pure function: it is called
	// twice for every pair before the search.
	Prior func(i, j int) float64
}

// faults returns the errors in k for d variables.
func (k Knowledge) faults(d int) []error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	tiers := k.Tiers
	if tiers != nil && len(tiers) != d {
		fault("Knowledge.Tiers has %d values for %d variables", len(tiers), d)
		tiers = nil
	}
	sound := true
	for n, e := range k.Required {
		i, j := e[0], e[1]
		switch {
		case i < 0 || i >= d || j < 0 || j >= d || i == j:
			fault("Knowledge.Required[%d] = %d → %d, want two different variables of 0..%d", n, i, j, d-1)
			sound = false
			continue
		case tiers != nil && tiers[i] > tiers[j]:
			fault("Knowledge.Required[%d] = %d → %d leads from tier %d down to tier %d", n, i, j, tiers[i], tiers[j])
		}
		if k.Forbidden != nil && k.Forbidden(i, j) {
			fault("Knowledge.Required[%d] = %d → %d is also forbidden", n, i, j)
		}
	}
	if sound && len(k.Required) > 0 {
		if done := topological(k.requiredParents(d), nil); len(done) < d {
			placed := make([]bool, d)
			for _, v := range done {
				placed[v] = true
			}
			fault("Knowledge.Required has a cycle through variable %d", slices.Index(placed, false))
		}
	}
	if k.Prior != nil {
		if err := k.priorFault(d); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// requiredParents lists the required parents of each variable, sorted, without repetition.
func (k Knowledge) requiredParents(d int) [][]int32 {
	req := make([][]int32, d)
	for _, e := range k.Required {
		req[e[1]] = append(req[e[1]], int32(e[0]))
	}
	for v := range req {
		slices.Sort(req[v])
		req[v] = slices.Compact(req[v])
	}
	return req
}

// checkOrder returns an error if start is not an order of d variables that k allows.
func (k Knowledge) checkOrder(start []int, d int) error {
	pos := make([]int, d)
	for i := range pos {
		pos[i] = -1
	}
	for i, v := range start {
		if v < 0 || v >= d || pos[v] >= 0 {
			return fmt.Errorf("entry %d = %d, want a permutation of 0..%d", i, v, d-1)
		}
		pos[v] = i
	}
	if len(start) != d {
		return fmt.Errorf("%d entries for %d variables", len(start), d)
	}
	for _, e := range k.Required {
		if pos[e[0]] > pos[e[1]] {
			return fmt.Errorf("%d stands before %d, but the edge %d → %d is required", e[1], e[0], e[0], e[1])
		}
	}
	if k.Tiers != nil {
		for i := 1; i < d; i++ {
			if a, b := start[i-1], start[i]; k.Tiers[a] > k.Tiers[b] {
				return fmt.Errorf("%d (tier %d) stands before %d (tier %d)", a, k.Tiers[a], b, k.Tiers[b])
			}
		}
	}
	return nil
}

// rules is Knowledge in the form that the search uses.
type rules struct {
	// required and requires list parents and children over required edges; nil without any.
	required, requires [][]int32
	// forbid has, in row v, the variables that may not be parents of v; nil if all may.
	forbid bitRows
	// first and last are the positions that the tier of each variable spans; nil without tiers.
	first, last []int32
	// targets are the variables that may have parents, nil if all may. The others, such as lagged values, come first in every order and
	// are never moved, so that the search costs about as much as one over the targets.
	targets []int32
	// prior and bonus are the prior costs by child; nil without a prior. See compilePrior.
	prior [][]edgeCost
	bonus []float64
}

func (k Knowledge) compile(d int) rules {
	var r rules
	r.prior, r.bonus = k.compilePrior(d)
	if len(k.Required) > 0 {
		r.required = k.requiredParents(d)
		r.requires = make([][]int32, d)
		for v, req := range r.required {
			for _, p := range req {
				r.requires[p] = append(r.requires[p], int32(v))
			}
		}
	}
	if k.Forbidden != nil || k.Tiers != nil {
		r.forbid = newBitRows(d)
		for v := range d {
			for x := range d {
				if x != v && (k.Forbidden != nil && k.Forbidden(x, v) || k.Tiers != nil && k.Tiers[x] > k.Tiers[v]) {
					r.forbid.set(v, x)
				}
			}
		}
	}
	if k.Tiers == nil {
		k.Tiers = r.inputs(d)
	}
	if k.Tiers != nil {
		r.first, r.last = make([]int32, d), make([]int32, d)
		sorted := slices.Sorted(slices.Values(k.Tiers))
		for v, t := range k.Tiers {
			lo, _ := slices.BinarySearch(sorted, t)
			hi := lo
			for hi+1 < d && sorted[hi+1] == t {
				hi++
			}
			r.first[v], r.last[v] = int32(lo), int32(hi)
		}
	}
	return r
}

// inputs sets targets and returns tiers with all other variables first. It returns nil if every variable may have parents.
func (r *rules) inputs(d int) []int {
	if r.forbid.words == nil {
		return nil
	}
	tiers := make([]int, d)
	for v := range d {
		for x := range d {
			if x != v && !r.forbid.has(v, x) {
				tiers[v] = 1
				r.targets = append(r.targets, int32(v))
				break
			}
		}
	}
	if len(r.targets) == 0 || len(r.targets) == d {
		r.targets = nil
		return nil
	}
	return tiers
}

// span returns the first and last position that v may move to while the others stay.
func (r *rules) span(v int32, pos []int32) (lo, hi int32) {
	lo, hi = 0, int32(len(pos)-1)
	if r.first != nil {
		lo, hi = r.first[v], r.last[v]
	}
	if r.required != nil {
		for _, p := range r.required[v] {
			lo = max(lo, pos[p]+1)
		}
		for _, c := range r.requires[v] {
			hi = min(hi, pos[c]-1)
		}
	}
	return lo, hi
}

// isRequired reports whether p → v is required.
func (r *rules) isRequired(p, v int32) bool {
	if r.required == nil {
		return false
	}
	_, ok := slices.BinarySearch(r.required[v], p)
	return ok
}

// isTarget reports whether v may have parents.
func (r *rules) isTarget(v int32) bool {
	if r.targets == nil {
		return true
	}
	_, ok := slices.BinarySearch(r.targets, v)
	return ok
}

// isForbidden reports whether p → v is forbidden.
func (r *rules) isForbidden(p, v int32) bool {
	return r.forbid.words != nil && r.forbid.has(int(v), int(p))
}

// repair returns the allowed order closest to wish: among the variables whose tier and required parents are ready, the first in
// wish comes next. O(d log d).
func (r *rules) repair(wish []int32) []int32 {
	wished := r.tiered(slices.Clone(wish))
	if r.required == nil {
		return wished
	}
	rank := make([]int32, len(wish))
	for i, v := range wished {
		rank[v] = int32(i)
	}
	return topological(r.required, rank)
}

// requiredOf returns the required parents of v.
func (r *rules) requiredOf(v int32) []uint32 {
	if r.required == nil {
		return nil
	}
	return unsigned(r.required[v])
}

// tiered returns the order with sorted tiers and nothing else changed.
func (r *rules) tiered(order []int32) []int32 {
	if r.first != nil {
		slices.SortStableFunc(order, func(a, b int32) int { return int(r.first[a] - r.first[b]) })
	}
	return order
}
