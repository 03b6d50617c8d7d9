package order

import (
	"context"

	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// manyRounds is the number of rounds on all rows after a search on a part of them.
const manyRounds = 3

// fromPart makes a search over counts with many rows start from the order that a search on a part of the rows found. Most parent sets are
// evaluated in the rounds that leave local optima. They need not count all rows: the descent on all rows that follows adds the parents
// that only more rows show. It does nothing for few rows, for rows that were merged, for an exhaustive search, or if the number of
// rounds was given. If the context ends, it returns the graph of the part with its score on all rows.
func (l *searcher) fromPart(ctx context.Context, at *scores.ScoredTable, p search.Problem, s *search.Settings, stageName string) (stopped *search.Result, err error) {
	whole, ok := p.Score.(*score.Discrete)
	if !ok || at.Counts == nil || at.Counts.Rows() <= scores.ManyRows || at.Counts.Rows() < whole.Rows() || whole.Variables() <= s.Exact || l.Restarts.Word == "" {
		return nil, nil
	}
	return l.startFrom(ctx, whole, whole.Rows()/scores.PartRows, p, s, stageName+"/part")
}

// startFrom is fromPart for any table, with one of so many parts of the rows.
func (l *searcher) startFrom(ctx context.Context, whole *score.Discrete, parts int, p search.Problem, s *search.Settings, stageName string) (stopped *search.Result, err error) {
	part, err := whole.Part(0, parts)
	if err != nil {
		return nil, err
	}
	if p.Score = part; p.Validate() != nil { // a part may have too few rows for the required parents
		return nil, nil
	}
	found, err := scores.Search(ctx, l.run, stageName, p, *s, scores.Tell(l.run, stageName, s.Restarts))
	if err != nil {
		return nil, err
	}
	if found.Status == search.Stopped {
		found.Score = found.Prior
		eval := whole.Evaluator()
		for v, parents := range found.Parents {
			found.Score += eval.Score(v, parents)
		}
		return found, nil
	}
	s.First, s.Restarts = found.Order, manyRounds
	return nil, nil
}
