package causalvae

import (
	"math/rand/v2"

	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/lab/tape"
	"github.com/polydag/polydag/matrix"
)

// model is the variational autoencoder of the paper. Rows are images x with standardized labels u:
//
//	ε = m + exp(l/2)∘noise,   (m, l) = encoder(x)
//	z = ε(I - A)⁻¹                         causal layer
//	y_i = g_i(z∘A_i) + ε_i,   x̂ = decoder(y)   mask layer and decoder
//
// A_i is column i of A, and g_i a network with one hidden layer. Encoder and decoder have two hidden layers each. The loss of a
// row is the negative evidence lower bound, up to a constant, with the supervision of A and of the mask layer:
//
//	‖x - x̂‖²/(2s²) + KL(ε ‖ N(0, I)) + KL(z ‖ N(u, I)) + β‖u - uA‖² + γ‖z - g(z)‖²
//
// The mean of z is mC and its covariance Cᵀ diag(eˡ) C with C = (I - A)⁻¹. Its determinant is that of diag(eˡ), because the
// determinant of C is 1 for an acyclic A. A row without labels has u = 0, so that z has a standard normal prior and
// the supervision is zero.
type model struct {
	factors, pixels, hidden, mask int
	noise                         float64 // s, standard deviation of a pixel
	labels, masks                 float64 // β and γ
	threads                       int
}

// leak is the slope of the hidden units below 0.
const leak = 0.2

// edgeScale is the factor from the first parameters to A. A step of Adam then changes A by ten times the learning rate, so that the
// graph settles while the networks still learn.
const edgeScale = 10

// A layer is a linear layer, whose weights are in rows of one input each.
type layer struct{ weights, bias *tape.Node }

// layers are the parameters on a tape, in their order.
type layers struct {
	edges                                *tape.Node // A
	first, firstBias, second, secondBias *tape.Node // of the mask layer
	encoder, decoder                     []layer
}

// widths returns the widths of the encoder and of the decoder.
func (m model) widths() [2][]int {
	return [2][]int{{m.pixels, m.hidden, m.hidden, 2 * m.factors}, {m.factors, m.hidden, m.hidden, m.pixels}}
}

func (m model) layers(t *tape.Tape) layers {
	n := m.factors
	l := layers{edges: t.Scale(t.Param(n, n), edgeScale), first: t.Param(n, n*m.mask), firstBias: t.Param(1, n*m.mask), second: t.Param(n*m.mask, 1), secondBias: t.Param(1, n)}
	for k, to := range []*[]layer{&l.encoder, &l.decoder} {
		for w := m.widths()[k]; len(w) > 1; w = w[1:] {
			*to = append(*to, layer{t.Param(w[0], w[1]), t.Param(1, w[1])})
		}
	}
	return l
}

func (m model) parameters() int {
	n := m.factors*m.factors + m.factors*m.mask*(m.factors+2) + m.factors
	for _, w := range m.widths() {
		for ; len(w) > 1; w = w[1:] {
			n += (w[0] + 1) * w[1]
		}
	}
	return n
}

// apply applies layers with hidden units between them.
func apply(t *tape.Tape, x *tape.Node, list []layer) *tape.Node {
	for k, l := range list {
		if k > 0 {
			x = t.LeakyReLU(x, leak)
		}
		x = t.AddRow(t.Product(x, l.weights), l.bias)
	}
	return x
}

// encode returns means and log variances of ε.
func (m model) encode(t *tape.Tape, x *tape.Node, l layers) (mean, logs *tape.Node) {
	out := apply(t, x, l.encoder)
	return t.Columns(out, 0, m.factors), t.Columns(out, m.factors, 2*m.factors)
}

// masked returns g of the mask layer: column i is g_i(z∘A_i).
func (m model) masked(t *tape.Tape, z *tape.Node, l layers) *tape.Node {
	repeat := t.Input(m.factors, m.factors*m.mask) // entry (j, i·mask + k) of A·repeat is A_ji
	for i := range m.factors {
		for k := range m.mask {
			repeat.Value.Set(i, i*m.mask+k, 1)
		}
	}
	first := t.Mul(l.first, t.Product(l.edges, repeat))
	hidden := t.LeakyReLU(t.AddRow(t.Product(z, first), l.firstBias), leak)
	return t.AddRow(t.BlockProduct(hidden, l.second, m.factors), l.secondBias)
}

