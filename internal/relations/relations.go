// Package relations finds columns that are linear functions of other columns of a table, such as a total of its parts.
package relations

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/chol"
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
	tolerance = chol.Determined
	// roundedTolerance bounds the same share for a relation between rounded columns. Rounding errors of a unit u have the variance u²/12. A
	// remainder of up to roundingFactor times that variance is taken for rounding: they add up with the estimated coefficients.
	roundedTolerance, roundingFactor = 1e-4, 2
	// spareRows beyond the columns keep chance from making a relation.
	spareRows = 10
	// mostColumns bounds the work, d³/3 flops.
	mostColumns = 2000
	// part is the least standardized coefficient that a formula shows, and mostTerms how many.
	part, mostTerms = 1e-4, 4
)

// Find returns one column for each linear relation among the given columns of the moments. The columns that it
// does not return determine those that it returns. Of the columns of a relation it returns the one that the
// others explain best, such as a total and not a part.
//
// A relation is exact, or its residual is within the rounding of the cells. unit has the unit of the last
// decimal of each given column (see Unit), 0 if it is unknown; nil means that all are unknown.
//
// The result does not depend on the order of the columns. It is empty if the table has too few rows, or more
// than 2000 columns.
func Find(m *dataset.Moments, columns []int, unit []float64) []Relation {
	std := m.Std()
	if len(columns) > mostColumns || slices.ContainsFunc(columns, func(j int) bool { return !(std[j] > 0) }) {
		return nil
	}
	variance := make(map[int]float64, len(columns)) // the variance of each column's rounding error, in units of the column's variance
	for i, j := range columns {
		if unit != nil {
			variance[j] = unit[i] * unit[i] / 12 / (std[j] * std[j])
		}
	}
	out, left := dependent(m, columns, tolerance, func(share, rounding float64) bool { return true }, variance)
	if unit != nil {
		rounded, _ := dependent(m, left, roundedTolerance, func(share, rounding float64) bool { return share <= roundingFactor*rounding }, variance)
		out = append(out, rounded...)
	}
	slices.SortFunc(out, func(a, b Relation) int { return cmp.Compare(a.Column, b.Column) })
	return out
}

// dependent returns the relations of the columns whose residual share of the variance given the others is at
// most tol, if accept agrees, and the other columns.
func dependent(m *dataset.Moments, columns []int, tol float64, accept func(share, rounding float64) bool, variance map[int]float64) (out []Relation, left []int) {
	d, std := len(columns), m.Std()
	if d < 2 || m.N < d+spareRows {
		return nil, columns
	}
	columns = byRelatedness(m, columns)
	r := m.CorrelationOf(columns)
	if slices.ContainsFunc(r.Data, func(v float64) bool { return v-v != 0 }) {
		return nil, columns
	}
	f := matrix.FactorCholesky(r, tol)
	if f.Rank == d {
		return nil, columns
	}
	for _, pivot := range f.Pivots[:f.Rank] {
		left = append(left, columns[pivot])
	}
	beta := f.Coefficients()
	for k, pivot := range f.Pivots[f.Rank:] {
		v := columns[pivot]
		share, rounding := 1.0, variance[v]
		var terms []term
		for i, other := range f.Pivots[:f.Rank] {
			w, b := columns[other], beta.At(i, k)
			share -= b * r.At(other, pivot)
			rounding += b * b * variance[w]
			if math.Abs(b) > part {
				terms = append(terms, term{m.Names[w], b * std[v] / std[w], math.Abs(b)})
			}
		}
		if accept(share, rounding) {
			out = append(out, Relation{m.Names[v], formula(m.Names[v], terms)})
		} else {
			left = append(left, v)
		}
	}
	return out, left
}

// Unit returns the unit of the last decimal of a column: the largest power of ten from 1000 to 1e-6 that divides all its values, 0 if none does.
// Missing values are skipped.
func Unit(values []float64, d, column int) float64 {
	largest := 0.0
	for i := column; i < len(values); i += d {
		if v := math.Abs(values[i]); v > largest {
			largest = v
		}
	}
	for unit := 1000.0; unit > 5e-7; unit /= 10 {
		least := min(1, largest/unit) // values far below the unit are not rounded to 0
		rounded := true
		for i := column; i < len(values) && rounded; i += d {
			multiple := values[i] / unit
			rounded = multiple != multiple || math.Abs(multiple-math.Round(multiple)) <= 1e-9*max(least, math.Abs(multiple))
		}
		if rounded {
			return unit
		}
	}
	return 0
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
	size float64 // the absolute standardized coefficient
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
