// Package sam is Structural Agnostic Modelling: networks generate each column from the others, an adversary judges them, and gates select
// the edges.
//
// Experimental: the API of this package may change before 1.0.
package sam

import (
	"context"

	"github.com/polydag/polydag/lab/internal/curves"
	"github.com/polydag/polydag/lab/internal/steps"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/lab/constraint"
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/lab/posterior"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/solve"
)

const name = "sam"

// Constraint is the acyclicity constraint.
type Constraint = constraint.Name

const (
	Exponential = constraint.Exponential // tr exp P - d, as published
	PowerSum    = constraint.PowerSum    // h_poly of P/d, term by term
	Geometric   = constraint.Geometric   // h_geo of P/d, the same value with fewer products
)

// Loss is the divergence between real and generated rows.
type Loss string

const (
	KL Loss = "kl" // Kullback-Leibler, as published
	JS Loss = "js" // Jensen-Shannon
)

// Method has the settings. The authors' program has 200 units per network, batch normalization, all rows in each step, 11,000 steps and 8
// runs. Here networks, batches and runs are smaller, and nothing is normalized. model.likeness and model.covary say how the gradients differ.
type Method struct {
	Steps      int
	Runs       int
	Batch      int
	Hidden     int
	Critic     int
	Loss       Loss
	Rate       float64
	CriticRate float64
	EdgeRate   float64
	Sparsity   float64
	Units      float64
	Acyclicity float64
	Constraint Constraint
}

// New returns the method with its defaults.
func New() *Method {
	return &Method{
		Steps: 5000, Runs: 1, Batch: 64, Hidden: 20, Critic: 32, Loss: KL, Rate: 0.003, CriticRate: 0.003, EdgeRate: 0.005,
		Sparsity: 0.02, Units: 1e-5, Acyclicity: 0.3, Constraint: Exponential,
	}
}

func (m *Method) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "SAM: adversarial networks generate each column, gates select the edges",
		About:     "For comparisons, on tables of at most a few dozen columns. It makes no assumption about effects and noise. The order search is more accurate and much faster (lab/docs/methods.md).",
		Reference: "Kalainathan, Goudet, Guyon, Lopez-Paz and Sebag (2022), Structural agnostic modeling: adversarial learning of causal graphs",
		Needs:     method.Rows, Gives: graph.KindDAG, UnitFree: true, Knowledge: true,
		Unweighted: "its networks are fitted to batches of rows",
	}
}

func (m *Method) Params(s *param.Set) {
	s.Int(&m.Steps, "steps", "training steps per run", param.AtLeast(1), param.AtMost(1<<31))
	s.Int(&m.Runs, "runs", "runs whose edge probabilities are averaged", param.AtLeast(1), param.AtMost(1000))
	s.Int(&m.Batch, "batch", "rows per step", param.AtLeast(1), param.AtMost(1<<16))
	s.Int(&m.Hidden, "hidden", "hidden units of the network of a column", param.AtLeast(1), param.AtMost(1000))
	s.Int(&m.Critic, "critic", "units of each of the two hidden layers of the critic", param.AtLeast(1), param.AtMost(4096))
	param.Word(s, &m.Loss, "loss", "divergence of generated from real rows: kl as published, or js", KL, JS)
	s.Float(&m.Rate, "rate", "learning rate of the networks", param.Above(0))
	s.Float(&m.CriticRate, "critic-rate", "learning rate of the critic", param.Above(0))
	s.Float(&m.EdgeRate, "edge-rate", "learning rate of the edges", param.Above(0))
	s.Float(&m.Sparsity, "edge-penalty", "penalty per edge, in nats per row", param.AtLeast(0))
	s.Float(&m.Units, "unit-penalty", "penalty per hidden unit", param.AtLeast(0))
	s.Float(&m.Acyclicity, "acyclicity", "last weight of the acyclicity constraint", param.AtLeast(0))
	constraint.Param(s, &m.Constraint, Exponential)
}

// mostRows is the largest number of rows for the training, spread over the table.
const mostRows = 100_000

// Cost counts the generators and the critic, which sees each row once for each column.
func (m *Method) Cost(rows, columns, threads int) method.Cost {
	d, h, q, n := float64(columns), float64(m.Hidden), float64(m.Critic), float64(m.Batch)
	parameters := d*(d*h+4*h+d+2) + q*(d+q+3)
	return method.Cost{
		Bytes: 8*int64(min(rows, mostRows)*columns) + int64(8*(12*parameters+n*(6*d*d+8*d*h+8*d*q))) + method.Matrices(12, columns, 64),
		State: int64(8 * 4 * parameters), Columns: 50,
		Flops: float64(m.Runs) * float64(m.Steps) * n * d * (6*d*h + 6*d*d + 6*q*(d+q) + 60*h),
	}
}

// constraint returns the constraint, the factor of its matrix and the factor of its value.
func (m *Method) constraint(d int) (h solve.Constraint[float64], scale, factor float64) {
	if h = m.Constraint.New(); m.Constraint == Exponential {
		return h, 1, 1
	}
	return h, 1 / float64(d), float64(d*d) / 2
}

// Learn trains the networks and returns the graph of the edges that are more probable than not.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	a := posterior.Start(in, func(*graph.Graph) float64 { return 0 })
	rows, err := network.NewRows(ctx, in, network.Unit)
	var g *game
	if err == nil {
		x, failed := rows.Sample(ctx, mostRows)
		if err = failed; err == nil {
			g = newGame(m, x, in)
			err = steps.Make(ctx, run, name, m.Runs*m.Steps, g)
		}
	}
	switch {
	case err != nil && ctx.Err() != nil:
		a.Cancel(ctx)
		return a, nil
	case err != nil:
		return nil, err
	}
	if g.step > 0 {
		found, err := g.graph()
		if err != nil {
			return nil, err
		}
		a.Graph, a.Score, a.Stages = found.Mixed(), g.value, []method.Stage{{Name: name, Graph: found, H: &g.h}}
	}
	if posterior.Ended(ctx, a, g, m.Runs*m.Steps); a.Status != method.Canceled {
		curves.Describe(ctx, in, a)
	}
	return a, nil
}

// graph returns the edges with a mean probability above a half. Cycles are cut where the probabilities are least.
func (g *game) graph() (*graph.Graph, error) {
	d := g.model.d
	p := func(e graph.Edge) float64 {
		at := e.From*d + e.To
		if g.fixed[at] > 0 {
			return float64(d * d) // a required edge stays
		}
		if g.step < g.set.Runs*g.set.Steps { // interrupted
			return g.probability(at)
		}
		return g.mean[at]
	}
	all := graph.New(d)
	for i := range d {
		for j := range d {
			if e := (graph.Edge{From: i, To: j}); g.fixed[i*d+j] != 0 && p(e) > 0.5 {
				all.AddEdge(i, j)
			}
		}
	}
	kept, _, err := graph.BreakCycles(all, p)
	return kept, err
}
