// Package bcdnets is BCD Nets: it approximates the posterior over the order of the columns, the weights and the noise variances of a
// linear model by variational inference.
//
// Experimental: the API of this package may change before 1.0.
package bcdnets

import (
	"context"

	"github.com/polydag/polydag/lab/internal/steps"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/lab/posterior"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
)

const name = "bcd-nets"

// Method has the settings. Some defaults differ from those of the authors' program. It has 20,000 steps of AdaBelief with a rate of 0.001
// and 64 draws per step.
type Method struct {
	Steps       int
	Draws       int
	Graphs      int
	Rate        float64
	Temperature float64
	Hidden      int
	Degree      float64
	Threshold   float64
}

// New returns the method with its defaults.
func New() *Method {
	return &Method{Steps: 3000, Draws: 8, Graphs: 200, Rate: 0.003, Temperature: 0.2, Hidden: 128, Degree: 1, Threshold: 0.3}
}

func (m *Method) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "BCD Nets: variational posterior over the order and the weights of a linear model",
		About:     "For comparisons of posterior methods, on tables of a few dozen columns with linear effects. It gives the probability of every edge over drawn graphs. The posterior that polydag computes by itself is faster, exact up to 12 columns, and reports whether it has converged (lab/docs/methods.md).",
		Reference: "Cundy, Grover and Ermon (2021), BCD Nets: Scalable variational approaches for Bayesian causal discovery",
		Needs:     method.Moments, Gives: graph.KindDAG, UnitFree: true, Knowledge: true,
	}
}

func (m *Method) Params(s *param.Set) {
	s.Int(&m.Steps, "steps", "number of steps", param.AtLeast(1))
	s.Int(&m.Draws, "draws", "models drawn per step for the gradient", param.AtLeast(1), param.AtMost(1<<12))
	s.Int(&m.Graphs, "graphs", "graphs drawn for the result", param.AtLeast(1), param.AtMost(100000))
	s.Float(&m.Rate, "rate", "learning rate of Adam", param.Above(0))
	s.Float(&m.Temperature, "temperature", "temperature of the relaxed orders", param.AtLeast(0.1))
	s.Int(&m.Hidden, "hidden", "units of each of the two hidden layers", param.AtLeast(1), param.AtMost(1<<12))
	s.Float(&m.Degree, "degree", "expected number of edges per column, for the prior of the weights", param.Above(0))
	s.Float(&m.Threshold, "threshold", "an edge has a standardized weight above this", param.AtLeast(0))
}

// Cost counts the network from the weights to the order, and the Sinkhorn scaling and the likelihood of each draw.
func (m *Method) Cost(_, columns, threads int) method.Cost {
	d, h, b := float64(columns), float64(m.Hidden), float64(m.Draws)
	parameters := h*(d*(d+1)/2+h+d*d) + d*(d+1)
	return method.Cost{
		Bytes:   int64(8*(12*parameters+b*4*(d*d+h))) + int64(threads)*method.Matrices(10+2*iterations, columns, 64),
		State:   int64(8 * 4 * parameters),
		Flops:   float64(m.Steps) * (6*b*parameters + 20*parameters + b*(20*iterations*d*d+10*d*d*d)),
		Columns: 100,
	}
}

// Learn fits the variational posterior and draws graphs from it.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	bge, err := score.NewBGe(in.Moments.Correlation(), in.Moments.N, score.DefaultBGe())
	if err != nil {
		return nil, err
	}
	f := newFit(m, in)
	if err := steps.Make(ctx, run, name, m.Steps, f); err != nil {
		return nil, err
	}
	total := posterior.Total(bge)
	a := posterior.Start(in, total)
	if f.step > 0 {
		graphs, err := f.graphs(m.Graphs, m.Threshold)
		if err != nil {
			return nil, err
		}
		posterior.Complete(a, name, graphs, total, true, method.Posterior{Score: "Gaussian with a horseshoe prior"})
	}
	return posterior.Ended(ctx, a, f, m.Steps), nil
}
