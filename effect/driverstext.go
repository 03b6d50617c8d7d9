package effect

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/internal/names"
)

// mostDrivers is the number of columns in the table as text.
const mostDrivers = 15

// WriteText writes the ranking as text, with a legend for each table.
func (d *Drivers) WriteText(w io.Writer) error { return d.write(&page{w: w, legend: true}) }

// WriteBrief is WriteText without legends.
func (d *Drivers) WriteBrief(w io.Writer) error { return d.write(&page{w: w}) }

func (d *Drivers) write(p *page) error {
	p.left = []string{"change", "rests on"}
	if d.Interval != nil {
		p.interval = fmt.Sprintf("%g %% interval", 100*d.Interval.Level)
		if slices.ContainsFunc(d.Drivers, func(r Driver) bool { return r.IfExists != nil }) {
			p.interval += " if it exists"
		}
	}
	p.linef("What drives %s (%s model, %s)", d.On, d.Model, counted(d.Rows, "row"))
	p.linef("Caveat: %s.", d.Caveat)
	p.linef("%s", d.said())
	if len(d.Drivers) > 0 {
		p.linef("")
		p.linef("%s%s:", d.figure(), d.parentheses())
		p.drivers(d)
	}
	p.regression(d)
	p.subgroups(d)
	if len(d.NoEffect) > 0 {
		p.linef("No effect found: %s.", strings.Join(d.NoEffect, ", "))
	}
	for _, n := range d.Notes {
		p.linef("Note: %s.", n)
	}
	p.linef("Caution: %s.", d.Caution)
	return p.err
}

// A Bar is a total effect for a picture, in percentage points if it is on a probability.
type Bar struct {
	Name             string
	Value, Low, High float64 // equal ends mean no interval
	Stated           bool
}

// Bars returns the effects in the learned graph as bars, and the notes to write below them.
func (d *Drivers) Bars() (list []Bar, notes []string) {
	scale := 1.0
	if len(d.Drivers) > 0 && d.categorical() {
		scale = 100
	}
	for _, r := range d.Drivers[:min(len(d.Drivers), mostDrivers)] {
		if r.Total == nil || r.Basis == NotExcluded {
			continue
		}
		bar := Bar{Name: r.Name + " (" + r.change(d) + ")", Value: scale * r.Total.Value, Stated: r.Stated()}
		if own := r.IfExists; own != nil {
			bar.Low, bar.High = scale*own.Low, scale*own.High
		} else if r.Total.Low != nil {
			bar.Low, bar.High = scale*(*r.Total.Low), scale*(*r.Total.High)
		}
		list = append(list, bar)
	}
	notes = []string{d.figure() + ". Outlined bars are not stated as effects."}
	if d.Interval != nil {
		notes[0] += fmt.Sprintf(" Lines: %g %% intervals, if the effect exists.", 100*d.Interval.Level)
	}
	return list, append(notes, "Caveat: "+d.Caveat+".")
}

