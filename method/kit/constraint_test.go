package kit_test

import (
	"errors"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/kit"
)

// walks is Σ_{k=1}^{d} tr(Aᵏ) with A = W∘W, by its definition; some of its terms can be left out.
func walks[T matrix.Float](grad, w *matrix.Dense[T], term func(k int) bool) (float64, error) {
	d := w.Rows
	a := matrix.New[T](d, d)
	for i := range d {
		for j, v := range w.Row(i) {
			a.Set(i, j, v*v)
		}
	}
	power := matrix.New[T](d, d) // Aᵏ⁻¹
	for i := range d {
		power.Set(i, i, 1)
	}
	sum := matrix.New[T](d, d) // Σ k Aᵏ⁻¹
	h := 0.0
	for k := 1; k <= d; k++ {
		next := matrix.New[T](d, d)
		matrix.Mul(next, power, a, 1)
		if term(k) {
			h += next.Trace()
			for i, v := range power.Data {
				sum.Data[i] += T(k) * v
			}
		}
		power = next
	}
	if h-h != 0 {
		return math.Inf(1), errors.New("too large")
	}
	if grad != nil {
		for i := range d {
			for j := range d {
				grad.Set(i, j, 2*w.At(i, j)*sum.At(j, i))
			}
		}
	}
	return h, nil
}

func goodConstraint[T matrix.Float](grad, w *matrix.Dense[T]) (float64, error) {
	return walks(grad, w, func(int) bool { return true })
}

// function makes a Constraint or a Score of a function.
type function[T matrix.Float] func(grad, w *matrix.Dense[T]) (float64, error)

