package order

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// The answer says by which tests edges were removed, which penalty was used, and what a reversal loses, unless only a graph is needed or the
// variances identify directions.
func TestFactsOfALinearSearch(t *testing.T) {
	all := func(int) bool { return true }
	for _, c := range []struct {
		what     string
		variance Variance
		change   func(m *Method, in *method.Input)
		by       string // the tests that removed edges
		penalty  bool
		losses   bool
	}{
		{"all rows", Unequal, func(*Method, *method.Input) {}, "rank tests", true, true},
		{"no sample", Unequal, func(_ *Method, in *method.Input) { in.Sample = nil }, "partial correlation tests", true, true},
		{"no rows", Unequal, func(_ *Method, in *method.Input) { in.Rows = nil }, "partial correlation tests", true, true},
		{"only a graph", Unequal, func(_ *Method, in *method.Input) { in.GraphOnly = true }, "rank tests", true, false},
		{"equal variances", Equal, func(*Method, *method.Input) {}, "rank tests", true, false},
		{"a given penalty", Unequal, func(m *Method, _ *method.Input) { m.Price.Adapt = false }, "", false, true},
	} {
		in := sampled(t, 200, func(rng *rand.Rand) (x, y float64) { x = rng.NormFloat64(); return x, x + rng.NormFloat64() })
		m := New()
		m.Model, m.Variance, m.Noise = Linear, c.variance, GaussianNoise
		c.change(m, in)
		a := must.Get(m.Learn(t.Context(), in, nil))
		tests := choiceOf(a, falseEdgesSetting)
		if (tests != nil) != (c.by != "") || tests != nil && !strings.HasPrefix(tests.Reason, c.by) || (choiceOf(a, "penalty") != nil) != c.penalty {
			t.Errorf("%s: choices %+v, want %q and a penalty: %v", c.what, a.Choices, c.by, c.penalty)
		}
		if (a.Edges != nil) != c.losses {
			t.Errorf("%s: facts of edges %v, want some: %v", c.what, a.Edges, c.losses)
		}
	}
	m := New()
	m.Noise = AutoNoise
	s := m.Settled([]method.Choice{{Setting: "model", Chosen: "mixed"}, {Setting: "variance", Chosen: "equal"}, {Setting: "penalty", Chosen: "4.5"}}).(*Method)
	if s.Model != Mixed || s.Variance != Equal || s.Noise != GaussianNoise || s.refitPenalty != 4.5 || !s.Coarse || m.Coarse {
		t.Errorf("settled: %+v", s)
	}
	if s := m.Settled([]method.Choice{{Setting: "noise", Chosen: "free"}}).(*Method); s.Noise != FreeNoise || s.refitPenalty != 0 {
		t.Errorf("settled noise: %+v", s)
	}
	// A table with interventions is described by the scores of its columns, and one without by the correlations.
	own := chain(200, 3, 0.8)
	for i := range own.of {
		own.of[i] = i % 2
	}
	own.targets = [][]int{nil, {0}}
	g := graph.FromParents([][]int{nil, {0}, {1}})
	// A refit of a settled method keeps the penalty that was chosen for the table.
	lines := New().Settled([]method.Choice{{Setting: "model", Chosen: "linear"}, {Setting: "penalty", Chosen: "4.5"}}).(*Method)
	if a, err := lines.Refit(t.Context(), own.input(t, false, all), g); err != nil || a.Price != 4.5 {
		t.Errorf("penalty of a refit: %+v, %v, want 4.5", a, err)
	}
	for _, with := range []bool{false, true} {
		for _, model := range []Model{Linear, Mixed} {
			m := New()
			m.Model = model
			a, err := m.Refit(t.Context(), own.input(t, with, all), g)
			if err != nil || (a.Price > 0) != (!with && model == Linear) || len(a.Graph.Directed().Edges()) != 2 {
				t.Errorf("model %s, interventions %v: %+v, %v", model, with, a, err)
			}
		}
	}
}

// Nonlinear effects with Gaussian noise are smooth, and with skewed noise flexible. Linear effects stay linear if the noise makes them look
// nonlinear in reverse.
func TestModelByItsNoise(t *testing.T) {
	for _, c := range []struct {
		what  string
		row   func(rng *rand.Rand) (x, y float64)
		noise Noise
		want  Model
	}{
		{"lines", func(rng *rand.Rand) (x, y float64) { x = rng.NormFloat64(); return x, x + rng.NormFloat64() }, AutoNoise, Linear},
		{"lines with uniform noise", func(rng *rand.Rand) (x, y float64) { x = rng.Float64(); return x, x + 0.5*rng.Float64() }, AutoNoise, Linear},
		{"curves", func(rng *rand.Rand) (x, y float64) {
			x = rng.NormFloat64()
			return x, math.Cos(2*x) + 0.5*rng.NormFloat64()
		}, AutoNoise, Smooth},
		{"curves with skewed noise", func(rng *rand.Rand) (x, y float64) { x = rng.Float64(); return x, 4*x*x + 0.3*rng.ExpFloat64() }, AutoNoise, Flexible},
		{"curves, Gaussian noise is requested", func(rng *rand.Rand) (x, y float64) {
			x = rng.NormFloat64()
			return x, math.Cos(2*x) + 0.5*rng.NormFloat64()
		}, GaussianNoise, Smooth},
	} {
		m := New()
		m.Noise = c.noise
		a := must.Get(m.Learn(t.Context(), sampled(t, 500, c.row), nil))
		got := choiceOf(a, "model")
		if got == nil || got.Chosen != string(c.want) || got.Reason == "" || (choiceOf(a, "terms") != nil) != (c.want == Flexible) || c.want != Linear && a.Effects != score.Effects(c.want) {
			t.Errorf("%s: %+v, want %s", c.what, a.Choices, c.want)
		}
		if lines := strings.Contains(got.Reason, "look nonlinear in reverse"); lines != (c.what == "lines with uniform noise") {
			t.Errorf("%s: because %s", c.what, got.Reason)
		}
		if e := a.Graph.Directed().Edges(); len(e) != 1 || c.want != Linear && e[0].From != 0 {
			t.Errorf("%s: edges %v, want 0 → 1", c.what, e)
		}
	}
}
