package effect

import (
	"fmt"
	"io"
	"strings"
)

// WriteText writes the answer as text.
func (a *Answer) WriteText(w io.Writer) error {
	p := &page{w: w}
	p.linef("Effect of %s on %s, %s model, %d rows", a.Of, a.On, a.Model, a.Rows)
	p.linef("Caution: %s", a.Caution)
	p.linef("")
	p.linef("%s: %s.", headings[a.Identification], a.Reason)
	if a.Identification != None || a.Interval != nil {
		p.effects(a)
	}
	p.class(a)
	p.adjustment(a)
	for _, d := range a.Distributions {
		p.linef("")
		p.linef("%s where %s is set to %s (%s)", a.On, a.Of, d.Do, ways[d.By])
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
	return p.err
}

var headings = map[Identification]string{Identified: "Identified", Open: "Open", None: "No effect"}

var ways = map[string]string{
	byFormula: "Gaussian", byElimination: "exact under the model", bySampling: "drawn from the model", byRows: "the rows of the table, each with its own noise",
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
			p.linef("One unit of %s changes %s by", a.Of, what)
		} else {
			p.linef("%s set to %s instead of %s changes %s by", a.Of, a.Contrast.End, a.Contrast.Start, what)
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
		p.linef("Intervals at %g %%: %s", 100*i.Level, i.sentence())
	}
}

func (i *Interval) sentence() string {
	switch i.Method {
	case ByFormula:
		return "by the formula of least squares; the graph is taken as known."
	case OverRows:
		return fmt.Sprintf("%d resampled tables; the graph is taken as known.", i.Replicates)
	case OverPosterior:
		return fmt.Sprintf("%d graphs drawn from the posterior, each with weights drawn given the graph. The column that is set acts on the other with probability %.2f.", i.Replicates, *i.Paths)
	}
	s := fmt.Sprintf("%d resampled tables, each with a graph of its own. The column that is set reaches the other in %.0f %% of them", i.Replicates, 100**i.Paths)
	if *i.OpenShare > 0 {
		s += fmt.Sprintf(", and in %.0f %% a direction is open that matters: the whole range is in the interval", 100**i.OpenShare)
	}
	return s + "."
}

func (p *page) class(a *Answer) {
	c := a.Class
	if c == nil {
		return
	}
	p.linef("")
	p.linef("Open directions at %s: %s. Total effect by its causes", a.Of, strings.Join(c.Neighbors, ", "))
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
	p.linef("  range %s to %s, least size %s", numbers(c.Low), numbers(c.High), numbers(c.LeastAbsolute))
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
		p.linef("Adjust for   no set would do: %s is a cause of %s", a.On, a.Of)
		return
	case len(s.Set) == 0:
		p.linef("Adjust for   nothing: no back-door path is open (checked against the graph)")
	default:
		p.linef("Adjust for   %s (checked against the graph: no descendant of %s, every back-door path blocked)", strings.Join(s.Set, ", "), a.Of)
	}
	if s.Slope != nil {
		p.linef("             slope of %s on %s with these held: %.4g", a.On, a.Of, *s.Slope)
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
		p.linef("  below %s", strings.Join(parts, "  "))
	}
	for _, l := range d.Levels {
		p.linef("  P(%s)  %s", l.Name, quantity(l.Quantity))
	}
	if d.Error > 0 {
		p.linef("  standard error of drawing: %.2g", d.Error)
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
	p.linef("In a row with %s%s, had %s been %s (%s)", strings.Join(given, ", "), more, a.Of, f.Do, map[bool]string{true: "its own noise kept", false: "rows like it"}[f.Counterfactual])
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
		p.linef("Hidden cause: one that explains %.1f %% of what is left of both %s and %s would make the slope zero, and %.1f %% would bring its interval there.",
			100**s.Robustness, a.Of, a.On, 100**s.RobustnessInterval)
		for _, b := range s.Benchmarks {
			p.linef("  as strong as %s (%.1f %% of %s, %.1f %% of %s): the slope could be %.4g", b.Name, 100*b.WithOf, a.Of, 100*b.WithOn, a.On, b.Slope)
		}
	}
	if s.EValue != nil {
		p.linef("Hidden cause: P(%s = %s) changes by a factor of %.3g; a hidden cause explains that away if it goes with both columns by risk ratios of %.3g.", a.On, s.Outcome, *s.RiskRatio, *s.EValue)
		if s.EValueInterval != nil {
			p.linef("  %.3g would bring the interval to no effect", *s.EValueInterval)
		}
	}
}
