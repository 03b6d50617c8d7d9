package solve

import (
	"math"
	"slices"

	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/internal/wire"
	"github.com/polydag/polydag/matrix"
)

// OWLQN is the orthant-wise limited-memory quasi-Newton method of Andrew and Gao (2007) for an objective that is
// λ Σ|w| plus something smooth. A step stays in one orthant, where the objective is smooth, and what would cross zero
// becomes exactly zero. With λ = 0 it is L-BFGS. It takes λ from the penalty, L1, PartialL1 or MCP.
//
//	◇ᵢ = gᵢ where wᵢ ≠ 0, and gᵢ shrunk by λ towards zero where wᵢ = 0    (the pseudo-gradient)
//	p  = -H◇, zero where it does not go against ◇                           (H by the two loops of L-BFGS)
//	w ← w + tp, zero where its sign would differ from that of w, or from that of -◇ where w = 0,
//
// with t halved from 1 until the objective falls by 10⁻⁴ of what ◇ promises. Cost of a step beside the evaluations:
// 4·Memory passes over the parameters.
type OWLQN[T matrix.Float] struct {
	Memory int     // pairs of steps and changes of the gradient that H is made of
	Tol    float64 // the descent stands still where no |◇ᵢ| is above

	o     Objective[T]
	pairs []pair[T] // the oldest first
	spare pair[T]   // room for the next one

	pseudo, dir []T
	next, grad  *matrix.Dense[T]
}

// pair is a step s and the change y of the smooth part's gradient along it, with 1/(s·y).
type pair[T matrix.Float] struct {
	s, y    []T
	inverse float64
}

// The constants of the line search: how much of the promised decrease is enough, which is the usual choice, and how
// often a step is halved before it is given up. 2⁻⁶⁰ of a step is below the rounding of what it is added to.
const (
	decrease = 1e-4
	shortest = 60
)

// NewOWLQN returns OWLQN with ten pairs. The descent stands still where no entry of ◇ is above tol.
func NewOWLQN[T matrix.Float](tol float64) *OWLQN[T] { return &OWLQN[T]{Memory: 10, Tol: tol} }

// Aim takes the objective of the next step.
func (q *OWLQN[T]) Aim(o Objective[T]) { q.o = o }

// Reset forgets the pairs.
func (q *OWLQN[T]) Reset() { q.pairs = nil }

// Step moves w to a point where the objective is lower. It leaves w where there is none in reach, and without an Aim.
// Both matrices must be contiguous.
func (q *OWLQN[T]) Step(w, grad *matrix.Dense[T]) {
	if q.o.Eval == nil {
		return
	}
	n := w.Rows * w.Cols
	if len(q.pairs) > 0 && len(q.pairs[0].s) != n {
		q.pairs = nil
	}
	if len(q.dir) != n {
		q.pseudo, q.dir = make([]T, n), make([]T, n)
		q.next, q.grad = matrix.New[T](w.Rows, w.Cols), matrix.New[T](w.Rows, w.Cols)
	}
	largest := 0.0
	for i, g := range grad.Data {
		q.pseudo[i] = pseudoGradient(w.Data[i], g, q.kink(i))
		largest = max(largest, math.Abs(float64(q.pseudo[i])))
	}
	if largest > q.Tol && !q.line(w, grad) && len(q.pairs) > 0 {
		q.pairs = nil // H may be of another objective: the gradient itself always goes down
		q.line(w, grad)
	}
	q.o = Objective[T]{}
}

// kink returns λ of an entry.
func (q *OWLQN[T]) kink(i int) T {
	if q.o.Kinked != nil && !q.o.Kinked[i] {
		return 0
	}
	return T(q.o.Kink)
}

// pseudoGradient is the derivative of the objective from that side on which it falls, zero where it falls on none.
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

