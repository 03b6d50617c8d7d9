package polydag

import (
	"context"
	"errors"
	"fmt"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/missing"
	"github.com/polydag/polydag/internal/relations"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
)

// complete sets the moments, the rows and the sample of a table from incomplete rows. start is a fit to similar rows, or nil.
func (t *Table) complete(ctx context.Context, c *missing.Completion, start *missing.Gaussian) error {
	c.Discrete, c.Sampled = t.discrete(len(c.Names)), t.Sample != nil
	if err := c.Complete(ctx, start); err != nil {
		return err
	}
	t.take(c)
	return nil
}

// take sets the moments, the rows and the sample of a table to those of completed rows.
func (t *Table) take(c *missing.Completion) {
	t.gaps, t.Moments, t.noRows = c, c.Moments, ""
	if c.Sampled {
		t.Sample = c.Sample
	}
	t.replay = c.Each
}

// completedAs returns a copy of the table with other completed rows. bare says that only a graph is to be learned from it.
func (t *Table) completedAs(c *missing.Completion, bare bool) *Table {
	out := *t
	if out.bare = bare; c != t.gaps {
		out.take(c)
	}
	return &out
}

// discrete says which columns have categories.
func (t *Table) discrete(d int) []bool {
	out := make([]bool, d)
	for j, k := range t.Kinds {
		out[j] = k.Kind.Discrete()
	}
	return out
}

// Completed returns the table with its missing values drawn from the graph of a result that was learned from it. It returns the
// table unchanged if no value is missing, and for a linear model, which is estimated from incomplete rows directly.
func (t *Table) Completed(ctx context.Context, res *Result) (*Table, error) {
	if t == nil || t.gaps == nil || res == nil || t.gaps.Gaussian != nil && res.Sloped() {
		return t, nil
	}
	parents := parentsOf(res)
	if parents == nil {
		return t, nil
	}
	return t.refilled(ctx, parents, t.gaps.LastCopies, t.bare)
}

// Impute calls each with completed rows: all rows of the first copy, then those of the second, and so on. Missing values are draws from
// the model of a result that was learned from the table, given the other values of their row. A table without missing values has equal
// copies. each must neither change nor keep a batch.
func (t *Table) Impute(ctx context.Context, res *Result, copies int, seed uint64, each func(dataset.RowBatch) error) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	if t.replay == nil {
		return t.without(method.ErrNoRows.Error())
	}
	if t.gaps == nil {
		for range copies {
			if err := t.replay(ctx, each); err != nil {
				return err
			}
		}
		return nil
	}
	own, err := t.Completed(ctx, res)
	if err != nil {
		return err
	}
	return own.gaps.Impute(ctx, copies, seed, each)
}

// refineRounds is how often the missing values are drawn again from the learned graph. Once is enough if no column has more than fewMissing
// of its values missing.
const (
	refineRounds = 2
	fewMissing   = 0.2
)

// learnIncomplete learns from a table with missing values. Linear models need only the moments. Under other models it alternates
// between learning a graph and drawing the missing values from that graph's own conditional distributions.
func (t *Table) learnIncomplete(ctx context.Context, cfg Config, how Run) (*Result, error) {
	if cfg.Method.Info().Needs == method.Moments {
		return t.learn(ctx, cfg, how)
	}
	rounds := refineRounds
	if t.bare || t.gaps.Most <= fewMissing {
		rounds = 1
	}
	var res, first *Result // first is the result of the table as it is, if that is complete
	var err error
	if t.gaps.Gaussian != nil {
		if res, err = t.learn(ctx, cfg, phased(t, cfg, how, 0)); err != nil || res.Status == method.Canceled || res.Sloped() && !t.hidesCurves() {
			return res, err
		}
		if first = res; res.Sloped() {
			res, err = t.withCurves(ctx, cfg, first)
			switch {
			case ctx.Err() != nil:
				return stopped(ctx, first), nil
			case err != nil:
				return nil, err
			case res.Sloped():
				return first, nil
			}
		}
	} else {
		one, err := t.gaps.OneCopy(ctx)
		if err != nil {
			return nil, ended(ctx, err)
		}
		if res, err = t.completedAs(one, true).learn(ctx, cfg, Run{}); err != nil {
			return nil, ended(ctx, err)
		}
	}
	for k := range rounds {
		parents := parentsOf(res)
		if parents == nil || res.Status == method.Canceled {
			if first != nil && ctx.Err() != nil {
				return stopped(ctx, first), nil
			}
			all, err := t.gaps.All(ctx)
			if err != nil {
				return nil, ended(ctx, err)
			}
			return t.completedAs(all, t.bare).learn(ctx, cfg, phased(t, cfg, how, 0))
		}
		last := k == rounds-1
		copies, run := 1, Run{}
		if last {
			copies, run = t.gaps.LastCopies, phased(t, cfg, how, 1)
		}
		at, err := t.refilled(ctx, parents, copies, t.bare || !last)
		if err == nil {
			res, err = at.learn(ctx, cfg, run)
		}
		if first != nil && ctx.Err() != nil && (err != nil || len(res.Edges) == 0) {
			return stopped(ctx, first), nil
		}
		if err != nil {
			if at == nil || !last {
				res = nil // the graph of an earlier round has no verdicts and no confidence
			}
			return res, ended(ctx, err)
		}
	}
	return res, nil
}

