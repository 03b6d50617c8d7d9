// Package diffan is DiffAN: it learns a causal order from the Hessian of the log density, estimated by a denoising diffusion network, and
// then selects the parents of each column along the order.
//
// Experimental: the API of this package may change before 1.0.
package diffan

import (
	"context"

	"github.com/polydag/polydag/lab/internal/steps"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/lab/internal/leaves"
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/method/stage"
)

const name = "diffan"

// Update is the way in which the network describes the columns that are left after some were removed.
type Update string

const (
	Deciduous Update = "deciduous" // subtract what removed leaves contribute to the score
	Masked    Update = "masked"    // only set removed columns to their means
)

// Method has the settings. It follows the paper up to the order. Then the smooth score of the order search selects the parents of each
// column among the earlier ones, where the paper prunes all of them by tests of generalized additive models. The network is smaller: the
// authors' has four layers of 128 and 1024 units with normalization and dropout.
type Method struct {
	Update Update
	Steps  int
	Batch  int
	Hidden int
	Rate   float64
	Sample int
}

// New returns the method with its defaults.
func New() *Method {
	return &Method{Update: Deciduous, Steps: 3000, Batch: 256, Hidden: 64, Rate: 0.003, Sample: 500}
}

func (m *Method) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "DiffAN: causal order from the Hessian of a diffusion model",
		About:     "For nonlinear effects with additive Gaussian noise on tables of a few dozen columns and many rows. It finds the columns without effects on the others one after the other, and then selects parents along that order. The order search with nonlinear effects is more accurate (lab/docs/methods.md).",
		Reference: "Sanchez et al. (2023), Diffusion models for causal discovery via topological ordering",
		Needs:     method.Rows, Gives: graph.KindDAG, UnitFree: true, Knowledge: true,
		Unweighted: "its network is fitted to batches of rows",
	}
}

func (m *Method) Params(s *param.Set) {
	param.Word(s, &m.Update, "update", "score without removed columns: deciduous (subtract their contribution) or masked (set them to their means)", Deciduous, Masked)
	s.Int(&m.Steps, "steps", "training steps of the network", param.AtLeast(1))
	s.Int(&m.Batch, "batch", "rows per step", param.AtLeast(1), param.AtMost(1<<16))
	s.Int(&m.Hidden, "hidden", "units of each of the two hidden layers", param.AtLeast(1), param.AtMost(4096))
	s.Float(&m.Rate, "rate", "learning rate of Adam", param.Above(0))
	s.Int(&m.Sample, "sample", "largest number of rows for the Hessian", param.AtLeast(20), param.AtMost(100000))
}

// Cost counts the training, the Hessians of the levels for every column, and the selection of parents.
func (m *Method) Cost(rows, columns, threads int) method.Cost {
	d, h, n := float64(columns), float64(m.Hidden), float64(min(rows, m.Sample))
	s := scores.Fixed(scores.Smooth)
	return method.Cost{
		Bytes: s.Bytes(rows, columns) + int64(8*h*(12*(2*d+h)+8*float64(m.Batch)+2*d*n)) + method.Matrices(3, 8*columns, 64), Columns: 200,
		State: int64(8 * 5 * h * (2*d + h)),
		Flops: float64(m.Steps)*float64(m.Batch)*h*(6*(2*d+h)+80) + float64(len(levels))*d*n*h*(4*d*h+2*d*d) + 1e3*d*d*d,
	}
}

// Learn trains the network, finds the order and selects the parents along it.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	return leaves.Learn(ctx, in, run, name, func() ([]int, error) {
		rows, err := network.NewRows(ctx, in, network.Unit)
		if err != nil {
			return nil, err
		}
		x, err := rows.Sample(ctx, mostRows)
		if err != nil {
			return nil, err
		}
		t := newTraining(m, x, in)
		if err := steps.Make(ctx, run, name+"-score", m.Steps, t); err != nil || ctx.Err() != nil {
			return nil, err
		}
		if x, err = rows.Sample(ctx, m.Sample); err != nil {
			return nil, err
		}
		denoiser := newDenoiser(x.Cols, m.Hidden, t.best)
		return leaves.Order(ctx, in, run, name+"-order", func(left, gone []int) ([]float64, error) {
			if m.Update == Masked {
				return votes(denoiser, x, left, gone, false, in.Threads), nil
			}
			return votes(denoiser, x, left, gone, true, in.Threads), nil
		})
	})
}
