package polydag

import (
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"

	"strings"
)

// Schema names the JSON layout of Result. It changes when a field is removed or changes its meaning.
const Schema = "polydag.result/2"

// Result is the learned graph with its evidence, the settings and data it was learned from, and the acyclicity certificate.
type Result struct {
	Schema string        `json:"schema"`
	Method string        `json:"method"`
	Status method.Status `json:"status"`
	Cause  string        `json:"cause,omitempty"` // why the run ended early

	// Names are the nodes of the graph, and Rows is the number of rows it was learned from.
	Names []string `json:"names"`
	Rows  int      `json:"rows"`
	// Table describes the origin and preparation of the data, and Program the build that learned from them.
	Table   Provenance `json:"table"`
	Program Program    `json:"program"`

	// Model is the effect model: linear, discrete, mixed, smooth or flexible.
	Model score.Effects `json:"model,omitempty"`
	// Kind is the type of graph, and Certificate proves that the edges form one.
	Kind  graph.Kind `json:"kind"`
	Edges []Edge     `json:"edges"`
	// Time says how the rows follow each other in time, and Lagged has the edges from earlier values of a variable, also its own. Both are
	// absent for rows without an order. Edges are then between values of the same time.
	Time        *TimeSeries       `json:"time,omitempty"`
	Lagged      []Edge            `json:"lagged,omitempty"`
	Certificate trust.Certificate `json:"certificate"`
	// Assumptions are the assumption checks of the model on this table. The verdict of each edge depends on them.
	Assumptions []trust.Assumption `json:"assumptions,omitempty"`
	// Nodes describes each column given its parents, in the order of Names.
	Nodes []Node `json:"nodes"`

	// Score is the value of the score that the method minimizes.
	Score float64 `json:"score"`
	// Optimal reports a globally optimal graph under the chosen model (exhaustive search).
	Optimal bool `json:"optimal"`
	// Choices are the settings that the method chose itself.
	Choices []method.Choice `json:"choices,omitempty"`
	// Budget is set if the number or the gain of edges was limited. It says how much of the fit the edges keep.
	Budget *method.Budget `json:"budget,omitempty"`
	Stages []Stage        `json:"stages"`
	// Continuous is set by methods that threshold a weight matrix.
	Continuous *Continuous `json:"continuous,omitempty"`

	// Priors compares the prior probabilities of edges with the result. Tiers with odds and improbable edges are listed only if the
	// columns are adjacent with or without the priors.
	Priors []trust.PriorOutcome `json:"priors,omitempty"`
	// Environments lists the mechanisms that differ between environments, if the intervention targets were unknown.
	Environments *Environments `json:"environments,omitempty"`
	// Confidence says how the edge confidences were computed and holds those of all pairs.
	Confidence *trust.Confidence `json:"confidence,omitempty"`
	// Part has the graphs of some bootstrap samples, which are merged with those of other processes to a result with confidences.
	Part *trust.Part `json:"part,omitempty"`

	Warnings []string `json:"warnings,omitempty"`
	// DataChecks lists the findings of the data checks before the run.
	DataChecks []trust.Finding `json:"data_checks,omitempty"`
	// ScaleCheck compares the graphs learned from raw and from standardized columns, if requested.
	ScaleCheck *trust.ScaleCheck `json:"scale_check,omitempty"`
	// Sortability says whether sorting by variance or R² gives the order of the graph. It is nil for a graph without edges.
	Sortability *Sortability `json:"sortability,omitempty"`
	// Trace has the progress of each stage, thinned.
	Trace    []stage.Trace `json:"trace,omitempty"`
	Settings param.Record  `json:"settings"` // as used
	Seed     uint64        `json:"seed"`
	Timing   Timing        `json:"timing"`

	// Methods is the list in which Method is found, to describe it and to learn again: that of Config.Methods. It is not part of the JSON;
	// set it after ReadResult if the method is not of this module.
	Methods MethodList `json:"-"`

	// W is the weight matrix before thresholding, on the scale that the method learned on; entry (i, j) is the edge Names[i]
	// → Names[j]. It is nil if nothing was thresholded. It is not part of the JSON because it has d² entries.
	W *matrix.Dense[float64] `json:"-"`
	// Marked has Edges by index into Names, and Graph has those that are directed. For a DAG these are all edges.
	Marked *graph.Mixed `json:"-"`
	Graph  *graph.Graph `json:"-"`
}