// ended returns the cause of ctx if err says that ctx ended, and otherwise err.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return context.Cause(ctx)
	}
	return err
}

// stopped returns a complete result as the best so far of a run that was stopped.
func stopped(ctx context.Context, res *Result) *Result {
	out := *res
	out.Cancel(method.Why(context.Cause(ctx)))
	return &out
}

// mostCurves limits the values of a table in which withCurves looks for curves. Longer tables show curves in the values that are there.
const mostCurves = 1 << 17

// hidesCurves reports whether so many values are drawn from a normal distribution that curves may look linear.
func (t *Table) hidesCurves() bool {
	return !t.bare && t.gaps.Most > fewMissing && t.gaps.N*t.Moments.Dim() <= mostCurves
}

// withCurves learns once more from values that are drawn with curves along the edges of a linear result.
func (t *Table) withCurves(ctx context.Context, cfg Config, res *Result) (*Result, error) {
	parents := parentsOf(res)
	if parents == nil {
		return res, nil
	}
	at, err := t.refilled(ctx, parents, 1, true)
	if err != nil {
		return nil, err
	}
	return at.learn(ctx, cfg, Run{})
}

// parentsOf returns the parents of each column in a DAG that fits the result, or nil if there is none.
func parentsOf(res *Result) [][]int { return missing.Parents(res.Kind, res.Marked, res.Graph) }

// refilled returns a copy of the table whose rows are completed by a network with these parents. copies is the number of copies of each
// row.
func (t *Table) refilled(ctx context.Context, parents [][]int, copies int, bare bool) (*Table, error) {
	c, err := t.gaps.By(ctx, parents, copies)
	if err != nil {
		return nil, err
	}
	return t.completedAs(c, bare), nil
}

// phased returns how with a store of its own for one of the runs of learnIncomplete.
func phased(t *Table, cfg Config, how Run, phase byte) Run {
	data, err := t.counted()
	if err != nil || how.Store == nil {
		return how // learn reports the error
	}
	if key, err := cfg.key(data, t); err == nil {
		how.Store = stage.Phase(how.Store, key, phase)
	}
	return how
}

// missingRecord returns how missing values and weights were handled, for the result.
func (t *Table) missingRecord() *Missing {
	if t.gaps == nil {
		return nil
	}
	out := &Missing{EffectiveRows: t.gaps.Effective(), Copies: t.gaps.Copies}
	if t.Profile != nil {
		out.Missingness = t.Profile.Missingness
		for _, c := range t.Profile.Columns {
			if c.Dropped == "" && c.From == "" {
				out.Values += c.Missing
			}
		}
	}
	if out.Values > 0 {
		out.Assumption = "missing at random"
	}
	return out
}

// Rows returns the number of rows of the table. Moments.N is larger if missing values were completed: it counts every copy of a row.
func (t *Table) Rows() int {
	if t.gaps != nil {
		return t.gaps.N
	}
	return t.Moments.N
}

// EffectiveRows returns the number of complete, independent rows that carry as much information as the rows of the table: fewer than
// Rows if values are missing, rows have weights or belong to groups.
func (t *Table) EffectiveRows() int {
	switch {
	case t.gaps != nil:
		return t.gaps.Effective()
	case t.groups != nil:
		return t.groups.EffectiveRows
	}
	return t.Moments.N
}

// Incomplete reports whether the table has several copies of its rows, because values are missing or rows have weights.
func (t *Table) Incomplete() bool { return t.gaps != nil }

// evidenceMoments returns the moments with one copy of each row.
func (t *Table) evidenceMoments() (*dataset.Moments, float64) {
	if t.gaps != nil {
		return t.Moments.CountedAs(t.gaps.N), t.gaps.RowWeight()
	}
	return t.Moments, t.rowWeight()
}

// counted returns the moments with the effective number of rows.
func (t *Table) counted() (*dataset.Moments, error) {
	if t.gaps != nil {
		return t.Moments.CountedAs(t.gaps.Effective()), nil
	}
	if t.groups == nil {
		if _, records := t.repeated(); records > 0 {
			return t.Moments.CountedAs(records), nil
		}
		return t.Moments, nil
	}
	n := t.groups.EffectiveRows
	if n < 3 {
		return nil, fmt.Errorf("%s Want at least 3: two points fit any line; give more groups", t.groups.Sentence())
	}
	return t.Moments.CountedAs(n), nil
}

// repeated returns the number of columns that repeat the same records and the number of distinct records, or 0 if they are not a
// majority.
func (t *Table) repeated() (columns, records int) {
	s := t.Sample
	if s == nil || s.Rows() != t.Moments.N || t.Kinds == nil || t.Environments != nil || t.groups != nil || t.gaps != nil {
		return 0, 0
	}
	return relations.Repeated(s, t.Kinds)
}

// rowWeight is the weight of a row; 0 stands for 1.
func (t *Table) rowWeight() float64 {
	if t.gaps != nil {
		return max(3, t.gaps.Paired) / float64(t.Moments.N)
	}
	if t.groups == nil {
		if _, records := t.repeated(); records > 0 {
			return float64(records) / float64(t.Moments.N)
		}
		return 0
	}
	return float64(t.groups.EffectiveRows) / float64(t.groups.Rows)
}
