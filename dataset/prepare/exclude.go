package prepare

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	match "github.com/polydag/polydag/internal/names"
)

// These are the reasons for excluding a column. They are part of the JSON of a result.
const (
	reasonConstant   = "constant"
	reasonIdentifier = "identifier"
	reasonFreeText   = "free text"
	Duplicate        = "duplicate"
	reasonEmpty      = "no values"
	reasonMissing    = "mostly missing"
	reasonCategories = "too many categories"
	reasonMixed      = "text among numbers"
	reasonText       = "text"
	reasonUnreadable = "unreadable"
)

// leastRowsForID is the smallest number of values for which an order or the absence of repeats is not a coincidence.
const leastRowsForID = 10

// observed has the observations of one pass over a table, even if the pass returned an error.
type observed struct {
	rows     int
	columns  []dataset.ColumnProfile // profiles of the outputs, in their order
	from     []string                // the column of the file for each output
	unique   []bool                  // no value of the output repeats, as far as values were counted
	patterns missingPatterns
	planned  []dataset.Excluded // text columns that the plan excludes
}

// gatherUsable is gatherChosen without columns that no graph can be learned from. It repeats the pass until no column is excluded.
// A table without such columns takes one pass.
func gatherUsable(ctx context.Context, at *dataset.Source, open func(context.Context) (dataset.Source, error), chosen []chosenColumn, opt *options) (*Gathered, error) {
	if !opt.Exclude {
		return gatherChosen(ctx, at, open, chosen, opt)
	}
	excluded := slices.Clone(opt.unreadable)
	var profiles []dataset.ColumnProfile
	for {
		opt.seen = &observed{}
		g, err := gatherChosen(ctx, at, open, chosen, opt)
		next := opt.unusable(chosen, g, err)
		if len(next) == 0 {
			return finishExcluded(g, err, excluded, profiles, opt)
		}
		excluded = append(excluded, next...)
		profiles = append(profiles, opt.seen.profilesOf(next)...)
		gone := excludedNames(next)
		chosen = slices.DeleteFunc(slices.Clone(chosen), func(c chosenColumn) bool { return gone[c.Name] })
		if variables := slices.ContainsFunc(chosen, func(c chosenColumn) bool { return !c.context }); !variables {
			return finishExcluded(nothingLeft(opt), nil, excluded, profiles, opt)
		}
		if err := (*at).Close(); err != nil {
			return nil, err
		}
		again, err := open(ctx)
		if err != nil {
			return nil, fmt.Errorf("excluding columns needs another pass, but the table could not be opened again: %w", err)
		}
		*at = again
	}
}

// nothingLeft returns the result for a table with only excluded columns.
func nothingLeft(opt *options) *Gathered {
	m := dataset.NewMoments(nil)
	m.N = opt.seen.rows
	return &Gathered{Moments: m, Profile: &dataset.Profile{File: opt.File, RowsRead: m.N, RowsUsed: m.N}}
}

// finishExcluded adds the excluded columns to the profile of g, in the order of the file. Fewer than two usable columns are an
// error that lists them, except in a lenient pass.
func finishExcluded(g *Gathered, err error, excluded []dataset.Excluded, profiles []dataset.ColumnProfile, opt *options) (*Gathered, error) {
	if g != nil {
		excluded = append(excluded, g.excluded...)
	} else {
		excluded = append(excluded, opt.seen.planned...)
	}
	slices.SortStableFunc(excluded, func(a, b dataset.Excluded) int { return opt.place[a.Name] - opt.place[b.Name] })
	if narrow := errors.Is(err, dataset.ErrOneColumn) || err == nil && g.Moments.Dim() < 2 && !opt.Lenient; narrow && len(excluded) > 0 {
		return nil, &dataset.ParseError{File: opt.File, Err: tooFewUsable(excluded, opt)}
	}
	if err != nil {
		return nil, err
	}
	g.Profile.Excluded = excluded
	g.Profile.Columns = append(profiles, g.Profile.Columns...)
	if len(excluded) > 0 {
		g.Profile.Notes = append([]string{ExcludedNote(excluded)}, g.Profile.Notes...)
	}
	return g, nil
}

