// Package score learns a causal order from an estimate of the score of the data, the gradient of their log
// density, and then selects the parents of each column along the order. It has the methods SCORE and NoGAM.
//
// Experimental: the API of this package may change before 1.0.
package score

import (
	"context"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/lab/internal/leaves"
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/method/stage"
)

const name = "score"

// Variant is the rule that finds a column without effects on the others.
type Variant string

const (
	Score Variant = "score" // the derivative of its entry of the score is constant: SCORE
	NoGAM Variant = "nogam" // its residual predicts its entry of the score: NoGAM
)

// Method has the settings. It follows the papers up to the order. Then the smooth score of the order search selects the parents of each
// column among the earlier ones, where the papers prune all of them by tests of generalized additive models.
type Method struct {
	Variant Variant
	Scale   network.Scale
	Sample  int
	Ridge   float64
}

// New returns the method with its defaults.
func New() *Method { return &Method{Variant: Score, Scale: network.Raw, Sample: 1000, Ridge: 1e-3} }

func (m *Method) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "SCORE and NoGAM: causal order from the gradient of the log density",
		About:     "For nonlinear effects with additive noise on tables of a few dozen columns. SCORE assumes Gaussian noise, NoGAM does not. It finds the columns without effects on the others one after the other, and then selects parents along that order. It depends on the units: the rule compares columns best if their noise variances are similar. The order search with nonlinear effects is more accurate unless the graph is dense (lab/docs/methods.md).",
		Reference: "Rolland et al. (2022), Score matching enables causal discovery of nonlinear additive noise models; Montagna et al. (2023), Causal discovery with score matching on additive models with arbitrary noise",
		Needs:     method.Rows, Gives: graph.KindDAG, UnitFree: m.Scale == network.Unit, Knowledge: true,
		Unweighted: "its kernels take every row as one observation",
	}
}

func (m *Method) Params(s *param.Set) {
	param.Word(s, &m.Variant, "variant", "rule for columns without effects: score (SCORE, Gaussian noise) or nogam (NoGAM, any noise)", Score, NoGAM)
	param.Word(s, &m.Scale, "scale", "scale of the columns: raw as published, or unit (standardized)", network.Raw, network.Unit)
	s.Int(&m.Sample, "sample", "largest number of rows for the order; time grows with its cube", param.AtLeast(20), param.AtMost(20000))
	s.Float(&m.Ridge, "ridge", "regularization of the estimated score", param.Above(0))
}

// Cost counts one factorization per column, or ten per pair of columns with NoGAM, and the selection of parents.
func (m *Method) Cost(rows, columns, threads int) method.Cost {
	n, d := float64(min(rows, m.Sample)), float64(columns)
	s := scores.Fixed(scores.Smooth)
	c := method.Cost{
		Bytes: s.Bytes(rows, columns) + int64(24*n*n) + method.Matrices(3, 8*columns, 64), Columns: 200,
		Flops: d*n*n*(n+8*d) + 1e3*d*d*d,
	}
	if m.Variant == NoGAM {
		c.Bytes += int64(threads) * int64(40*n*n)
		c.Flops += 2 * d * d * n * n * n
	}
	return c
}

// Learn finds the order and selects the parents along it.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	return leaves.Learn(ctx, in, run, name, func() ([]int, error) {
		rows, err := network.NewRows(ctx, in, m.Scale)
		if err != nil {
			return nil, err
		}
		x, err := rows.Sample(ctx, m.Sample)
		if err != nil {
			return nil, err
		}
		return leaves.Order(ctx, in, run, name+"-order", func(left, _ []int) ([]float64, error) {
			return m.criterion(ctx, columns(x, left), in.Threads)
		})
	})
}

// criterion returns the number of each column of x that is least for a column without effects on the others.
func (m *Method) criterion(ctx context.Context, x *matrix.Dense[float64], threads int) ([]float64, error) {
	gradient, curvature, err := stein(x, m.Ridge, threads)
	if err != nil {
		return nil, err
	}
	if m.Variant == NoGAM {
		return unpredicted(ctx, x, gradient, threads)
	}
	out := make([]float64, x.Cols)
	for j := range out {
		out[j] = leaves.Variance(column(curvature, j))
	}
	return out, nil
}
