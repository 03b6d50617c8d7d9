package kit

import (
	"errors"
	"math"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// distance is ½‖W - target‖².
type distance[T matrix.Float] struct{ target *matrix.Dense[T] }

func (s distance[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) {
	f := 0.0
	for i, v := range w.Data {
		diff := v - s.target.Data[i]
		f += float64(diff) * float64(diff) / 2
		if grad != nil {
			grad.Data[i] = diff
		}
	}
	return f, nil
}

// products is Σ (w_ij w_ji)², zero without 2-cycles.
type products[T matrix.Float] struct{}

func (products[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) {
	h := 0.0
	for i := range w.Rows {
		for j := range w.Cols {
			p := w.At(i, j) * w.At(j, i)
			h += float64(p * p)
			if grad != nil {
				grad.Set(i, j, 4*p*w.At(j, i))
			}
		}
	}
	return h, nil
}

// narrow is products with a domain that, at the tenth evaluation, ends a quarter of the way to the requested point.
type narrow[T matrix.Float] struct {
	calls, failed int
	last          *matrix.Dense[T] // last point inside the domain
	radius        float64          // radius of the domain around last, once it is limited
}

func (c *narrow[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) {
	c.calls++
	if c.calls >= 10 && c.last != nil {
		far := 0.0
		for i, v := range w.Data {
			far = max(far, math.Abs(float64(v-c.last.Data[i])))
		}
		if c.failed == 0 && far > 0 {
			c.radius = far / 4
		}
		if far > c.radius {
			c.failed++
			return math.Inf(1), errors.New("outside of a narrow domain")
		}
		if far > 0 { // a shorter step was taken: remove the limit
			c.last = nil
		}
	} else if c.calls < 10 {
		c.last = w.Clone()
	}
	return products[T]{}.Eval(grad, w)
}

// lend returns desc with temporary matrices in each step, which are overwritten when it returns.
func lend[T matrix.Float](desc solve.Descent[T]) solve.Descent[T] {
	l := lender[T]{desc}
	if s, ok := desc.(solve.Searcher[T]); ok {
		return lentSearcher[T]{l, s}
	}
	return l
}

type lender[T matrix.Float] struct{ solve.Descent[T] }

func (l lender[T]) Step(w, grad *matrix.Dense[T]) {
	lentW, lentGrad := w.Clone(), grad.Clone()
	l.Descent.Step(lentW, lentGrad)
	w.CopyFrom(lentW)
	for i := range lentW.Data {
		lentW.Data[i], lentGrad.Data[i] = T(math.NaN()), T(math.NaN())
	}
}

type lentSearcher[T matrix.Float] struct {
	lender[T]
	s solve.Searcher[T]
}

func (l lentSearcher[T]) Aim(o solve.Objective[T]) { l.s.Aim(o) }
