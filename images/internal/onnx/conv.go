package onnx

import (
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
)

var inf = float32(math.Inf(1))

// A convolution is a Conv node with constant weights, with what was joined to it.
type convolution struct {
	window
	outs, ins, group int       // channels; ins are those of one group
	weights          []float32 // outs × ins × height × width
	bias             []float32
	lo, hi           float32 // bounds of the result
	bounded          bool
}

// A window slides over an image.
type window struct {
	size, stride, dilation [2]int // vertical and horizontal
	pads                   [4]int // top, left, bottom, right
	auto                   string
	ceil                   bool
}

var errWindow = errors.New("only windows over two axes are supported")

// windowOf reads the attributes that convolutions and pools share.
func windowOf(a attributes) (window, error) {
	w := window{size: [2]int{1, 1}, stride: [2]int{1, 1}, dilation: [2]int{1, 1}, auto: a["auto_pad"].s, ceil: a.int("ceil_mode", 0) != 0}
	for name, to := range map[string][]int{"kernel_shape": w.size[:], "strides": w.stride[:], "dilations": w.dilation[:], "pads": w.pads[:]} {
		list := a[name].ints
		if list == nil {
			continue
		}
		if len(list) != len(to) {
			return w, errWindow
		}
		least := int64(1)
		if name == "pads" {
			least = 0
		}
		for i, v := range list {
			if v < least || v > 1<<20 {
				return w, fmt.Errorf("%s = %v", name, list)
			}
			to[i] = int(v)
		}
	}
	return w, nil
}

// over returns the size of the result for an image, with the padding at its top and left.
func (w *window) over(h, width int) (out [2]int, top, left int, err error) {
	in, pad := [2]int{h, width}, [2]int{w.pads[0], w.pads[1]}
	for i := range out {
		span := (w.size[i]-1)*w.dilation[i] + 1
		total := w.pads[i] + w.pads[i+2]
		switch w.auto {
		case "SAME_UPPER", "SAME_LOWER":
			out[i] = (in[i] + w.stride[i] - 1) / w.stride[i]
			total = max(0, (out[i]-1)*w.stride[i]+span-in[i])
			if pad[i] = total / 2; w.auto == "SAME_LOWER" {
				pad[i] = total - total/2
			}
			continue
		case "VALID":
			total, pad[i] = 0, 0
		}
		room := in[i] + total - span
		if room < 0 {
			return out, 0, 0, fmt.Errorf("a window of %d pixels over %d", span, in[i]+total)
		}
		out[i] = room/w.stride[i] + 1
		if w.ceil && room%w.stride[i] != 0 && out[i]*w.stride[i] < in[i]+pad[i] { // a window may not start in the padding at the end
			out[i]++
		}
	}
	return out, pad[0], pad[1], nil
}

// convolution prepares a Conv step. Its weights have to be constant.
func (b *builder) convolution(s *step) error {
	if len(s.in) < 2 {
		return errWire
	}
	weights := b.constant(s.in[1])
	if weights == nil || weights.isInt() {
		return errors.New("the weights are not constant")
	}
	if len(weights.Shape) != 4 {
		return errWindow
	}
	w, err := windowOf(s.n.attr)
	if err != nil {
		return err
	}
	w.size = [2]int{weights.Shape[2], weights.Shape[3]}
	c := &convolution{window: w, outs: weights.Shape[0], ins: weights.Shape[1], group: int(s.n.attr.int("group", 1)), weights: weights.F, lo: -inf, hi: inf}
	c.bias = make([]float32, c.outs)
	if len(s.in) > 2 && s.in[2] >= 0 {
		bias := b.constant(s.in[2])
		if bias == nil || len(bias.F) != c.outs {
			return errors.New("the bias is not constant, or of another length")
		}
		copy(c.bias, bias.F)
	}
	if c.group < 1 || c.outs < 1 || c.outs%c.group != 0 || len(c.weights) == 0 {
		return errWire
	}
	joined := *s.n
	joined.conv = c
	s.n, s.in = &joined, s.in[:1]
	return nil
}

