// Package bench measures kernels, constraints and solver steps as ratios within one run: every quantity is timed in
// turns with the product that it is compared with, and the medians are reported, so that a noisy machine
// moves both.
package bench

import (
	"context"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/lab/internal/timing"
	"github.com/polydag/polydag/matrix"
)

// Report is everything measured in one run.
type Report struct {
	Go        string `json:"go"`
	Arch      string `json:"arch"`
	CPUs      int    `json:"cpus"`
	Kernel    string `json:"kernel"`
	Precision int    `json:"precision"` // precision of constraints and steps
	Threads   int    `json:"threads"`
	// More has the other numbers of threads that constraints and steps were timed with, in turns with the first.
	More  []int  `json:"more_threads,omitempty"`
	Sizes []Size `json:"sizes"`
}

// Size has the measurements for d nodes. Parts that were not requested are null.
type Size struct {
	D int `json:"d"`
	// GemmGFLOPS has precision ("float64", "float32"), then kernel.
	GemmGFLOPS     map[string]map[string]float64 `json:"gemm_gflops"`
	ProductSeconds float64                       `json:"product_seconds"` // one d×d product by the kernel in use
	ProductMore    []OnThreads                   `json:"product_more_threads,omitempty"`
	Constraints    map[string]Cost               `json:"constraints"`
	Steps          map[string]StepCost           `json:"steps"` // the steps of a solve under this constraint
}

// OnThreads is the same on another number of threads.
type OnThreads struct {
	Threads int     `json:"threads"`
	Seconds float64 `json:"seconds"`
	Gain    float64 `json:"gain"` // the time on the first number of threads over that on this one in the same round, median
}

// Cost is one evaluation of a constraint with its gradient.
type Cost struct {
	EvalSeconds  float64     `json:"eval_seconds"`
	EvalProducts float64     `json:"eval_products"` // EvalSeconds over the time of one product in the same round, median
	More         []OnThreads `json:"more_threads,omitempty"`
}

// StepCost is one whole step: score, constraint, gradients, penalty, Adam.
type StepCost struct {
	StepSeconds  float64     `json:"step_seconds"`
	StepProducts float64     `json:"step_products"` // StepSeconds over the time of one product in the same round, median
	More         []OnThreads `json:"more_threads,omitempty"`
}

// Settings select what Run measures.
type Settings struct {
	Nodes     []int
	Precision int   // precision of constraints and steps, 64 or 32
	Threads   []int // thread numbers for constraints and steps, measured in turns; at least one
	Parts     Parts
}

// Parts are the parts that can be measured separately.
type Parts struct{ Kernels, Constraints, Steps bool }

// Run measures every size, one after the other; progress may be nil.
func Run(ctx context.Context, s Settings, progress func(d int, what string)) (*Report, error) {
	r := &Report{
		Go: runtime.Version(), Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Kernel: gemm.Active().String(),
		Precision: s.Precision, Threads: s.Threads[0], More: s.Threads[1:],
	}
	if progress == nil {
		progress = func(int, string) {}
	}
	for _, d := range s.Nodes {
		size := Size{D: d}
		var err error
		if s.Parts.Kernels {
			progress(d, "products")
			size.GemmGFLOPS = map[string]map[string]float64{}
			if size.GemmGFLOPS["float64"], err = kernels[float64](ctx, d); err != nil {
				return nil, err
			}
			if size.GemmGFLOPS["float32"], err = kernels[float32](ctx, d); err != nil {
				return nil, err
			}
		}
		progress(d, "constraints and steps")
		if s.Precision == 32 {
			err = measure[float32](ctx, &size, s)
		} else {
			err = measure[float64](ctx, &size, s)
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

// turns: an operation is repeated for 4 ms in each of 15 rounds.
var turns = timing.Plan{Rounds: 15, Least: 15, Slice: 4 * time.Millisecond}

func random[T matrix.Float](rng *rand.Rand, d int) *matrix.Dense[T] {
	m := matrix.New[T](d, d)
	for i := range m.Data {
		m.Data[i] = T(rng.NormFloat64())
	}
	return m
}
