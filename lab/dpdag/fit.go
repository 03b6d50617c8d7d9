package dpdag

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// fit is the variational posterior of VI-DP-DAG. A graph is A∘U: the entries of A are independent edges with logits E, and U has the pairs
// of columns in an order. The fit maximizes
//
//	E ln p(D | A∘U, θ) - KL(q(A), prior)
//
// by gradients through the draws. Those of edges and order are the gradients of their relaxations (straight-through). The parameters θ of
// the model are point estimates. Therefore the prior odds of an edge are divided by √n, which is the penalty of BIC for a parameter.
//
// The order would settle at random before the weights are known. Therefore it moves slowly, and the likelihood counts less at first.
type fit struct {
	d         int
	prior     float64 // log odds of an edge, with the penalty
	rate      float64
	orders    int                // parameters of the order
	fixed     []int8             // for each entry: 1 for a required edge, 0 for a forbidden one, -1 for a free one
	theta     []float64          // of the order, of the edges, then of the model
	optimizer *network.Optimizer // of edges and model
	mover     *network.Optimizer // of the order
	seed      uint64
	threads   int
	rows      float64
	step      int
	steps     int
	value     float64 // minus the objective per row at the last step
	draws     []*draw
}

func newFit(m *Method, in *method.Input, newModel func() model) *fit {
	d := len(in.Names())
	f := &fit{
		d: d, prior: math.Log(m.Prior/(1-m.Prior)) - math.Log(float64(in.Moments.N))/2, rate: m.Rate, orders: d, fixed: network.Fixed(in), optimizer: network.Adam(), mover: network.Adam(), steps: m.Steps,
		seed: in.Seed, threads: in.Threads, rows: float64(in.Moments.N),
	}
	if m.Orders == Sinkhorn {
		f.orders = d * d
	}
	for range m.Draws {
		f.draws = append(f.draws, newDraw(f, m, newModel(), in.Required()))
	}
	f.theta = append(make([]float64, f.orders+d*d), f.draws[0].model.start(in.Seed)...)
	rng := rand.New(rand.NewPCG(in.Seed, 0x6470646167))
	for e := range d * d {
		f.theta[f.orders+e] = rng.Float64()
	}
	for _, w := range f.draws {
		w.grad = make([]float64, len(f.theta))
	}
	return f
}

// edges and model return the parts of theta or of a gradient.
func (f *fit) edges(x []float64) []float64 { return x[f.orders : f.orders+f.d*f.d] }
func (f *fit) model(x []float64) []float64 { return x[f.orders+f.d*f.d:] }

func (f *fit) Done() int { return f.step }

// Values returns minus the objective per row.
func (f *fit) Values() (score, h float64) { return f.value, 0 }

// These are the settings of the start: the rate of the order as a share of the others, the first weight of the likelihood, and the share of
// the steps in which the weight rises to 1.
const (
	orderRate   = 0.1
	firstWeight = 0.01
	rising      = 0.7
)

// Advance makes one step.
func (f *fit) Advance(context.Context) error {
	n := len(f.draws)
	values, errs := make([]float64, n), make([]error, n)
	parallel.For(n, f.threads, func(i int) {
		w := f.draws[i]
		w.sample(rand.New(rand.NewPCG(f.seed, uint64(f.step)<<16+uint64(i)+1)))
		values[i], errs[i] = w.gradient(f.step)
	})
	if err := errors.Join(errs...); err != nil {
		return err
	}
	grad, sum := make([]float64, len(f.theta)), 0.0
	weight := math.Pow(firstWeight, max(0, 1-float64(f.step)/(rising*float64(f.steps))))
	for i, w := range f.draws {
		sum += weight * values[i] / float64(n)
		for k, g := range w.grad {
			grad[k] -= weight * g / (float64(n) * f.rows)
		}
	}
	byEdge := f.edges(grad)
	for e, logit := range f.edges(f.theta) { // the divergence of each free edge from its prior
		if f.fixed[e] < 0 {
			q := sigmoid(logit)
			sum -= q*(logit-f.prior) - softplus(logit) + softplus(f.prior)
			byEdge[e] += q * (1 - q) * (logit - f.prior) / f.rows
		}
	}
	if f.value = -sum / f.rows; f.value-f.value != 0 {
		return fmt.Errorf("the objective is %v at step %d; use a smaller rate", f.value, f.step)
	}
	f.mover.Step(f.theta[:f.orders], grad[:f.orders], orderRate*f.rate)
	f.optimizer.Step(f.theta[f.orders:], grad[f.orders:], f.rate)
	f.step++
	return nil
}

// graph draws graph i of the result.
func (f *fit) graph(i int) *graph.Graph {
	w := f.draws[0]
	w.sample(rand.New(rand.NewPCG(f.seed, 1<<60+uint64(i))))
	g := graph.New(f.d)
	for e, v := range w.graph.Data {
		if v == 1 {
			g.AddEdge(e/f.d, e%f.d)
		}
	}
	return g
}

// total returns minus twice the log of prior and likelihood of a graph. An evaluation that fails counts as a likelihood of 0.
func (f *fit) total(g *graph.Graph) float64 {
	m := matrix.New[float64](f.d, f.d)
	for _, e := range g.Edges() {
		m.Set(e.From, e.To, 1)
	}
	v, err := f.draws[0].model.log(nil, nil, f.model(f.theta), m, -1)
	if err != nil {
		return math.MaxFloat64
	}
	return -2 * (v + f.prior*float64(g.NumEdges()))
}

// layout is the format version of Encode.
const layout = "dp-dag/1"

func (f *fit) Encode() []byte { return network.Encode(layout, f.fields) }

func (f *fit) Decode(b []byte) error { return network.Decode(layout, b, f.fields) }

func (f *fit) fields(c *network.Codec) {
	c.Int(&f.step)
	c.Float(&f.value)
	network.Floats(c, f.theta)
	f.mover.Fields(c, len(f.theta))
	f.optimizer.Fields(c, len(f.theta))
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// softplus is ln(1 + eˣ).
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