// tooFewUsable returns the error of a table with fewer than two usable columns.
func tooFewUsable(excluded []dataset.Excluded, opt *options) error {
	lines := make([]string, 0, len(excluded))
	var names []string
	for _, x := range excluded {
		if len(lines) < 8 {
			lines = append(lines, fmt.Sprintf("%s: %s (%s)", x.Name, x.Reason, x.Detail))
		}
		if x.Reason == reasonIdentifier || x.Reason == Duplicate || x.Reason == reasonMissing {
			names = append(names, x.Name)
		}
	}
	if more := len(excluded) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("%d more", more))
	}
	list := strings.Join(lines, "; ")
	has := func(reason string) bool {
		return slices.ContainsFunc(excluded, func(x dataset.Excluded) bool { return x.Reason == reason })
	}
	switch {
	case has(reasonText):
		return fault.New(dataset.ErrOneColumn, "fewer than two usable columns; excluded: "+list, "use %s to read text as categories", fault.Set("encode", "levels"))
	case has(reasonMixed):
		return fault.New(dataset.ErrOneColumn, "fewer than two usable columns; excluded: "+list, "correct the text among numbers, or mark it as missing with %s", fault.Use("na"))
	case len(names) == 0:
		return fault.New(dataset.ErrOneColumn, "fewer than two usable columns; excluded: "+list, "give a table with at least two numeric or categorical columns that vary")
	}
	return fault.New(dataset.ErrOneColumn, "fewer than two usable columns; excluded: "+list, "use %s to keep such columns", fault.Columns("keep", names...))
}

// ExcludedNote lists the excluded columns in one line, grouped by reason.
func ExcludedNote(excluded []dataset.Excluded) string {
	const show = 6
	var reasons []string
	names := map[string][]string{}
	for _, x := range excluded {
		if names[x.Reason] == nil {
			reasons = append(reasons, x.Reason)
		}
		names[x.Reason] = append(names[x.Reason], x.Name)
	}
	parts := make([]string, len(reasons))
	for i, r := range reasons {
		parts[i] = match.List(names[r], show) + ": " + r
	}
	return fmt.Sprintf("%s excluded (%s)", count(len(excluded), "column"), strings.Join(parts, "; "))
}

// excludedNames returns the names of excluded columns as a set.
func excludedNames(list []dataset.Excluded) map[string]bool {
	names := make(map[string]bool, len(list))
	for _, x := range list {
		names[x.Name] = true
	}
	return names
}

// take stores the observations of a pass over n rows. p has the profiles of the excluded columns before those of the outputs.
func (s *observed) take(n int, p *dataset.Profile, prof *profiler, plan *encodePlan, chosen []chosenColumn) {
	if s == nil {
		return
	}
	s.rows = n
	if prof == nil {
		return
	}
	s.columns = slices.Clone(p.Columns[len(p.Columns)-len(plan.outputs):])
	for k, o := range plan.outputs {
		distinct := &prof.columns[k].distinct
		s.from, s.unique = append(s.from, chosen[o.from].Name), append(s.unique, distinct.used == distinct.total)
	}
}

// profilesOf returns the profiles of the excluded columns with the reason for exclusion.
func (s *observed) profilesOf(excluded []dataset.Excluded) []dataset.ColumnProfile {
	at := make(map[string][]int, len(s.columns))
	for k, c := range s.columns {
		if c.From == "" {
			at[s.from[k]] = append(at[s.from[k]], k)
		}
	}
	var list []dataset.ColumnProfile
	for _, x := range excluded {
		for _, k := range at[x.Name] {
			c := s.columns[k]
			c.Dropped = x.Reason + ": " + x.Detail
			list = append(list, c)
		}
	}
	return list
}

