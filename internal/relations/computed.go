package relations

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/kind"
	match "github.com/polydag/polydag/internal/names"
)

// ComputedReason is why a column is excluded that a formula of one or two others gives in every row.
const ComputedReason = "computed from other columns"

// computedRows and classRows are the least rows of a computed column, and of each of its classes: chance separates 5 of 30 rows with a
// probability of 7e-6.
const computedRows, classRows = 30, 5

// mostComputed is the largest number of columns that are compared in pairs.
const mostComputed = 1000

// A candidate is a column that may be computed from others.
type candidate interface {
	// columns returns the computed column and its sources.
	columns() (y int, of []int)
	// add takes a row, and reports whether the column may still be computed. It ignores rows with missing values.
	add(row []float64) bool
	// fresh returns the candidate before its first row.
	fresh() candidate
	// formula returns how the column is computed, or "" if the rows do not show it.
	formula(names []string) string
}

// Computed lists columns that a formula of one or two others gives in every row up to rounding: classes of a numeric column, indicators
// of a category, other words for the same categories, logarithms, squares, inverses, products and ratios. It lists the computed column,
// and its sources stay. A sample of the rows suggests formulas, and all rows, which each hands out, must agree. Columns of skip are
// excluded already, and those that match keep never. At least two columns stay. The result does not depend on the order of rows and
// columns.
func Computed(names []string, s *dataset.Sample, kinds []dataset.Variable, keep []string, skip []dataset.Excluded, each func(func(row []float64)) error) ([]dataset.Excluded, error) {
	gone, left := make([]bool, len(names)), len(names)
	for j, name := range names {
		if gone[j] = slices.ContainsFunc(skip, func(x dataset.Excluded) bool { return x.Name == name }); gone[j] {
			left--
		}
	}
	list := slices.DeleteFunc(suggested(names, s, kinds, gone), func(c candidate) bool {
		y, _ := c.columns()
		return isKept(names[y], keep)
	})
	if len(list) == 0 {
		return nil, nil
	}
	if err := each(func(row []float64) {
		for i, c := range list {
			if c != nil && !c.add(row) {
				list[i] = nil
			}
		}
	}); err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(c candidate) bool { return c == nil })
	slices.SortStableFunc(list, func(a, b candidate) int { return slices.Compare(rank(a, names), rank(b, names)) })
	var out []dataset.Excluded
	for _, c := range list {
		y, of := c.columns()
		if left == 2 || gone[y] || slices.ContainsFunc(of, func(v int) bool { return gone[v] }) {
			continue
		}
		if formula := c.formula(names); formula != "" {
			gone[y] = true
			left--
			out = append(out, dataset.Excluded{Name: names[y], Reason: ComputedReason, Detail: formula})
		}
	}
	slices.SortFunc(out, func(a, b dataset.Excluded) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// rank orders candidates: fewer sources first, then the likelier ones, then by names, so that the order of the columns does not matter.
func rank(c candidate, names []string) []string {
	y, of := c.columns()
	list := []string{fmt.Sprint(len(of))}
	if f, ok := c.(*expression); ok {
		list = append(list, f.likely(names)...)
	}
	list = append(list, names[y])
	for _, v := range of {
		list = append(list, names[v])
	}
	return list
}

// suggested returns the candidates that agree with the sample.
func suggested(names []string, s *dataset.Sample, kinds []dataset.Variable, gone []bool) []candidate {
	var out []candidate
	var numbers []int
	if len(kinds) > mostComputed {
		return nil
	}
	consider := func(c candidate) {
		for i := range s.Rows() {
			if !c.add(s.Row(i)) {
				return
			}
		}
		out = append(out, c.fresh())
	}
	unit := make([]float64, len(names))
	for v, k := range kinds {
		if !gone[v] && k.Words == nil && !k.Kind.Discrete() && k.Levels > kind.FewLevels {
			numbers, unit[v] = append(numbers, v), Unit(s.Values, s.Columns, v)
		}
	}
	for y, k := range kinds {
		if gone[y] || !k.Kind.Discrete() || k.Levels > kind.FewLevels {
			continue
		}
		for _, x := range numbers {
			consider(&cut{y: y, x: x, words: k.Words, unit: unit[x], classes: map[float64]*class{}})
		}
		for x := range kinds {
			if x != y && !gone[x] && k.Kind == kind.Binary && kinds[x].Words != nil && (kinds[x].Levels > 2 || k.Words == nil || names[x] < names[y]) {
				consider(&indicator{y: y, x: x, own: k.Words, words: kinds[x].Words, value: map[float64]float64{}, rows: map[float64]int{}})
			}
		}
	}
	for _, c := range append(transforms(names, s, numbers, unit), products(names, s, numbers, unit)...) {
		consider(c)
	}
	return out
}

func isKept(name string, keep []string) bool {
	if strings.ContainsAny(name, "*,") { // Drop would read these as a pattern or a list
		return true
	}
	return slices.ContainsFunc(match.Separate(keep, func(p string) bool { return p == name }), func(pattern string) bool {
		return pattern == name || match.Match([]rune(pattern), []rune(name))
	})
}
