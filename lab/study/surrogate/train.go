package surrogate

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// A training fits the weights of a network to examples.
type training struct {
	kind    Kind
	d       int
	steps   int
	batch   int
	threads int
	seed    uint64
}

// run minimizes the squared error of log h plus that of its change over a small random step, which is what teaches the slopes. The change
// is weighed so that a slope that is wrong by its own size counts like an error of log h of 1.
func (t training) run(ctx context.Context, list []example, tell func(share float64)) ([]float64, error) {
	workers, parts := make([]*graph, t.batch), make([][]float64, t.batch)
	for i := range workers {
		workers[i] = newGraph(t.kind, t.d, true)
		parts[i] = make([]float64, workers[0].size())
	}
	rng := rand.New(rand.NewPCG(t.seed, uint64(t.d)))
	weights := matrix.Of(1, len(parts[0]), workers[0].start(rng))
	grad := matrix.New[float64](1, len(weights.Data))
	adam := solve.NewAdam[float64](rate)
	seeds := make([]uint64, t.batch)
	for step := range t.steps {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		tell(float64(step) / float64(t.steps))
		for i := range seeds {
			seeds[i] = rng.Uint64()
		}
		parallel.For(t.batch, t.threads, func(i int) {
			own := rand.New(rand.NewPCG(seeds[i], 0))
			clear(parts[i])
			workers[i].load(weights.Data)
			workers[i].step(list[own.IntN(len(list))], parts[i], own)
		})
		parallel.For(t.threads, t.threads, func(k int) {
			lo, hi := k*len(grad.Data)/t.threads, (k+1)*len(grad.Data)/t.threads
			clear(grad.Data[lo:hi])
			for _, part := range parts {
				for k, v := range part[lo:hi] {
					grad.Data[lo+k] += v / float64(t.batch)
				}
			}
		})
		adam.Rate = rate * (1 - float64(step)/float64(t.steps))
		adam.Step(weights, grad)
	}
	return weights.Data, nil
}

// rate is the first rate of Adam. It falls to zero.
const rate = 1e-3

// step adds the gradient of the loss of one example in the weights.
func (g *graph) step(e example, dst []float64, rng *rand.Rand) {
	e.w = shuffled(e.w, rng)
	other, err := e.near(rng)
	if err != nil {
		return
	}
	first, failed := g.value(e.w)
	second, err := g.value(other.w)
	if failed != nil || err != nil {
		return
	}
	weight := 1 / (0.01 + math.Pow(other.log-e.log, 2))
	wrong := (second - first) - (other.log - e.log)
	g.tape.Backward(g.out, 2*((second-other.log)+weight*wrong))
	if _, err := g.value(e.w); err != nil { // the tape has the values of the other matrix
		return
	}
	g.tape.Backward(g.out, 2*((first-e.log)-weight*wrong))
	g.tape.AddGradient(dst)
}