// unusable returns the columns to exclude after a pass that returned g or err. The plan has already excluded text columns.
func (o *options) unusable(chosen []chosenColumn, g *Gathered, err error) []dataset.Excluded {
	var gaps *MissingError
	if err != nil && !errors.As(err, &gaps) && !errors.Is(err, ErrAllMissing) {
		return nil
	}
	s := o.seen
	keep := map[string]bool{}
	for _, c := range chosen {
		keep[c.Name] = c.keep
	}
	var out []dataset.Excluded
	for k, c := range s.columns {
		name := s.from[k]
		if c.From != "" { // a one-hot column
			continue
		}
		present := s.rows - c.Missing - c.Infinite
		switch {
		case present == 0 && c.Infinite == 0:
			out = append(out, dataset.Excluded{Name: name, Reason: reasonEmpty, Detail: fmt.Sprintf("all %d values are missing", s.rows)})
		case c.Min == c.Max && c.Infinite == 0:
			out = append(out, dataset.Excluded{Name: name, Reason: reasonConstant, Detail: fmt.Sprintf("every value is %s", dataset.FormatFloat(c.Min)) + besideMissing(c.Missing)})
		case !keep[name] && c.Kind == dataset.Integer.String():
			if detail := numberedRows(c, present, s.unique[k]); detail != "" {
				out = append(out, dataset.Excluded{Name: name, Reason: reasonIdentifier, Detail: detail})
			}
		}
	}
	switch {
	case len(s.columns) == 0:
	case o.Missing == missingKeep:
		out = append(out, s.mostlyMissing(out, keep)...)
	case o.auto:
		out = append(out, s.patterns.sacrifice(s, out, keep)...)
	}
	if len(out) > 0 || g == nil || len(s.columns) == 0 {
		return out
	}
	out = constantNow(g, s)
	if o.Missing == missingKeep || !g.replay.missing {
		out = append(out, duplicates(g, s, keep, out, o)...)
	}
	return out
}

// besideMissing returns a clause with the number of missing values.
func besideMissing(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", and %d are missing", n)
}

// constantNow returns the columns that are constant in the rows that were kept.
func constantNow(g *Gathered, s *observed) []dataset.Excluded {
	var out []dataset.Excluded
	for k := range s.columns {
		if m := g.Moments; s.columns[k].From == "" && m.N >= 2 && m.Min[k] == m.Max[k] {
			out = append(out, dataset.Excluded{Name: s.from[k], Reason: reasonConstant, Detail: fmt.Sprintf("the same value in all %d rows without missing values", m.N)})
		}
	}
	return out
}

// duplicates returns the columns that equal another one in every row. The first by name stays, unless the other one is in keep, so
// that the result does not depend on the order of the columns.
func duplicates(g *Gathered, s *observed, keep map[string]bool, gone []dataset.Excluded, o *options) []dataset.Excluded {
	m, d := g.Moments, g.Moments.Dim()
	if o.NormalScores || o.Discretize > 0 || m.N < 3 {
		return nil
	}
	order, already := make([]int, 0, d), excludedNames(gone)
	for k := range d {
		if s.columns[k].From == "" && !already[s.from[k]] {
			order = append(order, k)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		if ka, kb := keep[s.from[a]], keep[s.from[b]]; ka != kb {
			if ka {
				return -1
			}
			return 1
		}
		return strings.Compare(s.from[a], s.from[b])
	})
	type extent struct{ lo, hi float64 }
	alike := map[extent][]int{}
	var out []dataset.Excluded
	for _, j := range order {
		at := extent{m.Min[j], m.Max[j]}
		first := slices.IndexFunc(alike[at], func(i int) bool {
			// This is the mean square of the difference as a share of the variance; rounding leaves about 1e-15.
			vi, vj, c, shift := m.At(i, i), m.At(j, j), m.At(i, j), m.Mean[i]-m.Mean[j]
			return slices.Equal(g.Levels[i], g.Levels[j]) && vi > 0 && math.Abs(vi+vj-2*c)+float64(m.N)*shift*shift <= 1e-13*vi
		})
		if first < 0 || keep[s.from[j]] {
			alike[at] = append(alike[at], j)
			continue
		}
		out = append(out, dataset.Excluded{Name: s.from[j], Reason: Duplicate, Detail: fmt.Sprintf("equals %s in every row", s.from[alike[at][first]])})
	}
	return out
}
