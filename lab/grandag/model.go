package grandag

import (
	"math/rand/v2"

	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/lab/tape"
)

// model has one network per column with two hidden layers of leaky rectifiers. It computes the mean of the
// column and, unless the variance is constant, the logarithm of its standard deviation.
type model struct {
	columns, hidden int
	constant        bool // one variance per column
	threads         int
}

// leak is the slope of the rectifiers below zero, as in the authors' program.
const leak = 0.01

// layers are the parameters on a tape, in their order. deviation is the output layer of the logarithm of the
// standard deviation. It is nil if that is constant; then only logSD is used.
type layers struct {
	first, firstBias, second, secondBias, mean, meanBias, deviation, logSD *tape.Node
}

func (m model) layers(t *tape.Tape) layers {
	d, units := m.columns, m.columns*m.hidden
	l := layers{
		first: t.Param(d, units), firstBias: t.Param(1, units), second: t.Param(units, m.hidden), secondBias: t.Param(1, units),
		mean: t.Param(units, 1), meanBias: t.Param(1, d), logSD: t.Param(1, d),
	}
	if !m.constant {
		l.deviation = t.Param(units, 1)
	}
	return l
}

// loss returns the graph of the negative log-likelihood of a batch, divided by the number of columns as in the
// authors' program. The constraint is weighted against the loss on that scale.
func (m model) loss(rows int) *network.Graph {
	t := tape.New(m.threads)
	x, l := t.Input(rows, m.columns), m.layers(t)
	hidden := t.LeakyReLU(t.AddRow(t.Product(x, l.first), l.firstBias), leak)
	hidden = t.LeakyReLU(t.AddRow(t.BlockProduct(hidden, l.second, m.columns), l.secondBias), leak)
	mean := t.AddRow(t.BlockProduct(hidden, l.mean, m.columns), l.meanBias)
	logSD := l.logSD
	if !m.constant {
		logSD = t.AddRow(t.BlockProduct(hidden, l.deviation, m.columns), l.logSD)
	}
	return &network.Graph{Tape: t, X: x, Out: t.Scale(t.NormalLogDensity(x, mean, t.Scale(logSD, 2)), -1/float64(m.columns))}
}

// acyclic returns the graph of h and the node of the edge matrix. Entry (i, j) is the mean, over all paths from
// input i of network j to its outputs, of the product of the absolute weights. That is equation 8 of the paper,
// divided by the number of paths as in the program. If it is zero, column j does not depend on column i.
func (m model) acyclic(h tape.Constraint) (g *network.Graph, edges *tape.Node) {
	t := tape.New(m.threads)
	l := m.layers(t)
	paths := t.BlockProduct(t.Abs(l.first), t.Abs(l.second), m.columns)
	out, outputs := t.Abs(l.mean), 1
	if !m.constant {
		out, outputs = t.Add(out, t.Abs(l.deviation)), 2
	}
	edges = t.Scale(t.BlockProduct(paths, out, m.columns), 1/float64(outputs*m.hidden*m.hidden))
	return &network.Graph{Tape: t, Out: t.Acyclic(h, t.Sqrt(edges))}, edges
}

// start draws weights as Glorot and Bengio (2010). Biases are 0.
func (m model) start(seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 0x6772616e))
	d, units := m.columns, m.columns*m.hidden
	theta := make([]float64, m.parameters())
	outputs := 2
	if m.constant {
		outputs = 1
	}
	at := 0
	draw := func(n, in, out int) {
		network.Glorot(theta[at:at+n], in, out, leak, rng)
		at += n
	}
	skip := func(n int) { // the random numbers of biases, which are not used
		for range n {
			rng.Float64()
		}
		at += n
	}
	draw(d*units, d, m.hidden)
	skip(units)
	draw(units*m.hidden, m.hidden, m.hidden)
	skip(units)
	draw(units, m.hidden, outputs)
	skip(2 * d)
	if !m.constant {
		draw(units, m.hidden, outputs)
	}
	return theta
}

func (m model) parameters() int {
	t := tape.New(1)
	m.layers(t)
	return t.Parameters()
}
