package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Censoring names a column of times that end with an event, or with the end of the observation if the event had not happened. Such a time
// is only a lower bound, so its mean is biased. Censored replaces it by pseudo-observations (Andersen and Perme 2010): numbers without
// censoring whose mean is the restricted mean of the time up to Horizon, or the probability of no event until then. Differences of their
// means estimate differences of these figures if the censoring depends neither on the time nor on its causes.
type Censoring struct {
	Time, Event string
	Horizon     float64 // 0 for the time at which a tenth of the rows are still observed
	Survival    bool    // the probability of no event until Horizon instead of the restricted mean
}

// ParseCensoring reads TIME:EVENT, TIME:EVENT:HORIZON or TIME:EVENT:HORIZON:survival.
func ParseCensoring(text string) (c Censoring, err error) {
	parts := strings.Split(text, ":")
	bad := fmt.Errorf("%q: want TIME:EVENT, TIME:EVENT:HORIZON or TIME:EVENT:HORIZON:survival", text)
	if len(parts) < 2 || len(parts) > 4 || parts[0] == "" || parts[1] == "" || parts[0] == parts[1] {
		return c, bad
	}
	c.Time, c.Event = parts[0], parts[1]
	if len(parts) > 2 {
		if c.Horizon, err = strconv.ParseFloat(parts[2], 64); err != nil || !(c.Horizon > 0) || math.IsInf(c.Horizon, 1) {
			return c, bad
		}
	}
	if c.Survival = len(parts) == 4; c.Survival && parts[3] != "survival" {
		return c, bad
	}
	return c, nil
}

// Pseudo returns the pseudo-observations of the times, with the horizon that they have. happened says which times end with an event. A
// pseudo-observation is the figure plus n times its derivative by the weight of the row, the infinitesimal jackknife of the Kaplan–Meier
// estimate. NaN marks a missing time.
func (c Censoring) Pseudo(times []float64, happened []bool) (pseudo []float64, horizon float64) {
	var order []int
	for i, t := range times {
		if t == t {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(times[i], times[j]) })
	n := float64(len(order))
	pseudo = slices.Repeat([]float64{math.NaN()}, len(times))
	if len(order) == 0 {
		return pseudo, c.Horizon
	}
	if horizon = c.Horizon; horizon == 0 {
		horizon = times[order[len(order)-1-len(order)/10]]
	}
	// step is a time with events: the number at risk and of events, the survival after it, and the figure from it on.
	type step struct{ at, risk, events, survival, rest float64 }
	var steps []step
	survival, total, last := 1.0, 0.0, 0.0
	for k := 0; k < len(order) && times[order[k]] <= horizon; {
		s := step{at: times[order[k]], risk: n - float64(k)}
		for ; k < len(order) && times[order[k]] == s.at; k++ {
			if happened[order[k]] {
				s.events++
			}
		}
		if s.events > 0 {
			total += survival * (s.at - last)
			survival, last = survival*(1-s.events/s.risk), s.at
			s.survival = survival
			steps = append(steps, s)
		}
	}
	total += survival * (horizon - last)
	after, end := 0.0, horizon
	for k := len(steps) - 1; k >= 0; k-- {
		after += steps[k].survival * (end - steps[k].at)
		if steps[k].rest, end = after, steps[k].at; c.Survival {
			steps[k].rest = survival
		}
	}
	figure := total
	if c.Survival {
		figure = survival
	}
	// A row lowers the figure at its own event, and raises it at the earlier events, at which it was at risk.
	raised, k := 0.0, 0
	for _, i := range order {
		for ; k < len(steps) && steps[k].at <= times[i]; k++ {
			if s := steps[k]; s.risk > s.events {
				raised += s.rest * s.events / (s.risk * (s.risk - s.events))
			}
		}
		pseudo[i] = figure + n*raised
		if k > 0 && happened[i] && steps[k-1].at == times[i] && steps[k-1].risk > steps[k-1].events {
			pseudo[i] -= n * steps[k-1].rest / (steps[k-1].risk - steps[k-1].events)
		}
	}
	return pseudo, horizon
}

