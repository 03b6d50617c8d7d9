package optimize_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// TestOWLQNWithAPartialPenalty penalizes every second entry and checks the conditions of a minimum. |slope| is
// at most λ at a penalized zero, the slope is -λ sign(w) at other penalized entries and 0 elsewhere.
func TestOWLQNWithAPartialPenalty(t *testing.T) {
	const d, lambda = 8, 0.6
	ls := score.NewLeastSquares[float64](covariance(d, 2), 1)
	where := make([]bool, d*d)
	for i := range where {
		where[i] = i%2 == 0
	}
	p := solve.Problem[float64]{D: d, Score: ls, Penalty: optimize.PartialL1[float64]{Lambda: lambda, Where: where}}
	res := must.Get(solve.Run(t.Context(), p, solve.Constant{}, optimize.NewOWLQN[float64](1e-8), solve.Settings{Steps: 2000}, nil))
	if res.Status != solve.Converged {
		t.Fatalf("%+v", res.Last)
	}
	g, zeros := matrix.New[float64](d, d), 0
	must.Get(ls.Eval(g, res.W))
	for i, v := range res.W.Data {
		slope := math.Abs(g.Data[i])
		switch {
		case i%(d+1) == 0: // the diagonal
		case !where[i]:
			if v == 0 || slope > 1e-6 {
				t.Errorf("entry %d, which has no penalty, is %v with slope %v", i, v, slope)
			}
		case v == 0:
			if zeros++; slope > lambda+1e-6 {
				t.Errorf("entry %d is 0 with slope %v", i, slope)
			}
		case math.Abs(g.Data[i]+math.Copysign(lambda, v)) > 1e-6:
			t.Errorf("entry %d is %v with slope %v", i, v, g.Data[i])
		}
	}
	if zeros < 5 {
		t.Errorf("only %d entries are zero: the test shows little", zeros)
	}
}

// TestPartialL1 compares value and slopes with the definition.
func TestPartialL1(t *testing.T) {
	l := optimize.PartialL1[float64]{Lambda: 0.5, Where: []bool{true, false, true, true}}
	g := matrix.Of(1, 4, []float64{1, 1, 1, 1})
	if v := l.AddGrad(g, matrix.Of(1, 4, []float64{-2, 7, 0, 3})); v != 2.5 {
		t.Errorf("value %v, want 2.5", v)
	}
	for i, want := range []float64{0.5, 1, 1, 1.5} {
		if g.Data[i] != want {
			t.Errorf("slope %d is %v, want %v", i, g.Data[i], want)
		}
	}
}

// covariance returns the covariance of d dependent columns.
func covariance(d int, seed uint64) *matrix.Dense[float64] {
	rng := rand.New(rand.NewPCG(seed, 5))
	s := matrix.New[float64](d, d)
	x := make([]float64, d)
	for range 20 * d {
		for j := range x {
			x[j] = rng.NormFloat64()
			if j > 0 {
				x[j] += 0.8 * x[rng.IntN(j)]
			}
		}
		for i := range x {
			for j := range x {
				s.Data[i*d+j] += x[i] * x[j] / float64(20*d)
			}
		}
	}
	return s
}
