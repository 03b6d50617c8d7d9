package score_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/kit"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// table returns n rows of d centred numbers and their covariance matrix.
func table(rng *rand.Rand, n, d int) (x, s *matrix.Dense[float64]) {
	x, s = matrix.New[float64](n, d), matrix.New[float64](d, d)
	for j := range d {
		mean := 0.0
		for i := range n {
			v := rng.NormFloat64()
			if j > 0 {
				v += 0.5 * x.At(i, j-1)
			}
			x.Set(i, j, v)
			mean += v / float64(n)
		}
		for i := range n {
			x.Set(i, j, x.At(i, j)-mean)
		}
	}
	matrix.MulTA(s, x, x, 1)
	for i := range s.Data {
		s.Data[i] /= float64(n)
	}
	return x, s
}

func TestLeastSquaresKit(t *testing.T) {
	_, s := table(rand.New(rand.NewPCG(1, 1)), 50, 6)
	if err := kit.Score(score.NewLeastSquares[float64](s, 1), 6, 1); err != nil {
		t.Error(err)
	}
	if err := kit.Score(score.NewLeastSquares[float32](s, 2), 6, 1); err != nil {
		t.Error(err)
	}
}

// The slow twin: ‖X - XW‖²/(2n), row by row.
func TestLeastSquaresAgainstRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const n, d = 40, 5
	x, s := table(rng, n, d)
	w := matrix.New[float64](d, d)
	for i := range w.Data {
		w.Data[i] = rng.NormFloat64() / d
	}
	want := 0.0
	for i := range n {
		for j := range d {
			r := x.At(i, j)
			for k := range d {
				r -= x.At(i, k) * w.At(k, j)
			}
			want += r * r / (2 * n)
		}
	}
	got, err := score.NewLeastSquares[float64](s, 1).Eval(nil, w)
	if err != nil || math.Abs(got-want) > 1e-12 {
		t.Errorf("F = %v (%v), row by row %v", got, err, want)
	}
}

func TestLeastSquaresOverflow(t *testing.T) {
	s := matrix.Of(2, 2, []float64{10, 5, 5, 10})
	w := matrix.Of(2, 2, []float32{0, math.MaxFloat32, math.MaxFloat32, 0})
	if f, err := score.NewLeastSquares[float32](s, 1).Eval(nil, w); err == nil || !math.IsInf(f, 1) {
		t.Errorf("F = %v, %v at weights of 3e38, want +Inf and an error", f, err)
	}
}

func ExampleLeastSquares() {
	// Two columns of unit variance and covariance 0.8: predicting the second from the first by 0.8
	// leaves a residual variance of 0.36.
	s := matrix.Of(2, 2, []float64{1, 0.8, 0.8, 1})
	w := matrix.Of(2, 2, []float64{0, 0.8, 0, 0})
	f, _ := score.NewLeastSquares[float64](s, 1).Eval(nil, w)
	fmt.Printf("%.2f\n", f) // (1 + 0.36)/2
	// Output: 0.68
}