func (f function[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) { return f(grad, w) }

// A control breaks one law; says is a part of what the kit must report.
type control[T matrix.Float] struct {
	says string
	f    function[T]
}

// withCommon adds to the controls those that break a law of constraints and scores alike.
func withCommon[T matrix.Float](good function[T], controls map[string]control[T]) map[string]control[T] {
	calls, value := 0, 0.0
	var kept *matrix.Dense[T]
	maps.Copy(controls, map[string]control[T]{
		"gradient transposed": {"gradient: entry", func(grad, w *matrix.Dense[T]) (float64, error) {
			h, err := good(grad, w)
			if grad != nil {
				matrix.Transpose(grad, grad.Clone())
			}
			return h, err
		}},
		"adds to the gradient": {"overwrites: ", func(grad, w *matrix.Dense[T]) (float64, error) {
			if grad == nil {
				return good(nil, w)
			}
			g := matrix.New[T](w.Rows, w.Cols)
			h, err := good(g, w)
			for i, v := range g.Data {
				grad.Data[i] += v
			}
			return h, err
		}},
		"another value without a gradient": {"repeats: three", func(grad, w *matrix.Dense[T]) (float64, error) {
			h, err := good(grad, w)
			if grad == nil {
				h *= 1 + 4*unit[T]()
			}
			return h, err
		}},
		"another value on each call": {"repeats: three", func(grad, w *matrix.Dense[T]) (float64, error) {
			h, err := good(grad, w)
			calls++
			return h * (1 + float64(calls%7)*2*unit[T]()), err
		}},
		"keeps W": {"keeps nothing: ", func(grad, w *matrix.Dense[T]) (float64, error) {
			if grad == nil && w == kept {
				return value, nil
			}
			h, err := good(grad, w)
			kept, value = w, h
			return h, err
		}},
	})
	return controls
}

func constraintControls[T matrix.Float](d int) map[string]control[T] {
	var work *matrix.Dense[T]
	return withCommon(goodConstraint, map[string]control[T]{
		"positive on a DAG": {"zero on DAGs: h", func(grad, w *matrix.Dense[T]) (float64, error) {
			h, err := goodConstraint(grad, w)
			return h + 1e-3, err
		}},
		"fails on a DAG": {"zero on DAGs: Eval failed", func(grad, w *matrix.Dense[T]) (float64, error) {
			if h, _ := goodConstraint(nil, w); h == 0 && grad == nil {
				return math.Inf(1), errors.New("no")
			}
			return goodConstraint(grad, w)
		}},
		"NaN on a DAG": {"zero on DAGs: the value is NaN", func(grad, w *matrix.Dense[T]) (float64, error) {
			h, err := goodConstraint(grad, w)
			if h == 0 {
				h = math.NaN()
			}
			return h, err
		}},
		"blind to self-loops": {"cycle of 1 nodes", func(grad, w *matrix.Dense[T]) (float64, error) {
			v := w.Clone()
			for i := range w.Rows {
				v.Set(i, i, 0)
			}
			return goodConstraint(grad, v)
		}},
		"blind to 2-cycles": {"cycle of 2 nodes", func(grad, w *matrix.Dense[T]) (float64, error) {
			return walks(grad, w, func(k int) bool { return k%2 == 1 })
		}},
		"blind to the longest cycle": {"cycle of 4 nodes", func(grad, w *matrix.Dense[T]) (float64, error) {
			return walks(grad, w, func(k int) bool { return k != d })
		}},
		"negative": {"positive on cycles", func(grad, w *matrix.Dense[T]) (float64, error) {
			h, err := goodConstraint(grad, w)
			if grad != nil {
				for i := range grad.Data {
					grad.Data[i] *= -1
				}
			}
			return -h, err
		}},
		"gradient without its factor": {"gradient: entry", func(grad, w *matrix.Dense[T]) (float64, error) {
			h, err := goodConstraint(grad, w)
			if grad != nil {
				for i := range grad.Data {
					grad.Data[i] /= 2
				}
			}
			return h, err
		}},
		"gradient not finite": {"gradient: NaN or infinite", func(grad, w *matrix.Dense[T]) (float64, error) {
			h, err := goodConstraint(grad, w)
			if grad != nil {
				grad.Set(0, 1, T(math.NaN()))
			}
			return h, err
		}},
		"sees signs": {"symmetries: h = ", func(grad, w *matrix.Dense[T]) (float64, error) {
			h, err := goodConstraint(grad, w)
			for i := range d {
				p := w.At(i, i) * w.At(i, i) * w.At(i, i)
				h += float64(p) / 2
				if grad != nil {
					grad.Set(i, i, grad.At(i, i)+3*w.At(i, i)*w.At(i, i)/2)
				}
			}
			return h, err
		}},
		"sees labels": {"symmetries: h = ", func(grad, w *matrix.Dense[T]) (float64, error) {
			h, err := goodConstraint(grad, w)
			v := w.At(0, 0)
			if grad != nil {
				grad.Set(0, 0, grad.At(0, 0)+2*v)
			}
			return h + float64(v*v), err
		}},
		"gradient sees labels": {"symmetries: the gradient", func(grad, w *matrix.Dense[T]) (float64, error) {
			h, err := goodConstraint(grad, w)
			if grad != nil { // within the differences' error, and above rounding
				grad.Set(0, 1, grad.At(0, 1)+T(300*8*unit[T]())*max(1, T(h)))
				grad.Set(1, 2, grad.At(1, 2)-T(300*8*unit[T]())*max(1, T(h)))
			}
			return h, err
		}},
		"ignores the stride": {"repeats: ", func(grad, w *matrix.Dense[T]) (float64, error) {
			return goodConstraint(grad, matrix.Of(w.Rows, w.Cols, w.Data[:w.Rows*w.Cols]))
		}},
		"changes W": {"untouched: ", func(grad, w *matrix.Dense[T]) (float64, error) {
			h, err := goodConstraint(grad, w)
			if w.Stride > w.Cols {
				w.Set(1, 1, 3)
			}
			return h, err
		}},
		"writes beside W": {"untouched: ", func(grad, w *matrix.Dense[T]) (float64, error) {
			h, err := goodConstraint(grad, w)
			if w.Stride > w.Cols {
				w.Data[w.Cols] = 0
			}
			return h, err
		}},
		"one size for all": {"sizes: ", func(grad, w *matrix.Dense[T]) (float64, error) {
			if work == nil {
				work = w.Clone()
			}
			if work.Rows != w.Rows {
				return math.Inf(1), errors.New("another size")
			}
			return goodConstraint(grad, w)
		}},
		"NaN where it overflows": {"overflow: h = NaN", func(grad, w *matrix.Dense[T]) (float64, error) {
			h, err := goodConstraint(grad, w)
			if err != nil {
				h = math.NaN()
			}
			return h, err
		}},
		"no error where it overflows": {"overflow: h = +Inf, error <nil>", func(grad, w *matrix.Dense[T]) (float64, error) {
			h, _ := goodConstraint(grad, w)
			return h, nil
		}},
	})
}

// The kit passes what is right and catches each control, by the law that it breaks and in both precisions.
func TestConstraintCatches(t *testing.T) {
	t.Run("float64", testConstraintCatches[float64])
	t.Run("float32", testConstraintCatches[float32])
}

func testConstraintCatches[T matrix.Float](t *testing.T) {
	const d = 4
	for seed := range uint64(5) {
		if err := kit.Constraint(function[T](goodConstraint[T]), d, seed); err != nil {
			t.Errorf("a good constraint, seed %d: %v", seed, err)
		}
	}
	for name, c := range constraintControls[T](d) {
		if err := kit.Constraint(c.f, d, 1); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: the kit says %v, want %q", name, err, c.says)
		}
	}
}

