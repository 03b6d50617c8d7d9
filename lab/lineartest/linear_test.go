package lineartest

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/polydag/polydag/lab/lagrangian"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/lab/constraint"
	"github.com/polydag/polydag/lab/dagma"
	"github.com/polydag/polydag/lab/golem"
	"github.com/polydag/polydag/lab/nocurl"
	"github.com/polydag/polydag/lab/notears"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/lab/tmpi"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/linear"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/solve"
)

// published lists the methods with their published settings.
func published() []method.Method {
	return []method.Method{notears.New(), tmpi.New(), golem.NewEqual(), golem.NewUnequal(), nocurl.New(), dagma.New()}
}

// quick returns a method by its index in published, with few steps if the published number is large.
func quick(t testing.TB, at int, more ...[2]string) method.Method {
	t.Helper()
	m := published()[at]
	s := param.Of(m)
	few := [][2]string{{"rounds", "8"}, {"inner", "60"}, {"stage-steps", "60"}, {"last-steps", "80"}, {"every", "30"}, {"rate", "0.02"}}
	if m.Info().Name != nocurl.New().Info().Name {
		few = append(few, [2]string{"steps", "150"})
	}
	for _, kv := range append(few, more...) {
		if s.Lookup(kv[0]) == nil {
			continue
		}
		must.Succeed(t, s.Set(kv[0], kv[1]))
	}
	must.Succeed(t, s.Finish())
	return m
}

// table draws a sample of a random model with equal noise variances.
func table(t testing.TB, seed uint64, d, n int, change func(*sim.Settings)) (*sim.Model, *dataset.Moments) {
	t.Helper()
	in, m := inputtest.Simulated(t, n, func(c *sim.Settings) {
		if c.Nodes, c.Seed = d, seed; change != nil {
			change(c)
		}
	})
	return m, in.Moments
}

func config(m method.Method) polydag.Config {
	cfg := polydag.DefaultConfig()
	cfg.Method, cfg.CheckScale = m, polydag.CheckScaleNever
	return cfg
}

// TestRawUnits checks that in raw units with equal noise variances every method finds most of a small graph, in
// both precisions.
func TestRawUnits(t *testing.T) {
	for at, m := range published() {
		for _, bits := range []string{"32", "64"} {
			t.Run(m.Info().Name+"/"+bits, func(t *testing.T) {
				truth, data := table(t, 2, 8, 1000, func(c *sim.Settings) { c.Degree = 2 })
				fast := quick(t, at, [2]string{"precision", bits}, [2]string{"rounds", "30"}, [2]string{"inner", "200"},
					[2]string{"steps", "2000"}, [2]string{"stage-steps", "800"}, [2]string{"last-steps", "1200"}, [2]string{"rate", "0.005"})
				res := must.Get(polydag.FromMoments(data).Learn(context.Background(), config(fast), polydag.Run{}))
				if r := metric.Compare(truth.Graph(), res.Graph); r.F1 < 0.8 {
					t.Errorf("F1 %v, SHD %d", r.F1, r.SHD)
				}
				if !res.W.Finite() {
					t.Error("a weight is not finite")
				}
			})
		}
	}
}

// TestScoreHasThePenalty checks that the score is ½·tr((I-W)ᵀ·S·(I-W)) + λ·Σ|w| for the covariance S.
func TestScoreHasThePenalty(t *testing.T) {
	_, data := table(t, 3, 5, 300, nil)
	d, cov := len(data.Names), data.Covariance()
	for at, l1 := range map[int]float64{0: published()[0].(*notears.Method).L1, 5: published()[5].(*dagma.Method).L1} {
		m := quick(t, at, [2]string{"precision", "64"})
		a := must.Get(m.Learn(context.Background(), &method.Input{Moments: data, Threads: 1}, nil))
		left := func(i, j int) float64 { // I - W
			if i == j {
				return 1
			}
			return -a.Continuous.W.At(i, j)
		}
		want, size := 0.0, 0.0
		for i := range d {
			for j := range d {
				size += math.Abs(a.Continuous.W.At(i, j))
				for k := range d {
					want += left(i, k) * cov.At(i, j) * left(j, k) / 2
				}
			}
		}
		if want += l1 * size; l1 == 0 || size < 0.1 || !(math.Abs(a.Score-want) <= 1e-9*want) {
			t.Errorf("%s: the score is %v, want %v", m.Info().Name, a.Score, want)
		}
	}
}

