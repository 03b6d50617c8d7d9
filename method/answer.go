package method

import (
	"context"
	"errors"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// Status says why a run ended.
type Status = solve.Status

// The reasons for ending.
const (
	Converged = solve.Converged
	Completed = solve.Completed
	StepLimit = solve.StepLimit
	Canceled  = solve.Canceled
	Failed    = solve.Failed
)

// Answer is what a method has learned, by the numbers of the columns.
type Answer struct {
	// Graph is of the kind that Info.Gives promises.
	Graph  *graph.Mixed
	Status Status
	Cause  string // why it ended early

	// Score is what the method minimizes, at its answer.
	Score float64
	// Optimal says that no graph at all has a better score under the chosen model.
	Optimal bool
	// Identified says that the model determines every direction. Otherwise graphs of one Markov equivalence class fit
	// equally well, and only what they share is determined.
	Identified bool
	// FreeNoise says that the noise was not assumed to be Gaussian.
	FreeNoise bool
	// Edges has a record for each directed edge that the method describes, and Nodes one for each column. Nil stands for a method that
	// describes nothing.
	Edges []EdgeFacts
	Nodes []NodeFacts
	// Price is the penalty per edge on the scale of twice the log-likelihood, for edges without a Gain; 0 is ln n.
	Price float64
	// Budget is set if the number or the gain of edges was bounded.
	Budget *Budget
	// Effects is the model that was used; "" is linear.
	Effects score.Effects

	// Categories says which columns were modelled as categories although they are numbers; nil where none was.
	Categories []bool

	// Changes are the mechanisms that differ between regimes, where the regimes are known and not what they change.
	Changes []Change

	Choices    []Choice
	Stages     []Stage
	Warnings   []string
	Continuous *Continuous // of a method that thresholds weights
}

// A Change is a column whose mechanism differs in a regime from that in the regimes where it does not change.
type Change struct {
	Regime, Column int
	// P is the probability of as much evidence where nothing changes, and Adjusted that of finding it among all columns and
	// regimes, by Bonferroni's bound.
	P, Adjusted float64
}

// A Choice is a setting that was left to the method, what it chose, and by how much.
type Choice struct {
	Setting   string `json:"setting"`
	Requested string `json:"requested"`
	Chosen    string `json:"chosen"`
	Reason    string `json:"reason,omitempty"`
	// Scores are what the alternatives reached; less is better. Those that were not tried are absent.
	Scores map[string]float64 `json:"scores,omitempty"`
	// Margin is by how much the chosen one is better than the next.
	Margin *float64 `json:"margin,omitempty"`
}

// A Budget says how much of the fit is left where the number or the strength of edges is bounded. Fit is by how many bits a row the
// graph is better than one without edges, the price of the edges taken off.
type Budget struct {
	MaxEdges    int     `json:"max_edges,omitempty"`    // as asked for; 0 is any number
	MinStrength float64 `json:"min_strength,omitempty"` // as asked for, in bits a row
	Edges       int     `json:"edges_without"`          // of the graph without a budget
	Bits        float64 `json:"bits"`                   // fit of the graph
	AllBits     float64 `json:"bits_without"`           // fit of the graph without a budget
	Share       float64 `json:"share"`                  // the one of the other
}

// A Stage is one part of a run.
type Stage struct {
	Name    string
	Skipped string // why it did not run, or what it failed of
	// Score is the BIC of the stage's graph under unequal variances, so that stages can be compared.
	Score *float64
	Graph *graph.Graph
	H     *float64 // at the end of a continuous stage
}

// Continuous is what belongs to a method that thresholds weights.
type Continuous struct {
	// W is the matrix before thresholding, in the units of the input; entry (i, j) is the edge i → j.
	W     *matrix.Dense[float64]
	Steps int // gradient steps taken
	// H is |h(W)|: how nearly the solver met its constraint. It is no proof of anything.
	H float64
	// Threshold is the value that weights were held against.
	Threshold float64
	// HThreshold is h of W with the dropped edges set to zero, by the constraint that the solver used. It is nil where it
	// overflows.
	HThreshold *float64
	// Thresholded is what the threshold left. Where it has cycles, Cut are the edges that were taken out to break them and
	// CutCost is what that added to the score, nil where it is not finite.
	Thresholded *graph.Graph
	Cut         []graph.Edge
	CutCost     *float64
}

// Why says in words what ended a run early; nothing for nil.
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
