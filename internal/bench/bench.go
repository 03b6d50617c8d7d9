// Package bench measures kernels, constraints and solver steps as ratios within one run: every quantity is timed in
// turns with the product that it is compared with, and the medians are reported, so that a noisy machine
// moves both.
package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/gemm"
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
	Methods        map[string]StepCost           `json:"methods"`
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
		size.GemmGFLOPS["float64"] = kernels[float64](d)
		size.GemmGFLOPS["float32"] = kernels[float32](d)
		var err error
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
func kernels[T matrix.Float](d int) map[string]float64 {
	rng := rand.New(rand.NewPCG(1, uint64(d)))
	a, b, c := random[T](rng, d), random[T](rng, d), matrix.New[T](d, d)
	var ops []operation
	all := gemm.Kernels()
	for _, k := range all {
		ops = append(ops, single(func() {
			gemm.GemmWith(k, false, false, d, d, d, 1, a.Data, d, b.Data, d, 0, c.Data, d, 1)
		}))
	}
	out := map[string]float64{}
	seconds, _ := inTurns(ops)
	for i, s := range seconds {
		out[all[i].String()] = 2 * float64(d) * float64(d) * float64(d) / s / 1e9
	}
	return out
}

// measure times one product, each constraint and one step of each method in turns, at a W that the
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

	named := []struct {
		constraint, method string
		c                  solve.Constraint[T]
	}{
		{"h_geo(K=16)", "polydag-geo", &acyclic.Geometric[T]{K: 16, Threads: threads}},
		{"h_geo(K=d)", "", &acyclic.Geometric[T]{Threads: threads}},
		{"h_exp", "notears-exp", &acyclic.Exp[T]{Threads: threads}},
	}
	if d <= maxPoly {
		named = append(named, struct {
			constraint, method string
			c                  solve.Constraint[T]
		}{"h_poly", "polydag-poly", &acyclic.Poly[T]{Threads: threads}})
	}
	run := func(c solve.Constraint[T], start *matrix.Dense[T], steps int, observe solve.Observer) (*solve.Result[T], error) {
		p := solve.Problem[T]{D: d, Score: ls, Constraint: c, Penalty: solve.L1[T]{Lambda: 0.01}, Start: start}
		return solve.Run(ctx, p, solve.NewReleased(1, 200), solve.NewAdam[T](0.01), solve.Settings{Steps: steps}, observe)
	}
	warm, err := run(named[0].c, nil, 100, nil)
	if err != nil {
		return err
	}
	w := warm.W

	rng := rand.New(rand.NewPCG(2, uint64(d)))
	a, b, c, grad := random[T](rng, d), random[T](rng, d), matrix.New[T](d, d), matrix.New[T](d, d)
	ops := []operation{single(func() { matrix.Mul(c, a, b, threads) })}
	var failed error
	for _, n := range named {
		ops = append(ops, single(func() {
			if _, err := n.c.Eval(grad, w); err != nil {
				failed = err
			}
		}))
		if n.method != "" {
			ops = append(ops, func(lap func()) {
				const steps = 10
				if _, err := run(n.c, w, steps, func(solve.Step) { lap() }); err != nil {
					failed = err
				}
			})
		}
	}
	seconds, products := inTurns(ops)
	if failed != nil {
		return fmt.Errorf("bench: d = %d: %w", d, failed)
	}
	size.ProductSeconds = seconds[0]
	size.Constraints, size.Methods = map[string]Cost{}, map[string]StepCost{}
	i := 1
	for _, n := range named {
		size.Constraints[n.constraint] = Cost{seconds[i], products[i]}
		i++
		if n.method != "" {
			size.Methods[n.method] = StepCost{seconds[i], products[i]}
			i++
		}
	}
	return ctx.Err()
}

// An operation calls lap between the things that are timed: the time from one lap to the next counts.
type operation func(lap func())

// single times every call of f.
func single(f func()) operation {
	return func(lap func()) {
		lap()
		f()
		lap()
	}
}

// inTurns runs the operations one after the other for several rounds. It returns the median seconds of one lap of each, and the
// median over the rounds of its ratio to the first operation in the same round: a machine that is slow for a while is
// so for both. Laps are short, so that most of them pass without the machine's other work getting in between.
func inTurns(ops []operation) (seconds, ratios []float64) {
	const rounds, slice = 15, 4 * time.Millisecond
	all, shares := make([][]float64, len(ops)), make([][]float64, len(ops))
	for round := range rounds + 1 {
		base := 0.0
		for i, op := range ops {
			var laps []float64
			for start := time.Now(); ; {
				var last time.Time
				op(func() {
					now := time.Now()
					if !last.IsZero() {
						laps = append(laps, now.Sub(last).Seconds())
					}
					last = now
				})
				if time.Since(start) > slice {
					break
				}
			}
			if round == 0 { // warms up
				continue
			}
			mid := median(laps)
			if i == 0 {
				base = mid
			}
			all[i], shares[i] = append(all[i], mid), append(shares[i], mid/base)
		}
	}
	for i := range ops {
		seconds, ratios = append(seconds, median(all[i])), append(ratios, median(shares[i]))
	}
	return seconds, ratios
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

func random[T matrix.Float](rng *rand.Rand, d int) *matrix.Dense[T] {
	m := matrix.New[T](d, d)
	for i := range m.Data {
		m.Data[i] = T(rng.NormFloat64())
	}
	return m
}
