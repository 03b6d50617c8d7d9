package polydag

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
	"github.com/polydag/polydag/trust"
)

// describe turns a method's answer into a result: named edges with weights in the units of the data, nodes, certificate and
// stages.
func (l *learner) describe(a *method.Answer) (*Result, error) {
	names := l.data.Names
	if err := a.Graph.Check(); err != nil {
		return nil, fmt.Errorf("method %s promised a graph that it did not give: %w", l.cfg.Method.Info().Name, err)
	}
	res := &Result{
		Status: a.Status, Cause: a.Cause, Score: a.Score, Optimal: a.Optimal, Choices: a.Choices, Warnings: a.Warnings, Budget: a.Budget,
		Model: cmp.Or(a.Effects, score.LinearEffects), Kind: a.Graph.Kind(), Marked: a.Graph, Graph: a.Graph.Directed(),
	}
	// The certificate's order is also computed in the canonical column order.
	arranged := make([]string, len(names))
	for i, v := range l.order {
		arranged[i] = names[v]
	}
	res.Certificate = trust.Certify(a.Graph.Relabel(l.place), arranged)
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
	if err := l.weigh(res, a); err != nil {
		return nil, err
	}
	if l.table.bare {
		return res, nil
	}
	if err := l.describeNodes(res, a); err != nil {
		return nil, err
	}
	if res.Kind == graph.KindDAG {
		l.sort(res)
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
		out.Changed = append(out.Changed, Changed{Regime: r.Names[c.Regime], Column: l.data.Names[c.Column], P: c.P, Adjusted: c.Adjusted})
	}
	return out
}

// continuous names the edges that remained after thresholding and those that were cut.
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
		out.Cut = append(out.Cut, CutEdge{e.Named(names), c.W.At(e.From, e.To)})
	}
	out.Thresholded = links(c.Thresholded, names)
	return out
}

// weigh fills Edges with the method's own weights, or with least-squares weights on each node's parents.
func (l *learner) weigh(res *Result, a *method.Answer) error {
	facts := a.FactsByEdge()
	compelled, _, _, err := l.compelled(res, a)
	if err != nil {
		return err
	}
	directed := res.Graph.Edges()
	var weight, strength func(from, to int) float64 // least-squares values for edges that the method did not weigh
	if slices.ContainsFunc(directed, func(e graph.Edge) bool { return facts[e].Weight == nil }) {
		if weight, err = l.leastSquares(res.Graph); err != nil {
			return err
		}
	}
	if !l.table.bare && slices.ContainsFunc(directed, func(e graph.Edge) bool { return facts[e].Gain == nil }) {
		if strength, err = l.strengths(res, a); err != nil {
			return err
		}
	}
	names, std := l.data.Names, l.data.Std()
	res.Edges = make([]Edge, 0, res.Marked.NumEdges())
	for _, e := range res.Marked.Edges() {
		edge := Edge{Link: e.Named(names), Mark: e.Symbol()}
		if e.Directed() {
			f := facts[e.Edge]
			if f.Weight != nil {
				edge.Weight = *f.Weight
			} else {
				edge.Weight = weight(e.From, e.To)
			}
			edge.Standardized = edge.Weight * std[e.From] / std[e.To]
			edge.Compelled = a.Identified && f.Direction != method.DirectionOpen || compelled(e)
			if f.Gain != nil {
				edge.Strength = *f.Gain
			} else if strength != nil {
				edge.Strength = strength(e.From, e.To)
			}
			edge.Turning, edge.DirectionP, edge.Turned, edge.Effect = f.ReversalBits, f.DirectionP, f.ReversedInPart, f.Effect
			edge.HiddenCause = f.HiddenCause
		} else if res.Kind == graph.KindPAG {
			edge.HiddenCause = method.HiddenPossible
			if e.AtFrom == graph.Arrow && e.AtTo == graph.Arrow {
				edge.HiddenCause = method.HiddenImplied
			}
		}
		res.Edges = append(res.Edges, edge)
	}
	return nil
}

