package enco

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/internal/parallel"
	networks "github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// numbers are one number for each ordered pair of columns, moved by Adam one by one: a number counts its own steps, because it moves
// only where rows with interventions tell about it.
type numbers struct {
	w, m, v []float64
	steps   []int
	rate    float64
	beta2   float64
}

func newNumbers(size int, rate, beta2 float64) *numbers {
	return &numbers{make([]float64, size), make([]float64, size), make([]float64, size), make([]int, size), rate, beta2}
}

// move makes one step on number k against its gradient.
func (x *numbers) move(k int, gradient float64) {
	const beta1 = 0.9
	x.steps[k]++
	t := float64(x.steps[k])
	x.m[k] = beta1*x.m[k] + (1-beta1)*gradient
	x.v[k] = x.beta2*x.v[k] + (1-x.beta2)*gradient*gradient
	x.w[k] -= x.rate * (x.m[k] / (1 - math.Pow(beta1, t))) / (math.Sqrt(x.v[k]/(1-math.Pow(x.beta2, t))) + 1e-8)
}

// learner has the state between two epochs. The edge from i to j exists with probability σ(edge_ij) σ(order_ij), where order_ij is
// -order_ji.
type learner struct {
	set         *Method
	x           *rows
	networks    []*network
	edge, order *numbers
	fixed       []int8 // for each pair: 1 for a required edge, 0 for a forbidden one, -1 for a free one
	epoch       int
	value       float64 // mean negative log-likelihood of a row in the last epoch
	seed        uint64
	threads     int
	masks       []*matrix.Dense[float32] // for each column, its parents in every random graph
	losses      [][]float64
}

func newLearner(ctx context.Context, m *Method, in *method.Input) (*learner, error) {
	x, err := readRows(ctx, in)
	if err != nil {
		return nil, err
	}
	l := start(m, x, in.Seed, in.Threads)
	l.fixed = networks.Fixed(in)
	return l, nil
}

// start returns the learner before the first epoch, with no edge allowed.
func start(m *Method, x *rows, seed uint64, threads int) *learner {
	d := x.d
	l := &learner{
		set: m, x: x, seed: seed, threads: threads, fixed: make([]int8, d*d),
		edge: newNumbers(d*d, m.EdgeRate, 0.9), order: newNumbers(d*d, m.OrderRate, 0.999),
	}
	for j := range d {
		l.networks = append(l.networks, newNetwork(x, j, m.Hidden, rand.New(rand.NewPCG(seed, 0x656e636f<<16+uint64(j)))))
		masks := matrix.New[float32](m.Graphs, d+1)
		for k := range m.Graphs {
			masks.Row(k)[d] = 1
		}
		l.masks, l.losses = append(l.masks, masks), append(l.losses, make([]float64, m.Graphs))
	}
	return l
}

// probability returns the probability of the edge from i to j.
func (l *learner) probability(i, j int) float64 {
	k := i*l.x.d + j
	if l.fixed[k] >= 0 {
		return float64(l.fixed[k])
	}
	return sigmoid(l.edge.w[k]) * sigmoid(l.order.w[k])
}

// advance makes one epoch: the networks are fitted to graphs that are drawn from the edge probabilities, and then the probabilities are
// moved. If the context ends, the epoch does not count.
func (l *learner) advance(ctx context.Context) {
	d := l.x.d
	parallel.For(d, l.threads, func(j int) {
		p := make([]float64, d)
		for i := range p {
			p[i] = l.probability(i, j)
		}
		l.networks[j].train(ctx, l.set, l.random(1, j), p, l.epoch*l.set.FitSteps)
	})
	var environments []int
	for k, rows := range l.x.judge {
		if len(rows) > 0 {
			environments = append(environments, k)
		}
	}
	rng := l.random(2, 0)
	sum, count := 0.0, 0
	for step := 0; step < l.set.GraphSteps && len(environments) > 0; step++ {
		if ctx.Err() != nil {
			return
		}
		if step%len(environments) == 0 {
			rng.Shuffle(len(environments), func(a, b int) { environments[a], environments[b] = environments[b], environments[a] })
		}
		value, n := l.step(rng, environments[step%len(environments)])
		sum, count = sum+value, count+n
	}
	if ctx.Err() != nil {
		return
	}
	l.epoch++
	if count > 0 {
		l.value = sum / float64(count) * float64(d)
	}
}

