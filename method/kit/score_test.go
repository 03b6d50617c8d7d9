package kit_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/kit"
)

// goodScore is Σ (w - 1)² / 2: it keeps every law.
func goodScore[T matrix.Float](grad, w *matrix.Dense[T]) (float64, error) {
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

func scoreControls[T matrix.Float]() map[string]control[T] {
	return withCommon(goodScore, map[string]control[T]{
		"fails": {"finite: Eval failed: no", func(grad, w *matrix.Dense[T]) (float64, error) { return 0, errors.New("no") }},
		"NaN": {"finite: the value is NaN", func(grad, w *matrix.Dense[T]) (float64, error) {
			goodScore(grad, w)
			return math.NaN(), nil
		}},
		"infinite": {"finite: the value is -Inf", func(grad, w *matrix.Dense[T]) (float64, error) {
			goodScore(grad, w)
			return math.Inf(-1), nil
		}},
		"gradient not finite": {"finite: NaN or infinite gradient", func(grad, w *matrix.Dense[T]) (float64, error) {
			f, err := goodScore(grad, w)
			if grad != nil {
				grad.Set(0, 1, T(math.Inf(1)))
			}
			return f, err
		}},
		"gradient of one entry wrong": {"gradient: entry (1, 2)", func(grad, w *matrix.Dense[T]) (float64, error) {
			f, err := goodScore(grad, w)
			if grad != nil {
				grad.Set(1, 2, grad.At(1, 2)*T(1.1))
			}
			return f, err
		}},
		"changes W": {"untouched: ", func(grad, w *matrix.Dense[T]) (float64, error) {
			f, err := goodScore(grad, w)
			if grad == nil {
				w.Set(0, 0, 3) // the diagonal: no other law notices
			}
			return f, err
		}},
		"NaN where it overflows": {"overflow: ", func(grad, w *matrix.Dense[T]) (float64, error) {
			f, err := goodScore(grad, w)
			if err != nil {
				f = math.NaN()
			}
			return f, err
		}},
		"no error where it overflows": {"overflow: ", func(grad, w *matrix.Dense[T]) (float64, error) {
			f, _ := goodScore(grad, w)
			return f, nil
		}},
		"finite with an error": {"overflow: ", func(grad, w *matrix.Dense[T]) (float64, error) {
			f, err := goodScore(grad, w)
			if err != nil {
				f = 0
			}
			return f, err
		}},
	})
}

// The kit passes what is right and catches each control, by the law that it breaks and in both precisions.
func TestScoreCatches(t *testing.T) {
	t.Run("float64", testScoreCatches[float64])
	t.Run("float32", testScoreCatches[float32])
}

func testScoreCatches[T matrix.Float](t *testing.T) {
	if err := kit.Score(function[T](goodScore[T]), 4, 1); err != nil {
		t.Errorf("a good score: %v", err)
	}
	if err := kit.ScoreAt(function[T](goodScore[T]), matrix.New[T](3, 2)); err != nil {
		t.Errorf("a good score of another shape: %v", err)
	}
	for name, c := range scoreControls[T]() {
		if err := kit.Score(c.f, 4, 1); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: the kit says %v, want %q", name, err, c.says)
		}
	}
	diagonal := function[T](func(grad, w *matrix.Dense[T]) (float64, error) {
		f, err := goodScore(grad, w)
		if grad != nil {
			grad.Set(1, 1, 99)
		}
		return f, err
	})
	if err := kit.Score(diagonal, 4, 1); err != nil {
		t.Errorf("a score with another gradient on the diagonal: %v", err)
	}
	if err := kit.ScoreAt(diagonal, matrix.New[T](3, 3)); err == nil {
		t.Error("ScoreAt passed a wrong gradient on the diagonal")
	}
}
