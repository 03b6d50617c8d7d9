package describe

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
	"github.com/polydag/polydag/trust"
)

// claimsOf returns what the verdicts on the edges of an answer rest on.
func claimsOf(t *testing.T, a *Answer) []trust.Claim {
	t.Helper()
	return must.Get(a.claims(must.Get(a.Edges(true))))
}

// TestGainAndPenaltyOfEvidence compares the gain of a → b with -n·ln(1 - r²) less the penalty, for a DAG and for a class with both
// canonical orders.
func TestGainAndPenaltyOfEvidence(t *testing.T) {
	const n = 200
	x := chain(n)
	dag, class := graph.NewMixed(graph.KindDAG, 3), graph.NewMixed(graph.KindCPDAG, 3)
	e := graph.MarkedEdge{Edge: graph.Edge{From: 0, To: 1}, AtFrom: graph.Tail, AtTo: graph.Arrow}
	dag.Set(e)
	e.AtTo = graph.Tail
	class.Set(e)
	for _, m := range []*graph.Mixed{dag, class} {
		for _, order := range [][]int{{0, 1, 2}, {1, 0, 2}} {
			for _, price := range []float64{0, 3} {
				a := answerWith(t, x, m, order, method.Answer{Price: price}, Data{})
				r := a.Moments.Correlation().At(0, 1)
				penalty := price
				if price == 0 {
					penalty = math.Log(n)
				}
				f := claimsOf(t, a)[0]
				if want := -n*math.Log(1-r*r) - penalty; math.Abs(f.DeltaBIC-want) > 1e-9 || math.Abs(f.Penalty-penalty) > 1e-12 {
					t.Errorf("%s, order %v: gain %v and penalty %v, want %v and %v", m.Kind(), order, f.Gain, f.Penalty, want, penalty)
				}
				if f.Directed != (m == dag) {
					t.Errorf("%s: arrow %v", m.Kind(), f.Directed)
				}
			}
		}
	}
}

