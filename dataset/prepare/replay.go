package prepare

import (
	"context"
	"fmt"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
)

// ErrIncomplete is matched if complete rows are requested from a table with missing values.
var ErrIncomplete = fault.Kind("incomplete-rows", "rows with missing values cannot be used here; drop them")

// A replay has what a second pass needs to return the rows as the first pass counted them.
type replay struct {
	open        func(context.Context) (dataset.Source, error)
	chosen      []chosenColumn
	plan        *encodePlan
	opt         options
	rows        int
	missing     bool  // some row has a missing value and was not dropped
	environment []int // environment of each word of the environment column; nil without one
}

// Replay reads the table again, as a dataset.Rows: in the order of the table, with the columns of the moments and the environments, without
// groups. These are the rows that the moments count, after encoding, logarithms, missing values and scores. each may change the values. The
// table must not have changed: a different number of rows is an error. If missing values were filled in or ignored, there are no such rows,
// and the error matches ErrIncomplete.
func (g *Gathered) Replay(ctx context.Context, each func(dataset.RowBatch) error) error {
	if err := g.Replayable(); err != nil {
		return err
	}
	return g.readAgain(ctx, each, false)
}

// ReplayGroups is Replay with groups, if the table has them.
func (g *Gathered) ReplayGroups(ctx context.Context, each func(dataset.RowBatch) error) error {
	if err := g.Replayable(); err != nil {
		return err
	}
	return g.readAgain(ctx, each, true)
}

// ReplayIncomplete is Replay for rows with missing values, which are NaN, in one environment.
func (g *Gathered) ReplayIncomplete(ctx context.Context, each func(dataset.RowBatch) error) error {
	if g.replay == nil {
		return dataset.ErrNoRows
	}
	return dataset.Rows(func(ctx context.Context, each func(dataset.RowBatch) error) error {
		return g.readAgain(ctx, each, false)
	}).Pooled()(ctx, each)
}

// Incomplete reports whether rows with missing values were kept, for ReplayIncomplete.
func (g *Gathered) Incomplete() bool {
	return g.replay != nil && g.replay.missing && g.replay.opt.Missing == missingKeep
}

// readAgain reads the rows as the first pass counted them.
func (g *Gathered) readAgain(ctx context.Context, each func(dataset.RowBatch) error, labels bool) error {
	r := g.replay
	src, err := r.open(ctx)
	if ctx.Err() != nil && err != nil {
		return err
	}
	if err != nil {
		return fmt.Errorf("the table could not be opened again: %w", err)
	}
	defer src.Close()
	enc := newEncoder(r.chosen, r.plan, &r.opt)
	read, together := enc.chosen, (*groups)(nil)
	if labels && r.plan.group != nil {
		together = newGroups(*r.plan.group, len(r.plan.outputs), r.opt.File)
		read = append(slices.Clone(read), *r.plan.group)
	}
	if err := selectColumns(src, read); err != nil {
		return err
	}
	logs := newLogs(r.chosen, r.plan, &r.opt)
	decide := newDecisions(r.plan, &r.opt)
	end := &eachSink{each: each, d: len(r.plan.outputs), environment: r.environment}
	var dst sink = end
	if r.opt.NormalScores {
		dst = newScores(r.plan, dst, &r.opt)
	}
	if r.opt.Discretize > 0 {
		dst = newClasses(r.plan, dst, &r.opt)
	}
	if r.opt.Missing == "drop" {
		dst = &wholeRows{d: r.plan.width(), to: dst}
	}
	_, err = stream(ctx, src, len(read), &r.opt, func(v *view) error {
		if together != nil {
			if err := together.take(v, len(enc.chosen)); err != nil {
				return err
			}
		}
		if err := enc.encode(v); err != nil {
			return err
		}
		decide.apply(v, r.plan.width(), r.opt.Threads)
		if err := logs.apply(v); err != nil {
			return err
		}
		if together != nil {
			end.labels = together.append(end.labels, v.values, r.opt.Missing == "drop")
		}
		return dst.add(v.values, v.clean)
	})
	if err != nil {
		return err
	}
	if _, _, err := dst.finish(); err != nil {
		return err
	}
	if end.rows != r.rows {
		return fmt.Errorf("%d rows at first, %d when the table was read again: it changed between two passes; run again", r.rows, end.rows)
	}
	return nil
}

// Replayable returns nil if Replay can return the rows, and otherwise the reason.
func (g *Gathered) Replayable() error {
	switch {
	case g.replay == nil:
		return dataset.ErrNoRows
	case g.replay.missing:
		return ErrIncomplete
	}
	return nil
}

// eachSink passes rows to a function.
type eachSink struct {
	each        func(dataset.RowBatch) error
	d           int
	rows        int
	environment []int // environment of each word; nil without environments
	of          []int
	labels      []uint64 // group labels of the next rows
}

func (s *eachSink) add(rows []float64, _ bool) error {
	s.of = nil
	if s.environment != nil {
		kept := rows[:0]
		for at := 0; at < len(rows); at += s.d + 1 {
			s.of = append(s.of, s.environment[int(rows[at+s.d])])
			kept = append(kept, rows[at:at+s.d]...)
		}
		rows = kept
	}
	s.rows += len(rows) / s.d
	if len(rows) == 0 {
		return nil
	}
	b := dataset.RowBatch{Values: rows, Environments: s.of}
	if s.labels != nil {
		b.Groups, s.labels = s.labels[:len(rows)/s.d], s.labels[len(rows)/s.d:]
	}
	return s.each(b)
}

func (s *eachSink) finish() (*dataset.Moments, []string, error) { return nil, nil, nil }
