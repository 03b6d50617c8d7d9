// Package order is the search over orders of the columns for the DAG with the best extended BIC.
//
// Experimental: the API of this package may change before 1.0.
package order

import (
	"context"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/internal/gaussian"
	"github.com/polydag/polydag/method/internal/noise"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
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

// Criterion is how a discrete model charges for its parameters.
type Criterion string

// The criteria.
const (
	BIC  Criterion = "bic"
	BDeu Criterion = "bdeu"
)

// Method has the settings of the search. docs/penalty.md and docs/models.md have the measurements behind the defaults.
type Method struct {
	Model    Model
	Variance Variance
	Noise    Noise
	Price    gaussian.Price
	// Restarts are rounds that try to leave a local optimum: 0 is one descent, "auto" as many as pay.
	Restarts param.Count
	// Criterion and Ess, the weight of the prior of BDeu in rows, are for discrete models.
	Criterion Criterion
	Ess       float64
	// MaxEdges is how many edges the graph may have, and MinStrength how many bits a row each of them must save; 0 is no bound.
	MaxEdges    int
	MinStrength float64
	// AdaptEss takes a prior of score.TargetsEss rows instead where columns were set from outside. One that was given does not
	// adapt.
	AdaptEss bool
	// Coarse spends less on leaving local optima, for one of many tables that are drawn from the rows of another. It is no setting of a
	// user.
	Coarse bool
	// TargetValues says what the effects of a column that was set have seen, in discrete models.
	TargetValues TargetValues
}

// TargetValues is what stands for a column in the rows in which it was set.
type TargetValues string

// The values of targets.
const (
	Measured TargetValues = "measured" // what the table has
	Own      TargetValues = "own"      // a level of its own for each regime, where what was set is not what was measured
)

// New returns the method with its measured defaults.
func New() *Method {
	return &Method{Model: AutoModel, Criterion: BDeu, Ess: score.DefaultDiscrete().Ess, AdaptEss: true, TargetValues: Measured, Variance: Auto, Noise: AutoNoise, Price: gaussian.DefaultPrice(), Restarts: param.Count{Word: "auto", May: "auto"}}
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
		Needs:     m.needs(), Gives: graph.KindDAG, UnitFree: m.Variance != Equal || !m.mayBe(Linear), Knowledge: true, Regimes: true, Categories: m.mayBe(Discrete, Mixed),
	}
}

// needs is rows for the models that moments are not enough for.
func (m *Method) needs() method.Needs {
	switch m.Model {
	case Linear:
		if m.Noise == GaussianNoise {
			return method.Moments
		}
		return method.Either
	case AutoModel:
		return method.Either
	}
	return method.Rows
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
	for name, models := range map[string][]Model{"variance": {Linear}, "noise": {Linear}, "penalty": {Linear}, "gamma": {Linear, Discrete}, "criterion": {Discrete}, "ess": {Discrete}} {
		param.When(func() bool { return m.mayBe(models...) && (name != "ess" || m.Criterion == BDeu) })(s.Lookup(name))
	}
	// Measured values are what they are without the setting too, so that it is on record only where it says something else.
	param.When(func() bool { return m.mayBe(Discrete) && m.TargetValues != Measured })(s.Lookup("target-values"))
}

// Cost is that of four matrices and the cache of parent sets, which takes an eighth more than its bound. Models that read rows keep
// codes or the second moments of functions besides.
func (m *Method) Cost(rows, columns, threads int) method.Cost {
	d := float64(columns)
	return method.Cost{
		Bytes: method.Matrices(5, columns, 64) + cacheBytes(columns)*9/8 + m.rowBytes(rows, columns),
		State: int64(columns) << 10,
		Flops: 1e5 * d * d,
	}
}

// cacheBytes bounds the memory of the search's node cache. A cache that is full is emptied, which changes no result: where the
// graph is dense (d = 1000, 4d edges) a search without bound keeps 361 MB, and with this one evaluates 15 % more
// parent sets; where it is sparse (2d edges) the bound is not reached.
func cacheBytes(columns int) int64 {
	return min(search.DefaultSettings().CacheBytes, 16<<20+int64(columns)<<16)
}

// rowBytes is what the models that read rows keep of a table: with levels 4 bytes a value, about 6 more when they are counted and the
// counts that are kept, or the matrices of curved functions.
func (m *Method) rowBytes(rows, columns int) int64 {
	values := int64(rows) * int64(columns)
	shaped := int64(0)
	if m.Noise != GaussianNoise && m.mayBe(Linear) && rows >= score.LeastNoiseRows { // the sample, once more by columns, and scores that are kept
		shaped = 16*min(values, max(1<<20, 256*int64(columns))) + 100*int64(noise.Remembered(columns))
	}
	kept := 8 * min(values, keptValues)
	levels := 10*values + min(counts.JointBytes, 1000*values)
	curves := method.Matrices(3, columns*(smoothBasis(columns).Cosines+1), 64)
	switch {
	case m.Model == Linear:
		return shaped
	case m.Model == Smooth:
		return kept + curves
	case m.Model == AutoModel && columns <= curvedColumns:
		return max(shaped, kept+max(levels, curves))
	}
	return max(shaped, kept+levels)
}

// Learn searches under the model that was asked for, or that suits the kinds of the columns. A linear one has unequal variances, equal
// ones, or whichever of the two the data speak for.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	return (&searcher{Method: m, in: in, run: run}).learn(ctx)
}
