package onnx

import (
	"errors"
	"fmt"
	"slices"
)

func opIdentity(c *call) (*Tensor, error) { return c.in[0].reshaped(c.in[0].Shape), nil }

func opConstant(c *call) (*Tensor, error) {
	for name, a := range c.attr {
		switch name {
		case "value":
			if a.tensor == nil {
				return nil, errWire
			}
			return a.tensor, nil
		case "value_float":
			return &Tensor{Shape: []int{}, F: []float32{a.f}}, nil
		case "value_int":
			return &Tensor{Shape: []int{}, I: []int64{a.i}}, nil
		case "value_floats":
			return &Tensor{Shape: []int{len(a.floats)}, F: a.floats}, nil
		case "value_ints":
			return &Tensor{Shape: []int{len(a.ints)}, I: a.ints}, nil
		}
	}
	return nil, errors.New("a constant without a value, or of a kind that is not supported")
}

// shapeOf returns the numbers of an operand as a shape.
func shapeOf(t *Tensor) ([]int, error) {
	if t == nil || !t.isInt() {
		return nil, errors.New("a shape that is not a list of integers")
	}
	out := make([]int, len(t.I))
	for i, v := range t.I {
		if v < -1 || v > mostValues {
			return nil, fmt.Errorf("a shape of %v", t.I)
		}
		out[i] = int(v)
	}
	return out, nil
}

func opConstantOfShape(c *call) (*Tensor, error) {
	shape, err := shapeOf(c.in[0])
	if err != nil {
		return nil, err
	}
	n, err := count(shape)
	if err != nil {
		return nil, err
	}
	value := c.attr["value"].tensor
	if value == nil {
		value = &Tensor{F: []float32{0}}
	}
	if value.isInt() {
		return &Tensor{Shape: shape, I: slices.Repeat(value.I[:1], n)}, nil
	}
	return &Tensor{Shape: shape, F: slices.Repeat(value.F[:1], n)}, nil
}

func opShape(c *call) (*Tensor, error) {
	rank := int64(len(c.in[0].Shape))
	clip := func(v int64) int64 {
		if v < 0 {
			v += rank
		}
		return min(max(v, 0), rank)
	}
	first, last := clip(c.attr.int("start", 0)), clip(c.attr.int("end", rank))
	out := &Tensor{I: []int64{}}
	for i := first; i < last; i++ {
		out.I = append(out.I, int64(c.in[0].Shape[i]))
	}
	out.Shape = []int{len(out.I)}
	return out, nil
}

func opReshape(c *call) (*Tensor, error) {
	if len(c.in) != 2 {
		return nil, errWire
	}
	x := c.in[0]
	shape, err := shapeOf(c.in[1])
	if err != nil {
		return nil, err
	}
	open, known := -1, 1
	for i, d := range shape {
		switch {
		case d == 0 && c.attr.int("allowzero", 0) == 0:
			if i >= len(x.Shape) {
				return nil, fmt.Errorf("shape %v for one of %v", shape, x.Shape)
			}
			shape[i] = x.Shape[i]
		case d == -1 && open >= 0:
			return nil, fmt.Errorf("shape %v", shape)
		case d == -1:
			open = i
			continue
		}
		if shape[i] > 0 && known > mostValues/shape[i] {
			return nil, fmt.Errorf("shape %v", shape)
		}
		known *= shape[i]
	}
	if open >= 0 && known > 0 {
		shape[open] = x.len() / known
		known *= shape[open]
	}
	if known != x.len() {
		return nil, fmt.Errorf("shape %v for %d values", shape, x.len())
	}
	return x.reshaped(shape), nil
}

func opFlatten(c *call) (*Tensor, error) {
	axis := c.attr.int("axis", 1)
	rank := int64(len(c.in[0].Shape))
	if axis < 0 {
		axis += rank
	}
	if axis < 0 || axis > rank {
		return nil, fmt.Errorf("axis %d", axis)
	}
	return c.in[0].reshaped([]int{size(c.in[0].Shape[:axis]), size(c.in[0].Shape[axis:])}), nil
}

