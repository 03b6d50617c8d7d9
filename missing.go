package polydag

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/missing"
	"github.com/polydag/polydag/internal/prepare"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
)

// gaps holds the rows of a table with missing values or row weights, and how they were completed. The table then has several copies of
// its rows, which differ in the values that were drawn, and each copy counts less than a row.
type gaps struct {
	missing.Rows
	column string // the column of the weights
	// information is the number of complete rows that carry as much information as the incomplete rows, and paired the number that carries
	// as much on pairs of columns.
	information, paired float64
	share               func(i, j int) float64 // the share of information on two columns; see PairCount.Share. nil if all pairs have the same
	most                float64                // the largest share of missing values of a column
	copies              int                    // copies of each row for the last graph; Copies are those of Filled
	fit                 []float64              // the rows that models are fitted to
	gaussian            *missing.Gaussian      // nil if a network completed the rows
	parents             [][]int                // the network that completed the rows; nil for a tree or a normal distribution
	model               func() missing.Filler
}

const (
	// mostFilled limits the values of completed rows in memory: 512 MB. Longer tables are completed again in each pass.
	mostFilled = 1 << 26
	// enoughRows is the number of completed rows beyond which more copies of a row add little. A table has at least leastCopies and
	// at most mostCopies of each row.
	enoughRows  = 30_000
	leastCopies = 2
	mostCopies  = 10
	// copiesPerShare times the largest share of missing values of a column is a sufficient number of copies. With a share f of the
	// information missing, m copies give estimates a variance of 1 + f/m times that of any number of copies (Rubin 1987): at most 5 % more.
	copiesPerShare = 20
)

// complete sets the moments, the rows and the sample of a table from incomplete rows. start is a fit to similar rows, or nil.
//
// Numeric columns get the maximum-likelihood estimates of a normal distribution, and their missing values are draws from it. A table
// with categories gets draws from a network; see FitNetwork.
func (t *Table) complete(ctx context.Context, g *gaps, names []string, start *missing.Gaussian) error {
	d := len(names)
	var err error
	if g.fit == nil {
		if g.fit, err = g.Fitted(ctx, d); err != nil {
			return err
		}
	}
	pairs := missing.CountPairs(g.fit, d)
	g.most = pairs.MostMissing()
	network := g.parents != nil || slices.Contains(t.discrete(d), true)
	if g.Copies == 0 {
		enough := min(mostCopies, enoughRows/max(g.N, 1), int(math.Round(copiesPerShare*g.most)))
		if g.Copies = max(leastCopies, enough); g.Weights != nil {
			g.Copies = max(g.Copies, missing.WeightedCopies)
		}
	}
	if g.copies = g.Copies; network && g.Weights == nil {
		g.Copies = 1
	}
	scale := g.Independent() / float64(len(g.fit)/d)
	g.information, g.paired = pairs.Conditional()*scale, pairs.Effective()*scale
	t.gaps = g
	if !pairs.Complete() {
		g.share = pairs.Share()
	}
	if pairs.Complete() {
		if err := t.fill(ctx, d, func() missing.Filler { return nil }); err != nil {
			return err
		}
		return t.sum(ctx, names)
	}
	if network {
		return t.completeBy(ctx, names, g.parents)
	}
	if g.gaussian, err = missing.FitGaussian(ctx, g.fit, d, missing.Settings{Threads: g.Threads, Start: start}); err != nil {
		var at *dataset.ParseError
		if errors.As(err, &at) && at.Column > 0 {
			at.Name = names[at.Column-1]
		}
		return err
	}
	t.Moments = g.gaussian.Moments(names, g.N*g.Copies)
	return t.fill(ctx, d, g.gaussian.Filler)
}

// discrete says which columns have categories.
func (t *Table) discrete(d int) []bool {
	out := make([]bool, d)
	for j, k := range t.Kinds {
		out[j] = k.Kind.Discrete()
	}
	return out
}

// completeBy completes the rows by a network with these parents; nil stands for a tree of the strongest relations.
func (t *Table) completeBy(ctx context.Context, names []string, parents [][]int) error {
	g, d := t.gaps, len(names)
	set := missing.NetworkSettings{Threads: g.Threads, Seed: g.Seed, Discrete: t.discrete(d), Parents: parents}
	network, err := missing.FitNetwork(ctx, g.fit, d, set)
	if err != nil {
		return err
	}
	g.gaussian, g.parents, g.information = nil, parents, g.paired
	if err := t.fill(ctx, d, network.Filler); err != nil {
		return err
	}
	return t.sum(ctx, names)
}

// sum computes the moments of the completed rows.
func (t *Table) sum(ctx context.Context, names []string) (err error) {
	all := dataset.NewAccumulator(names, t.gaps.Threads)
	if err := t.replay(ctx, func(rows []float64, _ []int) error { return all.Add(rows) }); err != nil {
		return err
	}
	t.Moments, err = all.Moments()
	return err
}

