package confidence

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/sample"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// PosteriorSettings say how the posterior over graphs is found. Start from DefaultPosterior.
type PosteriorSettings struct {
	// Chains and Samples are the number of chains and the graphs that are kept of each; Rounds is how often their length may be
	// doubled until they agree.
	Chains, Samples, Rounds int
	// Graph is what the result is: the graph of the search, turned or not, or a consensus of the graphs drawn at Level, from 0 to 1; see
	// Settings.
	Graph trust.ConsensusForm
	Level float64
	// Calibrate is how many tables like the one at hand are simulated, to learn on them how often a probability is right; 0 is none.
	Calibrate int
}

// DefaultPosterior has the defaults of package sample.
func DefaultPosterior() PosteriorSettings {
	s := sample.DefaultSettings()
	return PosteriorSettings{Chains: s.Chains, Samples: s.Samples, Rounds: s.Rounds, Graph: trust.NoConsensus, Level: 0.5}
}

func (p PosteriorSettings) settings(cfg polydag.Config) sample.Settings {
	s := sample.DefaultSettings()
	s.Chains, s.Samples, s.Rounds, s.Seed, s.Threads = p.Chains, p.Samples, p.Rounds, cfg.Seed, cfg.Threads
	return s
}

// Validate reports every fault at once.
func (p PosteriorSettings) Validate() error { return p.settings(polydag.Config{Threads: 1}).Validate() }

// PosteriorMemory is about how many bytes Posterior takes besides learning: tables of weights, the graphs that are kept, and where levels
// are counted the rows.
func PosteriorMemory(rows, columns int) int64 {
	d := int64(columns)
	tables := min(sample.DefaultSettings().Bytes, 16*d*d<<12)
	if columns <= sample.DefaultSettings().Exact {
		tables = 80 << 20
	}
	return tables + 16*d*d + 12*int64(rows)*d
}

// Posterior learns from a table and returns the graph with the posterior probability of every edge under its model: the share that
// graphs with the edge have of the marginal likelihood of all graphs. Up to 12 columns it is computed, beyond that sampled.
//
// When ctx ends, what the chains have until then counts, and the status of the result is method.Canceled; when it ends before there are
// graphs, the result has no confidences. how is that of polydag.Table.Learn: its store keeps the walks of chains that are done, too. The
// result has the same bytes (Timing aside) on any number of threads.
func Posterior(ctx context.Context, table *polydag.Table, cfg polydag.Config, p PosteriorSettings, how polydag.Run) (*polydag.Result, error) {
	return PosteriorWith(ctx, table, cfg, p, how, nil)
}

// PosteriorWith is Posterior with chains that by walks elsewhere; nil lets them walk here. The search, the odds of an edge and what is
// computed without chains are done here.
func PosteriorWith(ctx context.Context, table *polydag.Table, cfg polydag.Config, p PosteriorSettings, how polydag.Run, by Walker) (*polydag.Result, error) {
	s := DefaultSettings()
	s.Graph, s.Level, s.Calibrate = p.Graph, p.Level, p.Calibrate
	if err := p.Validate(); err != nil {
		return nil, err
	}
	l, err := start(ctx, table, cfg, s, how)
	if err != nil || l.full.Status == method.Canceled {
		return l.full, err
	}
	problem, order, err := table.Posterior(ctx, cfg, l.full)
	if err != nil {
		return l.stopped(ctx, err)
	}
	set := p.settings(cfg)
	tell := func(round int) {
		if how.Observe != nil {
			how.Observe(polydag.Progress{Stage: "posterior", Kind: stage.Chains, Step: round, Steps: p.Rounds + 1, Edges: len(l.full.Edges), Untraced: true})
		}
	}
	tell(0)
	walker, err := l.walker(ctx, problem, set, by)
	if err != nil {
		return l.stopped(ctx, err)
	}
	found, err := sample.RunBy(ctx, *problem, set, walker, func(q sample.Round) { tell(q.Number + 1) })
	if err != nil {
		return l.stopped(ctx, err)
	}
	mended, given, err := l.mend(ctx, func() (*recalibration, error) { return l.sampled(ctx, set, found, order) })
	if err != nil {
		return nil, err
	}
	res, err := l.drawn(context.WithoutCancel(ctx), found, order, mended)
	if err != nil {
		return nil, err
	}
	res.Confidence.Posterior.EdgeOdds = problem.Odds
	if given != "" {
		res.Status, res.Cause = method.Canceled, given
	}
	if found.Stopped {
		res.Status, res.Cause = method.Canceled, method.Why(context.Cause(ctx))+" before the chains agreed"
	}
	res.Timing.SolveSeconds += time.Since(l.began).Seconds()
	return res, nil
}