// TestUnitsFarApart checks that columns in units that differ by twelve orders of magnitude give poor graphs,
// and finite ones.
func TestUnitsFarApart(t *testing.T) {
	for at, m := range published() {
		t.Run(m.Info().Name, func(t *testing.T) {
			_, data := table(t, 6, 8, 300, nil)
			d := len(data.Names)
			for i := range d {
				f := math.Pow(10, float64(3*(i%5)-6))
				data.Mean[i], data.Min[i], data.Max[i] = f*data.Mean[i], f*data.Min[i], f*data.Max[i]
				for j := range d {
					data.Scatter[i*d+j] *= f
					data.Scatter[j*d+i] *= f
				}
			}
			res := must.Get(polydag.FromMoments(data).Learn(context.Background(), config(quick(t, at)), polydag.Run{}))
			if !res.W.Finite() || res.Score-res.Score != 0 || !res.Graph.IsAcyclic() {
				t.Errorf("score %v, status %s", res.Score, res.Status)
			}
		})
	}
}

// TestEndedOnTheWay checks that an interrupted run has the best result so far.
func TestEndedOnTheWay(t *testing.T) {
	for at, m := range published() {
		t.Run(m.Info().Name, func(t *testing.T) {
			_, data := table(t, 3, 10, 500, nil)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			steps := 0
			res := must.Get(polydag.BestSoFar(polydag.FromMoments(data).Learn(ctx, config(quick(t, at)), polydag.Run{Observe: func(p polydag.Progress) {
				if steps++; steps == 12 {
					cancel()
				}
			}})))
			if res.Status != method.Canceled || res.Continuous.Steps == 0 || res.Continuous.Steps > 12 || !res.W.Finite() {
				t.Errorf("status %s after %d steps", res.Status, res.Continuous.Steps)
			}
		})
	}
}

// TestStepsThatAreTooLong checks that steps which leave the domain of score or constraint are shortened, and
// that the run finishes.
func TestStepsThatAreTooLong(t *testing.T) {
	for at, m := range published() {
		if param.Of(m).Lookup("rate") == nil {
			continue // a line search chooses the step
		}
		t.Run(m.Info().Name, func(t *testing.T) {
			_, data := table(t, 4, 10, 500, nil)
			res := must.Get(polydag.FromMoments(data).Learn(context.Background(), config(quick(t, at, [2]string{"rate", "20"})), polydag.Run{}))
			if !res.Status.Finished() && res.Status != method.StepLimit || !res.W.Finite() {
				t.Errorf("status %s: %s", res.Status, res.Cause)
			}
		})
	}
}

// TestKnowledgeAgainstTheData checks that required edges stay, even if they close a cycle with heavier ones,
// and that forbidden ones are absent.
func TestKnowledgeAgainstTheData(t *testing.T) {
	for at, m := range published() {
		t.Run(m.Info().Name, func(t *testing.T) {
			truth, data := table(t, 5, 8, 1000, func(c *sim.Settings) { c.Degree = 3 })
			e := truth.Graph().Edges()[0]
			f := truth.Graph().Edges()[1]
			name := func(i int) string { return data.Names[i] }
			cfg := config(quick(t, at))
			cfg.Knowledge = knowledge.Spec{
				Require: []string{name(e.To) + "->" + name(e.From)},
				Forbid:  []string{name(f.From) + "->" + name(f.To)},
			}
			res := must.Get(polydag.FromMoments(data).Learn(context.Background(), cfg, polydag.Run{}))
			if !res.Graph.HasEdge(e.To, e.From) || res.Graph.HasEdge(f.From, f.To) || !res.Graph.IsAcyclic() {
				t.Errorf("edges %v, required %v, forbidden %v", res.Graph.Edges(), graph.Edge{From: e.To, To: e.From}, f)
			}
		})
	}
}