// Completed returns the table with its missing values drawn from the graph of a result that was learned from it. It returns the
// table unchanged if no value is missing, and for a linear model, which is estimated from incomplete rows directly.
func (t *Table) Completed(ctx context.Context, res *Result) (*Table, error) {
	if t == nil || t.gaps == nil || res == nil || t.gaps.gaussian != nil && linear(res) {
		return t, nil
	}
	parents := parentsOf(res)
	if parents == nil {
		return t, nil
	}
	return t.refilled(ctx, parents, t.gaps.copies, t.bare)
}

// Impute calls each with completed rows: all rows of the first copy, then those of the second, and so on, several whole rows at a time.
// Missing values are draws from the model of a result that was learned from the table, given the other values of their row. A table
// without missing values has equal copies. each must neither change nor keep its argument.
func (t *Table) Impute(ctx context.Context, res *Result, copies int, seed uint64, each func(rows []float64) error) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	if t.replay == nil {
		return t.without(method.ErrNoRows.Error())
	}
	if t.gaps == nil {
		for range copies {
			if err := t.replay(ctx, func(rows []float64, _ []int) error { return each(rows) }); err != nil {
				return err
			}
		}
		return nil
	}
	own, err := t.Completed(ctx, res)
	if err != nil {
		return err
	}
	rows := own.gaps.Rows
	rows.Copies, rows.Seed, rows.Filled = copies, seed, nil
	return rows.Replay(ctx, t.Moments.Dim(), own.gaps.model, each)
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
	at, rounds := t, refineRounds
	if t.bare || t.gaps.most <= fewMissing {
		rounds = 1
	}
	var res, first *Result // first is the result of the table as it is, if that is complete
	var err error
	if t.gaps.gaussian != nil {
		if res, err = t.learn(ctx, cfg, phased(t, cfg, how, 0)); err != nil || res.Status == method.Canceled || linear(res) && !t.hidesCurves() {
			return res, err
		}
		if first = res; linear(res) {
			res, err = t.withCurves(ctx, cfg, first)
			switch {
			case ctx.Err() != nil:
				return stopped(ctx, first), nil
			case err != nil:
				return nil, err
			case linear(res):
				return first, nil
			}
		}
	} else {
		if at, err = t.oneCopy(ctx); err != nil {
			return nil, err
		}
		if res, err = at.learn(ctx, cfg, Run{}); err != nil {
			return res, err
		}
	}
	for k := range rounds {
		parents := parentsOf(res)
		if parents == nil || res.Status == method.Canceled {
			if first != nil && ctx.Err() != nil {
				return stopped(ctx, first), nil
			}
			if at, err = t.copied(ctx); err != nil {
				return nil, err
			}
			return at.learn(ctx, cfg, phased(t, cfg, how, 0))
		}
		last := k == rounds-1
		copies, run := 1, Run{}
		if last {
			copies, run = t.gaps.copies, phased(t, cfg, how, 1)
		}
		if at, err = t.refilled(ctx, parents, copies, t.bare || !last); err == nil {
			res, err = at.learn(ctx, cfg, run)
		}
		if first != nil && ctx.Err() != nil && (err != nil || len(res.Edges) == 0) {
			return stopped(ctx, first), nil
		}
		if err != nil {
			return res, err
		}
	}
	return res, err
}

// stopped returns a complete result as the best so far of a run that was stopped.
func stopped(ctx context.Context, res *Result) *Result {
	out := *res
	out.Status, out.Cause = method.Canceled, method.Why(context.Cause(ctx))
	return &out
}

// linear reports whether a result has linear effects only.
func linear(res *Result) bool { return res.Model == "" || res.Model == score.LinearEffects }

// mostCurves limits the values of a table in which withCurves looks for curves. Longer tables show curves in the values that are there.
const mostCurves = 1 << 17

