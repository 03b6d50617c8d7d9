package onnx

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/internal/vec"
)

var errIntegers = errors.New("integers are not supported here")

func opUnary(c *call) (*Tensor, error) {
	x := c.in[0]
	if x.isInt() {
		return nil, errIntegers
	}
	f, y := unary[c.op](c.attr), c.result(0)
	for i, v := range x.F {
		y.F[i] = f(v)
	}
	return y, nil
}

func opRelu(c *call) (*Tensor, error) { return clipped(c, 0, inf) }

func opClip(c *call) (*Tensor, error) {
	lo, hi, ok := clipBounds(c.attr, c.in)
	if !ok {
		return nil, errors.New("a bound is not one number")
	}
	return clipped(c, lo, hi)
}

func clipped(c *call, lo, hi float32) (*Tensor, error) {
	if c.in[0].isInt() {
		return nil, errIntegers
	}
	y := c.result(0)
	vec.Clamp(y.F, 0, c.in[0].F, lo, hi)
	return y, nil
}

// clipBounds returns the bounds of a Clip node with these operands. It returns false if a bound is not one number.
func clipBounds(a attributes, in []*Tensor) (lo, hi float32, ok bool) {
	lo, hi = a.float("min", -inf), a.float("max", inf)
	for i, to := range []*float32{&lo, &hi} {
		if len(in) > i+1 && in[i+1] != nil {
			if len(in[i+1].F) != 1 {
				return 0, 0, false
			}
			*to = in[i+1].F[0]
		}
	}
	return lo, hi, true
}

