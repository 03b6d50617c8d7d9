package method

import (
	"context"

	"github.com/polydag/polydag/graph"
)

// A Settler is a method that leaves some of its settings to the data. Tables that are drawn from the rows of one table are learned with
// what was chosen for that table: a test of a model sees more than there is in rows that were drawn twice, and what is asked is how
// sure the edges are under the model that the answer is given under.
type Settler interface {
	Method
	// Settled returns the method with every setting that it chose in an answer fixed to what was chosen. It changes nothing in the
	// method itself.
	Settled(choices []Choice) Method
}

// A Refitter is a method that can describe a graph which it did not find: its weights, strengths and effects under the model of the
// method. Graphs of other methods are described by least squares.
type Refitter interface {
	Method
	// Refit returns the answer whose graph is g. Its settings are those of Settled.
	Refit(ctx context.Context, in *Input, g *graph.Graph) (*Answer, error)
}
