package order

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/internal/chance"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// Edges are controlled in two steps. falseEdges limits the expected number of edges in a table of independent
// columns, for any number of columns and any distribution: if no edge passes a Bonferroni test at this level,
// there are none. Otherwise falseShare is the false discovery rate of the edges.
const (
	falseEdges = 0.01
	falseShare = 0.05
)

// falseEdgesSetting is the name of the choice that records the control of false edges.
const falseEdgesSetting = "false edges"

// A selection drops edges that are not significant. It tests each edge x → v given the other parents of v, with
// the step-up rule of Benjamini and Hochberg (1995) over all pairs of columns. With k edges left, the
// largest p-value is at most falseShare·k/pairs, and the smallest at most falseEdges/pairs. With many true
// edges the rule is lenient and keeps weak effects; see docs/evidence/penalty.md.
type selection struct {
	// p returns the p-value of an edge. It is nil if no test applies.
	p chance.P
	// gains returns the loss of score without each parent of v. An edge without a gain is dropped.
	gains    func(parents [][]int, v int) []float64
	required func(x, v int) bool
	pairs    float64 // pairs of columns that may be adjacent
	// prior is the prior cost of an edge; nil for none. It counts as a loss of gain, and multiplies the p-value by the inverse of the
	// prior odds (Genovese, Roeder and Wasserman 2006).
	prior func(x, v int) float64
}

// cost returns the prior cost of an edge.
func (s *selection) cost(x, v int) float64 {
	if s.prior == nil {
		return 0
	}
	return s.prior(x, v)
}

// of returns the parents without the edges that fail, and the number of dropped edges. It drops one parent of a
// column at a time, because that increases the gain of the others. all requests the gains of all edges;
// otherwise only columns that lost a parent are evaluated.
func (s *selection) of(parents [][]int, all bool) (kept [][]int, dropped int) {
	kept = clone(parents)
	d := len(kept)
	ps := make([][]float64, d)
	changed, lost := make([]bool, d), make([]bool, d)
	for v := range changed {
		changed[v] = true
	}
	for {
		for v, set := range kept {
			if changed[v] {
				ps[v] = s.test(v, set)
				changed[v] = false
			}
		}
		level := stepUp(ps, s.pairs)
		again := false
		for v, set := range kept {
			i := -1
			for j, p := range ps[v] {
				if p > level && (i < 0 || p > ps[v][i]) {
					i = j
				}
			}
			if i < 0 && len(set) > 0 && (all || lost[v]) {
				least := 0.0
				for j, gain := range s.gains(kept, v) {
					if gain -= s.cost(set[j], v); gain < least && !s.required(set[j], v) {
						i, least = j, gain
					}
				}
			}
			if i >= 0 {
				kept[v] = slices.Delete(set, i, i+1)
				changed[v], lost[v], again = true, true, true
				dropped++
			}
		}
		if !again {
			return kept, dropped
		}
	}
}

// test returns the p-values of the parents of v, and untested for required ones.
func (s *selection) test(v int, set []int) []float64 {
	out := make([]float64, len(set))
	for i, x := range set {
		if out[i] = untested; s.p != nil && !s.required(x, v) {
			out[i] = s.p(x, v, slices.Delete(slices.Clone(set), i, i+1)) * math.Exp(s.cost(x, v)/2)
		}
	}
	return out
}

// untested marks an edge without a test. It is smaller than all p-values.
const untested = -1

// stepUp returns the largest p-value of an accepted edge.
func stepUp(ps [][]float64, pairs float64) float64 {
	sorted := slices.DeleteFunc(slices.Concat(ps...), func(p float64) bool { return p == untested })
	slices.Sort(sorted)
	if len(sorted) == 0 || sorted[0] > falseEdges/pairs {
		return 0
	}
	for k := len(sorted); k > 1; k-- {
		if level := falseShare * float64(k) / pairs; sorted[k-1] <= level {
			return level
		}
	}
	return falseEdges / pairs
}

// controlled reports whether edges are tested. They are not if the user gave a penalty, which is then the only
// criterion, or for bootstrap samples, whose frequencies already show weak edges.
func (l *searcher) controlled() bool { return l.Price.Adapt && !l.Coarse }

