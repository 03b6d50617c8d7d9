package scoretest

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag/matrix"
)

// good is Σ (w - 1)² / 2: it keeps every law.
func good[T matrix.Float](grad, w *matrix.Dense[T]) (float64, error) {
	f := 0.0
	for i := range w.Rows {
		for j, v := range w.Row(i) {
			f += float64((v-1)*(v-1)) / 2 // the square overflows in T
			if grad != nil {
				grad.Set(i, j, v-1)
			}
		}
	}
	if f-f != 0 {
		return math.Inf(1), errors.New("too large")
	}
	return f, nil
}

// score makes a Score of a function.
type score[T matrix.Float] func(grad, w *matrix.Dense[T]) (float64, error)

func (s score[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) { return s(grad, w) }

// controls break one law each; says is a part of what the kit must report.
func controls[T matrix.Float]() map[string]struct {
	says string
	s    score[T]
} {
	type control = struct {
		says string
		s    score[T]
	}
	calls := 0
	var kept *matrix.Dense[T]
	var value float64
	return map[string]control{
		"fails": {"error no", func(grad, w *matrix.Dense[T]) (float64, error) { return 0, errors.New("no") }},
		"NaN": {"value NaN", func(grad, w *matrix.Dense[T]) (float64, error) {
			good(grad, w)
			return math.NaN(), nil
		}},
		"infinite": {"value -Inf", func(grad, w *matrix.Dense[T]) (float64, error) {
			good(grad, w)
			return math.Inf(-1), nil
		}},
		"gradient not finite": {"gradient finite: false", func(grad, w *matrix.Dense[T]) (float64, error) {
			f, err := good(grad, w)
			if grad != nil {
				grad.Set(0, 1, T(math.Inf(1)))
			}
			return f, err
		}},
		"gradient of one entry wrong": {"gradient entry (1, 2)", func(grad, w *matrix.Dense[T]) (float64, error) {
			f, err := good(grad, w)
			if grad != nil {
				grad.Set(1, 2, grad.At(1, 2)*T(1.1))
			}
			return f, err
		}},
		"gradient transposed": {"gradient entry", func(grad, w *matrix.Dense[T]) (float64, error) {
			f, err := good(grad, w)
			if grad != nil {
				a, b := grad.At(0, 2), grad.At(2, 0)
				grad.Set(0, 2, b)
				grad.Set(2, 0, a)
			}
			return f, err
		}},
		"adds to the gradient": {"old content", func(grad, w *matrix.Dense[T]) (float64, error) {
			if grad == nil {
				return good(nil, w)
			}
			g := matrix.New[T](w.Rows, w.Cols)
			f, err := good(g, w)
			for i, v := range g.Data {
				grad.Data[i] += v
			}
			return f, err
		}},
		"another value without a gradient": {"three evaluations", func(grad, w *matrix.Dense[T]) (float64, error) {
			f, err := good(grad, w)
			if grad == nil {
				f += 1
			}
			return f, err
		}},
		"another value on each call": {"three evaluations", func(grad, w *matrix.Dense[T]) (float64, error) {
			f, err := good(grad, w)
			calls++
			return f + float64(calls), err
		}},
		"changes W": {"changed W", func(grad, w *matrix.Dense[T]) (float64, error) {
			f, err := good(grad, w)
			if grad == nil {
				w.Set(0, 0, 3) // the diagonal: no other law notices
			}
			return f, err
		}},
		"keeps W": {"keeps W", func(grad, w *matrix.Dense[T]) (float64, error) {
			if grad == nil && w == kept {
				return value, nil
			}
			f, err := good(grad, w)
			kept, value = w, f
			return f, err
		}},
		"NaN where it overflows": {"want a finite value", func(grad, w *matrix.Dense[T]) (float64, error) {
			f, err := good(grad, w)
			if err != nil {
				f = math.NaN()
			}
			return f, err
		}},
		"no error where it overflows": {"want a finite value", func(grad, w *matrix.Dense[T]) (float64, error) {
			f, _ := good(grad, w)
			return f, nil
		}},
		"finite with an error": {"want a finite value", func(grad, w *matrix.Dense[T]) (float64, error) {
			f, err := good(grad, w)
			if err != nil {
				f = 0
			}
			return f, err
		}},
	}
}

// The kit passes what is right and catches each control, by the law that it breaks and in both precisions.
func TestControls(t *testing.T) {
	t.Run("float64", testControls[float64])
	t.Run("float32", testControls[float32])
}

func testControls[T matrix.Float](t *testing.T) {
	if err := Check(score[T](good[T]), 4, 1); err != nil {
		t.Errorf("a good score: %v", err)
	}
	if err := CheckAt(score[T](good[T]), matrix.New[T](3, 2)); err != nil {
		t.Errorf("a good score of another shape: %v", err)
	}
	for name, c := range controls[T]() {
		if err := Check(c.s, 4, 1); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: the kit says %v, want %q", name, err, c.says)
		}
	}
	diagonal := score[T](func(grad, w *matrix.Dense[T]) (float64, error) {
		f, err := good(grad, w)
		if grad != nil {
			grad.Set(1, 1, 99)
		}
		return f, err
	})
	if err := Check(diagonal, 4, 1); err != nil {
		t.Errorf("a score with another gradient on the diagonal: %v", err)
	}
	if err := CheckAt(diagonal, matrix.New[T](3, 3)); err == nil {
		t.Error("CheckAt passed a wrong gradient on the diagonal")
	}
}
