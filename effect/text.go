package effect

import (
	"fmt"
	"io"
	"strings"
)

// WriteText writes the answer as text.
func (a *Answer) WriteText(w io.Writer) error {
	p := &page{w: w}
	p.linef("Effect of %s on %s (%s model, %d rows)", a.Of, a.On, a.Model, a.Rows)
	p.linef("%s: %s.", headings[a.Identification], a.Reason)
	if a.Identification != None || a.Interval != nil {
		p.effects(a)
	}
	p.class(a)
	p.adjustment(a)
	for _, d := range a.Distributions {
		p.linef("")
		p.linef("Distribution of %s given do(%s = %s) (%s)", a.On, a.Of, d.Do, ways[d.By])
		p.distribution(d)
	}
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

var headings = map[Identification]string{Identified: "Identified", Open: "Not identified", None: "No effect"}

var ways = map[string]string{
	byFormula: "Gaussian", byElimination: "exact under the model", bySampling: "sampled from the model", byRows: "from the rows of the table, each with its own noise",
}

type page struct {
	w   io.Writer
	err error
}

func (p *page) linef(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// quantity formats a figure with its interval and its standardized value.
func quantity(q Quantity) string {
	s := fmt.Sprintf("%.4g", q.Value)
	if q.Low != nil {
		s += fmt.Sprintf("  [%.4g, %.4g]", *q.Low, *q.High)
	}
	if q.Standardized != nil {
		s += fmt.Sprintf("  standardized %.3g", *q.Standardized)
	}
	return s
}

func (p *page) effects(a *Answer) {
	for _, e := range a.Effects {
		p.linef("")
		what := "the mean of " + a.On
		if e.Outcome != "mean" {
			what = fmt.Sprintf("the probability of %s = %s", a.On, e.Outcome)
		}
		if a.Contrast.Unit {
			p.linef("Change in %[2]s per unit of %[1]s", a.Of, what)
		} else {
			p.linef("Change in %s for %s = %s instead of %s", what, a.Of, a.Contrast.End, a.Contrast.Start)
		}
		wide := len("direct")
		for _, t := range e.Through {
			wide = max(wide, len([]rune("through "+t.Name)))
		}
		p.linef("  %-*s  %s", wide, "total", quantity(e.Total))
		p.linef("  %-*s  %s", wide, "direct", quantity(e.Direct))
		for _, t := range e.Through {
			p.linef("  %-*s  %s", wide, "through "+t.Name, quantity(t.Quantity))
		}
	}
	if i := a.Interval; i != nil {
		p.linef("")
		p.linef("%g %% intervals: %s", 100*i.Level, i.sentence())
	}
}

func (i *Interval) sentence() string {
	switch i.Method {
	case ByFormula:
		return "least squares, conditional on the learned graph."
	case OverRows:
		return fmt.Sprintf("%d bootstrap samples, conditional on the learned graph.", i.Replicates)
	case OverPosterior:
		return fmt.Sprintf("%d graphs and weights sampled from the posterior. The probability of a directed path is %.2f.", i.Replicates, *i.Paths)
	}
	s := fmt.Sprintf("%d bootstrap samples, each with its own graph. A directed path exists in %.0f %% of them", i.Replicates, 100**i.Paths)
	if *i.OpenShare > 0 {
		s += fmt.Sprintf("; in %.0f %% the effect is not identified, and the interval covers its range", 100**i.OpenShare)
	}
	return s + "."
}

func (p *page) class(a *Answer) {
	c := a.Class
	if c == nil {
		return
	}
	p.linef("")
	p.linef("Undirected edges of %s: %s. Total effect by parent set of %[1]s:", a.Of, strings.Join(c.Neighbors, ", "))
	for k, m := range c.Members {
		causes := strings.Join(m.Parents, ", ")
		if causes == "" {
			causes = "none"
		}
		if k == 0 {
			causes += " (as learned)"
		}
		p.linef("  %s: %s", causes, numbers(m.Totals))
	}
	p.linef("  range %s to %s, smallest absolute value %s", numbers(c.Low), numbers(c.High), numbers(c.LeastAbsolute))
}

func numbers(list []float64) string {
	var out []string
	for _, x := range list {
		out = append(out, fmt.Sprintf("%.4g", x))
	}
	return strings.Join(out, ", ")
}

func (p *page) adjustment(a *Answer) {
	s := a.Adjustment
	p.linef("")
	switch {
	case !s.Exists:
		p.linef("Adjust for   no valid set: %s is a cause of %s", a.On, a.Of)
		return
	case len(s.Set) == 0:
		p.linef("Adjust for   nothing: there is no open back-door path")
	default:
		p.linef("Adjust for   %s (blocks every back-door path)", strings.Join(s.Set, ", "))
	}
	if s.Slope != nil {
		p.linef("             adjusted regression slope of %s on %s: %.4g", a.On, a.Of, *s.Slope)
	}
}

func (p *page) distribution(d Distribution) {
	if d.Mean != nil {
		p.linef("  mean  %s   standard deviation %.4g", quantity(*d.Mean), *d.Std)
	}
	if len(d.Quantiles) > 0 {
		var parts []string
		for _, q := range d.Quantiles {
			parts = append(parts, fmt.Sprintf("%g %%: %.4g", 100*q.P, q.Value))
		}
		p.linef("  quantiles  %s", strings.Join(parts, "  "))
	}
	for _, l := range d.Levels {
		p.linef("  P(%s)  %s", l.Name, quantity(l.Quantity))
	}
	if d.Error > 0 {
		p.linef("  Monte Carlo standard error: %.2g", d.Error)
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
	p.distribution(f.Distribution)
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
		for _, b := range s.Benchmarks {
			p.linef("  a confounder like %s (%.1f %% of %s, %.1f %% of %s) would change the slope to %.4g", b.Name, 100*b.WithOf, a.Of, 100*b.WithOn, a.On, b.Slope)
		}
	}
	if s.EValue != nil {
		p.linef("E-value: %[4]s (risk ratio of %[1]s = %[2]s: %[3]s; a confounder with this risk ratio for both columns would explain the effect).", a.On, s.Outcome, fmt.Sprintf("%.3g", *s.RiskRatio), fmt.Sprintf("%.3g", *s.EValue))
		if s.EValueInterval != nil {
			p.linef("  E-value of the interval limit: %.3g", *s.EValueInterval)
		}
	}
}
