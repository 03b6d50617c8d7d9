package kit

import (
	"math"
	"slices"

	"github.com/polydag/polydag/matrix"
)

// evaluator is a differentiable function of a matrix, such as solve.Score and solve.Constraint.
type evaluator[T matrix.Float] interface {
	Eval(grad, w *matrix.Dense[T]) (float64, error)
}

// function runs the checks that scores and constraints share. moves marks the entries of the matrix that are checked.
type function[T matrix.Float] struct {
	List
	f     evaluator[T]
	moves func(i, j int) bool
}

// eval calls the function at a point where it must succeed.
func (k *function[T]) eval(law string, grad, w *matrix.Dense[T]) float64 {
	v, err := k.f.Eval(grad, w)
	switch {
	case err != nil:
		k.Broken(law, "Eval failed: %v", err)
	case math.IsNaN(v) || math.IsInf(v, 0):
		k.Broken(law, "the value is %g", v)
	case grad != nil && !grad.Finite():
		k.Broken(law, "NaN or infinite gradient")
	}
	return v
}

// gradient compares the gradient at w with central differences of step δ. Their error is δ² f‴/6 plus the rounding of f,
// at least noise, divided by δ.
func (k *function[T]) gradient(w *matrix.Dense[T], noise float64) {
	w = w.Clone()
	g := matrix.New[T](w.Rows, w.Cols)
	f := k.eval("gradient", g, w)
	delta := math.Cbrt(unit[T]())
	scale := math.Abs(f)
	for _, v := range g.Data {
		scale = max(scale, math.Abs(float64(v)))
	}
	tol := 30*delta*delta*max(scale, 1) + noise/delta
	for i := range w.Rows {
		for j := range w.Cols {
			if !k.moves(i, j) {
				continue
			}
			at := w.At(i, j)
			w.Set(i, j, at+T(delta))
			up, hi := k.eval("gradient", nil, w), w.At(i, j)
			w.Set(i, j, at-T(delta))
			down, lo := k.eval("gradient", nil, w), w.At(i, j)
			w.Set(i, j, at)
			want := (up - down) / float64(hi-lo)
			if !(math.Abs(want-float64(g.At(i, j))) <= tol) {
				k.Broken("gradient", "entry (%d, %d) is %g, differences give %g ± %g", i, j, g.At(i, j), want, tol)
				return
			}
		}
	}
}

// repeats evaluates w three times and compares values and gradients: with a used gradient, without one, and at twin, which has the
// same entries as w and possibly another stride. between is called before the last.
func (k *function[T]) repeats(w, twin *matrix.Dense[T], between func()) {
	first, last := matrix.New[T](w.Rows, w.Cols), matrix.New[T](w.Rows, w.Cols)
	for i := range first.Data {
		first.Data[i] = 7
	}
	a := k.eval("repeats", first, w)
	b := k.eval("repeats", nil, w)
	between()
	c := k.eval("repeats", last, twin)
	if a != b || a != c {
		k.Broken("repeats", "three evaluations of one W gave %g, %g, %g", a, b, c)
	}
	if !slices.Equal(first.Data, last.Data) {
		k.Broken("overwrites", "the gradient depends on its old content, on earlier calls or on the stride of W")
	}
}

// keepsNothing changes an evaluated matrix in place and compares with a fresh copy of it.
func (k *function[T]) keepsNothing(w *matrix.Dense[T]) {
	v := w.Clone()
	k.eval("keeps nothing", nil, v)
	for i := range v.Data {
		if k.moves(i/v.Cols, i%v.Cols) {
			v.Data[i] /= 2
		}
	}
	if a, b := k.eval("keeps nothing", nil, v), k.eval("keeps nothing", nil, v.Clone()); a != b {
		k.Broken("keeps nothing", "a W that was changed in place gives %g, a copy of it %g", a, b)
	}
}

// unit is the machine epsilon.
func unit[T matrix.Float]() float64 {
	if T(1)+T(1e-9) == T(1) {
		return 0x1p-23
	}
	return 0x1p-52
}

// largest is the largest finite number.
func largest[T matrix.Float]() float64 {
	if T(1)+T(1e-9) == T(1) {
		return math.MaxFloat32
	}
	return math.MaxFloat64
}
