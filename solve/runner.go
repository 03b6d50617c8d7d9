package solve

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// runner holds the matrices of one run. All are contiguous and have the shape of the parameters, here called w.
type runner[T matrix.Float] struct {
	p    Problem[T]
	desc Descent[T]
	away Evaluator[T] // computes score and constraint if not nil

	w, prev, grad, gradH *matrix.Dense[T]

	threads  int  // threads for the passes over the parameters
	rejected int  // steps undone so far
	still    bool // the last step moved nothing; known for a Searcher only

	stretch func(grad, w []T) float64 // the penalty if it is a sum over entries, or nil

	// The fields below are for a Searcher: seen is the point of grad and gradH, and seenAt holds its values.
	search Searcher[T]
	seen   *matrix.Dense[T]
	seenAt Point
	known  bool // seen is valid
	slope  *matrix.Dense[T]
}

func newRunner[T matrix.Float](p Problem[T], desc Descent[T]) (*runner[T], error) {
	rows, cols := p.D, p.D
	if p.Parameters != nil {
		rows, cols = p.Parameters.Shape()
	}
	var errs []error
	if p.Forbidden != nil && len(p.Forbidden) != rows*cols {
		errs = append(errs, fmt.Errorf("setting Forbidden has %d entries, want %d", len(p.Forbidden), rows*cols))
	}
	if p.Start != nil && (p.Start.Rows != rows || p.Start.Cols != cols) {
		errs = append(errs, fmt.Errorf("setting Start is %d×%d, want %d×%d", p.Start.Rows, p.Start.Cols, rows, cols))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	made := func() *matrix.Dense[T] { return matrix.New[T](rows, cols) }
	r := &runner[T]{p: p, desc: desc, w: made(), prev: made(), grad: made()}
	if p.Constraint != nil {
		r.gradH = made()
	}
	if penalty, ok := p.Penalty.(stretched[T]); ok {
		r.stretch = penalty.stretch
	}
	if search, ok := desc.(Searcher[T]); ok {
		r.search, r.seen, r.slope = search, made(), made()
	}
	if p.Start != nil {
		r.w.CopyFrom(p.Start)
	}
	r.project(r.w)
	return r, nil
}

// evaluate returns the values at w. It sets grad to the gradient of score and penalty, and gradH to the
// gradient of h.
func (r *runner[T]) evaluate(step int) (Point, error) {
	pt, err := r.seenAt, error(nil)
	if !r.known || !slices.Equal(r.w.Data, r.seen.Data) {
		r.known = false
		pt, err = r.evaluateAt(r.w)
	}
	pt.Step, pt.Rejected, pt.Still = step, r.rejected, r.still
	return pt, err
}

func (r *runner[T]) evaluateAt(w *matrix.Dense[T]) (Point, error) {
	pt, err := r.values(w)
	if err != nil {
		return Point{}, err
	}
	if sum := pt.Score + pt.Penalty + pt.H; sum-sum != 0 {
		return Point{}, fmt.Errorf("score %g, penalty %g, h %g: not finite", pt.Score, pt.Penalty, pt.H)
	}
	return pt, nil
}

// values returns score, penalty and h at w. It sets grad to the gradient of score and penalty, and gradH to the
// gradient of h.
func (r *runner[T]) values(w *matrix.Dense[T]) (pt Point, err error) {
	if s, ok := r.p.Score.(thener[T]); ok && r.stretch != nil && r.away == nil && !r.beside(w) && w.Contiguous() {
		if pt.Score, pt.Penalty, err = s.EvalThen(r.grad, w, r.stretch); err == nil && r.p.Constraint != nil {
			pt.H, err = r.p.Constraint.Eval(r.gradH, w)
		}
		return pt, err
	}
	switch {
	case r.away != nil:
		pt.Score, pt.H, err = r.away.Values(r.grad, r.gradH, w)
	case r.beside(w):
		pt, err = r.valuesBeside(w)
	default:
		if pt.Score, err = r.p.Score.Eval(r.grad, w); err == nil && r.p.Constraint != nil {
			pt.H, err = r.p.Constraint.Eval(r.gradH, w)
		}
	}
	if err == nil && r.p.Penalty != nil {
		pt.Penalty = r.penalize(w)
	}
	return pt, err
}

// thener is a score that passes each finished row of its gradient to a penalty that is a sum over entries.
type thener[T matrix.Float] interface {
	EvalThen(grad, w *matrix.Dense[T], after func(grad, w []T) float64) (f, also float64, err error)
}

// besider is a score that can run on one thread while the constraint runs on others, because they share no
// memory.
type besider[T matrix.Float] interface {
	EvalBeside(grad, w *matrix.Dense[T]) (float64, error)
}

// Score and constraint run concurrently on at most mostBeside threads and only if the constraint needs at least
// leastBeside matrix products. A likelihood takes as long as three to seven products. With more threads or a
// cheaper constraint, the other threads would wait.
const (
	mostBeside  = 3
	leastBeside = 6
)

// beside reports whether score and constraint are evaluated concurrently.
func (r *runner[T]) beside(w *matrix.Dense[T]) bool {
	_, ok := r.p.Score.(besider[T])
	if !ok || r.threads <= 1 || r.threads > mostBeside {
		return false
	}
	h, ok := r.p.Constraint.(interface{ Products(d int) int })
	return ok && h.Products(w.Rows) >= leastBeside
}

// valuesBeside evaluates the score on one thread and the constraint on the others.
func (r *runner[T]) valuesBeside(w *matrix.Dense[T]) (pt Point, err error) {
	var errH error
	gemm.Beside(func() { pt.Score, err = r.p.Score.(besider[T]).EvalBeside(r.grad, w) }, func() { pt.H, errH = r.p.Constraint.Eval(r.gradH, w) })
	if err == nil {
		err = errH
	}
	return pt, err
}

// step lets the descent move w from the last evaluated point.
func (r *runner[T]) step(at Step) {
	if desc, ok := r.desc.(ranged[T]); ok {
		r.stepInRanges(at.Move, desc)
		return
	}
	r.prev.CopyFrom(r.w)
	if r.search != nil {
		if search, ok := r.desc.(Sharer); ok {
			search.Share(r.threads)
		}
		r.aim(at)
		r.desc.Step(r.w, r.slope)
	} else {
		r.combine(at.Move)
		r.desc.Step(r.w, r.grad)
	}
	r.project(r.w)
	if r.search != nil {
		r.still = slices.Equal(r.w.Data, r.prev.Data)
	}
}

// A Sharer is a descent whose passes several threads can share without a change of the result.
type Sharer interface{ Share(threads int) }

// combine turns grad into the gradient of the whole objective.
func (r *runner[T]) combine(m Move) {
	if m.ScoreWeight != 1 {
		vec.Scale(r.grad.Data, T(m.ScoreWeight), r.grad.Data)
	}
	if r.gradH != nil {
		vec.Axpy(r.grad.Data, T(m.HWeight), r.gradH.Data)
	}
}

// retry undoes the step that ended in fault and asks for shorter ones, until an evaluation succeeds or most
// attempts failed. It recomputes the gradient, so that no step has to copy it in advance.
func (r *runner[T]) retry(step, most int, m Move, fault error) (Point, error) {
	desc, ok := r.desc.(Retrier[T])
	if !ok || most == 0 {
		return Point{}, fault
	}
	for range most {
		r.rejected++
		r.w.CopyFrom(r.prev)
		if _, err := r.evaluateAt(r.w); err != nil {
			return Point{}, fmt.Errorf("the point before the step cannot be evaluated a second time: %w", err)
		}
		r.combine(m)
		desc.Retry(r.w, r.grad)
		r.project(r.w)
		pt, err := r.evaluate(step)
		if err == nil {
			return pt, nil
		}
		fault = err
	}
	return Point{}, fmt.Errorf("undone %d times, and still: %w", most, fault)
}

// aim passes the objective of the current step to the Searcher and stores its gradient in slope.
func (r *runner[T]) aim(at Step) {
	threads := r.threads
	if !gemm.Shared(threads, len(r.w.Data)) {
		threads = 1
	}
	gradient := func(dst *matrix.Dense[T], h float64) {
		gemm.Stretches(threads, len(dst.Data), func(_, lo, hi int) {
			vec.Scale(dst.Data[lo:hi], T(at.ScoreWeight), r.grad.Data[lo:hi])
			if r.gradH != nil {
				vec.Axpy(dst.Data[lo:hi], T(at.HWeight+at.Curvature*(h-at.H)), r.gradH.Data[lo:hi])
			}
		})
		r.project(dst)
	}
	value := func(pt Point) float64 {
		up := pt.H - at.H
		return at.ScoreWeight*(pt.Score+pt.Penalty) + at.HWeight*up + at.Curvature/2*up*up
	}
	gradient(r.slope, at.H)
	o := Objective[T]{Value: value(at.Point)}
	if k, ok := r.p.Penalty.(kinked); ok {
		o.Kink = at.ScoreWeight * k.Kink()
		if in, ok := k.(kinkedIn); ok {
			o.Kinked = in.Kinked()
		}
	}
	o.Eval = func(grad, w *matrix.Dense[T]) (float64, error) {
		pt, err := r.evaluateAt(w)
		if r.known = err == nil; !r.known {
			return math.Inf(1), err
		}
		r.seen.CopyFrom(w)
		r.seenAt = pt
		if grad != nil {
			gradient(grad, pt.H)
		}
		return value(pt), nil
	}
	r.search.Aim(o)
}

// project zeroes the diagonal of W (line 4 of Algorithm 1) and the forbidden entries.
func (r *runner[T]) project(m *matrix.Dense[T]) {
	if r.p.Parameters == nil {
		for i := range r.p.D {
			m.Set(i, i, 0)
		}
	}
	for i, no := range r.p.Forbidden {
		if no {
			m.Data[i] = 0
		}
	}
}
