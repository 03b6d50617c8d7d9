// Package bench measures kernels, constraints and solver steps as ratios within one run: every quantity is timed in
// turns with the product that it is compared with, and the medians are reported, so that a noisy machine
// moves both.
package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/timing"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/sim"
	"github.com/polydag/polydag/solve"
)

// Report is everything measured in one run.
type Report struct {
	Go        string `json:"go"`
	Arch      string `json:"arch"`
	CPUs      int    `json:"cpus"`
	Kernel    string `json:"kernel"`
	Precision int    `json:"precision"` // of constraints and steps
	Threads   int    `json:"threads"`
	Sizes     []Size `json:"sizes"`
}

// Size is what was measured for d nodes.
type Size struct {
	D int `json:"d"`
	// GemmGFLOPS has precision ("float64", "float32"), then kernel.
	GemmGFLOPS     map[string]map[string]float64 `json:"gemm_gflops"`
	ProductSeconds float64                       `json:"product_seconds"` // one d×d product by the kernel in use
	Constraints    map[string]Cost               `json:"constraints"`
	Steps          map[string]StepCost           `json:"steps"` // of a solve under this constraint
}

// Cost is one evaluation of a constraint with its gradient.
type Cost struct {
	EvalSeconds  float64 `json:"eval_seconds"`
	EvalProducts float64 `json:"eval_products"` // EvalSeconds over the time of one product in the same round, median
}

// StepCost is one whole step: score, constraint, gradients, penalty, Adam.
type StepCost struct {
	StepSeconds  float64 `json:"step_seconds"`
	StepProducts float64 `json:"step_products"` // StepSeconds over the time of one product in the same round, median
}

// maxPoly is the largest d for which the direct power sum, d-1 products, is timed.
const maxPoly = 200

// Run measures every size in turn; progress may be nil.
func Run(ctx context.Context, nodes []int, precision, threads int, progress func(d int, what string)) (*Report, error) {
	r := &Report{
		Go: runtime.Version(), Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Kernel: gemm.Active().String(),
		Precision: precision, Threads: threads,
	}
	if progress == nil {
		progress = func(int, string) {}
	}
	for _, d := range nodes {
		size := Size{D: d, GemmGFLOPS: map[string]map[string]float64{}}
		progress(d, "products")
		var err error
		if size.GemmGFLOPS["float64"], err = kernels[float64](ctx, d); err != nil {
			return nil, err
		}
		if size.GemmGFLOPS["float32"], err = kernels[float32](ctx, d); err != nil {
			return nil, err
		}
		if precision == 32 {
			err = measure[float32](ctx, &size, threads, progress)
		} else {
			err = measure[float64](ctx, &size, threads, progress)
		}
		if err != nil {
			return nil, err
		}
		r.Sizes = append(r.Sizes, size)
	}
	return r, nil
}

// kernels times C = A·B on one thread with every kernel that this machine has.
func kernels[T matrix.Float](ctx context.Context, d int) (map[string]float64, error) {
	rng := rand.New(rand.NewPCG(1, uint64(d)))
	a, b, c := random[T](rng, d), random[T](rng, d), matrix.New[T](d, d)
	var ops []timing.Operation
	all := gemm.Kernels()
	for _, k := range all {
		ops = append(ops, timing.Single(func() error {
			gemm.GemmWith(k, false, false, d, d, d, 1, a.Data, d, b.Data, d, 0, c.Data, d, 1)
			return nil
		}))
	}
	t, err := timing.InTurns(ctx, turns, ops)
	if err != nil {
		return nil, err
	}
	out := map[string]float64{}
	for i, s := range t.Seconds {
		out[all[i].String()] = 2 * float64(d) * float64(d) * float64(d) / s / 1e9
	}
	return out, nil
}

