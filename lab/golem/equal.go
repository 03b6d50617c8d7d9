// Package golem is GOLEM: a Gaussian likelihood with soft sparsity and acyclicity, with equal noise variances or one per column.
//
// Experimental: the API of this package may change before 1.0.
package golem

import (
	"context"

	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/linear"
	"github.com/polydag/polydag/method/stage"
)

// Equal has the constants of the published code; Soft lists the deviations.
type Equal struct{ Soft }

// NewEqual returns the method with the settings of the published code.
func NewEqual() *Equal { return &Equal{DefaultSoft(0.02)} }

func (m *Equal) Info() method.Info {
	return linear.Info(method.Info{
		Name:      "golem-ev",
		Title:     "GOLEM: a Gaussian likelihood with equal noise variances, L1 and a soft constraint",
		About:     "If the noise variances are equal in the units of the data, the likelihood identifies all directions.",
		Reference: "Ng, Ghassami and Zhang (2020), On the role of sparsity and DAG constraints for learning linear DAGs",
	})
}

// Cost counts one likelihood.
func (m *Equal) Cost(rows, columns, threads int) method.Cost { return m.Soft.Cost(columns, 1) }

// Learn maximizes the likelihood.
func (m *Equal) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	answer, err := m.Soft.Learn(ctx, in, run, "golem-ev", []Likelihood{{Name: "equal", Equal: true, L1: m.L1}})
	if answer != nil {
		answer.Identified = true
	}
	return answer, err
}
