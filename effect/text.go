package effect

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/visible"
)

var counted = names.Count

// WriteText writes the answer as text, with a legend for each table.
func (a *Answer) WriteText(w io.Writer) error { return a.write(&page{w: w, legend: true}) }

// WriteBrief is WriteText without legends.
func (a *Answer) WriteBrief(w io.Writer) error { return a.write(&page{w: w}) }

func (a *Answer) write(p *page) error {
	if a.Interval != nil {
		p.interval = fmt.Sprintf("%g %% interval", 100*a.Interval.Level)
	}
	p.linef("Effect of %s on %s (%s model, %s)", a.Of, a.On, a.Model, counted(a.Rows, "row"))
	for line := range strings.Lines(a.verdict()) {
		p.linef("%s", strings.TrimSuffix(line, "\n"))
	}
	p.impulse(a)
	if len(a.Impulse) == 0 && a.Bounds == nil && len(a.DependsOn)+len(a.Reversed) > 0 {
		p.linef("Graph: the learned DAG; it directs undirected and weak edges too, although their direction is not stated.")
	}
	if len(a.Effects) > 0 && (a.Identification != None || a.Interval != nil) {
		p.effects(a)
	}
	p.class(a)
	p.bounds(a)
	if a.Identification != None && len(a.Impulse) == 0 && (a.Bounds == nil || a.Adjustment.Exists) {
		p.adjustment(a)
	}
	p.distributions(a)
	for _, f := range a.WhatIf {
		p.whatIf(a, f)
	}
	p.sensitivity(a)
	for k, n := range a.Notes {
		if k == 0 {
			p.linef("")
		}
		p.linef("Note: %s.", n)
	}
	p.linef("")
	p.linef("Caution: %s.", a.Caution)
	return p.err
}

var ways = map[string]string{
	byFormula: "Gaussian", byElimination: "exact under the model", bySampling: "sampled from the model", byRows: "from the rows of the table, each with its own noise",
}

type page struct {
	w        io.Writer
	interval string   // header of the column with intervals; "" without intervals
	left     []string // headers of other columns aligned to the left
	legend   bool     // explain the columns
	err      error
}

func (p *page) linef(format string, args ...any) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, visible.Name(fmt.Sprintf(format, args...))+"\n")
	}
}

// grid writes rows with aligned columns, the first row being the header. Columns without any cell are omitted; the first column and
// intervals are aligned to the left.
func (p *page) grid(rows [][]string) {
	wide := make([]int, len(rows[0]))
	for k := range rows[0] {
		for _, row := range rows[1:] {
			wide[k] = max(wide[k], utf8.RuneCountInString(row[k]))
		}
		if wide[k] > 0 {
			wide[k] = max(wide[k], utf8.RuneCountInString(rows[0][k]))
		}
	}
	for _, row := range rows {
		line := ""
		for k, cell := range row {
			if wide[k] == 0 {
				continue
			}
			space := strings.Repeat(" ", wide[k]-utf8.RuneCountInString(cell))
			if k == 0 || rows[0][k] == p.interval || slices.Contains(p.left, rows[0][k]) {
				line += "  " + cell + space
			} else {
				line += "  " + space + cell
			}
		}
		p.linef("%s", strings.TrimRight(line, " "))
	}
}

func number(x float64) string { return fmt.Sprintf("%.4g", x) }

// limits formats the interval of a figure, "" if it has none.
func limits(q Quantity) string {
	if q.Low == nil {
		return ""
	}
	return fmt.Sprintf("[%.4g, %.4g]", *q.Low, *q.High)
}

func (p *page) effects(a *Answer) {
	standardized, through := false, false
	for _, e := range a.Effects {
		p.linef("")
		what := cmp.Or(a.Figure, "the mean of "+a.On)
		if e.Outcome != "mean" {
			what = fmt.Sprintf("the probability of %s = %s", a.On, e.Outcome)
		}
		if a.Contrast.Unit {
			p.linef("Change in %[2]s per unit of %[1]s:", a.Of, what)
		} else {
			quartiles := ""
			if a.Contrast.Quartiles {
				quartiles = " (quartiles)"
			}
			p.linef("Change in %s for %s = %s instead of %s%s:", what, a.Of, a.Contrast.End, a.Contrast.Start, quartiles)
		}
		rows := [][]string{{"effect", "estimate", p.interval, "standardized"}}
		add := func(name string, q Quantity) {
			std := ""
			if q.Standardized != nil {
				std, standardized = fmt.Sprintf("%.3g", *q.Standardized), true
			}
			rows = append(rows, []string{name, number(q.Value), limits(q), std})
		}
		if own := e.IfExists; own == nil {
			add("total", e.Total)
		} else if exists := limits(Quantity{Low: &own.Low, High: &own.High}); a.Identification == None {
			add("total, averaged over graphs", e.Total)
			rows = append(rows, []string{"total, if it exists", "", exists, ""})
		} else {
			add("total, if it exists", e.Total)
			rows[len(rows)-1][2] = exists
			rows = append(rows, []string{"total, averaged over graphs", "", limits(e.Total), ""})
		}
		if e.Direct != nil {
			add("direct", *e.Direct)
		}
		for _, t := range e.Through {
			through = true
			add("through "+t.Name, t.Quantity)
		}
		p.grid(rows)
	}
	legend := "Legend: total: along all directed paths"
	if a.Bounds == nil {
		legend += "; direct: along the edge alone"
	}
	if through {
		legend += "; through X: along the paths that pass X; a path that passes two columns counts for both"
	}
	if standardized {
		legend += "; standardized: in standard deviations of both columns"
	}
	if p.legend {
		p.linef("%s.", legend)
	}
	if i := a.Interval; i != nil {
		p.linef("Intervals: %s", i.sentence(a.path()))
	}
}

