package optimize

import (
	"math"

	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/internal/wire"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// OWLQN is the orthant-wise limited-memory quasi-Newton method of Andrew and Gao (2007) for an objective that
// is λ Σ|w| plus a smooth term. A step stays in one orthant, where the objective is smooth, and entries that
// would change sign become exactly zero. With λ = 0 it is L-BFGS. λ comes from the penalty: L1, PartialL1 or
// MCP.
//
//	◇ᵢ = gᵢ where wᵢ ≠ 0, and gᵢ shrunk by λ towards zero where wᵢ = 0    (the pseudo-gradient)
//	p  = -H◇, zero where it does not go against ◇                           (H by the two loops of L-BFGS)
//	w ← w + tp, zero where its sign would differ from that of w, or from that of -◇ where w = 0,
//
// with t halved from 1 until the objective falls by 10⁻⁴ of the decrease that ◇ predicts. Cost per step without
// evaluations: two reads of each of the 2·Memory vectors of H.
type OWLQN[T matrix.Float] struct {
	Memory int     // number of pairs (step, change of the gradient) in H
	Tol    float64 // the descent has converged when no |◇ᵢ| is above Tol

	o       solve.Objective[T]
	threads int // number of threads that share the passes
	curvature[T]

	pseudo, dir []T
	next, grad  *matrix.Dense[T]
}

// Halvings is the largest number of times that OWLQN halves a step. 2⁻⁶⁰ of a step is below the rounding error
// of the sum.
const Halvings = 60

// Lower reports whether f is sufficiently below value (Armijo condition), given the predicted change promised.
// The fraction 10⁻⁴ is the usual choice.
func Lower(f, value, promised float64) bool { return f <= value+1e-4*promised && f < value }

// NewOWLQN returns an OWLQN with ten pairs that has converged when no |◇ᵢ| is above tol.
func NewOWLQN[T matrix.Float](tol float64) (q solve.Descent[T]) {
	switch q := any(&q).(type) {
	case *solve.Descent[float32]:
		*q = owlqn32(tol)
	case *solve.Descent[float64]:
		*q = owlqn64(tol)
	}
	return q
}

// Variables, so that only this package compiles the descent and not every method that uses it.
var owlqn32, owlqn64 = newOWLQN[float32], newOWLQN[float64]

func newOWLQN[T matrix.Float](tol float64) solve.Descent[T] { return &OWLQN[T]{Memory: 10, Tol: tol} }

// Aim sets the objective of the next step.
func (q *OWLQN[T]) Aim(o solve.Objective[T]) { q.o = o }

// Reset discards the pairs.
func (q *OWLQN[T]) Reset() { q.forget() }

// Past, Recall and Passed implement solve.Traveler.
func (q *OWLQN[T]) Past(n int) solve.Past[T] {
	if len(q.pairs) > 0 && len(q.pairs[0].s) != n {
		q.forget()
	}
	return solve.Past[T]{Vectors: q.vectors()}
}

func (q *OWLQN[T]) Recall(p solve.Past[T]) {
	q.forget()
	for i := 0; i+1 < len(p.Vectors); i += 2 {
		q.pairs = append(q.pairs, pair[T]{p.Vectors[i], p.Vectors[i+1]})
	}
}

func (q *OWLQN[T]) Passed(int) {}

// Share sets the number of threads for the passes over the parameters.
func (q *OWLQN[T]) Share(threads int) { q.threads = threads }

// Step moves w to a point with a lower objective. It leaves w unchanged if it finds none or if Aim was not
// called. Both matrices must be contiguous.
func (q *OWLQN[T]) Step(w, grad *matrix.Dense[T]) {
	if q.o.Eval == nil {
		return
	}
	n := w.Rows * w.Cols
	if len(q.pairs) > 0 && len(q.pairs[0].s) != n {
		q.forget()
	}
	if len(q.dir) != n {
		q.pseudo, q.dir = make([]T, n), make([]T, n)
		q.next, q.grad = matrix.New[T](w.Rows, w.Cols), matrix.New[T](w.Rows, w.Cols)
	}
	if !gemm.Shared(q.threads, n) {
		q.threads = 1
	}
	largest := q.survey(q.threads, q.pseudo, func(lo, hi int) (largest float64) {
		for i := lo; i < hi; i++ {
			q.pseudo[i] = pseudoGradient(w.Data[i], grad.Data[i], q.kink(i))
			largest = max(largest, math.Abs(float64(q.pseudo[i])))
		}
		return largest
	})
	if largest > q.Tol && !q.line(w, grad) && len(q.pairs) > 0 {
		q.dots[0][0] = q.dots[2*len(q.pairs)][2*len(q.pairs)]
		q.forget() // H may come from another objective; the negative gradient is always a descent direction
		q.line(w, grad)
	}
	q.o = solve.Objective[T]{}
}

// kink returns λ of entry i.
func (q *OWLQN[T]) kink(i int) T {
	if q.o.Kinked != nil && !q.o.Kinked[i] {
		return 0
	}
	return T(q.o.Kink)
}

// pseudoGradient returns the one-sided derivative on the side where the objective decreases, or zero if it
// decreases on neither.
func pseudoGradient[T matrix.Float](w, g, kink T) T {
	switch {
	case w != 0:
		return g
	case g > kink:
		return g - kink
	case g < -kink:
		return g + kink
	default:
		return 0
	}
}

// line searches along the quasi-Newton direction and moves w. It reports whether it found a better point.
func (q *OWLQN[T]) line(w, grad *matrix.Dense[T]) bool {
	n := 2 * len(q.pairs)
	vectors, parts := append(q.vectors(), q.pseudo), TwoLoops(q.dots[:n+1])
	length := 1.0
	if n == 0 {
		length = 1 / math.Sqrt(q.dots[0][0])
	}
	for attempt := range Halvings {
		promised := gemm.Sum(q.threads, len(q.dir), func(lo, hi int) float64 {
			if attempt == 0 {
				q.direct(vectors, parts, lo, hi)
			}
			return q.try(w.Data, length, lo, hi)
		})
		f, err := q.o.Eval(q.grad, q.next)
		if err == nil && Lower(f, q.o.Value, promised) {
			q.remember(w, grad)
			w.CopyFrom(q.next)
			return true
		}
		length /= 2
	}
	return false
}

// direct sets dir to -H◇, the weighted sum of vectors, and zeroes entries that do not oppose ◇.
func (q *OWLQN[T]) direct(vectors [][]T, parts []float64, lo, hi int) {
	dir := q.dir[lo:hi]
	last := len(vectors) - 1
	vec.Scale(dir, T(parts[last]), vectors[last][lo:hi])
	for k, v := range vectors[:last] {
		vec.Axpy(dir, T(parts[k]), v[lo:hi])
	}
	if q.o.Kink == 0 {
		return
	}
	for i := lo; i < hi; i++ {
		if q.dir[i]*q.pseudo[i] >= 0 && q.kink(i) > 0 {
			q.dir[i] = 0
		}
	}
}

// try sets next to w plus length·dir, projected onto the orthant, and returns the change that ◇ predicts.
func (q *OWLQN[T]) try(w []T, length float64, lo, hi int) (promised float64) {
	for i := lo; i < hi; i++ {
		v := w[i]
		at := v + T(length)*q.dir[i]
		if q.kink(i) > 0 && at*orthant(v, q.pseudo[i]) <= 0 {
			at = 0
		}
		q.next.Data[i] = at
		promised += float64(q.pseudo[i]) * float64(at-v)
	}
	return promised
}

// orthant returns the sign that an entry keeps during a step.
func orthant[T matrix.Float](w, pseudo T) T {
	if w != 0 {
		return sign(w)
	}
	return -sign(pseudo)
}

func sign[T matrix.Float](v T) T {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	default:
		return 0
	}
}

