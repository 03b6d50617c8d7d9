package method

import (
	"cmp"
	"errors"
	"math"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/knowledge"
)

// Input is the part of a table that a method needs, with the settings that all methods share.
type Input struct {
	// Moments are always set. With Config.Standardize they are those of the standardized columns.
	Moments *dataset.Moments
	// RowWeight is the weight of a row in Moments.N, less than 1 for grouped rows and for copies of rows with missing values: the
	// number of rows is Moments.N divided by it, rounded. 0 stands for 1.
	RowWeight float64
	// PairShare is the information about two columns as a share of what Moments.N counts: rows that have both values over those that the
	// average pair has. nil stands for 1.
	PairShare func(i, j int) float64
	// Copies is how often Rows has each row, one whole copy of the table after the other, if missing values were drawn. 0 stands for 1.
	Copies int
	// Kinds has the measurement scale of each column of the moments. It is nil if only moments are known.
	Kinds []dataset.Variable
	// Sample has some of the rows, or all of a short table, with the columns of the moments. It is nil if only moments are known,
	// and for a method that needs only moments.
	Sample *dataset.Sample
	// Rows reads the rows with the columns of the moments and, if Environments is set, the environment of each row. It is nil if the method
	// does not use rows or there are none; NoRows then has the reason.
	Rows   dataset.Rows
	NoRows string
	// Environments are the conditions that the rows were measured under, with the intervention targets of each. It is nil for a single
	// environment without targets, and for a method that does not support environments.
	Environments *dataset.Environments
	// Knowledge is the prior knowledge, or nil. It is always nil for a method that does not support it.
	Knowledge *knowledge.Knowledge
	// GraphOnly requests only the graph, its settled directions and weights: no gains, effects, or results on parts of the rows. It
	// never changes the graph.
	GraphOnly bool
	// Drawn reports that the rows are a bootstrap sample. Every parameter then fits the sample better than the
	// original table, on average by 1 in twice the log-likelihood, which is not evidence.
	Drawn   bool
	Seed    uint64 // seed of all random choices
	Threads int    // number of threads; never changes the answer

	once map[any]any // see Once
}

// Once returns the value that f returned for this key, and calls f if there is none yet. The key is comparable and identifies what f
// computes from the input, as well as the fields that a copy of the input may have changed. An error is not kept. Only one goroutine may
// call it at a time.
func Once[T any](in *Input, key any, f func() (T, error)) (T, error) {
	if value, ok := in.once[key]; ok {
		return value.(T), nil
	}
	value, err := f()
	if err == nil {
		if in.once == nil {
			in.once = map[any]any{}
		}
		in.once[key] = value
	}
	return value, err
}

// Weight returns the weight of a row, 1 unless RowWeight is set.
func (in *Input) Weight() float64 { return cmp.Or(in.RowWeight, 1) }

// ShareOf returns PairShare of two columns, 1 unless it is set.
func (in *Input) ShareOf(i, j int) float64 {
	if in.PairShare == nil {
		return 1
	}
	return in.PairShare(i, j)
}

// Whole returns the input with as many rows as the most complete column has, and PairShare relative to that. A search then counts the
// rows fully and adds a penalty for each pair of columns that fewer rows have.
func (in *Input) Whole() *Input {
	if in.PairShare == nil {
		return in
	}
	most := 0.0
	for v := range in.Names() {
		most = max(most, in.PairShare(v, v))
	}
	n := max(in.Moments.N, min(in.RowCount()/in.Copied(), int(math.Round(most*float64(in.Moments.N)))))
	out, scale := *in, float64(in.Moments.N)/float64(n)
	out.Moments, out.RowWeight = in.Moments.CountedAs(n), float64(n)/float64(in.RowCount())
	out.PairShare = func(i, j int) float64 { return scale * in.PairShare(i, j) }
	return &out
}

// StdError returns the largest relative standard error that missing values and row weights add to the standard deviation of a column: the
// variance of n normal values with n_v present has a relative standard error of √(2/n_v - 2/n) around that of all n. It is 0 for a
// complete table.
func (in *Input) StdError() float64 {
	if in.Copies == 0 {
		return 0
	}
	rows, worst := float64(in.RowCount()/in.Copies), 0.0
	for v := range in.Names() {
		worst = max(worst, 1/(float64(in.Moments.N)*in.ShareOf(v, v))-1/rows)
	}
	return math.Sqrt(worst / 2)
}

// Copied returns the number of copies of each row, 1 unless Copies is set.
func (in *Input) Copied() int { return max(in.Copies, 1) }

// SampleWeight returns the weight of a row of the sample.
func (in *Input) SampleWeight() float64 {
	if in.Sample != nil && in.Sample.Weight > 0 {
		return in.Sample.Weight
	}
	return in.Weight()
}

// RowCount returns the number of rows.
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

// RequiredGraph returns the graph of the required edges.
func (in *Input) RequiredGraph() *graph.Graph {
	g := graph.New(len(in.Names()))
	for _, e := range in.Required() {
		g.AddEdge(e.From, e.To)
	}
	return g
}

// Forbidden reports whether prior knowledge forbids an edge.
func (in *Input) Forbidden(from, to int) bool {
	return in.Knowledge != nil && in.Knowledge.Forbidden(from, to)
}

// ForbiddenMask marks the forbidden edges, entry (i, j) at i·d + j; it is nil without knowledge.
func (in *Input) ForbiddenMask() []bool {
	if in.Knowledge == nil {
		return nil
	}
	return in.Knowledge.Mask()
}

// Inputs marks the columns without causes, such as lagged values; it is nil if there are none.
func (in *Input) Inputs() []bool {
	if in.Knowledge == nil {
		return nil
	}
	return in.Knowledge.Inputs()
}

// ErrNoRows is matched if a method needs rows and only moments are known.
var ErrNoRows = errors.New("the method needs the rows of the table, and there are only its moments")