func opSqueeze(c *call) (*Tensor, error) {
	x := c.in[0]
	axes, err := c.axesOf(1, len(x.Shape))
	if err != nil {
		return nil, err
	}
	shape := []int{}
	for i, d := range x.Shape {
		switch drop := axes == nil && d == 1 || axes != nil && axes[i]; {
		case drop && d != 1:
			return nil, fmt.Errorf("an axis of %d values", d)
		case !drop:
			shape = append(shape, d)
		}
	}
	return x.reshaped(shape), nil
}

func opUnsqueeze(c *call) (*Tensor, error) {
	x, list := c.in[0], c.list(1, "axes")
	axes, err := c.axesOf(1, len(x.Shape)+len(list))
	if err != nil {
		return nil, err
	}
	var shape []int
	next := 0
	for i := range len(x.Shape) + len(list) {
		if axes != nil && axes[i] {
			shape = append(shape, 1)
			continue
		}
		shape = append(shape, x.Shape[next])
		next++
	}
	return x.reshaped(shape), nil
}

// copied returns a tensor whose value at each position is that of x at from(position).
func copied(c *call, x *Tensor, shape []int, each func(put func(to, from int))) (*Tensor, error) {
	y, err := c.like(x, shape)
	switch {
	case err != nil:
		return nil, err
	case x.isInt():
		each(func(to, from int) { y.I[to] = x.I[from] })
	default:
		each(func(to, from int) { y.F[to] = x.F[from] })
	}
	return y, nil
}

func opExpand(c *call) (*Tensor, error) {
	if len(c.in) != 2 {
		return nil, errWire
	}
	want, err := shapeOf(c.in[1])
	if err != nil {
		return nil, err
	}
	shape, err := broadcast(c.in[0].Shape, want)
	if err != nil {
		return nil, err
	}
	return copied(c, c.in[0], shape, func(put func(to, from int)) {
		newWalk(shape, c.in[0].Shape, c.in[0].Shape).each(func(to, i, _ int) { put(to, i) })
	})
}

func opTranspose(c *call) (*Tensor, error) {
	x, order := c.in[0], c.attr["perm"].ints
	rank := len(x.Shape)
	if order == nil {
		for i := range rank {
			order = append(order, int64(rank-1-i))
		}
	}
	if len(order) != rank {
		return nil, fmt.Errorf("perm = %v of a tensor with %d axes", order, rank)
	}
	own, shape, steps := strides(x.Shape), make([]int, rank), make([]int, rank)
	for i, from := range order {
		shape[i], steps[i] = x.Shape[from], own[from]
	}
	return copied(c, x, shape, func(put func(to, from int)) {
		walk{shape, steps, steps}.each(func(to, i, _ int) { put(to, i) })
	})
}

func opConcat(c *call) (*Tensor, error) {
	axis, err := axisOf(c.attr.int("axis", 0), len(c.in[0].Shape))
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(c.in[0].Shape)
	shape[axis] = 0
	for _, x := range c.in {
		if x == nil || x.isInt() != c.in[0].isInt() || len(x.Shape) != len(shape) || !slices.Equal(x.Shape[:axis], shape[:axis]) || !slices.Equal(x.Shape[axis+1:], shape[axis+1:]) {
			return nil, errors.New("operands of different shapes or types")
		}
		shape[axis] += x.Shape[axis]
	}
	y, err := c.like(c.in[0], shape)
	if err != nil {
		return nil, err
	}
	row, first := size(shape[axis:]), 0
	for _, x := range c.in {
		n := size(x.Shape[axis:])
		for i := range size(shape[:axis]) {
			if x.isInt() {
				copy(y.I[i*row+first:], x.I[i*n:(i+1)*n])
			} else {
				copy(y.F[i*row+first:], x.F[i*n:(i+1)*n])
			}
		}
		first += n
	}
	return y, nil
}

// opSplit computes one of the outputs.
func opSplit(c *call) (*Tensor, error) {
	x := c.in[0]
	axis, err := axisOf(c.attr.int("axis", 0), len(x.Shape))
	if err != nil {
		return nil, err
	}
	sizes := c.list(1, "split")
	if sizes == nil { // equal parts, the last one may be smaller
		parts := int64(len(c.out))
		each := (int64(x.Shape[axis]) + parts - 1) / parts
		sizes = slices.Repeat([]int64{each}, len(c.out))
		sizes[parts-1] = int64(x.Shape[axis]) - each*(parts-1)
	}
	first := int64(0)
	for _, n := range sizes[:c.part] {
		first += n
	}
	shape, own := slices.Clone(x.Shape), strides(x.Shape)
	if shape[axis] = int(sizes[c.part]); first+sizes[c.part] > int64(x.Shape[axis]) {
		return nil, fmt.Errorf("parts of %v of an axis of %d", sizes, x.Shape[axis])
	}
	return copied(c, x, shape, func(put func(to, from int)) {
		walk{shape, own, own}.each(func(to, from, _ int) { put(to, int(first)*own[axis]+from) })
	})
}

