package score_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

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
		got, err := score.Regress(s, v, parents)
		if err != nil {
			t.Fatal(err)
		}
		beta, residual := normal(s, v, parents)
		if math.Abs(got.Residual-residual) > 1e-10 {
			t.Fatalf("residual %v, want %v", got.Residual, residual)
		}
		for i := range parents {
			if math.Abs(got.Beta[i]-beta[i]) > 1e-10 {
				t.Fatalf("β %v, want %v", got.Beta, beta)
			}
			rest := append(append([]int(nil), parents[:i]...), parents[i+1:]...)
			if _, want := normal(s, v, rest); math.Abs(got.Drop[i]-want) > 1e-10 {
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
