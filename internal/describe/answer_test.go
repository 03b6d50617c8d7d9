package describe

import (
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// TestDetectedTargets checks that detected changes become the targets of environments whose targets are unknown, and only of those.
func TestDetectedTargets(t *testing.T) {
	found := method.Answer{Changes: []method.Change{{Environment: 1, Column: 2}, {Environment: 1, Column: 0}}}
	unknown := environments(t, 3)
	unknown.Unknown, unknown.Targets = true, nil
	a := answerOf(t, noise(40, 3), nil, found, Data{Environments: unknown})
	if a.Environments.Unknown || len(a.Environments.Targets) != 2 || len(a.Environments.Targets[0]) != 0 || !slices.Equal(a.Environments.Targets[1], []int{0, 2}) {
		t.Errorf("unknown %v, targets %v; want known targets 0 and 2 of the second environment", a.Environments.Unknown, a.Environments.Targets)
	}
	if !unknown.Unknown || unknown.Targets != nil {
		t.Error("the environments of the data changed")
	}
	for v, want := range []float64{20, 40, 20} {
		if a.rows(v) != want {
			t.Errorf("column %d: %v rows count, want %v", v, a.rows(v), want)
		}
	}
	given := environments(t, 3, 1)
	if a := answerOf(t, noise(40, 3), nil, found, Data{Environments: given}); a.Environments != given || !slices.Equal(given.Targets[1], []int{1}) {
		t.Errorf("targets %v, want the given ones", a.Environments.Targets)
	}
	if a := answerOf(t, noise(40, 3), nil, found, Data{}); a.Environments != nil {
		t.Errorf("environments %v, want none", a.Environments)
	}
}

// TestEdgesOfADAG checks that weights and gains of the method come first, that least squares has the others, and that the
// standardized weight is in standard deviations.
func TestEdgesOfADAG(t *testing.T) {
	ab, bc := graph.Edge{From: 0, To: 1}, graph.Edge{From: 1, To: 2}
	weight, gain := 7.0, 0.25
	facts := []method.EdgeRecord{{Edge: ab, Weight: &weight, Gain: &gain, EdgeFacts: method.EdgeFacts{HiddenCause: method.HiddenExcluded}}, {Edge: bc, EdgeFacts: method.EdgeFacts{HiddenCause: method.HiddenPossible}}}
	x := chain(200)
	var xx, xy float64
	mean := [3]float64{}
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			mean[j] += v / float64(x.Rows)
		}
	}
	for i := range x.Rows {
		row := x.Row(i)
		xx += (row[1] - mean[1]) * (row[1] - mean[1])
		xy += (row[1] - mean[1]) * (row[2] - mean[2])
	}
	for _, gains := range []bool{false, true} {
		a := answerOf(t, x, []graph.Edge{ab, bc}, method.Answer{Edges: facts}, Data{})
		got := must.Get(a.Edges(gains))
		std := a.Moments.Std()
		wantGain := 0.0
		if gains {
			wantGain = a.gains(a.Directed)[bc]
		}
		for k, want := range []trust.Edge{
			{Weight: weight, Standardized: weight * std[0] / std[1], Gain: gain, EdgeFacts: method.EdgeFacts{HiddenCause: method.HiddenExcluded}},
			{Weight: xy / xx, Standardized: xy / xx * std[1] / std[2], Gain: wantGain, EdgeFacts: method.EdgeFacts{HiddenCause: method.HiddenPossible}},
		} {
			e := got[k]
			if math.Abs(e.Weight-want.Weight) > 1e-9 || math.Abs(e.Standardized-want.Standardized) > 1e-9 || e.Gain != want.Gain || e.HiddenCause != want.HiddenCause {
				t.Errorf("gains %v: %v has %+v, want %+v", gains, e.Link, e, want)
			}
		}
	}
}

// TestEdgesWithAllFacts checks that least squares is not used if the method has all values: these parents determine each other.
func TestEdgesWithAllFacts(t *testing.T) {
	x := chain(50)
	for i := range x.Rows {
		x.Row(i)[1] = 2 * x.Row(i)[0]
	}
	ac, bc := graph.Edge{From: 0, To: 2}, graph.Edge{From: 1, To: 2}
	weight := 3.0
	facts := []method.EdgeRecord{{Edge: ac, Weight: &weight}, {Edge: bc, Weight: &weight}}
	if _, err := answerOf(t, x, []graph.Edge{ac, bc}, method.Answer{Edges: facts}, Data{}).Edges(true); err != nil {
		t.Errorf("error %v, want none: the method has all weights", err)
	}
	if _, err := answerOf(t, x, []graph.Edge{ac, bc}, method.Answer{Edges: facts[:1]}, Data{}).Edges(true); err == nil {
		t.Error("no error, want one about the collinear parents: the method has only one weight")
	}
}

