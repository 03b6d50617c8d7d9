package dagma

import (
	"context"
	"math"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// TestStagesHaveThePublishedS checks that the published s are 1, 0.9, 0.8, 0.7 and 0.6.
func TestStagesHaveThePublishedS(t *testing.T) {
	m := New()
	for k, want := range []float64{1, 0.9, 0.8, 0.7, 0.6} {
		if got := m.s(k); !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("stage %d has s = %v, want %v", k, got, want)
		}
	}
	if m.Stages = 1; m.s(0) != 1 {
		t.Errorf("a single stage has s = %v, want the first", m.s(0))
	}
}

// TestWithinTheDomain checks that a stage that begins outside the domain of its s gets the next one whose
// domain has it.
func TestWithinTheDomain(t *testing.T) {
	w := matrix.New[float64](2, 2)
	w.Set(0, 1, 0.9)
	w.Set(1, 0, 0.9) // the spectral radius of W∘W is 0.81
	for _, c := range []struct{ s, want float64 }{{1, 1}, {0.9, 0.9}, {0.8, 0.9}, {0.6, 0.9}} {
		h := &acyclic.LogDet[float64]{}
		if within(h, c.s, w); !(math.Abs(h.S-c.want) <= 1e-9) {
			t.Errorf("s = %v became %v, want %v", c.s, h.S, c.want)
		}
		if within(h, c.s, nil); h.S != c.s {
			t.Errorf("at the zero matrix s = %v became %v", c.s, h.S)
		}
	}
}

func data(t testing.TB, d int) *dataset.Moments {
	t.Helper()
	in, _ := inputtest.Simulated(t, 1000, func(c *sim.Settings) { c.Nodes, c.Seed = d, 1 })
	return in.Moments
}

// TestStepsOfAllStages checks that steps are counted over all legs, and that each stage starts from the
// previous W.
func TestStepsOfAllStages(t *testing.T) {
	m := New()
	m.StageSteps, m.LastSteps, m.Every, m.Rate = 20, 30, 10, 0.01
	m.Tol = 0
	a := must.Get(m.Learn(context.Background(), &method.Input{Moments: data(t, 6), Threads: 1}, nil))
	if a.Continuous.Steps != 4*20+30 || a.Status != method.Converged {
		t.Errorf("%d steps, status %s", a.Continuous.Steps, a.Status)
	}
}

// TestWeightOfTheScoreFalls checks that the weight of the score in the last stage is the first one times the factor of each change of
// stage. It follows from two columns and the stationary point W of the last stage. With the covariance S and s of the log-determinant,
//
//	mu·(S₁₁·w₁₂ - S₁₂ + λ) + 2·w₁₂·w₂₁²/(s² - w₁₂²·w₂₁²) = 0.
func TestWeightOfTheScoreFalls(t *testing.T) {
	rows := matrix.Of(4, 2, []float64{2, 1, 1, 2, -2, -1, -1, -2})
	moments, err := dataset.MomentsOf([]string{"a", "b"}, rows, 1)
	must.Succeed(t, err)
	m := New()
	m.Stages, m.Factor, m.Precision, m.Tol, m.Rate, m.StageSteps, m.LastSteps = 3, 0.5, 64, 0, 0.001, 3000, 10000
	a := must.Get(m.Learn(context.Background(), &method.Input{Moments: moments, Threads: 1}, nil))
	w, s := a.Continuous.W, moments.Covariance()
	x, y := w.At(0, 1), w.At(1, 0)
	mu := 2 * x * y * y / (0.6*0.6 - x*x*y*y) / (s.At(0, 1) - m.L1 - s.At(0, 0)*x)
	if want := m.Mu / 4; !(math.Abs(mu-want) < 0.01*want) {
		t.Errorf("the weight of the score is %v, want %v; W = %v", mu, want, w.Data)
	}
}

// BenchmarkSteps takes 100 steps of the first stage.
func BenchmarkSteps(b *testing.B) {
	for name, d := range map[string]int{"d=100": 100, "d=200": 200} {
		in := &method.Input{Moments: data(b, d), Threads: 1}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				m := New()
				m.Stages, m.LastSteps = 1, 100
				must.Get(m.Learn(context.Background(), in, nil))
			}
		})
	}
}

// TestPublishedSettings compares with the defaults of DagmaLinear.fit in the published code.
func TestPublishedSettings(t *testing.T) {
	want := Method{Stages: 5, Mu: 1, Factor: 0.1, SFirst: 1, SLast: 0.6, StageSteps: 3e4, LastSteps: 6e4, Every: 1000, Tol: 1e-6, Rate: 3e-4, Beta1: 0.99, Beta2: 0.999}
	want.L1, want.Threshold, want.Precision = 0.03, 0.3, 32
	must.Same(t, *New(), want, "settings")
}