// TimeSeries says how the rows of a table follow each other in time.
type TimeSeries struct {
	Column string `json:"column"` // the time column, or . for the order of the rows
	// Series is the column that identifies the series of a row, and SeriesCount is their number.
	Series      string `json:"series,omitempty"`
	SeriesCount int    `json:"series_count"`
	Lags        int    `json:"lags"`
	Step        string `json:"step"`
	Gaps        int    `json:"gaps,omitempty"` // gaps at which a series was broken
	// FixedEffects, Detrended, Season and Differenced say what was removed from numeric columns.
	FixedEffects bool `json:"fixed_effects,omitempty"`
	Detrended    bool `json:"detrended,omitempty"`
	Season       int  `json:"season,omitempty"`
	Differenced  bool `json:"differenced,omitempty"`
}

// Provenance describes the table that a result was learned from.
type Provenance struct {
	Name   string `json:"name,omitempty"`   // file name without its directory
	Format string `json:"format,omitempty"` // csv, parquet, …
	Bytes  int64  `json:"bytes,omitempty"`  // file size; 0 if unknown
	SHA256 string `json:"sha256,omitempty"` // hash of the file in hexadecimal
	// Moments is the SHA-256 of names, rows, means and second moments. Tables with equal moments have the same hash,
	// whatever file they came from.
	Moments string `json:"moments_sha256"`
	// Groups says how grouped rows were counted. It is nil if every row counts fully.
	Groups *dataset.Groups `json:"groups,omitempty"`
	// Pictures reports that the rows are pictures, which a column names.
	Pictures bool `json:"pictures,omitempty"`
	// Faces reports that the columns are attributes of a known collection of faces.
	Faces bool `json:"faces,omitempty"`
	// Sensitive lists the columns that the user named as sensitive. Pages and pictures mark them.
	Sensitive []string `json:"sensitive,omitempty"`
	// Scores are the columns of scores that were replaced by decisions.
	Scores []dataset.Score `json:"scores,omitempty"`
	// Missing says how rows with missing values or weights were used. It is nil if every value of every row counts fully.
	Missing *Missing `json:"missing,omitempty"`
	// Excluded lists the columns excluded from the graph, each with its reason.
	Excluded []dataset.Excluded `json:"excluded,omitempty"`
	// Reading has the given polydag learn flags that say how the table is read, by flag name.
	Reading map[string][]string `json:"reading,omitempty"`
	// Notes describe what was done to the table: rows dropped, columns encoded, logarithms taken.
	Notes []string `json:"notes,omitempty"`
	// Read says how the cells of a column were read if they are neither plain numbers nor plain words. Notes has the same
	// information as sentences.
	Read []dataset.ColumnNote `json:"read,omitempty"`
}

// Missing says how rows with missing values or weights were used.
type Missing struct {
	// Values is the number of missing values.
	Values int `json:"values"`
	// Assumption is "missing at random", or empty if no value is missing.
	Assumption string `json:"assumption,omitempty"`
	// EffectiveRows is the number of complete rows that carry as much information on pairs of columns.
	EffectiveRows int `json:"effective_rows"`
	// Copies is the number of imputations of each row, for models that need rows.
	Copies int `json:"copies"`
	// Missingness is what the pattern of missing values shows.
	Missingness *dataset.Missingness `json:"missingness,omitempty"`
}

// Program identifies the build that made a result.
type Program struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"` // source commit if known, with +dirty if the source was modified
	Go      string `json:"go"`
}