// The options widen the laws that they name, and no others.
func TestConstraintSettings(t *testing.T) {
	bounded := func(bad float64) function[float64] { // log(1 + h), with bad in its gradient where h overflows
		return func(grad, w *matrix.Dense[float64]) (float64, error) {
			h, err := goodConstraint(grad, w)
			if err != nil {
				h, err = 1e300, nil
			}
			if grad != nil {
				for i := range grad.Data {
					if grad.Data[i] /= 1 + h; h == 1e300 {
						grad.Data[i] = bad
					}
				}
			}
			return math.Log1p(h), err
		}
	}
	short := function[float64](func(grad, w *matrix.Dense[float64]) (float64, error) {
		return walks(grad, w, func(k int) bool { return k < 4 })
	})
	rough := function[float64](func(grad, w *matrix.Dense[float64]) (float64, error) {
		h, err := goodConstraint(grad, w)
		return h + 1e-9, err
	})
	small := function[float64](func(grad, w *matrix.Dense[float64]) (float64, error) {
		h, err := goodConstraint(grad, w)
		if h > 0.5 {
			return math.Inf(1), errors.New("outside the domain")
		}
		return h, err
	})
	for name, c := range map[string]struct {
		c function[float64]
		o kit.ConstraintSettings
	}{
		"Large": {bounded(0), kit.ConstraintSettings{Large: true}}, "LongestCycle": {short, kit.ConstraintSettings{LongestCycle: 3}},
		"ZeroTol": {rough, kit.ConstraintSettings{ZeroTol: 1e-8}}, "MaxWeight": {small, kit.ConstraintSettings{MaxWeight: 0.5}},
	} {
		c.o.D, c.o.Seed = 4, 1
		if err := kit.ConstraintWith(c.c, c.o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if kit.ConstraintWith(c.c, kit.ConstraintSettings{D: 4, Seed: 1}) == nil {
			t.Errorf("a constraint that needs %s passed without it", name)
		}
	}
	if kit.ConstraintWith(bounded(math.NaN()), kit.ConstraintSettings{D: 4, Seed: 1, Large: true}) == nil {
		t.Error("a constraint whose gradient is NaN at large weights passed with Large")
	}
	if kit.ConstraintWith(function[float64](goodConstraint[float64]), kit.ConstraintSettings{D: 2}) == nil {
		t.Error("D = 2 was accepted")
	}
}

// unit is the distance from 1 to the next number.
func unit[T matrix.Float]() float64 {
	if T(1)+T(1e-9) == T(1) {
		return 0x1p-23
	}
	return 0x1p-52
}

func TestLoopless(t *testing.T) {
	zeroDiagonal := function[float64](func(grad, w *matrix.Dense[float64]) (float64, error) {
		h, err := goodConstraint(grad, w)
		for i := range w.Rows {
			if grad != nil {
				grad.Set(i, i, 0)
			}
		}
		return h, err
	})
	if err := kit.ConstraintWith(zeroDiagonal, kit.ConstraintSettings{D: 4, Seed: 1, Loopless: true}); err != nil {
		t.Error(err)
	}
	if kit.ConstraintWith(zeroDiagonal, kit.ConstraintSettings{D: 4, Seed: 1}) == nil {
		t.Error("a gradient without its diagonal was taken")
	}
}
