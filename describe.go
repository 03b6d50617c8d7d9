package polydag

import (
	"cmp"
	"fmt"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/describe"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// describe turns a method's answer into a result: named edges with weights in the units of the data, nodes, certificate and
// stages.
func (l *learner) describe(a *method.Answer) (*Result, error) {
	names := l.Moments.Names
	if err := a.Graph.Check(); err != nil {
		return nil, fmt.Errorf("method %s promised a graph that it did not give: %w", l.cfg.Method.Info().Name, err)
	}
	res := &Result{
		Status: a.Status, Cause: a.Cause, Score: a.Score, Optimal: a.Optimal, Choices: a.Choices, Warnings: a.Warnings, Budget: a.Budget,
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
	res.Regimes = l.changed(a)
	if err := l.weigh(res); err != nil {
		return nil, err
	}
	if l.table.bare {
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

// changed lists the mechanisms that differ between regimes. It is nil if the intervention targets are known.
func (l *learner) changed(a *method.Answer) *Regimes {
	r := l.table.regimes()
	if r == nil || !r.Unknown {
		return nil
	}
	out := &Regimes{Column: r.Column, Changed: []Changed{}}
	for k, name := range r.Names {
		out.Rows = append(out.Rows, RegimeRows{Regime: name, Rows: r.Moments[k].N})
	}
	for _, c := range a.Changes {
		out.Changed = append(out.Changed, Changed{Regime: r.Names[c.Regime], Column: l.Moments.Names[c.Column], P: c.P, Adjusted: c.Adjusted})
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

// weigh fills Edges with the method's own weights, or with least-squares weights on each node's parents.
func (l *learner) weigh(res *Result) (err error) {
	if l.edges, err = l.described.Edges(!l.table.bare); err != nil {
		return err
	}
	res.Edges = make([]Edge, 0, len(l.edges))
	for _, e := range l.edges {
		f := e.Facts
		res.Edges = append(res.Edges, Edge{
			Link: e.Named(l.Moments.Names), Mark: e.Symbol(), Strength: e.Gain, Weight: e.Weight, Standardized: e.Standardized, Effect: f.Effect, Compelled: e.Compelled,
			Turned: f.ReversedInPart, Turning: f.ReversalBits, DirectionP: f.DirectionP, HiddenCause: e.HiddenCause,
		})
	}
	return nil
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
	moments, weight := t.evidenceMoments()
	judged, err := l.described.Judge(trust.Evidence{Moments: moments, Profile: t.Profile, Sample: t.Sample, RowWeight: weight},
		trust.Model{Kinds: t.Kinds, NormalScores: t.ranks, Standardized: r.Settings.Get("standardize") == true}, l.edges)
	if err != nil {
		return err
	}
	r.Assumptions = judged.Assumptions
	for k := range r.Edges {
		r.Edges[k].Judgement, r.Edges[k].Reversal = judged.Edges[k], judged.Reversals[k]
	}
	return nil
}

// shares returns, for each edge, the share of the DAGs in the equivalence class that have its direction, or 0.5 if unknown.
func (r *Result) shares() []float64 {
	return describe.Shares(r.Marked, func(k int) bool { return r.Edges[k].Compelled })
}
