package confidence

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/trust"
)

// Learn learns from a table and from bootstrap samples of its rows, and returns the graph with a confidence for
// every edge.
//
// When ctx ends during the replicates, the finished ones count; when it ends before, the result has no confidences.
// Both come with an error that wraps ctx.Err(), which polydag.BestSoFar drops. The zero Settings stand for
// DefaultSettings. how is as in polydag.Table.Learn; its store also saves finished replicates. Apart from Timing, the result has the same bytes on any number of
// threads.
func Learn(ctx context.Context, table *polydag.Table, cfg polydag.Config, s Settings, how polydag.Run) (*polydag.Result, error) {
	return LearnWith(ctx, table, cfg, s, how, nil)
}

// LearnWith is Learn with units run by runner, including those of simulated tables (Settings.Calibrate); nil runs them here.
func LearnWith(ctx context.Context, table *polydag.Table, cfg polydag.Config, s Settings, how polydag.Run, runner Runner) (*polydag.Result, error) {
	if s.Resampling == "" {
		s = param.Fill(s, DefaultSettings())
	}
	res, err := learnWith(ctx, table, cfg.Filled(), s, how, runner)
	if err == nil {
		err = res.Stopped(ctx)
	}
	return res, err
}

func learnWith(ctx context.Context, table *polydag.Table, cfg polydag.Config, s Settings, how polydag.Run, runner Runner) (*polydag.Result, error) {
	if table.TimeSeries() != nil {
		return unrolled(table, cfg, func(t *polydag.Table, cfg polydag.Config) (*polydag.Result, error) {
			return learnWith(ctx, t, cfg, s, how, runner)
		})
	}
	l, err := start(ctx, table, cfg, s, how)
	if err != nil || l.full.Status == method.Canceled {
		return l.full, err
	}
	if l.remote = runner; runner == nil {
		from, err := table.Resampler(ctx, s.MostBytes)
		if err != nil {
			return l.stopped(ctx, err)
		}
		runner = Pool{From: from, Workers: cfg.Threads}
	}
	return l.run(ctx, runner)
}

// ErrEnvironments is matched if a consensus is requested and the environments' targets are unknown.
var ErrEnvironments = fault.Kind("consensus-environments", "a consensus graph is not available with an environment column; give the intervention targets, or omit the consensus")

type learner struct {
	table *polydag.Table
	cfg   polydag.Config
	set   Settings
	how   polydag.Run
	saver *saver
	full  *polydag.Result
	like  *likeness // simulates tables; nil without recalibration
	began time.Time
	// elsewhere runs the units of simulated tables; nil runs them here.
	remote Runner
}

func start(ctx context.Context, table *polydag.Table, cfg polydag.Config, s Settings, how polydag.Run) (*learner, error) {
	l := &learner{table: table, cfg: cfg, set: s, how: how}
	if err := s.Validate(); err != nil {
		return l, err
	}
	if table != nil && table.Environments != nil && table.Environments.Unknown && s.Graph != trust.NoConsensus && s.Graph != trust.TurnedGraph {
		return l, fault.New(ErrEnvironments, fmt.Sprintf("a consensus graph is not available with the environment column %s", table.Environments.Column),
			"omit %s, or give the intervention targets with %s", fault.Use("consensus"), fault.Use("targets"))
	}
	if how.Store != nil {
		l.saver = &saver{store: how.Store}
		how.Store = l.saver
	}
	full, err := polydag.BestSoFar(table.Learn(ctx, cfg, how))
	l.full, l.began = full, time.Now()
	if err == nil && s.Calibrate > 0 && full.Status != method.Canceled {
		if l.like, err = newLikeness(ctx, table, full, s.MostBytes); err != nil {
			l.full, err = l.stopped(ctx, err)
		}
	}
	return l, err
}

// stopped returns the result without confidences if err is the context's error.
func (l *learner) stopped(ctx context.Context, err error) (*polydag.Result, error) {
	if ctx.Err() == nil {
		return nil, err
	}
	l.full.Cancel(method.Why(context.Cause(ctx)))
	return l.full, nil
}

