package golem

import (
	"context"

	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/linear"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
)

// Unequal has the constants of the published code; Soft lists the deviations.
type Unequal struct {
	Soft
	L1Equal float64 // weight of the L1 penalty in the equal-variance phase
}

// NewUnequal returns the method with the settings of the published code.
func NewUnequal() *Unequal { return &Unequal{Soft: DefaultSoft(0.002), L1Equal: 0.02} }

func (m *Unequal) Info() method.Info {
	return linear.Info(method.Info{
		Name:      "golem-nv",
		Title:     "GOLEM with unequal noise variances, started from the result of golem-ev",
		About:     "The likelihood does not depend on units, but the penalty and the threshold do. The problem is not convex and has poor local optima near the empty graph, so it starts from the equal-variance solution.",
		Reference: "Ng, Ghassami and Zhang (2020), On the role of sparsity and DAG constraints for learning linear DAGs",
	})
}

func (m *Unequal) Params(s *param.Set) {
	m.Soft.Params(s)
	s.Float(&m.L1Equal, "l1-equal", "weight of the L1 penalty in the equal-variance phase", param.AtLeast(0))
}

// Cost counts two likelihoods.
func (m *Unequal) Cost(rows, columns, threads int) method.Cost { return m.Soft.Cost(columns, 2) }

// Learn maximizes the likelihood with equal variances, and then from there the one with a variance per column.
func (m *Unequal) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	return m.Soft.Learn(ctx, in, run, "golem-nv", []Likelihood{{Name: "equal", Equal: true, L1: m.L1Equal}, {Name: "unequal", L1: m.L1}})
}
