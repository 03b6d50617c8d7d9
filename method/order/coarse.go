package order

import (
	"context"

	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// A table that is drawn from the rows of another is one of hundreds, and what counts is how often they agree. A search spends most of its
// time on rounds that leave local optima; a replicate is given a few of them, which changes the frequencies of edges by no more than
// another seed of the rounds does. docs/evidence/calibration.md has the figures, and what was tried besides: to begin with the order of the graph of the
// whole table is faster still, and makes the replicates agree with that graph more than they should. With few columns the
// search is exhaustive but for sets of parents that are far from paying: rounds alone end in local optima, since interventions leave few graphs
// of the same score.
const (
	coarseRounds = 10   // of a search
	coarseRows   = 3000 // of a part of the rows, about
	fineRounds   = 3    // of the search that begins with the order of a part
	coarseMargin = 8    // prices of an edge by which a set of parents may be worse than its best subset and still be extended
)

// rounds is the number of rounds of a search that would make so many.
func (m *Method) rounds() int {
	n := m.Restarts.Or(search.Auto)
	if m.Coarse && n == search.Auto {
		return coarseRounds
	}
	return n
}

// coarse gives a search over counts an order to begin with: the one that a search of a part of the rows ends with, in which a set of
// parents costs as much less to count as the rows are fewer. It does nothing where there are few rows.
func (l *searcher) coarse(ctx context.Context, p search.Problem, s *search.Settings) error {
	whole, ok := p.Score.(*score.Discrete)
	if !ok || !whole.Equivalent() {
		return nil
	}
	parts := whole.Rows() / coarseRows
	if parts < 2 {
		return nil
	}
	part, err := whole.Part(0, parts)
	if err != nil || part == nil {
		return err
	}
	p.Score = part
	if p.Validate() != nil { // the rows of a part may be too few for the parents that are required
		return nil
	}
	found, err := search.Search(ctx, p, *s, nil)
	if err != nil {
		return err
	}
	if s.First = found.Order; l.Restarts.Word != "" {
		s.Restarts = fineRounds
	}
	return nil
}
