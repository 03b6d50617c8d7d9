// Package golemev is GOLEM with equal noise variances: a Gaussian likelihood with soft sparsity and acyclicity.
//
// Experimental: the API of this package may change before 1.0.
package golemev

import (
	"context"

	"github.com/polydag/polydag/internal/linear"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
)

const name = "golem-ev"

// Method has the constants of the published code; linear.Soft lists the deviations.
type Method struct{ linear.Soft }

// New returns the method with the settings of the published code.
func New() *Method { return &Method{linear.DefaultSoft(0.02)} }

func (m *Method) Info() method.Info {
	return linear.Info(method.Info{
		Name:      name,
		Title:     "GOLEM: a Gaussian likelihood with equal noise variances, L1 and a soft constraint",
		About:     "If the noise variances are equal in the units of the data, the likelihood identifies all directions.",
		Reference: "Ng, Ghassami and Zhang (2020), On the role of sparsity and DAG constraints for learning linear DAGs",
	})
}

// Cost counts one likelihood.
func (m *Method) Cost(rows, columns, threads int) method.Cost { return m.Soft.Cost(columns, 1) }

// Learn maximizes the likelihood.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	answer, err := m.Soft.Learn(ctx, in, run, name, []linear.Likelihood{{Name: "equal", Equal: true, L1: m.L1}})
	if answer != nil {
		answer.Identified = true
	}
	return answer, err
}
