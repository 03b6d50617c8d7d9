package prepare

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/polydag/polydag/dataset"
)

// A sink takes whole rows of numbers, which it may change but not keep; NaN is a missing value, and clean says that there
// is none.
type sink interface {
	add(rows []float64, clean bool) error
	// finish returns the moments of all rows, and sentences on what was done to them.
	finish() (*dataset.Moments, []string, error)
}

// gatherOnce is one pass over src by the given plan.
func gatherOnce(ctx context.Context, src dataset.Source, chosen []chosenColumn, plan *encodePlan, opt *Settings) (*Gathered, error) {
	names := plan.names()
	if err := checkWidth(names, plan.leftOut(chosen), opt); err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return onlyText(chosen, plan, opt)
	}
	if err := dataset.CheckNames(names, opt.File); err != nil { // a one-hot column may take a name
		return nil, err
	}
	enc := newEncoder(chosen, plan, opt)
	if err := selectColumns(src, enc.chosen); err != nil {
		return nil, err
	}
	logs := newLogs(chosen, plan, opt)
	var prof *profiler
	if opt.Profile {
		prof = newProfiler(len(names), opt.Threads)
	}
	refuse := opt.Missing == "error"
	dst, keep := newSink(names, opt)
	read, err := stream(ctx, src, len(enc.chosen), opt, func(v *view) error {
		if err := enc.encode(v); err != nil {
			return err
		}
		if prof != nil {
			prof.add(v.values, v.clean)
		}
		if err := logs.apply(v); err != nil {
			return err
		}
		if refuse && !v.clean {
			dst = nil // the counts are all that is left to learn
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
	switch {
	case read < 2:
		return nil, tooFewRows(read, opt)
	case refuse && len(missing) > 0:
		return nil, &MissingError{File: opt.File, Rows: read, Columns: missing, Left: -1}
	}
	m, notes, err := dst.finish()
	if err != nil {
		return nil, blame(placed(err, chosen, plan, opt.File), missing, read)
	}
	p := &dataset.Profile{File: opt.File, RowsRead: read, RowsUsed: read}
	if opt.Missing == "drop" {
		p.RowsUsed = m.N
	}
	p.Notes = slices.Concat(rowNotes(read, opt), plan.notes, enc.notes(), logs.notes(), missingNotes(missing, read, p.RowsUsed, opt), notes)
	if prof != nil {
		prof.fill(p, chosen, plan, enc)
	}
	g := &Gathered{Moments: m, Profile: p, Levels: make([][]string, len(names)),
		replay: &replay{chosen: chosen, plan: plan, opt: *opt, rows: m.N, missing: len(missing) > 0 && opt.Missing != "drop"}}
	g.replay.opt.Progress = nil
	truth := map[string]*truthWords{}
	for j, s := range enc.seen {
		truth[enc.chosen[j].Name] = s.truth
	}
	for k, o := range plan.outputs {
		if c := plan.columns[o.from]; c.how == asOrdinal {
			g.Levels[k] = c.levels
		} else if pair := truth[chosen[o.from].Name]; pair != nil && c.how != asOneHot {
			g.Levels[k] = []string{pair.no, pair.yes}
		}
	}
	if keep != nil {
		g.Sample = &keep.sample
	}
	return g, nil
}

// onlyText is what a lenient pass leaves of a table without any column of numbers: no moments, and the profile of its
// columns.
func onlyText(chosen []chosenColumn, plan *encodePlan, opt *Settings) (*Gathered, error) {
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
	return &Gathered{Moments: m, Profile: p}, nil
}

// placed completes an error that a sink made of the columns of the moments: with the file and the column there.
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

// newSink chooses by the options what the rows go to, and on the way through what sample, nil without a profile.
func newSink(names []string, opt *Settings) (s sink, keep *sampler) {
	switch opt.Missing {
	case "mean", "pairwise":
		s = newPairSums(names, opt.Missing == "mean", opt.Threads)
	default:
		s = &plainSink{dataset.NewAccumulator(names, opt.Threads)}
	}
	if opt.Profile {
		keep = newSampler(len(names), s)
		s = keep
	}
	if opt.NormalScores {
		s = newScores(len(names), s, opt)
	}
	if opt.Missing == "drop" {
		s = &wholeRows{d: len(names), to: s}
	}
	return s, keep
}

// plainSink is for rows without missing values.
type plainSink struct{ a *dataset.Accumulator }

func (s *plainSink) add(rows []float64, _ bool) error { return s.a.Add(rows) }

func (s *plainSink) finish() (*dataset.Moments, []string, error) {
	m, err := s.a.Moments()
	return m, nil, err
}

func tooFewRows(read int, opt *Settings) error {
	e := &dataset.ParseError{File: opt.File, Err: dataset.ErrNoRows}
	if read == 1 {
		e.Err = dataset.ErrOneRow
	}
	if opt.FirstRow > 0 || opt.LastRow > 0 {
		e.Detail = "of " + rowRange(opt)
	}
	return e
}

func rowRange(opt *Settings) string {
	switch {
	case opt.LastRow == 0:
		return fmt.Sprintf("rows from %d on", opt.FirstRow)
	default:
		return fmt.Sprintf("rows %d to %d", max(opt.FirstRow, 1), opt.LastRow)
	}
}

func rowNotes(read int, opt *Settings) []string {
	if opt.FirstRow <= 1 && opt.LastRow == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Only %s were read: %d.", rowRange(opt), read)}
}

// notes says which columns of words became 0 and 1.
func (e *encoder) notes() []string {
	var list []string
	for j, s := range e.seen {
		if s.truth != nil {
			list = append(list, fmt.Sprintf("Column %s was read as 1 for %s and 0 for %s.", e.chosen[j].Name, s.truth.yes, s.truth.no))
		}
	}
	return list
}