// drivers writes the table and its legend.
func (p *page) drivers(d *Drivers) {
	total, number, limits := "total", number, limits
	if d.categorical() {
		total, number, limits = "total, pp", points, limitsInPoints
	}
	rows := [][]string{{"column", "change", total, p.interval, "exists in", "ratio", "share of zeros, pp", "direct", "indirect", "changeable", "rests on"}}
	legend := "Legend: total: along all directed paths; direct: along the edge alone; indirect: the rest"
	ratios, averaged := false, []string(nil)
	for _, r := range d.Drivers[:min(len(d.Drivers), mostDrivers)] {
		total, interval, exists, ratio, zeros, direct, indirect := "not identified", "", "", "", "", "", ""
		if r.Total != nil {
			total, interval = number(r.Total.Value), limits(*r.Total)
			if own := r.IfExists; own != nil {
				averaged = append(averaged, r.Name+" "+interval)
				interval, exists = limits(Quantity{Low: &own.Low, High: &own.High}), fmt.Sprintf("%.0f %%", 100*value(r.Paths))
			}
			if r.Ratio != nil {
				ratio, ratios = fmt.Sprintf("%.3g", r.Ratio.Value), true
			}
			if r.Zeros != nil {
				zeros = strings.TrimSpace(points(r.Zeros.Value) + " " + limitsInPoints(*r.Zeros))
			}
			if r.Direct != nil {
				direct, indirect = number(r.Direct.Value), number(r.indirect())
			}
		}
		if r.Low != nil && r.Basis == Ambiguous {
			total = number(*r.Low) + " to " + number(*r.High)
		}
		if r.Basis == NotExcluded {
			total, zeros, direct, indirect = "none", "", "", ""
		}
		if !r.Stated() {
			total = "(" + total + ")"
		}
		changeable := r.Changeable
		if changeable == "" {
			changeable = "?"
		}
		rows = append(rows, []string{r.Name, r.change(d), total, interval, exists, ratio, zeros, direct, indirect, changeable, r.rests()})
	}
	p.grid(rows)
	if more := len(d.Drivers) - mostDrivers; more > 0 {
		p.linef("  and %s with smaller effects, which the JSON lists", counted(more, "column"))
	}
	if ratios {
		legend += "; ratio: probability at the second value divided by that at the first"
	}
	if len(averaged) > 0 {
		legend += "; exists in: share of the bootstrap graphs in which the column affects " + d.On
	}
	if p.legend {
		p.linef("%s; changeable: as far as the name of the column says.", legend)
	}
	if i := d.Interval; i != nil && i.Method == OverGraphs {
		p.linef("Intervals: %s, each with its own graph.", counted(i.Replicates, "bootstrap sample"))
	} else if i != nil {
		p.linef("Intervals: %s", i.sentence(""))
	}
	if len(averaged) > 0 {
		p.linef("Averaged over graphs, with 0 where the effect does not exist: %s.", strings.Join(averaged, "; "))
	}
}

// subgroups writes the effects in subgroups and whether they differ.
func (p *page) subgroups(d *Drivers) {
	if d.Compared == 0 {
		return
	}
	number, limits, total := number, limits, "effect"
	if d.categorical() {
		number, limits, total = points, limitsInPoints, "effect, pp"
	}
	interval, rows := "interval", [][]string{nil}
	for _, r := range d.Drivers[:min(len(d.Drivers), mostDrivers)] {
		for _, s := range r.By {
			interval = fmt.Sprintf("%g %% interval", 100*s.Level)
			differ := fmt.Sprintf("not shown (p = %.2g)", s.P)
			if s.Differs {
				differ = fmt.Sprintf("yes (p = %.2g)", s.P)
			}
			for i, g := range s.Groups {
				row := []string{r.Name, s.By + ": " + g.Value, fmt.Sprint(g.Rows), number(g.Effect.Value), limits(g.Effect), differ}
				if i > 0 {
					row[0], row[5] = "", ""
				}
				rows = append(rows, row)
			}
		}
	}
	p.linef("")
	if len(rows) == 1 {
		p.linef("Subgroups: %s, and no effect differs between subgroups (5 %% level).", counted(d.Compared, "comparison"))
		return
	}
	rows[0] = []string{"column", "group", "rows", total, interval, "effects differ"}
	q := &page{w: p.w, interval: interval, left: []string{"group", "effects differ"}}
	p.linef("Effects in subgroups:")
	q.grid(rows)
	if p.legend {
		p.linef("Within a group the effect is the slope of a regression on the column and its adjustment set.")
	}
	p.linef("p-values are adjusted for %s.", counted(d.Compared, "comparison"))
	p.err = cmp.Or(p.err, q.err)
}

// figure says which figure of the outcome the effects change.
func (d *Drivers) figure() string {
	switch {
	case !d.categorical():
		return "Change of " + cmp.Or(d.Figure, "the mean of "+d.On)
	case d.oneOutcome():
		return fmt.Sprintf("Change of the probability of %s = %s in percentage points (risk difference)", d.On, d.Drivers[0].Outcome)
	}
	return "Change of a probability of " + d.On + " in percentage points (risk difference)"
}

// parentheses explains effects in parentheses, if there are any.
func (d *Drivers) parentheses() string {
	if slices.ContainsFunc(d.Drivers, func(r Driver) bool { return !r.Stated() }) {
		return "; in parentheses if it is not stated as an effect, but holds in the learned graph"
	}
	return ""
}

// points formats a change of a probability in percentage points.
func points(x float64) string { return fmt.Sprintf("%.3g", 100*x) }

func limitsInPoints(q Quantity) string {
	if q.Low == nil {
		return ""
	}
	return "[" + points(*q.Low) + ", " + points(*q.High) + "]"
}