// Censored reads the two columns of a source and returns another one, which open gives, with pseudo-observations in the place of the times
// and without the events.
func (c Censoring) Censored(ctx context.Context, open func(context.Context) (Source, error)) (Source, error) {
	first, err := open(ctx)
	if err != nil {
		return nil, err
	}
	defer first.Close()
	names := ColumnNames(first.Columns())
	columns := []int{slices.Index(names, c.Time), slices.Index(names, c.Event)}
	if k := slices.Index(columns, -1); k >= 0 {
		return nil, fmt.Errorf("censored times: no column is named %q", []string{c.Time, c.Event}[k])
	}
	if err := first.Select(columns); err != nil {
		return nil, err
	}
	var times, events []float64
	for b := new(Batch); ; {
		err := first.Next(ctx, b)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(b.Cells) > 0 {
			return nil, fmt.Errorf("censored times: %q is not a number in column %s; give times as numbers, and events as 1 and 0", b.Text[b.Cells[0].Start:b.Cells[0].End], []string{c.Time, c.Event}[b.Cells[0].Column])
		}
		for i := range b.Rows {
			times, events = append(times, b.Values[2*i]), append(events, b.Values[2*i+1])
		}
	}
	happened := make([]bool, len(events))
	most, censored := slices.Max(append(events, math.Inf(-1))), 0
	for i, e := range events {
		if happened[i] = e == most; !happened[i] {
			censored++
		}
		if e != e {
			times[i] = math.NaN()
		}
		if times[i] < 0 || e == e && e != most && e != most-1 {
			return nil, fmt.Errorf("censored times: row %d has the time %v and the event %v; want times of at least 0, and events 1 and 0, or 2 and 1", i+1, times[i], e)
		}
	}
	out := &censoredSource{drop: columns[1], at: columns[0]}
	pseudo, horizon := c.Pseudo(times, happened)
	figure := "the restricted mean up to"
	if c.Survival {
		figure = "the probability of no event until"
	}
	out.pseudo = pseudo
	out.note = fmt.Sprintf("%s has %d censored times of %d, by %s; its mean is %s %.4g (pseudo-observations)", c.Time, censored, len(times), c.Event, figure, horizon)
	if out.Source, err = open(ctx); err != nil {
		return nil, err
	}
	return out, out.Select(nil)
}

// censoredSource is a source with another column of times.
type censoredSource struct {
	Source
	at, drop int // columns of the file with the times and the events
	all      []Column
	columns  []int // of the file, selected
	pseudo   []float64
	row      int
	note     string
	place    int // of the times among the selected columns, or -1
}

// Select selects from the columns without the events; nil is all of them.
func (s *censoredSource) Select(columns []int) error {
	if columns == nil {
		s.all = slices.Clone(s.Source.Columns())
		for j := range s.all {
			if j != s.drop {
				s.columns = append(s.columns, j)
			}
		}
		s.place = slices.Index(s.columns, s.at)
		return nil
	}
	own := make([]int, len(columns))
	for k, j := range columns {
		own[k] = s.columns[j]
	}
	s.columns, s.place = own, slices.Index(own, s.at)
	return nil
}

func (s *censoredSource) Columns() []Column {
	var out []Column
	for _, j := range s.columns {
		out = append(out, s.all[j])
	}
	return out
}

// Next selects the columns before the first row, because a source selects only once.
func (s *censoredSource) Next(ctx context.Context, b *Batch) error {
	if s.row == 0 && len(s.columns) > 0 {
		if err := s.Source.Select(s.columns); err != nil {
			return err
		}
	}
	if err := s.Source.Next(ctx, b); err != nil {
		return err
	}
	wide := len(b.Values) / max(b.Rows, 1)
	for i := range b.Rows {
		if s.place >= 0 {
			b.Values[i*wide+s.place] = s.pseudo[s.row]
		}
		s.row++
	}
	return nil
}

// Notes says what the column of times holds, after the remarks of the file.
func (s *censoredSource) Notes() (out []string) {
	if n, ok := s.Source.(Noter); ok {
		out = n.Notes()
	}
	return append(out, s.note)
}
