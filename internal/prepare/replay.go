package prepare

import (
	"context"
	"fmt"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
)

// ErrIncomplete is matched where rows are asked for again in which values are missing.
var ErrIncomplete = fault.Kind("incomplete-rows", "rows with missing values cannot be used here; drop them")

// A replay is what a second pass over a table needs to see the rows as the first one counted them.
type replay struct {
	open    func(context.Context) (dataset.Source, error)
	chosen  []chosenColumn
	plan    *encodePlan
	opt     options
	rows    int
	missing bool  // some row misses a value, and was not dropped
	regime  []int // of each word of the column that tells regimes apart; nil where there is none
}

// Replay reads the table again and calls each with some whole rows at a time, in the order of the table and with the columns
// of the moments: the same rows that the moments count, after text, logarithms, missing values and scores were
// dealt with. each may change what it gets but not keep it. The table must not have changed: another number of rows is
// an error. Where missing values were filled in or passed over there are no such rows, and the error matches
// ErrIncomplete.
func (g *Gathered) Replay(ctx context.Context, each func(rows []float64) error) error {
	return g.ReplayRegimes(ctx, func(rows []float64, _ []int) error { return each(rows) })
}

// ReplayRegimes is Replay with the regime of each row, nil where the table has none.
func (g *Gathered) ReplayRegimes(ctx context.Context, each func(rows []float64, regimes []int) error) error {
	return g.replayed(ctx, func(rows []float64, regimes []int, _ []uint64) error { return each(rows, regimes) }, false)
}

// ReplayClusters is ReplayRegimes with a label of the cluster of each row besides, nil where the table has none. Rows with equal labels
// are of one cluster.
func (g *Gathered) ReplayClusters(ctx context.Context, each func(rows []float64, regimes []int, clusters []uint64) error) error {
	return g.replayed(ctx, each, true)
}

// ReplayIncomplete is Replay of rows in which NaN is a missing value.
func (g *Gathered) ReplayIncomplete(ctx context.Context, each func(rows []float64) error) error {
	if g.replay == nil {
		return dataset.ErrNoRows
	}
	return g.readAgain(ctx, func(rows []float64, _ []int, _ []uint64) error { return each(rows) }, false)
}

// Incomplete reports whether missing values were kept in the rows, for ReplayIncomplete.
func (g *Gathered) Incomplete() bool {
	return g.replay != nil && g.replay.missing && g.replay.opt.Missing == missingKeep
}

func (g *Gathered) replayed(ctx context.Context, each func(rows []float64, regimes []int, clusters []uint64) error, labels bool) error {
	if err := g.Replayable(); err != nil {
		return err
	}
	return g.readAgain(ctx, each, labels)
}

// readAgain reads the rows as the first pass counted them.
func (g *Gathered) readAgain(ctx context.Context, each func(rows []float64, regimes []int, clusters []uint64) error, labels bool) error {
	r := g.replay
	src, err := r.open(ctx)
	if err != nil {
		return fmt.Errorf("the table could not be opened again: %w", err)
	}
	defer src.Close()
	enc := newEncoder(r.chosen, r.plan, &r.opt)
	read, together := enc.chosen, (*clusters)(nil)
	if labels && r.plan.cluster != nil {
		together = newClusters(*r.plan.cluster, len(r.plan.outputs), r.opt.File)
		read = append(slices.Clone(read), *r.plan.cluster)
	}
	if err := selectColumns(src, read); err != nil {
		return err
	}
	logs := newLogs(r.chosen, r.plan, &r.opt)
	end := &eachSink{each: each, d: len(r.plan.outputs), regime: r.regime}
	var dst sink = end
	if r.opt.NormalScores {
		dst = newScores(r.plan.width(), len(r.plan.outputs), dst, &r.opt)
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

// Replayable returns nil where Replay can hand out the rows, else why it cannot.
func (g *Gathered) Replayable() error {
	switch {
	case g.replay == nil:
		return dataset.ErrNoRows
	case g.replay.missing:
		return ErrIncomplete
	}
	return nil
}

// eachSink hands rows to a function.
type eachSink struct {
	each   func([]float64, []int, []uint64) error
	d      int
	rows   int
	regime []int // of each word; nil where rows have none
	of     []int
	labels []uint64 // of the clusters of the rows that are still to come
}

func (s *eachSink) add(rows []float64, _ bool) error {
	s.of = nil
	if s.regime != nil {
		kept := rows[:0]
		for at := 0; at < len(rows); at += s.d + 1 {
			s.of = append(s.of, s.regime[int(rows[at+s.d])])
			kept = append(kept, rows[at:at+s.d]...)
		}
		rows = kept
	}
	s.rows += len(rows) / s.d
	if len(rows) == 0 {
		return nil
	}
	var labels []uint64
	if s.labels != nil {
		labels, s.labels = s.labels[:len(rows)/s.d], s.labels[len(rows)/s.d:]
	}
	return s.each(rows, s.of, labels)
}

func (s *eachSink) finish() (*dataset.Moments, []string, error) { return nil, nil, nil }