// random returns the random numbers of one part of the epoch, which do not depend on the parts before it.
func (l *learner) random(part, j int) *rand.Rand {
	return rand.New(rand.NewPCG(l.seed+uint64(part)<<56, uint64(l.epoch+1)<<32+uint64(j)))
}

// step moves the probabilities by rows of one environment. It returns the sum of the mean losses of columns without an intervention, and their
// number.
func (l *learner) step(rng *rand.Rand, environment int) (sum float64, count int) {
	d, set := l.x.d, l.set
	batch := make([]int, set.Batch)
	from := l.x.judge[environment]
	for i := range batch {
		batch[i] = from[rng.IntN(len(from))]
	}
	for j := range d {
		for i := range d {
			p := l.probability(i, j)
			for k := range set.Graphs {
				l.masks[j].Row(k)[i] = 0
				if p > 0 && rng.Float64() < p {
					l.masks[j].Row(k)[i] = 1
				}
			}
		}
	}
	target := make([]bool, d)
	for _, j := range l.x.targets[environment] {
		target[j] = true
	}
	parallel.For(d, l.threads, func(j int) {
		clear(l.losses[j])
		if !target[j] {
			l.networks[j].losses(l.losses[j], l.masks[j], batch)
		}
	})
	turn := newTurns(d)
	for j := range d {
		if target[j] {
			continue
		}
		for _, loss := range l.losses[j] {
			sum += loss / float64(set.Batch*set.Graphs)
		}
		count++
		for i := range d {
			k := i*d + j
			if l.fixed[k] >= 0 {
				continue
			}
			with, ok := l.difference(i, j)
			if !ok {
				continue
			}
			edge, order := sigmoid(l.edge.w[k]), sigmoid(l.order.w[k])
			l.edge.move(k, edge*(1-edge)*order*(with+set.Sparsity))
			if target[i] {
				turn.add(i, j, order*(1-order)*edge*with)
			}
		}
	}
	turn.apply(l.order)
	return sum, count
}

// difference returns how much larger the mean loss of column j is under the graphs with the edge from i than under those without; false
// if there are none of one sort.
func (l *learner) difference(i, j int) (float64, bool) {
	var sum [2]float64
	var n [2]int
	for k, loss := range l.losses[j] {
		has := int(l.masks[j].Row(k)[i])
		sum[has] += loss / float64(l.set.Batch)
		n[has]++
	}
	if n[0] == 0 || n[1] == 0 {
		return 0, false
	}
	return sum[1]/float64(n[1]) - sum[0]/float64(n[0]), true
}

// turns collects the gradients of the directions. A pair has one direction, whichever of its columns has the intervention.
type turns struct {
	d        int
	gradient []float64
	told     []bool
}

func newTurns(d int) *turns { return &turns{d, make([]float64, d*d), make([]bool, d*d)} }

// add adds the gradient of the direction from i to j.
func (t *turns) add(i, j int, gradient float64) {
	if i > j {
		i, j, gradient = j, i, -gradient
	}
	t.gradient[i*t.d+j] += gradient
	t.told[i*t.d+j] = true
}

// apply moves the directions.
func (t *turns) apply(order *numbers) {
	for k, told := range t.told {
		if told {
			order.move(k, t.gradient[k])
			order.w[k%t.d*t.d+k/t.d] = -order.w[k]
		}
	}
}

// layout is the format version of encode.
const layout = "enco/1"

// encode writes the state between two epochs.
func (l *learner) encode() []byte { return networks.Encode(layout, l.fields) }

// decode restores what encode wrote.
func (l *learner) decode(b []byte) error { return networks.Decode(layout, b, l.fields) }

func (l *learner) fields(c *networks.Codec) {
	c.Int(&l.epoch)
	c.Float(&l.value)
	for _, x := range []*numbers{l.edge, l.order} {
		networks.Floats(c, x.w, x.m, x.v)
		c.Counts(x.steps)
	}
	for _, n := range l.networks {
		networks.Floats(c, n.w, n.m, n.v)
	}
}
