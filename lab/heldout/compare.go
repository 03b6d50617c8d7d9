package heldout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
)

// CompareSettings are the settings of a comparison. Start from DefaultCompareSettings.
type CompareSettings struct {
	// Budget is the time limit of one run of a method; 0 means no limit. At the limit, the run on the whole
	// table returns its best result so far, and the method is not run on halves.
	Budget time.Duration
	// Splits is the number of times the rows are split into halves, each held out once; 0 means no held-out
	// rows.
	Splits int
	// Model is the model of the common scale, as the default method names it.
	Model string
	// MostBytes limits the rows in memory; longer tables are read again for each half.
	MostBytes int64
	// SIDColumns is the largest number of columns for which SID is computed.
	SIDColumns int
	// Fits returns an error if the given memory is not available; nil means no limit.
	Fits func(bytes int64) error
	// Words formats an error; nil means its own text.
	Words func(error) string
}

// DefaultCompareSettings returns a budget of one minute per run and one split.
func DefaultCompareSettings() CompareSettings {
	return CompareSettings{Budget: time.Minute, Splits: 1, Model: "auto", MostBytes: 256 << 20, SIDColumns: 100}
}

// Validate returns an error that names every invalid setting.
func (s CompareSettings) Validate() error {
	var errs []error
	if s.Budget < 0 {
		errs = append(errs, configf("a budget of %v, want 0 for any time, or more", s.Budget))
	}
	if s.Splits < 0 {
		errs = append(errs, configf("%d splits, want 0 or more", s.Splits))
	}
	if _, err := s.base(polydag.DefaultConfig()); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// base returns the default method under the model of the scale.
func (s CompareSettings) base(common polydag.Config) (polydag.Config, error) {
	cfg := polydag.DefaultConfig()
	cfg.Seed, cfg.Threads, cfg.CheckScale = common.Seed, common.Threads, polydag.CheckScaleNever
	set := param.Of(cfg.Method)
	if err := set.Set("model", s.Model); err != nil {
		return cfg, configError{err}
	}
	return cfg, set.Finish()
}

// CompareProgress is the progress of a comparison.
type CompareProgress struct {
	// Label is the label of the method, Number its index from 1, and Of their number. The run that chooses the
	// scale has the number 0.
	Label      string
	Number, Of int
	// Half is 0 for the whole table, or the number of the half being learned.
	Half int
	// Run is the progress of the method.
	Run stage.Progress
	// Done is the method that has just ended, or nil.
	Done *Entry
}

// Compare learns from the table with every candidate, one after the other so that times are comparable, and
// compares the results. On a device, a continuous method learns from all halves at the same time. truth and
// observe may be nil. observe is called from one goroutine at a time.
//
// A method that cannot use the table, or runs out of time, has an entry that states it. When ctx ends early,
// the comparison has the results so far and the status method.Canceled. It returns an error only if no method
// has a graph. If no run reaches the budget, everything except the times has the same bytes on any number of
// threads.
func Compare(ctx context.Context, table *polydag.Table, candidates []Candidate, truth *Truth, s CompareSettings, observe func(CompareProgress)) (*Comparison, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if len(candidates) == 0 {
		return nil, configf("there is no method to compare")
	}
	c := &contest{table: table, set: s, truth: truth, watch: &watch{tell: observe}, of: len(candidates), bits: map[string][]float64{}}
	defer c.watch.end()
	if err := c.begin(ctx, candidates[0].Config); err != nil {
		return nil, err
	}
	for k, candidate := range candidates {
		e := c.entry(ctx, k, candidate)
		c.out.Methods = append(c.out.Methods, *e)
		c.watch.print(CompareProgress{Label: e.Label, Number: k + 1, Of: c.of, Done: e})
	}
	c.finish()
	if ctx.Err() != nil {
		c.out.Status, c.out.Cause = method.Canceled, method.Why(context.Cause(ctx))
		if len(c.out.Graphs()) == 0 {
			return nil, context.Cause(ctx)
		}
	}
	return c.out, nil
}

// contest is the state of one call of Compare.
type contest struct {
	table *polydag.Table
	set   CompareSettings
	truth *Truth
	watch *watch
	of    int
	out   *Comparison

	first  *outcome // result of the default method, which determines the model
	base   polydag.Config
	scale  polydag.Config // the default method with fixed settings as the common scale
	halves []*half
	bits   map[string][]float64 // by label: bits per row of each held-out half
}

// outcome is one run on the whole table.
type outcome struct {
	res     *polydag.Result
	err     error
	over    bool // the time limit was reached
	seconds float64
}

// begin learns with the default method, which chooses the model of the scale, and splits the rows.
func (c *contest) begin(ctx context.Context, common polydag.Config) error {
	var err error
	if c.base, err = c.set.base(common); err != nil {
		return err
	}
	first := c.learn(ctx, c.table, c.base, 1, func(p stage.Progress) {
		c.watch.print(CompareProgress{Label: c.base.Method.Info().Name, Of: c.of, Run: p})
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if first.res == nil {
		if first.over {
			return fmt.Errorf("the default method, whose model is the scale of the comparison, had no graph after %v; give it more time, or a model", c.set.Budget)
		}
		return first.err
	}
	c.first = &first
	model := first.res.Model
	if model == "" {
		model = score.LinearEffects
	}
	if c.scale, err = scaleOf(c.base, model); err != nil {
		return err
	}
	c.out = &Comparison{
		Schema: CompareSchema, Status: method.Completed, Table: first.res.Table, Program: first.res.Program, Rows: first.res.Rows, Names: first.res.Names, Seed: common.Seed,
		Threads: common.Threads, BudgetSeconds: c.set.Budget.Seconds(), Model: model, Methods: []Entry{},
	}
	if c.truth != nil {
		c.out.Truth = &Known{Edges: c.truth.edges, Hidden: c.truth.hidden}
	}
	if c.set.Splits > 0 {
		c.halves, err = c.split(ctx, model)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			c.out.NotHeldOut = c.print(err)
		default:
			c.out.Splits = c.set.Splits
		}
	}
	return nil
}

// scaleOf fixes what the default method would choose: the model, one noise variance per column, and BIC without
// extension if the model has one. So graphs of one equivalence class have the same score, and the penalty per
// edge is the same for all.
func scaleOf(base polydag.Config, model score.Effects) (polydag.Config, error) {
	m, err := base.Methods.Find(base.Method.Info().Name)
	if err != nil {
		return base, err
	}
	set := param.Of(m)
	for _, fixed := range [][2]string{{"model", string(model)}, {"variance", "unequal"}, {"noise", "gaussian"}, {"penalty", "1"}, {"gamma", "0"}, {"criterion", "bic"}} {
		if set.Lookup(fixed[0]) == nil {
			continue
		}
		if err := set.Set(fixed[0], fixed[1]); err != nil {
			return base, err
		}
	}
	base.Method = m
	return base, set.Finish()
}

// entry runs one method and describes its result.
func (c *contest) entry(ctx context.Context, k int, candidate Candidate) *Entry {
	cfg := candidate.Config
	e := &Entry{Label: candidate.Label, Method: cfg.Method.Info().Name, State: Skipped, Why: "interrupted before it began"}
	if ctx.Err() != nil {
		return e
	}
	tell := func(p CompareProgress) {
		p.Label, p.Number, p.Of = e.Label, k+1, c.of
		c.watch.print(p)
	}
	got := c.whole(ctx, cfg, func(p stage.Progress) { tell(CompareProgress{Run: p}) })
	e.Seconds = got.seconds
	switch {
	case got.res == nil && ctx.Err() != nil:
		e.State, e.Why = Stopped, "interrupted before it had a graph"
	case got.res == nil && got.over:
		e.State, e.Why = Stopped, fmt.Sprintf("it had no graph after %v", c.set.Budget)
	case got.res == nil:
		e.State, e.Why = Refused, c.print(got.err)
	case got.err != nil:
		e.State, e.Why = Failed, c.print(got.err)
	case got.res.Status == method.Canceled && ctx.Err() != nil:
		e.State, e.Why = Stopped, "interrupted; the best so far"
	case got.res.Status == method.Canceled:
		e.State, e.Why = Stopped, fmt.Sprintf("the best after %v", c.set.Budget)
	default:
		e.State, e.Why = Done, ""
	}
	if got.res == nil {
		return e
	}
	e.take(got.res)
	if c.truth != nil {
		m, err := c.truth.judge(got.res.Marked, c.set.SIDColumns)
		if err != nil {
			e.Unscored = c.print(err)
		}
		e.Metrics = m
	}
	c.rate(ctx, e)
	c.holdOut(ctx, e, cfg, got.over || got.res.Status == method.Canceled, tell)
	return e
}

// whole is learn on the whole table, or the existing result of the default method.
func (c *contest) whole(ctx context.Context, cfg polydag.Config, observe func(stage.Progress)) outcome {
	if cfg.Knowledge.Empty() && cfg.Standardize == c.base.Standardize && sameMethod(cfg.Method, c.base.Method) {
		return *c.first
	}
	if err := c.fit(cfg, 1); err != nil {
		return outcome{err: err}
	}
	return c.learn(ctx, c.table, cfg, 1, observe)
}

// rate computes the score of the graph of an entry on the common scale.
func (c *contest) rate(ctx context.Context, e *Entry) {
	g, err := member(e.Result.Marked)
	if err != nil {
		e.Unscored = err.Error()
		return
	}
	own := *c.table
	v, err := parallel.Within(ctx, grace, func() (float64, error) { return own.Score(ctx, c.scale, g) })
	switch {
	case ctx.Err() != nil:
		e.Unscored = "interrupted"
	case err != nil:
		e.Unscored = c.print(err)
	default:
		e.Score = &v
	}
}

// member returns the DAG of an answer, or one DAG of its class.
func member(m *graph.Mixed) (*graph.Graph, error) {
	switch m.Kind() {
	case graph.KindDAG:
		return m.Directed(), nil
	case graph.KindCPDAG, graph.KindPDAG:
		p, err := m.PDAG()
		if err != nil {
			return nil, err
		}
		g, err := p.Extension()
		if errors.Is(err, graph.ErrNoExtension) {
			err = errNoMember
		}
		return g, err
	}
	return nil, errNoDAG
}

var errNoMember = errors.New("no DAG has all of its edges, directions and colliders")

var errNoDAG = errors.New("the graph may have hidden common causes, and stands for no DAG over the columns")

func (c *contest) print(err error) string {
	if c.set.Words != nil {
		return c.set.Words(err)
	}
	return err.Error()
}
