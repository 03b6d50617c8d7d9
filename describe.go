package polydag

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/describe"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/role"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// learner holds the state of one call of Learn.
type learner struct {
	describe.Data
	table     *Table
	cfg       Config
	run       *stage.Run
	described *describe.Answer // the answer that result describes
}

func newLearner(t *Table, cfg Config, data *dataset.Moments, known *knowledge.Knowledge, run *stage.Run) *learner {
	l := &learner{table: t, cfg: cfg, run: run, Data: describe.Data{
		Moments: data, Environments: t.environments(), Order: method.Canonical(data), Place: make([]int, data.Dim()), Known: known, Informed: !cfg.Knowledge.Empty(),
	}}
	for i, v := range l.Order {
		l.Place[v] = i
	}
	if cfg.Names != NamesOff && data.Dim() <= namedColumns {
		l.Names = role.Read(role.Columns(data.Names, t.Kinds))
	}
	return l
}

// namedColumns is the largest number of columns whose names are read: beyond it, names are codes of genes or sensors.
const namedColumns = 2000

// result describes an answer together with its settings and seed.
func (l *learner) result(a *method.Answer) (*Result, error) {
	var err error
	if l.described, err = describe.New(a, l.Data); err != nil {
		return nil, err
	}
	res, err := l.describe(a)
	if res != nil {
		res.Schema, res.Method, res.Names, res.Rows = Schema, l.cfg.Method.Info().Name, l.Moments.Names, l.table.Rows()
		res.Settings, res.Seed = l.cfg.record(l.table), l.cfg.Seed
	}
	return res, err
}

// view returns the table as its method sees it, with the columns in canonical order. It reads no rows.
func (l *learner) view() (in *method.Input, err error) {
	t := l.table
	in = &method.Input{Moments: l.Moments.Arranged(l.Order), Seed: l.cfg.Seed, Threads: l.cfg.Threads, GraphOnly: t.replicate.bare, Drawn: t.replicate.drawn}
	if l.Informed {
		if in.Knowledge, err = l.cfg.Knowledge.Resolve(in.Names()); err != nil {
			return nil, err
		}
	}
	if cost := l.NamesCost(); cost != nil && l.cfg.Method.Info().Priors {
		if in.Knowledge == nil {
			if in.Knowledge, err = (knowledge.Spec{}).Resolve(in.Names()); err != nil {
				return nil, err
			}
		}
		in.Knowledge = in.Knowledge.WithCost(cost)
	}
	if in.Moments.N != t.Moments.N {
		in.RowWeight = float64(in.Moments.N) / float64(t.Moments.N)
	}
	if r, incomplete := t.completed(); incomplete {
		in.Copies = r.Copies
		if share := r.Share; share != nil {
			in.PairShare = func(i, j int) float64 { return share(l.Order[i], l.Order[j]) }
		}
	}
	in.Kinds = kind.Arrange(t.Kinds, l.Order)
	in.Environments = l.Environments.Arranged(l.Order)
	if l.cfg.Method.Info().Needs != method.Moments {
		rows := t.form()
		in.Rows, in.NoRows, in.Sample = rows.pass().Arranged(l.Order), rows.unreadable(), t.Sample.Arranged(l.Order)
		if in.Environments == nil {
			in.Rows = in.Rows.Pooled()
		}
	}
	return in, nil
}

// answer runs the method on raw or standardized columns in canonical order. It converts the answer back to the table's order
// and the units of the data.
func (l *learner) answer(ctx context.Context, standardize bool, run *stage.Run) (*method.Answer, error) {
	return l.answerBy(standardize, func(in *method.Input) (*method.Answer, error) { return l.cfg.Method.Learn(ctx, in, run) })
}

