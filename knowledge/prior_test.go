package knowledge

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
)

// TestPriors checks the three probabilities of a pair, which add up to 1, and the log odds.
func TestPriors(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	for _, c := range []struct {
		name                string
		spec                Spec
		i, j                int
		forward, back, none float64
	}{
		{"nothing", Spec{}, 0, 1, 1. / 3, 1. / 3, 1. / 3},
		{"one", Spec{Prior: []string{"a->b=0.8"}}, 0, 1, 0.8, 0.1, 0.1},
		{"one, from the other end", Spec{Prior: []string{"a->b = 0.8"}}, 1, 0, 0.1, 0.8, 0.1},
		{"both", Spec{Prior: []string{"a->b=0.6", "b->a=0.1"}}, 0, 1, 0.6, 0.1, 0.3},
		{"reverse forbidden", Spec{Prior: []string{"a->b=0.8"}, Forbid: []string{"b->a"}}, 0, 1, 0.8, 0, 0.2},
		{"pattern", Spec{Prior: []string{"*->d=0.1"}}, 2, 3, 0.1, 0.45, 0.45},
		{"group", Spec{Prior: []string{"@g->d=0.5"}, Groups: map[string][]string{"g": {"a", "b"}}}, 1, 3, 0.5, 0.25, 0.25},
		{"quoted", Spec{Prior: []string{`"a"->"b"=0.5`}}, 0, 1, 0.5, 0.25, 0.25},
		{"tiers", Spec{Tiers: [][]string{{"a"}, {"b"}}, TierOdds: 3}, 0, 1, 0.5, 1. / 6, 1. / 3},
		{"tiers backward", Spec{Tiers: [][]string{{"a"}, {"b"}}, TierOdds: 3}, 1, 0, 1. / 6, 0.5, 1. / 3},
		{"free column", Spec{Tiers: [][]string{{"a"}, {"b"}}, TierOdds: 3}, 0, 2, 1. / 3, 1. / 3, 1. / 3},
		{"an edge overrides tiers", Spec{Prior: []string{"b->a=0.8"}, Tiers: [][]string{{"a"}, {"b"}}, TierOdds: 3}, 0, 1, 0.1, 0.8, 0.1},
	} {
		k := mustResolve(t, c.spec, names...)
		f, b, n := k.Priors(c.i, c.j)
		if math.Abs(f-c.forward)+math.Abs(b-c.back)+math.Abs(n-c.none) > 1e-12 {
			t.Errorf("%s: %v, %v, %v, want %v, %v, %v", c.name, f, b, n, c.forward, c.back, c.none)
		}
		if k.HasPriors() != c.spec.HasPriors() || (k.Cost() != nil) != k.HasPriors() {
			t.Errorf("%s: HasPriors is %v", c.name, k.HasPriors())
		}
		must.Near(t, k.LogOdds(c.i, c.j), math.Log(c.forward/c.none), 1e-12, "%s: log odds", c.name)
		if k.HasPriors() {
			must.Near(t, k.Cost()(c.i, c.j), -2*math.Log(c.forward/c.none), 1e-12, "%s: cost", c.name)
		}
	}
	soft := mustResolve(t, Spec{Tiers: [][]string{{"a"}, {"b"}}, TierOdds: 3, Prior: []string{"c->d=0.7"}}, names...)
	if soft.Forbidden(1, 0) || soft.Tiers() != nil {
		t.Error("tiers with odds are enforced")
	}
	want := []Belief{{graph.Edge{From: 0, To: 1}, 0.5, true}, {graph.Edge{From: 2, To: 3}, 0.7, false}}
	if got := soft.Beliefs(); len(got) != 2 || got[0].Edge != want[0].Edge || !got[0].Tiers || got[1] != want[1] {
		t.Errorf("beliefs %v, want %v", got, want)
	}
	if d := soft.DirectionLogOdds(0, 1); !(math.Abs(d-math.Log(3)) <= 1e-12) {
		t.Errorf("odds of the direction e^%v, want 3", d)
	}
	if a := soft.AdjacencyLogOdds(0, 1); !(math.Abs(a) <= 1e-12) {
		t.Errorf("tiers change the log odds of an edge by %v", a)
	}
	if a := soft.AdjacencyLogOdds(2, 3); !(math.Abs(a-math.Log((0.7+0.15)/(2*0.15))) <= 1e-12) {
		t.Errorf("log odds of an edge %v", a)
	}
}

