// Package solvetest checks that a schedule and a descent, driven by solve.Run, keep the contract of a solver:
//
//	err := solvetest.Check(func() (solve.Schedule, solve.Descent[float64]) {
//		return solve.NewReleased(1, 200), solve.NewAdam[float64](0.01)
//	}, 1)
package solvetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// Check runs the solver on a small problem with a known answer and reports every law that it breaks:
//
//   - score + h falls, and stays finite;
//   - two solvers that make returns take the same way, to the last bit;
//   - the descent keeps neither the parameters nor the gradient, and after Reset it is as new;
//   - the status at the step limit is Completed or StepLimit;
//   - if both can be saved: saving changes nothing, a run that is taken up ends in the same bytes, and a
//     damaged state is refused;
//   - if the descent is a solve.Retrier: a step that is taken again gets shorter;
//   - if it is a solve.Searcher: a step lowers the objective that it was given, or moves nothing.
//
// What solve.Run owns (zeros that stay, observers, cancelling) is no law of a solver: Run has tests of its own.
func Check[T matrix.Float](make func() (solve.Schedule, solve.Descent[T]), seed uint64) error {
	k := &kit[T]{make: make}
	const d = 5
	rng := rand.New(rand.NewPCG(seed, 0x501e))
	k.target = matrix.New[T](d, d)
	for i := range d {
		for j := i + 1; j < d; j++ {
			k.target.Set(i, j, T(2*rng.Float64()-1))
		}
	}
	sched, desc := make()
	if st := sched.AtLimit(); st != solve.Completed && st != solve.StepLimit {
		k.fail("at the limit: status %q, want %q or %q", st, solve.Completed, solve.StepLimit)
	}
	if k.descends() {
		k.repeats()
		k.keepsNothing()
		k.resets()
		k.resumes()
		k.refuses(sched, desc)
		k.shortens()
		k.searches()
	}
	return errors.Join(k.errs...)
}

const steps = 300

type kit[T matrix.Float] struct {
	make   func() (solve.Schedule, solve.Descent[T])
	target *matrix.Dense[T]
	errs   []error

	// What the plain run gave.
	want  *solve.Result[T]
	trail []solve.Step
}

func (k *kit[T]) fail(format string, args ...any) {
	k.errs = append(k.errs, fmt.Errorf("solvetest: "+format, args...))
}

// run drives a solver over the problem of the kit: the distance from an acyclic target, with products as its constraint
// where c is nil.
func (k *kit[T]) run(sched solve.Schedule, desc solve.Descent[T], c solve.Constraint[T], s solve.Settings) (*solve.Result[T], []solve.Step, error) {
	p := solve.Problem[T]{D: k.target.Rows, Score: distance[T]{k.target}, Constraint: c, Start: matrix.New[T](k.target.Rows, k.target.Rows)}
	for i := range p.Start.Data {
		p.Start.Data[i] = 0.1
	}
	if c == nil {
		p.Constraint = products[T]{}
	}
	s.Steps = steps
	var trail []solve.Step
	res, err := solve.Run(context.Background(), p, sched, desc, s, func(st solve.Step) { trail = append(trail, st) })
	return res, trail, err
}

// same reports whether a run ended as the plain one, by the same way.
func (k *kit[T]) same(res *solve.Result[T], trail []solve.Step) bool {
	return res.Status == k.want.Status && slices.Equal(res.W.Data, k.want.W.Data) && slices.Equal(trail, k.trail)
}

func (k *kit[T]) descends() bool {
	sched, desc := k.make()
	res, trail, err := k.run(sched, desc, nil, solve.Settings{})
	if err != nil {
		k.fail("descends: %v", err)
		return false
	}
	k.want, k.trail = res, trail
	if first := trail[0]; !(res.Last.Score+res.Last.H < first.Score+first.H) {
		k.fail("descends: score + h went from %g to %g in %d steps", first.Score+first.H, res.Last.Score+res.Last.H, res.Last.Step)
	}
	return true
}

func (k *kit[T]) repeats() {
	sched, desc := k.make()
	if res, trail, err := k.run(sched, desc, nil, solve.Settings{}); err != nil || !k.same(res, trail) {
		k.fail("repeats: two runs differ (error %v)", err)
	}
}

func (k *kit[T]) keepsNothing() {
	sched, desc := k.make()
	if res, trail, err := k.run(sched, lend(desc), nil, solve.Settings{}); err != nil || !k.same(res, trail) {
		k.fail("keeps nothing: the run changes when w and the gradient are overwritten after each step (error %v)", err)
	}
}

func (k *kit[T]) resets() {
	sched, desc := k.make()
	if _, _, err := k.run(sched, desc, nil, solve.Settings{}); err != nil {
		k.fail("resets: %v", err)
		return
	}
	desc.Reset()
	sched, _ = k.make()
	if res, trail, err := k.run(sched, desc, nil, solve.Settings{}); err != nil || !k.same(res, trail) {
		k.fail("resets: a descent that was used and Reset is not as new (error %v)", err)
	}
}

// shortens needs a step to be taken again, so that its domain ends where the step does.
func (k *kit[T]) shortens() {
	sched, desc := k.make()
	if _, ok := desc.(solve.Retrier[T]); !ok {
		return
	}
	c := &narrow[T]{}
	res, trail, err := k.run(sched, desc, c, solve.Settings{Retries: 40})
	switch {
	case err != nil:
		k.fail("shortens: a step that left the domain was not made short enough in 40 attempts: %v", err)
	case c.failed > 0 && trail[len(trail)-1].Rejected != c.failed || !res.W.Finite():
		k.fail("shortens: %d evaluations failed, %d steps were undone", c.failed, trail[len(trail)-1].Rejected)
	}
}

func (k *kit[T]) searches() {
	_, desc := k.make()
	if _, ok := desc.(solve.Searcher[T]); !ok {
		return
	}
	for i, b := range k.trail[1:] {
		a := k.trail[i]
		up := b.H - a.H
		was := a.ScoreWeight * (a.Score + a.Penalty)
		is := a.ScoreWeight*(b.Score+b.Penalty) + a.HWeight*up + a.Curvature/2*up*up
		if !(is < was) && !b.Still {
			k.fail("searches: step %d took its objective from %g to %g", i, was, is)
			return
		}
	}
}
