package method_test

import (
	"math"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// TestDirectionsThatRestOnAWeakEdge has a → b → c with a weak d → b. The directions of both strong edges depend
// on the weak one: without it the class is a — b — c, so the loss of each reversal is at most that of removing
// the weak edge. If that edge is strong, the reversed graph needs one more edge, and two if b → c is reversed.
func TestDirectionsThatRestOnAWeakEdge(t *testing.T) {
	g := must.Get(graph.FromEdges(4, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 3, To: 1}}))
	const rows, price = 1000, 7.
	for _, weak := range []float64{0.1, 0.5} {
		// Correlations of a linear model with these effects.
		ab, bc := 0.6, 0.7
		r := matrix.Of(4, 4, []float64{
			1, ab, ab * bc, 0,
			ab, 1, bc, weak,
			ab * bc, bc, 1, weak * bc,
			0, weak, weak * bc, 1,
		})
		s := must.Get(score.NewGaussianLocal(r, rows, price))
		worth := -rows*math.Log(1-weak*weak/(1-ab*ab)) - price // the score gain of the weak edge, from the residual variances of b
		reversal := method.Reversals(t.Context(), g, s.Evaluator(), true, search.Knowledge{}, nil)
		for e, more := range map[graph.Edge]float64{{From: 0, To: 1}: price, {From: 3, To: 1}: price, {From: 1, To: 2}: 2 * price} {
			want := min(worth, more)
			if loss, ok := reversal[e]; !ok || loss > want+1e-6 || (e.From == 1 || weak > 0.2) && loss < want-1e-6 {
				t.Errorf("effect %v, %v: a reversal costs %v, want %v", weak, e, loss, want)
			}
		}
		for _, equivalent := range []bool{true, false} {
			given := method.Reversals(t.Context(), g, s.Evaluator(), equivalent, search.Knowledge{}, []bool{true, false, false, false})
			if _, ok := given[graph.Edge{From: 0, To: 1}]; ok || len(given) != 2 {
				t.Errorf("a is an input: %v", given)
			}
		}
	}
}

// TestReversalsUnderKnowledge has a → b → c, where b → a is forbidden. b → c follows from it: its reversal keeps a → b and needs one
// more edge, between a and c. a → b has no loss because nothing may reverse it.
func TestReversalsUnderKnowledge(t *testing.T) {
	g, err := graph.FromEdges(3, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}})
	must.Succeed(t, err)
	const rows, price, ab, bc = 1000, 7., 0.6, 0.7
	r := matrix.Of(3, 3, []float64{1, ab, ab * bc, ab, 1, bc, ab * bc, bc, 1})
	s := must.Get(score.NewGaussianLocal(r, rows, price))
	known := search.Knowledge{Forbidden: func(from, to int) bool { return from == 1 && to == 0 }}
	got := method.Reversals(t.Context(), g, s.Evaluator(), true, known, nil)
	if loss, ok := got[graph.Edge{From: 1, To: 2}]; len(got) != 1 || !ok || !(math.Abs(loss-price) <= 1e-6) {
		t.Errorf("losses %v, want %v for b → c alone", got, price)
	}
	if got := method.Reversals(t.Context(), g, s.Evaluator(), true, known, []bool{false, true, false}); len(got) != 0 {
		t.Errorf("b is an input: losses %v, want none", got)
	}
	known.Required = [][2]int{{1, 2}}
	if got := method.Reversals(t.Context(), g, s.Evaluator(), true, known, nil); len(got) != 0 {
		t.Errorf("b → c is required: losses %v, want none", got)
	}
	known.Required = [][2]int{{0, 1}}
	if got := method.Reversals(t.Context(), g, s.Evaluator(), true, known, nil); !(math.Abs(got[graph.Edge{From: 1, To: 2}]-price) <= 1e-6) {
		t.Errorf("a → b is required: losses %v, want %v for b → c", got, price)
	}
}

