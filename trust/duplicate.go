package trust

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/fault"
)

// exact is the largest share of variance, 1 - r², that rounding may leave if one column determines another. No row then deviates by
// more than 1e-6·√n standard deviations, because the sum of all n squares is exact·n·variance. Moments of float64 data have 1 - r²
// to about 1e-15.
const exact = 1e-12

// duplicates finds columns that are equal up to units: |r| = 1 up to rounding. Each column is compared with the first of its group,
// in O(d²).
func (e *examination) duplicates() {
	if e.m.N < leastRows {
		e.single = e.varying
		return
	}
	for _, j := range e.varying {
		if i := e.firstEqual(j); i < 0 {
			e.single = append(e.single, j)
		} else {
			e.alias[i] = append(e.alias[i], j)
		}
	}
	for _, i := range e.single {
		if others := e.alias[i]; len(others) > 0 {
			names := e.names(others)
			e.add(Duplicate, Warning, append([]string{e.m.Names[i]}, names...), e.sameness(i, others),
				fault.Out("keep one: %s; otherwise an edge joins the copies and the other edges attach to one of them by chance", fault.Columns("drop", names...)))
		}
	}
}

// firstEqual returns the first column of e.single that equals column j up to units, or -1.
func (e *examination) firstEqual(j int) int {
	equal := func(i int) bool {
		s := e.m.At(j, i)
		return 1-s/e.m.At(j, j)*(s/e.m.At(i, i)) <= exact
	}
	if g := e.m.Gram(); g != nil {
		for _, i := range g.Near(j, 1-1e-6) {
			if _, single := slices.BinarySearch(e.single, i); single && equal(i) {
				return i
			}
		}
		return -1
	}
	if at := slices.IndexFunc(e.single, equal); at >= 0 {
		return e.single[at]
	}
	return -1
}

// sameness describes how the other columns follow from column i.
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

// line returns slope and intercept of column j as a function of its duplicate i. They are exactly 1 and 0 if they differ from these
// by less than the accuracy of |r| = 1.
func (e *examination) line(i, j int) (slope, intercept float64) {
	const tol = 1e-6 // √exact
	slope = e.std[j] / e.std[i]
	if e.m.At(i, j) < 0 {
		slope = -slope
	}
	slope = snap(slope, tol*math.Abs(slope))
	intercept = e.m.Mean[j] - slope*e.m.Mean[i]
	// The rounding error of a sum of n values grows with the size of the means.
	slack := tol*e.std[j] + 1e-12*math.Abs(e.m.Mean[j])
	return slope, snap(intercept, slack)
}

// snap returns the nearest integer if v is within tol of it, and v otherwise.
func snap(v, tol float64) float64 {
	if r := math.Round(v); math.Abs(v-r) <= tol {
		return r + 0 // avoids negative zero
	}
	return v
}

// A term of a linear combination of columns.
type term struct {
	coef float64
	name string
}

// combination formats Σ coef·name + constant and omits factors of 1 and a constant of 0.
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