// line searches along the quasi-Newton direction and moves w; it reports whether there was a better point.
func (q *OWLQN[T]) line(w, grad *matrix.Dense[T]) bool {
	q.direction()
	length := 1.0
	if len(q.pairs) == 0 {
		length = 1 / math.Sqrt(vec.Dot(q.pseudo, q.pseudo))
	}
	for range shortest {
		promised := 0.0
		for i, v := range w.Data {
			at := v + T(length)*q.dir[i]
			if q.kink(i) > 0 && at*orthant(v, q.pseudo[i]) <= 0 {
				at = 0
			}
			q.next.Data[i] = at
			promised += float64(q.pseudo[i]) * float64(at-v)
		}
		f, err := q.o.Eval(q.grad, q.next)
		if err == nil && f <= q.o.Value+decrease*promised && f < q.o.Value {
			q.remember(w, grad)
			w.CopyFrom(q.next)
			return true
		}
		length /= 2
	}
	return false
}

// orthant is the sign that an entry keeps during a step.
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

// direction sets dir to -H◇, by the two loops of Nocedal (1980), with what does not go against ◇ left out.
func (q *OWLQN[T]) direction() {
	vec.Scale(q.dir, -1, q.pseudo)
	along := make([]float64, len(q.pairs))
	for k, p := range slices.Backward(q.pairs) {
		along[k] = p.inverse * vec.Dot(p.s, q.dir)
		vec.Axpy(q.dir, T(-along[k]), p.y)
	}
	if n := len(q.pairs); n > 0 {
		p := q.pairs[n-1]
		vec.Scale(q.dir, T(1/(p.inverse*vec.Dot(p.y, p.y))), q.dir)
	}
	for k, p := range q.pairs {
		vec.Axpy(q.dir, T(along[k]-p.inverse*vec.Dot(p.y, q.dir)), p.s)
	}
	if q.o.Kink == 0 {
		return
	}
	for i, d := range q.dir {
		if d*q.pseudo[i] >= 0 && q.kink(i) > 0 {
			q.dir[i] = 0
		}
	}
}

// remember adds the step from w to next to the pairs, unless the smooth part does not curve upwards along it.
func (q *OWLQN[T]) remember(w, grad *matrix.Dense[T]) {
	if q.Memory < 1 {
		return
	}
	p := q.spare
	if len(p.s) != len(q.dir) {
		p = pair[T]{s: make([]T, len(q.dir)), y: make([]T, len(q.dir))}
	}
	for i, v := range q.next.Data {
		kink := q.kink(i)
		p.s[i] = v - w.Data[i]
		p.y[i] = (q.grad.Data[i] - kink*sign(v)) - (grad.Data[i] - kink*sign(w.Data[i]))
	}
	sy, yy := vec.Dot(p.s, p.y), vec.Dot(p.y, p.y)
	if q.spare = p; !(sy > 1e-10*yy) || math.IsInf(1/sy, 0) {
		return
	}
	p.inverse = 1 / sy
	if q.spare = (pair[T]{}); len(q.pairs) == q.Memory {
		q.spare = q.pairs[0]
		q.pairs = slices.Delete(q.pairs, 0, 1)
	}
	q.pairs = append(q.pairs, p)
}

// MarshalBinary encodes the pairs; Memory and Tol are settings and are not part of it.
func (q *OWLQN[T]) MarshalBinary() ([]byte, error) {
	w := wire.NewWriter("owlqn/1")
	w.Int(len(q.pairs))
	for _, p := range q.pairs {
		w.Int(len(p.s))
		wire.Floats(w, p.s)
		wire.Floats(w, p.y)
		w.Float(p.inverse)
	}
	return w.Seal(), nil
}

// UnmarshalBinary puts back what MarshalBinary encoded.
func (q *OWLQN[T]) UnmarshalBinary(b []byte) error {
	r := wire.NewReader("owlqn/1", b)
	q.pairs = nil
	for range r.Between(0, q.Memory) {
		n := r.Between(0, len(b))
		p := pair[T]{s: make([]T, n), y: make([]T, n)}
		wire.ReadFloats(r, p.s)
		wire.ReadFloats(r, p.y)
		p.inverse = r.Float()
		q.pairs = append(q.pairs, p)
	}
	return r.Close()
}
