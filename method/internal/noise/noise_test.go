package noise

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/gaussian"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
	"github.com/polydag/polydag/trust"
)

// uneven draws a linear table with noise that is uniform in one column and exponential in the next, or Gaussian.
func uneven(t testing.TB, d, n int, normal bool, seed uint64) (*score.FreeNoise, *graph.Graph, *dataset.Moments) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 21))
	truth, perm := graph.New(d), rng.Perm(d)
	x := matrix.New[float64](n, d)
	weight := matrix.New[float64](d, d)
	for k, v := range perm {
		for _, p := range perm[:k] {
			if rng.Float64() < 3/float64(d) {
				truth.AddEdge(p, v)
				weight.Set(p, v, (0.5+rng.Float64())*float64(1-2*rng.IntN(2)))
			}
		}
	}
	for i := range n {
		row := x.Row(i)
		for _, v := range perm {
			switch {
			case normal:
				row[v] = rng.NormFloat64()
			case v%2 == 0:
				row[v] = rng.Float64() * 3
			default:
				row[v] = rng.ExpFloat64()
			}
			for _, p := range truth.Parents(v) {
				row[v] += weight.At(p, v) * row[p]
			}
		}
	}
	names := make([]string, d)
	for j := range names {
		names[j] = fmt.Sprint("c", j)
	}
	m := inputtest.Moments(t, names, x)
	f := must.Get(score.NewFreeNoise(m.Correlation(), n, math.Log(float64(n)), x.Data, 1))
	return f, truth, m
}

// TestClimbIsExhaustive checks that climbing from the Gaussian graph reaches the optimum of an exhaustive
// search with the same score.
func TestClimbIsExhaustive(t *testing.T) {
	missed := 0
	for seed := range uint64(15) {
		f, truth, m := uneven(t, 6, 800, false, seed)
		s := search.DefaultSettings()
		start, err := search.Search(context.Background(), gaussian.Problem(m), s, nil)
		must.Succeed(t, err)
		s.Exact = 6
		best := must.Get(search.Search(context.Background(), search.Problem{Score: f, Names: m.Names}, s, nil))
		if best.Status != search.Optimal {
			t.Fatalf("seed %d: the twin is %v", seed, best.Status)
		}
		c := newClimber(f.Fit(), graph.FromParents(start.Parents), nil)
		if !c.climb(context.Background(), func(float64, int) {}) {
			t.Fatal("stopped")
		}
		total, edges := c.total()
		if g := graph.FromParents(c.parents); !g.IsAcyclic() || g.NumEdges() != edges {
			t.Fatalf("seed %d: %v", seed, c.parents)
		}
		if total < best.Score-1e-6 {
			t.Errorf("seed %d: %.3f is better than the best, %.3f", seed, total, best.Score)
		}
		if total > best.Score+1e-6 {
			missed++
			t.Logf("seed %d: %.2f above the best; %v, best %v, truth %v", seed, total-best.Score, c.parents, best.Parents, truth.Edges())
		}
	}
	if missed > 1 {
		t.Errorf("%d of 15 tables end above the best graph", missed)
	}
}

// TestDirectionP checks that Gaussian noise identifies hardly any direction, and other noise nearly all,
// correctly.
func TestDirectionP(t *testing.T) {
	tables, edges, settled := 0, 0, 0
	for seed := range uint64(100) {
		f, truth, _ := uneven(t, 6, 400, true, seed)
		p := must.Get(DirectionP(f.Fit(), truth))
		if len(p) > 0 && slices.Min(p) <= trust.NoiseLevel {
			tables++
		}
		if shaped := NotGaussian(f.Fit(), truth); shaped > 0 {
			t.Errorf("seed %d: %d Gaussian residuals are called not Gaussian", seed, shaped)
		}
		if seed < 10 {
			f, truth, _ := uneven(t, 6, 2000, false, seed)
			p := must.Get(DirectionP(f.Fit(), truth))
			for _, v := range p {
				edges++
				if v <= trust.NoiseLevel {
					settled++
				}
			}
			if shaped := NotGaussian(f.Fit(), truth); shaped == 0 && len(p) > 0 {
				t.Errorf("seed %d: every residual is called Gaussian", seed)
			}
		}
	}
	if tables > 5 {
		t.Errorf("Gaussian noise settles a direction in %d of 100 tables", tables)
	}
	if settled < edges*95/100 {
		t.Errorf("%d of %d true directions are settled", settled, edges)
	}
}

// TestHolm compares Holm's method with a step-by-step version.
func TestHolm(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 100 {
		p := make([]float64, rng.IntN(8))
		for i := range p {
			p[i] = math.Pow(rng.Float64(), 3)
		}
		got := slices.Clone(p)
		holm(got)
		for i := range p {
			// The least level at which p[i] is rejected: every smaller one is at its own step.
			want := 0.0
			for j := range p {
				if p[j] <= p[i] {
					rank := 0
					for _, q := range p {
						if q < p[j] {
							rank++
						}
					}
					want = max(want, min(1, p[j]*float64(len(p)-rank)))
				}
			}
			if !(math.Abs(got[i]-want) <= 1e-12) {
				t.Fatalf("%v: %v, want %v at %d", p, got, want, i)
			}
		}
	}
}

// A column with edges counts as not Gaussian if its p-value times the number of columns is at most 0.001 (Bonferroni).
func TestNotGaussianIsCorrected(t *testing.T) {
	between, shaped := 0, 0
	for seed := range uint64(12) {
		f, truth, _ := uneven(t, 10, 130, false, seed)
		fit, want := f.Fit(), 0
		for v := range truth.N() {
			if len(truth.Parents(v))+len(truth.Children(v)) == 0 {
				continue
			}
			switch p := independence.ChiSquared(2*fit.Gain(v, truth.Parents(v)), 6); {
			case 10*p <= 1e-3:
				want++
			case p <= 1e-3:
				between++
			}
		}
		if got := NotGaussian(fit, truth); got != want {
			t.Errorf("seed %d: %d columns, want %d", seed, got, want)
		}
		shaped += want
	}
	if between < 3 || shaped < 3 {
		t.Errorf("%d p-values near the level and %d below: the test looks at too little", between, shaped)
	}
}