// bound limits the result.
func (c *convolution) bound(lo, hi float32) { c.lo, c.hi, c.bounded = lo, hi, true }

// rescale multiplies each channel of the result by scale and adds shift.
func (c *convolution) rescale(scale, shift []float32) {
	weights, bias := make([]float32, len(c.weights)), make([]float32, c.outs)
	each := len(weights) / c.outs
	for o := range c.outs {
		vec.Scale(weights[o*each:(o+1)*each], scale[o], c.weights[o*each:(o+1)*each])
		bias[o] = c.bias[o]*scale[o] + shift[o]
	}
	c.weights, c.bias = weights, bias
}

func opConv(c *call) (*Tensor, error) {
	v, x := c.conv, c.in[0]
	if v == nil {
		return nil, errors.New("the weights are not constant")
	}
	if len(x.Shape) != 4 || x.isInt() || x.Shape[1] != v.ins*v.group {
		return nil, fmt.Errorf("an operand of shape %v, want %d channels of two axes", x.Shape, v.ins*v.group)
	}
	h, w := x.Shape[2], x.Shape[3]
	out, top, left, err := v.over(h, w)
	if err != nil {
		return nil, err
	}
	shape := []int{x.Shape[0], v.outs, out[0], out[1]}
	y, err := c.tensor(shape)
	if err != nil {
		return nil, err
	}
	plane, result := h*w, out[0]*out[1]
	for n := range x.Shape[0] {
		from := x.F[n*x.Shape[1]*plane : (n+1)*x.Shape[1]*plane]
		to := y.F[n*v.outs*result : (n+1)*v.outs*result]
		if v.ins == 1 {
			v.depthwise(c.pool, to, from, h, w, out, top, left)
		} else {
			v.products(c.pool, to, from, h, w, out, top, left)
		}
	}
	return y, nil
}

// blockValues is the number of values of a block of columns, half of a small L2 cache.
const blockValues = 1 << 17

// products computes a convolution as a product of the weights and a matrix with one column per window.
func (v *convolution) products(p *pool, y, x []float32, h, w int, out [2]int, top, left int) {
	result, plane := out[0]*out[1], h*w
	depth, outs := v.ins*v.size[0]*v.size[1], v.outs/v.group
	direct := v.size == [2]int{1, 1} && v.stride == [2]int{1, 1} && out == [2]int{h, w} // the image is the matrix
	block := result
	var columns []float32
	if direct {
		block = min(result, max(192, blockValues/depth/48*48))
	} else {
		rows := max(1, min(out[0], blockValues/depth/out[1]))
		block = rows * out[1]
		columns = p.floats(depth * block)
		defer p.giveBack(columns)
	}
	for g := range v.group {
		weights := v.weights[g*outs*depth : (g+1)*outs*depth]
		in := x[g*v.ins*plane : (g+1)*v.ins*plane]
		for first := 0; first < result; first += block {
			n := min(block, result-first)
			to := y[g*outs*result+first:]
			if direct {
				gemm.Gemm(false, false, outs, n, depth, 1, weights, depth, in[first:], plane, 0, to, result, 1)
			} else {
				v.unfold(columns, in, h, w, out, top, left, first/out[1], n/out[1])
				gemm.Gemm(false, false, outs, n, depth, 1, weights, depth, columns, n, 0, to, result, 1)
			}
			for o := range outs {
				k := g*outs + o
				part := to[o*result : o*result+n]
				vec.Clamp(part, v.bias[k], part, v.lo, v.hi)
			}
		}
	}
}