// TestWeakEdgeIsReversedItself has a → b ← d with a weak d → b. Reversing it to b → d loses its gain at b and adds its gain at d. Removing
// it costs less, but removal is not a reversal.
func TestWeakEdgeIsReversedItself(t *testing.T) {
	g, err := graph.FromEdges(3, []graph.Edge{{From: 0, To: 1}, {From: 2, To: 1}})
	must.Succeed(t, err)
	const rows, price, ab, weak = 1000, 7., 0.6, 0.08
	s := must.Get(score.NewGaussianLocal(matrix.Of(3, 3, []float64{1, ab, 0, ab, 1, weak, 0, weak, 1}), rows, price))
	want := rows * (math.Log(1-weak*weak) - math.Log(1-weak*weak/(1-ab*ab))) // 3.7; removal loses 10.1 - 7
	if loss := method.Reversals(t.Context(), g, s.Evaluator(), true, search.Knowledge{}, nil)[graph.Edge{From: 2, To: 1}]; !(math.Abs(loss-want) <= 1e-6) {
		t.Errorf("a reversal costs %v, want %v", loss, want)
	}
}

// With a score that is not equivalent each edge is asked about, also those that its class leaves undirected; with one that is
// equivalent, those have no loss.
func TestReversalsOfAChain(t *testing.T) {
	g, err := graph.FromEdges(2, []graph.Edge{{From: 0, To: 1}})
	must.Succeed(t, err)
	s := must.Get(score.NewGaussianLocal(matrix.Of(2, 2, []float64{1, 0.5, 0.5, 1}), 100, 3))
	if got := method.Reversals(t.Context(), g, s.Evaluator(), true, search.Knowledge{}, nil); len(got) != 0 {
		t.Errorf("an equivalent score: %v, want no loss", got)
	}
	if got := method.Reversals(t.Context(), g, s.Evaluator(), false, search.Knowledge{}, nil); len(got) != 1 || !(math.Abs(got[graph.Edge{From: 0, To: 1}]) <= 1e-9) {
		t.Errorf("another score: %v, want a loss of 0", got)
	}
}

// TestKnowledgeDoesNotRestOnAWeakEdge has a → b → c, where b → a is forbidden, and apart from it d → f ← e with a weak e → f. Without the
// weak edge d — f is open, but b → c still follows from the knowledge, so its loss is not bounded by the gain of the weak edge.
func TestKnowledgeDoesNotRestOnAWeakEdge(t *testing.T) {
	g := must.Get(graph.FromEdges(6, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 3, To: 5}, {From: 4, To: 5}}))
	const rows, price, ab, bc, gain = 1000, 7., 0.6, 0.7, 3.
	weak := math.Sqrt((1 - ab*ab) * (1 - math.Exp(-(gain+price)/rows)))
	s := must.Get(score.NewGaussianLocal(matrix.Of(6, 6, []float64{
		1, ab, ab * bc, 0, 0, 0,
		ab, 1, bc, 0, 0, 0,
		ab * bc, bc, 1, 0, 0, 0,
		0, 0, 0, 1, 0, ab,
		0, 0, 0, 0, 1, weak,
		0, 0, 0, ab, weak, 1,
	}), rows, price))
	known := search.Knowledge{Forbidden: func(from, to int) bool { return from == 1 && to == 0 }}
	got := method.Reversals(t.Context(), g, s.Evaluator(), true, known, nil)
	for e, want := range map[graph.Edge]float64{{From: 1, To: 2}: price, {From: 3, To: 5}: gain} {
		if loss, ok := got[e]; !ok || !(math.Abs(loss-want) <= 1e-6) {
			t.Errorf("%v: a reversal costs %v, want %v", e, loss, want)
		}
	}
}

// An edge bounds the directions that rest on it if its gain is below 10.
func TestGainOfAWeakEdge(t *testing.T) {
	g := must.Get(graph.FromEdges(4, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 3, To: 1}}))
	const rows, price, ab, bc = 1000, 30., 0.6, 0.7
	for gain, bounds := range map[float64]bool{9: true, 11: false} {
		weak := math.Sqrt((1 - ab*ab) * (1 - math.Exp(-(gain+price)/rows)))
		s := must.Get(score.NewGaussianLocal(matrix.Of(4, 4, []float64{
			1, ab, ab * bc, 0,
			ab, 1, bc, weak,
			ab * bc, bc, 1, weak * bc,
			0, weak, weak * bc, 1,
		}), rows, price))
		loss := method.Reversals(t.Context(), g, s.Evaluator(), true, search.Knowledge{}, nil)[graph.Edge{From: 1, To: 2}]
		if bounded := math.Abs(loss-gain) <= 1e-6; bounded != bounds {
			t.Errorf("a weak edge with the gain %v: the reversal of a strong one costs %v, bounded %v", gain, loss, bounds)
		}
	}
}