// record adds the control of false edges to the answer.
func (l *searcher) record(a *method.Answer, dropped int) {
	if !l.controlled() || l.in.Environments != nil {
		return
	}
	l.dropped = dropped
	by := "rank tests"
	if l.in.Rows == nil || l.in.Sample == nil {
		by = "partial correlation tests"
	}
	c := method.Choice{Setting: falseEdgesSetting, Requested: "auto", Chosen: fmt.Sprint(falseEdges)}
	c.Reason = fmt.Sprintf("%s over %s, false discovery rate %g; %s removed", by, names.Count(l.pairs(), "pair"), falseShare, names.Count(dropped, "edge"))
	a.Choices = slices.DeleteFunc(a.Choices, func(c method.Choice) bool { return c.Setting == falseEdgesSetting })
	a.Choices = append(a.Choices, c)
}

// pairs returns the number of pairs of columns that may be adjacent: all but those of two inputs.
func (l *searcher) pairs() int {
	d, inputs := len(l.in.Names()), 0
	for _, is := range l.in.Inputs() {
		if is {
			inputs++
		}
	}
	return d*(d-1)/2 - inputs*(inputs-1)/2
}

// tested returns the test of an edge between columns of the input, under a table or, for nil, under linear
// effects. It returns nil if there is no test: see controlled, and tables with interventions.
func (l *searcher) tested(ctx context.Context, at *scores.ScoredTable) chance.P {
	if !l.controlled() || l.in.Environments != nil || ctx.Err() != nil {
		return nil
	}
	return l.test(ctx, at)
}

// test is tested without its conditions.
func (l *searcher) test(ctx context.Context, at *scores.ScoredTable) chance.P {
	d := len(l.in.Names())
	if l.chance == nil {
		l.chance = chance.New(l.in, falseEdges/float64(l.pairs()), func(ctx context.Context) []float64 {
			if rows, err := scores.NewReader(ctx, l.in); err == nil {
				return rows.Kept
			}
			return nil
		})
	}
	if at == nil || at.Model == Linear {
		return l.chance.Lines(ctx)
	}
	f := chance.Functions{Levels: make([]bool, d)}
	switch at.Model {
	case Discrete:
		return l.chance.Counts(at.Counts, at.Order)
	case Mixed:
		for i, v := range at.Order {
			f.Levels[v] = at.Blocks[0].Levels[i]
		}
	case Smooth:
		f.Curves = at.Functions
	case Flexible:
		copy(f.Levels, at.Categories)
		f.Curves = at.Functions
		curves := l.chance.Under(ctx, f)
		f.Straight = true
		lines := l.chance.Under(ctx, f)
		return func(x, v int, others []int) float64 {
			// Linear effects on a category or a count leave curvature of the other parents, which another column may stand for.
			if at.Categories[v] || at.Straight[v] || at.CurvedEffects(v, append(slices.Clone(others), x)) {
				return curves(x, v, others)
			}
			return lines(x, v, others)
		}
	}
	return l.chance.Under(ctx, f)
}

// significant drops the edges of a linear search that are not significant.
func (l *searcher) significant(ctx context.Context, found *search.Result, variance search.Variance, dropped *[2]int) (*search.Result, error) {
	s := l.lines(ctx, variance)
	parents, n := s.of(found.Parents, l.limited() || found.Status == search.Stopped || l.in.PairShare != nil)
	dropped[variance] += n
	if n == 0 {
		return found, nil
	}
	free := l.p
	free.Knowledge = search.Knowledge{}
	scores, residual, err := search.Evaluate(free, l.settings(), parents)
	if err != nil {
		return nil, err
	}
	out := *found
	out.Score += of(scores, variance) - of(found.Scores, variance)
	out.Parents, out.Edges, out.Scores, out.Residual = parents, found.Edges-n, scores, residual
	if out.Status == search.Optimal {
		out.Status = search.Converged
	}
	return &out, nil
}

