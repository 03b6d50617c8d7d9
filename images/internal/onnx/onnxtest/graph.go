// Package onnxtest writes small ONNX models, for tests:
//
//	g := onnxtest.New(1)
//	g.Input("input", -1, 3, 8, 8)
//	x := g.Node("Relu", g.Conv("input", 3, 4, 3, 1, 1))
//	g.Name("output", g.Node("GlobalAveragePool", x))
//	model := g.Bytes()
package onnxtest

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// message is a protobuf message under construction.
type message []byte

func (m *message) number(field int, v uint64) {
	*m = binary.AppendUvarint(binary.AppendUvarint(*m, uint64(field)<<3), v)
}

func (m *message) bytes(field int, v []byte) {
	*m = append(binary.AppendUvarint(binary.AppendUvarint(*m, uint64(field)<<3|2), uint64(len(v))), v...)
}

func (m *message) float(field int, v float32) {
	*m = binary.LittleEndian.AppendUint32(binary.AppendUvarint(*m, uint64(field)<<3|5), math.Float32bits(v))
}

// A Graph is a model under construction. Values are named by their texts.
type Graph struct {
	random *rand.Rand
	parts  message
	named  int
}

// New returns an empty graph whose random weights follow from the seed.
func New(seed uint64) *Graph { return &Graph{random: rand.New(rand.NewPCG(seed, 36))} }

// Attributes are the settings of a node: int, float64, string, []int or []float32.
type Attributes map[string]any

func (g *Graph) fresh() string {
	g.named++
	return fmt.Sprintf("v%d", g.named)
}

// Input declares an input; -1 is an open size.
func (g *Graph) Input(name string, shape ...int) { g.port(11, name, shape) }

// Output declares an output.
func (g *Graph) Output(name string, shape ...int) { g.port(12, name, shape) }

func (g *Graph) port(field int, name string, shape []int) {
	var dims, tensor, kind, port message
	for _, d := range shape {
		var dim message
		if d < 0 {
			dim.bytes(2, []byte("open"))
		} else {
			dim.number(1, uint64(d))
		}
		dims.bytes(1, dim)
	}
	tensor.number(1, 1)
	tensor.bytes(2, dims)
	kind.bytes(1, tensor)
	port.bytes(1, []byte(name))
	port.bytes(2, kind)
	g.parts.bytes(field, port)
}

// Weights adds a constant.
func (g *Graph) Weights(values []float32, shape ...int) string {
	raw := make([]byte, 0, 4*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return g.constant(1, raw, shape)
}

// Ints adds a constant list of integers.
func (g *Graph) Ints(values ...int64) string {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return g.constant(7, raw, []int{len(values)})
}

func (g *Graph) constant(kind uint64, raw []byte, shape []int) string {
	name := g.fresh()
	var t message
	for _, d := range shape {
		t.number(1, uint64(d))
	}
	t.number(2, kind)
	t.bytes(8, []byte(name))
	t.bytes(9, raw)
	g.parts.bytes(5, t)
	return name
}

// Random adds a constant with normal values.
func (g *Graph) Random(mean, sd float64, shape ...int) string {
	n := 1
	for _, d := range shape {
		n *= d
	}
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(mean + sd*g.random.NormFloat64())
	}
	return g.Weights(values, shape...)
}

// Node adds an operator and returns its result.
func (g *Graph) Node(op string, in ...string) string { return g.With(op, nil, in...) }

// With adds an operator with attributes and returns its result.
func (g *Graph) With(op string, a Attributes, in ...string) string {
	return g.Many(op, 1, a, in...)[0]
}

// Many adds an operator with several results.
func (g *Graph) Many(op string, outputs int, a Attributes, in ...string) []string {
	var n message
	for _, name := range in {
		n.bytes(1, []byte(name))
	}
	var out []string
	for range outputs {
		out = append(out, g.fresh())
		n.bytes(2, []byte(out[len(out)-1]))
	}
	n.bytes(4, []byte(op))
	for _, name := range slices.Sorted(maps.Keys(a)) {
		var m message
		m.bytes(1, []byte(name))
		switch v := a[name].(type) {
		case int:
			m.number(3, uint64(v))
			m.number(20, 2)
		case float64:
			m.float(2, float32(v))
			m.number(20, 1)
		case string:
			m.bytes(4, []byte(v))
			m.number(20, 3)
		case []int:
			for _, k := range v {
				m.number(8, uint64(k))
			}
			m.number(20, 7)
		case []float32:
			for _, k := range v {
				m.float(7, k)
			}
			m.number(20, 6)
		default:
			panic(fmt.Sprintf("onnxtest: an attribute of type %T", v))
		}
		n.bytes(5, m)
	}
	g.parts.bytes(1, n)
	return out
}

// Name gives a value the name of an output and declares it.
func (g *Graph) Name(name, value string, shape ...int) {
	var n message
	n.bytes(1, []byte(value))
	n.bytes(2, []byte(name))
	n.bytes(4, []byte("Identity"))
	g.parts.bytes(1, n)
	g.Output(name, shape...)
}

// Bytes returns the model, with operator set 17.
func (g *Graph) Bytes() []byte {
	var graph, set, model message
	graph.bytes(2, []byte("test"))
	graph = append(graph, g.parts...)
	set.number(2, 17)
	model.number(1, 8)
	model.bytes(7, graph)
	model.bytes(8, set)
	return model
}