// zero is a score and a constraint that is 0 everywhere.
type zero struct{}

func (zero) Eval(grad, w *matrix.Dense[float64]) (float64, error) {
	if grad != nil {
		grad.Zero()
	}
	return 0, nil
}

// TestCutting checks that the lightest edge of a cycle is removed unless it is required.
func TestCutting(t *testing.T) {
	_, data := table(t, 1, 3, 50, func(c *sim.Settings) { c.Degree = 1 })
	w := matrix.New[float64](3, 3)
	w.Set(0, 1, 2)
	w.Set(1, 2, 0.5)
	w.Set(2, 0, 1)
	w.Set(0, 2, 0.1)
	for _, c := range []struct {
		require []string
		cut     graph.Edge
	}{{nil, graph.Edge{From: 1, To: 2}}, {[]string{data.Names[1] + "->" + data.Names[2]}, graph.Edge{From: 2, To: 0}}} {
		known, err := knowledge.Spec{Require: c.require}.Resolve(data.Names)
		must.Succeed(t, err)
		in := &method.Input{Moments: data, Threads: 1, Knowledge: known}
		out := &solve.Result[float64]{W: w, Status: solve.Converged}
		a := must.Get(linear.Finish[float64](in, &linear.Course{Name: "test"}, zero{}, zero{}, out, nil, 0.3))
		if k := a.Continuous; len(k.Cut) != 1 || k.Cut[0] != c.cut || k.Thresholded.NumEdges() != 3 || k.CutCost == nil || math.IsNaN(*k.CutCost) {
			t.Errorf("required %v: cut %v of %v", c.require, k.Cut, k.Thresholded.Edges())
		}
	}
}

// TestPublishedSettings compares with the published code: notears_linear with its command line, GOLEM's defaults for the two likelihoods,
// NoCurl-2 and the code of polyDAG. TestPublishedSettings of dagma has those of DAGMA.
func TestPublishedSettings(t *testing.T) {
	soft := func(l1 float64) golem.Soft {
		return golem.Soft{Settings: linear.Settings{L1: l1, Threshold: 0.3, Precision: 32}, Constraint: constraint.Exponential, Weight: 5, Steps: 1e5, Rate: 1e-3, Every: 1000, Tol: 1e-6}
	}
	must.Same(t, *golem.NewEqual(), golem.Equal{Soft: soft(0.02)}, "golem-ev")
	must.Same(t, *nocurl.New(), nocurl.Method{Settings: linear.Settings{Threshold: 0.3, Precision: 64}, Light: 10, Heavy: 1000, Steps: 15000, Tol: 1e-8}, "nocurl")
	must.Same(t, *golem.NewUnequal(), golem.Unequal{Soft: soft(0.002), L1Equal: 0.02}, "golem-nv")
	must.Same(t, fmt.Sprint(lagrangian.DefaultLagrangian()), fmt.Sprint(lagrangian.Lagrangian{
		Settings: linear.Settings{L1: 0.1, Threshold: 0.3, Precision: 64}, Rho: 1, RhoMax: 1e16, HTol: 1e-8, Rounds: 100, Inner: 1000, Tol: 2.2e-9,
	}), "notears")
	must.Same(t, linear.DefaultReleased(), linear.Released{
		Schedule: linear.AsReleased, L1: 0.01, Threshold: 0.3, Steps: 2000, Rate: 0.01, Rho: 1, Inner: 200, HTol: 1e-8, Precision: 64,
	}, "polyDAG")
}
