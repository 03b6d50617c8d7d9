package polydag

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/missing"
	"github.com/polydag/polydag/internal/prepare"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
)

// gaps holds the rows of a table with missing values or row weights, and how they were completed. The table then has several copies of
// its rows, which differ in the values that were drawn, and each copy counts less than a row.
type gaps struct {
	raw     func(ctx context.Context, each func(rows []float64) error) error // NaN is a missing value
	rows    int
	weights []float64 // of the rows; nil if all count the same
	column  string    // of the weights
	copies  int
	threads int
	seed    uint64
	// information is the number of complete rows that carry as much information as the incomplete rows.
	information float64
	share       func(i, j int) float64 // of information, on two columns; see PairCount.Share. nil if all pairs have the same
	fit         []float64              // the rows that models are fitted to
	gaussian    *missing.Gaussian      // nil if a network completed the rows
	parents     [][]int                // of the network that completed the rows; nil for a tree or a normal distribution
	model       func() missing.Filler
	filled      []float64 // the completed rows; nil if there are too many to keep
}

const (
	// mostFitted and mostFilled limit the values of the rows that models are fitted to, and of completed rows in memory: 512 MB
	// each. Longer tables are fitted to evenly spaced rows and completed again in each pass.
	mostFitted = 1 << 26
	mostFilled = 1 << 26
	// enoughRows is the number of completed rows beyond which more copies of a row add little. A table has at least leastCopies and
	// at most mostCopies of each row.
	enoughRows  = 30_000
	leastCopies = 2
	mostCopies  = 10
	// weightedCopies is the least number of copies with row weights: the larger it is, the closer the copies are to the weights.
	weightedCopies = 8
)

// complete sets the moments, the rows and the sample of a table from incomplete rows. start is a fit to similar rows, or nil.
//
// Numeric columns get the maximum-likelihood estimates of a normal distribution, and their missing values are draws from it. A table
// with categories gets draws from a network; see FitNetwork.
func (t *Table) complete(ctx context.Context, g *gaps, names []string, start *missing.Gaussian) error {
	d := len(names)
	if err := g.read(ctx, d); err != nil {
		return err
	}
	if g.copies == 0 {
		if g.copies = max(leastCopies, min(mostCopies, enoughRows/max(g.rows, 1))); g.weights != nil {
			g.copies = max(g.copies, weightedCopies)
		}
	}
	pairs := missing.CountPairs(g.fit, d)
	g.information = pairs.Effective() * g.independent() / float64(len(g.fit)/d)
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
	if g.parents != nil || slices.Contains(t.discrete(d), true) {
		return t.completeBy(ctx, names, g.parents)
	}
	var err error
	if g.gaussian, err = missing.FitGaussian(ctx, g.fit, d, missing.Settings{Threads: g.threads, Start: start}); err != nil {
		var at *dataset.ParseError
		if errors.As(err, &at) && at.Column > 0 {
			at.Name = names[at.Column-1]
		}
		return err
	}
	t.Moments = g.gaussian.Moments(names, g.rows*g.copies)
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
	set := missing.NetworkSettings{Threads: g.threads, Seed: g.seed, Discrete: t.discrete(d), Parents: parents}
	network, err := missing.FitNetwork(ctx, g.fit, d, set)
	if err != nil {
		return err
	}
	g.gaussian, g.parents = nil, parents
	if err := t.fill(ctx, d, network.Filler); err != nil {
		return err
	}
	return t.sum(ctx, names)
}

// sum computes the moments of the completed rows.
func (t *Table) sum(ctx context.Context, names []string) (err error) {
	all := dataset.NewAccumulator(names, t.gaps.threads)
	if err := t.replay(ctx, func(rows []float64, _ []int) error { return all.Add(rows) }); err != nil {
		return err
	}
	t.Moments, err = all.Moments()
	return err
}