// lines is the selection under linear effects.
func (l *searcher) lines(ctx context.Context, variance search.Variance) *selection {
	return &selection{p: l.tested(ctx, nil), pairs: float64(l.pairs()), required: l.in.RequiredGraph().HasEdge, prior: l.p.Knowledge.Prior, gains: func(parents [][]int, v int) []float64 {
		reg, err := score.RegressOn(l.p, v, parents[v])
		if err != nil { // collinear parents have no separate gain
			return nil
		}
		n, out := float64(l.p.N), make([]float64, len(parents[v]))
		total := 0.0
		if variance == search.Equal {
			for w, set := range parents {
				left := 1.0
				if r, err := score.RegressOn(l.p, w, set); err == nil && len(set) > 0 {
					left = r.Residual
				}
				total += l.p.Scale[w] * l.p.Scale[w] * left
			}
		}
		for i, without := range reg.Drop {
			share := l.in.ShareOf(parents[v][i], v)
			if variance == search.Equal {
				out[i] = n*share*float64(len(parents))*math.Log1p(l.p.Scale[v]*l.p.Scale[v]*(without-reg.Residual)/total) - l.price
			} else {
				out[i] = n*share*math.Log(without/reg.Residual) - l.price
			}
		}
		return out
	}}
}

// selected drops the edges of a search with a local score that are not significant, in the order of that score. gaps is the additional
// penalty of an edge; see searcher.gaps.
func (l *searcher) selected(ctx context.Context, at *scores.ScoredTable, known search.Knowledge, gaps func(x, v int) float64, found *search.Result) (*search.Result, int) {
	eval := at.Score.Evaluator()
	s := selection{
		pairs:    float64(l.pairs()),
		prior:    known.Prior,
		required: func(x, v int) bool { return slices.Contains(known.Required, [2]int{x, v}) },
		gains: func(parents [][]int, v int) []float64 {
			with, out := eval.Score(v, parents[v]), make([]float64, len(parents[v]))
			for i := range out {
				out[i] = eval.Score(v, slices.Delete(slices.Clone(parents[v]), i, i+1)) - with
				if gaps != nil {
					out[i] -= gaps(parents[v][i], v)
				}
			}
			return out
		},
	}
	if test := inOrder(l.tested(ctx, at), at.Order); test != nil {
		s.p = func(x, v int, others []int) float64 {
			p := test(x, v, others)
			if curves := math.Pow(at.CurveEvidence(eval, x, v, others), l.in.ShareOf(at.Order[x], at.Order[v])); curves < p {
				return min(p, 2*curves) // the smaller of two p-values
			}
			return p
		}
	}
	parents, n := s.of(found.Parents, l.limited() || found.Status == search.Stopped)
	if n == 0 {
		return found, 0
	}
	return l.without(at, found, parents), n
}

// without returns the result of a search with fewer parents.
func (l *searcher) without(at *scores.ScoredTable, found *search.Result, parents [][]int) *search.Result {
	out, eval := *found, at.Score.Evaluator()
	out.Parents, out.Edges, out.Score, out.Prior = parents, 0, 0, 0
	for v, set := range parents {
		out.Score += eval.Score(v, set)
		out.Edges += len(set)
	}
	if out.Edges < found.Edges && out.Status == search.Optimal {
		out.Status = search.Converged
	}
	return &out
}

// inOrder returns a test between columns of the score, given one between columns of the input; nil for nil.
func inOrder(test chance.P, order []int) chance.P {
	if test == nil {
		return nil
	}
	return func(x, v int, others []int) float64 {
		given := make([]int, len(others))
		for i, z := range others {
			given[i] = order[z]
		}
		return test(order[x], order[v], given)
	}
}

// markUnseen marks the edges of a table with interventions that a rank test over all rows does not show. They stay in the graph, because an
// intervention may be in a few rows only, but so may outliers. The graph and the edges of the answer are in the order of the score.
func (l *searcher) markUnseen(ctx context.Context, at *scores.ScoredTable, required [][2]int, g *graph.Graph) {
	if l.in.Environments == nil || at.Contexts != nil || at.Model == Discrete || !l.controlled() || l.in.GraphOnly || ctx.Err() != nil {
		return
	}
	s := selection{p: inOrder(l.test(ctx, at), at.Order), required: func(x, v int) bool { return slices.Contains(required, [2]int{x, v}) }}
	ps := make([][]float64, g.N())
	for v := range ps {
		ps[v] = s.test(v, g.Parents(v))
	}
	level := stepUp(ps, float64(l.pairs()))
	a := &l.answer
	for i, e := range a.Edges {
		k := slices.Index(g.Parents(e.To), e.From)
		a.Edges[i].Unseen = k >= 0 && ps[e.To][k] > level
	}
}