// Link is an edge between named columns, without a weight: From and To.
type Link = graph.Link

// Edge is one edge of the answer with its facts and its verdict. [trust.Edge] describes the fields:
//
//	Link                            // From, To string
//	Mark                  string    // -->, ---, <->, o->, o-- or o-o; --> in a DAG, see Result.Claimed
//	Lag                   int       // time steps from From to To
//	Weight, Standardized  float64   // slope, in units of the columns and standardized; see Result.HasWeight
//	Gain                  float64   // score gain in bits per row
//	EdgeFacts
//	trust.Judgement                 // Verdict, Confidence, PAdjacent, PDirection, Basis and Evidence
type Edge = trust.Edge

// EdgeFacts are the facts about one edge that the method found. [method.EdgeFacts] describes the fields:
//
//	Effect      *Effect            // an effect that is not a slope
//	Compelled   bool               // the model identifies the direction
//	Turned      bool               // part of the rows compel the reverse direction
//	Turning     *float64           // score loss of reversing the edge, in bits per row
//	Reversal    *float64           // ΔBIC of the best graph with the edge reversed
//	DirectionP  *float64           // p-value of the direction under non-Gaussian noise
//	HiddenCause method.HiddenCause // whether a hidden common cause is possible
type EdgeFacts = method.EdgeFacts

// AllEdges returns the edges between values of the same time, then those with a lag. The caller owns the slice.
func (r *Result) AllEdges() []Edge { return slices.Concat(r.Edges, r.Lagged) }

// Effect describes an effect that is not a slope. [method.Effect] describes the fields:
//
//	Form                 method.EffectForm // a table, means or a curve
//	FromLevels, ToLevels []string          // categories of both columns
//	P                    [][]float64       // probabilities of ToLevels for each of FromLevels
//	Counts               [][]int
//	Rows                 []int
//	X, Y                 []float64         // a curve: the mean of To at values of From
//	Low, High            *float64          // 5 % and 95 % quantile of From
//	Median               bool              // Y are medians
type Effect = method.Effect

// Verdict is what is stated about an edge.
type Verdict = trust.Verdict

// Edge verdicts; docs/explanation/directions.md explains them.
const (
	Directed   = trust.Directed   // the direction is stated: the probability of the edge and its direction is at least 0.8
	Undirected = trust.Undirected // the probability of an edge is at least 0.8; the direction is not stated
	Weak       = trust.Weak       // the probability of an edge is below 0.8
)

// Node is one column under the learned graph.
type Node struct {
	Name string `json:"name"`
	// Kind is the measurement scale of the column, and KindReason why. Levels are the categories that the codes 0, 1, … of a
	// text or boolean column stand for. All are empty if only moments are known.
	Kind       dataset.VariableKind `json:"kind,omitempty"`
	KindReason string               `json:"kind_reason,omitempty"`
	// Nominal reports that the model uses the codes of an ordinal column as nominal categories.
	Nominal bool     `json:"nominal,omitempty"`
	Levels  []string `json:"levels,omitempty"`
	// Explained is the share of the column's variance, or of its entropy under a discrete model, that its parents explain under the
	// model, after the penalty of the parameters. Under a linear model it is R2, which has no penalty.
	Explained float64 `json:"explained,omitempty"`
	// Mean, Std, ResidualVariance and R2 are 0 for a categorical column. Mean and Std are in the column's units.
	Mean float64 `json:"mean"`
	Std  float64 `json:"std"`
	// ResidualVariance is the residual sum of squares of least squares on the parents, divided by n.
	ResidualVariance float64 `json:"residual_variance"`
	// R2 is the share of the variance that the parents explain.
	R2 float64 `json:"r2"`
}

