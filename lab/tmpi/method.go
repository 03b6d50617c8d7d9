// Package tmpi is NOTEARS with truncated matrix power iteration in the place of the matrix exponential.
//
// Experimental: the API of this package may change before 1.0.
package tmpi

import (
	"context"
	"math"

	"github.com/polydag/polydag/lab/lagrangian"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/linear"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
)

const name = "tmpi"

// Method has the constants of NOTEARS, whose solver the authors use, and of the published constraint; lagrangian.Lagrangian and
// acyclic.Truncated say where we deviate.
type Method struct {
	lagrangian.Lagrangian
	Eps float64 // powers without a larger entry are omitted
}

// New returns the method with the published settings.
func New() *Method { return &Method{Lagrangian: lagrangian.DefaultLagrangian(), Eps: 1e-6} }

func (m *Method) Info() method.Info {
	return linear.Info(method.Info{
		Name:      name,
		Title:     "NOTEARS with truncated matrix power iteration as the constraint",
		About:     "The gradient of the constraint does not vanish for long cycles. Uses the solver of NOTEARS.",
		Reference: "Zhang, Ng, Gong, Liu, Abbasnejad, Gong, Zhang and Shi (2022), Truncated matrix power iteration for differentiable DAG learning",
	})
}

func (m *Method) Params(s *param.Set) {
	m.Lagrangian.Params(s)
	s.Float(&m.Eps, "eps", "powers of W∘W whose entries are all at most this are omitted", param.Above(0))
}

// Cost counts three products each time that the number of powers doubles.
func (m *Method) Cost(rows, columns, threads int) method.Cost {
	return m.Lagrangian.Cost(columns, 6, 3*math.Ceil(math.Log2(float64(columns)+1)))
}

// Learn runs the augmented Lagrangian with h_tmpi.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	return m.Lagrangian.Learn(ctx, in, run, name, lagrangian.Path{Weights: 1},
		&acyclic.Truncated[float64]{Eps: m.Eps, Threads: in.Threads}, &acyclic.Truncated[float32]{Eps: m.Eps, Threads: in.Threads})
}
