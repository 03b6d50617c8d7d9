package polydag

import (
	"fmt"
	"math"
	"slices"
	"strconv"

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
)

// Schema names the layout of Result in JSON. It changes when a field changes its meaning or goes.
const Schema = "polydag.result/2"

// Result is what was learned, how, and the receipt.
type Result struct {
	Schema string        `json:"schema"`
	Method string        `json:"method"`
	Status method.Status `json:"status"`
	Cause  string        `json:"cause,omitempty"` // why it ended early

	// Names are the columns that the graph is over, Rows the rows that it was learned from.
	Names []string `json:"names"`
	Rows  int      `json:"rows"`
	// Table says where the data came from and what was done to them, Program what learned from them.
	Table   Provenance `json:"table"`
	Program Program    `json:"program"`

	// Model says what effects were taken to be: linear, discrete, mixed or smooth.
	Model score.Effects `json:"model,omitempty"`
	// Kind says what the edges stand for, and Certificate that they do.
	Kind        graph.Kind        `json:"kind"`
	Edges       []Edge            `json:"edges"`
	Certificate trust.Certificate `json:"certificate"`
	// Assumptions of the model, each with a verdict on this table. Direction of each edge follows from them.
	Assumptions []trust.Assumption `json:"assumptions,omitempty"`
	// Nodes describes each column under the graph, in the order of Names.
	Nodes []Node `json:"nodes"`

	// Score is what the method minimizes, at its answer.
	Score float64 `json:"score"`
	// Optimal says that no graph at all has a better score under the chosen model.
	Optimal bool `json:"optimal"`
	// Choices are the settings that were left to the method.
	Choices []method.Choice `json:"choices,omitempty"`
	// Budget is there where the number or the strength of edges was bounded: how much of the fit the edges carry.
	Budget *method.Budget `json:"budget,omitempty"`
	Stages []Stage        `json:"stages"`
	// Continuous is there for methods that threshold a matrix of weights.
	Continuous *Continuous `json:"continuous,omitempty"`

	// Regimes says which mechanisms differ between regimes, where it was not known what these change.
	Regimes *Regimes `json:"regimes,omitempty"`
	// Confidence says how the confidences of the edges were found, and what was found of all pairs.
	Confidence *trust.Confidence `json:"confidence,omitempty"`

	Warnings []string `json:"warnings,omitempty"`
	// Preflight is what a look at the data found before the run.
	Preflight []trust.Finding `json:"preflight,omitempty"`
	// ScaleCheck compares the answers on raw and on standardized columns, where that was asked for.
	ScaleCheck *trust.ScaleCheck `json:"scale_check,omitempty"`
	// Sortability says whether the order of the graph is that of variances or of R²; absent for a graph without edges.
	Sortability *Sortability `json:"sortability,omitempty"`
	// Trace has the course of each stage, thinned.
	Trace    []stage.Trace `json:"trace,omitempty"`
	Settings param.Record  `json:"settings"` // as used
	Seed     uint64        `json:"seed"`
	Timing   Timing        `json:"timing"`

	// W is the matrix before thresholding, on the scale that it was learned on; entry (i, j) is the
	// edge Names[i] → Names[j]. It is nil where nothing was thresholded, and not part of the JSON: it has d² entries.
	W *matrix.Dense[float64] `json:"-"`
	// Marked holds Edges by the numbers of the names, and Graph those of the form i → j, which for a DAG are all.
	Marked *graph.Mixed `json:"-"`
	Graph  *graph.Graph `json:"-"`
}