// answerBy is answer with any learning function.
func (l *learner) answerBy(standardize bool, learn func(*method.Input) (*method.Answer, error)) (*method.Answer, error) {
	in, err := l.view()
	if err != nil {
		return nil, err
	}
	if standardize {
		in.Environments = in.Environments.Scaled(in.Moments.Std())
		in.Moments = in.Moments.Standardized()
	}
	answer, err := learn(in)
	if answer == nil {
		return nil, err
	}
	answer.Relabel(l.Order)
	// Nonlinear models read the rows, which are in the units of the data.
	if linear := answer.Effects == "" || answer.Effects == score.LinearEffects; linear && standardize {
		std := l.Moments.Std()
		for i, e := range answer.Edges {
			if e.Weight != nil {
				answer.Edges[i].Weight = new(*e.Weight * std[e.To] / std[e.From])
			}
		}
	}
	return answer, err
}

// ScaleCheckPrefix begins the stage names of the scale check in Progress and in Timing.StageSeconds.
const ScaleCheckPrefix = "scale check: "

// checkScale learns a second time, from standardized columns if the first run used raw ones and vice versa, and compares the
// graphs. A failure of the second run does not affect the result.
func (l *learner) checkScale(ctx context.Context, res *Result) {
	second, err := l.answer(ctx, !l.cfg.Standardize, l.run.Named(ScaleCheckPrefix))
	switch {
	case err != nil:
		res.Warnings = append(res.Warnings, fmt.Sprintf("the scale check failed: %v", err))
	case second.Status == method.Canceled:
		res.Status, res.Cause = second.Status, second.Cause
	case l.cfg.Standardize:
		res.ScaleCheck = trust.CompareScales(second.Graph.Directed(), res.Graph, l.Moments.Names)
	default:
		res.ScaleCheck = trust.CompareScales(res.Graph, second.Graph.Directed(), l.Moments.Names)
	}
}

// withoutPriors begins the stage names of the run without priors in Progress and in Timing.StageSeconds.
const withoutPriors = "without priors: "

// comparePriors learns a second time without the prior probabilities and lists what they changed. A failure of the second run does
// not affect the result.
func (l *learner) comparePriors(ctx context.Context, res *Result) {
	if !l.Known.HasPriors() || res.Status == method.Canceled {
		return
	}
	cfg := l.cfg
	cfg.Knowledge = cfg.Knowledge.WithoutPriors()
	plain, err := l.learnPlain(ctx, cfg)
	switch {
	case err != nil:
		res.Warnings = append(res.Warnings, fmt.Sprintf("the comparison with a run without priors failed: %v", err))
		return
	case plain.Status == method.Canceled:
		res.Cancel(plain.Cause)
		return
	}
	res.Priors = describe.Priors(l.Known.Beliefs(), l.Moments.Names, res.pairs(), plain.pairs())
}

// learnPlain learns the table with another configuration, without checks of the scale.
func (l *learner) learnPlain(ctx context.Context, cfg Config) (*Result, error) {
	known, err := cfg.Knowledge.Resolve(l.Moments.Names)
	if err != nil {
		return nil, err
	}
	own := newLearner(l.table, cfg, l.Moments, known, l.run)
	answer, err := own.answer(ctx, cfg.Standardize, l.run.Named(withoutPriors))
	if err != nil {
		return nil, err
	}
	res, err := own.result(answer)
	if err != nil {
		return nil, err
	}
	return res, own.judge(res)
}

// updatePriors compares the priors with the verdicts of the edges, after these have changed.
func (r *Result) updatePriors() {
	states := r.pairs()
	for i, p := range r.Priors {
		r.Priors[i] = p.Updated(states.Of(p.Link))
	}
}

// pairs returns what the result states about each pair of columns.
func (r *Result) pairs() describe.Pairs {
	out := describe.Pairs{}
	for _, e := range r.Edges {
		out.Add(e.Link, e.Verdict, e.Directed())
	}
	return out
}

