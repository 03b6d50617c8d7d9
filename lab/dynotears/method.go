// Package dynotears is DYNOTEARS: NOTEARS for time series, whose past values have effects and no causes.
//
// Experimental: the API of this package may change before 1.0.
package dynotears

import (
	"context"

	"github.com/polydag/polydag/lab/lagrangian"

	"github.com/polydag/polydag/lab/constraint"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/linear"
	"github.com/polydag/polydag/method/stage"
)

const name = "dynotears"

// Method has the settings. The paper minimizes
//
//	‖X - XW - YA‖²/(2n) + λ_W·‖W‖₁ + λ_A·‖A‖₁   subject to   h(W) = 0,
//
// where Y has the past values. That is NOTEARS over all columns without edges to past values: these add no cycle, so h of the whole
// matrix is h(W). Here λ_W = λ_A, and one threshold holds for both.
type Method struct{ lagrangian.Lagrangian }

// New returns the method with the constants of NOTEARS. The threshold is lower, because effects over time are often weaker than those
// that its threshold of 0.3 is for.
func New() *Method {
	l := lagrangian.DefaultLagrangian()
	l.Threshold = 0.1
	return &Method{l}
}

func (m *Method) Info() method.Info {
	info := linear.Info(method.Info{
		Name:      name,
		Title:     "DYNOTEARS: time series by least squares with L1 penalty, augmented Lagrangian",
		About:     "NOTEARS with past values as causes.",
		Reference: "Pamfil et al. (2020), DYNOTEARS: Structure learning from time-series data",
	})
	info.Time = true
	return info
}

// Cost counts about nine products of the exponential.
func (m *Method) Cost(_, columns, _ int) method.Cost { return m.Lagrangian.Cost(columns, 6, 9) }

// Learn runs the augmented Lagrangian with h_exp.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	wide, narrow := constraint.New[float64](constraint.Exponential, in.Threads), constraint.New[float32](constraint.Exponential, in.Threads)
	return m.Lagrangian.Learn(ctx, in, run, name, lagrangian.Path{Weights: 1}, wide, narrow)
}