// leastSquares regresses each column on its parents and returns the weights in units of the data.
func (l *learner) leastSquares(g *graph.Graph) (func(from, to int) float64, error) {
	stds := l.pool.Stds()
	weights := make(map[graph.Edge]float64, g.NumEdges())
	for v := range g.N() {
		parents := l.parents(g, v)
		if len(parents) == 0 {
			continue
		}
		std := stds[l.pool.Group[v]]
		reg, err := l.regress(v, parents)
		var c *score.CollinearError
		if errors.As(err, &c) {
			return nil, fmt.Errorf("column %q is determined by other parents of %q: %w; drop it, or one of those", l.data.Names[c.Parent], l.data.Names[c.Column], err)
		}
		if err != nil {
			return nil, err
		}
		for i, p := range parents {
			if std[p] > 0 { // a parent can be constant in the pooled rows of v
				weights[graph.Edge{From: p, To: v}] = reg.Beta[i] * std[v] / std[p]
			}
		}
	}
	return func(from, to int) float64 { return weights[graph.Edge{From: from, To: to}] }, nil
}

// strengths returns the score gain of each edge under least squares in bits per row: the gain divided by 2·n·ln 2. With the
// penalty p per edge the gain is n·ln(residual variance without / with the edge) - p. With equal noise variances it is
// n·d·ln(mean residual variance without / with the edge) - p. n is the number of rows that count for the edge's head.
func (l *learner) strengths(res *Result, a *method.Answer) (func(from, to int) float64, error) {
	g := res.Graph
	variance := res.Choice("variance")
	equal := variance != nil && variance.Chosen == "equal"
	std := l.data.Std()
	regs := make([]score.Regression, g.N())
	total := 0.0 // total noise variance, summed in an order that does not depend on the column order
	for _, v := range l.order {
		regs[v].Residual = 1
		if parents := l.parents(g, v); len(parents) > 0 {
			reg, err := l.regress(v, parents)
			if err == nil { // collinear parents have no gain of their own
				regs[v] = reg
			}
		}
		total += std[v] * std[v] * max(regs[v].Residual, leastShare)
	}
	bits := make(map[graph.Edge]float64, g.NumEdges())
	for v, reg := range regs {
		n := float64(max(1, l.pool.Of(v).N))
		price := cmp.Or(a.Price, math.Log(n))
		for i, p := range l.parents(g, v) {
			if i >= len(reg.Drop) {
				break
			}
			with, without := max(reg.Residual, leastShare), max(reg.Drop[i], leastShare)
			gain := n * math.Log(without/with)
			if equal {
				gain = n * float64(g.N()) * math.Log1p(std[v]*std[v]*(without-with)/total)
			}
			bits[graph.Edge{From: p, To: v}] = (gain - price) / (2 * n * math.Ln2)
		}
	}
	return func(from, to int) float64 { return bits[graph.Edge{From: from, To: to}] }, nil
}

// leastShare is the smallest residual share of a column's variance; anything below it is rounding.
const leastShare = 1e-12

// regress is score.RegressOn the rows that count for v. Building all d² correlations would delay the end of a stopped run.
func (l *learner) regress(v int, parents []int) (score.Regression, error) {
	return score.RegressOn(l.pool.Of(v), v, parents)
}

// parents returns the parents of v in canonical column order, so that a regression sums in the same order for any column
// order.
func (l *learner) parents(g *graph.Graph, v int) []int {
	parents := slices.Clone(g.Parents(v))
	slices.SortFunc(parents, func(a, b int) int { return l.place[a] - l.place[b] })
	return parents
}

