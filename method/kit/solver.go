package kit

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// Solver runs a schedule with a descent on a small problem with a known solution and reports every failed check:
//
//   - descends: score + h falls, and stays finite
//
//   - repeats: two solvers from make take exactly the same steps
//
//   - keeps nothing: the descent keeps neither the parameters nor the gradient
//
//   - resets: after Reset a descent is as new
//
//   - at the limit: the status at the step limit is Completed or StepLimit
//
//   - resumes: if both can be saved, saving changes nothing, and a resumed run ends in the same bytes
//
//   - refuses: a damaged state gives an error
//
//   - shortens: if the descent is a solve.Retrier, a repeated step is shorter
//
//   - searches: if it is a solve.Searcher, a step lowers the objective or does not move
//
//     err := kit.Solver(func() (solve.Schedule, solve.Descent[float64]) {
//     return solve.NewReleased(1, 200), solve.NewAdam[float64](0.01)
//     }, 1)
//
// Features of solve.Run (fixed zeros, observers, cancellation) are tested there.
func Solver[T matrix.Float](make func() (solve.Schedule, solve.Descent[T]), seed uint64) error {
	k := &solverCheck[T]{make: make}
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
		k.Broken("at the limit", "status %q, want %q or %q", st, solve.Completed, solve.StepLimit)
	}
	if k.descends() {
		k.repeats()
		k.resets()
		k.resumes()
		k.refuses(sched, desc)
		k.shortens()
		k.searches()
	}
	return k.Verdict()
}

const solverSteps = 300

type solverCheck[T matrix.Float] struct {
	List
	make   func() (solve.Schedule, solve.Descent[T])
	target *matrix.Dense[T]

	// want and the following field are the results of the plain run.
	want  *solve.Result[T]
	trail []solve.Step
}

// run solves the test problem: the distance from an acyclic target, with products as the constraint if c is nil.
func (k *solverCheck[T]) run(sched solve.Schedule, desc solve.Descent[T], c solve.Constraint[T], s solve.Settings) (*solve.Result[T], []solve.Step, error) {
	p := solve.Problem[T]{D: k.target.Rows, Score: distance[T]{k.target}, Constraint: c, Start: matrix.New[T](k.target.Rows, k.target.Rows)}
	for i := range p.Start.Data {
		p.Start.Data[i] = 0.1
	}
	if c == nil {
		p.Constraint = products[T]{}
	}
	s.Steps = solverSteps
	var trail []solve.Step
	res, err := solve.Run(context.Background(), p, sched, desc, s, func(st solve.Step) { trail = append(trail, st) })
	return res, trail, err
}

// same reports whether a run took the same steps to the same result as the plain one.
func (k *solverCheck[T]) same(res *solve.Result[T], trail []solve.Step) bool {
	return res.Status == k.want.Status && slices.Equal(res.W.Data, k.want.W.Data) && slices.Equal(trail, k.trail)
}

func (k *solverCheck[T]) descends() bool {
	sched, desc := k.make()
	res, trail, err := k.run(sched, desc, nil, solve.Settings{})
	if err != nil {
		k.Broken("descends", "%v", err)
		return false
	}
	k.want, k.trail = res, trail
	if first := trail[0]; !(res.Last.Score+res.Last.H < first.Score+first.H) {
		k.Broken("descends", "score + h went from %g to %g in %d steps", first.Score+first.H, res.Last.Score+res.Last.H, res.Last.Step)
	}
	return true
}

// again records a failed check unless a run takes the steps of the plain one.
func (k *solverCheck[T]) again(law, what string, sched solve.Schedule, desc solve.Descent[T]) {
	if res, trail, err := k.run(sched, desc, nil, solve.Settings{}); err != nil || !k.same(res, trail) {
		k.Broken(law, "%s (error %v)", what, err)
	}
}

func (k *solverCheck[T]) repeats() {
	sched, desc := k.make()
	k.again("repeats", "two runs differ", sched, desc)
	sched, desc = k.make()
	k.again("keeps nothing", "the run changes when w and the gradient are overwritten after each step", sched, lend(desc))
}

func (k *solverCheck[T]) resets() {
	sched, desc := k.make()
	if _, _, err := k.run(sched, desc, nil, solve.Settings{}); err != nil {
		k.Broken("resets", "%v", err)
		return
	}
	desc.Reset()
	sched, _ = k.make()
	k.again("resets", "a descent that was used and Reset is not as new", sched, desc)
}

// shortens forces a repeated step by shrinking the domain.
func (k *solverCheck[T]) shortens() {
	sched, desc := k.make()
	if _, ok := desc.(solve.Retrier[T]); !ok {
		return
	}
	c := &narrow[T]{}
	res, trail, err := k.run(sched, desc, c, solve.Settings{Retries: 40})
	switch {
	case err != nil:
		k.Broken("shortens", "a step that left the domain was not made short enough in 40 attempts: %v", err)
	case c.failed > 0 && trail[len(trail)-1].Rejected != c.failed || !res.W.Finite():
		k.Broken("shortens", "%d evaluations failed, %d steps were undone", c.failed, trail[len(trail)-1].Rejected)
	}
}

func (k *solverCheck[T]) searches() {
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
			k.Broken("searches", "step %d took its objective from %g to %g", i, was, is)
			return
		}
	}
}
