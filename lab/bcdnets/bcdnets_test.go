package bcdnets

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

func table(t *testing.T, nodes, edges int) *method.Input {
	t.Helper()
	in, _ := inputtest.Simulated(t, 200, func(c *sim.Settings) { c.Nodes, c.Edges, c.Seed, c.Standardize = nodes, edges, 1, true })
	in.Threads = 2
	return in
}

// TestLikelihoodGradient compares the gradients by L, s and a relaxed P with differences of the log density of the rows, for W = PᵀLP.
func TestLikelihoodGradient(t *testing.T) {
	in := table(t, 5, 6)
	m := New()
	m.Draws = 1
	f := newFit(m, in)
	f.forbidden[0*5+3] = true
	s, d := f.train.samples[0], f.d
	rng := rand.New(rand.NewPCG(1, 2))
	z, dz := make([]float64, f.size()), make([]float64, f.size())
	for i := range z {
		z[i] = rng.NormFloat64() / 2
	}
	order := []int{3, 0, 4, 2, 1}
	p := matrix.New[float64](d, d)
	for k, v := range order {
		p.Set(k, v, 1)
	}
	density := func() (sum float64) {
		l, lp, w := matrix.New[float64](d, d), matrix.New[float64](d, d), matrix.New[float64](d, d)
		e := 0
		for k := range d {
			for to := k + 1; to < d; to++ {
				l.Set(k, to, z[e])
				e++
			}
		}
		matrix.Mul(lp, l, p, 1)
		matrix.MulTA(w, p, lp, 1)
		for j := range d {
			variance := math.Exp(2 * z[f.weights+j])
			squares := 0.0
			for a := range d {
				for b := range d {
					entry := func(i int) float64 {
						v := 0.0
						if i == j {
							v = 1
						}
						if f.forbidden[i*d+j] {
							return v
						}
						return v - w.At(i, j)
					}
					squares += entry(a) * f.moments.At(a, b) * entry(b)
				}
			}
			sum -= f.n / 2 * (math.Log(variance) + squares/variance)
		}
		return sum
	}
	if got, want := s.likelihood(order, dz, z), density(); !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
		t.Errorf("log likelihood %v, want %v", got, want)
	}
	s.byOrder(order, z)
	check := func(what string, x, grad []float64, skip func(i int) bool) {
		t.Helper()
		for i, v := range x {
			if skip(i) {
				continue
			}
			x[i] = v + 1e-5
			up := density()
			x[i] = v - 1e-5
			down := density()
			x[i] = v
			if want := (up - down) / 2e-5; !(math.Abs(grad[i]-want) <= 1e-4*(1+math.Abs(want))) {
				t.Errorf("%s, entry %d: %v, want %v", what, i, grad[i], want)
			}
		}
	}
	check("z", z, dz, func(int) bool { return false })
	check("P", p.Data, s.soft.Data, func(int) bool { return false })
}

// TestHorseshoe checks the exponential integral at values of Abramowitz and Stegun's table 5.1, the total probability, and the slope.
func TestHorseshoe(t *testing.T) {
	for z, want := range map[float64]float64{0.01: 4.037929577, 0.5: 0.559773595, 1: 0.219383934, 2: 0.048900511, 10: 4.156968930e-6} {
		if got := scaledE1(z) * math.Exp(-z); !(math.Abs(got-want) <= 1e-7*want) {
			t.Errorf("E1(%v) = %v, want %v", z, got, want)
		}
	}
	h := newHorseshoe(1, 12, 400)
	if want := 2.0 / (11 - 2) / 20; !(math.Abs(h.tau-want) <= 1e-15) {
		t.Errorf("tau = %v, want %v", h.tau, want)
	}
	total := 0.0
	for u := -25.0; u < 25; u += 0.01 { // x = τeᵘ, both signs
		x := h.tau * math.Exp(u)
		log, _ := h.log(x)
		total += 2 * math.Exp(log) * x * 0.01
	}
	if !(math.Abs(total-1) <= 1e-3) {
		t.Errorf("the density adds up to %v", total)
	}
	for _, x := range []float64{-0.5, -0.001, 0.003, 0.02, 2} {
		_, slope := h.log(x)
		up, _ := h.log(x * (1 + 1e-6))
		down, _ := h.log(x * (1 - 1e-6))
		if want := (up - down) / (2e-6 * x); !(math.Abs(slope-want) <= 1e-4*math.Abs(want)) {
			t.Errorf("slope at %v: %v, want %v", x, slope, want)
		}
	}
}

// TestBoundRises checks that the fit improves the bound, and that its draws are DAGs with the required edge and without the forbidden one.
func TestBoundRises(t *testing.T) {
	in := table(t, 5, 6)
	m := New()
	m.Steps, m.Rate, m.Hidden = 300, 0.01, 8
	f := newFit(m, in)
	f.required = append(f.required, graph.Edge{From: 4, To: 0})
	f.forbidden[1*5+2] = true
	var values []float64
	for range m.Steps {
		must.Succeed(t, f.Advance(t.Context()))
		values = append(values, f.value)
	}
	mean := func(v []float64) (sum float64) {
		for _, x := range v {
			sum += x / float64(len(v))
		}
		return sum
	}
	if first, last := mean(values[:20]), mean(values[280:]); !(last < first-0.5) {
		t.Errorf("the bound is %v at first and %v at last", first, last)
	}
	graphs := must.Get(f.graphs(20, 0.05))
	for _, g := range graphs {
		if _, err := g.Order(); err != nil || !g.HasEdge(4, 0) || g.HasEdge(1, 2) {
			t.Error(g.Edges(), err)
		}
	}
	again, _ := f.graphs(20, 0.05)
	if !slices.Equal(graphs[7].Edges(), again[7].Edges()) {
		t.Error("the draws differ")
	}
}

// TestBoundGradient compares the gradient by the weights and log noise scales, priors included, with differences.
func TestBoundGradient(t *testing.T) {
	f := newFit(New(), table(t, 3, 2))
	s, rng := f.train.samples[0], rand.New(rand.NewPCG(5, 6))
	z, x, dz, dx := make([]float64, f.size()), make([]float64, 9), make([]float64, f.size()), make([]float64, 9)
	for i := range z {
		z[i] = 1 + rng.Float64()
	}
	s.bound(dz, dx, z, x)
	for i, v := range z {
		ends := [2]float64{}
		for k, step := range []float64{-1e-5, 1e-5} {
			z[i] = v + step
			ends[k] = s.bound(make([]float64, f.size()), dx, z, x)
		}
		z[i] = v
		must.Near(t, dz[i], (ends[1]-ends[0])/2e-5, 1e-4*(1+math.Abs(dz[i])), "entry %d", i)
	}
}

// TestSpreadOfTheNoise: the posterior of a log standard deviation given 200 rows has about the variance 1/(2·200). Without the entropy of q it
// would be a point.
func TestSpreadOfTheNoise(t *testing.T) {
	m := New()
	m.Hidden, m.Rate = 4, 0.02
	f := newFit(m, table(t, 2, 1))
	for range 600 {
		must.Succeed(t, f.Advance(t.Context()))
	}
	for _, log := range f.theta[f.size()+f.weights : 2*f.size()] {
		must.Near(t, log, -math.Log(400)/2, 0.25, "log standard deviation")
	}
}
