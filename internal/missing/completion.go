package missing

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/graph"
)

// A Completion is a table with missing values or row weights. Complete gives it several copies of its rows, which differ in the values
// that were drawn, so that each copy counts less than a row.
type Completion struct {
	Rows              // Copies is 0 for as many as are useful
	Names    []string // of the columns
	Discrete []bool   // the columns with categories
	Sampled  bool     // whether to draw a Sample
	Column   string   // the column of the weights
	Parents  [][]int  // the network that completes the rows; nil for a tree or a normal distribution

	Moments *dataset.Moments // of the completed rows
	Sample  *dataset.Sample  // nil unless Sampled
	// Information is the number of complete rows that carry as much information as the incomplete rows, and Paired the number that carries
	// as much on pairs of columns.
	Information, Paired float64
	Share               func(i, j int) float64 // the share of information on two columns; see PairCount.Share. nil if all pairs have the same
	Most                float64                // the largest share of missing values of a column
	LastCopies          int                    // copies of each row for the last graph; Copies are those of Filled
	Fit                 []float64              // the rows that models are fitted to
	Gaussian            *Gaussian              // nil if a network completed the rows
	model               func() Filler
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

// Complete sets the moments, the copies and the sample. start is a fit to similar rows, or nil.
//
// Numeric columns get the maximum-likelihood estimates of a normal distribution, and their missing values are draws from it. A table
// with categories gets draws from a network; see FitNetwork.
func (c *Completion) Complete(ctx context.Context, start *Gaussian) (err error) {
	d := len(c.Names)
	if c.Fit, err = c.Fitted(ctx, d); err != nil {
		return err
	}
	pairs := CountPairs(c.Fit, d)
	c.Most = pairs.MostMissing()
	network := c.Parents != nil || slices.Contains(c.Discrete, true)
	if c.Copies == 0 {
		enough := min(mostCopies, enoughRows/max(c.N, 1), int(math.Round(copiesPerShare*c.Most)))
		if c.Copies = max(leastCopies, enough); c.Weights != nil {
			c.Copies = max(c.Copies, WeightedCopies)
		}
	}
	if c.LastCopies = c.Copies; network && c.Weights == nil {
		c.Copies = 1
	}
	scale := c.Independent() / float64(len(c.Fit)/d)
	c.Information, c.Paired = pairs.Conditional()*scale, pairs.Effective()*scale
	if pairs.Complete() {
		return c.fill(ctx, func() Filler { return nil })
	}
	c.Share = pairs.Share()
	if network {
		return c.completeBy(ctx)
	}
	if c.Gaussian, err = FitGaussian(ctx, c.Fit, d, Settings{Threads: c.Threads, Start: start}); err != nil {
		var at *dataset.ParseError
		if errors.As(err, &at) && at.Column > 0 {
			at.Name = c.Names[at.Column-1]
		}
		return err
	}
	return c.fill(ctx, c.Gaussian.Filler)
}

// completeBy completes the rows by a network with these parents; nil stands for a tree of the strongest relations.
func (c *Completion) completeBy(ctx context.Context) error {
	network, err := FitNetwork(ctx, c.Fit, len(c.Names), NetworkSettings{Threads: c.Threads, Seed: c.Seed, Discrete: c.Discrete, Parents: c.Parents})
	if err != nil {
		return err
	}
	c.Gaussian, c.Information = nil, c.Paired
	return c.fill(ctx, network.Filler)
}

// fill completes the rows with draws from a model.
func (c *Completion) fill(ctx context.Context, model func() Filler) error {
	d := len(c.Names)
	c.model = model
	if c.Filled = nil; c.N*c.Copies*d <= mostFilled {
		all, err := dataset.Rows(c.Each).Read(ctx, c.N*c.Copies*d)
		if err != nil {
			return err
		}
		c.Filled = all.Values
	}
	if c.Sampled {
		if err := c.draw(ctx); err != nil {
			return err
		}
	}
	if c.Gaussian != nil {
		c.Moments = c.Gaussian.Moments(c.Names, c.N*c.Copies)
		return nil
	}
	return c.sum(ctx)
}

// draw sets the sample from the first copy.
func (c *Completion) draw(ctx context.Context) error {
	d := len(c.Names)
	sampler, left := prepare.NewRowSampler(d, 0), c.N*d
	if err := c.Each(ctx, func(b dataset.RowBatch) error {
		own := b.Values[:min(left, len(b.Values))]
		left -= len(own)
		if len(own) == 0 {
			return nil
		}
		return sampler.Add(dataset.RowBatch{Values: own})
	}); err != nil {
		return err
	}
	c.Sample = sampler.Sample()
	c.Sample.Weight = c.Paired / float64(c.N)
	if c.Weights != nil { // copies of a row follow each other, and rows that depend on their neighbours are looked for
		random := rand.New(rand.NewPCG(c.Seed, 1))
		random.Shuffle(c.Sample.Rows(), func(i, j int) {
			a, b := c.Sample.Row(i), c.Sample.Row(j)
			for k := range a {
				a[k], b[k] = b[k], a[k]
			}
		})
	}
	return nil
}

// sum computes the moments of the completed rows.
func (c *Completion) sum(ctx context.Context) (err error) {
	all := dataset.NewAccumulator(c.Names, c.Threads)
	if err := c.Each(ctx, func(b dataset.RowBatch) error { return all.Add(b.Values) }); err != nil {
		return err
	}
	c.Moments, err = all.Moments()
	return err
}

// Each calls each with the completed rows, as Rows.Replay does.
func (c *Completion) Each(ctx context.Context, each func(dataset.RowBatch) error) error {
	return c.Replay(ctx, len(c.Names), c.model, each)
}

// Impute is Each with other draws: copies of each row that depend on the seed.
func (c *Completion) Impute(ctx context.Context, copies int, seed uint64, each func(dataset.RowBatch) error) error {
	own := *c
	own.Copies, own.Seed, own.Filled = copies, seed, nil
	return own.Each(ctx, each)
}

// By returns the table with its rows completed by a network with these parents.
func (c *Completion) By(ctx context.Context, parents [][]int, copies int) (*Completion, error) {
	out := *c
	out.Copies, out.Parents = copies, parents
	return &out, out.completeBy(ctx)
}

// OneCopy returns the table with a single copy of each row, for graphs that serve to draw the missing values again.
func (c *Completion) OneCopy(ctx context.Context) (*Completion, error) {
	if c.Copies == 1 {
		return c, nil
	}
	out := *c
	if out.Copies = 1; out.Filled != nil {
		out.Filled = out.Filled[:out.N*len(out.Names)]
	}
	return &out, out.sum(ctx)
}

// All returns the table with LastCopies of each row, drawn from the model that completed it.
func (c *Completion) All(ctx context.Context) (*Completion, error) {
	if c.Copies == c.LastCopies {
		return c, nil
	}
	out := *c
	out.Copies = out.LastCopies
	return &out, out.fill(ctx, out.model)
}

// Effective returns the number of complete rows that carry as much information, at least 3.
func (c *Completion) Effective() int { return max(3, int(math.Round(c.Information))) }

// RowWeight returns the information of an incomplete row as a share of that of a complete one, whatever the number of copies.
func (c *Completion) RowWeight() float64 { return c.Information / float64(c.N) }

// Parents returns the parents of each column in a DAG that fits a graph of this kind, or nil if there is none. directed has the
// directed edges of m.
func Parents(kind graph.Kind, m *graph.Mixed, directed *graph.Graph) [][]int {
	switch kind {
	case graph.KindDAG:
	case graph.KindCPDAG:
		class, err := m.PDAG()
		if err != nil {
			return nil
		}
		if directed, err = class.Extension(); err != nil {
			return nil
		}
	default:
		return nil
	}
	if directed == nil {
		return nil
	}
	if _, err := directed.Order(); err != nil {
		return nil
	}
	parents := make([][]int, directed.N())
	for v := range parents {
		parents[v] = slices.Clone(directed.Parents(v))
	}
	return parents
}
