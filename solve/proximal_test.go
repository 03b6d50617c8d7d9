package solve_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// With the order of the columns known, what is left is convex: least squares with L1 over the upper triangle. Both descents with
// exact zeros end where coordinate descent ends.
func TestKnownOrderIsALasso(t *testing.T) {
	descents := map[string]func() solve.Descent[float64]{
		"OWLQN":    func() solve.Descent[float64] { return solve.NewOWLQN[float64](1e-8) },
		"Proximal": func() solve.Descent[float64] { return solve.NewProximal[float64](1e-9) },
	}
	for seed := range uint64(4) {
		for _, lambda := range []float64{0, 0.05, 0.6} {
			d := 6 + 3*int(seed)
			s := covariance(d, seed)
			free := func(i, j int) bool { return i < j }
			forbidden := make([]bool, d*d)
			for i := range forbidden {
				forbidden[i] = !free(i/d, i%d)
			}
			want := lasso(s, lambda, free)
			ls := score.NewLeastSquares[float64](s, 1)
			for name, desc := range descents {
				p := solve.Problem[float64]{D: d, Score: ls, Penalty: solve.L1[float64]{Lambda: lambda}, Forbidden: forbidden}
				res, err := solve.Run(context.Background(), p, solve.Constant{}, desc(), solve.Settings{Steps: 20000}, nil)
				if err != nil {
					t.Fatal(err)
				}
				at := fmt.Sprintf("%s, d = %d, λ = %g", name, d, lambda)
				if r := residual(t, ls, res.W, lambda, free); !(r <= 1e-6) || res.Status != solve.Converged {
					t.Errorf("%s: KKT residual %g after %d steps, status %s", at, r, res.Last.Step, res.Status)
				}
				for i, v := range res.W.Data {
					if math.Abs(v-want.Data[i]) > 1e-5 || (v == 0) != (want.Data[i] == 0) {
						t.Errorf("%s: entry %d is %v, coordinate descent has %v", at, i, v, want.Data[i])
					}
				}
			}
		}
	}
}

// Steps that would leave the domain are shortened, and the answer has exact zeros.
func TestProximalStaysInTheDomain(t *testing.T) {
	p, sched := leaving()
	p.Constraint = &counted{c: &acyclic.LogDet[float64]{S: 0.1}}
	p.Penalty = solve.L1[float64]{Lambda: 0.4}
	res, points := trail(t, p, sched(), solve.NewProximal[float64](1e-9), solve.Settings{Steps: 300})
	if points[len(points)-1].Rejected != 0 || res.Last.H > 0.05 {
		t.Errorf("%+v", res.Last)
	}
	if p.Constraint.(*counted).failed == 0 {
		t.Error("no evaluation was outside the domain: the test shows nothing")
	}
	zeros := 0
	for _, v := range res.W.Data {
		if v == 0 {
			zeros++
		}
	}
	if zeros <= p.D {
		t.Errorf("%d zeros, the diagonal included", zeros)
	}
}
