package score_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/kit"
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
	if err != nil || !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("F = %v (%v), row by row %v", got, err, want)
	}
}

// EvalThen is Eval and then after on all of it: the same gradient bit for bit on any number of threads, every entry handed out once, and the score
// of the gradient as it was before.
func TestLeastSquaresThen(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	rng := rand.New(rand.NewPCG(3, 3))
	for _, d := range []int{1, 7, 45, 190, 460} { // the last has higher strips, by threads
		_, s := table(rng, 2*d+5, d)
		w, plain := matrix.New[float32](d, d), matrix.New[float32](d, d)
		for i := range w.Data {
			w.Data[i] = float32(rng.NormFloat64()) / float32(d) // the diagonal too
		}
		f := must.Get(score.NewLeastSquares[float32](s, 1).Eval(plain, w))
		after := func(grad, w []float32) float64 {
			sum := 0.0
			for i, v := range w {
				grad[i] += 3 * v
				sum += float64(v) * float64(v)
			}
			return sum
		}
		var first float64
		for threads := 1; threads <= 3; threads++ {
			grad := matrix.New[float32](d, d)
			got, also, err := score.NewLeastSquares[float32](s, threads).EvalThen(grad, w, after)
			if err != nil || got != f {
				t.Errorf("d = %d, %d threads: F = %v (%v), by itself %v", d, threads, got, err, f)
			}
			want := plain.Clone()
			if whole := after(want.Data, w.Data); !(math.Abs(also-whole) <= 1e-12*whole) {
				t.Errorf("d = %d, %d threads: the rows sum to %v, all together to %v", d, threads, also, whole)
			}
			if threads == 1 {
				first = also
			}
			if also != first || !slices.Equal(grad.Data, want.Data) {
				t.Errorf("d = %d, %d threads: other bytes", d, threads)
			}
		}
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

// Least squares need a square matrix.
func TestLeastSquaresOfASquare(t *testing.T) {
	defer func() {
		if said := recover(); said == nil || !strings.Contains(fmt.Sprint(said), "covariance is 2×3, want square") {
			t.Errorf("a matrix of 2×3: %v", said)
		}
	}()
	score.NewLeastSquares[float64](matrix.New[float64](2, 3), 1)
}
