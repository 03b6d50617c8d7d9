package polydag

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/missing"
	"github.com/polydag/polydag/internal/relations"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
)

// tableRows are the rows of a table: how they are read, what they count for, and how a graph is learned from them. plainRows stand alone;
// groupedRows and completedRows wrap others.
type tableRows interface {
	// pass returns a pass over the rows that Moments count; nil if they cannot be read.
	pass() dataset.Rows
	// unreadable says why the rows cannot be read.
	unreadable() string
	// groups returns how rows in groups are counted; nil without groups.
	groups() *dataset.Groups
	// repeated returns the columns that repeat the same records and the number of distinct records; nil and 0 if they are not a majority.
	repeated(t *Table) (columns []int, records int)
	// size returns the number of rows. Moments.N may count several copies of each.
	size(t *Table) int
	// effective returns the number of complete, independent rows with as much information.
	effective(t *Table) int
	// counted returns the moments with the effective number of rows, or of distinct records.
	counted(t *Table) (*dataset.Moments, error)
	// weight returns the weight of one of the rows that Moments count; 0 stands for 1.
	weight(t *Table) float64
	// evidence returns the moments with one copy of each row, and the weight of a row.
	evidence(t *Table) (*dataset.Moments, float64)
	// learn learns a graph.
	learn(ctx context.Context, t *Table, cfg Config, how Run) (*Result, error)
}

// form returns the rows of the table. A table that a caller made of moments alone has rows that cannot be read.
func (t *Table) form() tableRows {
	if t.rows == nil {
		return plainRows{}
	}
	return t.rows
}

// Rows returns the number of rows of the table. Moments.N is larger if missing values were completed: it counts every copy of a row.
func (t *Table) Rows() int { return t.form().size(t) }

// EffectiveRows returns the number of complete, independent rows that carry as much information as the rows of the table: fewer than
// Rows if values are missing, rows have weights or belong to groups.
func (t *Table) EffectiveRows() int { return t.form().effective(t) }

// plainRows are complete rows that count fully, or rows that cannot be read.
type plainRows struct {
	read  dataset.Rows
	why   string  // why they cannot be read
	share float64 // effective rows per row, of a bootstrap sample of repeated records; 0 otherwise
}

func (r plainRows) pass() dataset.Rows                            { return r.read }
func (r plainRows) unreadable() string                            { return r.why }
func (r plainRows) groups() *dataset.Groups                       { return nil }
func (r plainRows) size(t *Table) int                             { return t.Moments.N }
func (r plainRows) evidence(t *Table) (*dataset.Moments, float64) { return t.Moments, r.weight(t) }
func (r plainRows) learn(ctx context.Context, t *Table, cfg Config, how Run) (*Result, error) {
	return t.learn(ctx, cfg, how)
}

func (r plainRows) effective(t *Table) int {
	if r.share > 0 {
		return max(3, int(math.Round(r.share*float64(t.Moments.N))))
	}
	if _, records := r.repeated(t); records > 0 {
		return records
	}
	return t.Moments.N
}

func (r plainRows) repeated(t *Table) (columns []int, records int) {
	s := t.Sample
	if s == nil || r.share > 0 || s.Rows() != t.Moments.N || t.Kinds == nil || t.Environments != nil {
		return nil, 0
	}
	return relations.Repeated(s, t.Kinds)
}

func (r plainRows) counted(t *Table) (*dataset.Moments, error) {
	if n := r.effective(t); n < t.Moments.N {
		return t.Moments.CountedAs(n), nil
	}
	return t.Moments, nil
}

func (r plainRows) weight(t *Table) float64 {
	if n := r.effective(t); n < t.Moments.N {
		return float64(n) / float64(t.Moments.N)
	}
	return 0
}

// groupedRows are rows in groups, whose rows are not independent.
type groupedRows struct {
	tableRows
	of     *dataset.Groups
	labels dataset.Rows // the rows with the labels of their groups; nil if the labels are unknown
}

func (r groupedRows) groups() *dataset.Groups                       { return r.of }
func (r groupedRows) repeated(*Table) (columns []int, records int)  { return nil, 0 }
func (r groupedRows) effective(*Table) int                          { return r.of.EffectiveRows }
func (r groupedRows) weight(*Table) float64                         { return float64(r.of.EffectiveRows) / float64(r.of.Rows) }
func (r groupedRows) evidence(t *Table) (*dataset.Moments, float64) { return t.Moments, r.weight(t) }

func (r groupedRows) counted(t *Table) (*dataset.Moments, error) {
	n := r.of.EffectiveRows
	if n < 3 {
		return nil, fmt.Errorf("%s Want at least 3: two points fit any line; give more groups", r.of.Sentence())
	}
	return t.Moments.CountedAs(n), nil
}

// complete sets the moments, the rows and the sample of a table from incomplete rows. start is a fit to similar rows, or nil.
func (t *Table) complete(ctx context.Context, c *missing.Completion, start *missing.Gaussian) error {
	c.Discrete, c.Sampled = t.discrete(len(c.Names)), t.Sample != nil
	if err := c.Complete(ctx, start); err != nil {
		return err
	}
	t.take(c)
	return nil
}

// completedRows are rows with missing values or weights, as several copies that are complete.
type completedRows struct {
	tableRows
	*missing.Completion
}

