package study

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/sim"
	"github.com/polydag/polydag/solve"
)

// Cost is one evaluation of a constraint with its gradient, on one thread in float64.
type Cost struct {
	Seconds  float64 `json:"seconds"`  // median
	Products float64 `json:"products"` // Seconds over the median of one d×d product, measured in turns
	Rounds   int     `json:"rounds"`
}

// maxPoly is the largest d for which the direct sum, d-1 products, is timed.
const maxPoly = 400

// namedConstraint is a constraint as tables call it.
type namedConstraint struct {
	name string
	c    solve.Constraint[float64]
}

// constraints are those that cost and cycle look at.
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

// cost times the constraints at a W that the solver reaches after a hundred steps on data of the run. All are
// timed in turns, so that a noisy machine moves them together.
func (r *Run) cost(ctx context.Context, opt Options) (*Record, error) {
	rec := r.blank(opt)
	d := r.Point.Nodes
	cfg := sim.Default()
	cfg.Nodes, cfg.Seed, cfg.Degree = d, r.Seed, min(r.Point.Degree, float64(d-1))
	model, err := sim.New(cfg)
	if err != nil {
		return nil, err
	}
	data, err := dataset.FromRows(model.Names(), model.Sample(sim.Stream(r.Seed, sim.StreamNoise), r.Point.Samples), 1)
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
	ops := []func() error{func() error { matrix.Mul(c, a, b, 1); return nil }}
	for _, n := range all {
		ops = append(ops, func() error { _, err := n.c.Eval(grad, warm.W); return err })
	}
	rounds, medians, err := inTurns(ctx, ops)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		rec.Status, rec.Error = StatusError, err.Error()
		return rec, nil
	}
	rec.Cost = map[string]Cost{"product": {short(medians[0]), 1, rounds}}
	for i, n := range all {
		rec.Cost[n.name] = Cost{short(medians[i+1]), short(medians[i+1] / medians[0]), rounds}
	}
	return rec, nil
}

// inTurns calls the operations one after the other, for 15 rounds or until they took three seconds, five rounds at least, and returns
// the median seconds of a call. An operation is repeated within a round until it took a millisecond.
func inTurns(ctx context.Context, ops []func() error) (rounds int, medians []float64, err error) {
	calls := make([]int, len(ops))
	for i, op := range ops {
		if ctx.Err() != nil {
			return 0, nil, ctx.Err()
		}
		if err := op(); err != nil { // the first call makes the workspace
			return 0, nil, err
		}
		start := time.Now()
		if err := op(); err != nil {
			return 0, nil, err
		}
		calls[i] = max(1, int(1e-3/max(time.Since(start).Seconds(), 1e-9)))
	}
	times := make([][]float64, len(ops))
	begin := time.Now()
	for rounds < 5 || rounds < 15 && time.Since(begin) < 3*time.Second {
		for i, op := range ops {
			if ctx.Err() != nil {
				return 0, nil, ctx.Err()
			}
			start := time.Now()
			for range calls[i] {
				if err := op(); err != nil {
					return 0, nil, err
				}
			}
			times[i] = append(times[i], time.Since(start).Seconds()/float64(calls[i]))
		}
		rounds++
	}
	for _, ts := range times {
		slices.Sort(ts)
		medians = append(medians, ts[len(ts)/2])
	}
	return rounds, medians, nil
}

// cycle evaluates the constraints on the directed cycle of d nodes with unit weights, the example of the
// paper's remark on tightness: h must be above 0, and a sum cut at K < d is 0.
func (r *Run) cycle(opt Options) (*Record, error) {
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
		return nil, fmt.Errorf("study: no constraint has a value on a cycle of %d nodes", d)
	}
	return rec, nil
}
