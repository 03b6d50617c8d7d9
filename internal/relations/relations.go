// Package relations finds columns that are linear functions of other columns of a table, such as a total of its parts.
package relations

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/matrix"
)

// A Relation is a column that others determine, and the formula.
type Relation struct {
	Column   string `json:"column"`
	Relation string `json:"relation"`
}

const (
	// tolerance is the share of its variance that the other columns may leave of a column, which is a thousandth of a percent of its
	// standard deviation. Strong effects leave more: a column with a signal-to-noise ratio of ten million keeps its edges.
	tolerance = 1e-10
	// spareRows beyond the columns keep chance from making a relation.
	spareRows = 10
	// mostColumns bounds the work, d³/3 flops.
	mostColumns = 2000
	// part is the least standardized coefficient that a formula shows, and mostTerms how many.
	part, mostTerms = 1e-4, 4
)

// Find returns a column for each exact linear relation among the given columns of the moments, so that the other columns determine those found and have no relation left. Of
// the columns of a relation it takes the one that the others explain best at first, such as the total and not a part. The
// result does not depend on the order of the columns. It is empty where the table has too few rows to tell, and above 2000 columns.
func Find(m *dataset.Moments, columns []int) []Relation {
	d, std := len(columns), m.Std()
	if d < 2 || d > mostColumns || m.N < d+spareRows || slices.ContainsFunc(columns, func(j int) bool { return !(std[j] > 0) }) {
		return nil
	}
	columns = byRelatedness(m, columns)
	r := m.CorrelationOf(columns)
	if slices.ContainsFunc(r.Data, func(v float64) bool { return v-v != 0 }) {
		return nil
	}
	f := matrix.FactorCholesky(r, tolerance)
	if f.Rank == d {
		return nil
	}
	beta := f.Coefficients()
	var out []Relation
	for k, pivot := range f.Pivots[f.Rank:] {
		v := columns[pivot]
		var terms []term
		for i, pivot := range f.Pivots[:f.Rank] {
			w := columns[pivot]
			if b := beta.At(i, k); math.Abs(b) > part {
				terms = append(terms, term{m.Names[w], b * std[v] / std[w], math.Abs(b)})
			}
		}
		out = append(out, Relation{m.Names[v], formula(m.Names[v], terms)})
	}
	slices.SortFunc(out, func(a, b Relation) int { return cmp.Compare(a.Column, b.Column) })
	return out
}

// byRelatedness returns the columns by the sum of their squared correlations, rounded so that the order of the table does not matter, and by name.
func byRelatedness(m *dataset.Moments, columns []int) []int {
	r := m.CorrelationOf(columns)
	order, sums := make([]int, len(columns)), make([]float64, len(columns))
	for i := range order {
		order[i] = i
		for _, v := range r.Row(i) {
			sums[i] += math.Round(v * v * (1 << 20))
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(sums[a], sums[b]), cmp.Compare(m.Names[columns[a]], m.Names[columns[b]]))
	})
	for i, k := range order {
		order[i] = columns[k]
	}
	return order
}

type term struct {
	name string
	coef float64
	size float64 // of the standardized coefficient
}

// formula writes the largest terms.
func formula(name string, terms []term) string {
	slices.SortFunc(terms, func(a, b term) int { return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.name, b.name)) })
	var s strings.Builder
	fmt.Fprintf(&s, "%s =", name)
	for i, t := range terms {
		if i == mostTerms {
			fmt.Fprintf(&s, " + … (%d more)", len(terms)-mostTerms)
			break
		}
		sign, coef := "+", t.coef
		if coef < 0 {
			sign, coef = "-", -coef
		}
		if i > 0 || sign == "-" {
			s.WriteString(" " + sign)
		}
		if rounded := fmt.Sprintf("%.4g", coef); rounded != "1" {
			s.WriteString(" " + rounded + "·" + t.name)
		} else {
			s.WriteString(" " + t.name)
		}
	}
	s.WriteString(" + constant")
	return s.String()
}