// Provenance says which table a result is about.
type Provenance struct {
	Name   string `json:"name,omitempty"`   // of the file, without its folder
	Format string `json:"format,omitempty"` // csv, parquet, …
	Bytes  int64  `json:"bytes,omitempty"`  // size of the file; 0 where it is not known
	SHA256 string `json:"sha256,omitempty"` // of the file's bytes, in hexadecimal digits
	// Moments is the SHA-256 of names, rows, means and second moments: equal for tables that no method for moments can
	// tell apart, whatever file they came from.
	Moments string `json:"moments_sha256"`
	// Clusters says how rows that belong together were counted; absent where every row counts.
	Clusters *dataset.Clusters `json:"clusters,omitempty"`
	// Excluded lists the columns that are not in the graph since it cannot be learned from them, with the reason of each.
	Excluded []dataset.Excluded `json:"excluded,omitempty"`
	// Reading has the flags of polydag learn that say how the table is read, those that were given, by their names.
	Reading map[string][]string `json:"reading,omitempty"`
	// Notes say in sentences what was done to the table: rows dropped, columns encoded, logarithms taken.
	Notes []string `json:"notes,omitempty"`
	// Read says of columns how their cells were read, where that is neither as plain numbers nor as plain words. Notes has the same as
	// sentences.
	Read []dataset.ColumnNote `json:"read,omitempty"`
}

// Program says what made a result.
type Program struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"` // of the source, where the build knows it; with +dirty where that was changed
	Go      string `json:"go"`
}

// Link is a directed edge by name, without a weight.
type Link = graph.Link

// Edge is one edge of the answer.
type Edge struct {
	Link
	// Mark is -->, ---, <->, o->, o-- or o-o. In a DAG every mark is -->.
	Mark string `json:"mark"`
	// Strength is what the edge saves, in bits a row: by how much the score of the model is worse without it, its price
	// taken off, divided by 2·n·ln 2. It means the same in every model. It is 0 for an edge without a direction.
	Strength float64 `json:"strength,omitempty"`
	// Weight is the change of To, in its units, for one unit of From, all other parents fixed. It is 0 for an edge without a
	// direction, and where the effect is no slope: between levels, and under a discrete model.
	Weight float64 `json:"weight"`
	// Standardized is the weight with both columns scaled to unit variance.
	Standardized float64 `json:"standardized"`
	// Effect describes what the edge does where that is no slope: a table of probabilities, means by level, or a curve. It is
	// absent under a linear model, and where the method does not describe it.
	Effect *Effect `json:"effect,omitempty"`
	// Compelled says that under the model every graph that fits equally well has the edge this way round. With unequal variances
	// those are the compelled edges of the Markov equivalence class, prior knowledge included, and so with discrete and mixed
	// models; with equal variances, every edge; with smooth effects every edge but those that turned round fit
	// about as well; with noise that is not Gaussian also those that DirectionP settles. Whether the model suits the table is no part of it: see Direction.
	Compelled bool `json:"compelled"`
	// Turned says that one of four parts of the rows, learned by itself, has the edge the other way round in every graph that fits
	// it equally well, or with a Budget that the graph without one does not fix the direction. It is looked for under a discrete model.
	Turned bool `json:"turned,omitempty"`
	// Turning is there where a model tells directions apart by how well they fit, smooth effects and experiments: by how many bits a row the
	// score is worse with the edge turned round and all else as it is. It is nil where that would close a cycle.
	Turning *float64 `json:"turning,omitempty"`
	// Reversal is the score increase, on the scale of twice the log-likelihood, of the best known graph that has the edge reversed. It is
	// nil where the equivalence class does not fix the direction, and where the method does not compute it.
	Reversal *float64 `json:"reversal,omitempty"`
	// DirectionP is there where the noise was not taken to be Gaussian: the probability, corrected for the number of edges, by which
	// the noise would speak as clearly for this direction if it were not the better one. At most trust.NoiseLevel settles it.
	DirectionP *float64 `json:"direction_p,omitempty"`
	// Judgement has the verdict on the edge and its probabilities.
	trust.Judgement
}

// Effect is what an edge does, for a person.
type Effect = method.Effect

// Verdict says what is stated about an edge.
type Verdict = trust.EdgeVerdict

// The verdicts. docs/explanation/directions.md explains them.
const (
	Directed   = trust.Directed   // the direction is stated; its probability is at least 0.8
	Undirected = trust.Undirected // adjacent; the direction is not identified, or its probability is below 0.8
	Weak       = trust.Weak       // the probability of the adjacency is below 0.8
)

// Directed reports whether the edge is From → To in the graph, whatever its verdict.
func (e Edge) Directed() bool { return e.Mark == "-->" }

