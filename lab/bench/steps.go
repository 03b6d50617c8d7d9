package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/lab/internal/timing"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// maxPoly is the largest d for which the direct power sum, d-1 products, is timed.
const maxPoly = 200

// subject is an operation to measure with one number of threads: a constraint with its gradient, a step under
// it, or both.
type subject[T matrix.Float] struct {
	name       string
	constraint solve.Constraint[T]
	at         *matrix.Dense[T] // point of the evaluation; nil means the point that the solver reached, which has no zeros
	eval       bool             // measure the constraint separately
	score      solve.Score[T]   // the score of the step that is timed, or nil
	penalty    solve.Penalty[T]
}

// places are two matrices with exact zeros.
type places[T matrix.Float] struct{ dag, loose *matrix.Dense[T] }

// subjects returns the operations to measure on a sample with the given threads. The step named after the
// likelihood is that of method polydag, the others are those of the paper's methods.
func subjects[T matrix.Float](data *dataset.Moments, threads int, p Parts, at places[T]) []subject[T] {
	d := len(data.Names)
	geo := &acyclic.Geometric[T]{K: 16, Threads: threads}
	all := []subject[T]{
		{name: "h_geo(K=16)", constraint: geo},
		{name: "h_geo(K=d)", constraint: &acyclic.Geometric[T]{Threads: threads}},
		{name: "h_exp", constraint: &acyclic.Exp[T]{Threads: threads}},
	}
	if d <= maxPoly {
		all = append(all, subject[T]{name: "h_poly", constraint: &acyclic.Poly[T]{Threads: threads}})
	}
	ls := score.NewLeastSquares[T](data.Covariance(), threads)
	for i := range all {
		s := &all[i]
		s.eval = p.Constraints
		if p.Steps && s.name != "h_geo(K=d)" {
			s.score, s.penalty = ls, solve.L1[T]{Lambda: 0.01}
		}
	}
	if p.Constraints {
		for _, s := range all[:3] {
			all = append(all,
				subject[T]{name: s.name + ", DAG of 2d edges", constraint: s.constraint, at: at.dag, eval: true},
				subject[T]{name: s.name + ", 2d random edges", constraint: s.constraint, at: at.loose, eval: true})
		}
	}
	if p.Steps {
		all = append(all, subject[T]{name: "h_geo(K=16), likelihood", constraint: geo,
			score: score.NewGaussian[T](data.Correlation(), false, threads), penalty: solve.MCP[T]{Lambda: 0.2, Width: 0.6}})
	}
	return all
}

// step takes steps from start under the subject's constraint.
func (s *subject[T]) step(ctx context.Context, start *matrix.Dense[T], d, steps, threads int, observe solve.Observer) (*solve.Result[T], error) {
	p := solve.Problem[T]{D: d, Score: s.score, Constraint: s.constraint, Penalty: s.penalty, Start: start}
	return solve.RunAccelerated(ctx, p, solve.NewReleased(1, 200), solve.NewAdam[T](0.01), solve.Settings{Steps: steps, Threads: threads}, observe)
}

