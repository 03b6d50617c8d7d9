package score_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// The slow twin: the normal equations by LU, and the residual of every smaller set from scratch.
func TestRegressAgainstNormalEquations(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	_, s := table(rng, 80, 9)
	for trial := range 200 {
		perm := rng.Perm(9)
		v, parents := perm[0], perm[1:1+trial%9]
		got := must.Get(score.Regress(s, v, parents))
		beta, residual := normal(s, v, parents)
		if !(math.Abs(got.Residual-residual) <= 1e-10) {
			t.Fatalf("residual %v, want %v", got.Residual, residual)
		}
		for i := range parents {
			if !(math.Abs(got.Beta[i]-beta[i]) <= 1e-10) {
				t.Fatalf("β %v, want %v", got.Beta, beta)
			}
			rest := append(append([]int(nil), parents[:i]...), parents[i+1:]...)
			if _, want := normal(s, v, rest); !(math.Abs(got.Drop[i]-want) <= 1e-10) {
				t.Fatalf("without parent %d the residual is %v, want %v", i, got.Drop[i], want)
			}
		}
	}
}

func normal(s *matrix.Dense[float64], v int, parents []int) ([]float64, float64) {
	k := len(parents)
	a, b := matrix.New[float64](k, k), matrix.New[float64](k, 1)
	for i, p := range parents {
		b.Set(i, 0, s.At(p, v))
		for j, q := range parents {
			a.Set(i, j, s.At(p, q))
		}
	}
	x := b.Clone()
	if k > 0 {
		var lu matrix.LU[float64]
		if err := lu.Factor(a); err != nil {
			panic(err)
		}
		lu.Solve(x, x)
	}
	r := s.At(v, v)
	for i := range k {
		r -= x.At(i, 0) * b.At(i, 0)
	}
	return x.Data, r
}

func TestRegressCollinear(t *testing.T) {
	s := matrix.Of(3, 3, []float64{1, 1, 0.5, 1, 1, 0.5, 0.5, 0.5, 1})
	if _, err := score.Regress(s, 2, []int{0, 1}); !errors.Is(err, score.ErrCollinear) {
		t.Errorf("two equal parents: %v", err)
	} else if want := "column 2 is determined by other parents of column 3"; err.Error() != want {
		t.Errorf("two equal parents: %v, want %v", err, want)
	}
}

// Column b is a + ε·e with a, e and u orthogonal, and y is e + u. So b leaves the share ε²/(1 + ε²) of its variance beside a.
// Regressions that use b leave half of the variance of y, those that do not leave all of it.
func TestNearlyCollinearParentIsUsed(t *testing.T) {
	for _, c := range []struct {
		epsilon float64
		used    bool
	}{{1e-2, true}, {1e-3, true}, {1e-4, true}, {2e-5, true}, {5e-6, false}, {1e-6, false}, {0, false}} {
		root := math.Sqrt(1 + c.epsilon*c.epsilon)
		ab, by := 1/root, c.epsilon/root/math.Sqrt2
		r := matrix.Of(3, 3, []float64{1, ab, 0, ab, 1, by, 0, by, 1})
		left := 1.0
		if c.used {
			left = 0.5
		}

		reg, err := score.Regress(r, 2, []int{0, 1})
		if errors.Is(err, score.ErrCollinear) == c.used {
			t.Errorf("ε = %v: Regress returns the error %v", c.epsilon, err)
		}
		if c.used && !(math.Abs(reg.Residual-left) <= 1e-4) {
			t.Errorf("ε = %v: residual variance %v, want %v", c.epsilon, reg.Residual, left)
		}

		const n = 200.0
		want := n*(1+math.Log(2*math.Pi)) + n*math.Log(left) + 2*7
		local := must.Get(score.NewGaussianLocal(r, n, 7))
		must.Near(t, local.Evaluator().Score(2, []int{0, 1}), want, 0.05, "ε = %v: GaussianLocal", c.epsilon)

		// The rows of one period of the design: a, e and u are ±1.
		var rows []float64
		for i := range int(n) {
			a, e, u := float64(1-2*(i&1)), float64(1-(i&2)), float64(1-(i&4)/2)
			rows = append(rows, a, a+c.epsilon*e, e+u)
		}
		free := must.Get(score.NewFreeNoise(r, n, 7, rows, 1))
		must.Near(t, free.Gaussian().Fit().Score(2, []int{0, 1}), want, 0.05, "ε = %v: FreeNoise", c.epsilon)
	}
}

// Where parents leave at most ten times the share that counts as rounding, the rest has no density of its own. Noise of ±1 is
// far from Gaussian.
func TestNoDensityOfRounding(t *testing.T) {
	const n = 400
	for _, c := range []struct {
		epsilon float64
		density bool
	}{{1e-2, true}, {1e-3, true}, {5e-5, true}, {2e-5, false}, {1e-6, false}} {
		rho := 1 / math.Sqrt(1+c.epsilon*c.epsilon)
		var rows []float64
		for i := range n {
			a, e := float64(1-2*(i&1)), float64(1-(i&2))
			rows = append(rows, a, a+c.epsilon*e)
		}
		free := must.Get(score.NewFreeNoise(matrix.Of(2, 2, []float64{1, rho, rho, 1}), n, 7, rows, 1))
		if gain := free.Fit().Gain(1, []int{0}); gain > 10 != c.density {
			t.Errorf("ε = %v: the density gains %v", c.epsilon, gain)
		}
	}
}

// A regression on correlations names the columns of the whole table if the parents are collinear.
func TestCollinearColumnsOfATable(t *testing.T) {
	m := dataset.NewMoments([]string{"a", "b", "c", "e"})
	for i := range 8 {
		a, b := float64(i%3), float64(i*i%5)
		must.Succeed(t, m.AddBlock([]float64{float64(i), a, b, a + b}))
	}
	_, err := score.RegressOn(m, 0, []int{3, 1, 2})
	var collinear *score.CollinearError
	if !errors.As(err, &collinear) || collinear.Parent != 2 || collinear.Column != 0 {
		t.Errorf("error %v, want column 3 determined among the parents of column 1", err)
	}
	if reg, err := score.RegressOn(m, 0, []int{3, 1}); err != nil || len(reg.Beta) != 2 {
		t.Errorf("two parents that are not collinear: %v", err)
	}
}
