package solve_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// TestKnownOrderIsALasso checks OWLQN on a convex problem. With a known order of the columns, the problem is
// least squares with L1 over the upper triangle. OWLQN must end where coordinate descent ends, with the same
// exact zeros.
func TestKnownOrderIsALasso(t *testing.T) {
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
			p := solve.Problem[float64]{D: d, Score: ls, Penalty: solve.L1[float64]{Lambda: lambda}, Forbidden: forbidden}
			res, err := solve.Run(context.Background(), p, solve.Constant{}, solve.NewOWLQN[float64](1e-8), solve.Settings{Steps: 20000}, nil)
			if err != nil {
				t.Fatal(err)
			}
			at := fmt.Sprintf("d = %d, λ = %g", d, lambda)
			if r := residual(t, ls, res.W, lambda, free); !(r <= 1e-6) || res.Status != solve.Converged {
				t.Errorf("%s: KKT residual %g after %d steps, status %s", at, r, res.Last.Step, res.Status)
			}
			for i, v := range res.W.Data {
				if !(math.Abs(v-want.Data[i]) <= 1e-5) || (v == 0) != (want.Data[i] == 0) {
					t.Errorf("%s: entry %d is %v, coordinate descent has %v", at, i, v, want.Data[i])
				}
			}
		}
	}
}