// Size is Strength on a scale from 0 to 1, for drawings: √(1 - 2^(-2·Strength)), the correlation of two Gaussian columns that tell
// as many bits of each other. An edge that costs more than it saves has 0. Results of the version before have no strengths:
// there it is the size of the standardized weight, which is the same for a column with one parent.
func (e Edge) Size() float64 {
	if e.Strength == 0 {
		return min(math.Abs(e.Standardized), 1)
	}
	return math.Sqrt(-math.Expm1(-2 * math.Ln2 * max(e.Strength, 0)))
}

// Bits is Strength or, where a result has none, what Size stands for: at most 8 bits.
func (e Edge) Bits() float64 {
	if e.Strength != 0 {
		return e.Strength
	}
	return min(-math.Log1p(-e.Size()*e.Size())/(2*math.Ln2), 8)
}

// Sign is 1 where To tends to be larger with From and -1 where it tends to be smaller, by the weight or, where there is none, by a
// table or means of two levels that are numbers. It is 0 for levels in words, which have no order, and for a curve that comes back
// more than half of the way.
func (e Edge) Sign() int {
	f := e.Effect
	switch {
	case f != nil && f.Form == method.EffectCurve && turns(f):
		return 0
	case e.Weight != 0:
		return signOf(e.Weight)
	case e.Standardized != 0:
		return signOf(e.Standardized)
	case f == nil || !ascends(f.FromLevels):
		return 0
	case f.Form == method.EffectTable && ascends(f.ToLevels):
		return signOf(f.P[1][1] - f.P[0][1])
	case f.Form == method.EffectMeans:
		return signOf(f.Y[1] - f.Y[0])
	}
	return 0
}

// turns reports whether a curve ends, where most rows are, less than half of its height from where it began.
func turns(f *Effect) bool {
	var y []float64
	for k, x := range f.X {
		if f.Low == nil || x >= *f.Low && x <= *f.High {
			y = append(y, f.Y[k])
		}
	}
	return len(y) > 1 && math.Abs(y[len(y)-1]-y[0]) < (slices.Max(y)-slices.Min(y))/2
}

// ascends reports whether there are two levels, both of them numbers.
func ascends(levels []string) bool {
	if len(levels) != 2 {
		return false
	}
	low, err1 := strconv.ParseFloat(levels[0], 64)
	high, err2 := strconv.ParseFloat(levels[1], 64)
	return err1 == nil && err2 == nil && low < high
}

