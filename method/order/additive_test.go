package order

import (
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// TestSearchTables compares the searches with full tables and then with additive effects with a search with additive effects alone: the
// mean score is no worse by more than 1 per table. It checks the names, the orders and the rounds of the searches.
func TestSearchTables(t *testing.T) {
	worse := 0.0
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 12))
		columns := make([][]uint8, 14)
		for v := range columns {
			columns[v] = make([]uint8, 3000)
			causes := rng.Perm(v)[:min(v, 2)]
			for i := range columns[v] {
				chance := 1
				for _, c := range causes {
					chance += 2 * int(columns[c][i])
				}
				if rng.IntN(6) < chance {
					columns[v][i] = 1
				}
			}
		}
		set := score.DefaultDiscrete()
		set.Tables = score.EitherTables
		whole := must.Get(score.NewDiscrete(must.Get(counts.New(columns, counts.Rows{})), set))
		s := search.DefaultSettings()
		s.Restarts = search.Auto
		slow := must.Get(search.Search(t.Context(), search.Problem{Score: whole}, s, nil))
		for _, c := range []struct {
			coarse        bool
			first, rounds int
		}{{false, fullRounds, additiveRounds}, {true, fullRounds, 0}} {
			l := &searcher{Method: New(), in: &method.Input{}}
			l.Coarse = c.coarse
			var names []string
			var order []int
			found := must.Get(l.searchTables(func(name string, of search.Score, s search.Settings) (*search.Result, error) {
				want := c.first
				if len(names) == 1 {
					want = c.rounds
				}
				if s.Restarts != want || (s.First != nil) != (len(names) == 1) {
					t.Errorf("coarse %v, search %s from %v with %d rounds, want %d", c.coarse, name, s.First, s.Restarts, want)
				}
				names = append(names, name)
				out, err := search.Search(t.Context(), search.Problem{Score: of}, s, nil)
				order = out.Order
				return out, err
			}, whole, s, "x"))
			if len(names) != 2 || names[0] != "x/full" || names[1] != "x" || len(order) != 14 {
				t.Errorf("searches %v", names)
			}
			if !c.coarse {
				worse += found.Score - slow.Score
			}
		}
		if seed > 0 {
			continue
		}
		l, s := &searcher{Method: New(), in: &method.Input{}}, s
		s.First = slow.Order
		searches := 0
		must.Get(l.searchTables(func(_ string, of search.Score, s search.Settings) (*search.Result, error) {
			searches++
			return search.Search(t.Context(), search.Problem{Score: of}, s, nil)
		}, whole, s, "x"))
		if searches != 1 {
			t.Errorf("%d searches from a given order, want 1", searches)
		}
	}
	if worse > 4 {
		t.Errorf("scores are worse by %v in all", worse)
	}
}
