package joint

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/method/tape"
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
type net struct {
	tape        *tape.Tape
	x, y        *tape.Node
	guess, loss *tape.Node
	theta, grad []float64
	shapes      [][2]int // of the parameters
}

func newNet(inputs int) *net {
	t := tape.New(1)
	n := &net{tape: t, x: t.Input(batch, inputs), y: t.Input(batch, 1)}
	param := func(rows, cols int) *tape.Node {
		n.shapes = append(n.shapes, [2]int{rows, cols})
		return t.Param(rows, cols)
	}
	line := t.AddRow(t.Product(n.x, param(inputs, 1)), param(1, 1))
	corner := t.LeakyReLU(t.AddRow(t.Product(n.x, param(inputs, units)), param(1, units)), leak)
	smooth := t.Tanh(t.AddRow(t.Product(n.x, param(inputs, units)), param(1, units)))
	hidden := t.Add(t.Product(corner, param(units, 1)), t.Product(smooth, param(units, 1)))
	n.guess = t.Add(line, hidden)
	n.loss = t.SumSquares(t.Sub(n.y, n.guess))
	n.theta, n.grad = make([]float64, t.Parameters()), make([]float64, t.Parameters())
	return n
}

// draw sets random weights: variance 1/rows for each matrix, and no linear terms.
func (n *net) draw(rng *rand.Rand) {
	at := 0
	for k, s := range n.shapes {
		for range s[0] * s[1] {
			if k > 1 {
				n.theta[at] = rng.NormFloat64() / math.Sqrt(float64(max(s[0], n.x.Cols())))
			}
			at++
		}
	}
}

// take copies the weights of another network for the inputs that are kept.
func (n *net) take(other *net, kept []int) {
	to, from := n.theta, other.theta
	for k, s := range other.shapes {
		if s[0] != other.x.Cols() || n.shapes[k][0] == s[0] {
			to, from = to[copy(to, from[:s[0]*s[1]]):], from[s[0]*s[1]:]
			continue
		}
		for _, row := range kept {
			to = to[copy(to, from[row*s[1]:(row+1)*s[1]]):]
		}
		from = from[s[0]*s[1]:]
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
			if err := n.forward(d, order[step*batch:]); err != nil {
				return err
			}
			n.tape.Backward(n.loss, 1.0/batch)
			clear(n.grad)
			n.tape.AddGradient(n.grad)
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
func (n *net) forward(d *data, rows []int) error {
	for i := range batch {
		r := rows[i%len(rows)]
		copy(n.x.Value.Row(i), d.x.Row(r))
		n.y.Value.Data[i] = d.y[r]
	}
	n.tape.Load(n.theta)
	_, err := n.tape.Forward(n.loss)
	return err
}

// errors writes the squared error of each of the rows to out.
func (n *net) errors(out []float64, d *data, rows []int) error {
	for at := 0; at < len(rows); at += batch {
		if err := n.forward(d, rows[at:]); err != nil {
			return err
		}
		for i, r := range rows[at:min(at+batch, len(rows))] {
			e := n.y.Value.Data[i] - n.guess.Value.Data[i]
			out[r] = e * e
		}
	}
	return nil
}
