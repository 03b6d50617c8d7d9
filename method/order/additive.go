package order

import (
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// A parent set takes several times as long with additive effects as with full tables, and there are more parents. fullRounds is the number
// of rounds of a search with full tables, from whose order that with additive effects starts, and additiveRounds the number of its own.
//
// Table: CelebA-HQ (30,000 rows, 40 columns) and its first 15,000 rows, processor seconds of the search on a busy machine, and score above that of
// a search with additive effects alone:
//
//	full and additive rounds  30,000 rows   15,000 rows
//	none, until no gain       7.1 s         not measured
//	20, 0                     1.3 s  783    1.0 s  203
//	20, 3                     3.0 s  397    1.6 s  180
//	20, 8                     3.6 s  466    2.0 s   13
//	20, 16                    5.4 s  327    not measured
const (
	fullRounds     = 20
	additiveRounds = 12
)

// A searching runs a search with a score and settings, under a name.
type searching func(name string, of search.Score, s search.Settings) (*search.Result, error)

// searchTables searches with the score of a table of categories. With additive effects of binary columns it starts from the order of a
// search with full tables. With more categories full tables miss parents, and their order leads to worse graphs: 30 columns with additive
// effects of 2 to 5 categories, 5000 rows, had 28 of 31 stated directions right instead of 32 of 33.
func (l *searcher) searchTables(run searching, whole *score.Discrete, s search.Settings, name string) (*search.Result, error) {
	full := whole.Full()
	if full == nil || !whole.Binary() || whole.Variables() <= s.Exact || s.First != nil && !l.Coarse { // an order from a part of the rows needs no other
		return run(name, whole, s)
	}
	first, auto := s, l.Restarts.Word != ""
	if auto && s.Restarts == search.Auto {
		first.Restarts = fullRounds
	}
	found, err := run(name+"/full", full, first)
	if err != nil {
		return nil, err
	}
	if found.Status == search.Stopped {
		return rescored(found, whole), nil
	}
	s.First = found.Order
	switch {
	case auto && l.Coarse:
		s.Restarts = 0
	case auto && s.Restarts == search.Auto:
		s.Restarts = additiveRounds
	}
	return run(name, whole, s)
}

// rescored is the result of a search with its score under another one.
func rescored(found *search.Result, by search.Score) *search.Result {
	out, eval := *found, by.Evaluator()
	out.Score = found.Prior
	for v, parents := range found.Parents {
		out.Score += eval.Score(v, parents)
	}
	return &out
}
