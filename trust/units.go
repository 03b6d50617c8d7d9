package trust

import (
	"fmt"

	"github.com/polydag/polydag/fault"
)

const (
	// unitRatio is the ratio of standard deviations from which a method that uses raw variances depends on units: least squares
	// weights errors by their squares.
	unitRatio = 3
	// largeRatio is the ratio from which the computation also loses accuracy.
	largeRatio = 1e3
	// r2Spread is the difference of R² between columns from which they can be sorted by it.
	r2Spread = 0.5
	// unitTol is the largest deviation from 1 of the standard deviations of standardized columns. With divisor n - 1 they are smaller
	// by less than 1/n.
	unitTol = 1e-3
)

// These are the settings under which results do not depend on units.
var unequal, scaled = fault.Set("variance", "unequal"), fault.Set("standardize", "true")

// units checks whether variances or R² sort the columns.
func (e *examination) units() {
	if e.m.N < leastRows || len(e.varying) < 2 {
		return
	}
	e.out.Std = spread(e.names(e.varying), pick(e.std, e.varying))
	low, high := e.out.Std.Low, e.out.Std.High
	all := high.Value / low.Value
	e.out.StdRatio = &all
	e.unitsOf(low.Value, high.Value)
	e.sortable()
}

// unitsOf checks the units of the columns. least and most are the extremes of all standard deviations. A column with two values has
// no arbitrary unit, so the ratio is that of the other columns.
func (e *examination) unitsOf(least, most float64) {
	if least > 1-unitTol-1/float64(e.m.N) && most < 1+unitTol {
		e.add(Standardized, Note, nil, "the columns are standardized, so equal noise variances cannot identify directions", fault.Out("%s; or give the columns in their original units if all share one unit", unequal))
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
	s := spread(e.names(measured), pick(e.std, measured))
	low, high, ratio := s.Low, s.High, s.High.Value/s.Low.Value
	way := fault.Out("the default method depends on units only if it assumes equal noise variances, which %s rules out; for a method that depends on units use %s", unequal, scaled)
	if e.refuse.Units {
		way = fault.Out("use a scale-invariant method, with %s if it has that setting, or use %s", unequal, scaled)
	}
	what := fmt.Sprintf("standard deviations range from %s (%s) to %s (%s), a factor of %s", number(low.Value, 3), low.Column, number(high.Value, 3), high.Column, number(ratio, 3))
	switch {
	case ratio > largeRatio && e.refuse.Units:
		e.add(LargeUnits, Warning, []string{low.Column, high.Column}, what+": methods that depend on units, and equal noise variances, would sort the columns by units and may not converge", way)
	case ratio > largeRatio:
		e.add(LargeUnits, Note, []string{low.Column, high.Column}, what+": methods that depend on units, and equal noise variances, would sort the columns by units", way)
	case ratio > unitRatio:
		e.add(Varsortable, Note, []string{low.Column, high.Column}, what+": methods that depend on units, and equal noise variances, tend to sort the columns by variance", way)
	}
}

// sortable checks for an order of the columns that does not depend on units.
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
		e.add(R2Sortable, Note, []string{low.Column, high.Column}, fmt.Sprintf("R² of a column given all others ranges from %.2f (%s) to %.2f (%s); in simulated data, sorting by R² can recover the causal order", low.Value, low.Column, high.Value, high.Column),
			fault.Out("for simulated data, compare the learned order with the order by R²"))
	}
}

// spread returns the extremes of v, the first in a tie.
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
