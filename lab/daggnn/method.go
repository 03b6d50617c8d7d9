// Package daggnn is DAG-GNN: a variational autoencoder with a weighted graph as a layer.
//
// Experimental: the API of this package may change before 1.0.
package daggnn

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/polydag/polydag/lab/internal/curves"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/lab/constraint"
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/lab/tape"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/solve"
)

const name = "dag-gnn"

// Method has the settings. Model, loss, constraint, schedule and optimizer are those of the authors' program,
// which makes 300 passes over the rows per solve. Here Passes is 30 by default, and columns are standardized.
type Method struct {
	Scale      network.Scale
	Constraint constraint.Name
	Hidden     int
	Batch      int
	Passes     int
	Steps      int
	Rate       float64
	HTol       float64
	Threshold  float64
	Sample     bool
}

// New returns the method with its defaults.
func New() *Method {
	return &Method{Scale: network.Unit, Constraint: constraint.Binomial, Hidden: 64, Batch: 100, Passes: 30, Steps: 100000, Rate: 3e-3, HTol: 1e-8, Threshold: 0.3}
}

func (m *Method) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "DAG-GNN: variational autoencoder with a linear graph layer",
		About:     "Uses one nonlinear function for all columns and linear effects between them, so it finds mainly linear effects. Included for comparison; the order search is faster and more accurate (lab/docs/evidence.md).",
		Reference: "Yu, Chen, Gao and Yu (2019), DAG-GNN: DAG structure learning with graph neural networks",
		Needs:     method.Rows, Gives: graph.KindDAG, UnitFree: m.Scale == network.Unit, Knowledge: true, Continuous: true,
	}
}

func (m *Method) Params(s *param.Set) {
	param.Word(s, &m.Scale, "scale", "scale of the columns: unit (standardized), or raw as published", network.Unit, network.Raw)
	constraint.Param(s, &m.Constraint, constraint.Binomial)
	s.Int(&m.Hidden, "hidden", "hidden units of the encoder and the decoder", param.AtLeast(1), param.AtMost(1000))
	s.Int(&m.Batch, "batch", "rows per step", param.AtLeast(1), param.AtMost(1<<20))
	s.Int(&m.Passes, "passes", "epochs between multiplier updates; 300 as published", param.AtLeast(1))
	s.Int(&m.Steps, "steps", "maximum number of steps", param.AtLeast(1))
	s.Float(&m.Rate, "rate", "learning rate of Adam, divided by the logarithm of the constraint weight", param.Above(0))
	s.Float(&m.HTol, "htol", "stop if h is below this", param.Above(0))
	s.Float(&m.Threshold, "threshold", "drop edges with an absolute weight at or below this", param.AtLeast(0))
	s.Bool(&m.Sample, "sample", "sample the latent variables, as in the paper; false as in the authors' program")
}

// Cost counts the entries of the hidden layers and the products with the graph.
func (m *Method) Cost(rows, columns, _ int) method.Cost {
	d, batch := float64(columns), float64(min(m.Batch, rows))
	s := scores.Fixed(scores.Smooth)
	products, matrices := m.Constraint.Work(columns)
	return method.Cost{
		Bytes: s.Bytes(rows, columns) + 8*int64(m.Batch)*int64(columns)*int64(10*m.Hidden+10) + method.Matrices(18+matrices, columns, 64),
		State: method.Matrices(8, columns, 64),
		Flops: float64(m.Steps) * (batch*d*float64(m.Hidden)*20 + 12*batch*d*d + 2*(1+products)*d*d*d), Columns: 200,
	}
}

// Learn trains the autoencoder and thresholds its graph.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	h := constraint.New[float64](m.Constraint, in.Threads)
	rows, err := network.NewRows(ctx, in, m.Scale)
	if err != nil {
		return network.Unread(ctx, in, name, h, err)
	}
	found, err := m.train(ctx, in, run, rows, h)
	if found == nil {
		return nil, err
	}
	a := found.Answer(in, name, m.Threshold, h)
	curves.Describe(ctx, in, a)
	return a, err
}

// train fits the autoencoder, or resumes an interrupted training.
func (m *Method) train(ctx context.Context, in *method.Input, run *stage.Run, rows *network.Rows, h tape.Constraint) (*network.Found, error) {
	var failed error
	mod, batch := model{columns: len(in.Names()), hidden: m.Hidden, threads: in.Threads}, min(m.Batch, rows.N)
	found, err := stage.Do(ctx, run, name, func(at stage.Point) (*network.Found, bool, error) {
		loss, noise := mod.loss(batch)
		policy := &network.Lagrangian{Passes: m.Passes, HTol: m.HTol, Rate: func(rho float64) float64 { return rateAt(m.Rate, rho) }}
		t := &network.Training{
			Name: name, Rows: rows, Batch: batch, Steps: m.Steps, Loss: loss, H: mod.acyclic(h),
			Policy: policy,
			Seed:   in.Seed, Pause: at.Pause, Tell: run.Tell,
			Theta: mod.start(in.Seed), Zero: make([]bool, mod.parameters()), Optimizer: network.Adam(), Rate: rateAt(m.Rate, 1), Rho: 1,
			Memory: policy.Memory(),
		}
		copy(t.Zero, network.Forbidden(in))
		if m.Sample {
			t.Prepare = func(step int) {
				rng := rand.New(rand.NewPCG(in.Seed, 0x65707369<<32+uint64(step)))
				for i := range noise.Value.Data {
					noise.Value.Data[i] = rng.NormFloat64()
				}
			}
		}
		coding, err := device.OpenCoding(ctx, device.Coder{Rows: batch, Columns: mod.columns, Hidden: m.Hidden, Noise: m.Sample})
		if err != nil {
			return nil, false, err
		}
		if coding != nil {
			t.Away = newAway(coding, mod.columns, in.Threads, noise.Value).eval
		}
		status, err := t.Run(ctx, at.Resume)
		if coding != nil {
			err = errors.Join(err, coding.Close())
		}
		failed = err
		return t.Found(ctx, mod.absolute(t.Theta), status), err == nil && status != solve.Canceled, nil
	})
	switch {
	case err != nil:
		return nil, err
	case errors.Is(failed, network.ErrAway): // the checkpoint has the last state
		return nil, failed
	}
	return found, failed
}
