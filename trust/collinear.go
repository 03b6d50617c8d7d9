package trust

import (
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/matrix"
)

const (
	// spectralColumns is how many columns can be looked at together in a few seconds.
	spectralColumns = 2000
	// roundedShare is what decimals of the data may leave of an exact relation: a remainder of a hundredth of the
	// column's standard deviation, as with values that vary over two digits.
	roundedShare = 1e-4
	// nearShare is 1 - R² of a nearly collinear column: a variance inflation of 1000.
	nearShare = 1e-3
	// spareRows beyond the columns keep chance from making a near relation: what is left of a column is then a mean of so
	// many squares, and all of them small has a chance below 1e-13.
	spareRows = 10
	// poorCondition is where least squares keeps half of the digits of a float64.
	poorCondition = 1e8
	// mostRelations are worded; the rest is counted.
	mostRelations = 50
)

// linear looks at all columns together: linear relations among them, R² of each from the others and the condition number.
func (e *examination) linear() {
	n, d := e.m.N, len(e.varying)
	switch {
	case n < leastRows || d < 2 || n <= e.m.Dim():
		return
	case d > spectralColumns:
		e.add(NotChecked, Note, nil, fmt.Sprintf("collinearity, R² and the condition number are not computed for more than %[2]d columns (the table has %[1]d)", d, spectralColumns),
			fault.Out("choose columns with %s to compute them", fault.Use("columns")))
		return
	}
	r := submatrix(e.m.Correlation(), e.single)
	b := newBasis(r)
	e.out.Rank = len(b.independent)
	e.exactRelations(b)
	e.shares(b)
	if n-len(e.single) >= spareRows {
		e.nearRelations(r, b)
	} else {
		e.add(NotChecked, Note, nil, fmt.Sprintf("%s for %d columns: near-collinearity was not checked, since so few rows produce it by chance", rows(n), len(e.single)),
			fault.Out("add rows, or use fewer columns with %s or %s", fault.Use("columns"), fault.Use("drop")))
	}
	condition := b.condition(r)
	e.out.Condition = &condition
	if condition > poorCondition {
		e.add(Condition, Warning, nil, fmt.Sprintf("the correlation matrix has condition number %.2g: regressions on all columns lose about %.0f of 16 digits", condition, math.Log10(condition)),
			fault.Out("drop the columns named in the collinearity findings"))
	}
}

// exactRelations words how each dependent column follows from the independent ones.
func (e *examination) exactRelations(b *basis) {
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

// shares notes the R² of each column from all others; a duplicate's is 1.
func (e *examination) shares(b *basis) {
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

// nearRelations takes, as long as there is one, the column that the others explain best, words its relation and goes on
// without it: Θ of the others is Θ - θθᵀ/Θ_jj.
func (e *examination) nearRelations(r *matrix.Dense[float64], b *basis) {
	theta := matrix.New[float64](b.theta.Rows, b.theta.Cols)
	copy(theta.Data, b.theta.Data)
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
		// The unbiased share: on q columns R² is q/(n-1) by chance alone.
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

// nearRelation words what is left of column j after the columns on. Twice what all of them leave may be left by the
// few that are named.
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

// addRelation words a relation given by standardized coefficients, with a code by what it leaves.
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
		return // that one of them is 1 was said with the text that they encode
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

// aliased returns the name of a column with those of the columns that equal it.
func (e *examination) aliased(j int) string {
	if others := e.equals(j); len(others) > 0 {
		return fmt.Sprintf("%s (or %s)", e.m.Names[j], list(e.names(others), 4))
	}
	return e.m.Names[j]
}

// equals returns the duplicates of a column that are in the same units.
func (e *examination) equals(j int) []int {
	var out []int
	for _, k := range e.alias[j] {
		if slope, intercept := e.line(j, k); slope == 1 && intercept == 0 {
			out = append(out, k)
		}
	}
	return out
}

// spare returns the column of a relation to drop: the largest term, but not one that was kept of a group of duplicates.
func (e *examination) spare(r relation) int {
	best, size := r.columns[r.left], -1.0
	for k, j := range r.columns {
		if s := math.Abs(r.coef[k]) * e.std[j]; len(e.alias[j]) == 0 && s > size {
			best, size = j, s
		}
	}
	return best
}

// r2Text writes 1 - share with the digits that tell it from 1.
func r2Text(share float64) string {
	digits := 4
	if share > 0 && share < 1e-4 {
		digits = int(math.Ceil(-math.Log10(share))) + 1
	}
	return fmt.Sprintf("%.*f", min(digits, 12), 1-share)
}
