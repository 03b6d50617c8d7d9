package onnx

import "fmt"

// opPool is MaxPool and AveragePool.
func opPool(c *call) (*Tensor, error) {
	x := c.in[0]
	if len(x.Shape) != 4 || x.isInt() || len(c.attr["kernel_shape"].ints) != 2 {
		return nil, errWindow
	}
	win, err := windowOf(c.attr)
	if err != nil {
		return nil, err
	}
	h, w := x.Shape[2], x.Shape[3]
	out, top, left, err := win.over(h, w)
	if err != nil {
		return nil, err
	}
	shape := []int{x.Shape[0], x.Shape[1], out[0], out[1]}
	y, err := c.tensor(shape)
	if err != nil {
		return nil, err
	}
	p := &pooling{window: win, h: h, w: w, top: top, left: left, max: c.op == "MaxPool", all: c.attr.int("count_include_pad", 0) != 0}
	for plane := range x.Shape[0] * x.Shape[1] {
		from := x.F[plane*h*w : (plane+1)*h*w]
		to := y.F[plane*out[0]*out[1] : (plane+1)*out[0]*out[1]]
		for i := range out[0] {
			for j := range out[1] {
				to[i*out[1]+j] = p.at(from, i*win.stride[0]-top, j*win.stride[1]-left)
			}
		}
	}
	return y, nil
}

// pooling is a window that takes the largest value or the mean.
type pooling struct {
	window
	h, w, top, left int
	max             bool
	all             bool // the mean counts the padding, too
}

// at returns the value of the window at a place.
func (p *pooling) at(x []float32, y0, x0 int) float32 {
	y1, x1 := y0+(p.size[0]-1)*p.dilation[0]+1, x0+(p.size[1]-1)*p.dilation[1]+1
	n := 0
	if p.all { // the padding that the node asks for, without what rounding up adds
		n = within(y0, y1, -p.top, p.h+p.pads[2], p.dilation[0]) * within(x0, x1, -p.left, p.w+p.pads[3], p.dilation[1])
	} else {
		n = within(y0, y1, 0, p.h, p.dilation[0]) * within(x0, x1, 0, p.w, p.dilation[1])
	}
	best, sum := -inf, float32(0)
	for i := y0; i < min(y1, p.h); i += p.dilation[0] {
		if i < 0 {
			continue
		}
		row := x[i*p.w : (i+1)*p.w]
		for j := x0; j < min(x1, p.w); j += p.dilation[1] {
			if j >= 0 {
				v := row[j]
				sum += v
				if v > best {
					best = v
				}
			}
		}
	}
	if p.max {
		return best
	}
	return sum / float32(max(n, 1))
}

// within counts the positions a, a+step, … below b that lie from lo to hi-1.
func within(a, b, lo, hi, step int) int {
	n := 0
	for i := a; i < min(b, hi); i += step {
		if i >= lo {
			n++
		}
	}
	return n
}

// opGlobalPool is GlobalAveragePool and GlobalMaxPool.
func opGlobalPool(c *call) (*Tensor, error) {
	x := c.in[0]
	if len(x.Shape) < 3 || x.isInt() {
		return nil, fmt.Errorf("an operand of shape %v", x.Shape)
	}
	shape := []int{x.Shape[0], x.Shape[1]}
	for range x.Shape[2:] {
		shape = append(shape, 1)
	}
	y, n := c.pool.tensor(shape), size(x.Shape[2:])
	for i := range y.F {
		if part := x.F[i*n : (i+1)*n]; c.op == "GlobalMaxPool" {
			y.F[i] = largest(part)
		} else {
			y.F[i] = float32(total(part) / float64(n))
		}
	}
	return y, nil
}

func largest(x []float32) float32 {
	best := -inf
	for _, v := range x {
		if v > best || v != v {
			best = v
		}
	}
	return best
}

// total returns the sum in double precision.
func total(x []float32) float64 {
	a, b, c, d := 0.0, 0.0, 0.0, 0.0
	for ; len(x) >= 4; x = x[4:] {
		a, b, c, d = a+float64(x[0]), b+float64(x[1]), c+float64(x[2]), d+float64(x[3])
	}
	for _, v := range x {
		a += float64(v)
	}
	return a + b + (c + d)
}