// compelled returns three predicates: whether an edge has the same direction in every graph of the equivalence class that
// prior knowledge allows, whether prior knowledge alone decides it, and whether it does so only together with other edges of
// the class. If the graph represents an equivalence class, all its directed edges are compelled.
func (l *learner) compelled(res *Result, a *method.Answer) (compelled, known, derived func(graph.MarkedEdge) bool, err error) {
	never := func(graph.MarkedEdge) bool { return false }
	if res.Kind != graph.KindDAG {
		return func(graph.MarkedEdge) bool { return res.Kind != graph.KindAverage && res.Kind != graph.KindPDAG }, never, never, nil
	}
	class, err := graph.CPDAG(res.Graph)
	if err != nil {
		return nil, nil, nil, err
	}
	by := class
	if l.told != nil {
		// A regime that changes only one end of an edge identifies the direction, like an intervention.
		if by, err = graph.InterventionalCPDAG(res.Graph, l.told.Targets); err != nil {
			return nil, nil, nil, err
		}
	}
	facts := a.FactsByEdge()
	data := func(class, by *graph.PDAG, e graph.MarkedEdge) bool {
		// An intervention may have too few rows to decide a direction.
		return class.HasDirected(e.From, e.To) || by.HasDirected(e.From, e.To) && facts[e.Edge].Direction != method.DirectionOpen
	}
	if l.cfg.Knowledge.Empty() {
		return func(e graph.MarkedEdge) bool { return data(class, by, e) }, never, never, nil
	}
	knownClass, err := l.known.Orient(class)
	if err != nil {
		return nil, nil, nil, err
	}
	knownBy, err := l.known.Orient(by)
	if err != nil {
		return nil, nil, nil, err
	}
	compelled = func(e graph.MarkedEdge) bool { return data(knownClass, knownBy, e) }
	given := graph.New(res.Graph.N()) // the edges whose reverse is forbidden, such as required ones
	for _, e := range res.Graph.Edges() {
		if l.known.Forbidden(e.To, e.From) {
			given.AddEdge(e.From, e.To)
		}
	}
	known = func(e graph.MarkedEdge) bool { // the reverse of the edge would close a cycle of given edges
		return e.Directed() && given.HasPath(e.From, e.To)
	}
	derived = func(e graph.MarkedEdge) bool { return compelled(e) && !data(class, by, e) && !known(e) }
	return compelled, known, derived, nil
}

// describeNodes fills Nodes: the share of each column that its parents explain by least squares, for every method. Collinear
// parents are dropped one at a time, which does not change the explained share.
func (l *learner) describeNodes(res *Result, a *method.Answer) error {
	std, stds := l.data.Std(), l.pool.Stds()
	res.Nodes = make([]Node, len(l.data.Names))
	for v, name := range l.data.Names {
		parents := l.parents(res.Graph, v)
		own := stds[l.pool.Group[v]][v]
		left := 1.0 // share of the variance
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
		n := Node{Name: name, Mean: l.data.Mean[v], Std: std[v], ResidualVariance: left * own * own, R2: 1 - left, Explained: 1 - left}
		if kinds := l.table.Kinds; kinds != nil {
			n.Kind, n.KindReason, n.Levels = kinds[v].Kind, kinds[v].Reason, kinds[v].Words
		}
		if n.Kind == kind.Categorical { // the codes of nominal categories have no mean
			n.Mean, n.Std, n.ResidualVariance, n.R2 = 0, 0, 0, 0
		}
		if a.Nodes != nil && a.Nodes[v].Explained != nil {
			n.Explained = *a.Nodes[v].Explained
		}
		res.Nodes[v] = n
	}
	return nil
}

// sortabilityColumns is the largest number of columns for which R2 sortability, 2⅓·d³ flops, is computed.
const sortabilityColumns = 2000

// sort fills Sortability. A graph without edges has none.
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

