package surrogate

import (
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/internal/tape"
	"github.com/polydag/polydag/matrix"
)

// A Kind is the structure of a network.
type Kind string

// These are the structures.
const (
	Entries Kind = "entries" // all entries of A and logarithms of A∘Aᵀ, two hidden layers
	Walks   Kind = "walks"   // products of A with a few vectors, two hidden layers
)

const (
	hidden  = 64 // units of each hidden layer
	vectors = 16 // vectors that Walks multiplies by A
	lengths = 8  // how often it multiplies them
)

// A graph computes log h of one matrix on a tape, with gradients either by the weights of the network, to train it, or by the entries of A
// and A∘Aᵀ, to use it.
type graph struct {
	tape    *tape.Tape
	train   bool
	a, both *tape.Node
	weights []*tape.Node
	out     *tape.Node
}

// newGraph returns the network of a kind for d columns.
func newGraph(kind Kind, d int, train bool) *graph {
	g := &graph{tape: tape.New(1), train: train}
	g.a, g.both = g.node(d, d, !train), g.node(d, d, !train)
	t := g.tape
	var features *tape.Node
	if kind == Entries {
		features = t.Add(g.layer(t.Reshape(g.a, 1, d*d), hidden), g.layer(logs(t, t.Reshape(g.both, 1, d*d)), hidden))
	} else {
		features = g.walks(d)
	}
	g.out = g.layer(t.Tanh(g.layer(t.Tanh(features), hidden)), 1)
	return g
}

// node returns a matrix, with a gradient if asked for.
func (g *graph) node(rows, cols int, gradient bool) *tape.Node {
	if gradient {
		return g.tape.Param(rows, cols)
	}
	return g.tape.Input(rows, cols)
}

// walks returns features that estimate the traces of powers of A. For a vector r of random signs the mean of rᵀAᵏr is the trace of Aᵏ. The
// numbers grow with k, so a layer mixes their logarithms and, for the signs, their tanh.
func (g *graph) walks(d int) *tape.Node {
	t := g.tape
	signs, ones := t.Input(d, vectors), t.Input(1, d)
	rng := rand.New(rand.NewPCG(1, uint64(d)))
	for i := range signs.Value.Data {
		signs.Value.Data[i] = float64(1 - 2*int(rng.Uint64()&1))
	}
	for i := range ones.Value.Data {
		ones.Value.Data[i] = 1
	}
	pairs := t.Product(t.Product(ones, g.both), t.Reshape(ones, d, 1)) // the trace of A², exactly
	sum := g.layer(logs(t, pairs), hidden)
	x := signs
	for range lengths {
		x = t.Product(g.a, x)
		closed := t.Product(ones, t.Mul(signs, x))
		sum = t.Add(sum, t.Add(g.layer(logs(t, closed), hidden), g.layer(t.Tanh(closed), hidden)))
	}
	return sum
}

// logs returns ½ log(1 + (x/small)²), which is the logarithm of |x| from small on, and zero at zero.
func logs(t *tape.Tape, x *tape.Node) *tape.Node {
	const small = 1e-4
	one := t.Input(x.Rows(), x.Cols())
	for i := range one.Value.Data {
		one.Value.Data[i] = 1
	}
	return t.Scale(t.Log(t.Add(t.Square(t.Scale(x, 1/small)), one)), 0.5)
}

// layer is x·w + b with new weights.
func (g *graph) layer(x *tape.Node, units int) *tape.Node {
	w, b := g.node(x.Cols(), units, g.train), g.node(1, units, g.train)
	g.weights = append(g.weights, w, b)
	return g.tape.AddRow(g.tape.Product(x, w), b)
}

// size returns the number of weights.
func (g *graph) size() (sum int) {
	for _, n := range g.weights {
		sum += len(n.Value.Data)
	}
	return sum
}

// start returns random weights, smaller where a layer has more inputs, and zero for the constants.
func (g *graph) start(rng *rand.Rand) []float64 {
	out := make([]float64, 0, g.size())
	for _, n := range g.weights {
		for range n.Value.Data {
			v := 0.0
			if n.Rows() > 1 {
				v = rng.NormFloat64() / math.Sqrt(float64(n.Rows()))
			}
			out = append(out, v)
		}
	}
	return out
}

// load copies the weights to the tape.
func (g *graph) load(weights []float64) {
	for _, n := range g.weights {
		weights = weights[copy(n.Value.Data, weights):]
	}
}

// value returns the predicted log h of w.
func (g *graph) value(w *matrix.Dense[float64]) (float64, error) {
	d := w.Rows
	a, both := g.a.Value, g.both.Value
	for i := range d {
		for j := range d {
			a.Set(i, j, w.At(i, j)*w.At(i, j))
		}
	}
	for i := range d {
		for j := range d {
			both.Set(i, j, a.At(i, j)*a.At(j, i))
		}
	}
	return g.tape.Forward(g.out)
}

// A Constraint is h by a network.
type Constraint struct{ graph *graph }

// newConstraint returns the constraint of trained weights.
func newConstraint(kind Kind, d int, weights []float64) *Constraint {
	g := newGraph(kind, d, false)
	g.load(weights)
	return &Constraint{g}
}

// Eval returns exp of the network's output, and its gradient in W.
func (c *Constraint) Eval(grad, w *matrix.Dense[float64]) (float64, error) {
	g := c.graph
	log, err := g.value(w)
	h := math.Exp(log)
	if err != nil || grad == nil {
		return h, err
	}
	g.a.Grad.Zero()
	g.both.Grad.Zero()
	g.tape.Backward(g.out, h)
	for i := range w.Rows {
		for j := range w.Rows {
			both := g.both.Grad.At(i, j) + g.both.Grad.At(j, i)
			grad.Set(i, j, 2*w.At(i, j)*(g.a.Grad.At(i, j)+both*g.a.Value.At(j, i)))
		}
	}
	return h, nil
}
