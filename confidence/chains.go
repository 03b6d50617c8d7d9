package confidence

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/sample"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// Chains has what all MCMC chains of a posterior share. It is a plain value: any process that has the table derives the same
// posterior from it.
type Chains struct {
	Plan *Plan `json:"plan"`
	// Model is the effect model of the graph of the whole table, and Edges are its edges by column index. If it
	// is not a DAG, chains start at the result of a search for the posterior's mode.
	Model score.Effects `json:"model"`
	DAG   bool          `json:"dag"`
	Edges []graph.Edge  `json:"edges"`
	// Odds are the fitted prior odds of an edge.
	Odds float64 `json:"odds"`
}

// newChains returns the shared part of the chains.
func newChains(cfg polydag.Config, full *polydag.Result, odds float64) (*Chains, error) {
	plan, err := NewPlan(cfg, full)
	c := &Chains{Plan: plan, Model: full.Model, DAG: full.Kind == graph.KindDAG, Edges: []graph.Edge{}, Odds: odds}
	if c.DAG {
		c.Edges = append(c.Edges, full.Graph.Edges()...)
	}
	return c, err
}

// A Walk is one part of a chain. It is a plain value: any process with the same Chains and table does it with the same outcome.
type Walk struct {
	// Chain is the index of the chain, which seeds it at its start.
	Chain int `json:"chain"`
	// From is the end of an earlier walk; nil starts the chain. If it is from another chain, the random numbers continue as those of Chain.
	From []byte `json:"from,omitempty"`
	// Burn is the number of burn-in sweeps. Then Samples graphs are kept, one every Thin sweeps.
	Burn    int `json:"burn"`
	Samples int `json:"samples"`
	Thin    int `json:"thin"`
}

// Validate returns an error for an invalid walk or one with too many graphs.
func (w Walk) Validate() error { return sample.Walk(w).Validate() }

// A Sampler does walks of the chains of one table. It is safe for concurrent use.
type Sampler struct{ own *sample.Sampler }

// Memory returns an upper bound of the memory of the graphs of a walk.
func (s *Sampler) Memory(w Walk) int64 { return s.own.Memory(sample.Walk(w)) }

// Walk does one walk and returns its outcome, encoded for the function each of a Walker.
func (s *Sampler) Walk(ctx context.Context, w Walk) ([]byte, error) {
	out, err := s.own.One(ctx, sample.Walk(w))
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return out.Encode(), nil
}

// Sampler prepares the tables for the chains, on one thread. The result does not need the table or its files again.
func (c *Chains) Sampler(ctx context.Context, table *polydag.Table) (*Sampler, error) {
	if c.Plan == nil || !(c.Odds > 0) {
		return nil, fmt.Errorf("chains with odds of %v and a plan or none: want a plan and odds above 0", c.Odds)
	}
	cfg, err := c.Plan.Config()
	if err != nil {
		return nil, err
	}
	res := &polydag.Result{Model: c.Model, Confidence: &trust.Confidence{Posterior: &trust.PosteriorSummary{EdgeOdds: c.Odds}}}
	if c.DAG {
		res.Kind = graph.KindDAG
		if res.Graph, err = graph.FromEdges(table.Moments.Dim(), c.Edges); err != nil {
			return nil, err
		}
		if _, err := res.Graph.Order(); err != nil {
			return nil, err
		}
	}
	problem, _, err := table.Posterior(ctx, cfg, res)
	if err != nil {
		return nil, err
	}
	own, err := sample.NewSampler(ctx, sample.Problem(*problem), DefaultPosterior().settings(cfg))
	return &Sampler{own}, err
}

// A Walker runs walks of chains, possibly remotely. The outcome of a walk does not depend on where it runs.
type Walker interface {
	// Walk passes the outcome of walks[i], as Sampler.Walk returns it, to each, in any order, one at a time. It ends with the error of
	// each. When ctx ends, it returns the context's error.
	Walk(ctx context.Context, of *Chains, walks []Walk, each func(i int, outcome []byte) error) error
}

// kept is a sample.Walker that reuses saved walks and saves complete ones.
type kept struct {
	l      *learner
	of     *Chains
	by     sample.Walker // used if elsewhere is nil
	remote Walker
}

// Walk implements sample.Walker.
func (k *kept) Walk(ctx context.Context, walks []sample.Walk, each func(i int, w *sample.Walked)) error {
	var open []sample.Walk
	var at []int
	keys := make([]string, len(walks))
	for i, w := range walks {
		text, err := json.Marshal(struct {
			Of   *Chains     `json:"of"`
			Walk sample.Walk `json:"walk"`
		}{k.of, w})
		if err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		keys[i] = hex.EncodeToString(sum[:])
		if done := k.l.saver.walk(keys[i]); done != nil {
			if was, err := sample.DecodeWalked(done, len(k.l.full.Names), w.Samples); err == nil {
				each(i, was)
				continue
			}
		}
		open, at = append(open, w), append(at, i)
	}
	if len(open) == 0 {
		return ctx.Err()
	}
	done := func(i int, w *sample.Walked) {
		if len(w.Graphs) == open[i].Samples {
			k.l.saver.addWalk(keys[at[i]], w.Encode(), k.l.how)
		}
		each(at[i], w)
	}
	defer k.l.saver.flush(k.l.how)
	if k.remote != nil {
		asked := make([]Walk, len(open))
		for i, w := range open {
			asked[i] = Walk(w)
		}
		return k.remote.Walk(ctx, k.of, asked, func(i int, outcome []byte) error {
			w, err := sample.DecodeWalked(outcome, len(k.l.full.Names), open[i].Samples)
			if err == nil {
				done(i, w)
			}
			return err
		})
	}
	return k.by.Walk(ctx, open, done)
}
