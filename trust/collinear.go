package trust

import (
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/matrix"
)

const (
	// spectralColumns is the largest number of columns whose joint relations can be computed in a few seconds.
	spectralColumns = 2000
	// roundedShare is the largest share of variance that rounding in the data leaves of an exact relation: a remainder of 1 % of
	// the standard deviation, as for values that vary over two digits.
	roundedShare = 1e-4
	// nearShare is 1 - R² of a nearly collinear column: a variance inflation factor of 1000.
	nearShare = 1e-3
	// spareRows is the number of rows, beyond the number of columns, that a near relation needs. The residual variance is then a
	// mean of that many squares, and the probability that all are small by chance is below 1e-13.
	spareRows = 10
	// poorCondition is the condition number at which least squares loses half of the digits of a float64.
	poorCondition = 1e8
	// mostRelations is the number of relations that are listed; the rest is counted.
	mostRelations = 50
)

// linear computes the linear relations of all columns, the R² of each column given the others, and the condition number.
func (e *examination) linear() {
	n, d := e.m.N, len(e.varying)
	switch {
	case n < leastRows || d < 2 || n <= e.m.Dim():
		return
	case d > spectralColumns:
		e.add(Unchecked, Note, nil, fmt.Sprintf("collinearity, R² and the condition number are not computed for more than %[2]d columns (the table has %[1]d)", d, spectralColumns),
			fault.Out("choose columns with %s to compute them", fault.Use("columns")))
		return
	}
	r := submatrix(e.m.Correlation(), e.single)
	b := newSpanning(r)
	e.out.Rank = len(b.independent)
	e.exactRelations(b)
	e.shares(b)
	if n-len(e.single) >= spareRows {
		e.nearRelations(r, b)
	} else {
		e.add(Unchecked, Note, nil, fmt.Sprintf("%s for %d columns: near-collinearity was not checked, since so few rows produce it by chance", rows(n), len(e.single)),
			fault.Out("add rows, or use fewer columns with %s or %s", fault.Use("columns"), fault.Use("drop")))
	}
	condition := b.condition(r)
	e.out.Condition = &condition
	if condition > poorCondition {
		e.add(Condition, Warning, nil, fmt.Sprintf("the correlation matrix has condition number %.2g: regressions on all columns lose about %.0f of 16 digits", condition, math.Log10(condition)),
			fault.Out("drop the columns named in the collinearity findings"))
	}
}

// exactRelations reports how each dependent column follows from the independent ones.
func (e *examination) exactRelations(b *spanning) {
	for k, v := range b.dependent {
		if k == mostRelations {
			for _, v := range b.dependent[k:] {
				e.unworded = append(e.unworded, e.m.Names[e.single[v]])
			}
			return
		}
		columns, coef := []int{e.single[v]}, []float64{1}
		for i, w := range b.independent {
			if c := b.beta.At(k, i); math.Abs(c) > partTol {
				columns, coef = append(columns, e.single[w]), append(coef, -c)
			}
		}
		e.addRelation(columns, coef)
	}
}

// shares stores the R² of each column given all others; it is 1 for a duplicate.
func (e *examination) shares(b *spanning) {
	r2 := b.r2()
	for i, v := range e.single {
		share := r2[i]
		if len(e.alias[v]) > 0 {
			share = 1
		}
		for _, j := range append([]int{v}, e.alias[v]...) {
			e.column[j].R2 = &share
		}
	}
}

// nearRelations repeatedly reports the column that the others explain best and removes it: the inverse Θ of the others is Θ -
// θθᵀ/Θ_jj.
func (e *examination) nearRelations(r *matrix.Dense[float64], b *spanning) {
	theta := b.theta.Clone()
	left := slices.Clone(b.independent)
	gone := make([]bool, len(left))
	for found := 0; found < mostRelations; found++ {
		j := -1
		for i := range left {
			if !gone[i] && (j < 0 || theta.At(i, i) > theta.At(j, j)) {
				j = i
			}
		}
		if j < 0 {
			return
		}
		var on []int
		for i, v := range left {
			if i != j && !gone[i] {
				on = append(on, v)
			}
		}
		// This is the unbiased share: q regressors explain q/(n-1) by chance alone.
		share := 1 / theta.At(j, j)
		if fair := share * float64(e.m.N-1) / float64(e.m.N-len(on)-1); fair > nearShare {
			return
		}
		e.nearRelation(r, left[j], on, share)
		gone[j] = true
		row := slices.Clone(theta.Row(j))
		for i := range left {
			if gone[i] {
				continue
			}
			f := row[i] / row[j]
			for k, v := range row {
				theta.Set(i, k, theta.At(i, k)-f*v)
			}
		}
	}
}

