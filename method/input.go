package method

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/knowledge"
)

// Input is what a method gets: the part of a table that it needs, and what is the same for all methods.
type Input struct {
	// Moments are always there. With Config.Standardize they are those of columns scaled to unit variance.
	Moments *dataset.Moments
	// RowWeight is what a row counts in Moments.N, which is less than the number of rows where rows of one cluster are alike: the
	// number of rows is Moments.N divided by it, rounded. 0 stands for 1.
	RowWeight float64
	// Kinds says what each column is taken as: of the moments' columns, in their order. It is nil where only moments are known.
	Kinds []dataset.Variable
	// Sample has some of the rows, or all of a short table, with the columns of the moments. It is nil where only moments are
	// known, and for a method that needs no more than those.
	Sample *dataset.Sample
	// Rows reads the rows from the first one, as often as it is called, and hands out some whole rows at a time, with the columns of
	// the moments in their order. each neither changes nor keeps what it gets. It is nil unless the method needs rows or can
	// use them, and where there are none; NoRows then says why.
	Rows   func(ctx context.Context, each func(rows []float64) error) error
	NoRows string
	// Regimes are the conditions that the rows were measured under, with what was set in each; nil where there is one without
	// targets, and always nil for a method that does not take them. RegimeRows is Rows with the regime of each row.
	Regimes    *dataset.Regimes
	RegimeRows func(ctx context.Context, each func(rows []float64, regimes []int) error) error
	// Knowledge is nil where there is none, and always nil for a method that takes none.
	Knowledge *knowledge.Knowledge
	// GraphOnly says that nothing is asked for but the graph, which of its directions are settled, and weights: no strengths,
	// descriptions of effects, or looks at parts of the rows. It never changes the graph.
	GraphOnly bool
	// Drawn says that the rows were drawn with replacement from those of another table. Every parameter fits them better than it fits that
	// table, by 1 in twice the log-likelihood in the mean, which is no evidence.
	Drawn   bool
	Seed    uint64 // of everything random
	Threads int    // never changes the answer
}

// Weight returns what a row counts, 1 unless RowWeight says less.
func (in *Input) Weight() float64 { return cmp.Or(in.RowWeight, 1) }

// RowCount returns how many rows there are.
func (in *Input) RowCount() int { return int(math.Round(float64(in.Moments.N) / in.Weight())) }

// Names returns the names of the columns.
func (in *Input) Names() []string { return in.Moments.Names }

// Required returns the edges that prior knowledge requires.
func (in *Input) Required() []graph.Edge {
	if in.Knowledge == nil {
		return nil
	}
	return in.Knowledge.Required()
}

// ErrNoRows is the error of a method that needs rows where only moments are known.
var ErrNoRows = errors.New("the method needs the rows of the table, and there are only its moments")
