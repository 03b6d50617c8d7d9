package effect

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/score"
)

// AutoBy in Question.By takes all columns as candidates. Only those with a difference are reported.
const AutoBy = "auto"

// Limits of subgroups.
const (
	mostSubgroups    = 8    // categories that are compared, the most frequent ones
	leastGroupRows   = 30   // rows of a subgroup
	rowsPerGroupTerm = 5    // rows of a subgroup for each term of its regression
	differAt         = 0.05 // of the adjusted p-value
)

// Subgroups has the effects of a driver in the subgroups of one column.
type Subgroups struct {
	By     string     `json:"by"`
	Groups []Subgroup `json:"groups"`
	Level  float64    `json:"level"` // of the intervals
	// P is the p-value of the hypothesis that the effect is the same in all groups, adjusted for all such tests of the ranking (Holm 1979).
	P float64 `json:"p"`
	// Differs reports whether P is below 0.05.
	Differs bool `json:"differs"`
}

// Subgroup is one group of rows, by the category or the range of a column.
type Subgroup struct {
	Value string `json:"value"`
	Rows  int    `json:"rows"`
	// Effect is the total effect in the group, by least squares on the column and its adjustment set.
	Effect Quantity `json:"effect"`
}

// subgrouping computes effects in subgroups.
//
// The effect of a on b in a group of rows is the coefficient of a in a regression of b on a and its adjustment set, with the covariance
// HC3, which allows unequal spread (MacKinnon and White 1985). Under smooth and flexible models squares of numbers are added; a square around
// the middle of the contrast leaves the coefficient the slope between its ends. The groups have no row in common, so Cochran's Q, the sum
// of the squared standardized distances to the weighted mean, has a χ² distribution if the effect is the same in all groups. Columns that a
// or b affect define no groups: comparing them would be biased.
type subgrouping struct {
	*ranking
	rows *mechanism.Rows
	at   map[string]int
}

// checkBy refuses columns that define no subgroups.
func (r *ranking) checkBy() error {
	for _, name := range r.By {
		if name != AutoBy && !slices.Contains(r.res.Names, name) {
			near := ""
			if n, found := names.Nearest(name, false, r.res.Names); found {
				near = fmt.Sprintf("; did you mean %s?", n)
			}
			return askf("the result has no column %q for subgroups%s", name, near)
		}
		if name == r.On {
			return askf("subgroups of the outcome %s would be biased; name another column", name)
		}
	}
	switch {
	case len(r.By) == 0:
	case r.table == nil:
		return fault.New(ErrNeedsTable, "subgroups need the rows", "give the table that the result was learned from with %s", fault.Use("data"))
	case r.table.Incomplete():
		return fault.New(ErrQuestion, "subgroups need a table without missing values", "leave the incomplete rows out with %s and learn again", fault.Set("missing", "drop"))
	case r.res.Kind == graph.KindPAG:
		return askf("subgroups need the graph of a DAG; learn with another method")
	}
	return nil
}

// bySubgroups adds the subgroups to the drivers.
func (r *ranking) bySubgroups(ctx context.Context) error {
	if len(r.By) == 0 {
		return nil
	}
	g := &subgrouping{ranking: r, at: names.Index(r.res.Names)}
	var err error
	if g.rows, err = mechanism.Read(ctx, r.table, score.MixedEffects, nil); err != nil {
		return err
	}
	auto := slices.Contains(r.By, AutoBy)
	by := r.By
	if auto {
		by = r.res.Names
	}
	var all []*Subgroups
	for i := range r.out.Drivers {
		d := &r.out.Drivers[i]
		if d.Basis == NotExcluded || d.Total == nil {
			continue
		}
		after := r.res.Graph.Descendants([]int{g.at[d.Name], g.at[r.On]})
		for _, name := range by {
			v := g.at[name]
			switch {
			case name == d.Name || name == r.On:
			case after[v] && !auto:
				r.out.Notes = append(r.out.Notes, fmt.Sprintf("no subgroups of %s for the effect of %s: the graph has %[1]s as an effect of %[2]s or %[3]s", name, d.Name, r.On))
			case after[v]:
			default:
				if s := g.of(d, v); s != nil {
					d.By = append(d.By, s)
					all = append(all, s)
				} else if !auto {
					r.out.Notes = append(r.out.Notes, fmt.Sprintf("too few rows for the effect of %s in subgroups of %s", d.Name, name))
				}
			}
		}
	}
	adjust(all)
	for i := range r.out.Drivers {
		d := &r.out.Drivers[i]
		if auto {
			d.By = slices.DeleteFunc(d.By, func(s *Subgroups) bool { return !s.Differs && !slices.Contains(r.By, s.By) })
		}
	}
	r.out.Compared = len(all)
	return nil
}

// adjust replaces p-values by those adjusted for all tests (Holm 1979).
func adjust(all []*Subgroups) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(x, y *Subgroups) int { return cmp.Compare(x.P, y.P) })
	least := 0.0
	for i, s := range all {
		least = max(least, min(1, s.P*float64(len(all)-i)))
		s.P, s.Differs = least, least < differAt
	}
}

