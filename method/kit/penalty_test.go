package kit_test

import (
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/kit"
	"github.com/polydag/polydag/solve"
)

// penalty makes a Penalty of a function.
type penalty[T matrix.Float] func(grad, w *matrix.Dense[T]) float64

func (p penalty[T]) AddGrad(grad, w *matrix.Dense[T]) float64 { return p(grad, w) }

// entrywise adds value and slope of each entry.
func entrywise[T matrix.Float](f func(v float64) (value, slope float64)) penalty[T] {
	return func(grad, w *matrix.Dense[T]) float64 {
		sum := 0.0
		for i, v := range w.Data {
			value, slope := f(float64(v))
			sum += value
			grad.Data[i] += T(slope)
		}
		return sum
	}
}

type misled[T matrix.Float] struct{ solve.L1[T] }

func (m misled[T]) Kink() float64 { return 2 * m.Lambda }

func TestPenaltyCatches(t *testing.T) {
	t.Run("float64", testPenaltyCatches[float64])
	t.Run("float32", testPenaltyCatches[float32])
}

func testPenaltyCatches[T matrix.Float](t *testing.T) {
	root := func(v float64) (value, slope float64) { return math.Hypot(v, 1) - 1, v / math.Hypot(v, 1) }
	for seed := range uint64(5) {
		if err := kit.Penalty(entrywise[T](root), 3, 4, 1, seed); err != nil {
			t.Errorf("a good penalty, seed %d: %v", seed, err)
		}
	}
	good := entrywise[T](root)
	calls := 0
	for name, c := range map[string]struct {
		says string
		p    solve.Penalty[T]
	}{
		"a constant": {"zero: the penalty", entrywise[T](func(v float64) (float64, float64) { x, s := root(v); return x + 1, s })},
		"a slope at zero": {"zero: the subgradient", entrywise[T](func(v float64) (float64, float64) {
			if v == 0 {
				return 0, 1
			}
			return root(v)
		})},
		"negative":   {"positive: ", entrywise[T](func(v float64) (float64, float64) { x, s := root(v); return -x, -s })},
		"sees signs": {"signs: ", entrywise[T](func(v float64) (float64, float64) { x, s := root(v); return 2*x + v/4, 2*s + 0.25 })},
		"falls": {"rising: ", entrywise[T](func(v float64) (float64, float64) {
			x := 1 / (1 + v*v)
			return v * v * x * x, 2 * v * (1 - v*v) * x * x * x
		})},
		"wrong slope": {"gradient: ", entrywise[T](func(v float64) (float64, float64) { x, s := root(v); return x, 1.1 * s })},
		"overwrites": {"adds: ", penalty[T](func(grad, w *matrix.Dense[T]) float64 {
			grad.Zero()
			return good(grad, w)
		})},
		"another value on each call": {"repeats: ", penalty[T](func(grad, w *matrix.Dense[T]) float64 {
			calls++
			return good(grad, w) * (1 + float64(calls%7)*1e-15)
		})},
		"tells another kink": {"kink: ", misled[T]{solve.L1[T]{Lambda: 0.3}}},
		"changes w": {"untouched: ", penalty[T](func(grad, w *matrix.Dense[T]) float64 {
			v := good(grad, w)
			w.Data[0] *= 2
			return v
		})},
	} {
		if err := kit.Penalty(c.p, 3, 4, 1, 1); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: the kit says %v, want %q", name, err, c.says)
		}
	}
}