// path names the paths that carry the effect.
func (a *Answer) path() string {
	if a.Bounds != nil {
		return "possibly directed path"
	}
	return "directed path"
}

func (i *Interval) sentence(path string) string {
	switch i.Method {
	case ByFormula:
		return "least squares, conditional on the learned graph."
	case OverRows:
		return counted(i.Replicates, "bootstrap sample") + ", conditional on the learned graph."
	case OverPosterior:
		return fmt.Sprintf("%d graphs and weights sampled from the posterior. The probability of a directed path is %.2f.", i.Replicates, *i.Paths)
	}
	s := fmt.Sprintf("%s, each with its own graph. A %s exists in %.0f %% of them, if the model holds", counted(i.Replicates, "bootstrap sample"), path, 100**i.Paths)
	if *i.Paths < 1 && i.Root {
		s += "; nothing causes the column, so the others estimate its effect too"
	} else if *i.Paths < 1 {
		s += "; the others count as 0"
	}
	s += "."
	if *i.OpenShare > 0 {
		s += fmt.Sprintf(" In %.0f %% the effect is not identified; the interval then covers its range.", 100**i.OpenShare)
	}
	return s
}

// class lists the total effect for each set of parents that the undirected edges of a column allow.
func (p *page) class(a *Answer) {
	c := a.Class
	if c == nil {
		return
	}
	p.linef("")
	p.linef("Edges of %s that can be reversed with an equal score: %s. Total effect for each set of parents of %[1]s that they allow:", a.Of, strings.Join(c.Neighbors, ", "))
	if len(c.Fixed) > 0 {
		p.linef("(Other undirected edges of %s keep the direction of the learned DAG: %s.)", a.Of, strings.Join(c.Fixed, ", "))
	}
	head := []string{"parents"}
	for _, e := range a.Effects {
		if e.Outcome == "mean" {
			head = append(head, "total effect")
		} else {
			head = append(head, "on P("+e.Outcome+")")
		}
	}
	rows := [][]string{head}
	add := func(name string, totals []float64) {
		row := []string{name}
		for _, x := range totals {
			row = append(row, number(x))
		}
		rows = append(rows, row)
	}
	for k, m := range c.Members {
		causes := strings.Join(m.Parents, ", ")
		if causes == "" {
			causes = "none"
		}
		if k == 0 {
			causes += " (learned DAG)"
		}
		add(causes, m.Totals)
	}
	add("minimum", c.Low)
	add("maximum", c.High)
	add("smallest absolute value", c.LeastAbsolute)
	p.grid(rows)
}

// bounds writes the range over the graphs of a PAG that does not identify the effect, and the total effect for each adjustment set.
func (p *page) bounds(a *Answer) {
	b := a.Bounds
	if b == nil || a.Identification != Open {
		return
	}
	p.linef("")
	if b.Low != nil {
		per := "per unit of " + a.Of
		if !a.Contrast.Unit {
			per = fmt.Sprintf("for %s = %s instead of %s", a.Of, a.Contrast.End, a.Contrast.Start)
		}
		p.linef("Change in the mean of %s %s:", a.On, per)
		interval := ""
		if b.IntervalLow != nil {
			interval = limits(Quantity{Low: b.IntervalLow, High: b.IntervalHigh})
		}
		p.grid([][]string{{"effect", "minimum", "maximum", p.interval}, {"total", number(*b.Low), number(*b.High), interval}})
		if a.Interval != nil {
			p.linef("Intervals: %s", a.Interval.sentence(a.path()))
		}
		p.linef("")
	}
	p.linef("Total effect in the graphs that the PAG represents:")
	rows := [][]string{{"adjustment set", "possible hidden cause with", "total effect"}}
	for _, c := range b.Choices {
		set, total := strings.Join(c.Set, ", "), "not identified"
		switch {
		case !c.Cause:
			set = "not needed (no directed path)"
		case c.Total == nil:
			set = "does not exist"
		case set == "":
			set = "empty"
		}
		if c.Total != nil {
			total = number(*c.Total)
		}
		rows = append(rows, []string{set, strings.Join(c.Hidden, ", "), total})
	}
	p.grid(rows)
}

