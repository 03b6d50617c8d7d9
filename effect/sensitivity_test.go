package effect

import (
	"math"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/sim"
)

// Published figures: Cinelli and Hazlett (2020), section 4.2, have t = 4.18 with 783 degrees of freedom and a robustness of 13.9 %;
// VanderWeele and Ding (2017) have the E-value 7.26 for a risk ratio of 3.9.
func TestPublishedSensitivities(t *testing.T) {
	near(t, "robustness", robustness(4.18/math.Sqrt(783)), 0.139, 0.0005)
	near(t, "E-value", eValue(3.9), 7.26, 0.005)
	near(t, "E-value of a ratio below 1", eValue(1/3.9), eValue(3.9), 1e-12)
	near(t, "E-value of nothing", eValue(1), 1, 0)
}

// A hidden cause of exactly the strength that the robustness names makes the slope zero: with u that explains a share of what is left of
// both columns, the slope given u is slope ± √(share²/(1-share)·left of b/left of a).
func TestRobustnessMakesTheSlopeZero(t *testing.T) {
	m := drawn(t, sim.Linear, 5, 2, nil)
	all, err := dataset.FromRows(m.Names(), m.Sample(sim.Stream(1, sim.StreamNoise), 400), 1)
	if err != nil {
		t.Fatal(err)
	}
	s, slope, ok := hidden(all, 0, 1, []int{2}, 0.9)
	if !ok {
		t.Fatal("no sensitivity")
	}
	_, left, leftOf, _ := partial(all, 1, 0, []int{2})
	rv := *s.Robustness
	near(t, "bias", math.Sqrt(rv*rv/(1-rv)*left/leftOf), math.Abs(slope), 1e-9)
	if *s.RobustnessInterval >= rv || len(s.Benchmarks) > 1 {
		t.Errorf("%+v", s)
	}
}

// A benchmark is what leaving a column out would do: of two columns that act alike on both, the slope without the one is about what the
// benchmark of the other says.
func TestBenchmarkIsAHiddenTwin(t *testing.T) {
	rng := sim.Stream(5, sim.StreamNoise)
	x := newDense(50_000, 4) // two causes, of both a and b
	for i := range x.Rows {
		u, v := rng.NormFloat64(), rng.NormFloat64()
		a := 0.5*u + 0.5*v + rng.NormFloat64()
		x.Set(i, 0, u)
		x.Set(i, 1, v)
		x.Set(i, 2, a)
		x.Set(i, 3, a-0.5*u-0.5*v+rng.NormFloat64())
	}
	all, err := dataset.FromRows([]string{"u", "v", "a", "b"}, x, 1)
	if err != nil {
		t.Fatal(err)
	}
	s, slope, ok := hidden(all, 2, 3, []int{0}, 0.9) // v is hidden
	if !ok || len(s.Benchmarks) != 1 {
		t.Fatal("no benchmark")
	}
	// The bias is bounded in size, whatever its sign: the true slope is 1, which lies above the one without v.
	bias := slope - s.Benchmarks[0].Slope
	near(t, "slope with v", slope+bias, 1, 0.03)
}

// Two levels get an E-value from the probabilities under do.
func TestRatioOfLevels(t *testing.T) {
	k := levelsTrial(t, 3, 2000)
	a := ask(t, known(t, k.table, k.truth, score.TableEffects), k.table, k.of, k.on, func(q *Question) { q.Replicates, q.Do = 30, []string{"l0", "l1"} })
	s := a.Sensitivity
	if s == nil || s.EValue == nil || s.EValueInterval == nil {
		t.Fatalf("%+v", s)
	}
	ratio := a.Distributions[1].Levels[1].Value / a.Distributions[0].Levels[1].Value
	near(t, "ratio", *s.RiskRatio, ratio, 1e-12)
	if !(*s.EValueInterval < *s.EValue) || a.Interval.Method != OverRows || a.Interval.Replicates != 30 {
		t.Errorf("%+v, %+v", s, a.Interval)
	}
	for _, d := range a.Distributions {
		p, q := d.Levels[0], d.Levels[1]
		near(t, "sum", p.Value+q.Value, 1, 1e-12)
		near(t, "mirrored", *p.Low+*q.High, 1, 1e-12)
	}
	total := a.Effects[0].Total
	near(t, "contrast", total.Value, a.Distributions[1].Levels[1].Value-a.Distributions[0].Levels[1].Value, 1e-12)
}
