// Package scoretest checks that a score keeps its contract:
//
//	err := scoretest.Check(score.NewLeastSquares[float64](s, 1), 6, 1)
package scoretest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/matrix"
)

// Score is what is checked; it is the same as solve.Score.
type Score[T matrix.Float] interface {
	Eval(grad, w *matrix.Dense[T]) (float64, error)
}

// Check reports every law that s breaks for d×d matrices W near zero: value and gradient are finite; the
// gradient agrees with central differences; the value is the same with and without a gradient and
// on a second call; the gradient is overwritten, not added to; w is untouched.
func Check[T matrix.Float](s Score[T], d int, seed uint64) error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf("scoretest: "+format, args...)) }
	rng := rand.New(rand.NewPCG(seed, 0x5c03e))
	w, g := matrix.New[T](d, d), matrix.New[T](d, d)
	for i := range d {
		for j := range d {
			if i != j {
				w.Set(i, j, T((2*rng.Float64()-1)/float64(d)))
			}
			g.Set(i, j, 7)
		}
	}
	before := w.Clone()
	f, err := s.Eval(g, w)
	if err != nil || math.IsNaN(f) || !g.Finite() {
		fail("value %g, error %v, gradient finite: %v", f, err, g.Finite())
		return errors.Join(errs...)
	}
	again, _ := s.Eval(nil, w)
	g2 := matrix.New[T](d, d)
	third, _ := s.Eval(g2, w)
	if again != f || third != f {
		fail("three evaluations of one W gave %g, %g, %g", f, again, third)
	}
	for i := range g.Data {
		if g.Data[i] != g2.Data[i] {
			fail("the gradient depends on its old content")
			break
		}
	}
	for i := range w.Data {
		if w.Data[i] != before.Data[i] {
			fail("Eval changed W")
			break
		}
	}
	eps := 0x1p-52
	if T(1)+T(1e-9) == T(1) {
		eps = 0x1p-23
	}
	delta := math.Cbrt(eps)
	scale := math.Abs(f)
	for _, v := range g.Data {
		scale = max(scale, math.Abs(float64(v)))
	}
	for i := range d {
		for j := range d {
			if i == j {
				continue // the diagonal is projected away: no law about it
			}
			at := w.At(i, j)
			w.Set(i, j, at+T(delta))
			up, _ := s.Eval(nil, w)
			hi := w.At(i, j)
			w.Set(i, j, at-T(delta))
			down, _ := s.Eval(nil, w)
			lo := w.At(i, j)
			w.Set(i, j, at)
			want := (up - down) / float64(hi-lo)
			if tol := 30 * delta * delta * max(scale, 1); math.Abs(want-float64(g.At(i, j))) > tol {
				fail("gradient entry (%d, %d) is %g, differences give %g ± %g", i, j, g.At(i, j), want, tol)
				return errors.Join(errs...)
			}
		}
	}
	return errors.Join(errs...)
}