// indirect is the part of the total effect along other columns. What rounding leaves is 0.
func (d *Driver) indirect() float64 {
	rest := d.Total.Value - d.Direct.Value
	if math.Abs(rest) < 1e-9*math.Abs(d.Total.Value) {
		return 0
	}
	return rest
}

// categorical reports whether the effects are on probabilities.
func (d *Drivers) categorical() bool {
	return !slices.ContainsFunc(d.Drivers, func(r Driver) bool { return r.Outcome == "mean" })
}

// oneOutcome reports whether all effects are on the same figure of the outcome.
func (d *Drivers) oneOutcome() bool {
	return !slices.ContainsFunc(d.Drivers, func(r Driver) bool { return r.Outcome != d.Drivers[0].Outcome })
}

// change names the compared values.
func (c *Contrast) change() string {
	switch {
	case c.Deviation:
		return "+1 SD"
	case c.Unit:
		return "+1"
	}
	return fmt.Sprintf("%s instead of %s", c.End, c.Start)
}

// change names the compared values, and the category of the outcome if the drivers have different ones.
func (r *Driver) change(d *Drivers) string {
	text := r.Contrast.change()
	if !d.oneOutcome() && r.Outcome != "mean" {
		text += fmt.Sprintf(", P(%s = %s)", d.On, r.Outcome)
	}
	return text
}

// rests says what the effect rests on.
func (d *Driver) rests() string {
	if d.ByNames && d.Basis == Adjusted {
		plain := *d
		plain.ByNames = false
		return plain.rests() + "; direction by names"
	}
	if weak := *d; len(d.DependsOn) > 0 && (d.Basis == Adjusted || d.Basis == Randomized) {
		weak.DependsOn = nil
		return weak.rests() + "; weak edge: " + list(d.DependsOn[:1])
	}
	switch {
	case d.Basis == Randomized:
		return "randomized"
	case d.Basis == Adjusted && len(d.Adjustment) == 0:
		return "no adjustment needed"
	case d.Basis == Adjusted:
		return "adjusted for " + few(d.Adjustment)
	case d.Basis == Ambiguous && d.Stated():
		return "size not identified: equally good graphs differ"
	case d.Basis == Ambiguous:
		return "not identified: equally good graphs differ"
	}
	edges := list(d.DependsOn[:min(len(d.DependsOn), 2)])
	if more := len(d.DependsOn) - 2; more > 0 {
		edges += fmt.Sprintf(", and %d more", more)
	}
	switch {
	case d.Basis == Unsettled && d.Stated():
		return "size depends on: " + edges
	case d.Basis == Unsettled:
		return "undirected or weak: " + edges
	case edges != "":
		return "not excluded, if reversed: " + edges
	}
	return fmt.Sprintf("not excluded: %.0f %% of the graphs", 100*value(d.Paths))
}

// stated lists the columns with a stated effect whose interval excludes 0.
func (d *Drivers) stated() (names []string) {
	for _, r := range d.Drivers {
		if r.Stated() && !(r.Total.Low != nil && *r.Total.Low <= 0 && *r.Total.High >= 0) {
			names = append(names, r.Name)
		}
	}
	return names
}

// said says in two or three sentences what the table shows.
func (d *Drivers) said() string {
	stated := d.stated()
	text := fmt.Sprintf("No column has an effect on %s whose direction is settled and whose interval excludes 0.", d.On)
	if len(stated) > 0 {
		text = fmt.Sprintf("Stated effects on %s, largest first: %s.", d.On, few(stated))
	}
	change := map[string][]string{}
	for _, r := range d.Drivers {
		if slices.Contains(stated, r.Name) {
			change[r.Changeable] = append(change[r.Changeable], r.Name)
		}
	}
	if len(change["yes"]) > 0 {
		text += fmt.Sprintf(" Can be changed: %s.", few(change["yes"]))
	}
	if len(change["no"]) > 0 {
		text += fmt.Sprintf(" Cannot be changed: %s.", few(change["no"]))
	}
	var related []string
	for _, e := range d.unsettled() {
		sign := "+"
		if e.Effect.Value < 0 {
			sign = "−"
		}
		related = append(related, fmt.Sprintf("%s (%s)", e.Name, sign))
	}
	if len(related) == 0 {
		return text
	}
	holds := "direct effects if it affects none of them"
	if d.leaf {
		holds = "direct effects, since it affects no other column"
	}
	return text + fmt.Sprintf(" Given all other columns, %s depends on %s: %s.", d.On, names.List(related, 8), holds)
}
