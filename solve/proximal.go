package solve

import (
	"math"

	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/internal/wire"
	"github.com/polydag/polydag/matrix"
)

// Proximal is the proximal gradient method for an objective f + λ Σ|w| with a smooth f: with step t,
//
//	w ← S(w - t∇f, tλ),   S(x, c) = sign(x) max(|x| - c, 0),
//
// the minimum of a parabola that touches f at w, plus λ Σ|w|. What S shrinks to zero is exactly zero. t begins with the step of
// Barzilai and Borwein (1988), (s·s)/(s·y) for the last step s and the change y of ∇f along it, and is halved until the
// objective falls by a ten-thousandth of |step|²/2t; an evaluation outside the domain is a step that is too long. Reference:
// Wright, Nowak and Figueiredo, SpaRSA, IEEE Trans. Signal Process. 57, 2009. It takes λ from the penalty, as OWLQN
// does, and keeps one pair of matrices where OWLQN keeps ten. Cost of a step beside the evaluations: four passes.
type Proximal[T matrix.Float] struct {
	Tol float64 // the descent stands still where no entry of (w - S(w - ∇f, λ)) is above

	o    Objective[T]
	t    float64 // the step to begin with; 0 before the first
	next *matrix.Dense[T]
	grad *matrix.Dense[T]
	dirs []T // ∇f without the kink
}

// NewProximal returns the method. It stands still where a step of length 1 would move no entry by more than tol.
func NewProximal[T matrix.Float](tol float64) *Proximal[T] { return &Proximal[T]{Tol: tol} }

// Aim takes the objective of the next step.
func (p *Proximal[T]) Aim(o Objective[T]) { p.o = o }

// Reset forgets the length of steps.
func (p *Proximal[T]) Reset() { p.t = 0 }

// Step moves w to a point where the objective is lower. It leaves w where there is none in reach, and without an Aim.
// Both matrices must be contiguous.
func (p *Proximal[T]) Step(w, grad *matrix.Dense[T]) {
	if p.o.Eval == nil {
		return
	}
	if p.next == nil || len(p.next.Data) != len(w.Data) {
		p.next, p.grad, p.dirs = matrix.New[T](w.Rows, w.Cols), matrix.New[T](w.Rows, w.Cols), make([]T, len(w.Data))
	}
	kink := T(p.o.Kink)
	largest := 0.0
	for i, v := range w.Data {
		p.dirs[i] = grad.Data[i] - kink*sign(v)
		largest = max(largest, math.Abs(float64(v-shrunk(v-p.dirs[i], kink))))
	}
	if largest > p.Tol {
		p.search(w)
	}
	p.o = Objective[T]{}
}

// search halves the step until the objective falls, and moves w there.
func (p *Proximal[T]) search(w *matrix.Dense[T]) {
	t := p.t
	if t == 0 {
		t = 1 / max(1, math.Sqrt(vec.Dot(p.dirs, p.dirs)))
	}
	kink := T(p.o.Kink)
	for range Halvings {
		moved := 0.0
		for i, v := range w.Data {
			at := shrunk(v-T(t)*p.dirs[i], T(t)*kink)
			p.next.Data[i] = at
			moved += float64(at-v) * float64(at-v)
		}
		f, err := p.o.Eval(p.grad, p.next)
		if err == nil && Lower(f, p.o.Value, -moved/(2*t)) {
			p.length(w, t)
			w.CopyFrom(p.next)
			return
		}
		t /= 2
	}
}

// length sets the step that the next search begins with. Where f does not curve upwards along the last step, that is twice the
// one that worked.
func (p *Proximal[T]) length(w *matrix.Dense[T], t float64) {
	kink := T(p.o.Kink)
	ss, sy := 0.0, 0.0
	for i, v := range p.next.Data {
		s := float64(v - w.Data[i])
		ss += s * s
		sy += s * float64(p.grad.Data[i]-kink*sign(v)-p.dirs[i])
	}
	if p.t = ss / sy; !(p.t > 0) || p.t > 1e10 {
		p.t = min(2*t, 1e10)
	}
}

// shrunk is x moved towards zero by c, and zero where it would cross.
func shrunk[T matrix.Float](x, c T) T {
	switch {
	case x > c:
		return x - c
	case x < -c:
		return x + c
	default:
		return 0
	}
}

// MarshalBinary encodes the length of steps; Tol is a setting and not part of it.
func (p *Proximal[T]) MarshalBinary() ([]byte, error) {
	w := wire.NewWriter("proximal/1")
	w.Float(p.t)
	return w.Seal(), nil
}

// UnmarshalBinary puts back what MarshalBinary encoded.
func (p *Proximal[T]) UnmarshalBinary(b []byte) error {
	r := wire.NewReader("proximal/1", b)
	p.t = r.Float()
	return r.Close()
}