// Completed returns a table with missing values whose rows are completed by the graph of a result that was learned from it, and any
// other table as it is. Linear models are estimated from incomplete rows directly.
func (t *Table) Completed(ctx context.Context, res *Result) (*Table, error) {
	if t == nil || t.gaps == nil || res == nil || t.gaps.gaussian != nil && (res.Model == "" || res.Model == score.LinearEffects) {
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
	g := *own.gaps
	g.copies, g.seed, g.filled = copies, seed, nil
	return g.replay(ctx, t.Moments.Dim(), g.model, func(rows []float64, _ []int) error { return each(rows) })
}

// refineRounds is how often the missing values are drawn again from the learned graph.
const refineRounds = 2

// learnIncomplete learns from a table with missing values. Linear models need only the moments. Under other models it alternates
// between learning a graph and drawing the missing values from that graph's own conditional distributions.
func (t *Table) learnIncomplete(ctx context.Context, cfg Config, how Run) (*Result, error) {
	if cfg.Method.Info().Needs == method.Moments {
		return t.learn(ctx, cfg, how)
	}
	at, rounds := t, refineRounds
	if t.bare {
		rounds = 1
	}
	var res *Result
	var err error
	if t.gaps.gaussian != nil {
		if res, err = t.learn(ctx, cfg, phased(t, cfg, how, 0)); err != nil || res.Model == "" || res.Model == score.LinearEffects {
			return res, err
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
			return t.learn(ctx, cfg, phased(t, cfg, how, 0))
		}
		last := k == rounds-1
		copies, run := 1, Run{}
		if last {
			copies, run = t.gaps.copies, phased(t, cfg, how, 1)
		}
		if at, err = t.refilled(ctx, parents, copies, t.bare || !last); err != nil {
			return nil, err
		}
		if res, err = at.learn(ctx, cfg, run); err != nil {
			return res, err
		}
	}
	return res, err
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
	out.gaps, out.bare, g.filled, g.copies = &g, bare, nil, copies
	if copies == 1 && !t.bare {
		g.information, g.share = float64(g.rows), nil // see oneCopy
	}
	return &out, out.completeBy(ctx, t.Moments.Names, parents)
}

// oneCopy returns the table with a single copy of each row that counts fully. A graph learned from it has more edges than one with
// the right weight, which serves to draw missing values: a relation that is not in the graph would be lost in the drawn values.
func (t *Table) oneCopy(ctx context.Context) (*Table, error) {
	out, g := *t, *t.gaps
	out.gaps, out.bare, g.copies = &g, true, 1
	g.information, g.share = float64(g.rows), nil
	if g.filled != nil {
		g.filled = g.filled[:g.rows*t.Moments.Dim()]
	}
	out.replay = func(ctx context.Context, each func([]float64, []int) error) error {
		return g.replay(ctx, t.Moments.Dim(), g.model, each)
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

// read keeps the rows that models are fitted to.
func (g *gaps) read(ctx context.Context, d int) error {
	if g.fit != nil {
		return nil
	}
	copies := 1
	if g.weights != nil {
		copies = weightedCopies
	}
	step := (g.rows*copies*d + mostFitted - 1) / mostFitted
	i := 0
	g.fit = make([]float64, 0, (g.rows*copies/max(step, 1)+1)*d)
	for c := range copies {
		err := g.weighted(ctx, d, c, copies, func(rows []float64) error {
			for at := 0; at < len(rows); at += d {
				if i%step == 0 {
					g.fit = append(g.fit, rows[at:at+d]...)
				}
				i++
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// weighted reads the rows of one of several copies. With weights, a copy is a systematic sample of the rows, as many as there are: a row
// occurs in it as often as its share of the weight says, rounded up in some copies and down in others.
func (g *gaps) weighted(ctx context.Context, d, c, copies int, each func(rows []float64) error) error {
	if g.weights == nil {
		return g.raw(ctx, each)
	}
	times := g.systematic(c, copies)
	var buffer []float64
	i := 0
	return g.raw(ctx, func(rows []float64) error {
		buffer = buffer[:0]
		for at := 0; at < len(rows); at += d {
			for range times(i) {
				buffer = append(buffer, rows[at:at+d]...)
			}
			i++
		}
		if len(buffer) == 0 {
			return nil
		}
		return each(buffer)
	})
}

// systematic returns a function that is called for one row after the other and returns how often it is in a copy.
func (g *gaps) systematic(c, copies int) func(i int) int {
	total := 0.0
	for _, w := range g.weights {
		total += w
	}
	scale, offset := float64(g.rows)/total, (float64(c)+0.5)/float64(copies)
	sum, before := 0.0, math.Floor(-offset)
	return func(i int) int {
		if sum += g.weights[i] * scale; i == g.rows-1 {
			sum = float64(g.rows) // without rounding errors
		}
		now := math.Floor(sum - offset)
		n := int(now - before)
		before = now
		return n
	}
}

// independent returns the number of equally weighted rows that carry as much information as the rows with their weights, (Σw)²/Σw²
// (Kish 1965).
func (g *gaps) independent() float64 {
	if g.weights == nil {
		return float64(g.rows)
	}
	var sum, squares float64
	for _, w := range g.weights {
		sum += w
		squares += w * w
	}
	return sum * sum / squares
}

// fill completes the rows with draws from a model.
func (t *Table) fill(ctx context.Context, d int, model func() missing.Filler) error {
	g := t.gaps
	g.model, t.noRows = model, ""
	t.replay = func(ctx context.Context, each func([]float64, []int) error) error {
		return g.replay(ctx, d, model, each)
	}
	if g.filled = nil; g.rows*g.copies*d <= mostFilled {
		filled := make([]float64, 0, g.rows*g.copies*d)
		if err := t.replay(ctx, func(rows []float64, _ []int) error {
			filled = append(filled, rows...)
			return nil
		}); err != nil {
			return err
		}
		g.filled = filled
	}
	if t.Sample == nil {
		return nil
	}
	sampler, left := prepare.NewRowSampler(d, 0), g.rows*d
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
	t.Sample.Weight = g.information / float64(g.rows)
	if g.weights != nil { // copies of a row follow each other, and rows that depend on their neighbours are looked for
		random := rand.New(rand.NewPCG(g.seed, 1))
		random.Shuffle(t.Sample.Rows(), func(i, j int) {
			a, b := t.Sample.Row(i), t.Sample.Row(j)
			for k := range a {
				a[k], b[k] = b[k], a[k]
			}
		})
	}
	return nil
}

// replay calls each with the completed rows: all rows of the first copy, then those of the second, and so on. The draws depend only
// on the seed, the copy and the row.
func (g *gaps) replay(ctx context.Context, d int, model func() missing.Filler, each func([]float64, []int) error) error {
	const step = 1024
	if g.filled != nil {
		for at := 0; at < len(g.filled); at += step * d {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := each(g.filled[at:min(at+step*d, len(g.filled))], nil); err != nil {
				return err
			}
		}
		return nil
	}
	fillers := make([]missing.Filler, g.threads)
	for i := range fillers {
		fillers[i] = model()
	}
	for c := range g.copies {
		first := 0
		err := g.weighted(ctx, d, c, g.copies, func(rows []float64) error {
			n := len(rows) / d
			if fillers[0] == nil {
				return each(rows, nil)
			}
			const part = 64 // rows that a thread completes at a time
			gemm.ShareBy(g.threads, (n+part-1)/part, func(worker, k int) {
				pcg := &rand.PCG{}
				random := rand.New(pcg)
				for i := k * part; i < min((k+1)*part, n); i++ {
					pcg.Seed(g.seed+uint64(c), uint64(first+i))
					fillers[worker].Fill(rows[i*d:(i+1)*d], random)
				}
			})
			first += n
			return each(rows, nil)
		})
		if err != nil {
			return err
		}
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
	out := &Missing{EffectiveRows: t.gaps.effective(), Copies: t.gaps.copies}
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
		return t.gaps.rows
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
		return t.Moments.CountedAs(t.gaps.rows), t.gaps.information / float64(t.gaps.rows)
	}
	return t.Moments, t.rowWeight()
}