func signOf(v float64) int {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// Node is one column under the learned graph.
type Node struct {
	Name string `json:"name"`
	// Kind is what the column was taken as, KindReason by what that was decided, and Levels what the codes 0, 1, … of a column
	// of text, or of true and false, stand for. They are absent where only moments are known.
	Kind       dataset.VariableKind `json:"kind,omitempty"`
	KindReason string               `json:"kind_reason,omitempty"`
	Levels     []string             `json:"levels,omitempty"`
	// Explained is the share of what is uncertain about the column that its parents remove under the model, the price of its
	// parameters taken off: of its variance, under a discrete model of its entropy. Under a linear model it is R2.
	Explained float64 `json:"explained,omitempty"`
	// Mean, Std, ResidualVariance and R2 are 0 for a categorical column. Mean and Std are of the column in its units.
	Mean float64 `json:"mean"`
	Std  float64 `json:"std"`
	// ResidualVariance is what least squares on the parents leaves, in squared units of the column, divided by n.
	ResidualVariance float64 `json:"residual_variance"`
	// R2 is the share of the variance that the parents explain.
	R2 float64 `json:"r2"`
}

// Continuous is what belongs to a method that thresholds a matrix of weights.
type Continuous struct {
	Steps int `json:"steps"` // gradient steps taken
	// H is |h(W)| before thresholding: how nearly the solver met its constraint. It is no proof of anything.
	H float64 `json:"h"`
	// Threshold is the value that weights were held against.
	Threshold float64 `json:"threshold"`
	// HThreshold is h of W with the dropped edges set to zero, by the constraint that the solver used. With K below the
	// number of columns it can be 0 on a graph that has a long cycle. It is absent where it overflows.
	HThreshold *float64 `json:"h_threshold,omitempty"`
	// Where the threshold left cycles: the edges that it left, the number of strongly connected components with a cycle, a
	// cycle, the edges that were cut to break all of them, and what that added to the method's score.
	Thresholded      []Link    `json:"thresholded,omitempty"`
	CyclicComponents int       `json:"cyclic_components"`
	Cycle            []string  `json:"cycle,omitempty"`
	Cut              []CutEdge `json:"cut,omitempty"`
	CutCost          *float64  `json:"cut_cost,omitempty"`
}

// CutEdge is an edge that was taken out, with its weight on the scale of the solver.
type CutEdge struct {
	Link
	Weight float64 `json:"weight"`
}

// Regimes says which mechanisms differ between the regimes that a column of the table tells apart.
type Regimes struct {
	Column  string       `json:"column"`
	Rows    []RegimeRows `json:"rows"`
	Changed []Changed    `json:"changed"`
}

// RegimeRows is a regime and how many rows it has.
type RegimeRows struct {
	Regime string `json:"regime"`
	Rows   int    `json:"rows"`
}

// Changed is a column whose mechanism is another in a regime than in those where it is not listed.
type Changed struct {
	Regime string `json:"regime"`
	Column string `json:"column"`
	// P is the probability of as much evidence where nothing changes, and Adjusted that of meeting it in some column and
	// regime of the table (Bonferroni).
	P        float64 `json:"p"`
	Adjusted float64 `json:"p_adjusted"`
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

// Sortability says how far sorting the columns by one figure gives the order of the learned graph: 1 all of it, 0.5 none of
// it. Where it is near 1 an order was perhaps read off the figure.
type Sortability struct {
	// Variance is of the columns' variances, which depend on the units (Reisach et al. 2021).
	Variance float64 `json:"variance"`
	// R2 is of the share of each column's variance that all others explain (Reisach et al. 2023); absent above 2000 columns and
	// where there are not more rows than columns.
	R2 *float64 `json:"r2,omitempty"`
}

// Timing is the one part of a result that differs between two runs with the same seed.
type Timing struct {
	ReadSeconds  float64            `json:"read_seconds"`
	SolveSeconds float64            `json:"solve_seconds"`
	StageSeconds map[string]float64 `json:"stage_seconds,omitempty"`
	Threads      int                `json:"threads"`
	// Device is the accelerator that a continuous method took its steps on, if any. It rounds in another order than the processor.
	Device string `json:"device,omitempty"`
}

// Choice returns what the method chose for a setting, or nil.
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

// ErrNoSlopes is the fault of asking for linear equations under a model that has none.
var ErrNoSlopes = fault.Kind("no-slopes", "effects under this model are not linear; learn with a linear model")

// Intercepts returns the constant of each column's equation under the graph, in the order of Names and in units of the
// column:
//
//	intercept_v = mean_v − Σ_p weight(p → v)·mean_p
//
// so that every column's mean is what its equation predicts at the means of its parents. It needs Nodes.
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

// links names the edges of g.
func links(g *graph.Graph, names []string) []Link {
	out := make([]Link, 0, g.NumEdges())
	for _, e := range g.Edges() {
		out = append(out, e.Named(names))
	}
	return out
}

// finite guards the one promise of every output: no NaN and no Inf.
func (r *Result) finite() error {
	check := func(what string, v float64) error {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s is %v; this is a bug, please report it with the data's moments", what, v)
		}
		return nil
	}
	for _, e := range r.Edges {
		if err := check(fmt.Sprintf("the weight of %s → %s", e.From, e.To), e.Weight+e.Standardized+e.Strength); err != nil {
			return err
		}
		if e.Effect != nil {
			if err := e.Effect.Check(); err != nil {
				return fmt.Errorf("%s → %s: %w; this is a bug, please report it with the data's moments", e.From, e.To, err)
			}
		}
	}
	if b := r.Budget; b != nil {
		if err := check("the fit under the budget", b.Bits+b.AllBits+b.Share); err != nil {
			return err
		}
	}
	return check("the score", r.Score)
}
