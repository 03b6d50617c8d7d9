package dagma

import (
	"context"
	"math"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/sim"
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
	c := sim.Default()
	c.Nodes, c.Seed = d, 1
	m, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	out, err := dataset.FromRows(m.Names(), m.Sample(sim.Stream(1, sim.StreamNoise), 1000), 1)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestStepsOfAllStages checks that steps are counted over all legs, and that each stage starts from the
// previous W.
func TestStepsOfAllStages(t *testing.T) {
	m := New()
	m.StageSteps, m.LastSteps, m.Every, m.Rate = 20, 30, 10, 0.01
	m.Tol = 0
	a, err := m.Learn(context.Background(), &method.Input{Moments: data(t, 6), Threads: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
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
	moments, err := dataset.FromRows([]string{"a", "b"}, rows, 1)
	if err != nil {
		t.Fatal(err)
	}
	m := New()
	m.Stages, m.Factor, m.Precision, m.Tol, m.Rate, m.StageSteps, m.LastSteps = 3, 0.5, 64, 0, 0.001, 3000, 10000
	a, err := m.Learn(context.Background(), &method.Input{Moments: moments, Threads: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
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
				if _, err := m.Learn(context.Background(), in, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
