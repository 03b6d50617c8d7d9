// Package scoretest checks that a score keeps its contract:
//
//	err := scoretest.Check(score.NewLeastSquares[float64](s, 1), 6, 1)
package scoretest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/matrix"
)

// Score is what is checked; it is the same as solve.Score.
type Score[T matrix.Float] interface {
	Eval(grad, w *matrix.Dense[T]) (float64, error)
}

// Check reports every law that s breaks for d×d matrices W near zero: value and gradient are finite; the
// gradient agrees with central differences; the value is the same with and without a gradient and
// on a second call; the gradient is overwritten, not added to; w is neither changed nor kept; where the
// weights are too large for the score it gives +Inf and an error, never NaN.
// The diagonal is projected away in every solver: there is no law about it.
func Check[T matrix.Float](s Score[T], d int, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 0x5c03e))
	w := matrix.New[T](d, d)
	for i := range d {
		for j := range d {
			if i != j {
				w.Set(i, j, T((2*rng.Float64()-1)/float64(d)))
			}
		}
	}
	return check(s, w, func(i, j int) bool { return i != j })
}

// CheckAt reports every law that s breaks at a point of any shape, all entries included: for scores that are functions of
// other parameters than W. The score must be smooth there.
func CheckAt[T matrix.Float](s Score[T], at *matrix.Dense[T]) error {
	return check(s, at.Clone(), func(i, j int) bool { return true })
}

func check[T matrix.Float](s Score[T], w *matrix.Dense[T], moves func(i, j int) bool) error {
	k := &kit[T]{s: s, w: w, moves: moves}
	k.g = matrix.New[T](w.Rows, w.Cols)
	for i := range k.g.Data {
		k.g.Data[i] = 7
	}
	var err error
	before := w.Clone()
	if k.f, err = s.Eval(k.g, w); err != nil || math.IsNaN(k.f) || math.IsInf(k.f, 0) || !k.g.Finite() {
		k.fail("value %g, error %v, gradient finite: %v", k.f, err, k.g.Finite())
	} else {
		k.manners()
		k.keepsNothing()
		k.gradient()
		k.overflow()
	}
	if !slices.Equal(w.Data, before.Data) {
		k.fail("Eval changed W")
	}
	return errors.Join(k.errs...)
}

type kit[T matrix.Float] struct {
	s     Score[T]
	w, g  *matrix.Dense[T]
	f     float64 // at w, with gradient g
	moves func(i, j int) bool
	errs  []error
}

func (k *kit[T]) fail(format string, args ...any) {
	k.errs = append(k.errs, fmt.Errorf("scoretest: "+format, args...))
}

// manners: the same answer twice, with and without a gradient, whatever the gradient held before.
func (k *kit[T]) manners() {
	again, _ := k.s.Eval(nil, k.w)
	g2 := matrix.New[T](k.w.Rows, k.w.Cols)
	third, _ := k.s.Eval(g2, k.w)
	if again != k.f || third != k.f {
		k.fail("three evaluations of one W gave %g, %g, %g", k.f, again, third)
	}
	if !slices.Equal(k.g.Data, g2.Data) {
		k.fail("the gradient depends on its old content or on earlier calls")
	}
}

// keepsNothing changes a W that was evaluated, in place, and compares with a fresh copy of it.
func (k *kit[T]) keepsNothing() {
	v := k.w.Clone()
	k.s.Eval(nil, v)
	for i := range v.Data {
		if k.moves(i/v.Cols, i%v.Cols) {
			v.Data[i] /= 2
		}
	}
	a, _ := k.s.Eval(nil, v)
	b, _ := k.s.Eval(nil, v.Clone())
	if back, _ := k.s.Eval(nil, k.w); a != b || back != k.f {
		k.fail("the score keeps W: changed in place it gives %g, as a copy %g; the first one again %g, before %g", a, b, back, k.f)
	}
}

// gradient compares with central differences of step δ; their error is δ² f‴/6 + (rounding of f)/δ.
func (k *kit[T]) gradient() {
	w := k.w.Clone()
	eps := 0x1p-52
	if T(1)+T(1e-9) == T(1) {
		eps = 0x1p-23
	}
	delta := math.Cbrt(eps)
	scale := math.Abs(k.f)
	for _, v := range k.g.Data {
		scale = max(scale, math.Abs(float64(v)))
	}
	tol := 30 * delta * delta * max(scale, 1)
	for i := range w.Rows {
		for j := range w.Cols {
			if !k.moves(i, j) {
				continue
			}
			at := w.At(i, j)
			w.Set(i, j, at+T(delta))
			up, _ := k.s.Eval(nil, w)
			hi := w.At(i, j)
			w.Set(i, j, at-T(delta))
			down, _ := k.s.Eval(nil, w)
			lo := w.At(i, j)
			w.Set(i, j, at)
			want := (up - down) / float64(hi-lo)
			if !(math.Abs(want-float64(k.g.At(i, j))) <= tol) {
				k.fail("gradient entry (%d, %d) is %g, differences give %g ± %g", i, j, k.g.At(i, j), want, tol)
				return
			}
		}
	}
}

// overflow: a value is finite, or +Inf with an error.
func (k *kit[T]) overflow() {
	huge := math.MaxFloat64
	if T(1)+T(1e-9) == T(1) {
		huge = math.MaxFloat32
	}
	v := matrix.New[T](k.w.Rows, k.w.Cols)
	for i := range v.Data {
		if k.moves(i/v.Cols, i%v.Cols) {
			v.Data[i] = T(huge / 2)
		}
	}
	f, err := k.s.Eval(nil, v)
	if finite := f-f == 0; finite != (err == nil) || !finite && !math.IsInf(f, 1) {
		k.fail("value %g and error %v at weights of %g, want a finite value, or +Inf and an error", f, err, huge/2)
	}
}
