package sam

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// These are constants of the authors' program.
const (
	firstLogit = 2.0 // of every gate: all generators see nearly all columns at first
	dagStart   = 0.5 // share of the steps before the acyclicity penalty begins
	averaged   = 0.1 // share of the steps, the last ones, whose edge probabilities are averaged
)

// mostLogit bounds the logits of gates, which have no bound in the authors' program. An edge that has long been sure then takes too long to
// fall when the acyclicity penalty begins.
const mostLogit = 4.0

// gateStart is the share of the steps before gates begin to move. Without it the penalty closes them before the networks have learned curves.
const gateStart = 0.2

// game is the state of the training between two steps. Critic and generators move at the same time, the critic down its loss and the
// generators and gates down
//
//	L + λ·(number of edges) + λ'·(number of units) + ρ·h(P),
//
// with the loss L of the generators, the probabilities P of the edges and ρ growing linearly from 0 after half of the steps.
type game struct {
	set    *Method
	x      *matrix.Dense[float64]
	model  *model
	fixed  []int8 // 1 for a required edge, 0 for a forbidden one and -1 for a free one
	seed   uint64
	logits []float64 // of the gates of the edges, (i, j) at i·d + j, and then of the units
	chance []float64 // probabilities of the edges
	theta  []float64 // gates of the units as drawn, generators, critic
	grad   []float64
	other  []float64 // buffer for a gradient
	soft   []float64 // slope of each drawn gate of a unit by its logit
	slope  []float64 // gradient of the logits

	generators, critic, gates *network.Optimizer

	p, gradH *matrix.Dense[float64] // √(scale·P), and the gradient of h
	mean     []float64              // mean of P over the last steps of all runs
	step     int
	value, h float64 // loss of the critic, and h
}

func newGame(m *Method, x *matrix.Dense[float64], in *method.Input) *game {
	d := x.Cols
	g := &game{
		set: m, x: x, model: newModel(d, m.Hidden, m.Critic, m.Batch, m.Loss, in.Threads), seed: in.Seed, fixed: network.Fixed(in),
		p: matrix.New[float64](d, d), gradH: matrix.New[float64](d, d), mean: make([]float64, d*d),
	}
	g.theta = make([]float64, g.model.tape.Parameters())
	g.other = make([]float64, len(g.theta))
	units := d * m.Hidden
	g.grad, g.soft, g.chance = make([]float64, len(g.theta)), make([]float64, units), make([]float64, d*d)
	g.logits, g.slope = make([]float64, d*d+units), make([]float64, d*d+units)
	return g
}

// begin starts a run with new parameters.
func (g *game) begin(run int) {
	g.model.start(g.theta[len(g.soft):], rand.New(rand.NewPCG(g.seed, 0x73616d<<32+uint64(run))))
	for i := range g.logits {
		g.logits[i] = firstLogit
	}
	g.generators, g.critic, g.gates = network.Adam(), network.Adam(), network.Adam()
}

// Done returns the number of steps made, over all runs.
func (g *game) Done() int { return g.step }

// Values returns the loss of the critic in the last step, and h.
func (g *game) Values() (score, h float64) { return g.value, g.h }

// Advance makes one step.
func (g *game) Advance(context.Context) error {
	at := g.step % g.set.Steps
	if at == 0 {
		g.begin(g.step / g.set.Steps)
	}
	rng := rand.New(rand.NewPCG(g.seed, 0x6a<<56+uint64(g.step)))
	g.draw(rng)
	if err := g.differentiate(g.weight(at)); err != nil {
		return fmt.Errorf("step %d: %w; use smaller rates", g.step, err)
	}
	units := len(g.soft)
	split := units + g.model.generators()
	g.generators.Step(g.theta[units:split], g.grad[units:split], g.set.Rate)
	g.critic.Step(g.theta[split:], g.grad[split:], g.set.CriticRate)
	if float64(at) >= gateStart*float64(g.set.Steps) {
		g.gates.Step(g.logits, g.slope, g.set.EdgeRate)
	}
	for i, logit := range g.logits {
		g.logits[i] = max(-mostLogit, min(logit, mostLogit))
	}
	g.step++
	if first := g.set.Steps - g.last(); at >= first {
		for e := range g.mean {
			g.mean[e] += g.probability(e) / float64(g.last()*g.set.Runs)
		}
	}
	return nil
}