// run runs the remaining units and builds the result.
func (l *learner) run(ctx context.Context, runner Runner) (*polydag.Result, error) {
	plan, err := NewPlan(l.cfg, l.full)
	if err != nil {
		return nil, err
	}
	outcomes := make([]*Outcome, l.set.Replicates)
	done := 0
	for _, o := range slices.Concat(l.known(), l.saver.done()) {
		if k := o.Draw.Replicate; k < len(outcomes) && outcomes[k] == nil && o.Draw == l.draw(k) {
			outcomes[k] = &o
			done++
		}
	}
	var units []Unit
	from, to := l.set.Part.of(len(outcomes))
	for k := from; k < to; k++ {
		if outcomes[k] == nil {
			units = append(units, Unit{Plan: plan, Draw: l.draw(k)})
		}
	}
	tell := func() { l.tell(string(l.set.Resampling), stage.Replicates, done, to-from) }
	tell()
	err = runner.Run(ctx, units, func(o Outcome) {
		outcomes[o.Draw.Replicate] = &o
		done++
		l.saver.add(o, l.how)
		tell()
	})
	l.saver.flush(l.how)
	canceled := err != nil && ctx.Err() != nil
	if err != nil && !canceled {
		return nil, err
	}
	if l.set.Part.on() {
		if l.full.Timing.SolveSeconds += time.Since(l.began).Seconds(); canceled && done < to-from {
			l.full.Cancel(fmt.Sprintf("%s after %d of %d bootstrap samples", method.Why(context.Cause(ctx)), done, to-from))
		}
		return l.part(outcomes), nil
	}
	mended, given, err := l.recalibrated(ctx, func() (*recalibration, error) { return l.replicated(ctx, plan, outcomes) })
	if err != nil {
		return nil, err
	}
	res, err := l.result(context.WithoutCancel(ctx), outcomes, mended)
	if err != nil {
		return nil, err
	}
	if given != "" {
		res.Cancel(given)
	}
	if canceled && done < len(outcomes) {
		res.Cancel(fmt.Sprintf("%s after %d of %d bootstrap samples", method.Why(context.Cause(ctx)), done, len(outcomes)))
	}
	res.Timing.SolveSeconds += time.Since(l.began).Seconds()
	return res, nil
}

// tell reports progress.
func (l *learner) tell(name string, kind stage.Kind, step, steps int) {
	if l.how.Observe != nil {
		l.how.Observe(polydag.Progress{Stage: name, Kind: kind, Step: step, Steps: steps, Edges: len(l.full.Edges), Untraced: true})
	}
}

func (l *learner) draw(k int) polydag.Draw {
	return polydag.Draw{Kind: l.set.Resampling, Seed: l.cfg.Seed, Replicate: k}
}

// result counts the outcomes in order and adds the confidences to the result.
func (l *learner) result(ctx context.Context, outcomes []*Outcome, mended *recalibration) (*polydag.Result, error) {
	columns := len(l.full.Names)
	votes := graph.NewVotes(columns)
	c := &trust.Confidence{
		Resampling: l.set.Resampling, Unit: l.unit(), Asked: len(outcomes), Seed: l.cfg.Seed, Calibration: calibration(l.set.Resampling, l.full.Model), Graph: l.set.Graph, Pairs: []trust.Pair{},
	}
	edges := 0
	drawn := make([][]graph.MarkedEdge, len(outcomes))
	for k, o := range outcomes {
		if o == nil {
			continue
		}
		drawn[k] = o.drawn()
		if o.Failed != "" {
			c.Failed = append(c.Failed, trust.Failure{Replicate: k, Why: o.Failed})
			continue
		}
		m, err := o.Class(columns)
		if err != nil {
			return nil, err
		}
		votes.AddWithShares(m, l.directionShares(m))
		edges += m.NumEdges()
	}
	c.Replicates = votes.Graphs()
	if l.full.Kind == graph.KindDAG && l.set.Resampling == polydag.Bootstrap {
		c.Graphs = trust.NewDrawnGraphs(drawn)
	}
	if c.Replicates == 0 {
		if len(c.Failed) > 0 {
			return nil, fmt.Errorf("learning failed on all %d bootstrap samples; the first: %s", len(c.Failed), c.Failed[0].Why)
		}
		return l.full, nil // stopped before the first
	}
	res, err := l.chosen(ctx, votes, c)
	if err != nil {
		return nil, err
	}
	by := newCurve(c.Calibration, c.Replicates)
	if mended != nil {
		by, c.Calibration, c.Recalibration = mended.curve, Recalibrated, mended.report
	}
	known, err := l.cfg.Knowledge.Resolve(res.Names)
	if err != nil {
		return nil, err
	}
	for i, from := range res.Names {
		for j, to := range res.Names {
			p := trust.Pair{Link: polydag.Link{From: from, To: to}, Frequency: votes.Directed(i, j), Adjacency: votes.Adjacent(i, j), Ancestor: votes.Ancestor(i, j)}
			if i != j && max(p.Adjacency, p.Ancestor) > trust.LeastFrequency {
				switch p.Confidence = by.of(p.Frequency, p.Adjacency); {
				case known.Forbidden(i, j):
					p.Confidence = 0
				case known.Forbidden(j, i):
					p.Confidence = by.oneDirection(p.Frequency, p.Adjacency)
				}
				c.Pairs = append(c.Pairs, p)
			}
		}
	}
	slices.SortStableFunc(c.Pairs, func(a, b trust.Pair) int {
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(b.Adjacency, a.Adjacency))
	})
	if l.set.Resampling == polydag.Halves {
		c.Stability = l.stability(votes, float64(edges)/float64(c.Replicates))
	}
	return res, res.SetConfidence(c)
}

