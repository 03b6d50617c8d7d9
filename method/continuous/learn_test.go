package continuous

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/method/polydag"
	"github.com/polydag/polydag/metric"
)

func learned(t testing.TB, m method.Method, data *dataset.Moments) *method.Answer {
	t.Helper()
	a := must.Get(m.Learn(context.Background(), &method.Input{Moments: data, Threads: 1, Seed: 1}, nil))
	return a
}

func f1(truth *graph.Graph, a *method.Answer) float64 {
	return metric.Directed(truth, a.Graph.Directed()).F1()
}

// TestAsGoodAsTheOrderSearch checks that on standardized tables the swaps reach the BIC of the order search,
// also with eight neighbors per node.
func TestAsGoodAsTheOrderSearch(t *testing.T) {
	for _, degree := range []float64{4, 8} {
		data, m := drawn(t, 1000, func(c *sim.Settings) { c.Nodes, c.Degree, c.Seed = 40, degree, 2 })
		search := order.New()
		search.Variance, search.Price.Adapt = order.Unequal, false
		best := learned(t, search, data)
		got := learned(t, New(), data)
		if !(math.Abs(got.Score-best.Score) <= 1e-3) {
			t.Errorf("degree %v: the BIC is %.2f, the order search has %.2f", degree, got.Score, best.Score)
		}
		if f := f1(m.Graph(), got); f < 0.93 {
			t.Errorf("degree %v: F1 %.3f", degree, f)
		}
		if got.Status != method.Converged || got.Identified || !got.Continuous.Thresholded.IsAcyclic() && len(got.Continuous.Cut) == 0 {
			t.Errorf("degree %v: %v, %+v", degree, got.Status, got.Continuous)
		}
		short := polydag.New()
		short.StageSteps = 60
		if degree == 8 && f1(m.Graph(), learned(t, short, data)) > 0.8 {
			t.Error("polydag does as well: say so in docs/evidence/continuous.md")
		}
	}
}

// TestRefitIsTheOrderOfW checks that without swaps the score is that of the relaxation's order.
func TestRefitIsTheOrderOfW(t *testing.T) {
	data, _ := drawn(t, 1000, func(c *sim.Settings) { c.Nodes, c.Degree, c.Seed = 30, 6, 2 })
	m := New()
	m.End = Refit
	refit := learned(t, m, data)
	swapped := learned(t, New(), data)
	if !(swapped.Score < refit.Score) {
		t.Errorf("BIC %.2f with swaps, %.2f without", swapped.Score, refit.Score)
	}
	kept, _ := cut(support(refit.Continuous.W, nil), inUnits(refit.Continuous.W, reciprocals(data.Std())), nil)
	first := must.Get(kept.Order())
	if err := refit.Graph.Directed().CheckOrder(first); err != nil {
		t.Errorf("the graph does not keep the order of W: %v", err)
	}
}

func reciprocals(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = 1 / v
	}
	return out
}

// TestVariances checks that equal variances are chosen if they hold, with all directions right, but not for
// standardized columns or unequal noise.
func TestVariances(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*sim.Settings)
		chosen string
		says   string
		least  float64
	}{
		{"raw", func(c *sim.Settings) { c.Standardize = false }, "equal", "", 0.99},
		{"standardized", func(*sim.Settings) {}, "unequal", "the columns are standardized", 0.85},
		{"noise of all sizes", func(c *sim.Settings) { c.Standardize, c.Design = false, sim.Hetero }, "unequal", "equal noise variances fit worse", 0.7},
	} {
		data, m := drawn(t, 1000, func(cfg *sim.Settings) {
			cfg.Nodes, cfg.Seed = 25, 3
			c.change(cfg)
		})
		a := learned(t, New(), data)
		v := a.Choices[0]
		if v.Chosen != c.chosen || !strings.Contains(v.Reason, c.says) || c.says == "" && v.Reason != "" {
			t.Errorf("%s: %+v", c.name, v)
		}
		if f := f1(m.Graph(), a); f < c.least || a.Identified != (c.chosen == "equal") {
			t.Errorf("%s: F1 %.3f, want at least %v; identified %v", c.name, f, c.least, a.Identified)
		}
		insists := New()
		insists.Variance = Variance(c.chosen)
		if again := learned(t, insists, data); again.Score != a.Score {
			t.Errorf("%s: the score is %v where that was chosen and %v where it was asked for", c.name, a.Score, again.Score)
		}
	}
}

