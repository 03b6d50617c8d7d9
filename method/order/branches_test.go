package order

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/search"
)

// sampled returns the input of rows of two columns, all of which are in the sample.
func sampled(t *testing.T, n int, row func(rng *rand.Rand) (x, y float64)) *method.Input {
	t.Helper()
	rng := rand.New(rand.NewPCG(6, 6))
	own := &drawn{x: matrix.New[float64](n, 2), of: make([]int, n), targets: [][]int{nil}, levels: make([]bool, 2)}
	for i := range n {
		x, y := row(rng)
		own.x.Set(i, 0, x)
		own.x.Set(i, 1, y)
	}
	in := own.input(t, false, func(int) bool { return true })
	in.Sample = &dataset.Sample{Columns: 2, Values: own.x.Data, Index: make([]int, n)}
	for i := range n {
		in.Sample.Index[i] = i
	}
	return in
}

func choiceOf(a *method.Answer, setting string) *method.Choice {
	if i := slices.IndexFunc(a.Choices, func(c method.Choice) bool { return c.Setting == setting }); i >= 0 {
		return &a.Choices[i]
	}
	return nil
}

// TestChoiceOfTheNoise checks the choice of the noise of a linear model: Gaussian residuals change nothing unless free noise is requested,
// others identify directions, and nonlinear effects or a category prevent that.
func TestChoiceOfTheNoise(t *testing.T) {
	normal := func(rng *rand.Rand) (x, y float64) { x = rng.NormFloat64(); return x, x + 2*rng.NormFloat64() }
	skewed := func(rng *rand.Rand) (x, y float64) { x = rng.ExpFloat64(); return x, x + 2*rng.ExpFloat64() }
	curved := func(rng *rand.Rand) (x, y float64) {
		x = rng.NormFloat64()
		return x, x + x*x + 0.3*rng.NormFloat64()
	}
	for _, c := range []struct {
		name   string
		row    func(rng *rand.Rand) (x, y float64)
		noise  Noise
		change func(in *method.Input)
		chosen string // "" for no choice
		reason string
	}{
		{"Gaussian residuals", normal, AutoNoise, nil, "", ""},
		{"Gaussian residuals, free noise is requested", normal, FreeNoise, nil, "free", "although every residual looks Gaussian"},
		{"skewed residuals", skewed, AutoNoise, nil, "free", "the residuals of 2 columns are not Gaussian; they identify the direction of 1 of 1 edge"},
		{"skewed residuals, Gaussian noise is requested", skewed, GaussianNoise, nil, "", ""},
		{"nonlinear effects", curved, AutoNoise, nil, "gaussian", "but under the resulting graph "},
		{"nonlinear effects, free noise is requested", curved, FreeNoise, nil, "free", "not Gaussian; they identify"},
		{"a category", skewed, AutoNoise, func(in *method.Input) { in.Kinds[1].Kind = kind.Binary }, "gaussian", "whose noise has not one shape"},
		{"a category, free noise is requested", skewed, FreeNoise, func(in *method.Input) { in.Kinds[1].Kind = kind.Binary }, "free", "not Gaussian; they identify"},
		{"no sample", skewed, AutoNoise, func(in *method.Input) { in.Sample = nil }, "gaussian", "the rows were not looked at"},
		{"no rows", skewed, AutoNoise, func(in *method.Input) { in.Rows, in.Sample, in.NoRows = nil, nil, "only moments" }, "", ""},
		{"no rows, free noise is requested", skewed, FreeNoise, func(in *method.Input) { in.Rows, in.Sample, in.NoRows = nil, nil, "only moments" }, "gaussian", "only moments"},
	} {
		in := sampled(t, 500, c.row)
		if c.change != nil {
			c.change(in)
		}
		m := New()
		m.Model, m.Variance, m.Noise = Linear, Unequal, c.noise
		a := must.Get(m.Learn(t.Context(), in, nil))
		got := choiceOf(a, "noise")
		switch {
		case c.chosen == "" && got != nil:
			t.Errorf("%s: %+v, want no choice", c.name, got)
		case c.chosen != "" && (got == nil || got.Chosen != c.chosen || got.Requested != string(c.noise) || !strings.Contains(got.Reason, c.reason)):
			t.Errorf("%s: %+v, want %s because %s", c.name, got, c.chosen, c.reason)
		}
		if a.FreeNoise != (c.chosen == "free") {
			t.Errorf("%s: free noise is %v", c.name, a.FreeNoise)
		}
		if got != nil && got.Margin != nil && math.Abs(*got.Margin-(got.Scores["gaussian"]-a.Score)) > 1e-9 {
			t.Errorf("%s: margin %v of %v", c.name, *got.Margin, got.Scores)
		}
	}
	m := New()
	m.Model, m.Noise = Smooth, FreeNoise
	a, err := m.Learn(t.Context(), sampled(t, 200, curved), nil)
	must.Succeed(t, err)
	if got := choiceOf(a, "noise"); got == nil || got.Chosen != "gaussian" || got.Reason != "model smooth has no other noise; model linear has" {
		t.Errorf("free noise under the smooth model: %+v", got)
	}
	m.Noise = AutoNoise
	if a, err = m.Learn(t.Context(), sampled(t, 200, curved), nil); err != nil || choiceOf(a, "noise") != nil {
		t.Errorf("the smooth model chooses a noise: %v", err)
	}
}

