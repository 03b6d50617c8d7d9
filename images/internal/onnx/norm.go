package onnx

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/internal/vec"
)

var errParameters = errors.New("parameters of another length than the channels")

// affine returns scale and shift of a batch normalization with these operands: scale·(x - mean)/√(variance + ε) + bias. It
// returns false unless there is one of each parameter per channel.
func affine(a attributes, in []*Tensor) (scale, shift []float32, ok bool) {
	if len(in) != 5 {
		return nil, nil, false
	}
	p, epsilon := in[1:], a.float("epsilon", 1e-5)
	for _, t := range p {
		if t == nil || p[0] == nil || len(t.F) != len(p[0].F) {
			return nil, nil, false
		}
	}
	for i := range p[0].F {
		s := float64(p[0].F[i]) / math.Sqrt(float64(p[3].F[i])+float64(epsilon))
		scale, shift = append(scale, float32(s)), append(shift, float32(float64(p[1].F[i])-s*float64(p[2].F[i])))
	}
	return scale, shift, true
}

func opBatchNorm(c *call) (*Tensor, error) {
	x := c.in[0]
	scale, shift, ok := affine(c.attr, c.in)
	if !ok || len(x.Shape) < 2 || x.isInt() || len(scale) != x.Shape[1] {
		return nil, errParameters
	}
	y, n := c.result(0), size(x.Shape[2:])
	for i := range x.Shape[0] * x.Shape[1] {
		k := i % x.Shape[1]
		part := y.F[i*n : (i+1)*n]
		vec.Scale(part, scale[k], x.F[i*n:(i+1)*n])
		vec.Clamp(part, shift[k], part, -inf, inf)
	}
	return y, nil
}

// normalized writes (x - mean)/√(variance + ε) of a stretch.
func normalized(y, x []float32, epsilon float32) {
	mean := total(x) / float64(len(x))
	square := 0.0
	for _, v := range x {
		d := float64(v) - mean
		square += d * d
	}
	scale := 1 / math.Sqrt(square/float64(len(x))+float64(epsilon))
	for i, v := range x {
		y[i] = float32((float64(v) - mean) * scale)
	}
}

func opInstanceNorm(c *call) (*Tensor, error) {
	x := c.in[0]
	if len(c.in) != 3 || len(x.Shape) < 3 || x.isInt() || len(c.in[1].F) != x.Shape[1] || len(c.in[2].F) != x.Shape[1] {
		return nil, errParameters
	}
	y, n := c.result(0), size(x.Shape[2:])
	for i := range x.Shape[0] * x.Shape[1] {
		k, part := i%x.Shape[1], y.F[i*n:(i+1)*n]
		normalized(part, x.F[i*n:(i+1)*n], c.attr.float("epsilon", 1e-5))
		vec.Scale(part, c.in[1].F[k], part)
		vec.Clamp(part, c.in[2].F[k], part, -inf, inf)
	}
	return y, nil
}

func opLayerNorm(c *call) (*Tensor, error) {
	x := c.in[0]
	axis, err := axisOf(c.attr.int("axis", -1), len(x.Shape))
	if err != nil {
		return nil, err
	}
	n := size(x.Shape[axis:])
	if len(c.in) < 2 || x.isInt() || len(c.in[1].F) != n || len(c.in) > 2 && c.in[2] != nil && len(c.in[2].F) != n {
		return nil, errParameters
	}
	y := c.result(0)
	for at := 0; at < len(x.F); at += n {
		part := y.F[at : at+n]
		normalized(part, x.F[at:at+n], c.attr.float("epsilon", 1e-5))
		for i := range part {
			part[i] *= c.in[1].F[i]
			if len(c.in) > 2 && c.in[2] != nil {
				part[i] += c.in[2].F[i]
			}
		}
	}
	return y, nil
}

// opLRN is the local response normalization across channels.
func opLRN(c *call) (*Tensor, error) {
	x, width := c.in[0], int(c.attr.int("size", 1))
	if len(x.Shape) != 4 || x.isInt() || width < 1 {
		return nil, fmt.Errorf("an operand of shape %v", x.Shape)
	}
	alpha, beta, bias := float64(c.attr.float("alpha", 1e-4)), float64(c.attr.float("beta", 0.75)), float64(c.attr.float("bias", 1))
	y, n, channels := c.pool.tensor(x.Shape), x.Shape[2]*x.Shape[3], x.Shape[1]
	for image := range x.Shape[0] {
		at := func(k, i int) int { return (image*channels+k)*n + i }
		for k := range channels {
			for i := range n {
				sum := 0.0
				for j := max(0, k-(width-1)/2); j <= min(channels-1, k+width/2); j++ {
					v := float64(x.F[at(j, i)])
					sum += v * v
				}
				y.F[at(k, i)] = float32(float64(x.F[at(k, i)]) / math.Pow(bias+alpha/float64(width)*sum, beta))
			}
		}
	}
	return y, nil
}

