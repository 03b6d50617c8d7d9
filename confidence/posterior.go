package confidence

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/sample"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// PosteriorSettings are the settings for the posterior over graphs. Start from DefaultPosterior.
type PosteriorSettings struct {
	// Chains is the number of MCMC chains and Samples the number of graphs kept per chain; Rounds is how often their length may be
	// doubled until they agree.
	Chains, Samples, Rounds int
	// Graph selects the graph of the result: the graph of the search, with edges reversed or not, or a consensus of the sampled
	// graphs at Level, from 0 to 1; see Settings.
	Graph trust.ConsensusForm
	Level float64
	// Calibrate is the number of simulated tables for recalibrating the probabilities; 0 for none.
	Calibrate int
}

// DefaultPosterior returns the defaults of package sample.
func DefaultPosterior() PosteriorSettings {
	s := sample.DefaultSettings()
	return PosteriorSettings{Chains: s.Chains, Samples: s.Samples, Rounds: s.Rounds, Graph: trust.NoConsensus, Level: 0.5}
}

func (p PosteriorSettings) settings(cfg polydag.Config) sample.Settings {
	s := sample.DefaultSettings()
	s.Chains, s.Samples, s.Rounds, s.Seed, s.Threads = p.Chains, p.Samples, p.Rounds, cfg.Seed, cfg.Threads
	return s
}

// Validate reports every invalid setting.
func (p PosteriorSettings) Validate() error { return p.settings(polydag.Config{Threads: 1}).Validate() }

// PosteriorMemory estimates the bytes that Posterior takes besides learning: weight tables, sampled graphs, and the rows if
// categories are counted.
func PosteriorMemory(rows, columns int) int64 {
	d := int64(columns)
	tables := min(sample.DefaultSettings().Bytes, 16*d*d<<12)
	if columns <= sample.DefaultSettings().Exact {
		tables = 80 << 20
	}
	return tables + 16*d*d + 12*int64(rows)*d
}

// Posterior learns from a table and returns the graph with the posterior probability of every edge under its
// model. Up to 12 columns the posterior is exact, beyond that it is sampled by MCMC.
//
// When ctx ends, the samples so far count; when it ends before the first sample, the result has no confidences. Both
// come with an error that wraps ctx.Err(). how is as in polydag.Table.Learn; its store also saves
// finished walks. Apart from Timing, the result has the same bytes on any number of threads.
func Posterior(ctx context.Context, table *polydag.Table, cfg polydag.Config, p PosteriorSettings, how polydag.Run) (*polydag.Result, error) {
	return PosteriorWith(ctx, table, cfg, p, how, nil)
}

// PosteriorWith is Posterior with walks run by by; nil runs them here. The search, the fitted odds and exact posteriors are always
// computed here.
func PosteriorWith(ctx context.Context, table *polydag.Table, cfg polydag.Config, p PosteriorSettings, how polydag.Run, by Walker) (*polydag.Result, error) {
	if p == (PosteriorSettings{}) {
		p = DefaultPosterior()
	}
	res, err := posteriorWith(ctx, table, cfg.Filled(), p, how, by)
	if err == nil {
		err = res.Stopped(ctx)
	}
	return res, err
}

func posteriorWith(ctx context.Context, table *polydag.Table, cfg polydag.Config, p PosteriorSettings, how polydag.Run, by Walker) (*polydag.Result, error) {
	if table.TimeSeries() != nil {
		return unrolled(table, cfg, func(t *polydag.Table, cfg polydag.Config) (*polydag.Result, error) {
			return posteriorWith(ctx, t, cfg, p, how, by)
		})
	}
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
	tell := func(round int) { l.tell("posterior", stage.Chains, round, p.Rounds+1) }
	tell(0)
	walker, err := l.walker(ctx, sample.Problem(*problem), set, by)
	if err != nil {
		return l.stopped(ctx, err)
	}
	found, err := sample.RunBy(ctx, sample.Problem(*problem), set, walker, func(q sample.Round) { tell(q.Number + 1) })
	if err != nil {
		return l.stopped(ctx, err)
	}
	mended, given, err := l.recalibrated(ctx, func() (*recalibration, error) { return l.sampled(ctx, set, found, order) })
	if err != nil {
		return nil, err
	}
	res, err := l.drawn(context.WithoutCancel(ctx), found, order, mended)
	if err != nil {
		return nil, err
	}
	res.Confidence.Posterior.EdgeOdds = problem.Odds
	if given != "" {
		res.Cancel(given)
	}
	if found.Stopped {
		res.Cancel(method.Why(context.Cause(ctx)) + " before the chains agreed")
	}
	res.Timing.SolveSeconds += time.Since(l.began).Seconds()
	return res, nil
}

// walker returns the walker of the chains; nil without chains.
func (l *learner) walker(ctx context.Context, problem sample.Problem, set sample.Settings, by Walker) (sample.Walker, error) {
	if len(l.full.Names) <= set.Exact {
		return nil, nil
	}
	of, err := newChains(l.cfg, l.full, problem.Odds)
	if err != nil {
		return nil, err
	}
	k := &kept{l: l, of: of, remote: by}
	if by == nil {
		k.by, err = sample.NewSampler(ctx, problem, set)
	}
	return k, err
}

// drawn adds a posterior to the result. Variable i is column order[i].
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
		res.Warnings = append(res.Warnings, notConverged(found.RHat, found.ESS))
	}
	if found.Full > 0 {
		res.Warnings = append(res.Warnings, fmt.Sprintf("too many likely parents for the score tables of the posterior in %s; the other parents enter one at a time", names.Count(found.Full, "column")))
	}
	by := newCurve(NoCalibration, 0)
	if mended != nil {
		by, c.Calibration, c.Recalibration = mended.curve, Recalibrated, mended.report
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

// unit limits a probability to [0, 1].
func unit(p float64) float64 { return min(1, max(0, p)) }

// notConverged says which diagnostics of the chains miss their targets.
func notConverged(rhat, ess float64) string {
	var missed []string
	if !(rhat <= 1.05) {
		missed = append(missed, fmt.Sprintf("R-hat is %.3g, want at most 1.05", rhat))
	}
	if !(ess >= 200) {
		missed = append(missed, fmt.Sprintf("the effective sample size is %.0f, want at least 200", ess))
	}
	return "the posterior chains have not converged (" + strings.Join(missed, "; ") + "); keep more samples of each chain"
}
