package daggnn

import (
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/lab/tape"
	"github.com/polydag/polydag/matrix"
)

// model is the variational autoencoder of the paper, for rows x and a weighted graph S:
//
//	z = (e + c)(I - S) - c + ε,   e = encoder(x),   x̂ = decoder((z + c)(I - S)⁻¹ - c).
//
// Encoder and decoder are networks of one input with one hidden layer of rectifiers, shared by all columns, and
// c is a number. ε is noise of variance 1. S is sinh(3A) of the parameters A, which makes small weights grow
// faster. The loss of a row is ‖x - x̂‖²/2 + ‖z - ε‖²/2.
//
// The authors' program omits ε, and so does the default here. x̂ then does not depend on S. Only the second
// term fits S, as linear effects between the encoded columns.
type model struct{ columns, hidden, threads int }

// layers are the parameters on a tape, in their order.
type layers struct{ edges, shift, in, inBias, out, outBias, back, backBias, final, finalBias *tape.Node }

func (m model) layers(t *tape.Tape) layers {
	return layers{
		edges: t.Param(m.columns, m.columns), shift: t.Param(1, 1),
		in: t.Param(1, m.hidden), inBias: t.Param(1, m.hidden), out: t.Param(m.hidden, 1), outBias: t.Param(1, 1),
		back: t.Param(1, m.hidden), backBias: t.Param(1, m.hidden), final: t.Param(m.hidden, 1), finalBias: t.Param(1, 1),
	}
}

func (m model) parameters() int { return m.columns*m.columns + 6*m.hidden + 3 }

// perceptron applies one network of one input to all entries of x.
func perceptron(t *tape.Tape, x, in, inBias, out, outBias *tape.Node) *tape.Node {
	rows, cols := x.Rows(), x.Cols()
	hidden := t.LeakyReLU(t.AddRow(t.Product(t.Reshape(x, rows*cols, 1), in), inBias), 0)
	return t.Reshape(t.AddRow(t.Product(hidden, out), outBias), rows, cols)
}

// loss returns the graph of the loss of a batch and the node of the noise, which is zero until filled.
func (m model) loss(rows int) (g *network.Graph, noise *tape.Node) {
	t := tape.New(m.threads)
	x, l := t.Input(rows, m.columns), m.layers(t)
	noise = t.Input(rows, m.columns)
	s := graphOf(t, l)
	shift := t.Reshape(t.Product(ones(t, rows*m.columns), l.shift), rows, m.columns)
	e := t.Add(perceptron(t, x, l.in, l.inBias, l.out, l.outBias), shift)
	z := t.Sub(t.Sub(e, t.Product(e, s)), shift)
	decoded := t.Sub(t.Product(t.Add(t.Add(z, noise), shift), t.Inverse(s)), shift)
	far := t.SumSquares(t.Sub(x, perceptron(t, decoded, l.back, l.backBias, l.final, l.finalBias)))
	return &network.Graph{Tape: t, X: x, Out: t.Scale(t.Add(far, t.SumSquares(z)), 0.5)}, noise
}

func graphOf(t *tape.Tape, l layers) *tape.Node { return t.Sinh(t.Scale(l.edges, 3)) }

func ones(t *tape.Tape, n int) *tape.Node {
	x := t.Input(n, 1)
	for i := range x.Value.Data {
		x.Value.Data[i] = 1
	}
	return x
}

// acyclic returns the graph of h(S).
func (m model) acyclic(h tape.Constraint) *network.Graph {
	t := tape.New(m.threads)
	return &network.Graph{Tape: t, Out: t.Acyclic(h, graphOf(t, m.layers(t)))}
}

// start has no edges. It draws the networks as Glorot and Bengio (2010): normal with variance 2/(inputs +
// outputs). As in the authors' program, the biases of the decoder are 0, and those of the encoder follow
// PyTorch, uniform on ±1/√inputs.
func (m model) start(seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 0x676e6e))
	theta := make([]float64, m.columns*m.columns+1, m.parameters())
	sd := math.Sqrt(2 / float64(1+m.hidden))
	normal := func(n int) {
		for range n {
			theta = append(theta, sd*rng.NormFloat64())
		}
	}
	uniform := func(n int, bound float64) {
		for range n {
			theta = append(theta, bound*(2*rng.Float64()-1))
		}
	}
	for _, encoder := range []float64{1, 0} {
		normal(m.hidden)
		uniform(m.hidden, encoder)
		normal(m.hidden)
		uniform(1, encoder/math.Sqrt(float64(m.hidden)))
	}
	return theta
}

// absolute returns |S|.
func (m model) absolute(theta []float64) *matrix.Dense[float64] {
	w := matrix.New[float64](m.columns, m.columns)
	for e := range w.Data {
		w.Data[e] = math.Abs(math.Sinh(3 * theta[e]))
	}
	return w
}

// rateAt decreases with log₁₀ ρ, between 1e-4 and 1e-2, as in the program.
func rateAt(rate, rho float64) float64 {
	return max(1e-4, min(1e-2, rate/(math.Log10(rho)+1e-10)))
}
