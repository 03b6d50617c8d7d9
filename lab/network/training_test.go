package network

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/tape"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// plainPolicy raises the weight of h after each pass and ends after some.
type plainPolicy struct{ passes int }

func (p plainPolicy) AfterStep(_ context.Context, t *Training) (bool, error) { return false, nil }

func (p plainPolicy) AfterPass(_ context.Context, t *Training) (bool, error) {
	t.Memory[0]++
	t.Rho *= 2
	return int(t.Memory[0]) == p.passes, nil
}

// linear is least squares on straight lines, x ≈ xW.
func linear(t *testing.T) *Training {
	t.Helper()
	in, _ := table(100, 3, 1)
	rows := must.Get(NewRows(context.Background(), in, Unit))
	loss := tape.New(1)
	x, w := loss.Input(10, 3), loss.Param(3, 3)
	out := loss.SumSquares(loss.Sub(x, loss.Product(x, w)))
	h := tape.New(1)
	return &Training{
		Name: "test", Rows: rows, Batch: 10, Steps: 10000, Loss: &Graph{loss, x, out}, H: &Graph{h, nil, h.Acyclic(&acyclic.Exp[float64]{}, h.Param(3, 3))},
		Policy: plainPolicy{12}, Seed: 4, Theta: make([]float64, 9), Zero: []bool{0: true, 4: true, 8: true},
		Optimizer: Adam(), Rate: 0.01, Rho: 1, Memory: []float64{0},
	}
}

func TestTraining(t *testing.T) {
	tr := linear(t)
	status, err := tr.Run(context.Background(), nil)
	if err != nil || status != solve.Converged || tr.Step != 120 {
		t.Fatalf("%s, %v, %d steps", status, err, tr.Step)
	}
	if tr.Value > 2.5 || tr.Theta[0] != 0 || tr.Theta[4] != 0 || math.Max(tr.Theta[1], tr.Theta[3]) < 0.2 {
		t.Errorf("loss %v at %v", tr.Value, tr.Theta)
	}
	short := linear(t)
	short.Steps = 37
	if status, err := short.Run(context.Background(), nil); status != solve.StepLimit || err != nil || short.Step != 37 {
		t.Errorf("%s, %v, %d steps", status, err, short.Step)
	}
}

// TestTrainingResumes checks that a training resumed from every saved state ends with the same bytes.
func TestTrainingResumes(t *testing.T) {
	whole := linear(t)
	var states [][]byte
	whole.Pause = func(state func() []byte) { states = append(states, state()) }
	must.Get(whole.Run(context.Background(), nil))
	if len(states) != 120 {
		t.Fatalf("%d states", len(states))
	}
	for i := 0; i < len(states); i += 17 {
		again := linear(t)
		must.Get(again.Run(context.Background(), states[i]))
		if !slices.Equal(again.Theta, whole.Theta) || !bytes.Equal(again.encode(), whole.encode()) {
			t.Errorf("from state %d: %v, want %v", i, again.Theta, whole.Theta)
		}
	}
	bad := linear(t)
	if _, err := bad.Run(context.Background(), states[3][:50]); err == nil {
		t.Error("a damaged state is no error")
	}
}

// TestTrainingStops checks that a stopped training reports it, with the parameters of its last step, and can be
// resumed with the same result.
func TestTrainingStops(t *testing.T) {
	whole := linear(t)
	must.Get(whole.Run(context.Background(), nil))
	ctx, cancel := context.WithCancel(context.Background())
	tr := linear(t)
	var last []byte
	tr.Pause = func(state func() []byte) {
		if last = state(); tr.Step == 33 {
			cancel()
		}
	}
	if status, err := tr.Run(ctx, nil); status != solve.Canceled || err != nil || tr.Step > 35 {
		t.Fatalf("%s, %v, %d steps", status, err, tr.Step)
	}
	again := linear(t)
	if _, err := again.Run(context.Background(), last); err != nil || !slices.Equal(again.Theta, whole.Theta) {
		t.Errorf("%v: %v, want %v", err, again.Theta, whole.Theta)
	}
}

// TestTrainingUndoesSteps checks that a step to a point that cannot be evaluated is undone and the rate halved.
// If nothing helps, the training fails and keeps its last finite point.
func TestTrainingUndoesSteps(t *testing.T) {
	loss := tape.New(1)
	x, w := loss.Input(10, 3), loss.Param(3, 3)
	out := loss.Sum(loss.Log(w)) // pulls to 0 and has no value beyond
	tr := linear(t)
	tr.Loss, tr.Zero, tr.Optimizer, tr.Rate = &Graph{loss, x, out}, make([]bool, 9), RMSprop(), 5
	for k := range tr.Theta {
		tr.Theta[k] = 1
	}
	tr.Rho = 0
	status, err := tr.Run(context.Background(), nil)
	if err != nil || status != solve.Converged || tr.Rate >= 5 {
		t.Errorf("%s, %v, rate %v", status, err, tr.Rate)
	}
	never := linear(t)
	never.Loss = &Graph{loss, x, out}
	if status, err := never.Run(context.Background(), nil); err == nil || status != solve.Failed || slices.ContainsFunc(never.Theta, math.IsNaN) {
		t.Errorf("%s, %v, %v", status, err, never.Theta)
	}
}

