package knowledge

import (
	"slices"

	"github.com/polydag/polydag/graph"
)

// Knowledge is a Spec by column index. It is immutable, and any number of goroutines may read it.
type Knowledge struct {
	names    []string
	required []graph.Edge // sorted
	forbids  []prohibition
	rows     [][]uint64 // see forbiddenRows
	tiers    []int      // nil or one per column; nil if they have odds
	inputs   []bool     // nil or one per column
	paths    *closure   // closure of required

	beliefs   map[graph.Edge]belief // stated prior probabilities
	softTiers []int                 // tiers that have odds; nil without any
	tierOdds  float64

	more func(i, j int) float64 // see WithCost
}

// WithCost returns k with costs of edges besides those of its prior probabilities. Only Cost includes them.
func (k *Knowledge) WithCost(more func(i, j int) float64) *Knowledge {
	own := *k
	own.more = more
	return &own
}

// N returns the number of columns.
func (k *Knowledge) N() int { return len(k.names) }

// Required returns the edges that every graph has, sorted by From, then To. They have no cycle and none is forbidden. The caller
// owns the slice.
func (k *Knowledge) Required() []graph.Edge { return slices.Clone(k.required) }

// Forbidden reports whether no DAG that agrees with the knowledge has the edge i → j: i == j, an entry forbids it, it leads from a
// later tier to an earlier one, j is an input, or required edges lead from j to i. Otherwise the required edges and i → j form such a DAG. O(1); a
// pure function.
func (k *Knowledge) Forbidden(i, j int) bool {
	return i == j || k.Input(j) || k.explicit(i, j) || k.againstTiers(i, j) || k.paths.leads(j, i)
}

// Input reports whether no edge leads to column j.
func (k *Knowledge) Input(j int) bool { return k.inputs != nil && k.inputs[j] }

// Inputs says which columns are inputs, or is nil if there are none. The caller owns the slice.
func (k *Knowledge) Inputs() []bool { return slices.Clone(k.inputs) }

func (k *Knowledge) explicit(i, j int) bool {
	return k.rows != nil && k.rows[i] != nil && hasBit(k.rows[i], j)
}

func (k *Knowledge) againstTiers(i, j int) bool {
	return k.tiers != nil && k.tiers[j] >= 0 && k.tiers[i] > k.tiers[j]
}

// Tiers returns the tier of each column, counted from 0 and -1 for a free column, or nil if there are no tiers. Forbidden covers
// the tiers too. Without free columns it is a ranking. The caller owns the slice.
func (k *Knowledge) Tiers() []int { return slices.Clone(k.tiers) }

// Mask returns Forbidden as a d×d matrix: entry i·d + j is true if i → j is forbidden. The caller owns the slice. O(d²) time and
// bytes.
func (k *Knowledge) Mask() []bool {
	d := len(k.names)
	mask := make([]bool, d*d)
	for i := range d {
		row := mask[i*d : (i+1)*d]
		for j := range row {
			row[j] = k.Forbidden(i, j)
		}
	}
	return mask
}
