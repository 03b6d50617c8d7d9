package dpdag

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// table draws a table with linear effects, standardized.
func table(t *testing.T, nodes, edges, rows int) (*method.Input, *graph.Graph) {
	t.Helper()
	in, m := inputtest.Simulated(t, rows, func(c *sim.Settings) { c.Nodes, c.Edges, c.Seed, c.Standardize = nodes, edges, 2, true })
	in.Threads = 2
	return in, m.Graph()
}

// TestModelGradients compares the gradients of both models, by their parameters and by the entries of the graph, with differences.
func TestModelGradients(t *testing.T) {
	in, _ := table(t, 4, 4, 50)
	rng := rand.New(rand.NewPCG(1, 2))
	x := matrix.New[float64](50, 4)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	for _, m := range []model{newLinear(in), newNetworks(x, 3, 20, in)} {
		theta := m.start(1)
		for i := range theta {
			theta[i] += rng.NormFloat64() / 4
		}
		g, byGraph, grad := matrix.New[float64](4, 4), matrix.New[float64](4, 4), make([]float64, len(theta))
		for i := range g.Data {
			if i%5 != 0 {
				g.Data[i] = rng.Float64()
			}
		}
		value := func() float64 {
			v := must.Get(m.log(make([]float64, len(theta)), matrix.New[float64](4, 4), theta, g, 7))
			return v
		}
		must.Get(m.log(grad, byGraph, theta, g, 7))
		check := func(what string, x, grad []float64, skip func(i int) bool) {
			t.Helper()
			for i, v := range x {
				if skip(i) {
					continue
				}
				x[i] = v + 1e-5
				up := value()
				x[i] = v - 1e-5
				down := value()
				x[i] = v
				if want := (up - down) / 2e-5; !(math.Abs(grad[i]-want) <= 1e-4*(1+math.Abs(want))) {
					t.Errorf("%T, %s, entry %d: %v, want %v", m, what, i, grad[i], want)
				}
			}
		}
		check("parameters", theta, grad, func(int) bool { return false })
		check("graph", g.Data, byGraph.Data, func(i int) bool { return i%5 == 0 })
		// All rows and some rows estimate the same.
		if _, err := m.log(nil, nil, theta, g, -1); err != nil {
			t.Error(err)
		}
	}
}

// TestPullSort compares with differences of the relaxed permutation matrix.
func TestPullSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const d, temperature = 5, 0.7
	x, c := make([]float64, d), matrix.New[float64](d, d)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	for i := range c.Data {
		c.Data[i] = rng.NormFloat64()
	}
	value := func() (sum float64) {
		sorted := slices.Sorted(slices.Values(x))
		slices.Reverse(sorted)
		for k, s := range sorted {
			total := 0.0
			for _, v := range x {
				total += math.Exp(-math.Abs(s-v) / temperature)
			}
			for v, key := range x {
				sum += c.At(k, v) * math.Exp(-math.Abs(s-key)/temperature) / total
			}
		}
		return sum
	}
	grad := make([]float64, d)
	pullSort(grad, x, c, temperature)
	for i, v := range x {
		x[i] = v + 1e-6
		up := value()
		x[i] = v - 1e-6
		down := value()
		x[i] = v
		if want := (up - down) / 2e-6; !(math.Abs(grad[i]-want) <= 1e-6) {
			t.Errorf("key %d: %v, want %v", i, grad[i], want)
		}
	}
}

// TestPosterior checks that the fit finds the pairs of a small table, and that draws are DAGs that respect knowledge, for all settings.
func TestPosterior(t *testing.T) {
	for _, model := range []Model{Linear, Network} {
		for _, orders := range []Orders{TopK, Sinkhorn} {
			in, truth := table(t, 5, 4, 500)
			m := New()
			m.Model, m.Orders, m.Steps, m.Graphs, m.Hidden, m.Batch, m.Rate = model, orders, 500, 50, 4, 64, 0.05
			if model == Network {
				m.Draws, m.Steps = 2, 1000
			}
			a, err := m.Learn(t.Context(), in, nil)
			must.Succeed(t, err)
			prob := matrix.New[float64](5, 5)
			for k, edges := range a.Posterior.Graphs {
				for _, e := range edges {
					prob.Set(e.From, e.To, prob.At(e.From, e.To)+a.Posterior.Weights[k])
				}
			}
			for _, e := range truth.Edges() {
				if p := prob.At(e.From, e.To) + prob.At(e.To, e.From); p < 0.5 {
					t.Errorf("%s, %s: the pair %v has probability %v", model, orders, e, p)
				}
			}
			if in.Knowledge, err = (knowledge.Spec{Require: []string{in.Names()[4] + "->" + in.Names()[0]}, Forbid: []string{in.Names()[1] + "->" + in.Names()[2]}}).Resolve(in.Names()); err != nil {
				t.Fatal(err)
			}
			m.Steps = 20
			if a, err = m.Learn(t.Context(), in, nil); err != nil {
				t.Fatal(err)
			}
			for _, edges := range a.Posterior.Graphs {
				g, err := graph.FromEdges(5, edges)
				if err != nil || !g.HasEdge(4, 0) || g.HasEdge(1, 2) {
					t.Error(model, orders, edges, err)
				} else if _, err := g.Order(); err != nil {
					t.Error(model, orders, edges, err)
				}
			}
		}
	}
}
