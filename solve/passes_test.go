package solve_test

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// distance is a cheap score and constraint: ½ Σ (w - target)².
type distance struct{ target *matrix.Dense[float32] }

func (s distance) Eval(grad, w *matrix.Dense[float32]) (float64, error) {
	sum := 0.0
	for i, v := range w.Data {
		r := v - s.target.Data[i]
		sum += float64(r) * float64(r) / 2
		if grad != nil {
			grad.Data[i] = r
		}
	}
	return sum, nil
}

// plain hides that a descent or a penalty supports blocks, so that Run uses the slow path.
type plain struct {
	solve.Descent[float32]
	p solve.Penalty[float32]
}

func (p plain) AddGrad(grad, w *matrix.Dense[float32]) float64 { return p.p.AddGrad(grad, w) }

// TestThreadsOfAPassChangeNothing checks that a run has the same bytes on any number of threads and as with
// passes over whole matrices.
func TestThreadsOfAPassChangeNothing(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	const d = 191 // above the threshold for shared passes, and prime
	rng := rand.New(rand.NewPCG(61, 1))
	a, b := matrix.New[float32](d, d), matrix.New[float32](d, d)
	forbidden := make([]bool, d*d)
	for i := range a.Data {
		a.Data[i], b.Data[i] = float32(rng.NormFloat64()), float32(rng.NormFloat64())
		forbidden[i] = i%7 == 0
	}
	for name, penalty := range map[string]solve.Penalty[float32]{"L1": solve.L1[float32]{Lambda: 0.1}, "MCP": solve.MCP[float32]{Lambda: 0.1, Width: 0.5}, "none": nil} {
		run := func(threads int, hidden bool) (*solve.Result[float32], []solve.Step) {
			p := solve.Problem[float32]{D: d, Score: distance{a}, Constraint: distance{b}, Penalty: penalty, Forbidden: forbidden}
			var desc solve.Descent[float32] = solve.NewAdam[float32](0.01)
			if hidden {
				desc = plain{Descent: desc}
				if penalty != nil {
					p.Penalty = plain{p: penalty}
				}
			}
			var trail []solve.Step
			out := must.Get(solve.Run(context.Background(), p, solve.NewReleased(0.5, 3), desc, solve.Settings{Steps: 12, Threads: threads},
				func(s solve.Step) { trail = append(trail, s) }))
			return out, trail
		}
		want, steps := run(1, true)
		for _, threads := range []int{0, 1, 2, 3} {
			got, trail := run(threads, false)
			if !slices.Equal(got.W.Data, want.W.Data) || !slices.Equal(trail, steps) {
				t.Errorf("%s, %d threads: other bytes than one pass after the other", name, threads)
			}
		}
	}
}

// TestThreadsOfASearchChangeNothing checks that a line search has the same bytes on any number of threads.
func TestThreadsOfASearchChangeNothing(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	const d = 191
	rng := rand.New(rand.NewPCG(63, 1))
	s := matrix.New[float64](d, d)
	for i := range d {
		s.Set(i, i, 1+rng.Float64())
		for j := range i {
			v := rng.NormFloat64() / d
			s.Set(i, j, v)
			s.Set(j, i, v)
		}
	}
	run := func(threads int) (*solve.Result[float64], []solve.Step) {
		p := solve.Problem[float64]{D: d, Score: score.NewLeastSquares[float64](s, threads), Constraint: &acyclic.Geometric[float64]{K: 16, Threads: threads}, Penalty: solve.L1[float64]{Lambda: 0.001}}
		sched := optimize.NewMultipliers(optimize.MultipliersSettings{Rho: 1, Factor: 10, RhoMax: 1e16, Progress: 0.25, HTol: 1e-8, Rounds: 100, Inner: 10, Every: 1, Tol: 1e-9})
		var trail []solve.Step
		out := must.Get(solve.Run(context.Background(), p, sched, optimize.NewOWLQN[float64](1e-9), solve.Settings{Steps: 25, Threads: threads}, func(at solve.Step) { trail = append(trail, at) }))
		return out, trail
	}
	want, steps := run(1)
	if len(steps) < 15 {
		t.Fatalf("the search ended after %d steps: fewer than it keeps pairs", len(steps))
	}
	for _, threads := range []int{2, 3} {
		if got, trail := run(threads); !slices.Equal(got.W.Data, want.W.Data) || !slices.Equal(trail, steps) {
			t.Errorf("%d threads: other bytes than one", threads)
		}
	}
}

// TestPenaltyBesideTheScoreChangesNothing checks that adding the penalty row by row within the score gives the
// same bits as a separate pass.
func TestPenaltyBesideTheScoreChangesNothing(t *testing.T) {
	const d = 60
	rng := rand.New(rand.NewPCG(62, 1))
	s := matrix.New[float64](d, d)
	for i := range d {
		s.Set(i, i, 1+rng.Float64())
		for j := range i {
			v := 0.2 * rng.NormFloat64() / math.Sqrt(d)
			s.Set(i, j, v)
			s.Set(j, i, v)
		}
	}
	for name, penalty := range map[string]solve.Penalty[float32]{"L1": solve.L1[float32]{Lambda: 0.1}, "MCP": solve.MCP[float32]{Lambda: 0.1, Width: 0.5}} {
		run := func(p solve.Penalty[float32]) (w []float32, values []float64) {
			problem := solve.Problem[float32]{D: d, Score: score.NewLeastSquares[float32](s, 1), Constraint: &acyclic.LogDet[float32]{}, Penalty: p}
			out := must.Get(solve.Run(context.Background(), problem, solve.NewReleased(0.5, 3), solve.NewAdam[float32](0.01), solve.Settings{Steps: 12},
				func(at solve.Step) { values = append(values, at.Score, at.Penalty, at.H) }))
			return out.W.Data, values
		}
		w, values := run(penalty)
		want, slow := run(plain{p: penalty})
		if !slices.Equal(w, want) {
			t.Errorf("%s: other bytes than in a pass of its own", name)
		}
		for i, v := range values {
			if !(math.Abs(v-slow[i]) <= 1e-12*(1+math.Abs(slow[i]))) {
				t.Errorf("%s: value %d is %v, in a pass of its own %v", name, i, v, slow[i])
			}
		}
	}
}