func (p *page) adjustment(a *Answer) {
	s := a.Adjustment
	p.linef("")
	switch {
	case !s.Exists:
		p.linef("Adjustment set: no valid set, since %s is a cause of %s in the learned DAG.", a.On, a.Of)
		return
	case len(s.Set) == 0:
		p.linef("Adjustment set: empty (there is no open back-door path).")
	default:
		p.linef("Adjustment set: %s (blocks every back-door path).", strings.Join(s.Set, ", "))
	}
	if s.Slope != nil {
		from := "from the table"
		if s.Implied {
			from = "implied by the weights of the result"
		}
		p.linef("Regression slope of %s on %s with this set: %.4g (%s; a second estimate of the total effect).", a.On, a.Of, *s.Slope, from)
	}
}

// distributions writes one row per value for a numeric outcome, and one row per value and category otherwise.
func (p *page) distributions(a *Answer) {
	if len(a.Distributions) == 0 {
		return
	}
	p.linef("")
	p.linef("Distribution of %s after the intervention do(%s = value) (%s):", a.On, a.Of, ways[a.Distributions[0].By])
	p.spread(a.On, a.Of, a.Distributions)
}

// spread writes distributions as a table, each with its value of the column of.
func (p *page) spread(on, of string, list []Distribution) {
	numeric := [][]string{{of, "mean", p.interval, "std. dev."}}
	categories := [][]string{{of, on, "probability", p.interval}}
	for _, q := range list[0].Quantiles {
		numeric[0] = append(numeric[0], fmt.Sprintf("%g %%", 100*q.P))
	}
	sampling := 0.0
	for _, d := range list {
		if d.Mean != nil {
			row := []string{d.Do, number(d.Mean.Value), limits(*d.Mean), number(*d.Std)}
			for _, q := range d.Quantiles {
				row = append(row, number(q.Value))
			}
			numeric = append(numeric, row)
		}
		for _, l := range d.Levels {
			categories = append(categories, []string{d.Do, l.Name, number(l.Value), limits(l.Quantity)})
		}
		sampling = max(sampling, d.Error)
	}
	if len(numeric) > 1 {
		p.grid(numeric)
		if p.legend && len(list[0].Quantiles) > 0 {
			p.linef("Legend: the columns in %% are quantiles of %s.", on)
		}
	}
	if len(categories) > 1 {
		p.grid(categories)
	}
	if sampling > 0 {
		p.linef("Monte Carlo standard error: at most %.2g.", sampling)
	}
}

func (p *page) whatIf(a *Answer, f WhatIf) {
	p.linef("")
	shown := f.Given
	more := ""
	if len(shown) > 6 {
		shown, more = shown[:6], fmt.Sprintf(" and %d more", len(f.Given)-6)
	}
	var given []string
	for _, g := range shown {
		given = append(given, g.Name+" = "+g.Value)
	}
	p.linef("Row with %s%s, if %s had been %s (%s)", strings.Join(given, ", "), more, a.Of, f.Do, map[bool]string{true: "counterfactual", false: "average of similar rows"}[f.Counterfactual])
	if f.Observed != "" {
		p.linef("  %s was %s", a.On, f.Observed)
	}
	if f.Mean != nil && f.Std != nil && *f.Std == 0 {
		p.linef("  %s would have been %.4g", a.On, f.Mean.Value)
		return
	}
	p.spread(a.On, a.Of, []Distribution{f.Distribution})
}

func (p *page) sensitivity(a *Answer) {
	s := a.Sensitivity
	if s == nil {
		return
	}
	p.linef("")
	if s.Robustness != nil {
		p.linef("Robustness value: %.1f %% (a confounder explaining this share of the residual variance of both %s and %s would reduce the effect to 0; %.1f %% would make the interval include 0).",
			100**s.Robustness, a.Of, a.On, 100**s.RobustnessInterval)
		if len(s.Benchmarks) > 0 {
			p.linef("For comparison, bounds for a hidden confounder as strong as a column of the adjustment set, in shares of the residual variance:")
			rows := [][]string{{"as strong as", "explains of " + a.Of, "explains of " + a.On, "effect becomes"}}
			for _, b := range s.Benchmarks {
				rows = append(rows, []string{b.Name, fmt.Sprintf("%.1f %%", 100*b.WithOf), fmt.Sprintf("%.1f %%", 100*b.WithOn), number(b.Slope)})
			}
			p.grid(rows)
		}
	}
	if s.EValue != nil {
		p.linef("E-value: %.3g (a hidden confounder with this risk ratio with both %s and %s would explain the effect; the risk ratio of %[3]s = %[4]s is %.3[5]g).", *s.EValue, a.Of, a.On, s.Outcome, *s.RiskRatio)
		switch v := s.EValueInterval; {
		case v != nil && *v <= 1:
			p.linef("E-value of the interval limit: 1 (the interval contains zero effect already).")
		case v != nil:
			p.linef("E-value of the interval limit: %.3g.", *v)
		}
	}
}
