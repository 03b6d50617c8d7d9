package network

import (
	"context"
	"fmt"

	"github.com/polydag/polydag/internal/tape"
	"github.com/polydag/polydag/matrix"
)

// A Graph is a tape with its input and its outcome: a batch of rows, and a number.
type Graph struct {
	*tape.Tape
	X   *tape.Node // nil where the outcome depends on the parameters alone
	Out *tape.Node
}

// A Sum is a function of the parameters that is a sum over the rows of a table. It keeps one tape
// for each size of batches that occurs.
type Sum struct {
	rows  *Rows
	build func(rows int) *Graph
	tapes map[int]*Graph
}

// batchRows is how many rows are evaluated at a time: the values of a layer of some hundred units
// stay in the second cache.
const batchRows = 256

// NewSum returns the sum over rows of what the graphs compute that build returns for batches of so
// many rows.
func NewSum(rows *Rows, build func(rows int) *Graph) *Sum {
	return &Sum{rows: rows, build: build, tapes: map[int]*Graph{}}
}

// of returns the graph for batches of so many rows.
func (s *Sum) of(rows int) *Graph {
	g := s.tapes[rows]
	if g == nil {
		g = s.build(rows)
		s.tapes[rows] = g
	}
	return g
}

// Eval returns the sum at theta. If grad is not nil it is overwritten with the gradient. The error
// is that of the context, of the source of the rows, or of an operation outside its domain.
func (s *Sum) Eval(ctx context.Context, grad, theta []float64) (float64, error) {
	clear(grad)
	for _, g := range s.tapes {
		g.Load(theta)
	}
	sum := 0.0
	err := s.rows.Each(ctx, batchRows, func(batch *matrix.Dense[float64]) error {
		known := s.tapes[batch.Rows] != nil
		g := s.of(batch.Rows)
		if !known {
			g.Load(theta)
		}
		v, err := g.run(batch, grad, 1)
		sum += v
		return err
	})
	return sum, err
}

// run evaluates one batch and adds weight times its gradient to grad, unless that is nil.
func (g *Graph) run(batch *matrix.Dense[float64], grad []float64, weight float64) (float64, error) {
	if g.X != nil {
		g.X.Value.CopyFrom(batch)
	}
	v, err := g.Forward(g.Out)
	if err != nil {
		return 0, err
	}
	if v-v != 0 {
		return 0, fmt.Errorf("the value of a network is %v", v)
	}
	if grad != nil {
		g.Backward(g.Out, weight)
		g.AddGradient(grad)
	}
	return v, nil
}
