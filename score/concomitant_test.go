package score_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/kit"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

func TestConcomitantKeepsTheLaws(t *testing.T) {
	t.Run("float64", testConcomitantLaws[float64])
	t.Run("float32", testConcomitantLaws[float32])
}

func testConcomitantLaws[T matrix.Float](t *testing.T) {
	for seed := range uint64(3) {
		s, _ := drawnMoments(seed, 6, 40)
		for _, equal := range []bool{true, false} {
			if err := kit.Score(score.NewConcomitant[T](s, equal, 1), 6, seed); err != nil {
				t.Errorf("equal scales %v: %v", equal, err)
			}
		}
	}
}

// drawnMoments returns the covariance matrix of rows of different scales, and the rows.
func drawnMoments(seed uint64, d, n int) (s, x *matrix.Dense[float64]) {
	rng := rand.New(rand.NewPCG(seed, 41))
	x, s = matrix.New[float64](n, d), matrix.New[float64](d, d)
	for i := range n {
		for j := range d {
			x.Set(i, j, (0.5+float64(j))*rng.NormFloat64())
			if j > 0 {
				x.Set(i, j, x.At(i, j)+x.At(i, j-1)/2)
			}
		}
	}
	matrix.MulTA(s, x, x, 1)
	for i := range s.Data {
		s.Data[i] /= float64(n)
	}
	return s, x
}

// The slow twin: residuals row by row, and the scale by trying many.
func TestConcomitantAgainstTheRows(t *testing.T) {
	const d, n = 4, 30
	s, x := drawnMoments(9, d, n)
	rng := rand.New(rand.NewPCG(9, 42))
	for trial := range 4 {
		w := matrix.New[float64](d, d)
		for i := range w.Data {
			if i%(d+1) != 0 {
				w.Data[i] = rng.NormFloat64() / 3
			}
		}
		r := make([]float64, d)
		for i := range n {
			for j := range d {
				e := x.At(i, j)
				for k := range d {
					e -= x.At(i, k) * w.At(k, j)
				}
				r[j] += e * e / n
			}
		}
		if trial == 0 { // a column with nothing left of it: its floor holds
			r[0] = 0
			for i := range d {
				w.Set(i, 0, 0)
			}
			w.Set(0, 0, 1)
		}
		least := func(residual, floor float64) float64 {
			best := math.Inf(1)
			for sigma := floor; sigma < 40; sigma += 1e-4 {
				best = min(best, residual/(2*sigma)+sigma/2)
			}
			return best
		}
		nv, mean, trace := 0.0, 0.0, 0.0
		for j := range d {
			nv += least(r[j], 1e-2*math.Sqrt(s.At(j, j)))
			mean += r[j] / d
			trace += s.At(j, j) / d
		}
		ev := d * least(mean, 1e-2*math.Sqrt(trace))
		if got, err := score.NewConcomitant[float64](s, false, 1).Eval(nil, w); err != nil || math.Abs(got-nv) > 1e-6 {
			t.Errorf("trial %d: a scale each %v (%v), want %v", trial, got, err, nv)
		}
		if got, err := score.NewConcomitant[float64](s, true, 1).Eval(nil, w); err != nil || math.Abs(got-ev) > 1e-6 {
			t.Errorf("trial %d: equal scales %v (%v), want %v", trial, got, err, ev)
		}
	}
}
