// Package notearsexp is the baseline of the paper: NOTEARS' matrix exponential in the paper's solver.
//
// Experimental: the API of this package may change before 1.0.
package notearsexp

import (
	"context"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/internal/linear"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
)

const name = "notears-exp"

// Method has the constants of the paper's Algorithm 1.
type Method struct{ linear.Released }

// New returns the method with the settings of the published code.
func New() *Method { return &Method{linear.DefaultReleased()} }

func (m *Method) Info() method.Info {
	return linear.ReleasedInfo(method.Info{
		Name:  name,
		Title: "the method of the paper with the matrix exponential (its baseline)",
		About: "The constraint of NOTEARS (Zheng, Aragam, Ravikumar and Xing 2018) in the paper's solver.",
	})
}

// Cost counts the products of the exponential, about nine.
func (m *Method) Cost(rows, columns, threads int) method.Cost {
	return m.Released.Cost(columns, 6, 9)
}

// Learn runs Algorithm 1 with h_exp.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	return m.Released.Learn(ctx, in, run, name,
		&acyclic.Exp[float64]{Threads: in.Threads}, &acyclic.Exp[float32]{Threads: in.Threads})
}
