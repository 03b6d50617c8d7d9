package order

import (
	"context"
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// learnScored searches with the local score of a model that moments are not enough for.
func (l *searcher) learnScored(ctx context.Context, model Model) (*method.Answer, error) {
	at, err := l.Method.local(ctx, l.in, model)
	if err != nil {
		if ctx.Err() == nil {
			return nil, err
		}
		return l.unread(ctx), nil
	}
	p := search.Problem{Score: at.score, Knowledge: l.known(at.order)}
	for _, v := range at.order {
		p.Names = append(p.Names, l.in.Names()[v])
	}
	s := search.DefaultSettings()
	s.Restarts, s.Seed, s.Threads, s.CacheBytes = l.Restarts.Or(search.Auto), l.in.Seed, l.in.Threads, scoredCache
	s.Exact = min(s.Exact, exactColumns(model))
	stageName := name + "-" + string(model)
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
	g := graph.FromParents(found.Parents)
	a.Graph, a.Score, a.Optimal, a.Warnings = g.Mixed(), found.Score, found.Status == search.Optimal, found.Warnings
	a.Stages = append(a.Stages, method.Stage{Name: stageName, Graph: g})
	a.Effects = score.Effects(model)
	at.describe(a, g, model)
	a.Effect = at.effects(l.in, g, model)
	a.Relabel(at.order) // of Stages this is the first
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
func (l *searcher) known(order []int) (k search.Knowledge) {
	in := l.in.Knowledge
	if in == nil {
		return k
	}
	place := make([]int, len(order))
	for i, v := range order {
		place[v] = i
	}
	k.Forbidden = func(i, j int) bool { return in.Forbidden(order[i], order[j]) }
	for _, e := range in.Required() {
		k.Required = append(k.Required, [2]int{place[e.From], place[e.To]})
	}
	return k
}

// describe adds to the answer what the edges are worth under the score, in the order of the score.
func (at *local) describe(a *method.Answer, g *graph.Graph, model Model) {
	eval := at.score.Evaluator()
	strength := make(map[graph.Edge]float64, g.NumEdges())
	explained := make([]float64, g.N())
	for v := range g.N() {
		parents := g.Parents(v)
		with, bare := eval.Score(v, parents), eval.Score(v, nil)
		for i, p := range parents {
			left := slices.Delete(slices.Clone(parents), i, i+1)
			strength[graph.Edge{From: p, To: v}] = finite((eval.Score(v, left) - with) / (2 * at.n * math.Ln2))
		}
		if model == Discrete {
			if bare > 0 { // a share of the entropy
				explained[v] = 1 - with/bare
			}
		} else { // a share of the variance
			explained[v] = -math.Expm1((with - bare) / at.n)
		}
		explained[v] = min(1, max(0, finite(explained[v])))
	}
	a.Strength = func(from, to int) float64 { return strength[graph.Edge{From: from, To: to}] }
	a.Explained = func(v int) float64 { return explained[v] }
	if at.blocks == nil {
		a.Weight = func(from, to int) float64 { return 0 }
		return
	}
	a.Weight = at.slopes(g)
	if !at.score.Equivalent() {
		a.Identified, a.Open = true, openEdges(g, eval)
	}
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
	b := at.blocks
	weights := make(map[graph.Edge]float64)
	for v := range g.N() {
		if b.Levels[v] {
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
		beta := leastSquares(b.Gram.At, functions, b.Start[v])
		for i, p := range parent {
			if p >= 0 {
				weights[graph.Edge{From: p, To: v}] = finite(beta[i])
			}
		}
	}
	return func(from, to int) float64 { return weights[graph.Edge{From: from, To: to}] }
}

// leastSquares regresses function y on functions x by their covariances. A function that those before it determine gets 0.
func leastSquares(cov func(i, j int) float64, x []int, y int) []float64 {
	k := len(x)
	l, z := make([]float64, k*k), make([]float64, k)
	for i := range k {
		for j := range i {
			sum := cov(x[i], x[j])
			for h := range j {
				sum -= l[i*k+h] * l[j*k+h]
			}
			if l[j*k+j] > 0 {
				l[i*k+j] = sum / l[j*k+j]
			}
		}
		pivot, t := cov(x[i], x[i]), cov(x[i], y)
		for h := range i {
			pivot -= l[i*k+h] * l[i*k+h]
			t -= l[i*k+h] * z[h]
		}
		if pivot > 1e-10*cov(x[i], x[i]) {
			l[i*k+i] = math.Sqrt(pivot)
			z[i] = t / l[i*k+i]
		}
	}
	for i := k - 1; i >= 0; i-- {
		if l[i*k+i] == 0 {
			continue
		}
		for h := i + 1; h < k; h++ {
			z[i] -= l[h*k+i] * z[h]
		}
		z[i] /= l[i*k+i]
	}
	return z
}