// measure measures one product, each constraint and one step under each, alternately, at a W that the solver
// reached after some steps on simulated data. Measurements with several numbers of threads follow each other
// directly.
func measure[T matrix.Float](ctx context.Context, size *Size, s Settings) error {
	d := size.D
	most := slices.Max(s.Threads)
	data, err := sampled(d, most)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(2, uint64(d)))
	at := places[T]{edges[T](rng, d, true), edges[T](rng, d, false)}
	warm := subjects(data, most, Parts{Steps: true}, at)[0]
	reached, err := warm.step(ctx, nil, d, lead(d), most, nil)
	if err != nil {
		return err
	}

	a, b, c, grad := random[T](rng, d), random[T](rng, d), matrix.New[T](d, d), matrix.New[T](d, d)
	byThreads := make([][]subject[T], len(s.Threads))
	var ops []timing.Operation
	for i, threads := range s.Threads {
		byThreads[i] = subjects(data, threads, s.Parts, at)
		ops = append(ops, timing.Single(func() error { matrix.Mul(c, a, b, threads); return nil }))
	}
	for k := range byThreads[0] {
		where := byThreads[0][k].at
		if where == nil {
			where = reached.W
		}
		for i := range s.Threads {
			if sub := &byThreads[i][k]; sub.eval {
				ops = append(ops, timing.Single(func() error { _, err := sub.constraint.Eval(grad, where); return err }))
			}
		}
		for i, threads := range s.Threads {
			if sub := &byThreads[i][k]; sub.score != nil {
				ops = append(ops, func(lap func()) error {
					_, err := sub.step(ctx, reached.W, d, laps(d), threads, func(solve.Step) { lap() })
					return err
				})
			}
		}
	}
	t, err := timing.InTurns(ctx, turns, ops)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("bench: d = %d: %w", d, err)
	}
	size.enter(t, s, names(byThreads[0]))
	return nil
}

// sampled draws the data.
func sampled(d, threads int) (*dataset.Moments, error) {
	cfg := sim.Default()
	cfg.Nodes, cfg.Seed = d, 1
	cfg.Degree = min(cfg.Degree, float64(d-1))
	model, err := sim.New(cfg)
	if err != nil {
		return nil, err
	}
	return dataset.MomentsOf(model.Names(), model.Sample(sim.Stream(cfg.Seed, sim.StreamNoise), 1000), threads)
}

// lead returns the number of steps before the measurement, and laps the steps of one run. Both are smaller if a
// step takes long.
func lead(d int) int { return min(100, max(10, 25_000_000/(d*d))) }
func laps(d int) int { return min(10, max(2, 1_000_000/(d*d))) }

// timed lists the measurements of a subject, in this order.
type timed struct {
	name       string
	eval, step bool
}

func names[T matrix.Float](subjects []subject[T]) []timed {
	var out []timed
	for _, s := range subjects {
		out = append(out, timed{s.name, s.eval, s.score != nil})
	}
	return out
}

// enter writes down what the turns found, in the order in which measure lists them: first the product, then each subject, all on
// each number of threads.
func (size *Size) enter(t timing.Turns, s Settings, subjects []timed) {
	at := 0
	next := func() (seconds, products float64, more []OnThreads) {
		first := at
		for _, threads := range s.Threads[1:] {
			at++
			more = append(more, OnThreads{threads, t.Seconds[at], t.Ratio(first, at)})
		}
		at++
		return t.Seconds[first], t.Ratios[first], more
	}
	size.ProductSeconds, _, size.ProductMore = next()
	if s.Parts.Constraints {
		size.Constraints = map[string]Cost{}
	}
	if s.Parts.Steps {
		size.Steps = map[string]StepCost{}
	}
	for _, sub := range subjects {
		if sub.eval {
			seconds, products, more := next()
			size.Constraints[sub.name] = Cost{seconds, products, more}
		}
		if sub.step {
			seconds, products, more := next()
			size.Steps[sub.name] = StepCost{seconds, products, more}
		}
	}
}

// edges returns a W with 2d random edges of weights ±(0.3 … 0.8): of a DAG, or of any graph without self-loops, which then has about 0.6 d
// nodes in one strongly connected component.
func edges[T matrix.Float](rng *rand.Rand, d int, dag bool) *matrix.Dense[T] {
	w := matrix.New[T](d, d)
	order := rng.Perm(d)
	for range 2 * d {
		i, j := rng.IntN(d), rng.IntN(d)
		if i == j {
			continue
		}
		if dag && order[i] > order[j] {
			i, j = j, i
		}
		w.Set(i, j, T((0.3+0.5*rng.Float64())*float64(2*rng.IntN(2)-1)))
	}
	return w
}
