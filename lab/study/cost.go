package study

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/lab/internal/timing"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// Cost is the cost of one evaluation of a constraint with its gradient, on one thread in float64.
type Cost struct {
	Seconds  float64 `json:"seconds"`  // median
	Products float64 `json:"products"` // median ratio to one d×d product in the same round
	Rounds   int     `json:"rounds"`
}

// maxPoly is the largest d for which the direct sum of d-1 products is measured.
const maxPoly = 400

type namedConstraint struct {
	name string
	c    solve.Constraint[float64]
}

func constraints(d int) []namedConstraint {
	out := []namedConstraint{
		{"h_exp", &acyclic.Exp[float64]{}},
		{"h_geo, K = 16", &acyclic.Geometric[float64]{K: 16}},
		{"h_geo, K = d", &acyclic.Geometric[float64]{}},
		{"h_geo, K = 16, by a solve", &acyclic.GeometricSolve[float64]{K: 16}},
	}
	if d <= maxPoly {
		out = append(out, namedConstraint{"h_poly", &acyclic.Poly[float64]{}})
	}
	return out
}

// cost measures the constraints at the W that the solver reaches after a hundred steps on data of the run. All
// are measured alternately, so that noise affects them equally.
func (r *Run) cost(ctx context.Context, opt Execution) (*Record, error) {
	rec := r.blank(opt)
	d := r.Point.Nodes
	cfg := sim.Default()
	cfg.Nodes, cfg.Seed, cfg.Degree = d, r.Seed, min(r.Point.Degree, float64(d-1))
	model, err := sim.New(cfg)
	if err != nil {
		return nil, err
	}
	data, err := dataset.MomentsOf(model.Names(), model.Sample(sim.Stream(r.Seed, sim.StreamNoise), r.Point.Samples), 1)
	if err != nil {
		return nil, err
	}
	p := solve.Problem[float64]{
		D: d, Score: score.NewLeastSquares[float64](data.Covariance(), 1), Penalty: solve.L1[float64]{Lambda: 0.01},
		Constraint: &acyclic.Geometric[float64]{K: 16},
	}
	warm, err := solve.Run(ctx, p, solve.NewReleased(1, 200), solve.NewAdam[float64](0.01), solve.Settings{Steps: 100}, nil)
	if err != nil {
		return nil, err
	}
	rng := sim.Stream(r.Seed, streamJitter)
	a, b, c, grad := matrix.New[float64](d, d), matrix.New[float64](d, d), matrix.New[float64](d, d), matrix.New[float64](d, d)
	for i := range a.Data {
		a.Data[i], b.Data[i] = rng.NormFloat64(), rng.NormFloat64()
	}
	all := constraints(d)
	ops := []timing.Operation{timing.Single(func() error { matrix.Mul(c, a, b, 1); return nil })}
	for _, n := range all {
		ops = append(ops, timing.Single(func() error { _, err := n.c.Eval(grad, warm.W); return err }))
	}
	t, err := timing.InTurns(ctx, turns, ops)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		rec.Status, rec.Error = StatusError, err.Error()
		return rec, nil
	}
	rec.Cost = map[string]Cost{"product": {short(t.Seconds[0]), 1, t.Rounds}}
	for i, n := range all {
		rec.Cost[n.name] = Cost{short(t.Seconds[i+1]), short(t.Ratios[i+1]), t.Rounds}
	}
	return rec, nil
}

// turns repeats an operation for a millisecond in each of 15 rounds, or of at least five after three seconds.
var turns = timing.Plan{Rounds: 15, Least: 5, Limit: 3 * time.Second, Slice: time.Millisecond}

// cycle evaluates the constraints on the directed cycle of d nodes with unit weights, the example of the
// paper's remark on tightness. h must be positive, and a sum truncated at K < d is 0.
func (r *Run) cycle(opt Execution) (*Record, error) {
	rec := r.blank(opt)
	d := r.Point.Nodes
	w := matrix.New[float64](d, d)
	for i := range d {
		w.Set(i, (i+1)%d, 1)
	}
	rec.Cycle = map[string]float64{}
	for _, n := range constraints(d) {
		h, err := n.c.Eval(nil, w)
		if err != nil || math.IsInf(h, 0) { // I - A is singular on a cycle of unit weights
			continue
		}
		rec.Cycle[n.name] = short(h)
	}
	if len(rec.Cycle) == 0 {
		return nil, fmt.Errorf("no constraint has a value on a cycle of %d nodes", d)
	}
	return rec, nil
}
