package effect

import "fmt"

// impulse writes the responses.
func (p *page) impulse(a *Answer) {
	if len(a.Impulse) == 0 {
		return
	}
	p.linef("")
	what, change := a.On, fmt.Sprintf("after a change of %s by 1 unit", a.Of)
	if a.Impulse[0].Outcome != "" {
		what = "the probability of each value of " + a.On
	}
	switch c := a.Contrast; {
	case c.Change != 0:
		change = fmt.Sprintf("after a change of %s by %s (one standard deviation of its noise)", a.Of, number(c.Change))
	case !c.Unit:
		change = fmt.Sprintf("for %s = %s instead of %s", a.Of, c.End, c.Start)
	}
	p.linef("Change in %s %s that lasts one step (%s):", what, change, a.TimeStep)
	rows := [][]string{{"step", "value of " + a.On, "estimate", p.interval}}
	for _, r := range a.Impulse {
		rows = append(rows, []string{fmt.Sprint(r.Step), r.Outcome, number(r.Value), limits(r.Quantity)})
	}
	p.grid(rows)
	if a.Interval != nil {
		how := "each with its own graph"
		if a.Interval.Method == OverRows {
			how = "given the graph"
		}
		p.linef("Intervals: %d bootstrap samples of blocks of rows, %s.", a.Interval.Replicates, how)
	}
}