// unfold writes the windows of some rows of the result: a row per weight, a column per window.
func (v *convolution) unfold(to, x []float32, h, w int, out [2]int, top, left, first, rows int) {
	n := rows * out[1]
	at := 0
	for c := range v.ins {
		plane := x[c*h*w : (c+1)*h*w]
		for ky := range v.size[0] {
			for kx := range v.size[1] {
				dx := kx*v.dilation[1] - left
				// Columns lo … hi-1 of the result read pixels of the image.
				lo := min(out[1], max(0, (-dx+v.stride[1]-1)/v.stride[1]))
				hi := max(lo, min(out[1], (w-dx+v.stride[1]-1)/v.stride[1]))
				for r := range rows {
					row := to[at+r*out[1] : at+(r+1)*out[1]]
					iy := (first+r)*v.stride[0] + ky*v.dilation[0] - top
					if iy < 0 || iy >= h {
						clear(row)
						continue
					}
					clear(row[:lo])
					clear(row[hi:])
					source := plane[iy*w : (iy+1)*w]
					if v.stride[1] == 1 {
						copy(row[lo:hi], source[lo+dx:])
						continue
					}
					for i, j := lo, lo*v.stride[1]+dx; i < hi; i, j = i+1, j+v.stride[1] {
						row[i] = source[j]
					}
				}
				at += n
			}
		}
	}
}

// depthwise computes a convolution whose groups have one channel each. It splits the padded image into one image per
// remainder of row and column by the strides. Then each weight is one pass over consecutive values.
func (v *convolution) depthwise(p *pool, y, x []float32, h, w int, out [2]int, top, left int) {
	sh, sw := v.stride[0], v.stride[1]
	wide := (max(left+w, (out[1]-1)*sw+(v.size[1]-1)*v.dilation[1]+1) + sw - 1) / sw
	high := (max(top+h, (out[0]-1)*sh+(v.size[0]-1)*v.dilation[0]+1) + sh - 1) / sh
	each := wide * (high + 1) // the last pass reads a few values behind the last row
	images := p.floats(each * sh * sw)
	sum := p.floats(out[0] * wide)
	defer p.giveBack(images)
	defer p.giveBack(sum)
	clear(images)
	parts := make([][]float32, v.size[0]*v.size[1])
	for k := range parts {
		ky, kx := k/v.size[1]*v.dilation[0], k%v.size[1]*v.dilation[1]
		at := (ky%sh*sw+kx%sw)*each + ky/sh*wide + kx/sw
		parts[k] = images[at : at+len(sum)]
	}
	result, per := out[0]*out[1], v.outs/v.group
	for g := range v.group {
		split(images, x[g*h*w:(g+1)*h*w], h, w, top, left, sh, sw, wide, each)
		for o := g * per; o < (g+1)*per; o++ {
			weighted(sum, v.weights[o*len(parts):(o+1)*len(parts)], parts)
			for r := range out[0] {
				vec.Clamp(y[o*result+r*out[1]:o*result+(r+1)*out[1]], v.bias[o], sum[r*wide:r*wide+out[1]], v.lo, v.hi)
			}
		}
	}
}

// split copies an image into the images of the remainders.
func split(to, x []float32, h, w, top, left, sh, sw, wide, each int) {
	for i := range h {
		r := i + top
		row := x[i*w : (i+1)*w]
		if sw == 1 {
			copy(to[r%sh*each+r/sh*wide+left:], row)
			continue
		}
		for b := range sw {
			first := (b - left%sw + sw) % sw // the first column with this remainder
			if first >= w {
				continue
			}
			dst := to[(r%sh*sw+b)*each+r/sh*wide+(first+left)/sw:]
			for k, j := 0, first; j < w; k, j = k+1, j+sw {
				dst[k] = row[j]
			}
		}
	}
}

// weighted computes sum = Σ weights[k]·parts[k].
func weighted(sum, weights []float32, parts [][]float32) {
	k := 0
	if len(parts) < 3 {
		vec.Scale(sum, weights[0], parts[0])
		k = 1
	} else {
		vec.Lin3(sum, weights[0], parts[0], weights[1], parts[1], weights[2], parts[2])
		k = 3
	}
	for ; k+1 < len(parts); k += 2 {
		vec.Lin3(sum, 1, sum, weights[k], parts[k], weights[k+1], parts[k+1])
	}
	if k < len(parts) {
		vec.Axpy(sum, weights[k], parts[k])
	}
}
