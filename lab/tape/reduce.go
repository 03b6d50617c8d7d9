package tape

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// Sum is the sum of all entries.
func (t *Tape) Sum(x *Node) *Node {
	y := t.result(1, 1, x)
	return t.do(y, func() error {
		sum := 0.0
		for _, v := range x.Value.Data {
			sum += v
		}
		y.Value.Data[0] = sum
		return nil
	}, func() {
		g := y.Grad.Data[0]
		for i := range x.Grad.Data {
			x.Grad.Data[i] += g
		}
	})
}

// SumSquares is Σx², with gradient 2x.
func (t *Tape) SumSquares(x *Node) *Node {
	y := t.result(1, 1, x)
	return t.do(y, func() error {
		y.Value.Data[0] = vec.Dot(x.Value.Data, x.Value.Data)
		return nil
	}, func() { vec.Axpy(x.Grad.Data, 2*y.Grad.Data[0], x.Value.Data) })
}

// GroupNorms is the Euclidean norm of each group of adjacent entries of a row, from n × (groups·p) to n ×
// groups. The gradient of a norm is x/‖x‖, and 0 if the norm is 0.
func (t *Tape) GroupNorms(x *Node, groups int) *Node {
	p := t.groups(x, groups)
	y := t.result(x.Rows(), groups, x)
	return t.do(y, func() error {
		for i := range y.Value.Data {
			own := x.Value.Data[i*p : (i+1)*p]
			y.Value.Data[i] = math.Sqrt(vec.Dot(own, own))
		}
		return nil
	}, func() {
		for i, norm := range y.Value.Data {
			if norm > 0 {
				vec.Axpy(x.Grad.Data[i*p:(i+1)*p], y.Grad.Data[i]/norm, x.Value.Data[i*p:(i+1)*p])
			}
		}
	})
}

func (t *Tape) groups(x *Node, groups int) (size int) {
	if groups < 1 || x.Cols()%groups != 0 {
		panic(fmt.Sprintf("tape: %d columns in %d groups", x.Cols(), groups))
	}
	return x.Cols() / groups
}

// A Constraint is an acyclicity constraint with its gradient, as in package acyclic.
type Constraint interface {
	Eval(grad, w *matrix.Dense[float64]) (float64, error)
}

// Acyclic is h(w) of a square w. Its gradient is always computed with the value.
func (t *Tape) Acyclic(h Constraint, w *Node) *Node {
	return t.Function(func(grads, x []*matrix.Dense[float64]) (float64, error) { return h.Eval(grads[0], x[0]) }, w)
}

// Function is a number that f computes from the values of x, with its gradients by each of them. They are always computed with the
// value.
func (t *Tape) Function(f func(grads, x []*matrix.Dense[float64]) (float64, error), x ...*Node) *Node {
	y := t.result(1, 1, x...)
	grads, values := make([]*matrix.Dense[float64], len(x)), make([]*matrix.Dense[float64], len(x))
	for i, n := range x {
		grads[i], values[i] = matrix.New[float64](n.Rows(), n.Cols()), n.Value
	}
	return t.do(y, func() error {
		v, err := f(grads, values)
		y.Value.Data[0] = v
		return err
	}, func() {
		for i, n := range x {
			if n.Grad != nil {
				vec.Axpy(n.Grad.Data, y.Grad.Data[0], grads[i].Data)
			}
		}
	})
}

// NormalLogDensity is the sum over all entries of the log density of a normal distribution,
//
//	Σ -(x - mean)²/(2e^s) - s/2 - ln(2π)/2,   s = logVar,
//
// with logVar of the shape of x, or one row for all rows. x is data and has no gradient.
func (t *Tape) NormalLogDensity(x, mean, logVar *Node) *Node {
	same("a normal density", x, mean)
	if logVar.Cols() != x.Cols() || logVar.Rows() != 1 && logVar.Rows() != x.Rows() {
		panic(fmt.Sprintf("tape: log variances of %d×%d for %d×%d", logVar.Rows(), logVar.Cols(), x.Rows(), x.Cols()))
	}
	if x.Grad != nil {
		panic("tape: the density of something that depends on parameters")
	}
	y := t.result(1, 1, mean, logVar)
	logs := func(i int) int { return min(i, logVar.Rows()-1) }
	return t.do(y, func() error {
		sum := -float64(len(x.Value.Data)) * math.Log(2*math.Pi) / 2
		for i := range x.Rows() {
			mu, s := mean.Value.Row(i), logVar.Value.Row(logs(i))
			for j, v := range x.Value.Row(i) {
				e := v - mu[j]
				sum -= (e*e*math.Exp(-s[j]) + s[j]) / 2
			}
		}
		y.Value.Data[0] = sum
		return nil
	}, func() {
		g := y.Grad.Data[0]
		for i := range x.Rows() {
			mu, s := mean.Value.Row(i), logVar.Value.Row(logs(i))
			for j, v := range x.Value.Row(i) {
				e, precision := v-mu[j], math.Exp(-s[j])
				if mean.Grad != nil {
					mean.Grad.Data[i*mean.Grad.Stride+j] += g * e * precision
				}
				if logVar.Grad != nil {
					logVar.Grad.Data[logs(i)*logVar.Grad.Stride+j] += g * (e*e*precision - 1) / 2
				}
			}
		}
	})
}