// judge checks the model's assumptions and sets the verdict of each edge.
func (l *learner) judge(r *Result, a *method.Answer) error {
	t := l.table
	variance, noise := r.Choice("variance"), r.Choice("noise")
	moments, weight := t.evidenceMoments()
	evidence := trust.Evidence{Moments: moments, Profile: t.Profile, Sample: t.Sample, RowWeight: weight, Regimes: l.told}
	model := trust.Model{
		Graph: r.Graph, Inputs: l.known.Inputs(), Effects: r.Model, Kinds: t.Kinds, Categories: a.Categories, Additive: a.Additive, Scales: a.Scales, Straight: a.Straight, NormalScores: t.ranks, EqualVariances: variance != nil && variance.Chosen == "equal",
		Standardized: r.Settings.Get("standardize") == true, FreeNoise: noise != nil && noise.Chosen == "free",
	}
	r.Assumptions = trust.Judge(evidence, model)
	if r.Kind == graph.KindPAG { // a PAG allows for hidden confounders
		r.Assumptions = slices.DeleteFunc(r.Assumptions, func(a trust.Assumption) bool { return a.Name == trust.NoHiddenCauses })
	}
	facts, err := l.facts(r, a)
	if err != nil {
		return err
	}
	for k, j := range trust.Weigh(evidence, model, r.Assumptions, facts) {
		r.Edges[k].Judgement = j
	}
	signs := 0
	for k, f := range facts {
		if r.Edges[k].HiddenCause == method.HiddenImplied || f.HiddenGain != nil && *f.HiddenGain > 0 {
			signs++
		}
	}
	for k, a := range r.Assumptions {
		if a.Name == trust.NoHiddenCauses && signs > 0 {
			r.Assumptions[k].Sentence += fmt.Sprintf("; tests favour one in place of %d of %s", signs, names.Count(len(r.Edges), "edge"))
		}
	}
	return nil
}

// facts collects the evidence on each edge. A graph that is not a DAG takes gains and reversal costs from a DAG with the
// same adjacencies.
func (l *learner) facts(r *Result, a *method.Answer) ([]trust.Facts, error) {
	dag := r.Graph
	if r.Kind != graph.KindDAG {
		dag = l.extension(r.Marked)
	}
	gain := func(e graph.MarkedEdge, k int) float64 { return r.Edges[k].Strength }
	if r.Kind != graph.KindDAG {
		bits, err := l.strengths(&Result{Graph: dag, Choices: r.Choices}, a)
		if err != nil {
			return nil, err
		}
		gain = func(e graph.MarkedEdge, _ int) float64 { return bits(e.From, e.To) + bits(e.To, e.From) } // one of them is 0
	}
	facts := a.FactsByEdge()
	reversals := slices.ContainsFunc(a.Edges, func(e method.EdgeFacts) bool { return e.ReversalLoss != nil })
	if !reversals && !a.Identified && r.Sloped() && l.told == nil && len(l.data.Names) <= sortabilityColumns {
		// Compute in canonical column order, as a method would.
		own := dag.Mixed().Relabel(l.place).Directed()
		if s, err := score.NewGaussianLocal(l.data.Arranged(l.order).Correlation(), l.data.N, cmp.Or(a.Price, math.Log(float64(l.data.N)))); err == nil {
			for e, loss := range method.Reversals(own, s.Evaluator(), true, l.knownInOrder(), l.inputsInOrder()) {
				e = graph.Edge{From: l.order[e.From], To: l.order[e.To]}
				f := facts[e]
				f.ReversalLoss = &loss
				facts[e] = f
			}
		}
	}
	_, known, derived, err := l.compelled(r, a)
	if err != nil {
		return nil, err
	}
	share := r.shares()
	prior := l.priorDirections(r)
	var margin *float64
	if v := r.Choice("variance"); v != nil && v.Chosen == "equal" {
		margin = v.Margin
	}
	class, _ := graph.CPDAG(dag)
	required := map[graph.Edge]bool{}
	for _, e := range l.known.Required() {
		required[e] = true
	}
	out := make([]trust.Facts, len(r.Edges))
	for k, e := range r.Marked.Edges() {
		n := float64(max(1, l.pool.Of(e.To).N))
		f := trust.Facts{
			Edge: e.Edge, Arrow: e.Directed(), Gain: gain(e, k) * 2 * n * math.Ln2, Penalty: cmp.Or(a.Price, math.Log(n)),
			Compelled: r.Edges[k].Compelled, Share: share[k], Known: known(e), Derived: derived(e), NoiseP: r.Edges[k].DirectionP, Turned: r.Edges[k].Turned,
			Identified: a.Identified && facts[e.Edge].Direction == method.DirectionUnstated, Margin: margin,
			Class: class != nil && class.HasDirected(e.From, e.To), Required: required[e.Edge],
			Unseen: facts[e.Edge].Unseen || facts[graph.Edge{From: e.To, To: e.From}].Unseen,
		}
		if l.known.HasPriors() {
			f.PriorAdjacent, f.PriorDirection = l.known.AdjacencyLogOdds(e.From, e.To), prior(e.Edge, f.Compelled)
		}
		if f.Arrow {
			f.Reversal, f.HiddenGain = facts[e.Edge].ReversalLoss, facts[e.Edge].HiddenGain
			r.Edges[k].Reversal = f.Reversal
		}
		out[k] = f
	}
	return out, nil
}

