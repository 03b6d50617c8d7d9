package effect

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// withPosterior learns from the table of a trial with posterior probabilities; ordered adds the true order as
// knowledge.
func withPosterior(t testing.TB, k trial, ordered bool) *polydag.Result {
	t.Helper()
	cfg := polydag.DefaultConfig()
	cfg.Method = k.method
	if ordered {
		order := must.Get(k.truth.Order())
		for _, v := range order {
			cfg.Knowledge.Tiers = append(cfg.Knowledge.Tiers, []string{k.table.Moments.Names[v]})
		}
	}
	res := must.Get(confidence.Posterior(context.Background(), k.table, cfg, confidence.DefaultPosterior(), polydag.Run{}))
	return res
}

// TestDrawnWeights checks that sampled weights have the mean and the covariance matrix of least squares, larger
// by free/(free - 2) as for a Student distribution, with few rows and with many.
func TestDrawnWeights(t *testing.T) {
	for _, n := range []int{12, 400} {
		k := linearTrial(t, 3, false, n, 0)
		g := graph.New(6)
		for p := range 3 {
			g.AddEdge(p, 5)
		}
		s := must.Get(newSource(context.Background(), known(t, k.table, g, score.LinearEffects), k.table, 1, nil))
		base := must.Get(fitLinear(g, s.moments, s.pool))
		const draws = 20000
		rng := rand.New(rand.NewPCG(1, 1))
		var sum [3]float64
		var product [3][3]float64
		for range draws {
			l := must.Get(fitLinear(g, s.moments, s.pool))
			must.Succeed(t, l.draw(rng, func(int) int { return n }))
			var off [3]float64
			for p := range off {
				e := graph.Edge{From: p, To: 5}
				off[p] = l.weight[e] - base.weight[e]
				sum[p] += off[p] / draws
			}
			for i := range off {
				for j := range off {
					product[i][j] += off[i] * off[j] / draws
				}
			}
		}
		free := float64(n - 4)
		for i := range 3 {
			sd := math.Sqrt(base.vary[5].At(i, i))
			if !(math.Abs(sum[i]) <= 0.05*sd) {
				t.Errorf("%d rows, weight %d: the mean is off by %.3g standard deviations", n, i, sum[i]/sd)
			}
			for j := range 3 {
				want := base.vary[5].At(i, j) * free / (free - 2)
				if !(math.Abs(product[i][j]-want) <= 0.06*math.Sqrt(base.vary[5].At(i, i)*base.vary[5].At(j, j))) {
					t.Errorf("%d rows, covariance %d, %d: %.4g, want %.4g", n, i, j, product[i][j], want)
				}
			}
		}
	}
}

// TestPosteriorIntervals checks that the interval of a result with a posterior states it, has the path
// probability of the result, does not depend on threads, and with a known order is about that of the formula.
func TestPosteriorIntervals(t *testing.T) {
	k := linearTrial(t, 1, false, 800, 0)
	res := withPosterior(t, k, true)
	q := NewQuestion(k.of, k.on)
	q.Threads = 1
	ask := func(q Question) *Answer {
		a := must.Get(Ask(context.Background(), res, k.table, q))
		return a
	}
	a := ask(q)
	if a.Interval == nil || a.Interval.Method != OverPosterior || a.Interval.Replicates < 1000 || a.Interval.Paths == nil {
		t.Fatalf("%+v", a.Interval)
	}
	for _, p := range res.Confidence.Pairs {
		if p.From == k.of && p.To == k.on && !(math.Abs(p.Ancestor-*a.Interval.Paths) <= 1e-9) {
			t.Errorf("a path with probability %v, and %v in the result", *a.Interval.Paths, p.Ancestor)
		}
	}
	q.Threads = 3
	one, _ := json.Marshal(a)
	if other, _ := json.Marshal(ask(q)); string(one) != string(other) {
		t.Error("another answer on three threads")
	}
	var b bytes.Buffer
	if err := a.WriteText(&b); err != nil || !strings.Contains(b.String(), "sampled from the posterior") {
		t.Errorf("%v: %s", err, &b)
	}
	q.GivenGraph = true
	f := ask(q)
	if f.Interval == nil || f.Interval.Method != ByFormula {
		t.Fatalf("with the graph given the interval is %+v", f.Interval)
	}
	if *a.Interval.Paths < 0.999 {
		t.Fatalf("the graph is in doubt, and the test tells nothing: %v", *a.Interval.Paths)
	}
	got, want := a.Effects[0].Total, f.Effects[0].Total
	wide := *want.High - *want.Low
	if !(math.Abs(*got.Low-*want.Low) <= 0.2*wide) || !(math.Abs(*got.High-*want.High) <= 0.2*wide) {
		t.Errorf("%v to %v, by formula %v to %v", *got.Low, *got.High, *want.Low, *want.High)
	}
}

// TestStudyPosteriorCoverage measures the coverage of the intervals for effects that are the same over the
// class of the true graph; docs/guides/effects.md has the figures.
func TestStudyPosteriorCoverage(t *testing.T) {
	tables, err := strconv.Atoi(os.Getenv("POLYDAG_STUDY"))
	if err != nil {
		t.Skip("it takes a minute: set POLYDAG_STUDY to a number of tables, such as 500")
	}
	held, width := 0, 0.0
	for seed := range uint64(tables) {
		k := linearTrial(t, seed+7000, false, 500, 0)
		a := must.Get(Ask(context.Background(), withPosterior(t, k, false), k.table, NewQuestion(k.of, k.on)))
		total := a.Effects[0].Total
		if *total.Low <= k.effect && k.effect <= *total.High {
			held++
		}
		width += (*total.High - *total.Low) / float64(tables)
	}
	t.Logf("%d of %d intervals hold the truth, %.1f %%; mean width %.3g", held, tables, 100*float64(held)/float64(tables), width)
}

// TestDrawnWeightsHaveTheirDegreesOfFreedom has four rows and one parent, and thus two degrees of freedom. Half
// of the draws lie within √(2/3) standard errors, the quartile of Student's distribution; with one more it
// would be 0.526 of them.
func TestDrawnWeightsHaveTheirDegreesOfFreedom(t *testing.T) {
	g := graph.New(2)
	g.AddEdge(0, 1)
	rng := rand.New(rand.NewPCG(2, 2))
	const draws = 40_000
	within := 0
	for range draws {
		l := must.Get(newLinear(g, make([]float64, 2)))
		l.vary[1] = matrix.Of(1, 1, []float64{1})
		must.Succeed(t, l.draw(rng, func(int) int { return 4 }))
		if math.Abs(l.weight[graph.Edge{From: 0, To: 1}]) < math.Sqrt(2./3) {
			within++
		}
	}
	near(t, "share within the quartiles", float64(within)/draws, 0.5, 0.01)
}
