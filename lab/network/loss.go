package network

import (
	"context"
	"fmt"

	"github.com/polydag/polydag/lab/tape"
	"github.com/polydag/polydag/matrix"
)

// A Graph is a tape with its input, a batch of rows, and its outcome, a number.
type Graph struct {
	*tape.Tape
	X   *tape.Node // nil if the outcome depends only on the parameters
	Out *tape.Node
}

// A Sum is a function of the parameters that is a sum over the rows of a table. It keeps one tape for each
// batch size.
type Sum struct {
	rows  *Rows
	build func(rows int) *Graph
	tapes map[int]*Graph
}

// batchRows is the number of rows evaluated at a time. The values of a layer of some hundred units then fit in
// the L2 cache.
const batchRows = 256

// NewSum returns the sum over rows of the outcomes of the graphs that build returns for each batch size.
func NewSum(rows *Rows, build func(rows int) *Graph) *Sum {
	return &Sum{rows: rows, build: build, tapes: map[int]*Graph{}}
}

// of returns the graph for batches of the given size.
func (s *Sum) of(rows int) *Graph {
	g := s.tapes[rows]
	if g == nil {
		g = s.build(rows)
		s.tapes[rows] = g
	}
	return g
}

// Eval returns the sum at theta. If grad is not nil, it is overwritten with the gradient. Errors come from the
// context, the source of the rows, or an operation outside its domain.
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
		v, err := g.Run(batch, grad, 1)
		sum += v
		return err
	})
	return sum, err
}

// Run evaluates one batch and adds weight times its gradient to grad unless grad is nil.
func (g *Graph) Run(batch *matrix.Dense[float64], grad []float64, weight float64) (float64, error) {
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
