package prepare

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/names"
)

// A sink receives whole rows of numbers, which it may change but not keep. NaN is a missing value, and clean reports that there are
// none.
type sink interface {
	add(rows []float64, clean bool) error
	// finish returns the moments of all rows and notes on how they were treated.
	finish() (*dataset.Moments, []string, error)
}

// gatherOnce is one pass over src with the given plan.
func gatherOnce(ctx context.Context, src dataset.Source, all []dataset.Column, chosen []chosenColumn, plan *encodePlan, opt *options) (*Gathered, error) {
	names := plan.names()
	text, single := plan.leftOut(chosen)
	if err := checkWidth(names, text, single, opt); err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return onlyText(chosen, plan, opt)
	}
	if err := dataset.CheckNames(names, opt.File); err != nil { // a one-hot column may have the name of another column
		return nil, err
	}
	enc := newEncoder(chosen, plan, opt)
	read, together := enc.chosen, (*groups)(nil)
	if plan.group != nil {
		together = newGroups(*plan.group, len(names), opt.File)
		read = append(slices.Clone(read), *plan.group)
	}
	if err := selectColumns(src, read); err != nil {
		return nil, err
	}
	logs := newLogs(chosen, plan, opt)
	var prof *profiler
	if opt.Profile {
		prof = newProfiler(len(names), opt.Threads)
	}
	refuse := opt.Missing == "error"
	var bare []float64
	var zeros wordZeros
	dst, keep, split, cut := newSink(names, plan, opt)
	if opt.seen != nil {
		opt.seen.patterns = missingPatterns{} // a pass that ended early may have had other columns
	}
	n, err := stream(ctx, src, len(read), opt, func(v *view) error {
		if together != nil {
			if err := together.take(v, len(enc.chosen)); err != nil {
				return err
			}
		}
		if err := enc.encode(v); err != nil {
			return err
		}
		if prof != nil {
			prof.add(withoutContext(&bare, v.values, plan), v.clean)
			if plan.context {
				zeros.add(v.values, plan.width())
			}
		}
		if opt.auto && opt.Missing == dataset.MissingDrop && opt.seen != nil && !v.clean {
			opt.seen.patterns.add(v.values, plan.width(), len(names))
		}
		if err := logs.apply(v); err != nil {
			return err
		}
		if together != nil {
			together.add(v.values, opt.Missing == "drop")
		}
		if refuse && !v.clean {
			dst = nil // only the counts are still needed
		}
		if dst == nil {
			return nil
		}
		return placed(dst.add(v.values, v.clean), chosen, plan, opt.File)
	})
	if err != nil {
		return nil, err
	}
	missing := enc.missing()
	p := &dataset.Profile{File: opt.File, RowsRead: n, RowsUsed: n}
	if prof != nil {
		prof.fill(p, chosen, plan, enc)
	}
	opt.seen.take(n, p, prof, plan, chosen)
	switch {
	case n < 2:
		return nil, tooFewRows(n, opt)
	case refuse && len(missing) > 0:
		return nil, &MissingError{File: opt.File, Rows: n, Columns: missing, Left: -1}
	}
	m, notes, err := dst.finish()
	if err != nil {
		if infinite := enc.allInfinite(n); infinite != nil {
			return nil, infinite
		}
		return nil, blame(placed(err, chosen, plan, opt.File), missing, n, opt.auto)
	}
	if opt.Missing == "drop" {
		p.RowsUsed = m.N
	}
	p.Notes = slices.Concat(rowNotes(n, opt), plan.notes, enc.notes(), logs.notes(), enc.infiniteNotes(), missingNotes(missing, n, p.RowsUsed, opt), notes)
	g := &Gathered{excluded: plan.excluded, Moments: m, Profile: p, Levels: make([][]string, len(names)), Ordered: make([]bool, len(names)),
		replay: &replay{chosen: chosen, plan: plan, opt: *opt, rows: m.N, missing: len(missing) > 0 && opt.Missing != "drop"}}
	g.replay.opt.Progress = nil
	truth := map[string]*wordClass{}
	for j, s := range enc.seen {
		truth[enc.chosen[j].Name] = s.class
	}
	for k, o := range plan.outputs {
		if c := plan.columns[o.from]; c.how == asOrdinal {
			g.Levels[k], g.Ordered[k] = c.levels, chosen[o.from].Order != nil
		} else if pair := truth[chosen[o.from].Name]; pair != nil && pair.yes != "" && c.how != asOneHot {
			g.Levels[k] = []string{pair.no, pair.yes}
		}
	}
	if together != nil {
		if g.Groups, err = together.finish(names); err != nil {
			return nil, err
		}
		p.Notes = append(p.Notes, g.Groups.Sentence())
	}
	if keep != nil {
		g.Sample = &keep.sample
	}
	if cut != nil {
		g.Classes = make([]int, len(names))
		for j, c := range cut.cut {
			if c {
				g.Classes[j] = opt.Discretize
			}
		}
	}
	if split != nil {
		r, of, notes, err := split.environments(enc.environments, plan, chosen, all, opt)
		if err != nil {
			return nil, err
		}
		if g.Environments, g.replay.environment = r, of; keep != nil {
			takeEnvironments(g.Sample, of)
		}
		zeros.forgive(p, names, r, of)
		p.Notes = append(p.Notes, notes...)
	}
	return g, nil
}