// hidesCurves reports whether so many values are drawn from a normal distribution that curves may look linear.
func (t *Table) hidesCurves() bool {
	return !t.bare && t.gaps.most > fewMissing && t.gaps.N*t.Moments.Dim() <= mostCurves
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
func parentsOf(res *Result) [][]int {
	g := res.Graph
	if res.Kind == graph.KindCPDAG {
		class, err := res.Marked.PDAG()
		if err != nil {
			return nil
		}
		if g, err = class.Extension(); err != nil {
			return nil
		}
	} else if res.Kind != graph.KindDAG || g == nil {
		return nil
	}
	if _, err := g.Order(); err != nil {
		return nil
	}
	parents := make([][]int, g.N())
	for v := range parents {
		parents[v] = slices.Clone(g.Parents(v))
	}
	return parents
}

// refilled returns a copy of the table whose rows are completed by a network with these parents. copies is the number of copies of each
// row.
func (t *Table) refilled(ctx context.Context, parents [][]int, copies int, bare bool) (*Table, error) {
	out, g := *t, *t.gaps
	out.gaps, out.bare, g.Filled, g.Copies = &g, bare, nil, copies
	return &out, out.completeBy(ctx, t.Moments.Names, parents)
}

// oneCopy returns the table with a single copy of each row, for graphs that serve to draw the missing values again.
func (t *Table) oneCopy(ctx context.Context) (*Table, error) {
	out, g := *t, *t.gaps
	out.gaps, out.bare, g.Copies = &g, true, 1
	if t.gaps.Copies == 1 {
		return &out, nil
	}
	if g.Filled != nil {
		g.Filled = g.Filled[:g.N*t.Moments.Dim()]
	}
	out.replay = g.replay(t.Moments.Dim(), g.model)
	return &out, out.sum(ctx, t.Moments.Names)
}

// copied returns the table with all copies of each row, drawn from the model that completed it.
func (t *Table) copied(ctx context.Context) (*Table, error) {
	if t.gaps.Copies == t.gaps.copies {
		return t, nil
	}
	out, g := *t, *t.gaps
	out.gaps, g.Copies = &g, g.copies
	if err := out.fill(ctx, t.Moments.Dim(), g.model); err != nil {
		return nil, err
	}
	return &out, out.sum(ctx, t.Moments.Names)
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

// replay returns the completed rows as those of a table.
func (g *gaps) replay(d int, model func() missing.Filler) replay {
	return func(ctx context.Context, each func([]float64, []int) error) error {
		return g.Replay(ctx, d, model, func(rows []float64) error { return each(rows, nil) })
	}
}

// fill completes the rows with draws from a model.
func (t *Table) fill(ctx context.Context, d int, model func() missing.Filler) error {
	g := t.gaps
	g.model, t.noRows = model, ""
	t.replay = g.replay(d, model)
	if g.Filled = nil; g.N*g.Copies*d <= mostFilled {
		filled := make([]float64, 0, g.N*g.Copies*d)
		if err := t.replay(ctx, func(rows []float64, _ []int) error {
			filled = append(filled, rows...)
			return nil
		}); err != nil {
			return err
		}
		g.Filled = filled
	}
	if t.Sample == nil {
		return nil
	}
	sampler, left := prepare.NewRowSampler(d, 0), g.N*d
	if err := t.replay(ctx, func(rows []float64, _ []int) error {
		own := rows[:min(left, len(rows))]
		left -= len(own)
		if len(own) == 0 {
			return nil
		}
		return sampler.Add(append([]float64(nil), own...), nil)
	}); err != nil {
		return err
	}
	t.Sample = sampler.Sample()
	t.Sample.Weight = g.paired / float64(g.N)
	if g.Weights != nil { // copies of a row follow each other, and rows that depend on their neighbours are looked for
		random := rand.New(rand.NewPCG(g.Seed, 1))
		random.Shuffle(t.Sample.Rows(), func(i, j int) {
			a, b := t.Sample.Row(i), t.Sample.Row(j)
			for k := range a {
				a[k], b[k] = b[k], a[k]
			}
		})
	}
	return nil
}

// missingness describes which values are missing, from evenly spaced rows of a long table.
func (t *Table) missingness(ctx context.Context, got *prepare.Gathered) (*dataset.Missingness, error) {
	const most = 20_000
	names := got.Moments.Names
	d, i, step := len(names), 0, (got.Moments.N+most-1)/most
	var some []float64
	err := got.ReplayIncomplete(ctx, func(rows []float64) error {
		for at := 0; at < len(rows); at += d {
			if i%step == 0 {
				some = append(some, rows[at:at+d]...)
			}
			i++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return missing.Describe(some, names, t.discrete(d)), nil
}

// missingRecord returns how missing values and weights were handled, for the result.
func (t *Table) missingRecord() *Missing {
	if t.gaps == nil {
		return nil
	}
	out := &Missing{EffectiveRows: t.gaps.effective(), Copies: t.gaps.Copies}
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
// Rows if values are missing, rows have weights or belong to clusters.
func (t *Table) EffectiveRows() int {
	switch {
	case t.gaps != nil:
		return t.gaps.effective()
	case t.clusters != nil:
		return t.clusters.EffectiveRows
	}
	return t.Moments.N
}

// Incomplete reports whether the table has several copies of its rows, because values are missing or rows have weights.
func (t *Table) Incomplete() bool { return t.gaps != nil }

// effective returns the number of complete rows that carry as much information, at least 3.
func (g *gaps) effective() int { return max(3, int(math.Round(g.information))) }

// evidenceMoments returns the moments with one copy of each row.
func (t *Table) evidenceMoments() (*dataset.Moments, float64) {
	if t.gaps != nil {
		return t.Moments.CountedAs(t.gaps.N), t.gaps.information / float64(t.gaps.N)
	}
	return t.Moments, t.rowWeight()
}