// walker is who does the walks of the chains; nil where there are none.
func (l *learner) walker(ctx context.Context, problem *sample.Problem, set sample.Settings, by Walker) (sample.Walker, error) {
	if len(l.full.Names) <= set.Exact {
		return nil, nil
	}
	of, err := newChains(l.cfg, l.full, problem.Odds)
	if err != nil {
		return nil, err
	}
	k := &kept{l: l, of: of, elsewhere: by}
	if by == nil {
		k.by, err = sample.NewSampler(ctx, *problem, set)
	}
	return k, err
}

// drawn puts a posterior into the result. Variable i of it is column order[i].
func (l *learner) drawn(ctx context.Context, found *sample.Result, order []int, mended *recalibration) (*polydag.Result, error) {
	d := len(order)
	graphs := len(found.Graphs)
	c := &trust.Confidence{
		Resampling: trust.PosteriorGraphs, Unit: "graphs", Replicates: graphs, Asked: graphs, Seed: l.cfg.Seed, Calibration: NoCalibration,
		Graph: l.set.Graph, Pairs: []trust.Pair{},
		Posterior: &trust.PosteriorSummary{
			Score: "BGe", Exact: found.Exact, Chains: found.Chains, Samples: graphs / found.Chains, RHat: found.RHat, ESS: found.ESS,
			Converged: found.Converged(), BurnIn: found.BurnIn, Thin: found.Thin,
		},
	}
	if l.full.Model == score.TableEffects {
		c.Posterior.Score = "BDeu"
	}
	res := l.full
	if l.set.Graph != trust.NoConsensus {
		votes := graph.NewVotes(d)
		for _, edges := range found.Graphs {
			votes.Add(relabelled(edges, order).Mixed())
		}
		var err error
		if res, err = l.chosen(ctx, votes, c); err != nil {
			return nil, err
		}
	}
	if !found.Converged() {
		res.Warnings = append(res.Warnings, fmt.Sprintf("the chains of the posterior have not converged (R-hat %.3g, want at most 1.05; effective sample size %.0f, want at least 200); keep more samples of each", found.RHat, found.ESS))
	}
	if found.Full > 0 {
		res.Warnings = append(res.Warnings, fmt.Sprintf("%d columns have more likely parents than the tables of the posterior hold; the others enter one at a time", found.Full))
	}
	by := newCurve(NoCalibration, 0)
	if mended != nil {
		by, c.Calibration, c.Recalibration = mended.curve, Recalibrated, mended.said
	}
	for i, from := range order {
		for j, to := range order {
			p := trust.Pair{Link: polydag.Link{From: res.Names[from], To: res.Names[to]}, Frequency: unit(found.Edge.At(i, j)),
				Adjacency: unit(found.Edge.At(i, j) + found.Edge.At(j, i)), Ancestor: found.Ancestor.At(i, j)}
			if i != j && max(p.Adjacency, p.Ancestor) > trust.LeastFrequency {
				p.Confidence = by.of(p.Frequency, p.Adjacency)
				c.Pairs = append(c.Pairs, p)
			}
		}
	}
	slices.SortStableFunc(c.Pairs, func(a, b trust.Pair) int {
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(b.Adjacency, a.Adjacency), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return res, res.SetConfidence(c)
}

// unit takes rounding off a probability.
func unit(p float64) float64 { return min(1, max(0, p)) }