// opSoftmax is Softmax and LogSoftmax. Before operator set 13 it ran over all axes from the given one.
func opSoftmax(c *call) (*Tensor, error) {
	x, standard := c.in[0], int64(-1)
	if c.opset < 13 {
		standard = 1
	}
	axis, err := axisOf(c.attr.int("axis", standard), len(x.Shape))
	if err != nil || x.isInt() {
		return nil, errors.Join(err, errors.New("an operand that is not supported"))
	}
	n, inner := x.Shape[axis], size(x.Shape[axis+1:])
	if c.opset < 13 {
		n, inner = n*inner, 1
	}
	y := c.result(0)
	for block := range len(x.F) / max(1, n*inner) {
		for i := range inner {
			first := block*n*inner + i
			top, sum := -inf, 0.0
			for k := range n {
				top = max(top, x.F[first+k*inner])
			}
			for k := range n {
				v := x.F[first+k*inner] - top
				e := exp(v)
				sum += float64(e)
				if y.F[first+k*inner] = e; c.op == "LogSoftmax" {
					y.F[first+k*inner] = v
				}
			}
			for k := range n {
				if v := &y.F[first+k*inner]; c.op == "LogSoftmax" {
					*v -= float32(math.Log(sum))
				} else {
					*v /= float32(sum)
				}
			}
		}
	}
	return y, nil
}

// list returns integers that are an operand in newer operator sets, and an attribute in older ones.
func (c *call) list(operand int, name string) []int64 {
	if len(c.in) > operand && c.in[operand] != nil {
		return c.in[operand].I
	}
	return c.attr[name].ints
}

// axesOf returns the axes of a node, or nil if it states none.
func (c *call) axesOf(operand, rank int) ([]bool, error) {
	list := c.list(operand, "axes")
	if len(list) == 0 {
		return nil, nil
	}
	out := make([]bool, rank)
	for _, a := range list {
		axis, err := axisOf(a, rank)
		if err != nil {
			return nil, err
		}
		out[axis] = true
	}
	return out, nil
}

func opReduce(c *call) (*Tensor, error) {
	x := c.in[0]
	if x.isInt() {
		return nil, errIntegers
	}
	axes, err := c.axesOf(1, len(x.Shape))
	if err != nil {
		return nil, err
	}
	if axes == nil {
		if c.attr.int("noop_with_empty_axes", 0) != 0 {
			return x.reshaped(x.Shape), nil
		}
		axes = slices.Repeat([]bool{true}, len(x.Shape))
	}
	var shape, wide []int
	n := 1
	for i, d := range x.Shape {
		if !axes[i] {
			shape, wide = append(shape, d), append(wide, d)
			continue
		}
		n *= d
		if wide = append(wide, 1); c.attr.int("keepdims", 1) != 0 {
			shape = append(shape, 1)
		}
	}
	start := map[string]float64{"ReduceMax": math.Inf(-1), "ReduceMin": math.Inf(1)}[c.op]
	sums := slices.Repeat([]float64{start}, size(wide))
	newWalk(x.Shape, x.Shape, wide).each(func(_, i, j int) {
		switch v := float64(x.F[i]); c.op {
		case "ReduceMax":
			sums[j] = max(sums[j], v)
		case "ReduceMin":
			sums[j] = min(sums[j], v)
		case "ReduceL2":
			sums[j] += v * v
		default:
			sums[j] += v
		}
	})
	y := c.pool.tensor(shape)
	for i, s := range sums {
		switch c.op {
		case "ReduceMean":
			s /= float64(n)
		case "ReduceL2":
			s = math.Sqrt(s)
		}
		y.F[i] = float32(s)
	}
	return y, nil
}

func opArgMax(c *call) (*Tensor, error) {
	x := c.in[0]
	axis, err := axisOf(c.attr.int("axis", 0), len(x.Shape))
	if err != nil || x.isInt() {
		return nil, errors.Join(err, errIntegers)
	}
	shape := slices.Clone(x.Shape)
	n, inner := shape[axis], size(shape[axis+1:])
	if shape[axis] = 1; c.attr.int("keepdims", 1) == 0 {
		shape = slices.Delete(shape, axis, axis+1)
	}
	y := &Tensor{Shape: shape, I: make([]int64, size(shape))}
	for i := range y.I {
		first := i/inner*n*inner + i%inner
		best := 0
		for k := range n {
			if x.F[first+k*inner] > x.F[first+best*inner] {
				best = k
			}
		}
		y.I[i] = int64(best)
	}
	return y, nil
}
