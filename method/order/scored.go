package order

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// learnScored searches with the local score of a model that moments are not enough for. Where auto chose smooth, it says what is
// against Gaussian noise: after one descent on the sample of rows already, which takes a fraction of the time of the whole search.
func (l *searcher) learnScored(ctx context.Context, model Model) (a *method.Answer, against string, err error) {
	stageName, rounds := name+"-"+string(model), l.rounds()
	curved := model == Smooth && l.Model == AutoModel
	if model == Smooth && l.Restarts.Word != "" {
		rounds = smoothRounds(len(l.in.Names()))
	}
	if model == Smooth {
		l.run.Tell(stage.Progress{Stage: stageName + ": curves of the columns", Untraced: true})
	}
	if curved && l.in.Regimes == nil {
		at, err := orStop(ctx, l.sampled)
		if err != nil {
			if ctx.Err() == nil {
				return nil, "", err
			}
			return l.unread(ctx), "", nil
		}
		a, err = l.searchScored(ctx, at, model, 0, stageName+"/sample")
		if err != nil || a.Status == method.Canceled {
			return a, "", err
		}
		if against = l.notGaussian(a); against != "" {
			return a, against, nil
		}
		l.answer.Stages = nil
	}
	at, err := l.Method.local(ctx, l.in, model)
	if err != nil {
		if ctx.Err() == nil {
			return nil, "", err
		}
		return l.unread(ctx), "", nil
	}
	a, err = l.searchScored(ctx, at, model, rounds, stageName)
	if err == nil && curved && a.Status != method.Canceled {
		against = l.notGaussian(a)
	}
	return a, against, err
}

