package method

import (
	"context"

	"github.com/polydag/polydag/graph"
)

// A Settler is a method that chooses some of its settings from the data. Bootstrap samples are learned with the settings chosen for
// the original table, because a model test on repeated rows detects too much, and confidence refers to the model of the result.
type Settler interface {
	Method
	// Settled returns a copy of the method with every chosen setting fixed to its choice.
	Settled(choices []Choice) Method
}

// A Refitter is a method that can describe a graph that it did not find: its weights, gains and effects under the method's model.
// The graphs of other methods are described by least squares.
type Refitter interface {
	Method
	// Refit returns the answer whose graph is g, with the settings of Settled.
	Refit(ctx context.Context, in *Input, g *graph.Graph) (*Answer, error)
}