// measure times one product, each constraint and one step under each in turns, at a W that the
// solver has reached after a hundred steps on simulated data.
func measure[T matrix.Float](ctx context.Context, size *Size, threads int, progress func(int, string)) error {
	d := size.D
	progress(d, "constraints and steps")
	cfg := sim.Default()
	cfg.Nodes, cfg.Seed = d, 1
	cfg.Degree = min(cfg.Degree, float64(d-1))
	model, err := sim.New(cfg)
	if err != nil {
		return err
	}
	data, err := dataset.FromRows(model.Names(), model.Sample(sim.Stream(cfg.Seed, sim.StreamNoise), 1000), threads)
	if err != nil {
		return err
	}
	ls := score.NewLeastSquares[T](data.Covariance(), threads)

	type constraint struct {
		name string
		c    solve.Constraint[T]
		step bool             // a step under it is timed, too
		at   *matrix.Dense[T] // where it is evaluated; nil means where the solver got to, which has no zeros
	}
	named := []constraint{
		{name: "h_geo(K=16)", c: &acyclic.Geometric[T]{K: 16, Threads: threads}, step: true},
		{name: "h_geo(K=d)", c: &acyclic.Geometric[T]{Threads: threads}},
		{name: "h_exp", c: &acyclic.Exp[T]{Threads: threads}, step: true},
	}
	rng := rand.New(rand.NewPCG(2, uint64(d)))
	dag, loose := edges[T](rng, d, true), edges[T](rng, d, false)
	for _, n := range named {
		named = append(named,
			constraint{name: n.name + ", DAG of 2d edges", c: n.c, at: dag},
			constraint{name: n.name + ", 2d random edges", c: n.c, at: loose})
	}
	if d <= maxPoly {
		named = append(named, constraint{name: "h_poly", c: &acyclic.Poly[T]{Threads: threads}, step: true})
	}
	run := func(c solve.Constraint[T], start *matrix.Dense[T], steps int, observe solve.Observer) (*solve.Result[T], error) {
		p := solve.Problem[T]{D: d, Score: ls, Constraint: c, Penalty: solve.L1[T]{Lambda: 0.01}, Start: start}
		return solve.Run(ctx, p, solve.NewReleased(1, 200), solve.NewAdam[T](0.01), solve.Settings{Steps: steps, Threads: threads}, observe)
	}
	warm, err := run(named[0].c, nil, 100, nil)
	if err != nil {
		return err
	}
	w := warm.W

	a, b, c, grad := random[T](rng, d), random[T](rng, d), matrix.New[T](d, d), matrix.New[T](d, d)
	ops := []timing.Operation{timing.Single(func() error { matrix.Mul(c, a, b, threads); return nil })}
	for _, n := range named {
		at := n.at
		if at == nil {
			at = w
		}
		ops = append(ops, timing.Single(func() error { _, err := n.c.Eval(grad, at); return err }))
		if n.step {
			ops = append(ops, func(lap func()) error {
				const steps = 10
				_, err := run(n.c, w, steps, func(solve.Step) { lap() })
				return err
			})
		}
	}
	t, err := timing.InTurns(ctx, turns, ops)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("bench: d = %d: %w", d, err)
	}
	size.ProductSeconds = t.Seconds[0]
	size.Constraints, size.Steps = map[string]Cost{}, map[string]StepCost{}
	i := 1
	for _, n := range named {
		size.Constraints[n.name] = Cost{t.Seconds[i], t.Ratios[i]}
		i++
		if n.step {
			size.Steps[n.name] = StepCost{t.Seconds[i], t.Ratios[i]}
			i++
		}
	}
	return ctx.Err()
}

// turns: an operation is repeated for 4 ms in each of 15 rounds.
var turns = timing.Plan{Rounds: 15, Least: 15, Slice: 4 * time.Millisecond}

func random[T matrix.Float](rng *rand.Rand, d int) *matrix.Dense[T] {
	m := matrix.New[T](d, d)
	for i := range m.Data {
		m.Data[i] = T(rng.NormFloat64())
	}
	return m
}
