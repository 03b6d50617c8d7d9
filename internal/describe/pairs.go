package describe

import (
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/trust"
)

// Pairs has what a result states about each pair of columns with an edge, in both directions.
type Pairs map[graph.Link]trust.PairState

// Add adds an edge with its verdict. directed says that the graph has it in this direction.
func (s Pairs) Add(e graph.Link, verdict trust.Verdict, directed bool) {
	ahead, back := trust.PairUndirected, trust.PairUndirected
	switch {
	case verdict == trust.Weak:
		ahead, back = trust.PairWeak, trust.PairWeak
	case verdict == trust.Directed && directed:
		ahead, back = trust.PairForward, trust.PairReverse
	}
	s[e], s[graph.Link{From: e.To, To: e.From}] = ahead, back
}

// Of returns what is stated about a pair.
func (s Pairs) Of(e graph.Link) trust.PairState {
	if state, ok := s[e]; ok {
		return state
	}
	return trust.PairNone
}

// Priors compares prior probabilities with results that were learned with and without them. It omits tiers and improbable edges
// whose columns are not adjacent in either, because they are about many pairs.
func Priors(beliefs []knowledge.Belief, names []string, with, without Pairs) (out []trust.PriorOutcome) {
	for _, b := range beliefs {
		e := graph.Link{From: names[b.From], To: names[b.To]}
		if (b.Tiers || b.P <= 1.0/3) && with.Of(e) == trust.PairNone && without.Of(e) == trust.PairNone {
			continue
		}
		out = append(out, trust.PriorOutcome{Link: e, Prior: b.P, Without: without.Of(e)}.Updated(with.Of(e)))
	}
	return out
}
