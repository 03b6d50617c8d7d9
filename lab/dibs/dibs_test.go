package dibs

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/posterior"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// drawn draws an ER table of linear effects, standardized.
func drawn(t *testing.T, nodes, edges, rows int, seed uint64) (*dataset.Moments, *graph.Graph) {
	t.Helper()
	in, m := inputtest.Simulated(t, rows, func(c *sim.Settings) { c.Nodes, c.Edges, c.Seed, c.Standardize = nodes, edges, seed, true })
	return in.Moments, m.Graph()
}

// start returns particles on a small table, after some steps' worth of annealing.
func start(t *testing.T, change func(*Method)) (*particles, *graph.Graph) {
	t.Helper()
	data, truth := drawn(t, 4, 4, 300, 1)
	bge := must.Get(score.NewBGe(data.Correlation(), data.N, score.DefaultBGe()))
	m := New()
	m.Particles = 3
	change(m)
	p := newParticles(m, bge, &method.Input{Moments: data, Seed: 2, Threads: 1})
	p.step = 3
	return p, truth
}

// expectation returns ln E p(G, D) by the sum over all 2¹² graphs, with the logits of a worker.
func expectation(w *worker) float64 {
	p, d := w.p, w.p.d
	eval := p.bge.Evaluator()
	sum, most := 0.0, math.Inf(-1)
	var logs []float64
	for code := range 1 << (d * (d - 1)) {
		log, bit := 0.0, 0
		parents := make([][]int, d)
		for i := range d {
			for j := range d {
				if i == j {
					continue
				}
				q := sigmoid(w.s.At(i, j))
				if code>>bit&1 == 1 {
					parents[j] = append(parents[j], i)
					log += math.Log(q)
				} else {
					log += math.Log(1 - q)
				}
				bit++
			}
		}
		for v := range d {
			log -= eval.Score(v, parents[v]) / 2
		}
		logs, most = append(logs, log), max(most, log)
	}
	for _, log := range logs {
		sum += math.Exp(log - most)
	}
	return most + math.Log(sum)
}

// TestLikelihoodGradient compares the estimate with differences of the exact expectation over all graphs.
func TestLikelihoodGradient(t *testing.T) {
	p, _ := start(t, func(m *Method) { m.Draws = 20000 })
	w := newWorker(p)
	rng := rand.New(rand.NewPCG(3, 4))
	for e := range w.s.Data {
		w.s.Data[e] = rng.NormFloat64() / 2
		if w.prob.Data[e] = sigmoid(w.s.Data[e]); p.fixed[e] == 0 {
			w.prob.Data[e] = 0
		}
	}
	w.likelihood(rng)
	for e := range w.s.Data {
		if p.fixed[e] >= 0 {
			continue
		}
		was := w.s.Data[e]
		w.s.Data[e] = was + 1e-4
		up := expectation(w)
		w.s.Data[e] = was - 1e-4
		down := expectation(w)
		w.s.Data[e] = was
		if want := (up - down) / 2e-4; !(math.Abs(w.g.Data[e]-want) <= 0.03) {
			t.Errorf("entry %d: %v, want %v", e, w.g.Data[e], want)
		}
	}
}

// TestAcyclicityGradient compares the gradient of the constraint with differences, for the same noise.
func TestAcyclicityGradient(t *testing.T) {
	for _, c := range []Constraint{Binomial, PowerSum, Geometric} {
		p, _ := start(t, func(m *Method) { m.Constraint, m.Soft = c, 5 })
		w := newWorker(p)
		at := func() (float64, []float64) {
			clear(w.g.Data)
			h := must.Get(w.acyclicity(rand.New(rand.NewPCG(5, 6)), 1))
			return h, append([]float64(nil), w.g.Data...)
		}
		_, grad := at()
		for e := range w.s.Data {
			was := w.s.Data[e]
			w.s.Data[e] = was + 1e-5
			up, _ := at()
			w.s.Data[e] = was - 1e-5
			down, _ := at()
			w.s.Data[e] = was
			if want := -(up - down) / 2e-5; !(math.Abs(grad[e]-want) <= 1e-6*(1+math.Abs(want))) {
				t.Errorf("%s, entry %d: %v, want %v", c, e, grad[e], want)
			}
		}
	}
}

