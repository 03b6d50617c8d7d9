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

// Check runs the solver on a small problem with a known answer and reports every law that it breaks: the
// objective falls; the diagonal and forbidden entries are zero; the start is not changed; two runs give the same bytes; an
// observer sees every step in order; a canceled context ends the run with its point so far; a
// failing constraint ends it with the last finite point and an error.
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
	k.descends()
	k.repeats()
	k.cancels()
	k.fails()
	return errors.Join(k.errs...)
}

type kit[T matrix.Float] struct {
	make   func() (solve.Schedule, solve.Descent[T])
	target *matrix.Dense[T]
	errs   []error
}

func (k *kit[T]) fail(format string, args ...any) {
	k.errs = append(k.errs, fmt.Errorf("solvetest: "+format, args...))
}

const steps = 300

func (k *kit[T]) run(ctx context.Context, p solve.Problem[T], observe solve.Observer) (*solve.Result[T], error) {
	sched, desc := k.make()
	p.D, p.Score = k.target.Rows, distance[T]{k.target}
	if p.Constraint == nil {
		p.Constraint = products[T]{}
	}
	return solve.Run(ctx, p, sched, desc, solve.Settings{Steps: steps}, observe)
}

func (k *kit[T]) descends() {
	d := k.target.Rows
	start := matrix.New[T](d, d)
	for i := range start.Data {
		start.Data[i] = 0.1
	}
	before := start.Clone()
	forbidden := make([]bool, d*d)
	forbidden[1], forbidden[d+3] = true, true
	var seen []solve.Step
	res, err := k.run(context.Background(), solve.Problem[T]{Start: start, Forbidden: forbidden}, func(s solve.Step) { seen = append(seen, s) })
	if err != nil {
		k.fail("descends: %v", err)
		return
	}
	if !slices.Equal(start.Data, before.Data) {
		k.fail("descends: the start was changed")
	}
	for i, s := range seen {
		if s.Step != i {
			k.fail("descends: the observer saw step %d as number %d", s.Step, i)
			break
		}
	}
	if res.Last != seen[len(seen)-1] {
		k.fail("descends: the result's last point is not what the observer saw last")
	}
	if first := seen[0]; !(res.Last.Score+res.Last.H < first.Score+first.H) {
		k.fail("descends: score + h went from %g to %g", first.Score+first.H, res.Last.Score+res.Last.H)
	}
	for i := range d {
		if res.W.At(i, i) != 0 {
			k.fail("descends: entry (%d, %d) of the diagonal is %v", i, i, res.W.At(i, i))
		}
	}
	for i, no := range forbidden {
		if no && res.W.Data[i] != 0 {
			k.fail("descends: forbidden entry %d is %v", i, res.W.Data[i])
		}
	}
	if !res.W.Finite() {
		k.fail("descends: W is not finite")
	}
}

func (k *kit[T]) repeats() {
	a, err1 := k.run(context.Background(), solve.Problem[T]{}, nil)
	b, err2 := k.run(context.Background(), solve.Problem[T]{}, nil)
	if err1 != nil || err2 != nil || !slices.Equal(a.W.Data, b.W.Data) || a.Status != b.Status {
		k.fail("repeats: two runs differ (%v, %v)", err1, err2)
	}
}

func (k *kit[T]) cancels() {
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	res, err := k.run(ctx, solve.Problem[T]{}, func(s solve.Step) {
		if s.Step == 7 {
			cancel(why)
		}
	})
	if err != nil || res.Status != solve.Canceled || !errors.Is(res.Cause, why) || res.Last.Step != 7 || !res.W.Finite() {
		k.fail("cancels: error %v, result %+v", err, res)
	}
}

func (k *kit[T]) fails() {
	res, err := k.run(context.Background(), solve.Problem[T]{Constraint: &fragile[T]{}}, nil)
	if err == nil || !errors.Is(err, errFragile) || res == nil || res.Status != solve.Failed || !res.W.Finite() {
		k.fail("fails: error %v, result %+v", err, res)
	}
}

// distance is ½‖W - target‖².
type distance[T matrix.Float] struct{ target *matrix.Dense[T] }

func (s distance[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) {
	f := 0.0
	for i, v := range w.Data {
		diff := v - s.target.Data[i]
		f += float64(diff) * float64(diff) / 2
		if grad != nil {
			grad.Data[i] = diff
		}
	}
	return f, nil
}

// products is Σ (w_ij w_ji)², zero where there is no 2-cycle.
type products[T matrix.Float] struct{}

func (products[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) {
	h := 0.0
	for i := range w.Rows {
		for j := range w.Cols {
			p := w.At(i, j) * w.At(j, i)
			h += float64(p * p)
			if grad != nil {
				grad.Set(i, j, 4*p*w.At(j, i))
			}
		}
	}
	return h, nil
}

var errFragile = errors.New("left the domain")

// fragile fails at its tenth evaluation.
type fragile[T matrix.Float] struct{ calls int }

func (c *fragile[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) {
	c.calls++
	if c.calls == 10 {
		return 0, errFragile
	}
	return products[T]{}.Eval(grad, w)
}