// Continuous has the details of a method that thresholds a weight matrix.
type Continuous struct {
	Steps int `json:"steps"` // gradient steps taken
	// H is |h(W)| before thresholding, where h is the acyclicity constraint of package acyclic, 0 for acyclic weights: how closely
	// the solver met it. It is not a proof of acyclicity.
	H float64 `json:"h"`
	// Threshold is the smallest absolute weight that is kept.
	Threshold float64 `json:"threshold"`
	// HThreshold is h(W) after thresholding. If the constraint is a power series that ends before the number of columns (the setting
	// k), it can be 0 for a graph with a long cycle. It is nil if it overflows.
	HThreshold *float64 `json:"h_threshold,omitempty"`
	// The following fields are set if the thresholded graph has cycles: its edges, the number of cyclic strongly connected
	// components, one cycle, the edges removed to break all cycles, and the resulting increase of the score.
	Thresholded      []Link    `json:"thresholded,omitempty"`
	CyclicComponents int       `json:"cyclic_components"`
	Cycle            []string  `json:"cycle,omitempty"`
	Cut              []CutEdge `json:"cut,omitempty"`
	CutCost          *float64  `json:"cut_cost,omitempty"`
}

// CutEdge is a removed edge with its weight on the solver's scale.
type CutEdge struct {
	Link
	Weight float64 `json:"weight"`
}

// Environments lists the mechanisms that differ between the environments of a table, the values of an environment column. An environment is
// an environment.
type Environments struct {
	Column  string            `json:"column"`
	Rows    []EnvironmentRows `json:"rows"`
	Changed []Changed         `json:"changed"`
}

// EnvironmentRows is an environment with its number of rows.
type EnvironmentRows struct {
	Environment string `json:"environment"`
	Rows        int    `json:"rows"`
}

// Changed is a column whose mechanism in an environment differs from its mechanism in the environments that do not list it. The largest
// environment is always one of these.
type Changed struct {
	Environment string `json:"environment"`
	Column      string `json:"column"`
	// P is the p-value of the change, and Adjusted is corrected for all columns and environments (Bonferroni).
	P        float64 `json:"p"`
	Adjusted float64 `json:"p_adjusted"`
}

// Stage is one part of a run. Timing has its seconds.
type Stage struct {
	Name    string `json:"name"`
	Skipped string `json:"skipped,omitempty"` // why it did not run, or why it failed
	// Score is the BIC of the stage's graph under unequal variances, comparable between stages.
	Score *float64 `json:"score,omitempty"`
	Graph []Link   `json:"graph,omitempty"`
	H     *float64 `json:"h,omitempty"` // final h of a continuous stage
}

// Sortability says how well sorting the columns by one statistic reproduces the order of the graph: 1 completely, 0.5 not at
// all, 0 in reverse. If it is near 1, the order may come from that statistic.
type Sortability struct {
	// Variance is for the columns' variances, which depend on the units (Reisach et al. 2021).
	Variance float64 `json:"variance"`
	// R2 is for the R² of each column on all others (Reisach et al. 2023). It is nil above 2000 columns and unless there are
	// more rows than columns.
	R2 *float64 `json:"r2,omitempty"`
}

// Timing is the only part of a result that differs between two runs with the same seed.
type Timing struct {
	ReadSeconds  float64            `json:"read_seconds"`
	SolveSeconds float64            `json:"solve_seconds"`
	StageSeconds map[string]float64 `json:"stage_seconds,omitempty"`
	Threads      int                `json:"threads"`
	// Device is the accelerator that a continuous method ran on, if any. It sums in another order than the processor.
	Device string `json:"device,omitempty"`
}

// Choice returns the method's choice for a setting, or nil.
func (r *Result) Choice(setting string) *method.Choice {
	for i := range r.Choices {
		if r.Choices[i].Setting == setting {
			return &r.Choices[i]
		}
	}
	return nil
}

// Sloped reports whether every effect is a slope, so that weights multiply along paths and add up over them.
func (r *Result) Sloped() bool { return r.Model == "" || r.Model == score.LinearEffects }

