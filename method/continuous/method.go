// Package continuous is our best continuous method: a unit-invariant relaxation under the log-determinant
// constraint, followed by topological swaps.
//
// Experimental: the API of this package may change before 1.0.
package continuous

import (
	"context"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/gaussian"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/method/weighted"
)

const name = "continuous"

// Variance is the assumption about the noise variances.
type Variance string

const (
	Auto    Variance = "auto"    // equal if the data support it, in the units of the data
	Equal   Variance = "equal"   // one variance for all columns, in the units of the data
	Unequal Variance = "unequal" // one variance per column; the graph does not depend on units
)

// End is the last step, from W of the relaxation to a graph.
type End string

const (
	Swaps End = "swaps" // improve the order of W by swaps that the gradient suggests
	Refit End = "refit" // use the order of W and choose the parents of each column by penalized likelihood
)

// Method has the settings of the path and of its end. docs/evidence/continuous.md gives the measurements behind
// the defaults.
type Method struct {
	Variance        Variance
	Lambda, Width   float64 // weight and width of the MCP penalty
	MuFirst, MuLast float64 // weight of h at the first and last stage
	Stages          int
	StageSteps      param.Count // "auto" uses fewer with many columns
	Rate            float64     // Adam's learning rate
	Precision       int         // bits of the relaxation's arithmetic, 64 or 32; the swaps use 64
	End             End
	Price           gaussian.Price
}

// New returns the method with its measured defaults.
func New() *Method {
	return &Method{
		Variance: Auto, Lambda: 0.2, Width: 0.6, MuFirst: 1e-3, MuLast: 100, Stages: 15,
		StageSteps: param.Count{Word: "auto", May: "auto"}, Rate: 0.006, Precision: 32, End: Swaps,
		Price: gaussian.DefaultPrice(),
	}
}

func (m *Method) Info() method.Info {
	return method.Info{
		Name:  name,
		Title: "likelihood with a log-determinant constraint, then topological swaps (our best continuous method)",
		About: "A relaxation that does not depend on units gives an order of the columns. Swaps proposed by the gradient improve the order; each is evaluated exactly by the regressions that it changes. If equal noise variances are supported by the data, they identify the directions, and the result states it. The order search (order) is faster and equally accurate.",
		Reference: "Bello, Aragam and Ravikumar (2022), DAGMA: Learning DAGs via M-matrices and a log-determinant acyclicity characterization; Ng, Ghassami and Zhang (2020), On the role of sparsity and DAG constraints for learning linear DAGs; " +
			"Zhang (2010), Nearly unbiased variable selection under minimax concave penalty; Deng, Bello, Aragam and Ravikumar (2023), Optimizing NOTEARS objectives via topological swaps",
		Needs: method.Moments, Gives: graph.KindDAG, UnitFree: m.Variance != Equal, Knowledge: true, Continuous: true,
	}
}

func (m *Method) Params(s *param.Set) {
	param.Word(s, &m.Variance, "variance", "noise variances: auto (equal if BIC and a test support it), equal or unequal", Auto, Equal, Unequal)
	weighted.PathParams(s, &m.Lambda, &m.Width, &m.MuFirst, &m.MuLast)
	s.Int(&m.Stages, "stages", "number of stages", param.AtLeast(1))
	s.Count(&m.StageSteps, "stage-steps", "gradient steps per stage; auto is 60, and fewer above 500 columns", param.AtLeast(1))
	s.Float(&m.Rate, "rate", "learning rate of Adam", param.Above(0))
	param.Bits(s, &m.Precision, "precision", "floating-point precision of the solver in bits")
	param.Word(s, &m.End, "end", "step after the relaxation: swaps (improve the order) or refit (keep it)", Swaps, Refit)
	m.Price.Params(s)
}

// Cost counts a step as 5 products: 1 for the score, 3 for the LU factorization and inverse of the likelihood,
// 1 for the constraint. It adds the cached regressions of the swaps and the garbage of dropped ones.
func (m *Method) Cost(rows, columns, threads int) method.Cost {
	cube := 2 * float64(columns) * float64(columns) * float64(columns)
	return method.Cost{
		Bytes: method.Matrices(5, columns, 64) + method.Matrices(13, columns, m.Precision) + min(32*int64(mostKept(columns)), int64(columns)*int64(columns)<<12),
		State: method.Matrices(20, columns, m.Precision),
		Flops: float64(m.Stages*m.stageSteps(columns)) * 5 * cube,
	}
}

// Learn relaxes, removes the remaining cycles, and improves the order.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	r, err := stage.Do(ctx, run, name, func(at stage.Point) (*relaxed, bool, error) {
		r, err := m.relax(ctx, in, run, at)
		return r, err == nil && r.Status != method.Canceled, err
	})
	if err != nil {
		return nil, err
	}
	l := &learner{Method: m, in: in, run: run, p: gaussian.Problem(in.Moments), relaxed: r}
	return l.learn(ctx)
}
