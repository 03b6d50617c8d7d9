package trust

import (
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/vec"
)

const (
	// alikeLimit is the smallest correlation of consecutive rows that counts. With correlation ρ, rows are worth about
	// (1-ρ²)/(1+ρ²) times as many independent rows for a correlation: 92 % at 0.2, 60 % at 0.5.
	alikeLimit = 0.2
	// mostCopies limits the expected number of chance repetitions: a column with fewer than rows/mostCopies values may repeat by
	// chance.
	mostCopies = 20
)

// rows finds dependent rows: copies, and consecutive rows that are similar. A table sorted by one of its columns has similar
// consecutive rows although its rows may be independent, so the correlation with such columns is removed first.
func (j *judging) rows() Assumption {
	statement, few := "rows are independent", "few repeated rows; "
	if j.model.Inputs != nil { // an equal row of a time series is the value at another time, not a copy
		statement, few = "rows are independent given earlier values", ""
	}
	if filled := j.Sample != nil && j.Sample.Weight > 0; j.RowWeight > 0 && j.RowWeight < 1 && !filled {
		return j.groups()
	}
	if j.Profile != nil && j.Profile.Frequencies != "" {
		return Assumption{Name: IndependentRows, Statement: statement, Outcome: Untestable,
			Sentence: "a table of frequencies has no order of rows, so dependence cannot be checked"}
	}
	var against []Finding
	missing := j.why
	if p := j.Profile; p != nil && p.RepeatedOf > 0 && j.model.Inputs == nil {
		share := float64(p.RepeatedRows) / float64(p.RepeatedOf)
		if share > repeatedShare && j.manyValues() {
			against = append(against, Finding{Code: RepeatedRows, Severity: Warning,
				Sentence: fmt.Sprintf("%s (%s) repeat%s an earlier one in every column", rows(p.RepeatedRows), percent(share), form(p.RepeatedRows, "s", "")),
				WayOut:   "remove repeated rows unless they are separate observations"})
		}
	}
	otherwise := ""
	if j.res != nil {
		alike, most := j.alike()
		against = append(against, alike...)
		otherwise = fmt.Sprintf("%sthe residuals of neighbouring rows correlate by at most %.2f; %s. Dependence unrelated to the row order is not detected", few, most, j.looked())
	}
	if (j.Pictures || j.Faces) && j.Groups == nil && len(against) == 0 {
		said := "rows are pictures, and no column says which of them show the same person or scene; name such a column as the group column"
		if j.repeats() && (j.model.Kinds == nil || slices.ContainsFunc(j.model.Kinds, isLabel)) {
			said += ". Until then every row counts as a quarter for the edges of labels"
		}
		return Assumption{Name: IndependentRows, Statement: statement, Outcome: Untestable, Sentence: said}
	}
	return newAssumption(IndependentRows, statement, against, missing, otherwise)
}

// repeats reports whether an unknown number of rows may show the same person or scene. In the known collections of faces it is small: in
// halves of CelebA-HQ, edges that a quarter of the rows would not show are there in the other half too. It matters for labels, which a
// person keeps from picture to picture, and not for places, angles and sizes.
func (e Evidence) repeats() bool {
	return e.Pictures && !e.Faces && (e.Groups == nil || e.Groups.Column == dataset.ClassifiedGroups)
}

// groups checks rows in groups: the rows of a column of categories that are alike within groups, because such columns are not centred.
func (j *judging) groups() Assumption {
	statement := "rows of different groups are independent"
	if j.Groups == nil || len(j.Groups.Dependent) < 2 {
		return Assumption{Name: IndependentRows, Statement: statement, Outcome: Untestable,
			Sentence: "dependence within groups is accounted for; dependence between groups cannot be checked"}
	}
	c := j.Groups
	var names []string
	var figure []float64
	for _, a := range c.Dependent {
		names, figure = append(names, a.Column), append(figure, a.Rho)
	}
	said := fmt.Sprintf("rows of one group (%s) are alike in columns that are not centred within groups: ", c.Column) +
		ranked(names, figure, func(v float64) string { return fmt.Sprintf("%.2f", v) })
	way := fault.Out("an edge between these columns may come from a common cause of the groups; %s learns from the means of the groups", fault.Use("group-means"))
	return newAssumption(IndependentRows, statement, []Finding{newFinding(AlikeNeighbours, Warning, names, said, way)}, "", "")
}

// manyValues reports whether some column has so many values that rows hardly repeat by chance.
func (j *judging) manyValues() bool {
	least := max(continuousLevels, min(j.Profile.RepeatedOf, 4096)/mostCopies)
	for _, c := range j.profile {
		if c.Kind != "text" && c.Distinct >= least {
			return true
		}
	}
	return false
}

// alike computes the correlation of the residuals of consecutive rows.
func (j *judging) alike() (against []Finding, most float64) {
	sorted := j.sortedBy()
	var names []string
	var figure []float64
	pairs := 0
	for k := range j.res.index[1:] {
		if j.res.index[k+1] == j.res.index[k]+1 {
			pairs++
		}
	}
	if pairs < leastResiduals/2 {
		return nil, 0
	}
	limit := max(alikeLimit, chance(len(j.two))/math.Sqrt(float64(pairs)))
	x := make([]float64, j.res.r.Cols)
	for v, name := range j.Moments.Names {
		if j.model.input(v) {
			continue
		}
		copy(x, j.res.r.Row(v))
		for _, s := range sorted {
			without(x, s)
		}
		if vec.Dot(x, x) < 1e-6 {
			continue
		}
		unit(x)
		sum := 0.0
		for k := range x[1:] {
			if j.res.index[k+1] == j.res.index[k]+1 {
				sum += x[k] * x[k+1]
			}
		}
		rho := sum * float64(len(x)) / float64(pairs)
		if most = max(most, math.Abs(rho)); math.Abs(rho) > limit {
			names, figure = append(names, name), append(figure, rho)
		}
	}
	if len(names) == 0 {
		return nil, most
	}
	way := fault.Out("neighbouring rows are alike, so confidence counts every row as a quarter at these columns; if they follow each other in time, learn with %s; if they come in groups, keep one row per group; if the file is only sorted, ignore this", fault.Set("time", "."))
	if j.model.Inputs != nil {
		way = fault.Out("earlier values do not explain all dependence, so confidence counts every row as a quarter at these columns; use more lags with %s", fault.Use("lags"))
	}
	said := "residuals of neighbouring rows correlate: " + ranked(names, figure, func(v float64) string { return fmt.Sprintf("%.2f", v) })
	return []Finding{newFinding(AlikeNeighbours, Warning, names, said, way)}, most
}

// sortedBy returns the columns that are monotone along the sample, orthogonalized and with sums of squares of 1.
func (j *judging) sortedBy() [][]float64 {
	const most = 4
	var out [][]float64
	for v := range j.two {
		z := j.res.z.Row(v)
		back := slices.Clone(z)
		slices.Reverse(back)
		if z[0] == z[len(z)-1] || !slices.IsSorted(z) && !slices.IsSorted(back) || len(out) == most {
			continue
		}
		unit(back)
		slices.Reverse(back)
		for _, s := range out {
			without(back, s)
		}
		unit(back)
		out = append(out, back)
	}
	return out
}
