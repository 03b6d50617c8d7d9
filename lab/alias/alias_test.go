package alias

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/gaussian"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/search"
)

func (c *decoder) of(z []float64) *graph.Graph {
	parents := make([]uint64, c.d*c.words())
	c.decode(parents, z, make([]int, c.d), make([]int, c.d))
	return c.graph(parents)
}

func key(g *graph.Graph) (code int) {
	for _, e := range g.Edges() {
		code |= 1 << (e.From*g.N() + e.To)
	}
	return code
}

// TestVec2DAG checks that every vector is a DAG, and that vectors of four columns reach all 543 of them (OEIS A003024). An edge has the
// direction of the potentials.
func TestVec2DAG(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	reached := map[int]bool{}
	small, large := decoder{d: 4}, decoder{d: 70}
	for k := range 20000 {
		c := &small
		if k%1000 == 0 {
			c = &large
		}
		z := make([]float64, c.size())
		for i := range z {
			z[i] = rng.NormFloat64()
		}
		g := c.of(z)
		if !g.IsAcyclic() {
			t.Fatal(z, g.Edges())
		}
		at := c.d
		for i := range c.d {
			for j := i + 1; j < c.d; j++ {
				if want := z[at] > 0; g.HasEdge(i, j) != (want && z[i] < z[j]) || g.HasEdge(j, i) != (want && z[j] < z[i]) {
					t.Fatalf("%d and %d: %v", i, j, g.Edges())
				}
				at++
			}
		}
		if c == &small {
			reached[key(g)] = true
		}
	}
	if len(reached) != 543 {
		t.Errorf("%d graphs reached, want 543", len(reached))
	}
}

// TestVec2DAGKnowledge checks that required edges are always in the graph and forbidden ones never.
func TestVec2DAGKnowledge(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	c := decoder{d: 5, required: []graph.Edge{{From: 4, To: 0}, {From: 3, To: 4}}, forbidden: func(i, j int) bool { return i == 1 && j == 2 || i == 0 && j == 1 }}
	z := make([]float64, c.size())
	for range 500 {
		for i := range z {
			z[i] = rng.NormFloat64()
		}
		if g := c.of(z); !g.IsAcyclic() || !g.HasEdge(4, 0) || !g.HasEdge(3, 4) || g.HasEdge(1, 2) || g.HasEdge(0, 1) {
			t.Fatal(g.Edges())
		}
	}
}

func table(t *testing.T, nodes, edges int, seed uint64) (*method.Input, *graph.Graph) {
	t.Helper()
	in, m := inputtest.Simulated(t, 500, func(c *sim.Settings) { c.Nodes, c.Edges, c.Seed = nodes, edges, seed })
	in.Rows, in.Threads = nil, 2
	return in, m.Graph()
}

func newTestScorer(t *testing.T, in *method.Input, equal bool) *scorer {
	t.Helper()
	s := scores.Fixed(scores.Linear)
	own := must.Get(s.Table(t.Context(), in))
	var p *search.Problem
	if equal {
		of := gaussian.Problem(in.Moments)
		p = &of
	}
	return newScorer(own, p, 1, 2)
}

func sets(g *graph.Graph) []uint64 {
	out := make([]uint64, g.N())
	for _, e := range g.Edges() {
		out[e.To] |= 1 << e.From
	}
	return out
}

// TestTotal compares the scores with those of package search, which differ by constants.
func TestTotal(t *testing.T) {
	in, truth := table(t, 6, 8, 3)
	other := graph.New(6)
	other.AddEdge(0, 1)
	other.AddEdge(2, 1)
	price := gaussian.DefaultPrice()
	price.Adapt = false
	settings := price.Apply(search.DefaultSettings())
	for _, equal := range []bool{false, true} {
		s := newTestScorer(t, in, equal)
		var own, want [2]float64
		for k, g := range []*graph.Graph{truth, other} {
			own[k] = s.graph(sets(g))
			both, _, err := search.Evaluate(gaussian.Problem(in.Moments), settings, gaussian.Parents(g))
			must.Succeed(t, err)
			if want[k] = both.Unequal; equal {
				want[k] = both.Equal
			}
		}
		if math.Abs(own[0]-own[1]-want[0]+want[1]) > 1e-6 || !(own[0] < own[1]) {
			t.Errorf("equal %v: the scores differ by %v, want %v", equal, own[0]-own[1], want[0]-want[1])
		}
	}
}

