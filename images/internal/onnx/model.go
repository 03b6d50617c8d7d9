package onnx

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// A Port is an input or output of a model.
type Port struct {
	Name  string
	Shape []int // -1 for a size that the model leaves open; nil if it states none
}

// A Model is a graph of operators with its weights. Several sessions may use it at the same time.
type Model struct {
	Inputs, Outputs []Port
	nodes           []*node
	weights         map[string]*Tensor
	opset           int
}

// A node is one operator of the graph.
type node struct {
	op, name string
	in, out  []string
	attr     attributes
	conv     *convolution // for Conv, prepared by Compile
	part     int          // for Split, the output that a step computes
}

// attributes are the settings of a node, by name.
type attributes map[string]attribute

type attribute struct {
	f      float32
	i      int64
	s      string
	ints   []int64
	floats []float32
	tensor *Tensor
}

func (a attributes) int(name string, standard int64) int64 {
	if v, ok := a[name]; ok {
		return v.i
	}
	return standard
}

func (a attributes) float(name string, standard float32) float32 {
	if v, ok := a[name]; ok {
		return v.f
	}
	return standard
}

// Read decodes a model and checks that its operators are supported.
func Read(b []byte) (*Model, error) {
	m := &Model{weights: map[string]*Tensor{}}
	graphs := 0
	err := fields(b, func(f field) error {
		switch {
		case f.number == 7 && f.wire == wireBytes:
			graphs++
			return m.graph(f.bytes)
		case f.number == 8 && f.wire == wireBytes:
			return m.version(f.bytes)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case graphs != 1 || len(m.nodes) == 0 || len(m.Outputs) == 0:
		return nil, errWire
	case m.opset == 0:
		return nil, errors.New("the model does not state its operator set")
	}
	m.Inputs = slices.DeleteFunc(m.Inputs, func(p Port) bool { return m.weights[p.Name] != nil })
	var missing []string
	for _, n := range m.nodes {
		if operators[n.op] == nil && !slices.Contains(missing, n.op) {
			missing = append(missing, n.op)
		}
	}
	if missing != nil {
		slices.Sort(missing)
		return nil, fmt.Errorf("operators that are not supported: %v", missing)
	}
	return m, nil
}

// version reads an OperatorSetIdProto.
func (m *Model) version(b []byte) error {
	domain, version := "", 0
	err := fields(b, func(f field) error {
		switch f.number {
		case 1:
			domain = string(f.bytes)
		case 2:
			version = int(f.value)
		}
		return nil
	})
	if domain == "" || domain == "ai.onnx" {
		m.opset = version
	}
	return err
}

// graph reads a GraphProto.
func (m *Model) graph(b []byte) error {
	return fields(b, func(f field) error {
		if f.wire != wireBytes {
			return nil
		}
		switch f.number {
		case 1:
			n, err := readNode(f.bytes)
			if err != nil {
				return fmt.Errorf("operator %d: %w", len(m.nodes)+1, err)
			}
			m.nodes = append(m.nodes, n)
		case 5:
			name, t, err := readTensor(f.bytes)
			if err != nil {
				return err
			}
			m.weights[name] = t
		case 11:
			p, err := readPort(f.bytes)
			m.Inputs = append(m.Inputs, p)
			return err
		case 12:
			p, err := readPort(f.bytes)
			m.Outputs = append(m.Outputs, p)
			return err
		}
		return nil
	})
}

// readNode decodes a NodeProto.
func readNode(b []byte) (*node, error) {
	n, domain := &node{attr: attributes{}}, ""
	err := fields(b, func(f field) error {
		switch f.number {
		case 1:
			n.in = append(n.in, string(f.bytes))
		case 2:
			n.out = append(n.out, string(f.bytes))
		case 3:
			n.name = string(f.bytes)
		case 4:
			n.op = string(f.bytes)
		case 5:
			name, a, err := readAttribute(f.bytes)
			n.attr[name] = a
			return err
		case 7:
			domain = string(f.bytes)
		}
		return nil
	})
	if domain != "" && domain != "ai.onnx" {
		n.op = domain + "." + n.op
	}
	return n, err
}

// readAttribute decodes an AttributeProto.
func readAttribute(b []byte) (string, attribute, error) {
	name, a := "", attribute{}
	err := fields(b, func(f field) (err error) {
		switch f.number {
		case 1:
			name = string(f.bytes)
		case 2:
			a.f = math.Float32frombits(uint32(f.value))
		case 3:
			a.i = int64(f.value)
		case 4:
			a.s = string(f.bytes)
		case 5:
			_, a.tensor, err = readTensor(f.bytes)
		case 7:
			var list []float32
			list, err = f.floats(typeFloat)
			a.floats = append(a.floats, list...)
		case 8:
			var list []int64
			list, err = f.ints()
			a.ints = append(a.ints, list...)
		}
		return err
	})
	return name, a, err
}

// readPort decodes a ValueInfoProto.
func readPort(b []byte) (Port, error) {
	var p Port
	within := func(b []byte, number int, each func([]byte) error) error {
		return fields(b, func(f field) error {
			if f.number != number || f.wire != wireBytes {
				return nil
			}
			return each(f.bytes)
		})
	}
	err := fields(b, func(f field) error {
		switch {
		case f.number == 1:
			p.Name = string(f.bytes)
		case f.number == 2 && f.wire == wireBytes: // TypeProto, its Tensor, its TensorShapeProto, its dimensions
			return within(f.bytes, 1, func(b []byte) error {
				return within(b, 2, func(b []byte) error {
					p.Shape = []int{}
					return within(b, 1, func(b []byte) error {
						size := -1
						err := fields(b, func(f field) error {
							if f.number == 1 && f.value > 0 && f.value <= mostValues {
								size = int(f.value)
							}
							return nil
						})
						p.Shape = append(p.Shape, size)
						return err
					})
				})
			})
		}
		return nil
	})
	return p, err
}
