package tape

import (
	"fmt"

	"github.com/polydag/polydag/matrix"
)

// A Node is a matrix on a tape. Value belongs to the tape; the caller fills the values of inputs. Grad is nil
// if the value does not depend on a parameter.
type Node struct {
	Value, Grad *matrix.Dense[float64]
}

// Rows returns the number of rows.
func (n *Node) Rows() int { return n.Value.Rows }

// Cols returns the number of columns.
func (n *Node) Cols() int { return n.Value.Cols }

// A Tape is a list of operations in execution order. It is not safe for concurrent use.
type Tape struct {
	threads int
	params  []*Node
	made    []*Node // results of operations, without parameters and inputs
	ops     []operation
}

// An operation computes a value from earlier ones, and adds to their gradients. It returns an error outside its
// domain.
type operation struct {
	forward  func() error
	backward func() // nil if the value does not depend on a parameter
}

// New returns an empty tape whose products use the given number of threads.
func New(threads int) *Tape { return &Tape{threads: threads} }

// Param adds a matrix of parameters, all zero.
func (t *Tape) Param(rows, cols int) *Node {
	n := &Node{Value: matrix.New[float64](rows, cols), Grad: matrix.New[float64](rows, cols)}
	t.params = append(t.params, n)
	return n
}

// Input adds a matrix without a gradient.
func (t *Tape) Input(rows, cols int) *Node { return &Node{Value: matrix.New[float64](rows, cols)} }

// result adds the value of an operation on the given nodes.
func (t *Tape) result(rows, cols int, from ...*Node) *Node {
	n := &Node{Value: matrix.New[float64](rows, cols)}
	for _, f := range from {
		if f.Grad != nil && n.Grad == nil {
			n.Grad = matrix.New[float64](rows, cols)
		}
	}
	t.made = append(t.made, n)
	return n
}

func (t *Tape) do(n *Node, forward func() error, backward func()) *Node {
	if n.Grad == nil {
		backward = nil
	}
	t.ops = append(t.ops, operation{forward, backward})
	return n
}

// Parameters returns the total number of parameters.
func (t *Tape) Parameters() int {
	sum := 0
	for _, p := range t.params {
		sum += len(p.Value.Data)
	}
	return sum
}

// Load copies theta to the parameters, in the order in which they were added, row by row.
func (t *Tape) Load(theta []float64) {
	t.count(theta)
	for _, p := range t.params {
		theta = theta[copy(p.Value.Data, theta):]
	}
}

// AddGradient adds the gradients of the parameters to dst, in the order of Load, and sets them to
// zero.
func (t *Tape) AddGradient(dst []float64) {
	t.count(dst)
	for _, p := range t.params {
		for k, g := range p.Grad.Data {
			dst[k] += g
		}
		dst = dst[len(p.Grad.Data):]
		p.Grad.Zero()
	}
}

func (t *Tape) count(v []float64) {
	if n := t.Parameters(); len(v) != n {
		panic(fmt.Sprintf("tape: %d numbers for %d parameters", len(v), n))
	}
}

// Forward runs all operations and returns the value of out, which must be a single number. It returns the error
// of the first operation outside its domain; later values are then not computed.
func (t *Tape) Forward(out *Node) (float64, error) {
	single(out)
	for i := range t.ops {
		if err := t.ops[i].forward(); err != nil {
			return 0, err
		}
	}
	return out.Value.Data[0], nil
}

// Backward adds weight times the gradient of out, a single number, to the gradients of the
// parameters. Forward must have run before.
func (t *Tape) Backward(out *Node, weight float64) {
	single(out)
	if out.Grad == nil {
		return
	}
	for _, n := range t.made {
		if n.Grad != nil {
			n.Grad.Zero()
		}
	}
	out.Grad.Data[0] = weight
	for i := len(t.ops) - 1; i >= 0; i-- {
		if back := t.ops[i].backward; back != nil {
			back()
		}
	}
}

func single(n *Node) {
	if n.Rows() != 1 || n.Cols() != 1 {
		panic(fmt.Sprintf("tape: a value of %d×%d, want a single number", n.Rows(), n.Cols()))
	}
}

func same(what string, a, b *Node) {
	if a.Rows() != b.Rows() || a.Cols() != b.Cols() {
		panic(fmt.Sprintf("tape: %s of %d×%d and %d×%d", what, a.Rows(), a.Cols(), b.Rows(), b.Cols()))
	}
}