func opBinary(c *call) (*Tensor, error) {
	if (c.op == "Max" || c.op == "Min" || c.op == "Sum") && len(c.in) != 2 { // any number of operands
		out := c.in[0]
		for _, x := range c.in[1:] {
			next := &call{node: c.node, in: []*Tensor{out, x}, pool: c.pool, last: make([]bool, 2)}
			var err error
			if out, err = opBinary(next); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	if len(c.in) != 2 || c.in[1] == nil {
		return nil, fmt.Errorf("%d operands, want 2", len(c.in))
	}
	a, b := c.in[0], c.in[1]
	shape, err := broadcast(a.Shape, b.Shape)
	if err != nil {
		return nil, err
	}
	w := newWalk(shape, a.Shape, b.Shape)
	switch f, g := floatPairs[c.op], intPairs[c.op]; {
	case a.isInt() && b.isInt() && g != nil:
		out := &Tensor{Shape: shape, I: make([]int64, size(shape))}
		w.each(func(to, i, j int) { out.I[to] = g(a.I[i], b.I[j]) })
		return out, nil
	case !a.isInt() && !b.isInt() && f != nil:
		var out *Tensor
		switch {
		case slices.Equal(shape, a.Shape):
			out = c.result(0)
		case slices.Equal(shape, b.Shape):
			out = c.result(1)
		default:
			out = c.pool.tensor(shape)
		}
		if fast := c.op; (fast == "Add" || fast == "Sum") && slices.Equal(a.Shape, b.Shape) {
			vec.Lin3(out.F, 1, a.F, 1, b.F, 0, b.F)
			return out, nil
		}
		w.floats(c.op, f, out.F, a.F, b.F)
		return out, nil
	case !a.isInt() && !b.isInt() && comparisons[c.op] != nil:
		f := comparisons[c.op]
		out := &Tensor{Shape: shape, I: make([]int64, size(shape))}
		w.each(func(to, i, j int) { out.I[to] = truth(f(a.F[i], b.F[j])) })
		return out, nil
	}
	return nil, errors.New("operands of different types, or of a type that is not supported")
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

var floatPairs = map[string]func(a, b float32) float32{
	"Add": func(a, b float32) float32 { return a + b },
	"Sum": func(a, b float32) float32 { return a + b },
	"Sub": func(a, b float32) float32 { return a - b },
	"Mul": func(a, b float32) float32 { return a * b },
	"Div": func(a, b float32) float32 { return a / b },
	"Max": func(a, b float32) float32 { return max(a, b) },
	"Min": func(a, b float32) float32 { return min(a, b) },
	"Pow": func(a, b float32) float32 {
		if b == 2 {
			return a * a
		}
		return float32(math.Pow(float64(a), float64(b)))
	},
	"PRelu": func(a, b float32) float32 {
		if a < 0 {
			return a * b
		}
		return a
	},
}

var comparisons = map[string]func(a, b float32) bool{
	"Equal":          func(a, b float32) bool { return a == b },
	"Less":           func(a, b float32) bool { return a < b },
	"LessOrEqual":    func(a, b float32) bool { return a <= b },
	"Greater":        func(a, b float32) bool { return a > b },
	"GreaterOrEqual": func(a, b float32) bool { return a >= b },
}

var intPairs = map[string]func(a, b int64) int64{
	"Add":            func(a, b int64) int64 { return a + b },
	"Sub":            func(a, b int64) int64 { return a - b },
	"Mul":            func(a, b int64) int64 { return a * b },
	"Div":            func(a, b int64) int64 { return a / b },
	"Mod":            func(a, b int64) int64 { return (a%b + b) % b },
	"Max":            func(a, b int64) int64 { return max(a, b) },
	"Min":            func(a, b int64) int64 { return min(a, b) },
	"And":            func(a, b int64) int64 { return a & b },
	"Or":             func(a, b int64) int64 { return a | b },
	"Equal":          func(a, b int64) int64 { return truth(a == b) },
	"Less":           func(a, b int64) int64 { return truth(a < b) },
	"LessOrEqual":    func(a, b int64) int64 { return truth(a <= b) },
	"Greater":        func(a, b int64) int64 { return truth(a > b) },
	"GreaterOrEqual": func(a, b int64) int64 { return truth(a >= b) },
}

// A walk visits the values of a result with those of two operands, which may repeat along axes.
type walk struct {
	shape, a, b []int // strides of the operands
}

// newWalk joins neighbouring axes that both operands run through in the same way, so that the last axis is long.
func newWalk(shape, a, b []int) walk {
	sa, sb := spread(a, shape), spread(b, shape)
	var w walk
	for i, n := range shape {
		if n == 1 {
			continue
		}
		if k := len(w.shape) - 1; k >= 0 && w.a[k] == n*sa[i] && w.b[k] == n*sb[i] {
			w.shape[k], w.a[k], w.b[k] = w.shape[k]*n, sa[i], sb[i]
			continue
		}
		w.shape, w.a, w.b = append(w.shape, n), append(w.a, sa[i]), append(w.b, sb[i])
	}
	return w
}

// runs calls run for each stretch along the last axis: n results from position to, operands from i and j.
func (w walk) runs(run func(to, i, j, n, stepA, stepB int)) {
	switch {
	case len(w.shape) == 0: // one number
		run(0, 0, 0, 1, 0, 0)
		return
	case size(w.shape) == 0:
		return
	}
	last := len(w.shape) - 1
	at := make([]int, last)
	n := w.shape[last]
	for to, i, j := 0, 0, 0; ; to += n {
		run(to, i, j, n, w.a[last], w.b[last])
		k := last - 1
		for ; k >= 0; k-- {
			i, j = i+w.a[k], j+w.b[k]
			if at[k]++; at[k] < w.shape[k] {
				break
			}
			i, j, at[k] = i-w.a[k]*w.shape[k], j-w.b[k]*w.shape[k], 0
		}
		if k < 0 {
			return
		}
	}
}

func (w walk) each(do func(to, i, j int)) {
	w.runs(func(to, i, j, n, stepA, stepB int) {
		for k := range n {
			do(to+k, i+k*stepA, j+k*stepB)
		}
	})
}

// floats computes the pairs. Sums and products with one repeated number use kernels.
func (w walk) floats(op string, f func(a, b float32) float32, out, a, b []float32) {
	w.runs(func(to, i, j, n, stepA, stepB int) {
		y := out[to : to+n]
		switch {
		case op == "Mul" && stepB == 0:
			vec.Scale(y, b[j], a[i:i+n])
		case op == "Mul" && stepA == 0:
			vec.Scale(y, a[i], b[j:j+n])
		case op == "Add" && stepB == 0:
			vec.Clamp(y, b[j], a[i:i+n], -inf, inf)
		case op == "Mul":
			x := b[j : j+n]
			for k, v := range a[i : i+n] {
				y[k] = v * x[k]
			}
		case op == "Add" && stepA == 1:
			x := b[j : j+n]
			for k, v := range a[i : i+n] {
				y[k] = v + x[k]
			}
		default:
			for k := range y {
				y[k] = f(a[i+k*stepA], b[j+k*stepB])
			}
		}
	})
}

func opNot(c *call) (*Tensor, error) {
	out := &Tensor{Shape: c.in[0].Shape, I: make([]int64, len(c.in[0].I))}
	for i, v := range c.in[0].I {
		out.I[i] = truth(v == 0)
	}
	return out, nil
}

func opWhere(c *call) (*Tensor, error) {
	if len(c.in) != 3 {
		return nil, fmt.Errorf("%d operands, want 3", len(c.in))
	}
	shape, err := broadcast(c.in[1].Shape, c.in[2].Shape)
	if err == nil {
		shape, err = broadcast(shape, c.in[0].Shape)
	}
	if err != nil {
		return nil, err
	}
	chosen := &Tensor{Shape: shape, I: make([]int64, size(shape))}
	newWalk(shape, c.in[0].Shape, c.in[0].Shape).each(func(to, i, _ int) { chosen.I[to] = c.in[0].I[i] })
	a, b := c.in[1], c.in[2]
	w := newWalk(shape, a.Shape, b.Shape)
	if a.isInt() {
		out := &Tensor{Shape: shape, I: make([]int64, size(shape))}
		w.each(func(to, i, j int) {
			if out.I[to] = b.I[j]; chosen.I[to] != 0 {
				out.I[to] = a.I[i]
			}
		})
		return out, nil
	}
	out := c.pool.tensor(shape)
	w.each(func(to, i, j int) {
		if out.F[to] = b.F[j]; chosen.I[to] != 0 {
			out.F[to] = a.F[i]
		}
	})
	return out, nil
}

func opCast(c *call) (*Tensor, error) {
	x, to := c.in[0], int(c.attr.int("to", 0))
	switch {
	case isFloatType(to) && x.isInt():
		y := c.pool.tensor(x.Shape)
		for i, v := range x.I {
			y.F[i] = float32(v)
		}
		return y, nil
	case !isFloatType(to) && !x.isInt():
		y := &Tensor{Shape: x.Shape, I: make([]int64, len(x.F))}
		for i, v := range x.F {
			if y.I[i] = int64(v); to == typeBool {
				y.I[i] = truth(v != 0)
			}
		}
		return y, nil
	case to == typeBool:
		y := &Tensor{Shape: x.Shape, I: make([]int64, len(x.I))}
		for i, v := range x.I {
			y.I[i] = truth(v != 0)
		}
		return y, nil
	}
	return x.reshaped(x.Shape), nil
}