// orStop returns what f does, or the context's error as soon as that ends. f then goes on to its end, of which nobody learns: it may
// take seconds of matrix products, and must neither read a source nor change anything.
func orStop[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := f()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// sampled is the sample of rows under smooth effects with three curves a column and no products.
func (l *searcher) sampled() (*local, error) {
	d := len(l.in.Names())
	at := &local{sample: true, group: make([]int, d), rows: []float64{float64(l.in.Sample.Rows())}}
	s := basis.DefaultSettings()
	s.Cosines, s.Crossed = 3, 0
	x := matrix.Of(l.in.Sample.Rows(), l.in.Sample.Columns, l.in.Sample.Values)
	b, err := basis.FromRows(l.in.Names(), nil, x, s, l.in.Threads)
	if err != nil {
		return nil, err
	}
	b.N = counted(b.N, l.in)
	for j := range d {
		at.order = append(at.order, j)
	}
	at.blocks = []*score.Blocks{b}
	set := score.DefaultSmoothSettings()
	set.Drawn = l.in.Drawn
	at.score, err = score.NewSmooth(b, set)
	return at, err
}

// smoothRounds is the number of rounds under smooth effects. The fourth of four rounds lowers the price of an edge, which finds effects
// of several parents together and costs more than all else: on Gaussian-process tables with 10 columns and 40 edges five rounds brought
// the distance from the true graph from 10.0 to 8.5, with 20 and 80 from 38 to 31, and twenty to 8.5 and 28. With 100 columns and
// 200 edges the first three together take a fifth of the descent's time; the fourth was stopped at a hundred times as much.
func smoothRounds(columns int) int {
	if columns > basis.DefaultSettings().CrossedColumns {
		return 3
	}
	return 5
}

// searchScored is one search with a local score.
func (l *searcher) searchScored(ctx context.Context, at *local, model Model, rounds int, stageName string) (*method.Answer, error) {
	p := search.Problem{Score: at.score, Knowledge: l.known(at)}
	names := slices.Clone(l.in.Names())
	for _, k := range at.contexts {
		names = append(names, "regime "+l.in.Regimes.Names[k])
	}
	for _, v := range at.order {
		p.Names = append(p.Names, names[v])
	}
	s := search.DefaultSettings()
	s.Restarts, s.Seed, s.Threads, s.CacheBytes = rounds, l.in.Seed, l.in.Threads, scoredCache
	s.Exact = min(s.Exact, exactColumns(model))
	if l.Coarse && !at.sample {
		s.ExactMargin = coarseMargin * at.score.Price()
		if err := l.coarse(ctx, p, &s); err != nil {
			return nil, err
		}
	}
	found, err := stage.Do(ctx, l.run, stageName, func(point stage.Point) (*search.Result, bool, error) {
		s.Pause, s.Resume = point.Pause, point.Resume
		found, err := search.Search(ctx, p, s, l.tell(stageName, s.Restarts))
		return found, err == nil && found.Status != search.Stopped, err
	})
	if err != nil {
		return nil, err
	}
	l.note(found)
	a := &l.answer
	var whole [][]int // the graph without a budget
	if l.limited() && !at.sample {
		full := found
		whole = full.Parents
		b := localBudget(at.score.Evaluator())
		best, err := l.within(ctx, p, s, full, b, stageName)
		if err != nil {
			return nil, err
		}
		found = &search.Result{Parents: best.parents, Score: best.value, Warnings: full.Warnings}
		if best.edges == full.Edges {
			found.Status = full.Status
		}
		s.Charge = best.charge
		a.Budget = l.account(float64(l.in.Moments.N), b.value(make([][]int, len(best.parents))), full.Score, best.value, full.Edges)
	}
	if !at.sample && at.contexts == nil {
		var dropped int
		found, dropped = l.selected(ctx, at, model, p, found)
		l.record(a, dropped)
	}
	g := graph.FromParents(found.Parents)
	a.Graph, a.Score, a.Optimal, a.Warnings = g.Mixed(), found.Score, found.Status == search.Optimal, found.Warnings
	a.Stages = append(a.Stages, method.Stage{Name: stageName, Graph: g})
	a.Effects = score.Effects(model)
	if model == Discrete && l.adaptsEss(l.in) {
		a.Choices = append(a.Choices, method.Choice{Setting: "ess", Requested: "auto", Chosen: fmt.Sprint(score.TargetsEss), Reason: "since some columns were set from outside"})
	}
	at.describe(a, g, model, l.in.GraphOnly)
	if model == Mixed && !l.in.GraphOnly {
		boundStrength(a, l.in.Kinds, at.order)
	}
	if !at.sample && at.contexts == nil && !l.in.GraphOnly {
		if a.Turned, err = l.turned(ctx, p, s, g, whole, stageName); err != nil {
			return nil, err
		}
		if model != Linear && (l.TargetValues != Own || l.in.Regimes == nil) {
			a.Effect = at.effects(l.in, g, model)
		}
	}
	a.Relabel(at.order) // of Stages this is the first
	a.Categories = at.categories
	at.takeContexts(a, l.in, model, found.Parents)
	return a, nil
}

// unread is the answer of a run that was stopped before the rows were read: no edge.
func (l *searcher) unread(ctx context.Context) *method.Answer {
	a := &l.answer
	a.Graph = graph.New(len(l.in.Names())).Mixed()
	a.Status, a.Cause = method.Canceled, method.Why(context.Cause(ctx))
	return a
}

// scoredCache bounds the memory of parent sets that were evaluated already, which under these scores are dear.
const scoredCache = 256 << 20

// exactColumns is up to how many columns all graphs are compared. One set of parents costs much more under curves.
func exactColumns(model Model) int {
	if model == Smooth {
		return 8
	}
	return 12
}

// known turns prior knowledge to the order of the score.
func (l *searcher) known(at *local) (k search.Knowledge) {
	in, order := l.in.Knowledge, at.order
	if at.contexts != nil {
		k.Forbidden = func(i, j int) bool { return at.isContext(j) }
	}
	if in == nil {
		return k
	}
	place := make([]int, len(order))
	for i, v := range order {
		place[v] = i
	}
	k.Forbidden = func(i, j int) bool {
		if at.contexts != nil && (at.isContext(i) || at.isContext(j)) {
			return at.isContext(j)
		}
		return in.Forbidden(order[i], order[j])
	}
	for _, e := range in.Required() {
		k.Required = append(k.Required, [2]int{place[e.From], place[e.To]})
	}
	return k
}

// describe adds to the answer what the edges are worth under the score, in the order of the score, or only their weights and which
// directions are open.
func (at *local) describe(a *method.Answer, g *graph.Graph, model Model, graphOnly bool) {
	eval := at.score.Evaluator()
	if !graphOnly {
		at.worth(a, g, model, eval)
	}
	switch model {
	case Linear: // least squares has all of them
	case Discrete:
		a.Weight = func(from, to int) float64 { return 0 }
	default:
		a.Weight = at.slopes(g)
	}
	if !graphOnly {
		a.Reversal = method.Reversals(g, eval, at.score.Equivalent())
	}
	if !at.score.Equivalent() {
		a.Turning = at.turning(g, eval)
		a.Identified, a.Open = model == Smooth, openEdges(g, eval, func(x int) bool { return at.contexts != nil && at.isContext(x) })
	}
}

// worth adds by how much the score is worse without each edge, and how much of each column its parents explain. Under a linear model
// least squares tells both.
func (at *local) worth(a *method.Answer, g *graph.Graph, model Model, eval search.Evaluator) {
	if model == Linear {
		return
	}
	strength := make(map[graph.Edge]float64, g.NumEdges())
	explained := make([]float64, g.N())
	for v := range g.N() {
		parents := g.Parents(v)
		with, bare := eval.Score(v, parents), eval.Score(v, nil)
		for i, p := range parents {
			left := slices.Delete(slices.Clone(parents), i, i+1)
			strength[graph.Edge{From: p, To: v}] = finite((eval.Score(v, left) - with) / (2 * at.n(v) * math.Ln2))
		}
		if model == Discrete {
			if bare > 0 { // a share of the entropy
				explained[v] = 1 - with/bare
			}
		} else { // a share of the variance
			explained[v] = -math.Expm1((with - bare) / at.n(v))
		}
		explained[v] = min(1, max(0, finite(explained[v])))
	}
	a.Strength = func(from, to int) float64 { return strength[graph.Edge{From: from, To: to}] }
	a.Explained = func(v int) float64 { return explained[v] }
}

func finite(x float64) float64 {
	if x-x != 0 {
		return 0
	}
	return x
}

// slopes returns the weights of edges between numbers: the change of a column for one unit of a parent with all other parents
// fixed, by least squares on the functions that are the parents themselves and on the indicators of levels. A parent that
// others determine has none, and neither has an edge from or to levels.
func (at *local) slopes(g *graph.Graph) func(from, to int) float64 {
	weights := make(map[graph.Edge]float64)
	var regression chol.Regression
	for v := range g.N() {
		b := at.blocks[at.group[v]]
		if b == nil || b.Levels[v] {
			continue
		}
		var functions, parent []int // parent is -1 for levels
		for _, p := range g.Parents(v) {
			if !b.Levels[p] {
				functions, parent = append(functions, b.Start[p]), append(parent, p)
				continue
			}
			for f := b.Start[p]; f < b.Start[p+1]; f++ {
				functions, parent = append(functions, f), append(parent, -1)
			}
		}
		chol.Regress(&regression, b.Gram.Data, b.Gram.Stride, b.Start[v], functions)
		beta := regression.Coefficients()
		for i, p := range parent {
			if p >= 0 {
				weights[graph.Edge{From: p, To: v}] = finite(beta[i])
			}
		}
	}
	return func(from, to int) float64 { return weights[graph.Edge{From: from, To: to}] }
}
