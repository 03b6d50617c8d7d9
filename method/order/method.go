// Package order learns a DAG by a search over orders of the columns, with an extended BIC as score.
//
// Experimental: the API of this package may change before 1.0.
package order

import (
	"context"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/internal/noise"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
)

const name = "order"

// Variance is the assumption about the noise variances.
type Variance string

const (
	Auto    Variance = "auto"    // equal if the data support it, in the units of the data
	Equal   Variance = "equal"   // one variance for all columns, in the units of the data
	Unequal Variance = "unequal" // one variance per column; the graph does not depend on units
)

// Noise is the shape of the noise under a linear model.
type Noise string

const (
	AutoNoise     Noise = "auto"     // free if the residuals are not Gaussian
	GaussianNoise Noise = "gaussian" // directions are identified up to the Markov equivalence class
	FreeNoise     Noise = "free"     // any smooth distribution; non-Gaussian noise identifies directions
)

// These types are the settings of the effect model.
type (
	Model        = scores.Model
	Criterion    = scores.Criterion
	TargetValues = scores.TargetValues
)

// These are the values of the settings of the model.
const (
	AutoModel = scores.AutoModel
	Linear    = scores.Linear
	Discrete  = scores.Discrete
	Mixed     = scores.Mixed
	Smooth    = scores.Smooth
	Flexible  = scores.Flexible
	BIC       = scores.BIC
	BDeu      = scores.BDeu
	Measured  = scores.Measured
	Own       = scores.Own

	AutoTables     = scores.AutoTables
	FullTables     = scores.FullTables
	AdditiveTables = scores.AdditiveTables
)

// ErrLevels is returned for a column with too many categories.
var ErrLevels = scores.ErrLevels

// Method has the settings of the search. docs/evidence/penalty.md and docs/explanation/models.md give the
// measurements behind the defaults.
type Method struct {
	scores.Settings
	Variance Variance
	Noise    Noise
	// Restarts is the number of rounds that try to leave a local optimum; 0 is a single descent, and "auto"
	// adapts the number.
	Restarts param.Count
	// MaxEdges limits the number of edges, and MinGain is the smallest score gain of an edge in bits per
	// row; 0 means no limit.
	MaxEdges int
	MinGain  float64
	// Coarse reduces the effort to leave local optima, for bootstrap samples. It is not a user setting.
	Coarse bool
	// refitPenalty is the penalty per edge of Refit; 0 stands for that of Price.
	refitPenalty float64
}

const defaultTables = AutoTables

// New returns the method with its measured defaults.
func New() *Method {
	m := &Method{Settings: scores.Default(), Variance: Auto, Noise: AutoNoise, Restarts: param.Count{Word: "auto", May: "auto"}}
	m.Tables = defaultTables
	return m
}

func (m *Method) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "score-based search over orders of the columns",
		About:     "Handles linear and nonlinear effects, categorical columns, and tables with both. It chooses the model from the column kinds and reports the choice. The search is exhaustive up to 12 columns (8 for nonlinear effects). The graph depends on units only if equal noise variances are chosen, which the result states. For linear effects, non-Gaussian noise identifies further directions.",
		Reference: "Wienöbst, Henckel and Weichwald (2026), Embracing discrete search: a reasonable approach to causal structure learning (FLOP, whose ideas our search uses)",
		Needs:     m.needs(), Gives: graph.KindDAG, UnitFree: m.Variance != Equal || !m.MayBe(Linear), Knowledge: true, Priors: true, Environments: true, Categories: m.Categories(),
	}
}

// needs returns the needs of the score, plus rows if the shape of the noise is learned.
func (m *Method) needs() method.Needs {
	if m.Model == Linear && m.Noise != GaussianNoise {
		return method.Either
	}
	return m.Settings.Needs()
}

