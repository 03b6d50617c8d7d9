package method

import (
	"context"
	"errors"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// Status is the reason why a run ended.
type Status = solve.Status

const (
	Converged = solve.Converged
	Completed = solve.Completed
	StepLimit = solve.StepLimit
	Canceled  = solve.Canceled
	Failed    = solve.Failed
)

// Answer is the result of a method, with columns by index.
type Answer struct {
	// Graph has the kind that Info.Gives declares.
	Graph  *graph.Mixed
	Status Status
	Cause  string // why it ended early

	// Score is the value of the score that the method minimizes.
	Score float64
	// Optimal reports a globally optimal graph under the chosen model (exhaustive search).
	Optimal bool
	// Identified reports whether the model identifies every direction. Otherwise graphs of one Markov equivalence class fit equally
	// well, and only their common directions are identified.
	Identified bool
	// FreeNoise reports whether the noise was not assumed to be Gaussian.
	FreeNoise bool
	// Edges has a record for each directed edge that the method describes, and Nodes one for each column. Both are nil for a method
	// that describes nothing.
	Edges []EdgeRecord
	Nodes []NodeFacts
	// Price is the penalty per edge on the scale of twice the log-likelihood, for edges without a Gain; 0 is ln n.
	Price float64
	// Budget is set if the number or the gain of edges was bounded.
	Budget *Budget
	// Effects is the model that was used; "" is linear.
	Effects score.Effects

	// Categories marks the numeric columns that were modelled as categories; nil for none.
	Categories []bool
	// Additive marks the columns of a discrete model whose parents have additive effects in a multinomial logit instead of a full
	// probability table; nil if only full tables were considered.
	Additive []bool
	// Scales and Straight are the scales on which a flexible model describes the columns, and the columns that have no curves; nil under
	// other models.
	Scales   []dataset.Scale
	Straight []bool

	// Posterior is set by methods that approximate a posterior over graphs.
	Posterior *Posterior

	// Changes are the mechanisms that differ between environments with unknown targets.
	Changes []Change

	Choices    []Choice
	Stages     []Stage
	Warnings   []string
	Continuous *Continuous // set by methods that threshold weights
}

// A Posterior is an approximation of the posterior over graphs by some of them.
type Posterior struct {
	Graphs   [][]graph.Edge // acyclic
	Weights  []float64      // probabilities of the graphs, with sum 1
	Score    string         // name of the marginal likelihood
	EdgeOdds float64        // prior odds of an edge
}

// A Change is a column whose mechanism in an environment differs from its mechanism in the other environments.
type Change struct {
	Environment, Column int
	// P is the p-value of the change, and Adjusted is corrected for all columns and environments (Bonferroni).
	P, Adjusted float64
}

// A Choice is a setting that the method chose itself, with the alternatives.
type Choice struct {
	Setting   string `json:"setting"`
	Requested string `json:"requested"`
	Chosen    string `json:"chosen"`
	Reason    string `json:"reason,omitempty"`
	// Scores are the scores of the alternatives; smaller is better. Alternatives that were not tried are absent.
	Scores map[string]float64 `json:"scores,omitempty"`
	// Margin is the difference between the chosen score and the next one.
	Margin *float64 `json:"margin,omitempty"`
}

// A Budget reports how much of the fit remains if the number or the gain of edges is limited. The fit is the
// score gain over the empty graph in bits per row, after the penalty of the edges.
type Budget struct {
	MaxEdges int     `json:"max_edges,omitempty"` // requested limit; 0 for none
	MinGain  float64 `json:"min_gain,omitempty"`  // requested limit, in bits per row
	Edges    int     `json:"edges_without"`       // edges of the graph without a budget
	Bits     float64 `json:"bits"`                // fit of the graph
	AllBits  float64 `json:"bits_without"`        // fit of the graph without a budget
	Share    float64 `json:"share"`               // Bits / AllBits
}

// A Stage is one part of a run.
type Stage struct {
	Name    string
	Skipped string // why it did not run, or why it failed
	// Score is the BIC of the stage's graph under unequal variances, comparable between stages.
	Score *float64
	Graph *graph.Graph
	H     *float64 // final h of a continuous stage
}

// Continuous has the details of a method that thresholds weights.
type Continuous struct {
	// W is the matrix before thresholding, in the units of the input; entry (i, j) is the edge i → j.
	W     *matrix.Dense[float64]
	Steps int // gradient steps taken
	// H is |h(W)|: how closely the solver met the acyclicity constraint. It is not a proof of acyclicity.
	H float64
	// Threshold is the smallest absolute weight that is kept.
	Threshold float64
	// HThreshold is h of W after thresholding, by the solver's constraint. It is nil if it overflows.
	HThreshold *float64
	// Thresholded is the graph after thresholding. If it has cycles, Cut are the edges removed to break them and CutCost is the
	// resulting increase of the score, nil if it is not finite.
	Thresholded *graph.Graph
	Cut         []graph.Edge
	CutCost     *float64
}

// Cancel sets the status to Canceled, with the reason why ctx ended.
func (a *Answer) Cancel(ctx context.Context) { a.Status, a.Cause = Canceled, Why(context.Cause(ctx)) }

// Why describes the cause that ended a run early; "" for nil.
func Why(cause error) string {
	switch {
	case cause == nil:
		return ""
	case errors.Is(cause, context.DeadlineExceeded):
		return "the deadline passed"
	case errors.Is(cause, context.Canceled):
		return "interrupted"
	}
	return cause.Error()
}