// TestCompelledByTheModel checks that a model that identifies all directions compels those that the method does not leave open.
func TestCompelledByTheModel(t *testing.T) {
	ab, ac, bc := graph.Edge{From: 0, To: 1}, graph.Edge{From: 0, To: 2}, graph.Edge{From: 1, To: 2}
	for _, c := range []struct {
		name       string
		edges      []graph.Edge
		identified bool
		direction  method.Direction // the direction of b → c
		want       [2]bool
	}{
		{"a chain", []graph.Edge{ab, bc}, false, method.DirectionUnstated, [2]bool{false, false}},
		{"a chain with a settled direction", []graph.Edge{ab, bc}, false, method.DirectionSettled, [2]bool{false, false}},
		{"an identified chain", []graph.Edge{ab, bc}, true, method.DirectionUnstated, [2]bool{true, true}},
		{"an identified chain with an open direction", []graph.Edge{ab, bc}, true, method.DirectionOpen, [2]bool{true, false}},
		{"a collider", []graph.Edge{ac, bc}, false, method.DirectionUnstated, [2]bool{true, true}},
		{"an identified collider with an open direction", []graph.Edge{ac, bc}, true, method.DirectionOpen, [2]bool{true, true}},
	} {
		given := method.Answer{Identified: c.identified, Edges: []method.EdgeRecord{{Edge: bc, Direction: c.direction}}}
		got := must.Get(answerOf(t, noise(40, 3), c.edges, given, Data{}).Edges(false))
		for k, want := range c.want {
			if got[k].Compelled != want {
				t.Errorf("%s: %v is compelled: %v, want %v", c.name, got[k].Link, got[k].Compelled, want)
			}
		}
	}
}

// TestHiddenCauseByMarks checks that ↔ of a PAG implies a hidden common cause, that its other undirected edges allow one, and that other
// graphs say nothing.
func TestHiddenCauseByMarks(t *testing.T) {
	for _, c := range []struct {
		kind       graph.Kind
		from, to   graph.Mark
		hidden     method.HiddenCause
		directions bool
	}{
		{graph.KindPAG, graph.Arrow, graph.Arrow, method.HiddenImplied, false},
		{graph.KindPAG, graph.Circle, graph.Arrow, method.HiddenPossible, false},
		{graph.KindPAG, graph.Circle, graph.Circle, method.HiddenPossible, false},
		{graph.KindPAG, graph.Tail, graph.Arrow, method.HiddenExcluded, true},
		{graph.KindPAG, graph.Arrow, graph.Circle, method.HiddenPossible, false},
		{graph.KindCPDAG, graph.Tail, graph.Tail, "", false},
	} {
		m := graph.NewMixed(c.kind, 2)
		e := graph.Edge{From: 0, To: 1}
		m.Set(graph.MarkedEdge{Edge: e, AtFrom: c.from, AtTo: c.to})
		given := method.Answer{Edges: []method.EdgeRecord{{Edge: e, EdgeFacts: method.EdgeFacts{HiddenCause: method.HiddenExcluded}}}}
		got := must.Get(answerWith(t, noise(40, 2), m, []int{0, 1}, given, Data{}).Edges(false))
		if got[0].HiddenCause != c.hidden || got[0].Compelled != c.directions || (got[0].Weight != 0) != c.directions {
			t.Errorf("%s %s: %+v, want hidden cause %q", c.kind, got[0].Mark, got[0], c.hidden)
		}
	}
}

// TestSettingsOfAnAnswer checks the choices of the method and which effects are slopes.
func TestSettingsOfAnAnswer(t *testing.T) {
	a := &Answer{Answer: &method.Answer{Choices: []method.Choice{{Setting: "noise", Chosen: "free"}, {Setting: "variance", Chosen: "equal"}}}}
	if c := a.chosen("variance"); c != &a.Choices[1] {
		t.Errorf("the choice for variance is %v, want the second one", c)
	}
	if c := a.chosen("effects"); c != nil {
		t.Errorf("the choice for effects is %v, want none", c)
	}
	if !a.chose("noise", "free") || a.chose("noise", "equal") || a.chose("effects", "") {
		t.Error("want free noise as the only choice for noise, and no choice for effects")
	}
	for effects, want := range map[score.Effects]bool{"": true, score.LinearEffects: true, score.SmoothEffects: false, score.TableEffects: false} {
		if a.Effects = effects; a.linear() != want {
			t.Errorf("effects %q are slopes: %v, want %v", effects, a.linear(), want)
		}
	}
}
