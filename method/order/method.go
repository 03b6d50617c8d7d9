// Package order is the search over orders of the columns for the DAG with the best extended BIC.
//
// Experimental: the API of this package may change before 1.0.
package order

import (
	"context"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/internal/noise"
	"github.com/polydag/polydag/method/internal/scores"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
)

const name = "order"

// Variance is what is assumed of the noise variances.
type Variance string

// The models of the noise.
const (
	Auto    Variance = "auto"    // equal where the data speak for it, in the units of the data
	Equal   Variance = "equal"   // one variance for all columns, in the units of the data
	Unequal Variance = "unequal" // a variance for each column; the graph does not depend on units
)

// Noise is the shape of the noise under a linear model.
type Noise string

// The shapes.
const (
	AutoNoise     Noise = "auto"     // free if the residuals are not Gaussian
	GaussianNoise Noise = "gaussian" // directions are identified up to the Markov equivalence class
	FreeNoise     Noise = "free"     // any smooth shape; noise that is not Gaussian identifies directions
)

// The models and their settings.
type (
	Model        = scores.Model
	Criterion    = scores.Criterion
	TargetValues = scores.TargetValues
)

// The values of the settings of the model.
const (
	AutoModel = scores.AutoModel
	Linear    = scores.Linear
	Discrete  = scores.Discrete
	Mixed     = scores.Mixed
	Smooth    = scores.Smooth
	BIC       = scores.BIC
	BDeu      = scores.BDeu
	Measured  = scores.Measured
	Own       = scores.Own
)

// ErrLevels is the fault of a column with too many levels to be counted.
var ErrLevels = scores.ErrLevels

// Method has the settings of the search. docs/evidence/penalty.md and docs/explanation/models.md have the measurements behind the defaults.
type Method struct {
	scores.Settings
	Variance Variance
	Noise    Noise
	// Restarts are rounds that try to leave a local optimum: 0 is one descent, "auto" as many as pay.
	Restarts param.Count
	// MaxEdges bounds the number of edges, and MinStrength the score gain of each in bits per row; 0 is no bound.
	MaxEdges    int
	MinStrength float64
	// Coarse spends less on leaving local optima, for replicates. It is not a setting of users.
	Coarse bool
}

// New returns the method with its measured defaults.
func New() *Method {
	return &Method{Settings: scores.Default(), Variance: Auto, Noise: AutoNoise, Restarts: param.Count{Word: "auto", May: "auto"}}
}

// Info describes the method.
func (m *Method) Info() method.Info {
	return method.Info{
		Name:  name,
		Title: "searches over orders of the columns for the graph with the best score",
		About: "For numbers with linear or smooth effects, for levels, and for tables of both: the model is chosen by the kinds of the columns, and the " +
			"result says which and why. Up to 12 columns the search is exhaustive (smooth effects: 8). Only equal noise variances, a statement about units, make the " +
			"graph depend on them, and the result says where they were chosen. Where effects are linear and the noise is not Gaussian, it tells directions that are open otherwise.",
		Reference: "our own, on ideas of FLOP (Wienöbst, Henckel and Weichwald 2026); extended BIC: Foygel and Drton (2010); directions from the noise: Shimizu et al. (2006)",
		Needs:     m.needs(), Gives: graph.KindDAG, UnitFree: m.Variance != Equal || !m.MayBe(Linear), Knowledge: true, Regimes: true, Categories: m.Categories(),
	}
}

// needs are those of the score, and the rows if the shape of the noise is to be learned.
func (m *Method) needs() method.Needs {
	if m.Model == Linear && m.Noise != GaussianNoise {
		return method.Either
	}
	return m.Settings.Needs()
}

// Params describes the settings.
func (m *Method) Params(s *param.Set) {
	param.Word(s, &m.Model, "model", "effects: auto (by the kinds of the columns), linear, discrete (all columns as levels), mixed (numbers and levels) or smooth (curves)", AutoModel, Linear, Discrete, Mixed, Smooth)
	param.Word(s, &m.Variance, "variance", "noise variances: auto (equal only where BIC and a test speak for it), equal or unequal", Auto, Equal, Unequal)
	param.Word(s, &m.Noise, "noise", "noise of a linear model: auto (free where residuals are not Gaussian), gaussian, or free (any shape; where it is not Gaussian it tells directions)", AutoNoise, GaussianNoise, FreeNoise)
	m.Price.Params(s)
	s.Count(&m.Restarts, "restarts", "rounds that try to leave a local optimum; 0 is one descent, auto as many as pay", param.AtLeast(0))
	param.Word(s, &m.Criterion, "criterion", "discrete model: bdeu or bic", BDeu, BIC)
	s.Float(&m.Ess, "ess", "discrete model: weight of the prior of bdeu, in rows; where columns were set from outside 0.1 unless given", param.AtLeast(1e-6), param.AtMost(1e9))
	param.Word(s, &m.TargetValues, "target-values", "discrete model: what effects of a column have seen where it was set: measured (its value) or own (a level of its own in each regime, as of an inhibitor that leaves the measured amount as it is)", Measured, Own)
	s.After(func() { m.AdaptEss = m.AdaptEss && !s.Given("ess") })
	s.Int(&m.MaxEdges, "max-edges", "the best graph of at most so many edges, found by a search at a higher price of an edge; 0 is any number", param.AtLeast(0), param.When(func() bool { return m.MaxEdges > 0 }))
	s.Float(&m.MinStrength, "min-strength", "the best graph in which each edge saves at least so many bits a row; 0 is any", param.AtLeast(0), param.When(func() bool { return m.MinStrength > 0 }))
	m.Restrict(s)
	for _, name := range []string{"variance", "noise"} {
		param.When(func() bool { return m.MayBe(Linear) })(s.Lookup(name))
	}
	// Measured values are what they are without the setting too, so that it is on record only where it says something else.
	param.When(func() bool { return m.MayBe(Discrete) && m.TargetValues != Measured })(s.Lookup("target-values"))
}

// Cost is that of four matrices and the cache of parent sets, which takes an eighth more than its bound. Models that read rows keep
// codes or the second moments of functions besides.
func (m *Method) Cost(rows, columns, threads int) method.Cost {
	d := float64(columns)
	return method.Cost{
		Bytes: method.Matrices(5, columns, 64) + scores.CacheBytes(columns)*9/8 + max(m.noiseBytes(rows, columns), m.RowBytes(rows, columns)),
		State: int64(columns) << 10,
		Flops: 1e5 * d * d,
	}
}

// noiseBytes is about what the search for directions in the noise keeps: the sample, its columns, and scores.
func (m *Method) noiseBytes(rows, columns int) int64 {
	if m.Noise == GaussianNoise || !m.MayBe(Linear) || rows < score.LeastNoiseRows {
		return 0
	}
	return 16*min(int64(rows)*int64(columns), max(1<<20, 256*int64(columns))) + 100*int64(noise.Remembered(columns))
}

// Learn searches under the model that was asked for, or that suits the kinds of the columns. A linear one has unequal variances, equal
// ones, or whichever of the two the data speak for.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	return (&searcher{Method: m, in: in, run: run}).learn(ctx)
}
