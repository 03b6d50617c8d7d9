package onnx

import (
	"encoding/binary"
	"fmt"
	"math"
)

// A Tensor is an array in row-major order. Its values are in F, or in I if they are integers or truth values.
type Tensor struct {
	Shape []int
	F     []float32
	I     []int64
}

// mostValues is the largest number of values of a tensor (1 GB of float32).
const mostValues = 1 << 28

// count returns the number of values of a shape.
func count(shape []int) (int, error) {
	n := 1
	for _, d := range shape {
		if d < 0 || d > 0 && n > mostValues/d {
			return 0, fmt.Errorf("a tensor of shape %v, limit %d values", shape, mostValues)
		}
		n *= d
	}
	return n, nil
}

// size is count for a shape that was checked.
func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// isInt reports whether the values are integers.
func (t *Tensor) isInt() bool { return t.I != nil }

func (t *Tensor) len() int { return len(t.F) + len(t.I) }

// reshaped returns a tensor of another shape with the same values.
func (t *Tensor) reshaped(shape []int) *Tensor { return &Tensor{Shape: shape, F: t.F, I: t.I} }

// Element types of ONNX tensors.
const (
	typeFloat    = 1
	typeUint8    = 2
	typeInt8     = 3
	typeInt32    = 6
	typeInt64    = 7
	typeBool     = 9
	typeFloat16  = 10
	typeDouble   = 11
	typeBfloat16 = 16
)

// isFloatType reports whether values of an element type are stored as float32.
func isFloatType(t int) bool {
	return t == typeFloat || t == typeFloat16 || t == typeDouble || t == typeBfloat16
}

// readTensor decodes a TensorProto and returns its name.
func readTensor(b []byte) (string, *Tensor, error) {
	t, name, kind, external := &Tensor{Shape: []int{}}, "", 0, false
	var raw []byte
	var floats []float32
	var ints []int64
	err := fields(b, func(f field) error {
		switch f.number {
		case 1:
			list, err := f.ints()
			for _, d := range list {
				if d < 0 || d > mostValues {
					return errWire
				}
				t.Shape = append(t.Shape, int(d))
			}
			return err
		case 2:
			kind = int(f.value)
		case 4:
			list, err := f.floats(typeFloat)
			floats = append(floats, list...)
			return err
		case 5, 7, 11:
			list, err := f.ints()
			ints = append(ints, list...)
			return err
		case 8:
			name = string(f.bytes)
		case 9:
			raw = f.bytes
		case 10:
			list, err := f.floats(typeDouble)
			floats = append(floats, list...)
			return err
		case 13, 14:
			external = external || f.number == 13 || f.value == 1
		}
		return nil
	})
	if err != nil {
		return name, nil, err
	}
	if external {
		return name, nil, fmt.Errorf("the weights %q are in another file; save the model as one file", name)
	}
	n, err := count(t.Shape)
	if err != nil {
		return name, nil, err
	}
	switch {
	case isFloatType(kind):
		if t.F = floats; raw != nil {
			t.F, err = rawFloats(raw, kind)
		} else if kind == typeFloat16 || kind == typeBfloat16 { // stored as integers
			t.F = make([]float32, len(ints))
			for i, v := range ints {
				t.F[i] = smallFloat(uint16(v), kind)
			}
		}
		if t.F == nil {
			t.F = []float32{}
		}
	case kind == typeInt64 || kind == typeInt32 || kind == typeBool || kind == typeUint8 || kind == typeInt8:
		if t.I = ints; raw != nil {
			t.I, err = rawInts(raw, kind)
		}
		if t.I == nil {
			t.I = []int64{}
		}
	default:
		err = fmt.Errorf("the weights %q have element type %d, which is not supported", name, kind)
	}
	if err == nil && t.len() != n {
		err = fmt.Errorf("the weights %q have %d values, want %d", name, t.len(), n)
	}
	return name, t, err
}

// rawFloats decodes the bytes of float32, float64, float16 or bfloat16 values.
func rawFloats(raw []byte, kind int) ([]float32, error) {
	width := map[int]int{typeFloat: 4, typeDouble: 8, typeFloat16: 2, typeBfloat16: 2}[kind]
	if len(raw)%width != 0 {
		return nil, errWire
	}
	out := make([]float32, len(raw)/width)
	for i := range out {
		switch v := raw[i*width:]; kind {
		case typeFloat:
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(v))
		case typeDouble:
			out[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(v)))
		default:
			out[i] = smallFloat(binary.LittleEndian.Uint16(v), kind)
		}
	}
	return out, nil
}

// smallFloat returns the value of a float16 or bfloat16.
func smallFloat(v uint16, kind int) float32 {
	if kind == typeBfloat16 {
		return math.Float32frombits(uint32(v) << 16)
	}
	sign, exponent, fraction := uint32(v>>15), int(v>>10&31), float64(v&1023)
	x := math.Ldexp(1+fraction/1024, exponent-15)
	switch {
	case exponent == 0:
		x = math.Ldexp(fraction/1024, -14)
	case exponent == 31 && fraction == 0:
		x = math.Inf(1)
	case exponent == 31:
		x = math.NaN()
	}
	if sign == 1 {
		x = -x
	}
	return float32(x)
}

// rawInts decodes the bytes of integers or truth values.
func rawInts(raw []byte, kind int) ([]int64, error) {
	width := map[int]int{typeInt64: 8, typeInt32: 4, typeBool: 1, typeUint8: 1, typeInt8: 1}[kind]
	if len(raw)%width != 0 {
		return nil, errWire
	}
	out := make([]int64, len(raw)/width)
	for i := range out {
		switch v := raw[i*width:]; kind {
		case typeInt64:
			out[i] = int64(binary.LittleEndian.Uint64(v))
		case typeInt32:
			out[i] = int64(int32(binary.LittleEndian.Uint32(v)))
		case typeInt8:
			out[i] = int64(int8(v[0]))
		default:
			out[i] = int64(v[0])
		}
	}
	return out, nil
}

// strides returns the distance between neighbours along each axis.
func strides(shape []int) []int {
	out, step := make([]int, len(shape)), 1
	for i := len(shape) - 1; i >= 0; i-- {
		out[i] = step
		step *= shape[i]
	}
	return out
}

// broadcast returns the common shape of two tensors.
func broadcast(a, b []int) ([]int, error) {
	out := make([]int, max(len(a), len(b)))
	for i := range out {
		x, y := 1, 1
		if j := i - len(out) + len(a); j >= 0 {
			x = a[j]
		}
		if j := i - len(out) + len(b); j >= 0 {
			y = b[j]
		}
		switch {
		case x == y || y == 1:
			out[i] = x
		case x == 1:
			out[i] = y
		default:
			return nil, fmt.Errorf("shapes %v and %v do not fit", a, b)
		}
	}
	_, err := count(out)
	return out, err
}

// spread returns the strides of a tensor that is read with a larger shape: 0 along repeated axes.
func spread(shape, to []int) []int {
	out, own := make([]int, len(to)), strides(shape)
	for i := range shape {
		if shape[i] != 1 {
			out[i+len(to)-len(shape)] = own[i]
		}
	}
	return out
}

// axisOf returns an axis as a number from 0, counted from the end if it is negative.
func axisOf(axis int64, rank int) (int, error) {
	if axis < 0 {
		axis += int64(rank)
	}
	if axis < 0 || axis >= int64(rank) {
		return 0, fmt.Errorf("axis %d of a tensor with %d axes", axis, rank)
	}
	return int(axis), nil
}