// TestPrune checks that edges that do not improve the score are removed, required ones not, and that the score is that of the rest.
func TestPrune(t *testing.T) {
	in, truth := table(t, 6, 6, 3)
	order := must.Get(truth.Order())
	for _, equal := range []bool{false, true} {
		full := graph.New(6)
		for k, to := range order {
			for _, from := range order[:k] {
				full.AddEdge(from, to)
			}
		}
		s, parents := newTestScorer(t, in, equal), sets(full)
		var kept graph.Edge
		for _, e := range full.Edges() {
			if !truth.HasEdge(e.From, e.To) {
				kept = e
			}
		}
		got := s.prune(parents, func(from, to int) bool { return from == kept.From && to == kept.To })
		g := (&decoder{d: 6}).graph(parents)
		if h := metric.SHD(truth, g); h.Distance() != 1 || !g.HasEdge(kept.From, kept.To) {
			t.Errorf("equal %v: %+v, %v left", equal, h, g.Edges())
		}
		if want := newTestScorer(t, in, equal).graph(parents); math.Abs(got-want) > 1e-6 {
			t.Errorf("equal %v: score %v, want %v", equal, got, want)
		}
	}
}

// TestAscend compares the gradient with differences of the mean of advantage times log density at the drawn vectors.
func TestAscend(t *testing.T) {
	in, _ := table(t, 4, 4, 1)
	m := New()
	m.Graphs = 5
	p := newPolicy(m, decoder{d: 4}, newTestScorer(t, in, false), 1, 1)
	rng, size := rand.New(rand.NewPCG(1, 2)), p.decoder.size()
	for i := range p.theta {
		p.theta[i] = rng.NormFloat64() / 2
	}
	p.draw(7)
	z := make([]float64, len(p.noise))
	for i, e := range p.noise {
		z[i] = p.theta[i%size] + math.Exp(p.theta[size+i%size])*e
	}
	for k := range p.totals {
		p.totals[k] = rng.NormFloat64()
	}
	p.ascend()
	value := func() (sum float64) {
		for i, v := range z {
			log := p.theta[size+i%size]
			e := (v - p.theta[i%size]) / math.Exp(log)
			sum += p.totals[i/size] * (e*e/2 + log) / float64(m.Graphs)
		}
		return sum
	}
	for i, v := range p.theta {
		p.theta[i] = v + 1e-6
		up := value()
		p.theta[i] = v - 1e-6
		down := value()
		p.theta[i] = v
		if want := (up - down) / 2e-6; math.Abs(p.grad[i]-want) > 1e-6*(1+math.Abs(want)) {
			t.Errorf("entry %d: %v, want %v", i, p.grad[i], want)
		}
	}
}

// TestAdvantages checks the standardized rewards: an infinite score is as bad as the worst finite one, and equal scores tell nothing.
func TestAdvantages(t *testing.T) {
	a := []float64{1, 3, math.Inf(1), 1}
	if !advantages(a) || a[0] != 1 || a[1] != -1 || a[2] != -1 || a[3] != 1 {
		t.Error(a)
	}
	if b := []float64{2, 2}; advantages(b) {
		t.Error(b)
	}
	if b := []float64{math.Inf(1), math.Inf(1)}; advantages(b) {
		t.Error(b)
	}
}

// TestFindsGraph checks that the policy finds the true graph if the noise variances are equal.
func TestFindsGraph(t *testing.T) {
	in, truth := table(t, 5, 6, 1)
	m := New()
	m.Steps, m.Restarts, m.Variance = 200, 1, Equal
	a := must.Get(m.Learn(t.Context(), in, nil))
	if h := metric.SHD(truth, a.Graph.Directed()); h.Distance() != 0 || !a.Identified || a.Status != method.Completed {
		t.Errorf("%+v, status %v", h, a.Status)
	}
}