// TestOptimizers compares both optimizers with their formulas.
func TestOptimizers(t *testing.T) {
	adam, rms := Adam(), RMSprop()
	a, r := []float64{1}, []float64{1}
	m, v, u, wantA, wantR := 0.0, 0.0, 0.0, 1.0, 1.0
	for k := 1; k <= 5; k++ {
		g := []float64{float64(k) - 2.5}
		adam.Step(a, g, 0.1)
		rms.Step(r, g, 0.1)
		m, v, u = 0.9*m+0.1*g[0], 0.999*v+0.001*g[0]*g[0], 0.99*u+0.01*g[0]*g[0]
		wantA -= 0.1 * m / (1 - math.Pow(0.9, float64(k))) / (math.Sqrt(v/(1-math.Pow(0.999, float64(k)))) + 1e-8)
		wantR -= 0.1 * g[0] / (math.Sqrt(u) + 1e-8)
		if !(math.Abs(a[0]-wantA) <= 1e-12) || !(math.Abs(r[0]-wantR) <= 1e-12) {
			t.Errorf("step %d: %v and %v, want %v and %v", k, a[0], r[0], wantA, wantR)
		}
	}
}

// TestAscent checks the schedule of NOTEARS: ρ grows tenfold if h is above a quarter of its previous value,
// otherwise α grows; it ends when h is small.
func TestAscent(t *testing.T) {
	a := NewAscent(1e-8, 1e16, 1e-6, 10, 1000)
	for _, c := range []struct {
		h, rho, alpha float64
		done          bool
	}{{0.8, 1, 0.8, false}, {0.3, 10, 0.8, false}, {0.1, 10, 1.8, false}, {1e-9, 10, 1.8 + 1e-8, true}} {
		m := a.Next(solve.Point{Score: 1, H: c.h, Still: true})
		if m.Rho != c.rho || !(math.Abs(m.Alpha-c.alpha) <= 1e-12) || m.Done != c.done || !m.Restart {
			t.Errorf("h = %v: %+v, want %+v", c.h, m, c)
		}
	}
	b := NewAscent(1e-8, 1e16, 1e-6, 10, 1000)
	for step := range 40 {
		score := 1.0
		if step < 15 {
			score = 2 - float64(step)/15
		}
		if m := b.Next(solve.Point{Step: step, Score: score, H: 1}); m.Restart != (step == 30) {
			t.Errorf("step %d: restart %v", step, m.Restart)
		}
	}
}

// watched records the content of the graph of h after each step.
type watched struct {
	plainPolicy
	h    *tape.Node
	seen *[]float64
}

func (w watched) AfterStep(context.Context, *Training) (bool, error) {
	*w.seen = append(*w.seen, w.h.Value.Data[0])
	return false, nil
}

// TestTrainingAway checks that a training with a loss on a device takes the same steps, also if the loss is
// handed back or a step is undone. A lost device ends it with that error.
func TestTrainingAway(t *testing.T) {
	var seen [2][]float64
	run := func(k int, fails func(step int) error) (*Training, error) {
		tr := linear(t)
		tr.Policy = watched{plainPolicy{12}, tr.H.Out, &seen[k]}
		asked, own := 0, linear(t).Loss
		factor := tr.Loss.Input(1, 1)
		tr.Loss.Out = tr.Loss.Product(tr.Loss.Out, factor)
		tr.Prepare = func(step int) {
			if factor.Value.Data[0] = 1; fails == nil && step%7 == 0 {
				factor.Value.Data[0] = math.NaN()
			}
		}
		if fails != nil {
			tr.Away = func(batch *matrix.Dense[float64], grad, theta []float64, weight float64) (float64, error) {
				asked++
				if err := fails(asked); err != nil {
					return 0, err
				}
				own.Load(theta)
				return own.Run(batch, grad, weight)
			}
		}
		_, err := tr.Run(context.Background(), nil)
		return tr, err
	}
	outside := errors.New("outside the domain")
	here, err := run(0, nil)
	must.Succeed(t, err)
	there, err := run(1, func(step int) error {
		switch {
		case step%7 == 0:
			return outside
		case step%5 == 0:
			return solve.ErrStuck
		}
		return nil
	})
	if err != nil || here.Step != there.Step || !slices.Equal(here.Theta, there.Theta) || !slices.Equal(seen[0], seen[1]) || here.Rate >= 0.01 {
		t.Errorf("%v: %d and %d steps, %v and %v, rate %v", err, here.Step, there.Step, here.Theta, there.Theta, here.Rate)
	}
	lost, err := run(1, func(step int) error {
		if step == 20 {
			return Away(outside)
		}
		return nil
	})
	if !errors.Is(err, ErrAway) || !errors.Is(err, outside) || lost.Step != 19 {
		t.Errorf("%v after %d steps", err, lost.Step)
	}
}