// nearRelation reports the relation of column j with some of the columns on. These may leave twice the share that all of them
// leave.
func (e *examination) nearRelation(r *matrix.Dense[float64], j int, on []int, share float64) {
	chosen := explain(r, j, on, min(2*share, nearShare))
	if chosen == nil {
		e.add(NearCollinear, Warning, []string{e.m.Names[e.single[j]]}, fmt.Sprintf("%s is nearly a linear function of many columns: R² %s, variance inflation factor %.3g", e.m.Names[e.single[j]], r2Text(share), 1/share),
			fault.Out("%s", fault.Columns("drop", e.m.Names[e.single[j]])))
		return
	}
	theta := inverse(submatrix(r, chosen))
	columns, coef := []int{e.single[j]}, []float64{1}
	for a, i := range chosen {
		beta := 0.0
		for b, k := range chosen {
			beta += theta.At(a, b) * r.At(k, j)
		}
		columns, coef = append(columns, e.single[i]), append(coef, -beta)
	}
	e.addRelation(columns, coef)
}

// addRelation reports a relation with standardized coefficients. Its code depends on the remaining share.
func (e *examination) addRelation(columns []int, coef []float64) {
	order := make([]int, len(columns))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return columns[a] - columns[b] })
	sorted, weights := make([]int, len(order)), make([]float64, len(order))
	for i, k := range order {
		sorted[i], weights[i] = columns[k], coef[k]
	}
	if !slices.ContainsFunc(sorted, func(j int) bool { return !e.onehot[j] }) {
		return // the finding on the text column covers these indicator columns
	}
	rel := e.newRelation(sorted, weights)
	formula := rel.formula(e.aliased)
	var names []string
	for _, j := range sorted {
		names = append(append(names, e.m.Names[j]), e.names(e.equals(j))...)
	}
	drop := e.m.Names[e.spare(rel)]
	wayOut := fault.Out("drop one of them, such as %s; otherwise edges among them reflect arithmetic, not causation", fault.Columns("drop", drop))
	left := e.m.Names[sorted[rel.left]]
	switch {
	case rel.share <= exact:
		e.add(Collinear, Warning, names, formula+" in every row", wayOut)
	case rel.share <= roundedShare:
		e.add(Collinear, Warning, names, fmt.Sprintf("%s up to rounding: residual standard deviation %s, %s of that of %s", formula, number(rel.remainder, 2), percent(math.Sqrt(rel.share)), left), wayOut)
	default:
		e.add(NearCollinear, Warning, names, fmt.Sprintf("%s approximately: R² %s, variance inflation factor %.3g", formula, r2Text(rel.share), 1/rel.share), wayOut)
	}
}

// aliased returns the name of a column together with the names of its duplicates.
func (e *examination) aliased(j int) string {
	if others := e.equals(j); len(others) > 0 {
		return fmt.Sprintf("%s (or %s)", e.m.Names[j], list(e.names(others), 4))
	}
	return e.m.Names[j]
}

// equals returns the duplicates of a column in the same units.
func (e *examination) equals(j int) []int {
	var out []int
	for _, k := range e.alias[j] {
		if slope, intercept := e.line(j, k); slope == 1 && intercept == 0 {
			out = append(out, k)
		}
	}
	return out
}

// spare returns the column of a relation to drop: the one with the largest term, except a column that is kept from a group of
// duplicates.
func (e *examination) spare(r relation) int {
	best, size := r.columns[r.left], -1.0
	for k, j := range r.columns {
		if s := math.Abs(r.coef[k]) * e.std[j]; len(e.alias[j]) == 0 && s > size {
			best, size = j, s
		}
	}
	return best
}

// r2Text formats 1 - share with enough digits to distinguish it from 1.
func r2Text(share float64) string {
	digits := 4
	if share > 0 && share < 1e-4 {
		digits = int(math.Ceil(-math.Log10(share))) + 1
	}
	return fmt.Sprintf("%.*f", min(digits, 12), 1-share)
}
