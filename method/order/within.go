package order

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// within returns the best graph under the budget of the method, given full, the result of a search without one.
// s has the settings of that search. The searches are substages of its stage.
func (l *searcher) within(ctx context.Context, p search.Problem, s search.Settings, full *search.Result, b *budget, stageName string) (*plan, error) {
	b.edges, b.least, b.know = l.MaxEdges, score.DeltaBIC(l.MinGain, float64(l.in.Moments.N)), p.Knowledge
	count := 0
	b.search = func(charge float64, rounds bool, start []int) (*search.Result, error) {
		count++
		name := fmt.Sprintf("%s/budget-%d", stageName, count)
		s := s
		s.Charge, s.Starts = charge, [][]int{start}
		if !rounds {
			s.Restarts = 0
		}
		found, err := scores.Search(ctx, l.run, name, p, s, func(pr search.Progress) {
			l.run.Tell(stage.Progress{Stage: name, Step: pr.Round, Score: pr.Score, Edges: pr.Edges, Untraced: true})
		})
		if err == nil {
			l.note(found)
		}
		return found, err
	}
	return b.find(full)
}

// localBudget returns a budget under a local score.
func localBudget(eval search.Evaluator) *budget {
	b := &budget{eval: eval}
	b.value = func(parents [][]int) float64 {
		sum := 0.0
		for v, ps := range parents {
			sum += eval.Score(v, ps)
		}
		return sum
	}
	b.saves = func(parents [][]int, v, i int) float64 {
		return eval.Score(v, slices.Delete(slices.Clone(parents[v]), i, i+1)) - eval.Score(v, parents[v])
	}
	return b
}

// linearWithin is within for correlations. s has the current penalty per edge, and best is the full graph.
func (l *searcher) linearWithin(ctx context.Context, p search.Problem, s search.Settings, best *search.Result) (*search.Result, error) {
	full := of(best.Scores, s.Variance)
	var b *budget
	value := func(parents [][]int) (search.Scores, []float64) {
		free := p
		free.Knowledge = search.Knowledge{}
		scores, residual, err := search.Evaluate(free, s, parents)
		if err != nil { // the problem and the settings are already checked
			return search.Scores{Unequal: math.Inf(1), Equal: math.Inf(1)}, nil
		}
		return scores, residual
	}
	if s.Variance == search.Unequal {
		local, err := score.GaussianLocalOf(p, s.EdgePenalty(p.N, p.Len()))
		if err != nil {
			return nil, err
		}
		b = localBudget(local.Evaluator())
	} else {
		b = &budget{value: func(parents [][]int) float64 { scores, _ := value(parents); return scores.Equal }}
		b.saves = func(parents [][]int, v, i int) float64 {
			less := clone(parents)
			less[v] = slices.Delete(less[v], i, i+1)
			return b.value(less) - b.value(parents)
		}
	}
	plan, err := l.within(ctx, p, s, best, b, stageOf(s.Variance))
	if err != nil {
		return nil, err
	}
	out := *best
	out.Parents, out.Order, out.Edges = plan.parents, plan.order, plan.edges
	out.Scores, out.Residual = value(plan.parents)
	if plan.edges < best.Edges {
		out.Status = search.Converged
	}
	bare, _ := value(make([][]int, len(plan.parents)))
	l.answer.Budget = l.account(float64(p.N), of(bare, s.Variance), full, of(out.Scores, s.Variance), best.Edges)
	return &out, nil
}

func of(s search.Scores, v search.Variance) float64 {
	if v == search.Equal {
		return s.Equal
	}
	return s.Unequal
}

// stageOf returns the name of the stage that searches under a model of the variances.
func stageOf(v search.Variance) string {
	if v == search.Equal {
		return "order-equal"
	}
	return name
}