func (r completedRows) pass() dataset.Rows                           { return r.Each }
func (r completedRows) unreadable() string                           { return "" }
func (r completedRows) repeated(*Table) (columns []int, records int) { return nil, 0 }
func (r completedRows) size(*Table) int                              { return r.N }
func (r completedRows) effective(*Table) int                         { return r.Effective() }
func (r completedRows) counted(t *Table) (*dataset.Moments, error) {
	return t.Moments.CountedAs(r.Effective()), nil
}
func (r completedRows) weight(t *Table) float64 { return max(3, r.Paired) / float64(t.Moments.N) }
func (r completedRows) evidence(t *Table) (*dataset.Moments, float64) {
	return t.Moments.CountedAs(r.N), r.RowWeight()
}

// completed returns the completed rows of a table with missing values or weights.
func (t *Table) completed() (r completedRows, ok bool) {
	r, ok = t.rows.(completedRows)
	return r, ok
}

// Incomplete reports whether the table has several copies of its rows, because values are missing or rows have weights.
func (t *Table) Incomplete() bool {
	_, is := t.completed()
	return is
}

// take sets the moments, the rows and the sample of a table to those of completed rows.
func (t *Table) take(c *missing.Completion) {
	below := t.form()
	if r, ok := t.completed(); ok {
		below = r.tableRows
	}
	t.rows, t.Moments = completedRows{below, c}, c.Moments
	if c.Sampled {
		t.Sample = c.Sample
	}
}

// completedAs returns a copy of the table with other completed rows. bare says that only a graph is to be learned from it.
func (t *Table) completedAs(c *missing.Completion, bare bool) *Table {
	out := *t
	out.replicate.bare = bare
	if r, _ := t.completed(); c != r.Completion {
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
	if t == nil || res == nil {
		return t, nil
	}
	r, incomplete := t.completed()
	if !incomplete || r.Gaussian != nil && res.Sloped() {
		return t, nil
	}
	parents := parentsOf(res)
	if parents == nil {
		return t, nil
	}
	return r.refilled(ctx, t, parents, r.LastCopies, t.replicate.bare)
}

// Impute calls each with completed rows: all rows of the first copy, then those of the second, and so on. Missing values are draws from
// the model of a result that was learned from the table, given the other values of their row. A table without missing values has equal
// copies. each must neither change nor keep a batch.
func (t *Table) Impute(ctx context.Context, res *Result, copies int, seed uint64, each func(dataset.RowBatch) error) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	own, err := t.Completed(ctx, res)
	if err != nil {
		return err
	}
	if r, incomplete := own.completed(); incomplete {
		return r.Impute(ctx, copies, seed, each)
	}
	for range copies {
		if err := t.EachRow(ctx, each); err != nil {
			return err
		}
	}
	return nil
}

// refineRounds is how often the missing values are drawn again from the learned graph. Once is enough if no column has more than fewMissing
// of its values missing.
const (
	refineRounds = 2
	fewMissing   = 0.2
)

// learn learns from a table with missing values. Linear models need only the moments. Under other models it alternates between learning
// a graph and drawing the missing values from that graph's own conditional distributions.
func (r completedRows) learn(ctx context.Context, t *Table, cfg Config, how Run) (*Result, error) {
	if cfg.Method.Info().Needs == method.Moments {
		return t.learn(ctx, cfg, how)
	}
	rounds := refineRounds
	if t.replicate.bare || r.Most <= fewMissing {
		rounds = 1
	}
	var res, first *Result // first is the result of the table as it is, if that is complete
	var err error
	if r.Gaussian != nil {
		if res, err = t.learn(ctx, cfg, phased(t, cfg, how, 0)); err != nil || res.Status == method.Canceled || res.Sloped() && !r.hidesCurves(t) {
			return res, err
		}
		if first = res; res.Sloped() {
			res, err = r.withCurves(ctx, t, cfg, first)
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
		one, err := r.OneCopy(ctx)
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
			all, err := r.All(ctx)
			if err != nil {
				return nil, ended(ctx, err)
			}
			return t.completedAs(all, t.replicate.bare).learn(ctx, cfg, phased(t, cfg, how, 0))
		}
		last := k == rounds-1
		copies, run := 1, Run{}
		if last {
			copies, run = r.LastCopies, phased(t, cfg, how, 1)
		}
		at, err := r.refilled(ctx, t, parents, copies, t.replicate.bare || !last)
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
func (r completedRows) hidesCurves(t *Table) bool {
	return !t.replicate.bare && r.Most > fewMissing && r.N*t.Moments.Dim() <= mostCurves
}

// withCurves learns once more from values that are drawn with curves along the edges of a linear result.
func (r completedRows) withCurves(ctx context.Context, t *Table, cfg Config, res *Result) (*Result, error) {
	parents := parentsOf(res)
	if parents == nil {
		return res, nil
	}
	at, err := r.refilled(ctx, t, parents, 1, true)
	if err != nil {
		return nil, err
	}
	return at.learn(ctx, cfg, Run{})
}

// parentsOf returns the parents of each column in a DAG that fits the result, or nil if there is none.
func parentsOf(res *Result) [][]int { return missing.Parents(res.Kind, res.Marked, res.Graph) }

// refilled returns a copy of the table whose rows are completed by a network with these parents. copies is the number of copies of each
// row.
func (r completedRows) refilled(ctx context.Context, t *Table, parents [][]int, copies int, bare bool) (*Table, error) {
	c, err := r.By(ctx, parents, copies)
	if err != nil {
		return nil, err
	}
	return t.completedAs(c, bare), nil
}

// phased returns how with a store of its own for one of the runs of completedRows.learn.
func phased(t *Table, cfg Config, how Run, phase byte) Run {
	data, err := t.form().counted(t)
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
	r, incomplete := t.completed()
	if !incomplete {
		return nil
	}
	out := &Missing{EffectiveRows: r.Effective(), Copies: r.Copies}
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