func opSlice(c *call) (*Tensor, error) {
	x := c.in[0]
	var lists [4][]int64 // starts, ends, axes, steps
	for i, name := range []string{"starts", "ends", "axes", "steps"} {
		lists[i] = c.list(i+1, name)
	}
	shape, steps, offset, own := slices.Clone(x.Shape), strides(x.Shape), 0, strides(x.Shape)
	for i, start := range lists[0] {
		axis, step := int64(i), int64(1)
		if lists[2] != nil {
			axis = lists[2][i]
		}
		if lists[3] != nil {
			step = lists[3][i]
		}
		a, err := axisOf(axis, len(shape))
		if err != nil || step == 0 {
			return nil, errors.Join(err, fmt.Errorf("step %d", step))
		}
		n, end := int64(x.Shape[a]), lists[1][i]
		if start < 0 {
			start += n
		}
		if end < 0 {
			end += n
		}
		var length int64
		if step > 0 {
			start, end = min(max(start, 0), n), min(max(end, 0), n)
			length = max(0, (end-start+step-1)/step)
		} else {
			start, end = min(max(start, -1), n-1), min(max(end, -1), n-1)
			length = max(0, (start-end-step-1)/-step)
		}
		offset += int(start) * own[a]
		shape[a], steps[a] = int(length), int(step)*own[a]
	}
	return copied(c, x, shape, func(put func(to, from int)) {
		walk{shape, steps, steps}.each(func(to, from, _ int) { put(to, offset+from) })
	})
}

func opGather(c *call) (*Tensor, error) {
	if len(c.in) != 2 || !c.in[1].isInt() {
		return nil, errors.New("indices that are not integers")
	}
	x, index := c.in[0], c.in[1]
	axis, err := axisOf(c.attr.int("axis", 0), len(x.Shape))
	if err != nil {
		return nil, err
	}
	shape := slices.Concat(x.Shape[:axis], index.Shape, x.Shape[axis+1:])
	n, inner := x.Shape[axis], size(x.Shape[axis+1:])
	return copied(c, x, shape, func(put func(to, from int)) {
		to := 0
		for outer := range size(x.Shape[:axis]) {
			for _, k := range index.I {
				if k < 0 {
					k += int64(n)
				}
				if k < 0 || k >= int64(n) {
					panic("an index out of range")
				}
				for i := range inner {
					put(to, (outer*n+int(k))*inner+i)
					to++
				}
			}
		}
	})
}

// opPad pads with a constant.
func opPad(c *call) (*Tensor, error) {
	x, pads, value := c.in[0], c.list(1, "pads"), c.attr.float("value", 0)
	if len(c.in) > 2 && c.in[2] != nil && len(c.in[2].F) == 1 {
		value = c.in[2].F[0]
	}
	rank := len(x.Shape)
	if mode := c.attr["mode"].s; mode != "" && mode != "constant" || len(pads) != 2*rank || x.isInt() || len(c.in) > 3 {
		return nil, errors.New("only padding with a constant along all axes is supported")
	}
	shape, offset := make([]int, rank), 0
	for i, d := range x.Shape {
		if pads[i] < 0 || pads[i+rank] < 0 || pads[i] > mostValues || pads[i+rank] > mostValues {
			return nil, fmt.Errorf("pads = %v", pads)
		}
		shape[i] = d + int(pads[i]+pads[i+rank])
	}
	y, err := c.tensor(shape)
	if err != nil {
		return nil, err
	}
	own := strides(shape)
	for i := range y.F {
		y.F[i] = value
	}
	for i := range shape {
		offset += int(pads[i]) * own[i]
	}
	walk{x.Shape, own, own}.each(func(from, to, _ int) { y.F[offset+to] = x.F[from] })
	return y, nil
}
