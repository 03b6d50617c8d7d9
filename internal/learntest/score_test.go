package learntest

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/tabletest"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/method/paper"
)

// TestScoreOfAGraph checks that the score of the found graph equals that of the method, under every model, and
// that after an exhaustive search no graph that differs by one edge has a better score.
func TestScoreOfAGraph(t *testing.T) {
	ctx := context.Background()
	for model, mechanism := range map[order.Model]sim.Mechanism{order.Linear: sim.Linear, order.Discrete: sim.Discrete, order.Mixed: sim.Mixed, order.Smooth: sim.Additive} {
		c := sim.Default()
		c.Nodes, c.Degree, c.Seed, c.Mechanism = 5, 2, 3, mechanism
		m := must.Get(sim.New(c))
		table := must.Get(polydag.FromRows(m.Names(), slices.Collect(dataset.RowsOf(m.Sample(sim.Stream(3, sim.StreamNoise), 200)))))
		cfg := polydag.DefaultConfig()
		own := order.New()
		own.Model, own.Variance, own.Noise, own.Price.Adapt = model, order.Unequal, order.GaussianNoise, false
		cfg.Method = own
		res := must.Get(table.Learn(ctx, cfg, polydag.Run{}))
		got, err := table.Score(ctx, cfg, res.Graph)
		if err != nil || !(math.Abs(got-res.Score) <= 1e-9*max(1, math.Abs(res.Score))) {
			t.Errorf("%s: the graph has the score %v, learning it %v; %v", model, got, res.Score, err)
		}
		for _, e := range res.Graph.Edges() {
			less := graph.New(res.Graph.N())
			for _, other := range res.Graph.Edges() {
				if other != e {
					less.AddEdge(other.From, other.To)
				}
			}
			if worse, err := table.Score(ctx, cfg, less); err != nil || worse < got-1e-9 {
				t.Errorf("%s: without %v the score is %v, with it %v; %v", model, e, worse, got, err)
			}
		}
	}
}

func TestScoreNeedsAMethodThatRefits(t *testing.T) {
	table := polydag.FromMoments(moments(t, []string{"a", "b"}, tabletest.Normals(1, 20, 2)))
	cfg := polydag.DefaultConfig()
	cfg.Method = paper.NewExp()
	if _, err := table.Score(context.Background(), cfg, graph.New(table.Moments.Dim())); !errors.Is(err, polydag.ErrConfig) {
		t.Error(err)
	}
}

// TestInterceptsPutTheMeansOnTheLine checks that at the means of its parents every equation gives the mean of
// its column.
func TestInterceptsPutTheMeansOnTheLine(t *testing.T) {
	r := &polydag.Result{
		Names: []string{"a", "b", "c"},
		Edges: []polydag.Edge{{Link: polydag.Link{From: "a", To: "c"}, Weight: 3}, {Link: polydag.Link{From: "b", To: "c"}, Weight: -0.5}, {Link: polydag.Link{From: "a", To: "b"}, Weight: 2}},
		Nodes: []polydag.Node{{Name: "a", Mean: 1}, {Name: "b", Mean: 10}, {Name: "c", Mean: -4}},
	}
	got := must.Get(r.Intercepts())
	for v, want := range []float64{1, 10 - 2*1, -4 - 3*1 + 0.5*10} {
		if got[v] != want {
			t.Errorf("intercept of %s = %v, want %v", r.Names[v], got[v], want)
		}
	}
}

func TestInterceptsSayWhatIsMissing(t *testing.T) {
	for says, r := range map[string]*polydag.Result{
		"no means":       {Names: []string{"a"}},
		"does not list":  {Names: []string{"a"}, Nodes: make([]polydag.Node, 1), Edges: []polydag.Edge{{Link: polydag.Link{From: "a", To: "b"}}}},
		"beyond float64": {Names: []string{"a", "b"}, Nodes: []polydag.Node{{Mean: 1e300}, {}}, Edges: []polydag.Edge{{Link: polydag.Link{From: "a", To: "b"}, Weight: 1e300}}},
	} {
		if got, err := r.Intercepts(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, %v; want an error that says %q", got, err, says)
		}
	}
	if _, err := (&polydag.Result{Names: []string{"a"}, Nodes: []polydag.Node{{Mean: math.NaN()}}}).Intercepts(); err == nil {
		t.Error("NaN is an intercept")
	}
}

