package polydag

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/dag"
	"github.com/polydag/polydag/diagnose"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// Schema names the layout of Result in JSON. It changes when a field changes its meaning or goes.
const Schema = "polydag.result/1"

// Result is what was learned, how, and the receipt.
type Result struct {
	Schema string       `json:"schema"`
	Method Method       `json:"method"`
	Status solve.Status `json:"status"`
	Cause  string       `json:"cause,omitempty"` // why it ended early
	Names  []string     `json:"names"`
	Rows   int          `json:"rows"`

	// Edges is the answer, and always a DAG.
	Edges       []Edge               `json:"edges"`
	Certificate diagnose.Certificate `json:"certificate"`
	// Assumptions of the model, each with a verdict on this table. Direction of each edge follows from them.
	Assumptions []diagnose.Assumption `json:"assumptions,omitempty"`
	// Nodes describes each column under the graph, in the order of Names.
	Nodes []Node `json:"nodes"`
	// ThresholdedEdges is what the threshold left where that has cycles, and Certificate.Cut turned it into Edges.
	ThresholdedEdges []Link `json:"thresholded_edges,omitempty"`

	// Score is what the method minimizes, at its answer: of the methods of the paper the penalized least squares before
	// thresholding, of the others the BIC of Edges (twice the negative log-likelihood, constants left out).
	Score float64 `json:"score"`
	// Optimal says that no DAG at all has a better score under the chosen model: up to 12 columns the search is exhaustive.
	Optimal  bool      `json:"optimal"`
	Variance *Variance `json:"variance,omitempty"`
	Stages   []Stage   `json:"stages"`
	Warnings []string  `json:"warnings,omitempty"`
	// Preflight is what a look at the data found before the run, where the caller took one.
	Preflight []diagnose.Finding `json:"preflight,omitempty"`
	// DataNotes say in sentences what was done to the table before: rows dropped, columns encoded, logarithms taken. They are the
	// caller's, too.
	DataNotes []string `json:"data_notes,omitempty"`
	// ScaleCheck compares the answers on raw and on standardized columns, where that was asked for.
	ScaleCheck *ScaleCheck `json:"scale_check,omitempty"`
	// Sortability says whether the order of the graph is that of variances or of R²; absent for a graph without edges.
	Sortability *Sortability `json:"sortability,omitempty"`
	// Trace has the course of each stage, thinned.
	Trace    []Trace        `json:"trace,omitempty"`
	Settings map[string]any `json:"settings"` // as used
	Seed     uint64         `json:"seed"`
	Steps    int            `json:"steps"` // gradient steps taken
	Timing   Timing         `json:"timing"`

	// W is the matrix before thresholding, on the scale that it was learned on; entry (i, j) is the
	// edge Names[i] → Names[j]. It is nil where nothing was thresholded, and not part of the JSON: it has d² entries.
	W *matrix.Dense[float64] `json:"-"`
	// Graph holds Edges by index.
	Graph *dag.Graph `json:"-"`
}

// Link is a directed edge without a weight.
type Link struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Edge is one directed edge of the answer.
type Edge struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Weight is the change of To, in its units, for one unit of From, all other parents fixed.
	Weight float64 `json:"weight"`
	// Standardized is the weight with both columns scaled to unit variance.
	Standardized float64 `json:"standardized"`
	// Compelled says that under the model every graph that fits equally well has the edge this way round. With unequal variances
	// those are the compelled edges of the Markov equivalence class, prior knowledge included; with equal variances,
	// every edge. Whether the model suits the table is no part of it: see Direction.
	Compelled bool `json:"compelled"`
	// Direction says what the direction rests on: DirectionOpen where Compelled is false, else by Assumptions.
	Direction Direction `json:"direction,omitempty"`
	// Confidence is the share of resampled tables in which the edge was found, where that was computed.
	Confidence *float64 `json:"confidence,omitempty"`
}

// Node is one column under the learned graph.
type Node struct {
	Name string `json:"name"`
	// Mean and Std are of the column in its units.
	Mean float64 `json:"mean"`
	Std  float64 `json:"std"`
	// ResidualVariance is what least squares on the parents leaves, in squared units of the column, divided by n.
	ResidualVariance float64 `json:"residual_variance"`
	// R2 is the share of the variance that the parents explain.
	R2 float64 `json:"r2"`
}

// ScaleCheck says how much of the graph survives a change of units.
type ScaleCheck struct {
	RawEdges          int `json:"raw_edges"`
	StandardizedEdges int `json:"standardized_edges"`
	Same              int `json:"same"`     // in both, the same way round
	Reversed          int `json:"reversed"` // in both, the other way round
	// Agreement is Same divided by the number of adjacent pairs of either graph; 1 where both are empty.
	Agreement        float64 `json:"agreement"`
	OnlyRaw          []Link  `json:"only_raw,omitempty"`
	OnlyStandardized []Link  `json:"only_standardized,omitempty"`
	Sentence         string  `json:"sentence"`
}

// Trace is the course of one stage: entry i of each list belongs to Step[i]. At most a few hundred points are kept.
type Trace struct {
	Stage string    `json:"stage"`
	Step  []int     `json:"step"`
	Score []float64 `json:"score"`
	H     []float64 `json:"h,omitempty"`   // of a continuous stage
	Rho   []float64 `json:"rho,omitempty"` // of a continuous stage: the weight of h
	Edges []int     `json:"edges,omitempty"`
}

// Variance records which model of the noise was used.
type Variance struct {
	Requested string `json:"requested"`
	Chosen    string `json:"chosen"`
	// BIC of the best graph found under each model; absent where it was not searched. Less is better.
	BICEqual   *float64 `json:"bic_equal,omitempty"`
	BICUnequal *float64 `json:"bic_unequal,omitempty"`
	// Margin is by how much the chosen one is better.
	Margin *float64 `json:"margin,omitempty"`
}

// Stage is one part of a run. Its seconds are in Timing.
type Stage struct {
	Name    string `json:"name"`
	Skipped string `json:"skipped,omitempty"` // why it did not run, or what it failed of
	// Score is the BIC of the stage's graph under unequal variances, so that stages can be compared.
	Score *float64 `json:"score,omitempty"`
	Graph []Link   `json:"graph,omitempty"`
	H     *float64 `json:"h,omitempty"` // at the end of a continuous stage
}

// Timing is the one part of a result that differs between two runs with the same seed.
type Timing struct {
	ReadSeconds  float64            `json:"read_seconds"`
	SolveSeconds float64            `json:"solve_seconds"`
	StageSeconds map[string]float64 `json:"stage_seconds,omitempty"`
	Threads      int                `json:"threads"`
}

// links names the edges of g.
func links(g *dag.Graph, names []string) []Link {
	out := make([]Link, 0, g.NumEdges())
	for _, e := range g.Edges() {
		out = append(out, Link{names[e.From], names[e.To]})
	}
	return out
}

// finite guards the one promise of every output: no NaN and no Inf.
func (r *Result) finite() error {
	check := func(what string, v float64) error {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("polydag: %s is %v; this is a bug, please report it with the data's moments", what, v)
		}
		return nil
	}
	for _, e := range r.Edges {
		if err := check(fmt.Sprintf("the weight of %s → %s", e.From, e.To), e.Weight+e.Standardized); err != nil {
			return err
		}
	}
	return check("the score", r.Score)
}
