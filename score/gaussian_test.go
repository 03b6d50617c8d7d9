package score_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/kit"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

func TestGaussianKit(t *testing.T) {
	_, s := table(rand.New(rand.NewPCG(1, 3)), 50, 6)
	for _, equal := range []bool{false, true} {
		if err := kit.Score(score.NewGaussian[float64](s, equal, 1), 6, 1); err != nil {
			t.Errorf("equal %v: %v", equal, err)
		}
		if err := kit.Score(score.NewGaussian[float32](s, equal, 2), 6, 1); err != nil {
			t.Errorf("equal %v, float32: %v", equal, err)
		}
	}
}

// The slow twin: the log-density of every row, with the best variances, by its definition.
func TestGaussianAgainstDensity(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	const n, d = 60, 4
	x, s := table(rng, n, d)
	w := matrix.New[float64](d, d)
	for i := range w.Data {
		if i%(d+1) != 0 {
			w.Data[i] = rng.NormFloat64() / d
		}
	}
	res := make([]float64, d)
	for i := range n {
		for j := range d {
			r := x.At(i, j)
			for k := range d {
				r -= x.At(i, k) * w.At(k, j)
			}
			res[j] += r * r / n
		}
	}
	m := matrix.New[float64](d, d)
	for i := range d {
		for j := range d {
			m.Set(i, j, -w.At(i, j))
		}
		m.Set(i, i, 1)
	}
	logdet := math.Log(math.Abs(det(m)))
	unequal, sum := -logdet, 0.0
	for _, r := range res {
		unequal += math.Log(r) / 2
		sum += r
	}
	equal := d/2.0*math.Log(sum/d) - logdet
	if got, _ := score.NewGaussian[float64](s, false, 1).Eval(nil, w); !(math.Abs(got-unequal) <= 1e-12) {
		t.Errorf("unequal: %v, want %v", got, unequal)
	}
	if got, _ := score.NewGaussian[float64](s, true, 1).Eval(nil, w); !(math.Abs(got-equal) <= 1e-12) {
		t.Errorf("equal: %v, want %v", got, equal)
	}
}

// det expands along the first row.
func det(m *matrix.Dense[float64]) float64 {
	if m.Rows == 1 {
		return m.At(0, 0)
	}
	sum, sign := 0.0, 1.0
	for j := range m.Cols {
		minor := matrix.New[float64](m.Rows-1, m.Cols-1)
		for r := 1; r < m.Rows; r++ {
			c := 0
			for k := range m.Cols {
				if k != j {
					minor.Set(r-1, c, m.At(r, k))
					c++
				}
			}
		}
		sum += sign * m.At(0, j) * det(minor)
		sign = -sign
	}
	return sum
}

// Rescaling the columns shifts F by a constant and carries the gradient along.
func TestGaussianIsScaleFree(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	const d = 5
	_, s := table(rng, 50, d)
	scale := []float64{2, 0.5, 8, 1, 0.25}
	t1, t2 := s.Clone(), matrix.New[float64](d, d)
	w1, w2 := matrix.New[float64](d, d), matrix.New[float64](d, d)
	logs := 0.0
	for i := range d {
		logs += math.Log(scale[i])
		for j := range d {
			t2.Set(i, j, t1.At(i, j)*scale[i]*scale[j])
			if i != j {
				w1.Set(i, j, rng.NormFloat64()/d)
				w2.Set(i, j, w1.At(i, j)*scale[j]/scale[i])
			}
		}
	}
	f1, _ := score.NewGaussian[float64](t1, false, 1).Eval(nil, w1)
	f2, _ := score.NewGaussian[float64](t2, false, 1).Eval(nil, w2)
	if !(math.Abs(f2-f1-logs) <= 1e-12) {
		t.Errorf("F went from %v to %v, want a shift of %v", f1, f2, logs)
	}
}

func TestGaussianDomain(t *testing.T) {
	s := matrix.Of(2, 2, []float64{1, 0, 0, 1})
	w := matrix.Of(2, 2, []float64{0, 1, 1, 0})
	if f, err := score.NewGaussian[float64](s, false, 1).Eval(nil, w); !errors.Is(err, score.ErrDomain) || !math.IsInf(f, 1) {
		t.Errorf("I - W singular: %v, %v", f, err)
	}
	s = matrix.Of(2, 2, []float64{1, 1, 1, 1})
	w = matrix.Of(2, 2, []float64{0, 1, 0, 0})
	if f, err := score.NewGaussian[float64](s, false, 1).Eval(nil, w); !errors.Is(err, score.ErrDomain) || !math.IsInf(f, 1) {
		t.Errorf("a column that another determines: %v, %v", f, err)
	}
}

// Passes that are shared between threads give the bytes of one thread.
func TestThreadsOfScoresChangeNothing(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	const d = 190
	rng := rand.New(rand.NewPCG(4, 3))
	_, s := table(rng, 2*d, d)
	w := matrix.New[float32](d, d)
	for i := range w.Data {
		w.Data[i] = float32(rng.NormFloat64()) / (4 * d)
	}
	for name, made := range map[string]func(threads int) solve.Score[float32]{
		"least squares": func(n int) solve.Score[float32] { return score.NewLeastSquares[float32](s, n) },
		"unequal":       func(n int) solve.Score[float32] { return score.NewGaussian[float32](s, false, n) },
		"equal":         func(n int) solve.Score[float32] { return score.NewGaussian[float32](s, true, n) },
	} {
		one, many := matrix.New[float32](d, d), matrix.New[float32](d, d)
		f := must.Get(made(1).Eval(one, w))
		for _, threads := range []int{2, 3} {
			if g, err := made(threads).Eval(many, w); err != nil || f != g || !slices.Equal(one.Data, many.Data) {
				t.Errorf("%s: %d threads give other bytes than one (%v)", name, threads, err)
			}
		}
	}
}
