package describe

import (
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/trust"
)

// TestPairs checks what each verdict states about a pair, in both directions.
func TestPairs(t *testing.T) {
	ab, ba := graph.Link{From: "a", To: "b"}, graph.Link{From: "b", To: "a"}
	for _, c := range []struct {
		verdict     trust.Verdict
		directed    bool
		ahead, back trust.PairState
	}{
		{trust.Directed, true, trust.PairForward, trust.PairReverse},
		{trust.Directed, false, trust.PairUndirected, trust.PairUndirected},
		{trust.Undirected, true, trust.PairUndirected, trust.PairUndirected},
		{trust.Undirected, false, trust.PairUndirected, trust.PairUndirected},
		{trust.Weak, true, trust.PairWeak, trust.PairWeak},
		{trust.Weak, false, trust.PairWeak, trust.PairWeak},
	} {
		p := Pairs{}
		p.Add(ab, c.verdict, c.directed)
		if p.Of(ab) != c.ahead || p.Of(ba) != c.back {
			t.Errorf("%s, directed %v: %s and %s, want %s and %s", c.verdict, c.directed, p.Of(ab), p.Of(ba), c.ahead, c.back)
		}
		if got := p.Of(graph.Link{From: "a", To: "c"}); got != trust.PairNone {
			t.Errorf("a pair without an edge is %s, want %s", got, trust.PairNone)
		}
	}
}

// TestPriors checks which prior probabilities are compared with the results: all above a third that are not of tiers, and the others
// if one of the two results has an edge.
func TestPriors(t *testing.T) {
	names := []string{"a", "b"}
	ab := graph.Link{From: "a", To: "b"}
	edge := Pairs{}
	edge.Add(ab, trust.Directed, true)
	third := 1.0 / 3
	for _, c := range []struct {
		name          string
		belief        knowledge.Belief
		with, without Pairs
		listed        bool
	}{
		{"a probable edge that neither result has", knowledge.Belief{P: math.Nextafter(third, 1)}, nil, nil, true},
		{"an improbable edge that neither result has", knowledge.Belief{P: third}, nil, nil, false},
		{"an improbable edge of the result", knowledge.Belief{P: third}, edge, nil, true},
		{"an improbable edge of the result without priors", knowledge.Belief{P: third}, nil, edge, true},
		{"tiers of columns without an edge", knowledge.Belief{P: 0.9, Tiers: true}, nil, nil, false},
		{"tiers of columns with an edge", knowledge.Belief{P: 0.9, Tiers: true}, edge, edge, true},
		{"tiers of columns with an edge without priors", knowledge.Belief{P: 0.9, Tiers: true}, nil, edge, true},
	} {
		c.belief.From, c.belief.To = 0, 1
		var want []trust.PriorOutcome
		if c.listed {
			want = []trust.PriorOutcome{trust.PriorOutcome{Link: ab, Prior: c.belief.P, Without: c.without.Of(ab)}.Updated(c.with.Of(ab))}
		}
		if got := Priors([]knowledge.Belief{c.belief}, names, c.with, c.without); !slices.Equal(got, want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, want)
		}
	}
}