// TestRoundsUnderEqualVariances checks that there are none beyond 30 columns and ten unless a number was given.
func TestRoundsUnderEqualVariances(t *testing.T) {
	for _, c := range [][3]int{{30, search.Auto, 10}, {31, search.Auto, 0}, {30, 4, 4}, {31, 4, 0}} {
		if got := equalRestarts(c[0], c[1]); got != c[2] {
			t.Errorf("%d columns, %d rounds requested: %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

// TestScalesUnderEqualVariances checks that scales that differ by more than 1e50 are an error if equal variances are requested, and
// otherwise a warning.
func TestScalesUnderEqualVariances(t *testing.T) {
	for unit, far := range map[float64]bool{1e49: false, 1e52: true} {
		in := sampled(t, 100, func(rng *rand.Rand) (x, y float64) { x = rng.NormFloat64(); return x, unit * (x + rng.NormFloat64()) })
		for _, variance := range []Variance{Auto, Equal} {
			m := New()
			m.Model, m.Variance, m.Noise = Linear, variance, GaussianNoise
			a, err := m.Learn(t.Context(), in, nil)
			if errors.Is(err, ErrScales) != (far && variance == Equal) {
				t.Errorf("a unit of %v with variances %s: %v", unit, variance, err)
			}
			if err == nil && far != slices.ContainsFunc(a.Warnings, func(w string) bool { return strings.Contains(w, "units of the columns differ too much") }) {
				t.Errorf("a unit of %v with variances %s: warnings %q", unit, variance, a.Warnings)
			}
		}
	}
}

// TestFewerParentsAreNotOptimal checks the score and the status of a result whose parents were dropped.
func TestFewerParentsAreNotOptimal(t *testing.T) {
	in := chain(80, 3, 0.8).input(t, false, func(int) bool { return true })
	s := scores.Fixed(Mixed)
	at := must.Get(s.Of(t.Context(), in, Mixed))
	l := &searcher{Method: New(), in: in}
	eval := at.Score.Evaluator()
	for _, c := range []struct {
		parents      [][]int
		before, want search.Status
	}{
		{[][]int{nil, {0}, {1}}, search.Optimal, search.Optimal},
		{[][]int{nil, {0}, nil}, search.Optimal, search.Converged},
		{[][]int{nil, {0}, nil}, search.Stopped, search.Stopped},
	} {
		got := l.without(at, &search.Result{Parents: [][]int{nil, {0}, {1}}, Edges: 2, Status: c.before, Prior: 3}, c.parents)
		sum, edges := 0.0, 0
		for v, set := range c.parents {
			sum += eval.Score(v, set)
			edges += len(set)
		}
		if got.Status != c.want || got.Edges != edges || got.Score != sum || got.Prior != 0 {
			t.Errorf("parents %v: %+v, want the status %v, %d edges and the score %v", c.parents, got, c.want, edges, sum)
		}
	}
}

// TestDependsOnUnits checks that only a linear model with equal variances depends on units.
func TestDependsOnUnits(t *testing.T) {
	for _, c := range []struct {
		model    Model
		variance Variance
		want     bool
	}{{Linear, Equal, false}, {AutoModel, Equal, false}, {Linear, Auto, true}, {Mixed, Equal, true}} {
		m := New()
		m.Model, m.Variance = c.model, c.variance
		if got := m.Info().UnitFree; got != c.want {
			t.Errorf("model %s with variances %s is free of units: %v, want %v", c.model, c.variance, got, c.want)
		}
	}
}

// TestBudgetOfALocalScore checks the account of a budget with prior probabilities: the fit of the graphs is that of the score alone, in bits
// per row, with and without the budget.
func TestBudgetOfALocalScore(t *testing.T) {
	in := chain(300, 4, 0.8).input(t, false, func(int) bool { return true })
	var err error
	if in.Knowledge, err = (knowledge.Spec{Prior: []string{"c0->c1=0.9", "c3->c2=0.2"}}).Resolve(in.Names()); err != nil {
		t.Fatal(err)
	}
	for _, model := range []Model{Mixed, Linear} {
		m := New()
		m.Model, m.Variance, m.Noise = model, Unequal, GaussianNoise
		m.Price.Adapt = false
		whole, err := m.Learn(t.Context(), in, nil)
		must.Succeed(t, err)
		if whole.Budget != nil || whole.Graph.Directed().NumEdges() != 3 {
			t.Fatalf("model %s: %d edges with the budget %+v", model, whole.Graph.Directed().NumEdges(), whole.Budget)
		}
		m.MaxEdges = 2
		part := must.Get(m.Learn(t.Context(), in, nil))
		bare, unit := 0.0, 2*300*math.Ln2
		if model == Mixed { // the score of a column without parents is 0 under the mixed model
			at := must.Get(m.Of(t.Context(), in, Mixed))
			for v := range 4 {
				bare += at.Score.Evaluator().Score(v, nil)
			}
		} else {
			l := &searcher{Method: m, in: in}
			l.p = l.problem()
			empty, _, err := search.Evaluate(l.p, l.settings(), make([][]int, 4))
			must.Succeed(t, err)
			bare = empty.Unequal
		}
		b := part.Budget
		if b == nil || b.Edges != 3 || part.Graph.Directed().NumEdges() != 2 || math.Abs(b.AllBits-(bare-whole.Score)/unit) > 1e-9 || math.Abs(b.Bits-(bare-part.Score)/unit) > 1e-9 || math.Abs(b.Share-b.Bits/b.AllBits) > 1e-12 {
			t.Errorf("model %s: %+v, want %v of %v bits", model, b, (bare-part.Score)/unit, (bare-whole.Score)/unit)
		}
	}
}

// TestWhetherSearchesAreCoarse checks that a bootstrap sample has no control of false edges, and that a given penalty has none either.
func TestWhetherSearchesAreCoarse(t *testing.T) {
	in := chain(200, 3, 0.8).input(t, false, func(int) bool { return true })
	for _, c := range []struct {
		name          string
		adapt, coarse bool
		want          bool
	}{{"default", true, false, true}, {"a bootstrap sample", true, true, false}, {"a given penalty", false, false, false}} {
		for _, model := range []Model{Linear, Mixed} {
			m := New()
			m.Model, m.Variance, m.Noise = model, Unequal, GaussianNoise
			m.Price.Adapt, m.Coarse = c.adapt, c.coarse
			a := must.Get(m.Learn(t.Context(), in, nil))
			got := choiceOf(a, falseEdgesSetting)
			if (got != nil) != c.want || got != nil && (got.Chosen != "0.01" || !strings.Contains(got.Reason, "over 3 pairs, false discovery rate 0.05; 0 edges removed")) {
				t.Errorf("%s, model %s: %+v, want a choice: %v", c.name, model, got, c.want)
			}
		}
	}
}
