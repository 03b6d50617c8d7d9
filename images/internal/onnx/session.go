package onnx

import (
	"errors"
	"fmt"
	"slices"
)

// A Program is a model that is ready to run: constants are computed, and batch normalization and activations are part
// of the convolutions before them. Several sessions may use it at the same time.
type Program struct {
	steps   []step
	consts  []*Tensor // by value; nil for a value that Run computes
	input   int
	outputs []int
	opset   int
}

// A step runs one operator. Its operands are numbers of values; -1 stands for an operand that the node leaves out.
type step struct {
	n    *node
	run  operator
	in   []int
	out  int
	free []int // values that no later step reads
}

// A Session runs a program. One goroutine at a time may use it.
type Session struct {
	program *Program
	values  []*Tensor
	pool    pool
}

// A call is one run of an operator.
type call struct {
	*node
	in    []*Tensor // nil for an operand that the node leaves out
	opset int
	pool  *pool
	last  []bool // whether the operator is the last to read an operand
}

// An operator computes the first output of a node.
type operator func(c *call) (*Tensor, error)

var errInputs = errors.New("the model needs one input; models with several are not supported")

// Compile returns a program that computes the outputs, or the first output of the model if none is named. An output is the name
// of any value in the graph.
func (m *Model) Compile(outputs ...string) (*Program, error) {
	if len(m.Inputs) != 1 {
		return nil, errInputs
	}
	if len(outputs) == 0 {
		outputs = []string{m.Outputs[0].Name}
	}
	b := builder{Program: Program{opset: m.opset}, ids: map[string]int{}, uses: map[string]int{}, from: map[int]int{}}
	b.input = b.value(m.Inputs[0].Name, nil)
	for name, t := range m.weights {
		b.value(name, t)
	}
	for _, n := range m.nodes {
		for _, name := range n.in {
			b.uses[name]++
		}
	}
	for _, name := range outputs {
		b.uses[name]++
	}
	for _, n := range m.nodes {
		if err := b.add(n); err != nil {
			return nil, fmt.Errorf("operator %s %s: %w", n.op, n.name, err)
		}
	}
	for _, name := range outputs {
		id, ok := b.ids[name]
		if !ok {
			return nil, fmt.Errorf("the model has no value %q", name)
		}
		b.outputs = append(b.outputs, id)
	}
	b.prune()
	return &b.Program, nil
}

// A builder turns the nodes of a model into steps.
type builder struct {
	Program
	ids  map[string]int
	uses map[string]int // readers of a value
	from map[int]int    // step that computes a value
}

// value adds a value with a name.
func (b *builder) value(name string, t *Tensor) int {
	id := len(b.consts)
	b.consts = append(b.consts, t)
	if name != "" {
		b.ids[name] = id
	}
	return id
}

// add adds a node: as a constant, as a part of an earlier step, or as a step.
func (b *builder) add(n *node) error {
	if len(n.out) == 0 {
		return errWire
	}
	s := step{n: n, run: operators[n.op]}
	constant := true
	for _, name := range n.in {
		id, ok := b.ids[name]
		switch {
		case name == "":
			id = -1
		case !ok:
			return fmt.Errorf("operand %q is not computed before it, or is an output that is not supported", name)
		}
		s.in = append(s.in, id)
		constant = constant && (id < 0 || b.consts[id] != nil)
	}
	if constant && n.op != "Split" {
		t, err := b.compute(&s)
		if err != nil {
			return err
		}
		b.value(n.out[0], t)
		return nil
	}
	if b.join(n, s.in) {
		return nil
	}
	if n.op == "Conv" {
		if err := b.convolution(&s); err != nil {
			return err
		}
	}
	outputs := n.out[:1]
	if n.op == "Split" {
		outputs = n.out
	}
	for part, name := range outputs {
		if part > 0 {
			other := *n
			other.part, s.n = part, &other
		}
		s.out = b.value(name, nil)
		b.from[s.out] = len(b.steps)
		b.steps = append(b.steps, s)
	}
	return nil
}

// compute runs a step on constants.
func (b *builder) compute(s *step) (*Tensor, error) {
	c := call{node: s.n, opset: b.opset, pool: &pool{}, last: make([]bool, len(s.in))}
	c.in = b.operands(s.in)
	return guarded(s.run, &c)
}

