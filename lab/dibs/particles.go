package dibs

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/lab/posterior"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
	"github.com/polydag/polydag/solve"
)

// These are the constants of the authors' program.
const (
	bandwidth = 5.0 // bandwidth of the kernel between particles
	decay     = 0.9 // decay rate of RMSprop
)

// particles are M latent matrices Z = (U, V), each d×d. Particle Z has the edges of a graph G independently, with probabilities
// P_ij = σ(α u_i·v_j). The density of Z is, up to a constant,
//
//	p(Z) p(D | Z),   p(Z) = N(Z; 0, I/d) exp(-β E h(G)),   p(D | Z) = E p(G, D).
//
// The particles move by Stein variational gradient descent on its logarithm.
type particles struct {
	m, d  int
	draws int
	soft  int
	rate  float64
	// α, the inverse temperature of the edges, and β, the weight of the constraint, are these times the step.
	alpha, beta float64
	seed        uint64
	threads     int
	z, square   []float64 // particle by particle, U before V; square has the moments of RMSprop
	step        int
	bge         *score.BGe
	fixed       []int8 // for each entry: 1 for a required edge, 0 for a forbidden one, -1 for a free one
	constrain   func() solve.Constraint[float64]
	scale       float64 // the constraint is taken of G times this; β makes up for it
	workers     []*worker
	value, h    float64 // means over the particles of the last step: the value of worker.likelihood, and the constraint
}

func newParticles(m *Method, bge *score.BGe, in *method.Input) *particles {
	d := bge.Variables()
	p := &particles{m: m.Particles, d: d, draws: m.Draws, soft: m.Soft, rate: m.Rate, alpha: m.Alpha, beta: m.Beta, seed: in.Seed, threads: in.Threads, bge: bge, constrain: m.Constraint.New, scale: 1, fixed: network.Fixed(in)}
	if m.Constraint != Binomial {
		p.scale = 1 / float64(d)   // powers of a dense graph would overflow
		p.beta *= float64(d*d) / 2 // a cycle of two columns counts as in Binomial
	}
	p.z, p.square = make([]float64, 2*p.m*d*d), make([]float64, 2*p.m*d*d)
	rng := rand.New(rand.NewPCG(in.Seed, 0x64696273))
	for i := range p.z {
		p.z[i] = rng.NormFloat64() / math.Sqrt(float64(d))
	}
	return p
}

// latent returns U and V of particle i in x, which has the layout of z.
func (p *particles) latent(x []float64, i int) (u, v *matrix.Dense[float64]) {
	n := p.d * p.d
	return matrix.Of(p.d, p.d, x[2*i*n:(2*i+1)*n]), matrix.Of(p.d, p.d, x[(2*i+1)*n:(2*i+2)*n])
}

// graph returns the graph of particle i as α grows without limit.
func (p *particles) graph(i int) *graph.Graph {
	u, v := p.latent(p.z, i)
	s := matrix.New[float64](p.d, p.d)
	matrix.MulTB(s, u, v, 1)
	g := graph.New(p.d)
	for k, f := range p.fixed {
		if f == 1 || f < 0 && s.Data[k] > 0 {
			g.AddEdge(k/p.d, k%p.d)
		}
	}
	return g
}

func (p *particles) Done() int { return p.step }

// Values returns the means of the last step over the particles.
func (p *particles) Values() (score, h float64) { return p.value, p.h }

// Advance makes one step. It makes none if the context ends.
func (p *particles) Advance(ctx context.Context) error {
	threads := p.threads
	for len(p.workers) < max(1, threads) {
		p.workers = append(p.workers, newWorker(p))
	}
	grad := make([]float64, len(p.z))
	values, hs, errs := make([]float64, p.m), make([]float64, p.m), make([]error, p.m)
	parallel.Each(ctx, p.m, threads, func(k int) func(int) {
		return func(i int) { values[i], hs[i], errs[i] = p.workers[k].gradient(grad, i) }
	})
	if err := errors.Join(errs...); err != nil || ctx.Err() != nil {
		return err
	}
	size := 2 * p.d * p.d
	kernel := matrix.New[float64](p.m, p.m)
	parallel.For(p.m, threads, func(i int) {
		for j := range p.m {
			sum := 0.0
			for k, v := range p.z[i*size : (i+1)*size] {
				d := v - p.z[j*size+k]
				sum += d * d
			}
			kernel.Set(i, j, math.Exp(-sum/bandwidth))
		}
	})
	next := make([]float64, len(p.z))
	parallel.For(p.m, threads, func(i int) {
		at := p.z[i*size : (i+1)*size]
		phi := next[i*size : (i+1)*size]
		for j := range p.m {
			k := kernel.At(i, j) / float64(p.m)
			vec.Axpy(phi, k, grad[j*size:(j+1)*size])
			for e, v := range p.z[j*size : (j+1)*size] { // the gradient of the kernel drives particles apart
				phi[e] += k * 2 / bandwidth * (at[e] - v)
			}
		}
		for e, g := range phi {
			s := &p.square[i*size+e]
			*s = decay**s + (1-decay)*g*g
			phi[e] = at[e] + p.rate*g/math.Sqrt(*s+1e-8)
		}
	})
	p.z = next
	p.step++
	p.value, p.h = 0, 0
	for i := range p.m {
		p.value += values[i] / float64(p.m)
		p.h += hs[i] / float64(p.m)
	}
	return nil
}

// mostCached limits the number of cached local scores of a worker.
const mostCached = 1 << 19

