package relations

import (
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/kind"
)

// Repeated detects columns of a table that repeat the same records. s has all its rows. Repeated returns these columns, each of
// which determines the others, and the number of distinct records; nil and 0 if they are not a majority. Repeated records do not add
// observations of the relations between these columns.
func Repeated(s *dataset.Sample, kinds []dataset.Variable) (columns []int, records int) {
	var tied []int
	for j, k := range kinds {
		if k.Words == nil && k.Levels > kind.FewLevels && 2*k.Levels <= s.Rows() {
			tied = append(tied, j)
		}
	}
	group, records := Records(s.Values, s.Columns, tied)
	if 2*len(group) <= s.Columns || 2*records > s.Rows() {
		return nil, 0
	}
	return group, records
}

// Determined lists the numeric columns of a table that are linear functions of others up to rounding, except those that match a
// pattern of keep. s is a sample of its rows, or nil.
func Determined(m *dataset.Moments, s *dataset.Sample, kinds []dataset.Variable, keep []string) []dataset.Excluded {
	var numbers []int
	for j, k := range kinds {
		if k.Words == nil && k.Kind != kind.Binary && k.Kind != kind.Categorical {
			numbers = append(numbers, j)
		}
	}
	var unit []float64
	if s != nil {
		for _, j := range numbers {
			unit = append(unit, Unit(s.Values, s.Columns, j))
		}
	}
	var out []dataset.Excluded
	for _, r := range Find(m, numbers, unit) {
		if !isKept(r.Column, keep) {
			out = append(out, dataset.Excluded{Name: r.Column, Reason: "linear function of other columns", Detail: r.Relation})
		}
	}
	return out
}

// Records looks for columns that repeat whole records, such as the quarterly prices next to each building
// started in that quarter. Such columns have equal values in the same rows: each determines all others. It
// returns the largest such group of the given columns and the number of distinct records, or 0 if there is
// none. values are rows of d columns.
func Records(values []float64, d int, columns []int) (group []int, records int) {
	type pattern struct {
		records int
		hash    uint64
	}
	groups := map[pattern][]int{}
	var order []pattern
	for _, j := range columns {
		first := map[float64]uint64{}
		hash := uint64(14695981039346656037) // FNV-1a
		for i := j; i < len(values); i += d {
			k, ok := first[values[i]]
			if !ok {
				k = uint64(len(first))
				first[values[i]] = k
			}
			hash = (hash ^ k) * 1099511628211
		}
		p := pattern{len(first), hash}
		if groups[p] == nil {
			order = append(order, p)
		}
		groups[p] = append(groups[p], j)
	}
	for _, p := range order {
		if g := groups[p]; len(g) > 1 && (len(g) > len(group) || len(g) == len(group) && p.records > records) {
			group, records = g, p.records
		}
	}
	return group, records
}
