package bcdnets

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/lab/posterior"
	"github.com/polydag/polydag/lab/tape"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// These are constants of the authors' program.
const (
	mostLogit  = 10.0 // bound of the logits of the order
	priorScale = 3.0  // prior standard deviation of a log noise scale
	leak       = 0.01
	iterations = 30 // Sinkhorn iterations; the authors iterate to a tolerance
)

// startScale is the initial log standard deviation of the weights under q.
const startScale = -3

// fit is the variational posterior
//
//	q(L, s) q(P | L, s),
//
// where L has the weights between positions of an order, s the log noise scales of the columns, and P is the order. q(L, s) is normal with
// independent entries. A network maps a draw of (L, s) to the logits X of the order, and q(P | L, s) is proportional to exp⟨P, X⟩ and
// drawn by Gumbel-Sinkhorn. The fit maximizes the evidence lower bound
//
//	E ln p(D | P, L, s) + ln p(L) + ln p(s) - ln q(L, s) - ln q(P | L, s)
//
// by gradients through the draws. That of the order is the gradient of its relaxation (straight-through).
type fit struct {
	d, weights    int // columns, entries of L
	n             float64
	moments       *matrix.Dense[float64] // correlations
	temperature   float64
	prior         horseshoe
	forbidden     []bool
	required      []graph.Edge
	seed          uint64
	threads       int
	rate          float64
	theta         []float64 // means and log standard deviations of (L, s), then the network
	optimizer     *network.Optimizer
	step          int
	value         float64 // minus the bound per row at the last step
	train, sample *batch
}

// batch is the network for a number of draws.
type batch struct {
	*tape.Tape
	z, logits, out *tape.Node
	noise          *matrix.Dense[float64]
	samples        []*sample
	theta, grad    []float64 // draws of (L, s), then the network
}

func newFit(m *Method, in *method.Input) *fit {
	d := len(in.Names())
	f := &fit{
		d: d, weights: d * (d - 1) / 2, n: float64(in.Moments.N), moments: in.Moments.Correlation(), temperature: m.Temperature,
		prior: newHorseshoe(m.Degree, d, float64(in.Moments.N)), forbidden: network.Forbidden(in), required: in.Required(),
		seed: in.Seed, threads: in.Threads, rate: m.Rate, optimizer: network.Adam(),
	}
	f.train, f.sample = f.batch(m.Draws, m.Hidden), f.batch(1, m.Hidden)
	size := f.size()
	f.theta = make([]float64, 2*size+f.train.Parameters()-m.Draws*size)
	for i := range size {
		f.theta[size+i] = startScale
	}
	rng := rand.New(rand.NewPCG(f.seed, 0x626364))
	at := 2 * size
	for _, layer := range [][2]int{{size, m.Hidden}, {m.Hidden, m.Hidden}, {m.Hidden, d * d}} {
		network.Glorot(f.theta[at:at+layer[0]*layer[1]], layer[0], layer[1], leak, rng)
		at += (layer[0] + 1) * layer[1]
	}
	return f
}

// size returns the number of entries of (L, s).
func (f *fit) size() int { return f.weights + f.d }

func (f *fit) batch(draws, hidden int) *batch {
	t := tape.New(f.threads)
	b := &batch{Tape: t, z: t.Param(draws, f.size()), noise: matrix.New[float64](draws, f.size()), samples: make([]*sample, draws)}
	at, from := b.z, f.size()
	for _, units := range []int{hidden, hidden, f.d * f.d} {
		w, bias := t.Param(from, units), t.Param(1, units)
		at, from = t.AddRow(t.Product(at, w), bias), units
		if units == hidden {
			at = t.LeakyReLU(at, leak)
		}
	}
	b.logits = t.Scale(t.Tanh(t.Scale(at, 1/mostLogit)), mostLogit)
	for i := range b.samples {
		b.samples[i] = newSample(f)
	}
	b.out = t.Function(func(grads, x []*matrix.Dense[float64]) (float64, error) {
		values := make([]float64, draws)
		parallel.For(draws, f.threads, func(i int) {
			values[i] = b.samples[i].bound(grads[0].Row(i), grads[1].Row(i), x[0].Row(i), x[1].Row(i))
		})
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		return sum, nil
	}, b.z, b.logits)
	b.theta, b.grad = make([]float64, t.Parameters()), make([]float64, t.Parameters())
	return b
}

// draw draws (L, s) and the Gumbel noise of the orders, and runs the network. Draws depend only on the seed and the number of the step.
func (f *fit) draw(b *batch, step uint64) (float64, error) {
	size := f.size()
	for i, s := range b.samples {
		rng := rand.New(rand.NewPCG(f.seed, step<<16+uint64(i)+1))
		for k := range size {
			e := rng.NormFloat64()
			b.noise.Set(i, k, e)
			b.theta[i*size+k] = f.theta[k] + math.Exp(f.theta[size+k])*e
		}
		for k := range s.gumbel {
			s.gumbel[k] = posterior.Gumbel(rng)
		}
	}
	copy(b.theta[len(b.samples)*size:], f.theta[2*size:])
	b.Load(b.theta)
	return b.Forward(b.out)
}

func (f *fit) Done() int { return f.step }

// Values returns minus the bound per row.
func (f *fit) Values() (score, h float64) { return f.value, 0 }

// Advance makes one step.
func (f *fit) Advance(context.Context) error {
	b, size, draws := f.train, f.size(), len(f.train.samples)
	v, err := f.draw(b, uint64(f.step))
	if err != nil {
		return err
	}
	weight := 1 / (f.n * float64(draws))
	clear(b.grad)
	b.Backward(b.out, -weight)
	b.AddGradient(b.grad)
	grad := make([]float64, len(f.theta))
	entropy := 0.0
	for k := range size {
		sigma := math.Exp(f.theta[size+k])
		for i := range draws {
			g := b.grad[i*size+k]
			grad[k] += g
			grad[size+k] += g * sigma * b.noise.At(i, k)
		}
		grad[size+k] -= 1 / f.n // the entropy of q(L, s) is Σ ln σ
		entropy += f.theta[size+k]
	}
	copy(grad[2*size:], b.grad[draws*size:])
	if f.value = -(v*weight + entropy/f.n); f.value-f.value != 0 {
		return fmt.Errorf("the bound is %v at step %d; use a smaller rate", f.value, f.step)
	}
	f.optimizer.Step(f.theta, grad, f.rate)
	f.step++
	return nil
}

// graphs draws graphs from q: the edges whose weights are above the threshold, and the required ones.
func (f *fit) graphs(n int, threshold float64) ([]*graph.Graph, error) {
	out := make([]*graph.Graph, n)
	for i := range out {
		if _, err := f.draw(f.sample, 1<<40+uint64(i)); err != nil {
			return nil, err
		}
		out[i] = graph.New(f.d)
		for e, w := range f.sample.samples[0].w.Data {
			if math.Abs(w) > threshold {
				out[i].AddEdge(e/f.d, e%f.d)
			}
		}
		for _, e := range f.required {
			out[i].AddEdge(e.From, e.To)
		}
	}
	return out, nil
}

// layout is the format version of Encode.
const layout = "bcd-nets/1"

func (f *fit) Encode() []byte { return network.Encode(layout, f.fields) }

func (f *fit) Decode(b []byte) error { return network.Decode(layout, b, f.fields) }

func (f *fit) fields(c *network.Codec) {
	c.Int(&f.step)
	c.Float(&f.value)
	network.Floats(c, f.theta)
	f.optimizer.Fields(c, len(f.theta))
}