// TestSizeOfAnEdge checks that the size depends only on the score gain: for two Gaussian columns with
// correlation r it is |r|.
func TestSizeOfAnEdge(t *testing.T) {
	for _, r := range []float64{0.01, 0.3, 0.9, 0.999} {
		bits := -math.Log2(1-r*r) / 2
		for _, e := range []polydag.Edge{{Gain: bits}, {Gain: bits, Weight: 7, Standardized: -0.2}} {
			if !(math.Abs(e.Size()-r) <= 1e-12) {
				t.Errorf("%+v: size %v, want %v", e, e.Size(), r)
			}
		}
		if other := (polydag.Edge{Standardized: -r}); other.Size() != r {
			t.Errorf("without a gain: %v", other.Size())
		}
	}
	if e := (polydag.Edge{Gain: -0.1, Standardized: 0.5}); e.Size() != 0 {
		t.Errorf("an edge that costs more than it saves has size %v", e.Size())
	}
	if e := (polydag.Edge{Standardized: 3}); e.Size() != 1 {
		t.Errorf("size %v", e.Size())
	}
}

func TestSignOfAnEdge(t *testing.T) {
	table := func(from, to []string, p [][]float64) *polydag.Effect {
		return &polydag.Effect{Form: method.EffectTable, FromLevels: from, ToLevels: to, P: p}
	}
	numbers, words := []string{"-1", "1"}, []string{"no", "yes"}
	low, high := 0.0, 3.0
	bow := &polydag.Effect{Form: method.EffectCurve, X: []float64{0, 1, 2, 3, 9}, Y: []float64{0, 3, 5, 1, 90}, Low: &low, High: &high}
	for _, c := range []struct {
		e    polydag.Edge
		want int
	}{
		{polydag.Edge{Weight: -3}, -1},
		{polydag.Edge{Standardized: 0.1}, 1},
		{polydag.Edge{}, 0},
		{polydag.Edge{EdgeFacts: polydag.EdgeFacts{Effect: table(numbers, numbers, [][]float64{{0.9, 0.1}, {0.2, 0.8}})}}, 1},
		{polydag.Edge{EdgeFacts: polydag.EdgeFacts{Effect: table(numbers, numbers, [][]float64{{0.1, 0.9}, {0.2, 0.8}})}}, -1},
		{polydag.Edge{EdgeFacts: polydag.EdgeFacts{Effect: table(words, numbers, [][]float64{{0.9, 0.1}, {0.2, 0.8}})}}, 0},
		{polydag.Edge{Weight: 2, EdgeFacts: polydag.EdgeFacts{Effect: table(words, numbers, [][]float64{{0.9, 0.1}, {0.2, 0.8}})}}, 0},
		{polydag.Edge{Weight: 2, EdgeFacts: polydag.EdgeFacts{Effect: &polydag.Effect{Form: method.EffectMeans, FromLevels: words, Y: []float64{3, 5}}}}, 0},
		{polydag.Edge{EdgeFacts: polydag.EdgeFacts{Effect: &polydag.Effect{Form: method.EffectMeans, FromLevels: numbers, Y: []float64{5, 3}}}}, -1},
		{polydag.Edge{Weight: 2, EdgeFacts: polydag.EdgeFacts{Effect: bow}}, 0},
		{polydag.Edge{Weight: 2, EdgeFacts: polydag.EdgeFacts{Effect: &polydag.Effect{Form: method.EffectCurve, X: bow.X, Y: bow.Y}}}, 1},
	} {
		if got := c.e.Sign(); got != c.want {
			t.Errorf("%+v: sign %d, want %d", c.e, got, c.want)
		}
	}
}
