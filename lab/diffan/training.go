package diffan

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/lab/tape"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// These are the settings of the diffusion, from the authors' program: noise steps, and the first and last variance of a step.
const (
	noiseSteps = 100
	firstBeta  = 1e-4
	lastBeta   = 0.02
)

// signal returns ᾱ_t, the share of the variance of noisy rows at noise step t that is not noise, t = 0 to noiseSteps - 1.
func signal(t int) float64 {
	product := 1.0
	for k := range t + 1 {
		product *= 1 - (firstBeta + (lastBeta-firstBeta)*float64(k)/(noiseSteps-1))
	}
	return product
}

// mostRows is the largest number of rows for the training, spread over the table.
const mostRows = 100_000

// heldOut is the share of rows, one in so many, that choose among the networks of a training. Every so many steps they are evaluated.
const (
	heldOut   = 5
	evaluated = 50
)

// training fits the network ε(x, t) that predicts the noise in √ᾱ_t x + √(1-ᾱ_t) ε (Ho, Jain and Abbeel 2020). It keeps the parameters
// with the least error on held-out rows.
type training struct {
	x            *matrix.Dense[float64]
	batch        int
	rate         float64
	seed         uint64
	signals      []float64
	loss         *network.Graph
	noise        *tape.Node // what the network is to predict
	rows         *matrix.Dense[float64]
	theta, grad  []float64
	best         []float64
	least, value float64 // error of best on held-out rows, and of the last batch
	optimizer    *network.Optimizer
	step, steps  int
}

func newTraining(m *Method, x *matrix.Dense[float64], in *method.Input) *training {
	d := x.Cols
	t := &training{
		x: x, batch: m.Batch, rate: m.Rate, steps: m.Steps, seed: in.Seed, rows: matrix.New[float64](m.Batch, d+1), least: math.Inf(1), optimizer: network.Adam(),
	}
	for k := range noiseSteps {
		t.signals = append(t.signals, signal(k))
	}
	tp := tape.New(in.Threads)
	input := tp.Input(m.Batch, d+1)
	at, from := input, d+1
	t.noise = tp.Input(m.Batch, d)
	rng := rand.New(rand.NewPCG(in.Seed, 0x64696666))
	for k, units := range []int{m.Hidden, m.Hidden, d} {
		at = tp.AddRow(tp.Product(at, tp.Param(from, units)), tp.Param(1, units))
		if k < 2 {
			at = tp.Tanh(at)
		}
		w := make([]float64, (from+1)*units)
		for i := range from * units {
			w[i] = (2*rng.Float64() - 1) / math.Sqrt(float64(from))
		}
		t.theta, from = append(t.theta, w...), units
	}
	t.loss = &network.Graph{Tape: tp, X: input, Out: tp.SumSquares(tp.Sub(at, t.noise))}
	t.grad, t.best = make([]float64, len(t.theta)), slices.Clone(t.theta)
	return t
}

// fill draws noisy rows, held out ones or the others.
func (t *training) fill(rng *rand.Rand, held bool) {
	d := t.x.Cols
	for i := range t.batch {
		k := rng.IntN(t.x.Rows)
		if t.x.Rows >= 2*heldOut {
			if k -= k % heldOut; !held {
				k += 1 + rng.IntN(heldOut-1)
			}
			k = min(k, t.x.Rows-1)
		}
		level := rng.IntN(noiseSteps)
		keep, add := math.Sqrt(t.signals[level]), math.Sqrt(1-t.signals[level])
		row, noise := t.rows.Row(i), t.noise.Value.Row(i)
		for j, v := range t.x.Row(k) {
			noise[j] = rng.NormFloat64()
			row[j] = keep*v + add*noise[j]
		}
		row[d] = input(level)
	}
}

// input returns the number by which the network gets a noise step.
func input(level int) float64 { return 2*float64(level)/(noiseSteps-1) - 1 }

func (t *training) Done() int { return t.step }

// Values returns the error of the last batch per entry.
func (t *training) Values() (score, h float64) { return t.value, 0 }

// Advance makes one step. The rate falls to 0 along a cosine.
func (t *training) Advance(context.Context) error {
	t.fill(rand.New(rand.NewPCG(t.seed, 0x6e<<32+uint64(t.step))), false)
	clear(t.grad)
	t.loss.Load(t.theta)
	weight := 1 / float64(t.batch*t.x.Cols)
	v, err := t.loss.Run(t.rows, t.grad, weight)
	if err != nil {
		return fmt.Errorf("step %d: %w; use a smaller rate", t.step, err)
	}
	t.value = v * weight
	t.optimizer.Step(t.theta, t.grad, t.rate*(1+math.Cos(math.Pi*float64(t.step)/float64(t.steps)))/2)
	if t.step++; t.step%evaluated == 0 {
		return t.evaluate(weight)
	}
	return nil
}

// evaluate keeps the parameters if they are the best so far. The noise is the same every time.
func (t *training) evaluate(weight float64) error {
	rng, sum := rand.New(rand.NewPCG(t.seed, 0x68)), 0.0
	t.loss.Load(t.theta)
	for range 4 {
		t.fill(rng, true)
		v, err := t.loss.Run(t.rows, nil, 0)
		if err != nil {
			return err
		}
		sum += v * weight / 4
	}
	if sum < t.least {
		t.least = sum
		copy(t.best, t.theta)
	}
	return nil
}

// layout is the format version of Encode.
const layout = "diffan/1"

func (t *training) Encode() []byte { return network.Encode(layout, t.fields) }

func (t *training) Decode(b []byte) error { return network.Decode(layout, b, t.fields) }

func (t *training) fields(c *network.Codec) {
	c.Int(&t.step)
	c.Float(&t.value, &t.least)
	network.Floats(c, t.theta, t.best)
	t.optimizer.Fields(c, len(t.theta))
}
