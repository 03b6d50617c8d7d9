package alias

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/lab/network"
)

// policy is a normal distribution of vectors with independent entries, N(mean, exp(log)²), that moves towards vectors whose graphs have a good
// score. A step draws graphs and follows
//
//	mean over graphs of A·∇ log density(z),   A = (reward - mean)/(standard deviation),   reward = -score,
//
// by Adam. That is PPO with one pass over each batch, as in the authors' program: the ratio of densities is then 1 and never clipped. There a
// network computes the mean, but it has a constant input, and here the mean is a parameter itself.
type policy struct {
	decoder decoder
	scorer  *scorer
	graphs  int
	steps   int // of each start
	rate    float64
	seed    uint64
	threads int

	theta, grad []float64 // mean, then log
	optimizer   *network.Optimizer
	best        []uint64 // parents of the best graph so far
	least       float64  // its score
	step        int

	sources   []*rand.PCG // random numbers of each graph
	random    []*rand.Rand
	deviation []float64
	noise     []float64 // standardized vectors, one after the other
	drawn     []uint64
	locals    []float64
	totals    []float64
	buffers   []buffer // of each thread
}

type buffer struct {
	z            []float64
	order, place []int
}

func newPolicy(m *Method, c decoder, s *scorer, seed uint64, threads int) *policy {
	p := &policy{
		decoder: c, scorer: s, graphs: m.Graphs, steps: m.Steps, rate: m.Rate, deviation: make([]float64, c.size()), seed: seed, threads: threads, optimizer: network.Adam(), least: math.Inf(1),
		theta: make([]float64, 2*c.size()), grad: make([]float64, 2*c.size()), best: make([]uint64, c.d*c.words()),
		noise: make([]float64, m.Graphs*c.size()), drawn: make([]uint64, m.Graphs*c.d*c.words()), locals: make([]float64, m.Graphs*c.d), totals: make([]float64, m.Graphs),
	}
	for range m.Graphs {
		source := rand.NewPCG(0, 0)
		p.sources, p.random = append(p.sources, source), append(p.random, rand.New(source))
	}
	for range max(1, threads) {
		p.buffers = append(p.buffers, buffer{make([]float64, c.size()), make([]int, c.d), make([]int, c.d)})
	}
	return p
}

func (p *policy) Done() int { return p.step }

// Values returns the best score.
func (p *policy) Values() (score, h float64) {
	if p.step == 0 {
		return 0, 0
	}
	return p.least, 0
}

// Advance makes one step. The first step of each start begins with the standard normal distribution, and after the last one the graph of the
// mean is evaluated, too.
func (p *policy) Advance(ctx context.Context) error {
	if p.step%p.steps == 0 {
		clear(p.theta)
		p.optimizer = network.Adam()
	}
	p.draw(p.step)
	p.scorer.locals(ctx, p.locals, p.drawn)
	if ctx.Err() != nil {
		return nil
	}
	d, sets := p.decoder.d, p.decoder.d*p.decoder.words()
	for k := range p.totals {
		parents := p.drawn[k*sets : (k+1)*sets]
		if p.totals[k] = p.scorer.total(p.locals[k*d:(k+1)*d], parents); p.totals[k] < p.least {
			p.least = p.totals[k]
			copy(p.best, parents)
		}
	}
	if advantages(p.totals) {
		p.ascend()
		p.optimizer.Step(p.theta, p.grad, p.rate)
	}
	if p.step++; p.step%p.steps == 0 {
		if mode := p.mode(); p.scorer.graph(mode) < p.least {
			p.best, p.least = mode, p.scorer.graph(mode)
		}
	}
	return nil
}

// draw draws the vectors of a step and decodes them.
func (p *policy) draw(step int) {
	size, sets := p.decoder.size(), p.decoder.d*p.decoder.words()
	for i, log := range p.theta[size:] {
		p.deviation[i] = math.Exp(log)
	}
	parallel.Each(context.Background(), p.graphs, len(p.buffers), func(worker int) func(int) {
		b := p.buffers[worker]
		return func(k int) {
			p.sources[k].Seed(p.seed, 0x616c<<48+uint64(step)<<16+uint64(k))
			noise := p.noise[k*size : (k+1)*size]
			for i := range b.z {
				noise[i] = p.random[k].NormFloat64()
				b.z[i] = p.theta[i] + p.deviation[i]*noise[i]
			}
			p.decoder.decode(p.drawn[k*sets:(k+1)*sets], b.z, b.order, b.place)
		}
	})
}

// ascend sets grad to minus the gradient of the mean of advantage times log density, from the advantages in totals. The derivatives of the log
// density are noise/exp(log) by the mean and noise² - 1 by log.
func (p *policy) ascend() {
	size := p.decoder.size()
	clear(p.grad)
	for k, a := range p.totals {
		a /= float64(p.graphs)
		for i, e := range p.noise[k*size : (k+1)*size] {
			p.grad[i] -= a * e
			p.grad[size+i] -= a * (e*e - 1)
		}
	}
	for i, sd := range p.deviation {
		p.grad[i] /= sd
	}
}

// advantages replaces scores by standardized rewards. An infinite score counts as the worst finite one. It returns false if all graphs are
// equally good, which tells nothing.
func advantages(scores []float64) bool {
	worst := math.Inf(-1)
	for _, s := range scores {
		if !math.IsInf(s, 0) {
			worst = max(worst, s)
		}
	}
	n, mean, square := float64(len(scores)), 0.0, 0.0
	for k, s := range scores {
		if math.IsInf(s, 0) {
			s = worst
		}
		scores[k] = -s
		mean -= s / n
	}
	for k := range scores {
		scores[k] -= mean
		square += scores[k] * scores[k] / n
	}
	if !(square > 0) {
		return false
	}
	deviation := math.Sqrt(square)
	for k := range scores {
		scores[k] /= deviation
	}
	return true
}

// mode returns the parents of the graph of the mean.
func (p *policy) mode() []uint64 {
	out := make([]uint64, len(p.best))
	p.decoder.decode(out, p.theta[:p.decoder.size()], p.buffers[0].order, p.buffers[0].place)
	return out
}

// layout is the format version of Encode.
const layout = "alias/1"

func (p *policy) Encode() []byte { return network.Encode(layout, p.fields) }

func (p *policy) Decode(b []byte) error { return network.Decode(layout, b, p.fields) }

func (p *policy) fields(c *network.Codec) {
	c.Int(&p.step)
	c.Float(&p.least)
	c.Words(p.best)
	network.Floats(c, p.theta)
	p.optimizer.Fields(c, len(p.theta))
}