// describe turns a method's answer into a result: named edges with weights in the units of the data, nodes, certificate and
// stages.
func (l *learner) describe(a *method.Answer) (*Result, error) {
	names := l.Moments.Names
	if err := a.Graph.Check(); err != nil {
		return nil, fmt.Errorf("method %s promised a graph that it did not give: %w", l.cfg.Method.Info().Name, err)
	}
	res := &Result{
		Methods: l.cfg.Methods, Status: a.Status, Cause: a.Cause, Score: a.Score, Optimal: a.Optimal, Choices: a.Choices, Warnings: a.Warnings, Budget: a.Budget,
		Model: cmp.Or(a.Effects, score.LinearEffects), Kind: a.Graph.Kind(), Marked: a.Graph, Graph: l.described.Directed,
	}
	// The certificate's order is also computed in the canonical column order.
	arranged := make([]string, len(names))
	for i, v := range l.Order {
		arranged[i] = names[v]
	}
	res.Certificate = trust.Certify(a.Graph.Relabel(l.Place), arranged)
	if a.Continuous != nil {
		res.W, res.Continuous = a.Continuous.W, l.continuous(a.Continuous)
	}
	res.Stages = []Stage{}
	for _, s := range a.Stages {
		st := Stage{Name: s.Name, Skipped: s.Skipped, Score: s.Score, H: s.H}
		if s.Graph != nil {
			st.Graph = links(s.Graph, names)
		}
		res.Stages = append(res.Stages, st)
	}
	res.Environments = l.changed(a)
	var err error
	if res.Edges, err = l.described.Edges(!l.table.replicate.bare); err != nil {
		return nil, err
	}
	if l.table.replicate.bare {
		return res, nil
	}
	if err := l.describeNodes(res); err != nil {
		return nil, err
	}
	if res.Kind == graph.KindDAG {
		if variance, r2, ok := l.described.Sortability(); ok {
			res.Sortability = &Sortability{Variance: variance, R2: r2}
		}
	}
	return res, nil
}

// changed lists the mechanisms that differ between environments. It is nil if the intervention targets are known.
func (l *learner) changed(a *method.Answer) *Environments {
	r := l.table.environments()
	if r == nil || !r.Unknown {
		return nil
	}
	out := &Environments{Column: r.Column, Changed: []Changed{}}
	for k, name := range r.Names {
		out.Rows = append(out.Rows, EnvironmentRows{Environment: name, Rows: r.Moments[k].N})
	}
	for _, c := range a.Changes {
		out.Changed = append(out.Changed, Changed{Environment: r.Names[c.Environment], Column: l.Moments.Names[c.Column], P: c.P, Adjusted: c.Adjusted})
	}
	return out
}

// continuous names the edges that remained after thresholding and those that were cut.
func (l *learner) continuous(c *method.Continuous) *Continuous {
	names := l.Moments.Names
	out := &Continuous{Steps: c.Steps, H: c.H, Threshold: c.Threshold, HThreshold: c.HThreshold}
	if len(c.Cut) == 0 {
		return out
	}
	out.CyclicComponents, out.CutCost = len(c.Thresholded.CyclicComponents()), c.CutCost
	for _, v := range c.Thresholded.ShortestCycle() {
		out.Cycle = append(out.Cycle, names[v])
	}
	for _, e := range c.Cut {
		out.Cut = append(out.Cut, CutEdge{e.Named(names), c.W.At(e.From, e.To)})
	}
	out.Thresholded = links(c.Thresholded, names)
	return out
}

// describeNodes fills Nodes.
func (l *learner) describeNodes(res *Result) error {
	nodes, err := l.described.Nodes()
	if err != nil {
		return err
	}
	std := l.Moments.Std()
	res.Nodes = make([]Node, len(nodes))
	for v, own := range nodes {
		n := Node{Name: l.Moments.Names[v], Mean: l.Moments.Mean[v], Std: std[v], ResidualVariance: own.ResidualVariance, R2: own.R2, Explained: own.Explained}
		if kinds := l.table.Kinds; kinds != nil {
			n.Kind, n.KindReason, n.Levels = kinds[v].Kind, kinds[v].Reason, kinds[v].Words
		}
		n.Nominal = n.Kind == kind.Ordinal && (res.Model == score.TableEffects || l.described.Categories != nil && l.described.Categories[v])
		if n.Kind == kind.Categorical { // the codes of nominal categories have no mean
			n.Mean, n.Std, n.ResidualVariance, n.R2 = 0, 0, 0, 0
		}
		res.Nodes[v] = n
	}
	return nil
}