// TestCacheAgrees checks cached local scores against the evaluator, also after the cache was emptied.
func TestCacheAgrees(t *testing.T) {
	p, _ := start(t, func(*Method) {})
	w, eval := newWorker(p), p.bge.Evaluator()
	for _, full := range []bool{false, true} {
		if full {
			w.cached = mostCached
		}
		for range 2 {
			for v, parents := range [][]int{{1, 3}, nil, {0, 1, 3}, {2}} {
				w.parents = parents
				if got, want := w.local(v), eval.Score(v, parents); got != want {
					t.Errorf("column %d with %v: %v, want %v", v, parents, got, want)
				}
			}
		}
	}
}

// TestPosterior checks that on a small table the particles reach the best score, and that weights are probabilities.
func TestPosterior(t *testing.T) {
	data, truth := drawn(t, 5, 5, 500, 3)
	for _, weighting := range []Weighting{Marginal, Uniform} {
		m := New()
		m.Particles, m.Steps, m.Draws, m.Soft, m.Rate, m.Weighting = 8, 300, 32, 8, 0.02, weighting
		a, err := m.Learn(context.Background(), &method.Input{Moments: data, Seed: 1, Threads: 2}, nil)
		if err != nil || a.Posterior == nil {
			t.Fatal(a, err)
		}
		sum := 0.0
		for _, w := range a.Posterior.Weights {
			sum += w
		}
		bge, _ := score.NewBGe(data.Correlation(), data.N, score.DefaultBGe())
		if want := posterior.Total(bge)(truth); !(math.Abs(sum-1) <= 1e-12) || a.Score > want+1e-6 {
			t.Errorf("%s: the weights add up to %v; score %v, that of the truth %v", weighting, sum, a.Score, want)
		}
	}
}

// TestFirstStep checks the step of RMSprop with the published decay of 0.9: the first one is the rate divided by √(1 - 0.9), whatever the
// gradient.
func TestFirstStep(t *testing.T) {
	p, _ := start(t, func(m *Method) { m.Particles, m.Draws = 1, 4 })
	before := p.z
	must.Succeed(t, p.Advance(t.Context()))
	for k, z := range p.z {
		must.Near(t, math.Abs(z-before[k]), p.rate/math.Sqrt(0.1), 1e-3*p.rate, "entry %d", k)
	}
}

// TestStepsDrawAgain checks that the same particle under the same density has the same gradient in a step that is repeated, and another
// one in another step.
func TestStepsDrawAgain(t *testing.T) {
	gradient := func(step int) []float64 {
		p, _ := start(t, func(m *Method) { m.Draws = 2 })
		p.step, p.alpha, p.beta = step, 1/float64(step), 1/float64(step)
		dst := make([]float64, len(p.z))
		_, _, err := newWorker(p).gradient(dst, 0)
		must.Succeed(t, err)
		return dst
	}
	if !slices.Equal(gradient(2), gradient(2)) || slices.Equal(gradient(2), gradient(4)) {
		t.Error("the draws of a step are not its own")
	}
}

// TestCycleOfTwo checks that a cycle of two columns costs about as much under every constraint: C(4, 2)·2/4² in that of the authors.
func TestCycleOfTwo(t *testing.T) {
	for _, c := range []Constraint{Binomial, PowerSum, Geometric} {
		p, _ := start(t, func(m *Method) { m.Constraint, m.Beta = c, 1 })
		w := matrix.New[float64](4, 4)
		w.Set(0, 1, math.Sqrt(p.scale))
		w.Set(1, 0, math.Sqrt(p.scale))
		if h := p.beta * must.Get(p.constrain().Eval(nil, w)); h < 0.7 || h > 1.2 {
			t.Errorf("%s: %v, want about 0.75", c, h)
		}
	}
}