// loss returns the graph of the loss of a batch. Its rows are the pixels of an image and then its labels. noise is zero until
// filled.
func (m model) loss(rows int) (g *network.Graph, noise *tape.Node) {
	t := tape.New(m.threads)
	l, all := m.layers(t), t.Input(rows, m.pixels+m.factors)
	x, u := t.Columns(all, 0, m.pixels), t.Columns(all, m.pixels, m.pixels+m.factors)
	noise = t.Input(rows, m.factors)
	mean, logs := m.encode(t, x, l)
	causal := t.Inverse(l.edges)
	eps := t.Add(mean, t.Mul(t.Exp(t.Scale(logs, 0.5)), noise))
	z := t.Product(eps, causal)
	parents := m.masked(t, z, l)
	pixels := t.Sigmoid(apply(t, t.Add(parents, eps), l.decoder))

	variance := t.Exp(logs)
	sum := t.Scale(t.SumSquares(t.Sub(x, pixels)), 1/(2*m.noise*m.noise))
	for _, term := range []struct {
		weight float64
		node   *tape.Node
	}{
		{0.5, t.Add(t.SumSquares(mean), t.Sum(t.Sub(variance, logs)))},
		{0.5, t.Add(t.SumSquares(t.Sub(t.Product(mean, causal), u)), t.Sum(t.Sub(t.Product(variance, t.Square(causal)), logs)))},
		{m.labels, t.SumSquares(t.Sub(u, t.Product(u, l.edges)))},
		{m.masks, t.SumSquares(t.Sub(z, parents))},
	} {
		sum = t.Add(sum, t.Scale(term.node, term.weight))
	}
	return &network.Graph{Tape: t, X: all, Out: sum}, noise
}

// acyclic returns the graph of h(A).
func (m model) acyclic(h tape.Constraint) *network.Graph {
	t := tape.New(m.threads)
	return &network.Graph{Tape: t, Out: t.Acyclic(h, m.layers(t).edges)}
}

// start has no edges, and weights as Glorot and Bengio (2010).
func (m model) start(seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 0x766165))
	theta := make([]float64, m.parameters())
	rest := theta[m.factors*m.factors:]
	draw := func(inputs, outputs, blocks int) {
		size := inputs * outputs * blocks
		network.Glorot(rest[:size], inputs, outputs, leak, rng)
		rest = rest[size:]
	}
	draw(m.factors, m.mask, m.factors)
	rest = rest[m.factors*m.mask:]
	draw(m.mask, 1, m.factors)
	rest = rest[m.factors:]
	for _, w := range m.widths() {
		for ; len(w) > 1; w = w[1:] {
			draw(w[0], w[1], 1)
			rest = rest[w[1]:]
		}
	}
	return theta
}

// edges returns A.
func (m model) edges(theta []float64) *matrix.Dense[float64] {
	a := matrix.New[float64](m.factors, m.factors)
	for e := range a.Data {
		a.Data[e] = edgeScale * theta[e]
	}
	return a
}

// latents returns the means of z for images, in the rows of x.
func (m model) latents(theta []float64, x *matrix.Dense[float64]) (*matrix.Dense[float64], error) {
	const rows = 64
	t := tape.New(m.threads)
	l, in := m.layers(t), t.Input(rows, m.pixels)
	mean, _ := m.encode(t, in, l)
	z := t.Product(mean, t.Inverse(l.edges))
	end := t.Sum(z)
	t.Load(theta)
	out := matrix.New[float64](x.Rows, m.factors)
	for at := 0; at < x.Rows; at += rows {
		for i := range min(rows, x.Rows-at) {
			copy(in.Value.Row(i), x.Row(at + i)[:m.pixels])
		}
		if _, err := t.Forward(end); err != nil {
			return nil, err
		}
		copy(out.Data[at*m.factors:], z.Value.Data)
	}
	return out, nil
}