// remember adds the step from w to next to the pairs of H.
func (q *OWLQN[T]) remember(w, grad *matrix.Dense[T]) {
	if q.Memory < 1 {
		return
	}
	p := q.room(len(q.dir))
	yy := make([]float64, (len(q.dir)+gemm.Stretch-1)/gemm.Stretch)
	sy := gemm.Sum(q.threads, len(q.dir), func(lo, hi int) float64 {
		for i := lo; i < hi; i++ {
			v, kink := q.next.Data[i], q.kink(i)
			p.s[i] = v - w.Data[i]
			p.y[i] = (q.grad.Data[i] - kink*sign(v)) - (grad.Data[i] - kink*sign(w.Data[i]))
		}
		yy[lo/gemm.Stretch] = vec.Dot(p.y[lo:hi], p.y[lo:hi])
		return vec.Dot(p.s[lo:hi], p.y[lo:hi])
	})
	sum := 0.0
	for _, v := range yy {
		sum += v
	}
	q.take(q.Memory, sy, sum)
}

// MarshalBinary encodes the pairs. Memory and Tol are settings and are not encoded.
func (q *OWLQN[T]) MarshalBinary() ([]byte, error) {
	w := wire.NewWriter("owlqn/2")
	w.Int(len(q.pairs))
	for _, p := range q.pairs {
		w.Int(len(p.s))
		wire.Floats(w, p.s)
		wire.Floats(w, p.y)
	}
	return w.Seal(), nil
}

// UnmarshalBinary restores the state that MarshalBinary encoded.
func (q *OWLQN[T]) UnmarshalBinary(b []byte) error {
	r := wire.NewReader("owlqn/2", b)
	q.forget()
	for range r.Between(0, q.Memory) {
		n := r.Between(0, len(b))
		p := pair[T]{s: make([]T, n), y: make([]T, n)}
		wire.ReadFloats(r, p.s)
		wire.ReadFloats(r, p.y)
		q.pairs = append(q.pairs, p)
	}
	return r.Close()
}
