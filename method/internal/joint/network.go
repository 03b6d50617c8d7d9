package joint

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

const (
	units = 16   // smooth units of the hidden layer, and as many with a corner
	batch = 128  // rows of a step
	rate  = 0.01 // the first rate of Adam; it falls to 0
	decay = 1e-4 // of the weights of the inputs
	leak  = 0.2  // slope of a unit with a corner below 0

	passes     = 100 // over the rows, of a first fit
	morePasses = 20  // of a fit that starts from another one
)

// A net is a function of the inputs: linear terms and a hidden layer of smooth units and units with a corner.
//
//	guess = x·w₀ + b₀ + leaky(x·W₁ + b₁)·v₁ + tanh(x·W₂ + b₂)·v₂
type net struct {
	x              *matrix.Dense[float64] // the inputs of a batch
	y, guess       []float64
	corner, smooth *matrix.Dense[float64] // the units
	down           *matrix.Dense[float64] // the gradient of the units of one kind
	theta, grad    []float64
	param, slope   []*matrix.Dense[float64] // the parameters w₀, b₀, W₁, b₁, W₂, b₂, v₁, v₂ in theta, and their gradients in grad
}

func newNet(inputs int) *net {
	n := &net{x: matrix.New[float64](batch, inputs), y: make([]float64, batch), guess: make([]float64, batch)}
	n.corner, n.smooth, n.down = matrix.New[float64](batch, units), matrix.New[float64](batch, units), matrix.New[float64](batch, units)
	shapes := [][2]int{{inputs, 1}, {1, 1}, {inputs, units}, {1, units}, {inputs, units}, {1, units}, {units, 1}, {units, 1}}
	size := 0
	for _, s := range shapes {
		size += s[0] * s[1]
	}
	n.theta, n.grad = make([]float64, size), make([]float64, size)
	at := 0
	for _, s := range shapes {
		end := at + s[0]*s[1]
		n.param = append(n.param, matrix.Of(s[0], s[1], n.theta[at:end]))
		n.slope = append(n.slope, matrix.Of(s[0], s[1], n.grad[at:end]))
		at = end
	}
	return n
}

// draw sets random weights: variance 1/rows for each matrix, and no linear terms.
func (n *net) draw(rng *rand.Rand) {
	for _, p := range n.param[2:] {
		for i := range p.Data {
			p.Data[i] = rng.NormFloat64() / math.Sqrt(float64(max(p.Rows, n.x.Cols)))
		}
	}
}

// take copies the weights of another network for the inputs that are kept.
func (n *net) take(other *net, kept []int) {
	for k, p := range n.param {
		from := other.param[k]
		if from.Rows != other.x.Cols || from.Rows == p.Rows {
			p.CopyFrom(from)
			continue
		}
		for i, row := range kept {
			copy(p.Row(i), from.Row(row))
		}
	}
}

// fit fits the weights to the rows with Adam.
func (n *net) fit(ctx context.Context, rng *rand.Rand, d *data, rows []int, passes int, rate float64) error {
	adam := vec.AdamParams{Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}
	m, v, power1, power2 := make([]float64, len(n.theta)), make([]float64, len(n.theta)), 1.0, 1.0
	order := slices.Clone(rows)
	steps := max(1, len(rows)/batch)
	for pass := range passes {
		if err := ctx.Err(); err != nil {
			return err
		}
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for step := range steps {
			n.forward(d, order[step*batch:])
			n.backward()
			for k, w := range n.theta {
				n.grad[k] += decay * w
			}
			left := 1 - float64(pass*steps+step)/float64(passes*steps)
			power1, power2 = power1*adam.Beta1, power2*adam.Beta2
			adam.Rate, adam.Corr1, adam.Corr2 = rate*left, 1-power1, 1-power2
			vec.Adam(n.theta, n.grad, m, v, adam)
		}
	}
	return nil
}

// forward computes the guesses for the first rows, which are repeated if there are fewer than a batch.
func (n *net) forward(d *data, rows []int) {
	for i := range batch {
		r := rows[i%len(rows)]
		copy(n.x.Row(i), d.x.Row(r))
		n.y[i] = d.y[r]
	}
	guess, more := matrix.Of(batch, 1, n.guess), matrix.New[float64](batch, 1)
	n.layer(guess, 0)
	n.layer(n.corner, 2)
	for i, v := range n.corner.Data {
		if v <= 0 {
			n.corner.Data[i] = v * leak
		}
	}
	n.layer(n.smooth, 4)
	for i, v := range n.smooth.Data {
		n.smooth.Data[i] = math.Tanh(v)
	}
	matrix.Mul(more, n.corner, n.param[6], 1)
	hidden := more.Clone()
	matrix.Mul(more, n.smooth, n.param[7], 1)
	for i := range n.guess {
		n.guess[i] += hidden.Data[i] + more.Data[i]
	}
}

// layer writes x·w + b to out, with w = param[k] and b = param[k+1].
func (n *net) layer(out *matrix.Dense[float64], k int) {
	matrix.Mul(out, n.x, n.param[k], 1)
	for i := range out.Rows {
		vec.Axpy(out.Row(i), 1, n.param[k+1].Data)
	}
}

// backward computes the gradient of the mean squared error of the batch, after forward.
func (n *net) backward() {
	g := matrix.New[float64](batch, 1)
	for i, y := range n.y {
		g.Data[i] = -2.0 / batch * (y - n.guess[i])
	}
	n.layerBack(g, 0)
	matrix.MulTA(n.slope[6], n.corner, g, 1)
	matrix.MulTB(n.down, g, n.param[6], 1)
	for i, v := range n.corner.Data {
		if v <= 0 {
			n.down.Data[i] *= leak
		}
	}
	n.layerBack(n.down, 2)
	matrix.MulTA(n.slope[7], n.smooth, g, 1)
	matrix.MulTB(n.down, g, n.param[7], 1)
	for i, v := range n.smooth.Data {
		n.down.Data[i] *= 1 - v*v
	}
	n.layerBack(n.down, 4)
}

// layerBack computes the gradients of layer from g, that of its result.
func (n *net) layerBack(g *matrix.Dense[float64], k int) {
	matrix.MulTA(n.slope[k], n.x, g, 1)
	b := n.slope[k+1].Data
	clear(b)
	for i := range g.Rows {
		vec.Axpy(b, 1, g.Row(i))
	}
}

// errors writes the squared error of each of the rows to out.
func (n *net) errors(out []float64, d *data, rows []int) {
	for at := 0; at < len(rows); at += batch {
		n.forward(d, rows[at:])
		for i, r := range rows[at:min(at+batch, len(rows))] {
			e := n.y[i] - n.guess[i]
			out[r] = e * e
		}
	}
}
