package kit_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/kit"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// The regions of this file are the code of docs/guides/own-constraint.md; a test of the pages compares
// the two.

// region constraint

// logDet is the constraint of DAGMA (Bello, Aragam and Ravikumar 2022): with A = W∘W,
//
//	h(W) = -log det(sI - A) + d log s,   ∇h = 2 W ∘ (sI - A)⁻ᵀ.
//
// Cost: one LU factorization and inverse. Domain: the spectral radius of A is below s.
type logDet struct {
	s float64

	lu     matrix.LU[float64]
	m, inv *matrix.Dense[float64] // workspace, made at the first call
}

var errDomain = errors.New("logdet: W∘W has a spectral radius of s or more; raise s or lower the rate")

func (c *logDet) Eval(grad, w *matrix.Dense[float64]) (float64, error) {
	d := w.Rows
	if c.m == nil || c.m.Rows != d {
		c.m, c.inv = matrix.New[float64](d, d), matrix.New[float64](d, d)
	}
	for i := range d {
		for j, v := range w.Row(i) {
			c.m.Set(i, j, -v*v)
		}
		c.m.Set(i, i, c.s+c.m.At(i, i))
	}
	if err := c.lu.Factor(c.m); err != nil {
		return math.Inf(1), errors.Join(errDomain, err)
	}
	c.lu.Inverse(c.inv)
	for _, v := range c.inv.Data { // inside the domain, and only there, the inverse has no negative entry
		if !(v > -1e-9) {
			return math.Inf(1), errDomain
		}
	}
	if grad != nil {
		for i := range d {
			for j, v := range w.Row(i) {
				grad.Set(i, j, 2*v*c.inv.At(j, i))
			}
		}
	}
	logdet, _ := c.lu.LogAbsDet()
	return float64(d)*math.Log(c.s) - logdet, nil
}

// endregion

// region check
func TestLogDetKeepsTheContract(t *testing.T) {
	for seed := range uint64(10) {
		if err := kit.Constraint(&logDet{s: 1}, 6, seed); err != nil {
			t.Error(err)
		}
	}
}

// endregion

func ExampleConstraint_yourOwn() {
	cfg := sim.Default()
	cfg.Nodes, cfg.Degree, cfg.Seed = 8, 3, 2
	model, err := sim.New(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := model.Sample(sim.Stream(cfg.Seed, sim.StreamNoise), 1000)
	data, err := dataset.MomentsOf(model.Names(), x, 1)
	if err != nil {
		fmt.Println(err)
		return
	}

	learn := func(h solve.Constraint[float64]) {
		run, err := solve.Run(context.Background(),
			solve.Problem[float64]{
				D:          cfg.Nodes,
				Score:      score.NewLeastSquares[float64](data.Covariance(), 1),
				Constraint: h, // the one line that changes
				Penalty:    solve.L1[float64]{Lambda: 0.01},
			},
			solve.NewReleased(1, 200), solve.NewAdam[float64](0.01), solve.Settings{Steps: 2000}, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		g := graph.Threshold(cfg.Nodes, run.W.At, 0.3)
		_, cycle := g.Order()
		right := metric.Directed(model.Graph(), g).TP
		fmt.Printf("%s, %d of %d edges right, DAG: %v\n", run.Status, right, g.NumEdges(), cycle == nil)
	}

	fmt.Println("the truth has", model.Graph().NumEdges(), "edges")
	learn(&acyclic.Geometric[float64]{}) // the paper's
	learn(&logDet{s: 1})                 // ours
	// Output:
	// the truth has 6 edges
	// completed, 6 of 6 edges right, DAG: true
	// completed, 6 of 6 edges right, DAG: true
}