// onlyText returns the result of a lenient pass over a table without numeric columns: no moments, and the profile of its columns.
func onlyText(chosen []chosenColumn, plan *encodePlan, opt *options) (*Gathered, error) {
	rows := 0
	if l := plan.columns[0].learned; l != nil {
		rows = l.cells + l.values + l.missing
	}
	if rows < 2 {
		return nil, tooFewRows(rows, opt)
	}
	m := dataset.NewMoments(nil)
	m.N = rows
	p := &dataset.Profile{File: opt.File, RowsRead: rows, RowsUsed: rows, Notes: slices.Concat(rowNotes(rows, opt), plan.notes)}
	if opt.Profile {
		p.Columns = plan.textProfiles(chosen)
	}
	return &Gathered{excluded: plan.excluded, Moments: m, Profile: p}, nil
}

// placed adds the file and its column to an error of a sink, which knows only the columns of the moments.
func placed(err error, chosen []chosenColumn, plan *encodePlan, file string) error {
	var e *dataset.ParseError
	var m *MissingError
	switch {
	case errors.As(err, &e):
		e.File = file
		if e.Column > 0 {
			e.Column = chosen[plan.outputs[e.Column-1].from].index + 1
		}
	case errors.As(err, &m):
		m.File = file
	}
	return err
}

// newSink chooses the sink of the rows by the options, and the sampler in front of it, which is nil without a profile.
func newSink(names []string, plan *encodePlan, opt *options) (s sink, keep *sampler, split *splitter, cut *classes) {
	switch opt.Missing {
	case missingKeep, dataset.MissingPairwise:
		s = newPairSums(names, opt.Missing == missingKeep, opt.Threads)
		s.(*pairSums).opt = opt
	default:
		s = &plainSink{a: dataset.NewAccumulator(names, opt.Threads).OnDemand(), columns: len(names), opt: opt}
	}
	if plan.context {
		split = &splitter{names: names, to: s, opt: opt}
		s = split
	}
	if opt.Profile {
		keep = newSampler(len(names), plan.width(), s)
		s = keep
	}
	if opt.NormalScores {
		s = newScores(plan, s, opt)
	}
	if opt.Discretize > 0 {
		cut = newClasses(plan, s, opt)
		s = cut
	}
	if opt.Missing == "drop" {
		s = &wholeRows{d: plan.width(), to: s}
	}
	return s, keep, split, cut
}

// withoutContext returns rows without the index of a word at their end, in room as a buffer.
func withoutContext(room *[]float64, rows []float64, plan *encodePlan) []float64 {
	if !plan.context {
		return rows
	}
	bare, d := (*room)[:0], plan.width()
	for at := 0; at < len(rows); at += d {
		bare = append(bare, rows[at:at+d-1]...)
	}
	*room = bare
	return bare
}

// plainSink receives rows without missing values.
type plainSink struct {
	a             *dataset.Accumulator
	columns, rows int
	opt           *options
}

func (s *plainSink) add(rows []float64, _ bool) error {
	before, few := s.rows, dataset.WideRows(s.columns)
	if s.rows += len(rows) / s.columns; before <= few && s.rows > few && few > 0 {
		if err := checkScatter(s.columns, s.opt); err != nil {
			return err
		}
	}
	return s.a.Add(rows)
}

func (s *plainSink) finish() (*dataset.Moments, []string, error) {
	m, err := s.a.Moments()
	return m, nil, err
}

func tooFewRows(read int, opt *options) error {
	e := &dataset.ParseError{File: opt.File, Err: dataset.ErrNoRows}
	if read == 1 {
		e.Err = dataset.ErrOneRow
	}
	if opt.FirstRow > 0 || opt.LastRow > 0 {
		e.Detail = "of " + rowRange(opt)
	}
	return e
}

func rowRange(opt *options) string {
	if opt.LastRow == 0 {
		return fmt.Sprintf("rows from %d on", opt.FirstRow)
	}
	return fmt.Sprintf("rows %d to %d", max(opt.FirstRow, 1), opt.LastRow)
}

func rowNotes(read int, opt *options) []string {
	if opt.FirstRow <= 1 && opt.LastRow == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Only %s were read: %d.", rowRange(opt), read)}
}

// notes lists the text columns that were read as numbers.
func (e *encoder) notes() []string {
	var readAs []string
	columns := map[string][]string{}
	for j, s := range e.seen {
		if s.class == nil {
			continue
		}
		note := s.class.note()
		if columns[note] == nil {
			readAs = append(readAs, note)
		}
		columns[note] = append(columns[note], e.chosen[j].Name)
	}
	for i, note := range readAs {
		const most = 6
		list := columns[note]
		switch n := len(list); {
		case n == 1:
			readAs[i] = fmt.Sprintf("Column %s was read as %s.", list[0], note)
		case n > most:
			readAs[i] = fmt.Sprintf("Columns %s were read as %s.", names.List(list, most), note)
		default:
			readAs[i] = fmt.Sprintf("Columns %s and %s were read as %s.", strings.Join(list[:n-1], ", "), list[n-1], note)
		}
	}
	return readAs
}
