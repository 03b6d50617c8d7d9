// Package dpdag is VI-DP-DAG: it approximates the posterior over graphs by an order of the columns and independent edges along it, both
// drawn by differentiable relaxations.
//
// Experimental: the API of this package may change before 1.0.
package dpdag

import (
	"context"

	"github.com/polydag/polydag/lab/internal/steps"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/lab/posterior"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
)

const name = "dp-dag"

// Model is the model of a column given its parents.
type Model string

const (
	Linear  Model = "linear"
	Network Model = "network" // one hidden layer
)

// Orders is the distribution of the order.
type Orders string

const (
	TopK     Orders = "top-k"    // Gumbel-top-k with SoftSort: one number per column
	Sinkhorn Orders = "sinkhorn" // Gumbel-Sinkhorn: one number per column and position
)

// Method has the settings.
type Method struct {
	Model       Model
	Orders      Orders
	Steps       int
	Draws       int
	Graphs      int
	Rate        float64
	Temperature float64
	Prior       float64
	Hidden      int
	Batch       int
}

// New returns the method with its defaults.
func New() *Method {
	return &Method{Model: Linear, Orders: Sinkhorn, Steps: 5000, Draws: 8, Graphs: 200, Rate: 0.02, Temperature: 0.3, Prior: 0.01, Hidden: 16, Batch: 256}
}

func (m *Method) Info() method.Info {
	i := method.Info{
		Name:      name,
		Title:     "DP-DAG: variational posterior over an order and its edges, linear or with networks",
		About:     "For comparisons of posterior methods, on tables of a few dozen columns. It gives the probability of every edge over drawn graphs. The posterior that polydag computes by itself is faster, exact up to 12 columns, and reports whether it has converged (lab/docs/methods.md).",
		Reference: "Charpentier, Kibler and Günnemann (2022), Differentiable DAG sampling",
		Needs:     method.Moments, Gives: graph.KindDAG, UnitFree: true, Knowledge: true,
		Unweighted: "its networks are fitted to batches of rows",
	}
	if m.Model == Network {
		i.Needs = method.Rows
	}
	return i
}

func (m *Method) Params(s *param.Set) {
	param.Word(s, &m.Model, "mechanisms", "effects of the parents: linear, or network (one hidden layer)", Linear, Network)
	param.Word(s, &m.Orders, "orders", "distribution of the order: top-k (one number per column) or sinkhorn (one per column and position)", Sinkhorn, TopK)
	s.Int(&m.Steps, "steps", "number of steps", param.AtLeast(1))
	s.Int(&m.Draws, "draws", "graphs drawn per step for the gradient", param.AtLeast(1), param.AtMost(1<<12))
	s.Int(&m.Graphs, "graphs", "graphs drawn for the result", param.AtLeast(1), param.AtMost(100000))
	s.Float(&m.Rate, "rate", "learning rate of Adam", param.Above(0))
	s.Float(&m.Temperature, "temperature", "temperature of the relaxed orders and edges", param.AtLeast(0.1))
	s.Float(&m.Prior, "edge-prior", "prior probability of an edge", param.Above(0), param.Below(1))
	s.Int(&m.Hidden, "hidden", "hidden units of each network", param.AtLeast(1), param.AtMost(1000))
	s.Int(&m.Batch, "batch", "rows per step for networks", param.AtLeast(1))
}

// Cost counts the products of the moments with the weights of each draw, or those of the networks.
func (m *Method) Cost(rows, columns, threads int) method.Cost {
	d := float64(columns)
	c := method.Cost{
		Bytes: method.Matrices(m.Draws*(12+2*iterations)+20, columns, 64), State: method.Matrices(12, columns, 64), Columns: 100,
		Flops: float64(m.Steps*m.Draws) * (10*d*d*d + 20*iterations*d*d),
	}
	if m.Model == Network {
		batch, units := float64(min(m.Batch, rows)), d*float64(m.Hidden)
		c.Bytes += int64(8 * float64(m.Draws) * (4*d*units + 6*batch*units))
		c.Bytes += int64(min(rows, mostRows)*columns) * 8
		c.State += int64(8 * 4 * d * units)
		c.Flops += float64(m.Steps*m.Draws) * batch * units * (6*d + 40)
	}
	return c
}

// mostRows is the largest number of rows that networks are fitted to, spread over the table.
const mostRows = 100_000

// Learn fits the variational posterior and draws graphs from it.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	newModel := func() model { return newLinear(in) }
	if m.Model == Network {
		rows, err := network.NewRows(ctx, in, network.Unit)
		if err == nil {
			x, err2 := rows.Sample(ctx, mostRows)
			newModel, err = func() model { return newNetworks(x, m.Hidden, m.Batch, in) }, err2
		}
		if ctx.Err() != nil {
			a := posterior.Start(in, func(*graph.Graph) float64 { return 0 })
			a.Cancel(ctx)
			return a, nil
		}
		if err != nil {
			return nil, err
		}
	}
	f := newFit(m, in, newModel)
	if err := steps.Make(ctx, run, name, m.Steps, f); err != nil {
		return nil, err
	}
	a := posterior.Start(in, f.total)
	if f.step > 0 {
		graphs := make([]*graph.Graph, m.Graphs)
		for i := range graphs {
			graphs[i] = f.graph(i)
		}
		posterior.Complete(a, name, graphs, f.total, true, method.Posterior{Score: "Gaussian, " + string(m.Model), EdgeOdds: m.Prior / (1 - m.Prior)})
	}
	return posterior.Ended(ctx, a, f, m.Steps), nil
}