func TestPriorFaults(t *testing.T) {
	tiers := [][]string{{"a"}, {"b"}}
	for _, c := range []struct {
		spec Spec
		want string
	}{
		{Spec{Prior: []string{"a->b=1"}}, `prior "a->b=1": a probability of 1 is certain; use require=a->b`},
		{Spec{Prior: []string{"a->b=0"}}, `a probability of 0 is certain; use forbid=a->b`},
		{Spec{Prior: []string{"a->b"}}, `no probability; write "cause->effect=0.8"`},
		{Spec{Prior: []string{"a->b=often"}}, `often is not a probability`},
		{Spec{Prior: []string{"a->b=NaN"}}, `NaN is not a probability`},
		{Spec{Prior: []string{"a->b=-0.1"}}, `-0.1 is not a probability`},
		{Spec{Prior: []string{"a->b=1.1"}}, `1.1 is not a probability`},
		{Spec{Prior: []string{"a->a=0.5"}}, `a self-loop, which no DAG has; drop it`},
		{Spec{Prior: []string{"a->x=0.5"}}, `no column is named "x"`},
		{Spec{Prior: []string{"a->b=0.8", "b->a=0.2"}}, `have a total probability of 1`},
		{Spec{Prior: []string{"a->b=0.8", "a->*=0.2"}}, `a → b has another probability by "a->b=0.8"; drop one of them`},
		{Spec{Prior: []string{"a->b=0.8"}, Require: []string{"a->b"}}, `because a → b is required; drop one`},
		{Spec{Prior: []string{"a->b=0.8"}, Require: []string{"b->a"}}, `would close a cycle with the required b → a`},
		{Spec{Prior: []string{"a->b=0.8"}, Forbid: []string{"*->b"}}, `forbid has "*->b"`},
		{Spec{Prior: []string{"b->a=0.8"}, Tiers: tiers}, `leads from tiers[1] back to tiers[0]`},
		{Spec{Prior: []string{"a->b=0.8"}, Inputs: []string{"b"}}, `no edge leads to the input b`},
		{Spec{TierOdds: 4}, `tier odds need tiers`},
		{Spec{TierOdds: 1, Tiers: tiers}, `want a number above 1`},
		{Spec{TierOdds: math.NaN(), Tiers: tiers}, `want a number above 1`},
		{Spec{TierOdds: math.Inf(1), Tiers: tiers}, `want a number above 1`},
	} {
		_, err := c.spec.Resolve([]string{"a", "b", "c"})
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, ErrKnowledge) {
			t.Errorf("%+v: got %v, want %s", c.spec, err, c.want)
		}
	}
	// A pattern covers only the edges that the rest leaves open.
	k := mustResolve(t, Spec{Prior: []string{"*->b=0.5"}, Forbid: []string{"a->b"}}, "a", "b", "c")
	if k.LogOdds(0, 1) != 0 || k.LogOdds(2, 1) == 0 {
		t.Errorf("log odds %v and %v", k.LogOdds(0, 1), k.LogOdds(2, 1))
	}
}

func TestPriorsOfSpecs(t *testing.T) {
	s, err := ReadSpec(strings.NewReader(`{"prior": ["a->b=0.8"], "tiers": [["a"], ["c"]], "tier_odds": 4}`))
	if err != nil || len(s.Prior) != 1 || s.TierOdds != 4 || s.Empty() || (Spec{Prior: s.Prior}).Empty() {
		t.Fatalf("%+v, %v", s, err)
	}
	if _, err := ReadSpec(strings.NewReader(`{"tier_odds": "4"}`)); err == nil || !strings.Contains(err.Error(), "tier_odds: want a number") {
		t.Error(err)
	}
	if p := s.WithoutPriors(); p.HasPriors() || !p.Empty() {
		t.Errorf("without priors: %+v", p)
	}
	m, err := s.Merge(Spec{Prior: []string{"b->c=0.3"}})
	if err != nil || len(m.Prior) != 2 || m.TierOdds != 4 {
		t.Errorf("merged %+v, %v", m, err)
	}
	if _, err := s.Merge(Spec{TierOdds: 5}); err == nil {
		t.Error("different odds were merged")
	}
	if got := strings.Join(s.Named(), " "); got != "a b" {
		t.Errorf("named %q", got)
	}
}

// If the reverse edge is forbidden, the odds of the adjacency are those of the one direction that is left: 0.8 against 0.2.
func TestAdjacencyOddsOfOneDirection(t *testing.T) {
	k := mustResolve(t, Spec{Prior: []string{"a->b=0.8"}, Forbid: []string{"b->a"}}, "a", "b")
	for _, got := range []float64{k.AdjacencyLogOdds(0, 1), k.AdjacencyLogOdds(1, 0)} {
		if !(math.Abs(got-math.Log(4)) <= 1e-12) {
			t.Errorf("log odds %v, want ln 4", got)
		}
	}
}

// A pattern of a prior covers the edges of different columns that are not certain. The same prior may be given twice, and two
// directions that are too probable together are one fault.
func TestPriorsOfPatterns(t *testing.T) {
	k := mustResolve(t, Spec{Prior: []string{"*->b=0.8", "a->b=0.8"}, Forbid: []string{"d->b"}}, "a", "b", "c", "d")
	for i, name := range []string{"a", "b", "c", "d"} {
		want := 0.0
		if name == "a" || name == "c" {
			want = math.Log(0.8 / 0.1)
		}
		must.Near(t, k.LogOdds(i, 1), want, 1e-12, "%s → b: log odds", name)
	}
	if n := len(k.beliefs); n != 2 {
		t.Errorf("%d edges have a prior, want a → b and c → b", n)
	}
	_, err := Spec{Prior: []string{"a->b=0.5", "b->a=0.5"}}.Resolve([]string{"a", "b"})
	if err == nil || strings.Count(err.Error(), "total probability") != 1 {
		t.Errorf("two directions of probability 1/2: %v", err)
	}
	if _, err := (Spec{Prior: []string{"a->b=0.5", "b->a=0.49"}}).Resolve([]string{"a", "b"}); err != nil {
		t.Errorf("two directions of probability 0.99: %v", err)
	}
	if _, err := (Spec{Prior: []string{"a->*=0.4", "*->*=0.4"}, Forbid: []string{"a->b"}}).Resolve([]string{"a", "b", "c"}); err != nil {
		t.Errorf("patterns beside a forbidden edge: %v", err)
	}
	k = mustResolve(t, Spec{TierOdds: 1.5, Tiers: [][]string{{"a", "b"}, {"c"}}}, "a", "b", "c", "d")
	for _, c := range []struct {
		i, j int
		open bool
	}{{0, 1, false}, {0, 2, true}, {2, 0, true}, {0, 3, false}} {
		if got := k.LogOdds(c.i, c.j) != 0; got != c.open {
			t.Errorf("%s → %s, tiers with odds 1.5: log odds %v", k.names[c.i], k.names[c.j], k.LogOdds(c.i, c.j))
		}
	}
}