// judge checks the model's assumptions and sets the verdict of each edge.
func (l *learner) judge(r *Result) error {
	t := l.table
	moments, weight := t.form().evidence(t)
	evidence := trust.Evidence{Moments: moments, Profile: t.Profile, Sample: t.Sample, RowWeight: weight, Groups: t.form().groups(), Pictures: t.Source.Pictures, Faces: t.Source.Faces, Stationary: t.lags.checks}
	var err error
	r.Assumptions, err = l.described.Judge(evidence,
		trust.Model{Stopped: r.Status == method.Canceled, Kinds: t.Kinds, NormalScores: t.asked.ranks, Standardized: r.Settings.Get("standardize") == true}, r.Edges)
	return err
}

// shares returns, for each edge, the share of the DAGs in the equivalence class that have its direction, or 0.5 if unknown.
func (r *Result) shares() []float64 {
	return describe.Shares(r.Marked, func(k int) bool { return r.Edges[k].Compelled })
}

// Refit describes a DAG over the columns of the table as if it had been learned with cfg: weights, gains, effects and the
// evidence for directions. like is a result learned with cfg; its choices are kept.
func (t *Table) Refit(ctx context.Context, cfg Config, like *Result, g *graph.Graph) (*Result, error) {
	if like == nil {
		return nil, nilArgument("the result", "pass what Learn returned")
	}
	cfg = cfg.Filled()
	if s, ok := cfg.Method.(method.Settler); ok {
		cfg.Method = s.Settled(like.Choices)
	}
	l, answer, err := t.refitted(ctx, cfg, g)
	if err != nil {
		return nil, err
	}
	answer.Choices = like.Choices
	res, err := l.result(answer)
	if err != nil {
		return nil, err
	}
	res.Method, res.Settings = like.Method, like.Settings
	res.Table, res.Program, res.DataChecks, res.Timing, res.Warnings = like.Table, like.Program, like.DataChecks, like.Timing, like.Warnings
	res.Priors = append([]trust.PriorOutcome(nil), like.Priors...)
	if err := l.judge(res); err != nil {
		return nil, err
	}
	res.updatePriors()
	return res, res.finite()
}

// Score returns the score that the method of cfg minimizes for any DAG over the columns of the table, so that the graphs of
// several methods can be compared. The method must implement method.Refitter and its model must be set explicitly.
func (t *Table) Score(ctx context.Context, cfg Config, g *graph.Graph) (float64, error) {
	cfg = cfg.Filled()
	if err := cfg.Validate(); err != nil {
		return 0, err
	}
	if _, ok := cfg.Method.(method.Refitter); !ok {
		return 0, configf("method %s scores no graphs but its own; take the default method", cfg.Method.Info().Name)
	}
	_, answer, err := t.refitted(ctx, cfg, g)
	switch {
	case err != nil:
		return 0, err
	case math.IsNaN(answer.Score) || math.IsInf(answer.Score, 0):
		return 0, fmt.Errorf("the score of the graph is %v", answer.Score)
	}
	return answer.Score, nil
}

// refitted returns the method's answer for a given graph under the settings of cfg.
func (t *Table) refitted(ctx context.Context, cfg Config, g *graph.Graph) (*learner, *method.Answer, error) {
	if err := t.usable(ctx); err != nil {
		return nil, nil, err
	}
	if g == nil {
		return nil, nil, nilArgument("the graph", "make one with graph.New")
	}
	data, err := t.form().counted(t)
	if err != nil {
		return nil, nil, err
	}
	known, err := cfg.Knowledge.Resolve(data.Names)
	if err != nil {
		return nil, nil, err
	}
	l := newLearner(t, cfg, data, known, nil)
	answer, err := l.answerBy(cfg.Standardize, func(in *method.Input) (*method.Answer, error) {
		own := g.Mixed().Relabel(l.Place).Directed()
		if r, ok := cfg.Method.(method.Refitter); ok {
			return r.Refit(ctx, in, own)
		}
		return &method.Answer{Graph: own.Mixed(), Status: method.Completed}, nil
	})
	return l, answer, err
}
