package trust

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/fault"
)

// exact is the share of the variance, 1 - r², that rounding may leave of a column once another explains it. With this
// share no row is off by more than 1e-6·√n standard deviations: the sum of all n squares is exact·n·variance. Moments
// of doubles keep 1 - r² to about 1e-15.
const exact = 1e-12

// duplicates looks for columns that are another one, or another one in other units: |r| = 1 to rounding. Each
// is held against the first of its group, so that the cost is O(d²) at most.
func (e *examination) duplicates() {
	if e.m.N < leastRows {
		e.single = e.varying
		return
	}
	d := e.m.Dim()
	for _, j := range e.varying {
		first := slices.IndexFunc(e.single, func(i int) bool {
			square := e.m.Scatter[j*d+i] / e.m.Scatter[j*d+j] * (e.m.Scatter[j*d+i] / e.m.Scatter[i*d+i])
			return 1-square <= exact
		})
		if first < 0 {
			e.single = append(e.single, j)
			continue
		}
		i := e.single[first]
		e.alias[i] = append(e.alias[i], j)
	}
	for _, i := range e.single {
		if others := e.alias[i]; len(others) > 0 {
			names := e.names(others)
			e.add(Duplicate, Warning, append([]string{e.m.Names[i]}, names...), e.sameness(i, others),
				fault.Out("keep one: %s; otherwise an edge joins the copies and the other edges attach to one of them by chance", fault.Columns("drop", names...)))
		}
	}
}

// sameness words how the others follow from column i.
func (e *examination) sameness(i int, others []int) string {
	equal := true
	formulas := make([]string, len(others))
	for k, j := range others {
		slope, intercept := e.line(i, j)
		equal = equal && slope == 1 && intercept == 0
		formulas[k] = fmt.Sprintf("%s = %s", e.m.Names[j], combination([]term{{slope, e.m.Names[i]}}, intercept, 6))
	}
	switch {
	case equal && len(others) == 1:
		return fmt.Sprintf("%s equals %s in every row", e.m.Names[i], e.m.Names[others[0]])
	case equal:
		return fmt.Sprintf("%s are equal in every row", list(append([]string{e.m.Names[i]}, e.names(others)...), 20))
	case len(formulas) > 20:
		return fmt.Sprintf("%s and %d more, in every row", strings.Join(formulas[:20], ", "), len(formulas)-20)
	}
	return list(formulas, 20) + " in every row"
}

// line returns slope and intercept of column j over column i, which is a duplicate of it, 1 and 0 where they are that to
// the accuracy of |r| = 1.
func (e *examination) line(i, j int) (slope, intercept float64) {
	const tol = 1e-6 // √exact
	slope = e.std[j] / e.std[i]
	if e.m.Scatter[i*e.m.Dim()+j] < 0 {
		slope = -slope
	}
	slope = snap(slope, tol*math.Abs(slope))
	intercept = e.m.Mean[j] - slope*e.m.Mean[i]
	// The mean of what is left of a sum of n exact values: rounding grows with the size of the means.
	slack := tol*e.std[j] + 1e-12*math.Abs(e.m.Mean[j])
	return slope, snap(intercept, slack)
}

// snap returns the whole number next to v where it is as near as that.
func snap(v, tol float64) float64 {
	if r := math.Round(v); math.Abs(v-r) <= tol {
		return r + 0 // no negative zero
	}
	return v
}

// A term of a linear combination of columns.
type term struct {
	coef float64
	name string
}

// combination writes Σ coef·name + constant, without factors of 1 and without a constant of 0.
func combination(terms []term, constant float64, digits int) string {
	var b strings.Builder
	sign := func(v float64) {
		switch {
		case b.Len() == 0 && v < 0:
			b.WriteString("-")
		case b.Len() == 0:
		case v < 0:
			b.WriteString(" - ")
		default:
			b.WriteString(" + ")
		}
	}
	for _, t := range terms {
		sign(t.coef)
		if a := math.Abs(t.coef); a != 1 {
			b.WriteString(number(a, digits) + "·")
		}
		b.WriteString(t.name)
	}
	if constant != 0 || len(terms) == 0 {
		sign(constant)
		b.WriteString(number(math.Abs(constant), digits))
	}
	return b.String()
}
