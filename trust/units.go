package trust

import (
	"fmt"

	"github.com/polydag/polydag/fault"
)

const (
	// unitRatio of standard deviations is where a method that goes by raw variances follows the units: least
	// squares counts a column's errors with the square.
	unitRatio = 3
	// largeRatio is where its numbers suffer too.
	largeRatio = 1e3
	// r2Spread between columns is enough to sort them by.
	r2Spread = 0.5
	// unitTol is how near to 1 the standard deviations of standardized columns are, whether divided by n or by n - 1.
	unitTol = 1e-3
)

// Settings under which units do not matter.
var unequal, scaled = fault.Set("variance", "unequal"), fault.Set("standardize", "true")

// units looks at what sorts the columns before any graph is known: their variances and their R².
func (e *examination) units() {
	if e.m.N < leastRows || len(e.varying) < 2 {
		return
	}
	e.out.Std = spread(e.names(e.varying), pickFloats(e.std, e.varying))
	low, high := e.out.Std.Low, e.out.Std.High
	all := high.Value / low.Value
	e.out.StdRatio = &all
	e.unitsOf(low.Value, high.Value)
	e.sortable()
}

// unitsOf looks at the units of the columns. least and most are the extremes of all standard deviations. A column of two
// values has no unit that somebody could have chosen otherwise, so the ratio is that of the other columns.
func (e *examination) unitsOf(least, most float64) {
	tol := unitTol + 1/float64(e.m.N)
	if least > 1-tol && most < 1+tol {
		e.add(Standardized, Note, nil, "every standard deviation is 1: the columns were standardized, which takes away what equal noise variances would tell of directions", fault.Out("%s; give the columns in their own units if one unit fits all of them", unequal))
		return
	}
	var measured []int
	for _, j := range e.varying {
		if !e.twoValued(j) {
			measured = append(measured, j)
		}
	}
	if len(measured) < 2 {
		return
	}
	s := spread(e.names(measured), pickFloats(e.std, measured))
	low, high, ratio := s.Low, s.High, s.High.Value/s.Low.Value
	what := fmt.Sprintf("standard deviations go from %s (%s) to %s (%s), a factor of %s", number(low.Value, 3), low.Column, number(high.Value, 3), high.Column, number(ratio, 3))
	switch {
	case ratio > largeRatio && e.refuse.Units:
		e.add(LargeUnits, Warning, []string{low.Column, high.Column}, what+": methods that depend on units, and equal noise variances, would order the columns by their units, and may not converge",
			fault.Out("take a method that does not depend on units, with %s where it has that, or use %s", unequal, scaled))
	case ratio > largeRatio:
		e.add(LargeUnits, Note, []string{low.Column, high.Column}, what+": methods that depend on units, and equal noise variances, would order the columns by their units",
			fault.Out("nothing needs to be done for this method; use %s for one that depends on units", scaled))
	case ratio > unitRatio:
		e.add(Varsortable, Note, []string{low.Column, high.Column}, what+": methods that depend on units, and equal noise variances, tend to put small variances first, whatever depends on what",
			fault.Out("take a method that does not depend on units, with %s where it has that, or use %s", unequal, scaled))
	}
}

// sortable looks at what sorts the columns whatever their units.
func (e *examination) sortable() {
	var names []string
	var r2 []float64
	for _, j := range e.varying {
		if v := e.column[j].R2; v != nil {
			names, r2 = append(names, e.m.Names[j]), append(r2, *v)
		}
	}
	if len(names) == 0 {
		return
	}
	e.out.R2 = spread(names, r2)
	if low, high := e.out.R2.Low, e.out.R2.High; high.Value-low.Value > r2Spread {
		e.add(R2Sortable, Note, []string{low.Column, high.Column}, fmt.Sprintf("R² of a column from all others goes from %.2f (%s) to %.2f (%s); where influence adds up along paths, columns late in the order have the higher R², so sorting by R² alone can look like a result", low.Value, low.Column, high.Value, high.Column),
			fault.Out("compare the learned order with that of R²: in a table of a simulator agreement may be an artefact"))
	}
}

// spread returns the extremes of v, the first of equal ones.
func spread(names []string, v []float64) *Spread {
	s := &Spread{Low: Extreme{names[0], v[0]}, High: Extreme{names[0], v[0]}}
	for i, x := range v {
		if x < s.Low.Value {
			s.Low = Extreme{names[i], x}
		}
		if x > s.High.Value {
			s.High = Extreme{names[i], x}
		}
	}
	return s
}

func pickFloats(v []float64, index []int) []float64 {
	out := make([]float64, len(index))
	for i, j := range index {
		out[i] = v[j]
	}
	return out
}
