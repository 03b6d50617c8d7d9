package network

import (
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/lab/tape"
	"github.com/polydag/polydag/method"
)

// A Perceptron has one network per column j with one hidden layer of sigmoids (Zheng et al. 2020):
//
//	f_j(x) = Σ_k out_jk·σ(Σ_i first_ijk·x_i + bias_jk) + shift_j.
//
// The weight of column i in the function of column j is ‖first_ij·‖, the entry of the matrix W of the graph.
type Perceptron struct {
	Columns, Hidden int
}

// layers are the parameters of a perceptron on a tape.
type layers struct{ first, bias, out, shift *tape.Node }

func (p Perceptron) layers(t *tape.Tape) layers {
	d, units := p.Columns, p.Columns*p.Hidden
	return layers{t.Param(d, units), t.Param(1, units), t.Param(units, 1), t.Param(1, d)}
}

// Parameters returns the number of parameters. Those of the first layer come first.
func (p Perceptron) Parameters() int { return p.First() + (2*p.Hidden+1)*p.Columns }

// First returns the number of weights of the first layer; entry (i, j, k) has the index (i·Columns + j)·Hidden
// + k.
func (p Perceptron) First() int { return p.Columns * p.Columns * p.Hidden }

// Squares returns the graph of Σ(x_j - f_j(x))² over a batch.
func (p Perceptron) Squares(rows, threads int) *Graph {
	t := tape.New(threads)
	x, l := t.Input(rows, p.Columns), p.layers(t)
	return &Graph{t, x, t.SumSquares(t.Sub(x, p.functions(t, x, l)))}
}

// Density returns the graph of the log density of a batch, normal with the means f_j(x). The log variances of the columns are further
// parameters, after those of the perceptron.
func (p Perceptron) Density(rows, threads int) *Graph {
	t := tape.New(threads)
	x, l := t.Input(rows, p.Columns), p.layers(t)
	return &Graph{t, x, t.NormalLogDensity(x, p.functions(t, x, l), t.Param(1, p.Columns))}
}

// functions adds the f_j(x).
func (p Perceptron) functions(t *tape.Tape, x *tape.Node, l layers) *tape.Node {
	hidden := t.Sigmoid(t.AddRow(t.Product(x, l.first), l.bias))
	return t.AddRow(t.BlockProduct(hidden, l.out, p.Columns), l.shift)
}

// Acyclic returns the graph of h(W).
func (p Perceptron) Acyclic(h tape.Constraint, threads int) *Graph {
	t := tape.New(threads)
	l := p.layers(t)
	return &Graph{t, nil, t.Acyclic(h, t.GroupNorms(l.first, p.Columns))}
}

// Start draws parameters as PyTorch does, uniform on ±1/√inputs. With zeros the first layer is 0.
func (p Perceptron) Start(seed uint64, zeros bool) []float64 {
	rng := rand.New(rand.NewPCG(seed, 0x6d6c70))
	theta := make([]float64, p.Parameters())
	units, first := p.Columns*p.Hidden, p.First()
	draw := func(part []float64, inputs int) {
		for i := range part {
			part[i] = (2*rng.Float64() - 1) / math.Sqrt(float64(inputs))
		}
	}
	if !zeros {
		draw(theta[:first+units], p.Columns)
	}
	draw(theta[first+units:], p.Hidden)
	return theta
}

// Forbidden marks the weights that stay zero: those of a column in its own function, and those of forbidden
// edges.
func (p Perceptron) Forbidden(in *method.Input) []bool {
	mask := make([]bool, p.Parameters())
	for e, no := range Forbidden(in) {
		for k := range p.Hidden {
			mask[e*p.Hidden+k] = no
		}
	}
	return mask
}

// Forbidden marks the forbidden edges, entry (i, j) at i·d + j, including the diagonal.
func Forbidden(in *method.Input) []bool {
	d := len(in.Names())
	mask := make([]bool, d*d)
	for i := range d {
		for j := range d {
			mask[i*d+j] = i == j || in.Forbidden(i, j)
		}
	}
	return mask
}

// Fixed returns, for each edge, 1 if it is required, 0 if it is forbidden or on the diagonal, and -1 if it is free.
func Fixed(in *method.Input) []int8 {
	forbidden := Forbidden(in)
	fixed := make([]int8, len(forbidden))
	for e, no := range forbidden {
		if fixed[e] = -1; no {
			fixed[e] = 0
		}
	}
	for _, e := range in.Required() {
		fixed[e.From*len(in.Names())+e.To] = 1
	}
	return fixed
}

// Cost estimates the given number of steps on all rows: three products, the sigmoids and their overhead.
func (p Perceptron) Cost(rows, steps int) method.Cost {
	n, units := float64(rows), float64(p.Columns*p.Hidden)
	parameters := int64(p.Parameters())
	return method.Cost{
		Bytes: 8*(int64(min(rows*p.Columns, keptValues))+6*batchRows*int64(units)+40*parameters) + method.Matrices(10, p.Columns, 64),
		State: 8 * 24 * parameters,
		Flops: float64(steps) * (n*units*(4*float64(p.Columns)+40) + 20*math.Pow(float64(p.Columns), 3)), Columns: 200,
	}
}