// TestEvidenceOfAnEdge checks each part of the claims about the edges of the chain a → b → c, or of the collider a → c ← b, against the answer.
func TestEvidenceOfAnEdge(t *testing.T) {
	ab, ac, bc := graph.Edge{From: 0, To: 1}, graph.Edge{From: 0, To: 2}, graph.Edge{From: 1, To: 2}
	cb := graph.Edge{From: 2, To: 1}
	chain, collider := []graph.Edge{ab, bc}, []graph.Edge{ac, bc}
	p, gain, margin := 0.01, 2.5, 12.0
	chosen := func(setting, value string) []method.Choice {
		return []method.Choice{{Setting: setting, Chosen: value, Margin: &margin}}
	}
	requireBC := Data{Known: known(t, knowledge.Spec{Require: []string{"b->c"}}, 3), Informed: true}
	for _, c := range []struct {
		name   string
		edges  []graph.Edge
		answer method.Answer
		data   Data
		want   func(bc trust.Claim) bool
	}{
		{"a chain has nothing but its share", chain, method.Answer{}, Data{}, func(f trust.Claim) bool {
			return !f.Compelled && !f.Known && !f.Derived && !f.Identified && !f.Required && !f.Class && !f.Unseen && !f.Turned &&
				math.Abs(f.Share-2.0/3) < 1e-12 && f.Margin == nil && f.DirectionP == nil && f.HiddenDeltaBIC == nil && f.Reversal == nil && f.PriorAdjacent == 0 && f.PriorDirection == 0
		}},
		{"a collider is compelled by its class", collider, method.Answer{}, Data{}, func(f trust.Claim) bool {
			return f.Compelled && f.Class && !f.Identified && f.Reversal != nil
		}},
		{"the model identifies the direction", chain, method.Answer{Identified: true}, Data{}, func(f trust.Claim) bool {
			return f.Compelled && f.Identified && !f.Class
		}},
		{"the method settles the direction", chain, method.Answer{Identified: true, Edges: []method.EdgeRecord{{Edge: bc, Direction: method.DirectionSettled}}}, Data{},
			func(f trust.Claim) bool { return f.Compelled && !f.Identified }},
		{"the method leaves the direction open", chain, method.Answer{Identified: true, Edges: []method.EdgeRecord{{Edge: bc, Direction: method.DirectionOpen}}}, Data{},
			func(f trust.Claim) bool { return !f.Compelled && !f.Identified }},
		{"the noise and a part of the rows", chain, method.Answer{Edges: []method.EdgeRecord{{Edge: bc, EdgeFacts: method.EdgeFacts{DirectionP: &p, Turned: true}, HiddenDeltaBIC: &gain}}}, Data{},
			func(f trust.Claim) bool {
				return f.DirectionP == &p && f.Turned && f.HiddenDeltaBIC == &gain && !f.Unseen
			}},
		{"an edge that all rows do not show", chain, method.Answer{Edges: []method.EdgeRecord{{Edge: bc, Unseen: true}}}, Data{}, func(f trust.Claim) bool { return f.Unseen }},
		{"a reverse edge that all rows do not show", chain, method.Answer{Edges: []method.EdgeRecord{{Edge: cb, Unseen: true}}}, Data{}, func(f trust.Claim) bool { return f.Unseen }},
		{"equal variances", chain, method.Answer{Choices: chosen("variance", "equal")}, Data{}, func(f trust.Claim) bool { return f.Margin == &margin }},
		{"unequal variances", chain, method.Answer{Choices: chosen("variance", "unequal")}, Data{}, func(f trust.Claim) bool { return f.Margin == nil }},
		{"a required edge", chain, method.Answer{}, requireBC, func(f trust.Claim) bool { return f.Required && f.Known && f.Compelled && !f.Derived && !f.Class }},
		{"an edge after a required one", chain, method.Answer{}, Data{Known: known(t, knowledge.Spec{Require: []string{"a->b"}}, 3), Informed: true},
			func(f trust.Claim) bool { return !f.Required && !f.Known && f.Derived && f.Compelled }},
		{"a prior for an open edge", chain, method.Answer{}, Data{Known: known(t, knowledge.Spec{Prior: []string{"b->c=0.8"}}, 3)}, func(f trust.Claim) bool {
			return math.Abs(f.PriorAdjacent-math.Log(4.5)) < 1e-9 && math.Abs(f.PriorDirection-math.Log(8)) < 1e-4
		}},
		{"a prior for another edge of the collider", collider, method.Answer{}, Data{Known: known(t, knowledge.Spec{Prior: []string{"a->c=0.8"}}, 3)},
			func(f trust.Claim) bool { return f.PriorAdjacent == 0 && f.PriorDirection == 0 }},
	} {
		f := claimsOf(t, answerOf(t, noise(40, 3), c.edges, c.answer, c.data))[1]
		if f.Edge != bc || !f.Directed || !c.want(f) {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

// TestReversalsBySource checks that losses of the method come first, and that BIC gives them only for linear models of one environment
// without identified directions.
func TestReversalsBySource(t *testing.T) {
	ac, bc := graph.Edge{From: 0, To: 2}, graph.Edge{From: 1, To: 2}
	x := chain(100)
	for i := range x.Rows {
		row := x.Row(i)
		row[2] += row[0] - row[1]
	}
	loss := 5.0
	for _, c := range []struct {
		name   string
		answer method.Answer
		data   Data
		byBIC  bool
	}{
		{"linear", method.Answer{}, Data{}, true},
		{"linear, with a penalty", method.Answer{Price: 9, Effects: score.LinearEffects}, Data{}, true},
		{"smooth", method.Answer{Effects: score.SmoothEffects}, Data{}, false},
		{"identified", method.Answer{Identified: true}, Data{}, false},
		{"environments", method.Answer{}, Data{Environments: environments(t, 3, 0)}, false},
		{"the method knows one", method.Answer{Edges: []method.EdgeRecord{{Edge: ac, EdgeFacts: method.EdgeFacts{Reversal: &loss}}}}, Data{}, false},
	} {
		g := graph.New(3)
		g.AddEdge(0, 2)
		g.AddEdge(1, 2)
		a := answerWith(t, x, g.Mixed(), []int{2, 0, 1}, c.answer, c.data)
		penalty := math.Log(100)
		if c.answer.Price != 0 {
			penalty = c.answer.Price
		}
		s := must.Get(score.NewGaussianLocal(a.Moments.Correlation(), 100, penalty))
		want := method.Reversals(t.Context(), g, s.Evaluator(), true, search.Knowledge{}, nil)
		got := a.reversals(g)
		for _, e := range []graph.Edge{ac, bc} {
			switch value := got(e); {
			case c.byBIC && (value == nil || math.Abs(*value-want[e]) > 1e-9):
				t.Errorf("%s: %v has %v, want %v", c.name, e, value, want[e])
			case !c.byBIC && value != a.records[e].Reversal:
				t.Errorf("%s: %v has %v, want that of the method, %v", c.name, e, value, a.records[e].Reversal)
			}
		}
	}
}

// TestKnowledgeInOrder checks that the search gets prior knowledge by the places of the columns in canonical order.
func TestKnowledgeInOrder(t *testing.T) {
	k := known(t, knowledge.Spec{Require: []string{"a->b"}, Forbid: []string{"b->c"}, Inputs: []string{"a"}}, 3)
	order := []int{2, 0, 1} // c, a, b
	data := Data{Known: k, Informed: true}
	a := answerWith(t, noise(40, 3), graph.NewMixed(graph.KindDAG, 3), order, method.Answer{}, data)
	got, inputs := a.knowledgeInOrder()
	if !reflect.DeepEqual(inputs, []bool{false, true, false}) {
		t.Errorf("inputs %v, want only the second column, a", inputs)
	}
	if !reflect.DeepEqual(got.Required, [][2]int{{1, 2}}) {
		t.Errorf("required %v, want a → b as 1 → 2", got.Required)
	}
	for i := range order {
		for j := range order {
			if i != j && got.Forbidden(i, j) != k.Forbidden(order[i], order[j]) {
				t.Errorf("%d → %d is forbidden: %v", i, j, got.Forbidden(i, j))
			}
		}
	}
	a.Informed = false
	if got, inputs := a.knowledgeInOrder(); got.Forbidden != nil || got.Required != nil || len(inputs) != 3 {
		t.Errorf("without knowledge about edges: %+v, inputs %v; want inputs only", got, inputs)
	}
	a.Known = known(t, knowledge.Spec{}, 3)
	if _, inputs := a.knowledgeInOrder(); inputs != nil {
		t.Errorf("inputs %v, want nil", inputs)
	}
}

// TestJudge checks which assumptions an answer is judged by, and what it says about hidden common causes.
func TestJudge(t *testing.T) {
	ab, bc := graph.Edge{From: 0, To: 1}, graph.Edge{From: 1, To: 2}
	zero, some := 0.0, 3.0
	pag := graph.NewMixed(graph.KindPAG, 3)
	pag.Set(graph.MarkedEdge{Edge: ab, AtFrom: graph.Arrow, AtTo: graph.Arrow})
	dag := graph.New(3)
	dag.AddEdge(0, 1)
	dag.AddEdge(1, 2)
	for _, c := range []struct {
		name   string
		m      *graph.Mixed
		answer method.Answer
		hidden string // the sentence about hidden causes
		equal  bool
		free   bool
	}{
		{"a chain", dag.Mixed(), method.Answer{}, "not tested here", false, false},
		{"a PAG", pag, method.Answer{}, "", false, false},
		{"a hidden cause in place of an edge", dag.Mixed(), method.Answer{Edges: []method.EdgeRecord{{Edge: ab, EdgeFacts: method.EdgeFacts{HiddenCause: method.HiddenImplied}}}}, "of 2 edges, a hidden common cause is implied for 1, not tested for 1", false, false},
		{"a gain of a hidden cause", dag.Mixed(), method.Answer{Edges: []method.EdgeRecord{{Edge: ab, HiddenDeltaBIC: &some, EdgeFacts: method.EdgeFacts{HiddenCause: method.HiddenPossible}}, {Edge: bc, EdgeFacts: method.EdgeFacts{HiddenCause: method.HiddenExcluded}}}}, "of 2 edges, a hidden common cause is excluded for 1, possible for 1", false, false},
		{"both", dag.Mixed(), method.Answer{Edges: []method.EdgeRecord{{Edge: ab, EdgeFacts: method.EdgeFacts{HiddenCause: method.HiddenImplied}}, {Edge: bc, EdgeFacts: method.EdgeFacts{HiddenCause: method.HiddenImplied}}}}, "of 2 edges, a hidden common cause is implied for 2", false, false},
		{"no gain of a hidden cause", dag.Mixed(), method.Answer{Edges: []method.EdgeRecord{{Edge: ab, HiddenDeltaBIC: &zero, EdgeFacts: method.EdgeFacts{HiddenCause: method.HiddenPossible}}}}, "of 2 edges, a hidden common cause is possible for 1, not tested for 1", false, false},
		{"free noise", dag.Mixed(), method.Answer{Choices: []method.Choice{{Setting: "noise", Chosen: "free"}}}, "not tested here", false, true},
		{"equal variances", dag.Mixed(), method.Answer{Choices: []method.Choice{{Setting: "variance", Chosen: "equal"}}}, "not tested here", true, false},
	} {
		a := answerWith(t, chain(100), c.m, []int{0, 1, 2}, c.answer, Data{})
		edges := must.Get(a.Edges(true))
		got := must.Get(a.Judge(trust.Evidence{Moments: a.Moments}, trust.Model{}, edges))
		hidden, equal, free := "", false, false
		for _, check := range got {
			switch check.Name {
			case trust.NoHiddenCauses:
				hidden = check.Sentence
			case trust.EqualVariances:
				equal = true
			case trust.SteadyNoise:
				free = true
			}
			if check.Name != trust.NoHiddenCauses && strings.Contains(check.Sentence, "hidden common cause") {
				t.Errorf("%s: the check %s counts hidden causes", c.name, check.Name)
			}
		}
		if hidden != c.hidden || equal != c.equal || free != c.free {
			t.Errorf("%s: hidden causes %q, equal variances %v and free noise %v; want %q, %v and %v", c.name, hidden, equal, free, c.hidden, c.equal, c.free)
		}
		if slices.ContainsFunc(edges, func(e trust.Edge) bool { return e.Verdict == "" }) {
			t.Errorf("%s: an edge has no verdict: %+v", c.name, edges)
		}
	}
}