// last returns the number of steps of a run whose probabilities are averaged.
func (g *game) last() int { return max(1, int(averaged*float64(g.set.Steps))) }

// weight returns ρ at a step of a run.
func (g *game) weight(at int) float64 {
	done := float64(at) / float64(g.set.Steps)
	return g.set.Acyclicity * max(0, done-dagStart) / (1 - dagStart)
}

// probability returns that of an edge.
func (g *game) probability(e int) float64 {
	if g.fixed[e] >= 0 {
		return float64(g.fixed[e])
	}
	return sigmoid(g.logits[e])
}

// draw draws the gates and the rows. The gate of a unit is 1 if its logit plus logistic noise is positive, and has the slope of σ(logit + noise)
// (Maddison, Mnih and Teh 2017).
func (g *game) draw(rng *rand.Rand) {
	for e := range g.chance {
		g.chance[e] = g.probability(e)
	}
	for i, logit := range g.logits[len(g.chance):] {
		u := rng.Float64()
		noisy := logit + math.Log((u+1e-12)/(1-u))
		s := sigmoid(noisy)
		if g.theta[i], g.soft[i] = 0, s*(1-s); noisy > 0 {
			g.theta[i] = 1
		}
	}
	g.model.fill(g.x, g.chance, rng)
}

// differentiate evaluates the objectives at the rows and gates of the model, and sets the gradients of the parameters and the logits.
func (g *game) differentiate(rho float64) error {
	m := g.model
	m.tape.Load(g.theta)
	v, err := m.tape.Forward(m.out)
	if err != nil {
		return err
	}
	if v-v != 0 {
		return fmt.Errorf("the loss of the critic is %v", v)
	}
	g.value = v
	split := len(g.soft) + m.generators() // each side moves by its own loss
	clear(g.grad)
	m.tape.Backward(m.aim, 1)
	m.tape.AddGradient(g.grad)
	clear(g.other)
	m.tape.Backward(m.out, 1)
	m.tape.AddGradient(g.other)
	copy(g.grad[split:], g.other[split:])
	if err := g.constrain(); err != nil {
		return err
	}
	edges, units := g.slope[:len(g.chance)], g.slope[len(g.chance):]
	clear(edges)
	m.covary(edges, g.chance)
	for e, p := range g.chance {
		edges[e] += (g.set.Sparsity + rho*g.slopeH(e)) * p * (1 - p)
	}
	for i, s := range g.soft {
		units[i] = (g.grad[i] + g.set.Units) * s
	}
	return nil
}

// constrain sets h and its gradient at the probabilities of the edges. Each constraint is scaled so that a cycle of two sure edges has the
// value 1.
func (g *game) constrain() error {
	h, scale, factor := g.set.constraint(g.model.d)
	for e := range g.p.Data {
		g.p.Data[e] = math.Sqrt(scale * g.probability(e))
	}
	v, err := h.Eval(g.gradH, g.p)
	g.h = factor * v
	for e := range g.gradH.Data {
		g.gradH.Data[e] *= factor * scale
	}
	return err
}

// slopeH returns the derivative of h by the probability of an edge.
func (g *game) slopeH(e int) float64 {
	if w := g.p.Data[e]; w > 0 {
		return g.gradH.Data[e] / (2 * w)
	}
	return 0
}

// layout is the format version of Encode.
const layout = "sam/1"

func (g *game) Encode() []byte { return network.Encode(layout, g.fields) }

func (g *game) Decode(b []byte) error { return network.Decode(layout, b, g.fields) }

func (g *game) fields(c *network.Codec) {
	c.Int(&g.step)
	c.Float(&g.value, &g.h)
	network.Floats(c, g.mean)
	if g.step == 0 {
		return
	}
	network.Floats(c, g.logits, g.theta)
	for _, o := range []**network.Optimizer{&g.generators, &g.critic, &g.gates} {
		if *o == nil {
			*o = network.Adam()
		}
		(*o).Fields(c, len(g.theta)) // a part has fewer parameters, and gates have none before their first step
	}
}
