package tape

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/vec"
)

// each adds the elementwise y = f(x). slope is the derivative, from x and y.
func (t *Tape) each(x *Node, f func(x float64) float64, slope func(x, y float64) float64) *Node {
	y := t.result(x.Rows(), x.Cols(), x)
	return t.do(y, func() error {
		out := y.Value.Data
		for i, v := range x.Value.Data {
			out[i] = f(v)
		}
		return nil
	}, func() {
		in, out, g, dst := x.Value.Data, y.Value.Data, y.Grad.Data, x.Grad.Data
		for i, v := range in {
			dst[i] += g[i] * slope(v, out[i])
		}
	})
}

// Sigmoid is 1/(1 + e⁻ˣ), with slope y(1 - y).
func (t *Tape) Sigmoid(x *Node) *Node {
	y := t.result(x.Rows(), x.Cols(), x)
	return t.do(y, func() error {
		out := y.Value.Data
		for i, v := range x.Value.Data {
			out[i] = 1 / (1 + math.Exp(-v))
		}
		return nil
	}, func() {
		out, g, dst := y.Value.Data, y.Grad.Data, x.Grad.Data
		for i, v := range out {
			dst[i] += g[i] * v * (1 - v)
		}
	})
}

// Tanh is the hyperbolic tangent, with slope 1 - y².
func (t *Tape) Tanh(x *Node) *Node {
	return t.each(x, math.Tanh, func(_, y float64) float64 { return 1 - y*y })
}

// Exp is eˣ.
func (t *Tape) Exp(x *Node) *Node {
	return t.each(x, math.Exp, func(_, y float64) float64 { return y })
}

// Log is the natural logarithm. A value that is not positive is outside its domain.
func (t *Tape) Log(x *Node) *Node {
	y := t.result(x.Rows(), x.Cols(), x)
	return t.do(y, func() error {
		for i, v := range x.Value.Data {
			if !(v > 0) {
				return fmt.Errorf("the logarithm of %g", v)
			}
			y.Value.Data[i] = math.Log(v)
		}
		return nil
	}, func() {
		for i, v := range x.Value.Data {
			x.Grad.Data[i] += y.Grad.Data[i] / v
		}
	})
}

// Sinh is the hyperbolic sine, with slope √(1 + y²).
func (t *Tape) Sinh(x *Node) *Node {
	return t.each(x, math.Sinh, func(_, y float64) float64 { return math.Sqrt(1 + y*y) })
}

// Sqrt is the square root, with slope 0 at 0. A negative value is outside its domain.
func (t *Tape) Sqrt(x *Node) *Node {
	y := t.result(x.Rows(), x.Cols(), x)
	return t.do(y, func() error {
		for i, v := range x.Value.Data {
			if !(v >= 0) {
				return fmt.Errorf("the square root of %g", v)
			}
			y.Value.Data[i] = math.Sqrt(v)
		}
		return nil
	}, func() {
		for i, v := range y.Value.Data {
			if v > 0 {
				x.Grad.Data[i] += y.Grad.Data[i] / (2 * v)
			}
		}
	})
}

// Square is x².
func (t *Tape) Square(x *Node) *Node {
	return t.each(x, func(x float64) float64 { return x * x }, func(x, _ float64) float64 { return 2 * x })
}

// Abs is |x|, with slope 0 at 0.
func (t *Tape) Abs(x *Node) *Node {
	return t.each(x, math.Abs, func(x, _ float64) float64 {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return 0
	})
}

// LeakyReLU is x above 0 and leak·x below, with slope leak at 0. The slope comes from a table, because a branch
// on a random sign costs more.
func (t *Tape) LeakyReLU(x *Node, leak float64) *Node {
	y := t.result(x.Rows(), x.Cols(), x)
	slopes := [2]float64{1, leak}
	return t.do(y, func() error {
		out := y.Value.Data
		for i, v := range x.Value.Data {
			k := 0
			if v <= 0 {
				k = 1
			}
			out[i] = v * slopes[k]
		}
		return nil
	}, func() {
		in, g, dst := x.Value.Data, y.Grad.Data, x.Grad.Data
		for i, v := range in {
			k := 0
			if v <= 0 {
				k = 1
			}
			dst[i] += g[i] * slopes[k]
		}
	})
}

// Scale is a·x.
func (t *Tape) Scale(x *Node, a float64) *Node {
	y := t.result(x.Rows(), x.Cols(), x)
	return t.do(y, func() error {
		vec.Scale(y.Value.Data, a, x.Value.Data)
		return nil
	}, func() { vec.Axpy(x.Grad.Data, a, y.Grad.Data) })
}

// Add is the elementwise a + b.
func (t *Tape) Add(a, b *Node) *Node { return t.sum("a sum", a, b, 1) }

// Sub is the elementwise a - b.
func (t *Tape) Sub(a, b *Node) *Node { return t.sum("a difference", a, b, -1) }

func (t *Tape) sum(what string, a, b *Node, sign float64) *Node {
	same(what, a, b)
	y := t.result(a.Rows(), a.Cols(), a, b)
	return t.do(y, func() error {
		copy(y.Value.Data, a.Value.Data)
		vec.Axpy(y.Value.Data, sign, b.Value.Data)
		return nil
	}, func() {
		if a.Grad != nil {
			vec.Axpy(a.Grad.Data, 1, y.Grad.Data)
		}
		if b.Grad != nil {
			vec.Axpy(b.Grad.Data, sign, y.Grad.Data)
		}
	})
}

// Mul is the elementwise a∘b, with gradients ∂a = ∂y∘b and ∂b = ∂y∘a.
func (t *Tape) Mul(a, b *Node) *Node {
	same("an elementwise product", a, b)
	y := t.result(a.Rows(), a.Cols(), a, b)
	return t.do(y, func() error {
		for i, v := range a.Value.Data {
			y.Value.Data[i] = v * b.Value.Data[i]
		}
		return nil
	}, func() {
		for i, g := range y.Grad.Data {
			if a.Grad != nil {
				a.Grad.Data[i] += g * b.Value.Data[i]
			}
			if b.Grad != nil {
				b.Grad.Data[i] += g * a.Value.Data[i]
			}
		}
	})
}

// AddRow adds the row b to every row of x. The gradient of b is the sum of the rows of the gradient.
func (t *Tape) AddRow(x, b *Node) *Node {
	if b.Rows() != 1 || b.Cols() != x.Cols() {
		panic(fmt.Sprintf("tape: a row of %d×%d for %d×%d", b.Rows(), b.Cols(), x.Rows(), x.Cols()))
	}
	y := t.result(x.Rows(), x.Cols(), x, b)
	return t.do(y, func() error {
		copy(y.Value.Data, x.Value.Data)
		for i := range y.Rows() {
			vec.Axpy(y.Value.Row(i), 1, b.Value.Data)
		}
		return nil
	}, func() {
		if x.Grad != nil {
			vec.Axpy(x.Grad.Data, 1, y.Grad.Data)
		}
		if b.Grad != nil {
			for i := range y.Rows() {
				vec.Axpy(b.Grad.Data, 1, y.Grad.Row(i))
			}
		}
	})
}
