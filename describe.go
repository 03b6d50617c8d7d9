package polydag

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// describe turns a method's answer into a result: edges by name with weights in the units of the data, columns under the
// graph, certificate and stages.
func (l *learner) describe(a *method.Answer) (*Result, error) {
	names := l.data.Names
	if err := a.Graph.Check(); err != nil {
		return nil, fmt.Errorf("method %s promised a graph that it did not give: %w", l.cfg.Method.Info().Name, err)
	}
	res := &Result{
		Status: a.Status, Cause: a.Cause, Score: a.Score, Optimal: a.Optimal, Choices: a.Choices, Warnings: a.Warnings,
		Model: cmp.Or(a.Effects, score.LinearEffects), Kind: a.Graph.Kind(), Marked: a.Graph, Graph: a.Graph.Directed(),
	}
	// The order of the certificate is found in the canonical order of the columns, too.
	arranged := make([]string, len(names))
	for i, v := range l.order {
		arranged[i] = names[v]
	}
	res.Certificate = trust.Certify(a.Graph.Relabel(l.place), arranged)
	if a.Continuous != nil {
		res.W, res.Continuous = a.Continuous.W, l.continuous(a.Continuous)
	}
	for _, s := range a.Stages {
		st := Stage{Name: s.Name, Skipped: s.Skipped, Score: s.Score, H: s.H}
		if s.Graph != nil {
			st.Graph = links(s.Graph, names)
		}
		res.Stages = append(res.Stages, st)
	}
	if err := l.weigh(res, a); err != nil {
		return nil, err
	}
	if err := l.describeNodes(res, a); err != nil {
		return nil, err
	}
	if res.Kind == graph.KindDAG {
		l.sort(res)
	}
	return res, nil
}

// continuous names what the threshold left and what was cut.
func (l *learner) continuous(c *method.Continuous) *Continuous {
	names := l.data.Names
	out := &Continuous{Steps: c.Steps, H: c.H, Threshold: c.Threshold, HThreshold: c.HThreshold}
	if len(c.Cut) == 0 {
		return out
	}
	out.CyclicComponents, out.CutCost = len(c.Thresholded.CyclicComponents()), c.CutCost
	for _, v := range c.Thresholded.ShortestCycle() {
		out.Cycle = append(out.Cycle, names[v])
	}
	for _, e := range c.Cut {
		out.Cut = append(out.Cut, CutEdge{Link{From: names[e.From], To: names[e.To]}, c.W.At(e.From, e.To)})
	}
	out.Thresholded = links(c.Thresholded, names)
	return out
}

// weigh fills Edges: the method's own weights, or those of least squares on each column's parents.
func (l *learner) weigh(res *Result, a *method.Answer) error {
	weight := a.Weight
	if weight == nil {
		var err error
		if weight, err = l.leastSquares(res.Graph); err != nil {
			return err
		}
	}
	compelled, err := l.compelled(res)
	if err != nil {
		return err
	}
	strength := a.Strength
	if strength == nil {
		if strength, err = l.strengths(res.Graph); err != nil {
			return err
		}
	}
	names, std := l.data.Names, l.data.Std()
	res.Edges = make([]Edge, 0, res.Marked.NumEdges())
	for _, e := range res.Marked.Edges() {
		edge := Edge{From: names[e.From], To: names[e.To], Mark: e.Symbol()}
		if e.Directed() {
			edge.Weight = weight(e.From, e.To)
			edge.Standardized = edge.Weight * std[e.From] / std[e.To]
			edge.Compelled = a.Identified && (a.Open == nil || !a.Open(e.From, e.To)) || compelled(e)
			edge.Strength = strength(e.From, e.To)
			if a.Effect != nil {
				edge.Effect = a.Effect(e.From, e.To)
			}
		}
		res.Edges = append(res.Edges, edge)
	}
	return nil
}

// leastSquares regresses each column on its parents and returns the weights in units of the data.
func (l *learner) leastSquares(g *graph.Graph) (func(from, to int) float64, error) {
	std := l.data.Std()
	weights := make(map[graph.Edge]float64, g.NumEdges())
	for v := range g.N() {
		parents := l.parents(g, v)
		if len(parents) == 0 {
			continue
		}
		reg, err := l.regress(v, parents)
		var c *score.CollinearError
		if errors.As(err, &c) {
			return nil, fmt.Errorf("column %q is determined by other parents of %q: %w; drop it, or one of those", l.data.Names[c.Parent], l.data.Names[c.Column], err)
		}
		if err != nil {
			return nil, err
		}
		for i, p := range parents {
			weights[graph.Edge{From: p, To: v}] = reg.Beta[i] * std[v] / std[p]
		}
	}
	return func(from, to int) float64 { return weights[graph.Edge{From: from, To: to}] }, nil
}

// strengths returns what dropping an edge costs under least squares, n·ln(variance left without / with) - ln n, in bits a row:
// divided by 2·n·ln 2.
func (l *learner) strengths(g *graph.Graph) (func(from, to int) float64, error) {
	n := float64(l.data.N)
	bits := make(map[graph.Edge]float64, g.NumEdges())
	for v := range g.N() {
		parents := l.parents(g, v)
		if len(parents) == 0 {
			continue
		}
		reg, err := l.regress(v, parents)
		if err != nil { // of parents that determine each other none is missed alone
			continue
		}
		for i, p := range parents {
			ratio := max(reg.Drop[i], leastShare) / max(reg.Residual, leastShare)
			bits[graph.Edge{From: p, To: v}] = (n*math.Log(ratio) - math.Log(n)) / (2 * n * math.Ln2)
		}
	}
	return func(from, to int) float64 { return bits[graph.Edge{From: from, To: to}] }, nil
}

