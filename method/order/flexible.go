package order

import (
	"context"

	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// straightenings is how often a descent with curves is repeated at most after curves with uneven noise became lines.
const straightenings = 4

// descentParents is the largest number of parents in the descents before the search if there are more than fewColumns columns. Scale
// effects make graphs with curves dense, and the time grows with the cube of the number of parents.
const (
	descentParents = 7
	fewColumns     = 12
)

// searchTable searches with the score of a table. Under the flexible model it does so in steps:
//
//  1. a search with linear effects alone, which costs a fraction of the rest,
//  2. descents with curves but without products, from its order and, unless only the graph is needed, from the usual one,
//  3. while curved effects have uneven noise (scores.ScoredTable.Uneven), also with products, these become linear, and the descent is repeated,
//  4. the search with rounds from the order of the last descent.
//
// p.Score is the score of the last step in the end.
func (l *searcher) searchTable(ctx context.Context, at *scores.ScoredTable, p *search.Problem, s search.Settings, stageName string) (*search.Result, error) {
	run := func(name string, of search.Score, s search.Settings) (*search.Result, error) {
		problem := *p
		problem.Score = of
		return scores.Search(ctx, l.run, name, problem, s, scores.Tell(l.run, name, s.Restarts))
	}
	flexible, ok := at.Score.(*score.Flexible)
	if !ok {
		return run(stageName, at.Score, s)
	}
	straight := s
	straight.Restarts, straight.Exact = l.rounds(), exactColumns(Mixed)
	if flexible.Equivalent() {
		return run(stageName, flexible, straight)
	}
	lines, err := run(stageName+"/lines", flexible.Lines(), straight)
	if err != nil || lines.Status == search.Stopped {
		return lines, err
	}
	// straighten makes uneven effects linear, and reports whether there are any.
	straighten := func(parents [][]int) (bool, error) {
		uneven := at.Uneven(parents)
		if len(uneven) == 0 {
			return false, nil
		}
		err := at.Straighten(uneven)
		p.Score, flexible = at.Score, at.Score.(*score.Flexible)
		return true, err
	}
	descent := s
	descent.Restarts, descent.Exact = 0, 0
	if len(at.Order) > fewColumns {
		descent.MaxParents = descentParents
	}
	starts := [][]int{nil, lines.Order}
	var found *search.Result
	if l.in.GraphOnly { // a bootstrap sample, of which there are many
		starts = starts[1:]
	} else if found, err = run(stageName+"/descent", flexible.Additive(), descent); err != nil || found.Status == search.Stopped {
		return found, err
	}
	descent.First = lines.Order
	for range straightenings {
		other, err := run(stageName+"/descent", flexible.Additive(), descent)
		if err != nil || other.Status == search.Stopped {
			return other, err
		}
		if found == nil || other.Score < found.Score {
			found = other
		}
		if len(at.Uneven(found.Parents)) == 0 {
			break
		}
		// Products of parents make the noise uneven where they are missing.
		whole := descent
		found = nil
		for _, whole.First = range starts {
			other, err := run(stageName+"/products", flexible, whole)
			if err != nil || other.Status == search.Stopped {
				return other, err
			}
			if found == nil || other.Score < found.Score {
				found = other
			}
		}
		again, err := straighten(found.Parents)
		if err != nil {
			return nil, err
		}
		if !again {
			break
		}
		if flexible.Equivalent() {
			return lines, nil
		}
		s.First, found = found.Order, nil
	}
	if found != nil {
		s.First = found.Order
	}
	if found, err = run(stageName, flexible, s); err != nil || found.Status == search.Stopped {
		return found, err
	}
	again, err := straighten(found.Parents)
	if err != nil || !again {
		return found, err
	}
	if flexible.Equivalent() {
		return lines, nil
	}
	s.First = found.Order
	return run(stageName, flexible, s)
}