// TestKnowledgeAgainstTheData checks that required edges are present and forbidden ones absent, in the graph
// and in W, whatever the data.
func TestKnowledgeAgainstTheData(t *testing.T) {
	data, m := drawn(t, 500, func(c *sim.Settings) { c.Nodes, c.Degree, c.Seed = 12, 4, 4 })
	truth := m.Graph().Edges()
	names := data.Names
	backwards := knowledge.EdgeBetween(names[truth[0].To], names[truth[0].From])
	away := knowledge.EdgeBetween(names[truth[5].From], names[truth[5].To])
	k := must.Get(knowledge.Spec{Require: []string{backwards}, Forbid: []string{away}}.Resolve(names))
	for _, end := range []End{Swaps, Refit} {
		m := New()
		m.End = end
		for _, ended := range []bool{false, true} {
			ctx, cancel := context.WithCancel(context.Background())
			if ended {
				cancel()
			}
			a, err := m.Learn(ctx, &method.Input{Moments: data, Threads: 1, Knowledge: k}, nil)
			cancel()
			must.Succeed(t, err)
			if err := k.Check(a.Graph.Directed()); err != nil {
				t.Errorf("%s, stopped %v: %v", end, ended, err)
			}
			if w := a.Continuous.W.At(truth[5].From, truth[5].To); w != 0 {
				t.Errorf("the weight of a forbidden edge is %v", w)
			}
		}
	}
}

// TestCutAgainstWalks compares cut with a version that searches the graph again for each edge.
func TestCutAgainstWalks(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	cuts := 0
	for range 100 {
		d := 2 + rng.IntN(12)
		w := matrix.New[float64](d, d)
		for i := range d {
			for j := range d {
				if i != j && rng.Float64() < 0.3 {
					w.Set(i, j, rng.NormFloat64())
				}
			}
		}
		var required []graph.Edge
		if d > 3 {
			required = []graph.Edge{{From: 3, To: 1}, {From: 1, To: 0}}
		}
		g := support(w, required)
		want := graph.New(d)
		for _, e := range required {
			want.AddEdge(e.From, e.To)
		}
		edges := g.Edges()
		slices.SortStableFunc(edges, func(a, b graph.Edge) int {
			return int(math.Copysign(1, math.Abs(w.At(b.From, b.To))-math.Abs(w.At(a.From, a.To))))
		})
		for _, e := range edges {
			if !want.HasEdge(e.From, e.To) && !want.HasPath(e.To, e.From) {
				want.AddEdge(e.From, e.To)
			}
		}
		kept, out := cut(g, w, required)
		if !slices.Equal(kept.Edges(), want.Edges()) || len(out)+kept.NumEdges() != g.NumEdges() {
			t.Fatalf("kept %v and cut %v, want %v", kept.Edges(), out, want.Edges())
		}
		cuts += len(out)
	}
	if cuts < 100 {
		t.Errorf("%d edges were cut, want more", cuts)
	}
}

// TestStageSteps checks that there are fewer steps with many columns, but at least one.
func TestStageSteps(t *testing.T) {
	m := New()
	for d, want := range map[int]int{1: 60, 500: 60, 1000: 15, 2000: 5, 100000: 5} {
		if got := m.stageSteps(d); got != want {
			t.Errorf("%d steps with %d columns, want %d", got, d, want)
		}
	}
	m.StageSteps.Word, m.StageSteps.N = "", 7
	if m.stageSteps(3000) != 7 {
		t.Error("a number that was given is not taken")
	}
}
