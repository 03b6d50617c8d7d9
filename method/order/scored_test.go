package order

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// watched learns and returns the progress of the run.
func watched(t *testing.T, ctx context.Context, m *Method, in *method.Input, see func(p stage.Progress)) (*method.Answer, []stage.Progress) {
	t.Helper()
	var seen []stage.Progress
	run, err := stage.New(stage.Key{}, stage.Settings{Observe: func(p stage.Progress) {
		if seen = append(seen, p); see != nil {
			see(p)
		}
	}})
	must.Succeed(t, err)
	a := must.Get(m.Learn(ctx, in, run))
	return a, seen
}

// stagesOf returns the names of the stages in order, each once.
func stagesOf(seen []stage.Progress) (names []string) {
	for _, p := range seen {
		if name, _, _ := strings.Cut(p.Stage, ": "); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// TestRoundsOfScoredSearches checks the number of rounds: a given number, or five for nonlinear effects and as many as help for others. Only
// nonlinear effects need curves.
func TestRoundsOfScoredSearches(t *testing.T) {
	for _, c := range []struct {
		model Model
		given int // -1 for auto
		want  int // 0 if the number is not limited
	}{
		{Mixed, -1, 0}, {Smooth, -1, 5}, {Flexible, -1, 5}, {Mixed, 7, 7}, {Smooth, 7, 7}, {Flexible, 7, 7},
	} {
		m := New()
		if m.Model = c.model; c.given >= 0 {
			m.Restarts.Word, m.Restarts.N = "", c.given
		}
		_, seen := watched(t, t.Context(), m, table(t, 200, 3, curvedRow), nil)
		if last := seen[len(seen)-1]; last.Steps != c.want {
			t.Errorf("model %s, %d rounds given: %+v, want %d rounds", c.model, c.given, last, c.want)
		}
		curves := slices.ContainsFunc(seen, func(p stage.Progress) bool { return strings.HasSuffix(p.Stage, ": curves of the columns") })
		if curves != (c.model != Mixed) {
			t.Errorf("model %s: curves of the columns: %v", c.model, curves)
		}
	}
}

func skewedCurves(rng *rand.Rand, x []float64) {
	x[0] = rng.Float64()
	x[1] = 4*x[0]*x[0] + 0.3*rng.ExpFloat64()
}

func normalCurves(rng *rand.Rand, x []float64) {
	x[0] = rng.NormFloat64()
	x[1] = math.Cos(2*x[0]) + 0.5*rng.NormFloat64()
}

// TestStagesOfNonlinearEffects checks that a search on the sample comes first if the model was not given, that noise that is not Gaussian
// there leads to the flexible model without a search on all rows, that the sample needs no budget, and that a stopped stage is the last.
func TestStagesOfNonlinearEffects(t *testing.T) {
	for _, c := range []struct {
		what  string
		row   func(rng *rand.Rand, x []float64)
		model Model
		edges int
		want  []string
	}{
		{"Gaussian noise", normalCurves, AutoModel, 0, []string{"order-smooth/sample", "order-smooth"}},
		{"a given model", normalCurves, Smooth, 0, []string{"order-smooth"}},
		{"skewed noise", skewedCurves, AutoModel, 0, []string{"order-smooth/sample", "order-flexible/lines", "order-flexible/descent", "order-flexible"}},
		{"a budget", func(rng *rand.Rand, x []float64) {
			normalCurves(rng, x)
			x[2] = math.Cos(2*x[1]) + 0.5*rng.NormFloat64()
		}, AutoModel, 1, []string{"order-smooth/sample", "order-smooth", "order-smooth/budget"}},
	} {
		columns := 2
		if c.edges > 0 {
			columns = 3
		}
		in := table(t, 500, columns, c.row)
		m := New()
		m.Model, m.MaxEdges = c.model, c.edges
		all := func(seen []stage.Progress) (names []string) {
			for _, name := range stagesOf(slices.DeleteFunc(slices.Clone(seen), func(p stage.Progress) bool { return strings.HasSuffix(p.Stage, "curves of the columns") })) {
				if before, _, is := strings.Cut(name, "/budget-"); is {
					name = before + "/budget"
				}
				if strings.HasPrefix(name, "order-") && !strings.HasPrefix(name, "order-equal") && !strings.HasPrefix(name, noiseStage) && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
			return names
		}
		_, seen := watched(t, t.Context(), m, in, nil)
		if got := all(seen); !slices.Equal(got, c.want) {
			t.Errorf("%s: stages %v, want %v", c.what, got, c.want)
			continue
		}
		for k, stop := range c.want {
			ctx, cancel := context.WithCancel(t.Context())
			a, seen := watched(t, ctx, m, in, func(p stage.Progress) {
				if strings.HasPrefix(p.Stage, stop+": descent") || strings.HasPrefix(p.Stage, stop+"-") {
					cancel()
				}
			})
			cancel()
			if got := all(seen); !slices.Equal(got, c.want[:k+1]) || a.Status != method.Canceled || a.Graph.Directed().NumEdges() == 0 {
				t.Errorf("%s, stopped in %s: stages %v with the status %v and %d edges, want the graph so far", c.what, stop, got, a.Status, a.Graph.Directed().NumEdges())
			}
		}
	}
	// With environments there is no search on the sample.
	own := &drawn{x: matrix.New[float64](400, 2), targets: [][]int{nil, {1}}, levels: make([]bool, 2)}
	rng := rand.New(rand.NewPCG(6, 6))
	for i := range 400 {
		normalCurves(rng, own.x.Row(i))
		if own.of = append(own.of, i%2); i%2 == 1 {
			own.x.Set(i, 1, rng.NormFloat64())
		}
	}
	in := own.input(t, true, func(int) bool { return true })
	in.Sample = &dataset.Sample{Columns: 2, Values: own.x.Data, Environments: own.of}
	var seen []string
	run := must.Get(stage.New(stage.Key{}, stage.Settings{Observe: func(p stage.Progress) { seen = append(seen, p.Stage) }}))
	l := &searcher{Method: New(), in: in, run: run}
	if _, _, err := l.learnScored(t.Context(), Smooth); err != nil || slices.ContainsFunc(seen, func(name string) bool { return strings.Contains(name, "/sample") }) {
		t.Errorf("stages %v with environments, %v", seen, err)
	}
}

// TestStagesOfCounts checks which searches a discrete table of many rows needs: parts of at least 1000 rows, at most four, for the directions,
// unless only the graph is needed or environments are nodes. A bootstrap sample starts on a part.
func TestStagesOfCounts(t *testing.T) {
	for _, c := range []struct {
		what   string
		rows   int
		change func(m *Method, in *method.Input)
		parts  int
		rounds int
	}{
		{"few rows", 1999, func(*Method, *method.Input) {}, 0, 0},
		{"two parts", 2000, func(*Method, *method.Input) {}, 2, 0},
		{"three parts", 3999, func(*Method, *method.Input) {}, 3, 0},
		{"five thousand rows", 5000, func(*Method, *method.Input) {}, 4, 0},
		{"only the graph", 5000, func(_ *Method, in *method.Input) { in.GraphOnly = true }, 0, 0},
		{"a bootstrap sample", 6000, func(m *Method, in *method.Input) { m.Coarse, in.GraphOnly = true, true }, 0, 3},
		{"a short bootstrap sample", 5999, func(m *Method, in *method.Input) { m.Coarse, in.GraphOnly = true, true }, 0, 10},
		{"environments", 4000, func(_ *Method, in *method.Input) { in.Environments.Unknown, in.Environments.Column = true, "e" }, 0, 0},
	} {
		own := &drawn{x: matrix.New[float64](c.rows, 3), targets: [][]int{nil, nil}, levels: []bool{true, true, true}}
		rng := rand.New(rand.NewPCG(3, 3))
		for i := range c.rows {
			a, b := uint8(rng.IntN(2)), uint8(rng.IntN(2))
			for v, x := range []uint8{a, b, either(rng, a, b)} {
				own.x.Set(i, v, float64(x))
			}
			own.of = append(own.of, i%2)
		}
		in := own.input(t, c.what == "environments", func(int) bool { return true })
		m := New()
		m.Model = Discrete
		c.change(m, in)
		a, seen := watched(t, t.Context(), m, in, nil)
		if tested := choiceOf(a, falseEdgesSetting) != nil; tested != (!m.Coarse && in.Environments == nil) {
			t.Errorf("%s: edges were tested: %v", c.what, tested)
		}
		parts, rounds := 0, 0
		for _, name := range stagesOf(seen) {
			if strings.Contains(name, "/part-") {
				parts++
			}
		}
		for _, p := range seen {
			rounds = max(rounds, p.Steps)
		}
		if parts != c.parts || rounds != c.rounds {
			t.Errorf("%s: %d parts and %d rounds in %v, want %d and %d", c.what, parts, rounds, stagesOf(seen), c.parts, c.rounds)
		}
	}
}

// TestPriorWeightOfInterventions checks that only a discrete model with intervention targets records a weight of its prior.
func TestPriorWeightOfInterventions(t *testing.T) {
	for _, c := range []struct {
		model Model
		with  bool
		adapt bool
		want  bool
	}{{Discrete, true, true, true}, {Discrete, true, false, false}, {Discrete, false, true, false}, {Mixed, true, true, false}} {
		rng := rand.New(rand.NewPCG(2, 2))
		own := draw(rng, 200, 3, [][]int{nil, {1}}, []bool{true, true, true})
		m := New()
		m.Model, m.AdaptEss = c.model, c.adapt
		a := must.Get(m.Learn(t.Context(), own.input(t, c.with, func(int) bool { return true }), nil))
		got := choiceOf(a, "ess")
		if (got != nil) != c.want || got != nil && got.Chosen != "0.1" {
			t.Errorf("model %s, targets %v, adaptive %v: %+v, want a choice: %v", c.model, c.with, c.adapt, got, c.want)
		}
	}
}

// TestGapsWithoutPenaltiesOfPairs checks that a score without a penalty of each pair has no additional one.
func TestGapsWithoutPenaltiesOfPairs(t *testing.T) {
	in := chain(50, 3, 0.5).input(t, false, func(int) bool { return true })
	in.PairShare = func(i, j int) float64 { return 0.5 }
	l := &searcher{Method: New(), in: in}
	linear := must.Get(score.NewGaussianLocal(in.Moments.Correlation(), 50, 2))
	if l.gaps(&scores.ScoredTable{Score: linear, Order: []int{0, 1, 2}}) != nil {
		t.Error("a score without penalties of pairs has an additional penalty")
	}
}

// TestNotGaussian checks that only noise that is not Gaussian counts as evidence against it, and no other failed assumption.
func TestNotGaussian(t *testing.T) {
	for _, c := range []struct {
		what string
		row  func(rng *rand.Rand, x []float64)
		want bool
	}{
		{"a missing edge", straightRow, false},
		{"skewed noise", func(rng *rand.Rand, x []float64) {
			for v := range x {
				x[v] = rng.ExpFloat64()
			}
		}, true},
	} {
		in := table(t, 500, 3, c.row)
		l := &searcher{Method: New(), in: in}
		if got := l.notGaussian(graph.New(3)); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// TestRoundsWithinABudget checks that only the first and the last search within a budget have rounds.
func TestRoundsWithinABudget(t *testing.T) {
	in := table(t, 150, 13, func(rng *rand.Rand, x []float64) {
		for v := range x {
			x[v] = rng.NormFloat64()
			for _, p := range []int{v - 1, v - 3} {
				if p >= 0 {
					x[v] += 0.3 * float64(1+p%3) * x[p]
				}
			}
		}
	})
	m := New()
	m.Model, m.MaxEdges, m.Restarts.Word, m.Restarts.N = Mixed, 6, "", 3
	_, seen := watched(t, t.Context(), m, in, nil)
	steps, last := map[string]int{}, ""
	for _, p := range seen {
		if strings.Contains(p.Stage, "/budget-") {
			last = p.Stage
			steps[last] = max(steps[last], p.Step)
		}
	}
	if len(steps) < 3 {
		t.Fatalf("searches %v, want at least three", steps)
	}
	for name, rounds := range steps {
		if want := name == last || strings.HasSuffix(name, "/budget-1"); (rounds > 0) != want {
			t.Errorf("%s has %d rounds; want some: %v", name, rounds, want)
		}
	}
}

// TestBudgetUnderEqualVariances compares the graph with one or two edges with the best of all graphs along the order of the columns.
func TestBudgetUnderEqualVariances(t *testing.T) {
	in := table(t, 400, 3, func(rng *rand.Rand, x []float64) {
		x[0], x[1] = rng.NormFloat64(), rng.NormFloat64()
		x[2] = 1.2*x[0] + 0.8*x[1] + rng.NormFloat64()
	})
	for edges, want := range map[int][][]int{1: {nil, nil, {0}}, 2: {nil, nil, {0, 1}}} {
		m := New()
		m.Model, m.Variance, m.Noise, m.MaxEdges = Linear, Equal, GaussianNoise, edges
		m.Price.Adapt = false
		l := &searcher{Method: m, in: in}
		a := must.Get(l.learn(t.Context()))
		if got := a.Graph.Directed(); got.NumEdges() != edges || fmt.Sprint(got.Edges()) != fmt.Sprint(graph.FromParents(want).Edges()) {
			t.Errorf("at most %d edges: %v, want the parents %v", edges, got.Edges(), want)
		}
		value := func(parents [][]int) float64 {
			s, _, err := search.Evaluate(l.p, l.settings(), parents)
			must.Succeed(t, err)
			return s.Equal
		}
		if a.Stages[0].Name != "order-equal" {
			t.Errorf("stages %+v, want one with equal variances", a.Stages)
		}
		unit := 2 * 400 * math.Ln2
		bare := value(make([][]int, 3))
		if b := a.Budget; b == nil || math.Abs(b.Bits-(bare-value(want))/unit) > 1e-9 || math.Abs(b.AllBits-(bare-value([][]int{nil, nil, {0, 1}}))/unit) > 1e-9 || math.Abs(a.Score-value(want)) > 1e-9 {
			t.Errorf("at most %d edges: %+v, want the gains of the score of equal variances", edges, a.Budget)
		}
	}
}
