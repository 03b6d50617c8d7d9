package trust

import (
	"testing"

	"github.com/polydag/polydag/graph"
)

// A prior names two columns and has a probability strictly between 0 and 1.
func TestCheckOfPriors(t *testing.T) {
	index := map[string]int{"a": 0, "b": 1}
	for _, c := range []struct {
		from, to string
		p        float64
		valid    bool
	}{{"a", "b", 0.5, true}, {"a", "b", 0, false}, {"a", "b", 1, false}, {"x", "b", 0.5, false}, {"a", "x", 0.5, false}} {
		err := CheckPriors([]PriorOutcome{{Link: graph.Link{From: c.from, To: c.to}, Prior: c.p}}, index)
		if (err == nil) != c.valid {
			t.Errorf("%s → %s with probability %v: %v, want valid: %v", c.from, c.to, c.p, err, c.valid)
		}
	}
}

// A prior above 1/3 favours the edge From → To; the data overrule it, agree with it, or the prior decides.
func TestOutcomesOfPriors(t *testing.T) {
	for _, c := range []struct {
		prior         float64
		with, without PairState
		want          Outcome
	}{
		{0.34, PairReverse, PairReverse, PriorOverruled}, {0.33, PairReverse, PairReverse, PriorAgrees},
		{0.34, PairNone, PairNone, PriorOverruled}, {0.33, PairNone, PairNone, PriorAgrees},
		{0.34, PairForward, PairForward, PriorAgrees}, {0.33, PairForward, PairForward, PriorOverruled},
		{0.9, PairForward, PairUndirected, PriorDecided}, {0.1, PairNone, PairWeak, PriorDecided}, {0.1, PairForward, PairNone, PriorOverruled},
		{0.9, PairUndirected, PairUndirected, PriorOpen}, {0.1, PairUndirected, PairUndirected, PriorOpen}, {0.9, PairWeak, PairWeak, PriorOpen},
		{0.1, PairReverse, PairForward, PriorDecided},
	} {
		got := PriorOutcome{Prior: c.prior, Without: c.without}.Updated(c.with)
		if got.Outcome != c.want || got.Result != c.with {
			t.Errorf("prior %v, %s with it and %s without: %s, want %s", c.prior, c.with, c.without, got.Outcome, c.want)
		}
	}
}