// HasWeight reports whether e, an edge of this result, has a weight: its mark is -->, and its effect has a slope. Weight and Standardized
// of other edges are 0, which is not the size of an effect.
func (r *Result) HasWeight(e Edge) bool {
	switch {
	case !e.Directed():
		return false
	case e.Weight != 0:
		return true
	case e.Effect != nil || r.Model == score.TableEffects:
		return false
	}
	return !slices.ContainsFunc(r.Nodes, func(n Node) bool { return n.Kind == dataset.Categorical && (n.Name == e.From || n.Name == e.To) })
}

// ErrNoSlopes is matched if linear equations are requested under a nonlinear model.
var ErrNoSlopes = fault.Kind("no-slopes", "effects under this model are not linear; learn with a linear model")

// Intercepts returns the intercept of each column's linear equation, in the order of Names and in units of the column:
//
//	intercept_v = mean_v − Σ_p weight(p → v)·mean_p
//
// Each equation therefore predicts the column's mean at the means of its parents. Intercepts needs Nodes.
func (r *Result) Intercepts() ([]float64, error) {
	if len(r.Nodes) != len(r.Names) {
		return nil, fmt.Errorf("the result has no means and variances of its columns (nodes); learn it again with this version")
	}
	if !r.Sloped() {
		return nil, fault.New(ErrNoSlopes, fmt.Sprintf("effects under the %s model are not linear, so there are no linear equations", r.Model),
			"learn with %s", fault.Set("model", "linear"))
	}
	index := names.Index(r.Names)
	out := make([]float64, len(r.Names))
	for v := range out {
		out[v] = r.Nodes[v].Mean
	}
	for _, e := range r.Edges {
		p, okFrom := index[e.From]
		v, okTo := index[e.To]
		if !okFrom || !okTo {
			return nil, fmt.Errorf("the edge %s → %s is between names that the result does not list", e.From, e.To)
		}
		out[v] -= e.Weight * r.Nodes[p].Mean
	}
	for v, c := range out {
		if math.IsNaN(c) || math.IsInf(c, 0) {
			return nil, fmt.Errorf("the intercept of %s is beyond float64; scale its column, or those of its parents, to other units", r.Names[v])
		}
	}
	return out, nil
}

// links returns the named edges of g.
func links(g *graph.Graph, names []string) []Link {
	out := make([]Link, 0, g.NumEdges())
	for _, e := range g.Edges() {
		out = append(out, e.Named(names))
	}
	return out
}

// A Line is an arrow of the summary graph of a result: an edge, or all edges with a lag from one variable to another.
type Line struct {
	Edge       // the one with the largest score gain
	Lags []int // the lags of all edges of this pair, ascending; nil for an edge without a lag
}

// Summary returns the lines of the summary graph: the edges without a lag, then one line for each pair of variables with lags.
func (r *Result) Summary() []Line {
	var out []Line
	for _, e := range r.Edges {
		out = append(out, Line{Edge: e})
	}
	at := map[Link]int{}
	for _, e := range r.Lagged {
		k, seen := at[e.Link]
		if !seen {
			k = len(out)
			at[e.Link] = k
			out = append(out, Line{Edge: e})
		}
		if e.Gain > out[k].Gain {
			out[k].Edge = e
		}
		out[k].Lags = append(out[k].Lags, e.Lag)
		slices.Sort(out[k].Lags)
	}
	return out
}

// Label returns the number on the line, with its lag. A line with several lags has several numbers, so it is labelled with the lags
// alone: lags 1, 2.
func (l Line) Label(number string) string {
	switch len(l.Lags) {
	case 0:
		return number
	case 1:
		return strings.TrimPrefix(fmt.Sprintf("%s, lag %d", number, l.Lags[0]), ", ")
	}
	return "lags " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(l.Lags)), ", "), "[]")
}

// WeightNames returns the names of the rows and columns of W: the columns and, for a result with lags, their past values.
func (r *Result) WeightNames() []string {
	if r.Time == nil {
		return r.Names
	}
	return names.WithLags(r.Names, r.Time.Lags)
}