// leastShare of its variance is the least that counts as left of a column: below it there is rounding.
const leastShare = 1e-12

// regress is score.Regress on the correlation matrix, of which it makes the part that the regression reads: the whole has d² entries,
// and a run that was stopped should not wait for them.
func (l *learner) regress(v int, parents []int) (score.Regression, error) {
	index := append([]int{v}, parents...)
	at := make([]int, len(parents))
	for i := range at {
		at[i] = i + 1
	}
	reg, err := score.Regress(l.data.CorrelationOf(index), 0, at)
	var c *score.CollinearError
	if errors.As(err, &c) {
		err = &score.CollinearError{Parent: index[c.Parent], Column: index[c.Column]}
	}
	return reg, err
}

// parents returns the parents of v in the canonical order of the columns, so that a regression on them adds up in the
// same order wherever they stand in the table.
func (l *learner) parents(g *graph.Graph, v int) []int {
	parents := slices.Clone(g.Parents(v))
	slices.SortFunc(parents, func(a, b int) int { return l.place[a] - l.place[b] })
	return parents
}

// compelled tells which directed edges have that direction in every graph of the class that prior knowledge allows. In a
// graph that stands for a class those are all of them.
func (l *learner) compelled(res *Result) (func(graph.MarkedEdge) bool, error) {
	if res.Kind != graph.KindDAG {
		return func(graph.MarkedEdge) bool { return res.Kind != graph.KindAverage }, nil
	}
	class, err := graph.CPDAG(res.Graph)
	if err != nil {
		return nil, err
	}
	if !l.cfg.Knowledge.Empty() {
		if class, err = l.known.Orient(class); err != nil {
			return nil, err
		}
	}
	return func(e graph.MarkedEdge) bool { return class.HasDirected(e.From, e.To) }, nil
}

// describeNodes fills Nodes: how much of each column its parents explain, by least squares whatever the method. Of
// parents that determine each other one is left out, which changes nothing about what they explain.
func (l *learner) describeNodes(res *Result, a *method.Answer) error {
	std := l.data.Std()
	res.Nodes = make([]Node, len(l.data.Names))
	for v, name := range l.data.Names {
		parents := l.parents(res.Graph, v)
		left := 1.0 // of a variance of 1
		for len(parents) > 0 {
			reg, err := l.regress(v, parents)
			if err == nil {
				left = min(1, max(0, reg.Residual))
				break
			}
			var c *score.CollinearError
			if !errors.As(err, &c) || !slices.Contains(parents, c.Parent) {
				return err
			}
			parents = slices.DeleteFunc(parents, func(p int) bool { return p == c.Parent })
		}
		n := Node{Name: name, Mean: l.data.Mean[v], Std: std[v], ResidualVariance: left * std[v] * std[v], R2: 1 - left, Explained: 1 - left}
		if kinds := l.table.Kinds; kinds != nil {
			n.Kind, n.KindReason, n.Levels = kinds[v].Kind, kinds[v].Reason, kinds[v].Words
		}
		if n.Kind == kind.Categorical { // its codes are no quantity
			n.Mean, n.Std, n.ResidualVariance, n.R2 = 0, 0, 0, 0
		}
		if a.Explained != nil {
			n.Explained = a.Explained(v)
		}
		res.Nodes[v] = n
	}
	return nil
}

// sortabilityColumns bounds the columns for which R² from all others, 2⅓·d³ flops, is computed.
const sortabilityColumns = 2000

// sort fills Sortability; a graph without edges has none.
func (l *learner) sort(res *Result) {
	variance := l.data.Std()
	for j := range variance {
		variance[j] *= variance[j]
	}
	by, ok := trust.Varsortability(res.Graph, variance)
	if !ok {
		return
	}
	res.Sortability = &Sortability{Variance: by}
	if d := len(variance); d > sortabilityColumns || l.data.N <= d {
		return
	}
	if by, ok := trust.R2Sortability(res.Graph, l.data.Correlation()); ok {
		res.Sortability.R2 = &by
	}
}

// judge holds the assumptions of the model against what is known of the table, and says of each edge what its direction
// rests on.
func (r *Result) judge(t *Table) {
	variance := r.Choice("variance")
	r.Assumptions = trust.Judge(trust.Evidence{Moments: t.Moments, Profile: t.Profile, Sample: t.Sample}, trust.Model{
		Graph: r.Graph, Effects: r.Model, Kinds: t.Kinds, EqualVariances: variance != nil && variance.Chosen == "equal", Standardized: r.Settings.Get("standardize") == true,
	})
	for k, d := range r.directions() {
		r.Edges[k].Direction = d
	}
}

// directions returns what the direction of each edge rests on.
func (r *Result) directions() []Direction {
	at := make(map[string]int, len(r.Names))
	for v, name := range r.Names {
		at[name] = v
	}
	rests := trust.Directions(r.Marked, r.Names, r.Assumptions)
	out := make([]Direction, len(r.Edges))
	for k, e := range r.Edges {
		out[k] = rests(at[e.From], e.Compelled)
	}
	return out
}