// of returns the effects of a driver in the groups of column v; nil if fewer than two groups have enough rows.
func (g *subgrouping) of(d *Driver, v int) *Subgroups {
	out := &Subgroups{By: g.res.Names[v], Level: g.Level}
	var variance []float64
	for _, group := range g.groups(v) {
		effect, spread, ok := g.effect(d, v, group.rows)
		if !ok {
			continue
		}
		q := Quantity{Value: effect}
		wide := normalQuantile((1+g.Level)/2) * math.Sqrt(spread)
		put(&q, effect-wide, effect+wide)
		out.Groups, variance = append(out.Groups, Subgroup{group.name, len(group.rows), q}), append(variance, spread)
	}
	if len(out.Groups) < 2 {
		return nil
	}
	weights, mean := 0.0, 0.0
	for i, s := range out.Groups {
		weights += 1 / variance[i]
		mean += s.Effect.Value / variance[i]
	}
	statistic := 0.0
	for i, s := range out.Groups {
		x := s.Effect.Value - mean/weights
		statistic += x * x / variance[i]
	}
	out.P = independence.ChiSquared(statistic, float64(len(out.Groups)-1))
	return out
}

// rowGroup is a group of rows.
type rowGroup struct {
	name string
	rows []int
}

// groups returns the categories of a column, or the thirds of a number with more values.
func (g *subgrouping) groups(v int) (out []rowGroup) {
	x, untouched := g.rows.Columns[v], g.rows.Untouched()
	levels := slices.Compact(slices.Clone(g.rows.Sorted(v)))
	if len(levels) <= mostSubgroups || g.rows.Levels[v] != nil {
		for _, level := range levels {
			own := rowGroup{name: kind.Label(g.words[v], level)}
			for _, i := range untouched {
				if x[i] == level {
					own.rows = append(own.rows, i)
				}
			}
			out = append(out, own)
		}
		if len(out) > mostSubgroups {
			slices.SortStableFunc(out, func(a, b rowGroup) int { return cmp.Compare(len(b.rows), len(a.rows)) })
			out = out[:mostSubgroups]
		}
		return out
	}
	low, high := quantile(g.rows.Sorted(v), 1./3), quantile(g.rows.Sorted(v), 2./3)
	out = []rowGroup{{name: "up to " + number(low)}, {name: number(low) + " to " + number(high)}, {name: "above " + number(high)}}
	for _, i := range untouched {
		k := 0
		if x[i] > high {
			k = 2
		} else if x[i] > low {
			k = 1
		}
		out[k].rows = append(out[k].rows, i)
	}
	return out
}

// effect returns the total effect of a driver in some rows, and its variance. ok is false with too few rows.
func (g *subgrouping) effect(d *Driver, by int, rows []int) (effect, variance float64, ok bool) {
	if len(rows) < leastGroupRows { // the middle one of three has none if most values are equal
		return 0, 0, false
	}
	a, b := g.at[d.Name], g.at[g.On]
	terms := [][]float64{slices.Repeat([]float64{1}, len(rows))}
	add := func(of func(i int) float64) {
		column := make([]float64, len(rows))
		for k, i := range rows {
			column[k] = of(i)
		}
		if slices.Min(column) < slices.Max(column) {
			terms = append(terms, column)
		}
	}
	start, end := g.ends[d.Name][0], g.ends[d.Name][1]
	curved := g.source.model == score.SmoothEffects || g.source.model == score.FlexibleEffects
	if g.rows.Levels[a] != nil {
		for _, level := range g.rows.Levels[a] {
			if level != start && level != end {
				add(func(i int) float64 { return indicator(g.rows.Columns[a][i] == level) })
			}
		}
	}
	for _, name := range d.Adjustment {
		z := g.at[name]
		if levels := g.rows.Levels[z]; levels == nil {
			mean, scale := center(g.rows.Columns[z], rows)
			add(func(i int) float64 { return (g.rows.Columns[z][i] - mean) / scale })
			if curved {
				add(func(i int) float64 { u := (g.rows.Columns[z][i] - mean) / scale; return u * u })
			}
		} else if z != by {
			for _, level := range levels[1:] {
				add(func(i int) float64 { return indicator(g.rows.Columns[z][i] == level) })
			}
		}
	}
	middle := (start + end) / 2
	_, scale := center(g.rows.Columns[a], rows)
	step := (end - start) / scale
	if curved && g.rows.Levels[a] == nil {
		add(func(i int) float64 { u := (g.rows.Columns[a][i] - middle) / scale; return u * u })
	}
	before := len(terms)
	if g.rows.Levels[a] != nil {
		step = 1
		add(func(i int) float64 { return indicator(g.rows.Columns[a][i] == end) })
	} else {
		add(func(i int) float64 { return (g.rows.Columns[a][i] - middle) / scale })
	}
	if len(terms) == before || len(rows) < max(leastGroupRows, rowsPerGroupTerm*len(terms)) {
		return 0, 0, false
	}
	y := make([]float64, len(rows))
	for k, i := range rows {
		if y[k] = g.rows.Columns[b][i]; d.Outcome != "mean" {
			y[k] = indicator(kind.Label(g.words[b], y[k]) == d.Outcome)
		}
	}
	beta, spread, ok := LastCoefficient(terms, y)
	return beta * step, spread * step * step, ok
}

func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// center returns the mean and the standard deviation of some rows of a column; 1 for a constant.
func center(x []float64, rows []int) (mean, std float64) {
	for _, i := range rows {
		mean += x[i] / float64(len(rows))
	}
	for _, i := range rows {
		std += (x[i] - mean) * (x[i] - mean) / float64(len(rows))
	}
	if std = math.Sqrt(std); std == 0 {
		std = 1
	}
	return mean, std
}
