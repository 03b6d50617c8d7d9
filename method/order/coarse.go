package order

import (
	"context"

	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// A bootstrap sample is one of hundreds, and only their frequencies matter. Most time of a search goes into
// rounds that leave local optima. A bootstrap sample gets a few rounds, which changes the frequencies of edges
// no more than another seed does; see docs/evidence/calibration.md. Starting from the order of the graph of the
// whole table is faster but makes the samples agree with that graph too often. With few columns the search is
// exhaustive except for clearly bad parent sets: rounds alone end in local optima, because interventions leave
// few graphs with the same score.
const (
	coarseRounds = 10   // rounds of a search
	coarseRows   = 3000 // approximate rows of a part of the table
	fineRounds   = 3    // rounds of a search that starts from the order of a part
	coarseMargin = 8    // penalties per edge by which a parent set may be worse than its best subset and still be extended
)

// rounds returns the number of rounds of a search.
func (m *Method) rounds() int {
	n := m.Restarts.Or(search.Auto)
	if m.Coarse && n == search.Auto {
		return coarseRounds
	}
	return n
}

// coarse sets the initial order of a search over counts to the result of a search on a part of the rows, where
// counting is cheaper. It does nothing if there are few rows.
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
	if p.Validate() != nil { // a part may have too few rows for the required parents
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