// lean returns the prior probabilities of the undirected edges of a replicate; nil without a prior.
func (l *learner) directionShares(m *graph.Mixed) map[graph.Edge]float64 {
	if !l.cfg.Knowledge.HasPriors() {
		return nil
	}
	known, err := l.cfg.Knowledge.Resolve(l.full.Names)
	if err != nil { // the result was learned with the same knowledge
		return nil
	}
	open := graph.NewPDAG(m.N())
	for _, e := range m.Edges() {
		if e.AtFrom == graph.Tail && e.AtTo == graph.Tail {
			open.SetUndirected(e.From, e.To)
		}
	}
	return open.DirectionShares(known.LogOdds)
}

// unit returns the name of the sampled unit, such as rows or groups.
func (l *learner) unit() string {
	switch t := l.table; {
	case t.Source.Groups != nil:
		return "groups of " + t.Source.Groups.Column
	case t.Block() > 1:
		return fmt.Sprintf("blocks of %d rows", t.Block())
	case !t.Incomplete() && t.EffectiveRows() < t.Rows():
		return "distinct records"
	case t.Environments != nil:
		return "rows within " + t.Environments.Column
	}
	return "rows"
}

// chosen returns the result with the requested graph, and records the choice in c.
func (l *learner) chosen(ctx context.Context, votes *graph.Votes, c *trust.Confidence) (*polydag.Result, error) {
	switch l.set.Graph {
	case trust.NoConsensus:
		return l.full, nil
	case trust.TurnedGraph:
		c.Graph = trust.NoConsensus
		if l.full.Kind != graph.KindDAG || l.table.Environments != nil && l.table.Environments.Unknown {
			return l.full, nil
		}
		g, turned := votes.Turned(l.full.Graph)
		if len(turned) == 0 {
			return l.full, nil
		}
		c.Graph = trust.TurnedGraph
		for _, e := range turned {
			c.Turned = append(c.Turned, polydag.Link{From: l.full.Names[e.From], To: l.full.Names[e.To]})
		}
		return l.table.Refit(ctx, l.cfg, l.full, g)
	}
	c.Level = l.set.Level
	return l.consensus(ctx, votes)
}

// consensus describes the graph that agrees best with the replicates.
func (l *learner) consensus(ctx context.Context, votes *graph.Votes) (*polydag.Result, error) {
	at := names.Index(l.full.Names)
	var order []int
	for _, name := range l.full.Certificate.Order {
		order = append(order, at[name])
	}
	g, err := votes.Consensus(l.set.Level, order)
	if err != nil {
		return nil, err
	}
	res, err := l.table.Refit(ctx, l.cfg, l.full, g)
	if err != nil || l.set.Graph == trust.ConsensusDAG {
		return res, err
	}
	return classOf(res), nil
}

// classOf returns the result with every open direction as an undirected edge.
func classOf(res *polydag.Result) *polydag.Result {
	res.Kind = graph.KindCPDAG
	m := graph.NewMixed(res.Kind, len(res.Names))
	at := names.Index(res.Names)
	for i := range res.Edges {
		e := &res.Edges[i]
		mark := graph.Arrow
		if !e.Compelled {
			*e = polydag.Edge{Link: e.Link, Mark: "---"}
			mark = graph.Tail
		}
		m.Set(graph.MarkedEdge{Edge: graph.Edge{From: at[e.From], To: at[e.To]}, AtFrom: graph.Tail, AtTo: mark})
	}
	res.Marked, res.Graph = m, m.Directed()
	res.Certificate = trust.Certify(m, res.Names)
	return res
}

// stability bounds the number of false pairs among those that are adjacent in most halves (stability selection).
func (l *learner) stability(votes *graph.Votes, edges float64) *trust.Stability {
	d := votes.N()
	s := &trust.Stability{Threshold: l.set.Threshold, Edges: edges, Pairs: d * (d - 1) / 2}
	for i := range d {
		for j := range i {
			if votes.Adjacent(i, j) >= s.Threshold {
				s.Selected++
			}
		}
	}
	s.Bound = edges * edges / ((2*s.Threshold - 1) * float64(s.Pairs))
	return s
}

// unrolled calls learn with the unrolled form of a table with lags and folds its result.
func unrolled(table *polydag.Table, cfg polydag.Config, learn func(*polydag.Table, polydag.Config) (*polydag.Result, error)) (*polydag.Result, error) {
	flat, own, err := table.Unrolled(cfg)
	if err != nil {
		return nil, err
	}
	res, err := learn(flat, own)
	return table.Fold(cfg, res), err
}
