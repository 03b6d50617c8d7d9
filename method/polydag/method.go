// Package polydag is the paper's constraint under a score that does not depend on units: a Gaussian likelihood with a
// variance for each column, an MCP penalty, and a weight of the constraint that rises along a path.
//
// Experimental: the API of this package may change before 1.0.
package polydag

import (
	"context"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/gaussian"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/method/weighted"
	"github.com/polydag/polydag/search"
	"github.com/polydag/polydag/solve"
)

const name = "polydag"

// Constraint names an acyclicity constraint.
type Constraint string

// The constraints.
const (
	Geometric   Constraint = "geo"  // the geometric series cut at K
	Exponential Constraint = "exp"  // the matrix exponential
	PowerSum    Constraint = "poly" // the sum of all powers
)

// Variance is the assumption about the noise variances.
type Variance string

// The models of the noise.
const (
	Unequal Variance = "unequal" // a variance for each column; the graph does not depend on units
	Equal   Variance = "equal"   // one variance for all columns, in the units of the data
)

// Method has the settings of the path. docs/evidence/continuous.md has the measurements behind the defaults.
type Method struct {
	Variance        Variance
	Constraint      Constraint
	K               param.Count // order of the geometric series
	Lambda, Width   float64     // parameters of the MCP penalty
	MuFirst, MuLast float64     // weight of h at the first and last stage
	Stages          int
	StageSteps      int
	Rate            float64 // Adam's learning rate
	Beta1, Beta2    float64 // decay of Adam's moments
	Precision       int     // 64 or 32
	Price           gaussian.Price
}

// New returns the method with its measured defaults.
func New() *Method {
	return &Method{
		Variance: Unequal, Constraint: Geometric, K: param.Count{N: 16, May: "d"},
		Lambda: 0.2, Width: 0.6, MuFirst: 1e-3, MuLast: 100, Stages: 15, StageSteps: 800,
		Rate: 0.006, Beta1: 0.95, Beta2: 0.99, Precision: 32,
		Price: gaussian.DefaultPrice(),
	}
}

func (m *Method) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "the constraint h_geo of the paper with a Gaussian likelihood and increasing weights",
		About:     "A continuous method that does not depend on units. On dense graphs and long chains, W keeps cycles, and the threshold that removes them also removes correct edges; method continuous avoids this and is faster.",
		Reference: "Zhang, Ramezani, Han, Hwang and Guo, polyDAG: polynomial acyclicity constraints for efficient continuous causal discovery in visual semantic graphs; Zhang (2010), Nearly unbiased variable selection under minimax concave penalty",
		Needs:     method.Moments, Gives: graph.KindDAG, UnitFree: m.Variance != Equal, Knowledge: true, Continuous: true,
	}
}

func (m *Method) Params(s *param.Set) {
	param.Word(s, &m.Variance, "variance", "noise variances: unequal, or equal in the units of the data", Unequal, Equal)
	param.Word(s, &m.Constraint, "constraint", "acyclicity constraint", Geometric, Exponential, PowerSum)
	s.Count(&m.K, "k", "order of h_geo; d for the number of columns, which is exact", param.AtLeast(1),
		param.When(func() bool { return m.Constraint == Geometric }))
	weighted.PathParams(s, &m.Lambda, &m.Width, &m.MuFirst, &m.MuLast)
	s.Int(&m.Stages, "stages", "number of stages", param.AtLeast(1))
	s.Int(&m.StageSteps, "stage-steps", "gradient steps per stage", param.AtLeast(1))
	s.Float(&m.Rate, "rate", "learning rate of Adam", param.Above(0))
	s.Float(&m.Beta1, "beta1", "decay of Adam's first moment", param.AtLeast(0), param.Below(1))
	s.Float(&m.Beta2, "beta2", "decay of Adam's second moment", param.AtLeast(0), param.Below(1))
	param.Bits(s, &m.Precision, "precision", "floating-point precision of the solver in bits")
	m.Price.Params(s)
}

// Cost counts a step as 10 products: 1 for the score, 3 for the likelihood's LU and inverse, 6 for h_geo.
func (m *Method) Cost(rows, columns, threads int) method.Cost {
	cube := 2 * float64(columns) * float64(columns) * float64(columns)
	products, matrices := 10.0, weighted.GeometricMatrices(m.K.Or(columns))
	switch m.Constraint {
	case Exponential:
		products, matrices = 13, 6
	case PowerSum:
		products, matrices = 4+float64(columns), 4
	}
	return method.Cost{
		Bytes: method.Matrices(4, columns, 64) + method.Matrices(6+5+matrices, columns, m.Precision),
		State: method.Matrices(20, columns, m.Precision),
		Flops: float64(m.Stages*m.StageSteps) * products * cube,
	}
}

// Learn follows the path and takes the smallest threshold that leaves a DAG, without the edges that BIC does not
// pay for.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	found, err := stage.Do(ctx, run, name, func(at stage.Point) (*found, bool, error) {
		f, err := m.descend(ctx, in, run, at)
		return f, err == nil && f.Status != solve.Canceled, err
	})
	if err != nil {
		return nil, err
	}
	answer := graph.FromParents(found.Graph)
	c := &method.Continuous{W: found.W, Steps: found.Steps, H: found.H, Threshold: found.Tau, Thresholded: graph.FromParents(found.Thresholded)}
	c.HThreshold = weighted.Restricted(constraint[float64](m, len(in.Names()), in.Threads), found.W, c.Thresholded)
	bic, err := gaussian.BIC(gaussian.Problem(in.Moments), m.searchSettings(), answer)
	if err != nil {
		return nil, err
	}
	return &method.Answer{
		Graph: answer.Mixed(), Status: found.Status, Cause: found.Cause, Score: bic, Identified: m.Variance == Equal,
		Choices:    []method.Choice{{Setting: "variance", Requested: string(m.Variance), Chosen: string(m.Variance)}},
		Stages:     []method.Stage{{Name: name, Graph: answer, H: &c.H}},
		Continuous: c,
	}, nil
}

// searchSettings passes the penalty per edge to the functions of the order search that evaluate a graph.
func (m *Method) searchSettings() search.Settings { return m.Price.Apply(search.DefaultSettings()) }

func constraint[T matrix.Float](m *Method, columns, threads int) solve.Constraint[T] {
	switch m.Constraint {
	case PowerSum:
		return &acyclic.Poly[T]{Threads: threads}
	case Exponential:
		return &acyclic.Exp[T]{Threads: threads}
	}
	return &acyclic.Geometric[T]{K: m.K.Or(columns), Threads: threads}
}