func (m *Method) Params(s *param.Set) {
	param.Word(s, &m.Model, "model", "effect model: auto (from the column kinds), linear, discrete (all columns categorical), mixed (numeric and categorical), smooth (nonlinear) or flexible (any columns, nonlinear, transformed where needed)", AutoModel, Linear, Discrete, Mixed, Smooth, Flexible)
	param.Word(s, &m.Variance, "variance", "noise variances: auto (equal if BIC and a test support it), equal or unequal", Auto, Equal, Unequal)
	param.Word(s, &m.Noise, "noise", "noise of a linear model: auto (free if the residuals are not Gaussian), gaussian, or free (any distribution; non-Gaussian noise identifies directions)", AutoNoise, GaussianNoise, FreeNoise)
	m.Price.Params(s)
	s.Count(&m.Restarts, "restarts", "restarts of the search from perturbed orders; 0 for a single descent, auto to stop when they no longer help", param.AtLeast(0))
	param.Word(s, &m.Criterion, "criterion", "discrete model: score, bdeu or bic", BDeu, BIC)
	s.Float(&m.Ess, "ess", "discrete model: equivalent sample size of the BDeu prior, in rows; 0.1 for interventional data unless given", param.AtLeast(1e-6), param.AtMost(1e9))
	param.Word(s, &m.Tables, "tables", "discrete model: columns with several parents have full probability tables (full), additive effects in a multinomial logit (additive), or whichever scores better (auto)", AutoTables, FullTables, AdditiveTables)
	param.Word(s, &m.TargetValues, "target-values", "discrete model: value of an intervention target that its effects depend on: measured, or own (a separate category per environment, for inhibitors that leave the measured amount unchanged)", Measured, Own)
	s.After(func() { m.AdaptEss = m.AdaptEss && !s.Given("ess") })
	s.Int(&m.MaxEdges, "max-edges", "maximum number of edges; the search raises the penalty per edge until the graph fits; 0 for no limit", param.AtLeast(0), param.When(func() bool { return m.MaxEdges > 0 }))
	s.Float(&m.MinGain, "min-gain", "minimum score gain of each edge, in bits per row; 0 for no limit", param.AtLeast(0), param.When(func() bool { return m.MinGain > 0 }))
	m.Restrict(s)
	for _, name := range []string{"variance", "noise"} {
		param.When(func() bool { return m.MayBe(Linear) })(s.Lookup(name))
	}
	param.When(func() bool { return m.MayBe(Discrete) && m.Tables != defaultTables })(s.Lookup("tables"))
	// Measured is the behavior without the setting, so only another value is recorded.
	param.When(func() bool { return m.MayBe(Discrete) && m.TargetValues != Measured })(s.Lookup("target-values"))
}

// Cost counts five matrices, or the rows and correlations in 16 bits, and the cache of parent sets, which uses an eighth more than its
// limit. Models that read rows also keep codes or second moments of basis functions.
func (m *Method) Cost(rows, columns, threads int) method.Cost {
	return m.cost(rows, columns, m.RowBytes(rows, columns))
}

// NumericCost is Cost for a table without discrete columns, whose memory does not grow with the rows.
func (m *Method) NumericCost(rows, columns, threads int) method.Cost {
	return m.cost(rows, columns, m.NumericRowBytes(rows, columns))
}

func (m *Method) cost(rows, columns int, read int64) method.Cost {
	d := float64(columns)
	matrices := method.Matrices(5, columns, 64) + scores.CacheBytes(columns)*9/8
	if rows <= dataset.WideRows(columns) { // half, because little garbage is made beside them
		matrices = (dataset.WideBytes(rows, columns) + method.Matrices(1, columns, 8)/8 + scores.CacheBytes(columns)*9/8) / 2
	}
	return method.Cost{
		Bytes: matrices + max(m.noiseBytes(rows, columns), read),
		State: int64(columns) << 10,
		Flops: 1e5 * d * d,
	}
}

// noiseBytes estimates the memory of the search for directions from the noise: the sample, its columns, and
// scores.
func (m *Method) noiseBytes(rows, columns int) int64 {
	if m.Noise == GaussianNoise || !m.MayBe(Linear) || rows < score.LeastNoiseRows {
		return 0
	}
	return 16*min(int64(rows)*int64(columns), max(1<<20, 256*int64(columns))) + 100*int64(noise.Remembered(columns))
}

// Learn searches under the chosen model, or under the model that matches the kinds of the columns. For a linear
// model, it uses unequal or equal variances, or chooses between them.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	return (&searcher{Method: m, in: in, run: run}).learn(ctx)
}
