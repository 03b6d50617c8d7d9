package paper

import (
	"context"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/linear"
	"github.com/polydag/polydag/method/stage"
)

// Exp has the constants of the paper's Algorithm 1.
type Exp struct{ linear.Released }

// NewExp returns the method with the settings of the published code.
func NewExp() *Exp { return &Exp{linear.DefaultReleased()} }

func (m *Exp) Info() method.Info {
	return linear.ReleasedInfo(method.Info{
		Name:  "notears-exp",
		Title: "the method of the paper with the matrix exponential (its baseline)",
		About: "The constraint of NOTEARS (Zheng, Aragam, Ravikumar and Xing 2018) in the paper's solver.",
	})
}

// Cost counts the products of the exponential, about nine.
func (m *Exp) Cost(rows, columns, threads int) method.Cost {
	return m.Released.Cost(columns, 6, 9)
}

// Learn runs Algorithm 1 with h_exp.
func (m *Exp) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	return m.Released.Learn(ctx, in, run, "notears-exp",
		&acyclic.Exp[float64]{Threads: in.Threads}, &acyclic.Exp[float32]{Threads: in.Threads})
}