// operands returns the constants of values, nil for those that are left out or computed by Run.
func (b *builder) operands(ids []int) (out []*Tensor) {
	for _, id := range ids {
		out = append(out, b.constant(id))
	}
	return out
}

func (b *builder) constant(id int) *Tensor {
	if id < 0 {
		return nil
	}
	return b.consts[id]
}

// join makes a batch normalization or an activation a part of the convolution that computes its operand, if nothing
// else reads that value.
func (b *builder) join(n *node, in []int) bool {
	if len(in) == 0 || b.uses[n.in[0]] != 1 {
		return false
	}
	k, ok := b.from[in[0]]
	if !ok || b.steps[k].n.conv == nil {
		return false
	}
	old := b.steps[k].n
	conv := *old.conv
	operands, constant := b.operands(in), true
	for i, id := range in[1:] {
		constant = constant && (id < 0 || operands[1+i] != nil)
	}
	switch {
	case conv.bounded: // nothing may follow an activation
		return false
	case n.op == "Relu":
		conv.bound(0, inf)
	case n.op == "Clip":
		lo, hi, ok := clipBounds(n.attr, operands)
		if !ok || !constant {
			return false
		}
		conv.bound(lo, hi)
	case n.op == "BatchNormalization":
		scale, shift, ok := affine(n.attr, operands)
		if !ok || len(scale) != conv.outs {
			return false
		}
		conv.rescale(scale, shift)
	default:
		return false
	}
	joined := *old
	joined.conv = &conv
	b.steps[k].n = &joined
	b.ids[n.out[0]] = b.steps[k].out
	return true
}

// prune drops the steps that no output needs, and notes where each value is read last.
func (b *builder) prune() {
	needed := make([]bool, len(b.consts))
	for _, id := range b.outputs {
		needed[id] = true
	}
	var steps []step
	for _, s := range slices.Backward(b.steps) {
		if !needed[s.out] {
			continue
		}
		for _, id := range s.in {
			if id >= 0 && !needed[id] {
				needed[id] = true
				if b.consts[id] == nil {
					s.free = append(s.free, id)
				}
			}
		}
		steps = append(steps, s)
	}
	slices.Reverse(steps)
	b.steps = steps
	for id := range b.consts {
		if !needed[id] {
			b.consts[id] = nil
		}
	}
}

// Session returns a new session.
func (p *Program) Session() *Session {
	s := &Session{program: p}
	s.pool.counts = map[*float32]int{}
	return s
}

// Run computes the outputs for an input. The outputs are valid until the next Run.
func (s *Session) Run(input *Tensor) ([]*Tensor, error) {
	p := s.program
	if n, err := count(input.Shape); err != nil || n != len(input.F) {
		return nil, fmt.Errorf("an input of shape %v with %d values", input.Shape, len(input.F))
	}
	for id, t := range s.values { // what the previous run computed
		if t != nil && p.consts[id] == nil {
			s.pool.drop(t)
		}
	}
	s.values = append(s.values[:0], p.consts...)
	s.values[p.input] = input
	for k := range p.steps {
		st := &p.steps[k]
		c := call{node: st.n, opset: p.opset, pool: &s.pool}
		for _, id := range st.in {
			if id < 0 {
				c.in, c.last = append(c.in, nil), append(c.last, false)
				continue
			}
			c.in, c.last = append(c.in, s.values[id]), append(c.last, slices.Contains(st.free, id))
		}
		t, err := guarded(st.run, &c)
		if err != nil {
			return nil, fmt.Errorf("operator %s %s: %w", st.n.op, st.n.name, err)
		}
		s.pool.retain(t)
		s.values[st.out] = t
		for _, id := range st.free {
			s.pool.drop(s.values[id])
			s.values[id] = nil
		}
	}
	out := make([]*Tensor, len(p.outputs))
	for i, id := range p.outputs {
		out[i] = s.values[id]
	}
	return out, nil
}

// guarded runs an operator. The checks of the operators do not cover every damaged model, so an invalid index is an
// error too.
func guarded(run operator, c *call) (t *Tensor, err error) {
	defer func() {
		if p := recover(); p != nil {
			t, err = nil, fmt.Errorf("the model is damaged: %v", p)
		}
	}()
	for i, operand := range c.in {
		if operand == nil && i == 0 {
			return nil, errors.New("the first operand is missing")
		}
	}
	return run(c)
}