// knownInOrder returns the prior knowledge in canonical column order.
func (l *learner) knownInOrder() (k search.Knowledge) {
	if l.cfg.Knowledge.Empty() {
		return k
	}
	k.Forbidden = func(i, j int) bool { return l.known.Forbidden(l.order[i], l.order[j]) }
	for _, e := range l.known.Required() {
		k.Required = append(k.Required, [2]int{l.place[e.From], l.place[e.To]})
	}
	return k
}

// inputsInOrder says which columns are inputs, in canonical column order; nil if there are none.
func (l *learner) inputsInOrder() (out []bool) {
	if inputs := l.known.Inputs(); inputs != nil {
		for _, v := range l.order {
			out = append(out, inputs[v])
		}
	}
	return out
}

// open returns the edges of a DAG whose direction the equivalence class leaves open.
func (r *Result) open() *graph.PDAG {
	open := graph.NewPDAG(r.Marked.N())
	for k, e := range r.Marked.Edges() {
		if r.Kind == graph.KindDAG && !r.Edges[k].Compelled {
			open.SetUndirected(e.From, e.To)
		}
	}
	return open
}

// shares returns, for each edge, the share of the DAGs in the equivalence class that have its direction, or 0.5 if unknown.
func (r *Result) shares() []float64 {
	edges := r.Marked.Edges()
	shares := r.open().Shares()
	out := make([]float64, len(edges))
	for k, e := range edges {
		out[k] = 0.5
		if s, ok := shares[e.Edge]; ok {
			out[k] = s
		}
	}
	return out
}

// extension returns a DAG with the adjacencies of m. It is a member of the equivalence class of m if m represents one. Otherwise its
// edges point along the canonical order. The DAG does not depend on the order of the columns in the table.
func (l *learner) extension(m *graph.Mixed) *graph.Graph {
	m = m.Relabel(l.place)
	if p, err := m.PDAG(); err == nil {
		if g, err := p.Extension(); err == nil {
			return g.Mixed().Relabel(l.order).Directed()
		}
	}
	g := graph.New(m.N())
	for _, e := range m.Edges() {
		g.AddEdge(min(e.From, e.To), max(e.From, e.To))
	}
	return g.Mixed().Relabel(l.order).Directed()
}

// priorDirections returns the prior log odds of the direction of an edge. If the class leaves it open, they include the priors of the
// other open edges of the class.
func (l *learner) priorDirections(r *Result) func(e graph.Edge, compelled bool) float64 {
	if !l.known.HasPriors() {
		return nil
	}
	lean := r.open().Lean(l.known.LogOdds)
	return func(e graph.Edge, compelled bool) float64 {
		p, ok := lean[e]
		if compelled || !ok {
			return l.known.DirectionLogOdds(e.From, e.To)
		}
		const least = 1e-6
		p = min(max(p, least), 1-least)
		return math.Log(p / (1 - p))
	}
}
