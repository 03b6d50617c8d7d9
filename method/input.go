package method

import (
	"context"
	"errors"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/knowledge"
)

// Input is what a method gets: the part of a table that it needs, and what is the same for all methods.
type Input struct {
	// Moments are always there. With Config.Standardize they are those of columns scaled to unit variance.
	Moments *dataset.Moments
	// Rows opens the rows from the first one; it is nil unless the method needs them.
	Rows func(context.Context) (dataset.Source, error)
	// Knowledge is nil where there is none, and always nil for a method that takes none.
	Knowledge *knowledge.Knowledge
	Seed      uint64 // of everything random
	Threads   int    // never changes the answer
}

// Names returns the names of the columns.
func (in *Input) Names() []string { return in.Moments.Names }

// ErrNoRows is the error of a method that needs rows where only moments are known.
var ErrNoRows = errors.New("the method needs the rows of the table, and there are only its moments")