// A worker computes gradients on one goroutine.
type worker struct {
	p                 *particles
	eval              search.Evaluator
	h                 solve.Constraint[float64]
	cache             []map[uint64]float64 // local scores by column and set of parents, up to 64 columns
	cached            int
	s, prob, g        *matrix.Dense[float64] // logits, probabilities, gradient by the logits
	w, dh             *matrix.Dense[float64]
	drawn             []bool // drawn parents of a column, one set after the other
	weights           []float64
	parents, possible []int
}

func newWorker(p *particles) *worker {
	square := func() *matrix.Dense[float64] { return matrix.New[float64](p.d, p.d) }
	w := &worker{p: p, eval: p.bge.Evaluator(), h: p.constrain(), s: square(), prob: square(), g: square(), w: square(), dh: square(),
		drawn: make([]bool, p.draws*p.d), weights: make([]float64, p.draws), cache: make([]map[uint64]float64, p.d)}
	w.forget()
	return w
}

func (w *worker) forget() {
	for v := range w.cache {
		w.cache[v] = map[uint64]float64{}
	}
	w.cached = 0
}

// local returns the local score of v with w.parents.
func (w *worker) local(v int) float64 {
	if w.p.d > 64 {
		return w.eval.Score(v, w.parents)
	}
	key := uint64(0)
	for _, x := range w.parents {
		key |= 1 << x
	}
	s, ok := w.cache[v][key]
	if !ok {
		if w.cached == mostCached {
			w.forget()
		}
		s = w.eval.Score(v, w.parents)
		w.cache[v][key] = s
		w.cached++
	}
	return s
}

// settled is the logit below whose negative an edge is absent: its probability is less than 1e-13.
const settled = 30

// gradient writes the gradient of the log density of particle i to its part of dst. It returns the value of likelihood and the mean
// constraint.
func (w *worker) gradient(dst []float64, i int) (value, h float64, err error) {
	p := w.p
	alpha, beta := p.alpha*float64(p.step), p.beta*float64(p.step)
	u, v := p.latent(p.z, i)
	matrix.MulTB(w.s, u, v, 1)
	for k := range w.s.Data {
		if w.s.Data[k] *= alpha; w.s.Data[k] < -settled {
			w.s.Data[k] = math.Inf(-1)
		}
		switch w.prob.Data[k] = sigmoid(w.s.Data[k]); p.fixed[k] {
		case 0:
			w.prob.Data[k] = 0
		case 1:
			w.prob.Data[k] = 1
		}
	}
	rng := rand.New(rand.NewPCG(p.seed, uint64(p.step)<<24+uint64(i)+1))
	value = w.likelihood(rng)
	if h, err = w.acyclicity(rng, beta); err != nil {
		return value, h, err
	}
	du, dv := p.latent(dst, i)
	matrix.Mul(du, w.g, v, 1)
	matrix.MulTA(dv, w.g, u, 1)
	for k := range du.Data {
		du.Data[k] = alpha*du.Data[k] - float64(p.d)*u.Data[k]
		dv.Data[k] = alpha*dv.Data[k] - float64(p.d)*v.Data[k]
	}
	return value, h, nil
}

// likelihood sets g to the gradient of ln E p(G, D) by the logits. The edges of a particle are independent, and p(G, D) is a product over
// the columns, so that the expectation is a product of expectations over the parents of each column. With drawn parents G_k of a column
// and weights proportional to their local scores, its gradient is Σ w_k G_k - P. The authors weight whole graphs, which estimates the
// same with fewer effective draws. It returns the sum over the columns of the least drawn score.
func (w *worker) likelihood(rng *rand.Rand) (value float64) {
	p, d := w.p, w.p.d
	for v := range d {
		least := math.Inf(1)
		w.possible = w.possible[:0]
		for x := range d {
			if w.g.Data[x*d+v] = 0; w.prob.Data[x*d+v] > 0 {
				w.possible = append(w.possible, x)
			}
		}
		for k := range w.weights {
			w.parents = w.parents[:0]
			for _, x := range w.possible {
				e := x*d + v
				if w.drawn[k*d+x] = p.fixed[e] == 1 || rng.Float64() < w.prob.Data[e]; w.drawn[k*d+x] {
					w.parents = append(w.parents, x)
				}
			}
			w.weights[k] = w.local(v)
			least = min(least, w.weights[k])
		}
		value += least
		total := 0.0
		for k, s := range w.weights {
			w.weights[k] = math.Exp((least - s) / 2)
			total += w.weights[k]
		}
		for _, x := range w.possible {
			e := x*d + v
			if p.fixed[e] >= 0 {
				continue
			}
			for k, weight := range w.weights {
				if w.drawn[k*d+x] {
					w.g.Data[e] += weight / total
				}
			}
			w.g.Data[e] -= w.prob.Data[e]
		}
	}
	return value
}

// acyclicity adds the gradient of -β E h(G) by the logits to g, over graphs with entries σ(logit + logistic noise) instead of edges
// (Gumbel-softmax with temperature 1). It returns the mean of h.
func (w *worker) acyclicity(rng *rand.Rand, beta float64) (mean float64, err error) {
	p := w.p
	n := float64(p.soft)
	for range p.soft {
		for e, f := range p.fixed {
			g := float64(max(f, 0))
			if f < 0 && !math.IsInf(w.s.Data[e], -1) {
				g = sigmoid(w.s.Data[e] + posterior.Logistic(rng))
			}
			w.w.Data[e] = math.Sqrt(g * p.scale) // constraints square the entries
		}
		h, err := w.h.Eval(w.dh, w.w)
		if err != nil {
			return 0, err
		}
		mean += h / n
		for e, f := range p.fixed {
			if root := w.w.Data[e]; f < 0 && root > 0 {
				g := root * root / p.scale
				w.g.Data[e] -= beta / n * w.dh.Data[e] / (2 * root) * p.scale * g * (1 - g)
			}
		}
	}
	return mean, nil
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
