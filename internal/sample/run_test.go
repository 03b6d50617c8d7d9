package sample_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/sample"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/search"
)

// run samples a posterior with chains, whatever the number of variables.
func run(tb testing.TB, p sample.Problem, samples, rounds int) *sample.Result {
	s := sample.DefaultSettings()
	s.Exact, s.Samples, s.Rounds, s.Threads, s.Seed = 0, samples, rounds, 2, 3
	return must.Get(sample.Run(context.Background(), p, s, nil))
}

// farthest is the largest difference of two matrices.
func farthest(a, b *matrix.Dense[float64]) (worst float64) {
	for i := range a.Data {
		worst = max(worst, math.Abs(a.Data[i]-b.Data[i]))
	}
	return worst
}

// TestChainsAgainstEnumeration compares the sampler with all graphs on five variables, with candidates for all
// parents and with so few that the other parent matters. As a control, weighting each order of a graph, as in
// uncorrected order MCMC, must exceed the tolerance.
func TestChainsAgainstEnumeration(t *testing.T) {
	const tolerance = 0.03 // an effective sample size of 800 has a standard error of at most 0.018
	off := 0.0
	for name, p := range problems(t, 5) {
		want := enumerate(p)
		res := run(t, p, 250, 0)
		if got := farthest(res.Edge, want.edges); got > tolerance {
			t.Errorf("%s: probabilities are off by up to %.3f (R-hat %.3f, ESS %.0f)", name, got, res.RHat, res.ESS)
		}
		t.Logf("%-12s off by %.4f, R-hat %.3f, ESS %.0f, accepted %.2f; by orders %.4f", name, farthest(res.Edge, want.edges), res.RHat, res.ESS, res.Accepted, farthest(want.ordered, want.edges))
		off = max(off, farthest(want.ordered, want.edges))
	}
	if off < 2*tolerance {
		t.Errorf("without the correction probabilities are off by %.3f only: the test could not tell", off)
	}
}

// TestChainsAgainstExact compares the sampler with the dynamic program.
func TestChainsAgainstExact(t *testing.T) {
	for _, c := range []struct {
		d, n     int
		strength float64
	}{{8, 100, 0.4}, {9, 1000, 0.8}, {10, 60, 0.5}} {
		p := sample.Problem{Score: bge(t, table(c.d, c.n, 3/float64(c.d), c.strength, uint64(c.d)), c.n)}
		e := must.Get(sample.NewExact(context.Background(), p, 2))
		want := must.Get(e.Edges(context.Background()))
		res := run(t, p, 300, 0)
		t.Logf("d = %d: off by %.4f, R-hat %.3f, ESS %.0f, accepted %.2f", c.d, farthest(res.Edge, want), res.RHat, res.ESS, res.Accepted)
		if got := farthest(res.Edge, want); got > 0.04 {
			t.Errorf("d = %d: probabilities are off by up to %.3f (R-hat %.3f, ESS %.0f)", c.d, got, res.RHat, res.ESS)
		}
	}
}

// TestThreads checks that the same seed gives the same bytes on any number of threads, and another seed others.
func TestThreads(t *testing.T) {
	p := sample.Problem{Score: bge(t, table(9, 200, 0.2, 0.5, 1), 200)}
	s := sample.DefaultSettings()
	s.Exact, s.Samples, s.Rounds = 0, 20, 1
	var first *sample.Result
	for _, threads := range []int{1, 3} {
		s.Threads = threads
		res := must.Get(sample.Run(context.Background(), p, s, nil))
		if first == nil {
			first = res
		} else if !reflect.DeepEqual(first, res) {
			t.Error("another number of threads gives another result")
		}
	}
	s.Seed++
	if res, _ := sample.Run(context.Background(), p, s, nil); reflect.DeepEqual(first, res) {
		t.Error("another seed gives the same graphs")
	}
}

// TestKnowledgeIsKept checks that required and forbidden edges are kept in every graph, from a start that
// breaks neither.
func TestKnowledgeIsKept(t *testing.T) {
	const d = 15
	k := search.Knowledge{Required: [][2]int{{3, 4}, {4, 9}, {0, 9}}, Forbidden: func(i, j int) bool { return (i+2*j)%5 == 0 && i != 3 && i != 0 && i != 4 }}
	p := sample.Problem{Score: bge(t, table(d, 150, 0.2, 0.5, 2), 150), Knowledge: k}
	for _, g := range run(t, p, 50, 0).Graphs {
		has := map[[2]int]bool{}
		for _, e := range g {
			has[[2]int{e.From, e.To}] = true
			if k.Forbidden(e.From, e.To) {
				t.Fatalf("%d → %d is forbidden", e.From, e.To)
			}
		}
		for _, e := range k.Required {
			if !has[e] {
				t.Fatalf("%v is required and not there", e)
			}
		}
	}
}

// TestCancel checks that a cancelled run ends with its samples so far.
func TestCancel(t *testing.T) {
	p := sample.Problem{Score: bge(t, table(20, 200, 0.1, 0.5, 1), 200)}
	s := sample.DefaultSettings()
	s.Samples, s.Rounds = 20, 30
	ctx, cancel := context.WithCancel(context.Background())
	res, err := sample.Run(ctx, p, s, func(sample.Round) { cancel() })
	if err != nil || !res.Stopped || len(res.Graphs) != 80 {
		t.Errorf("%+v, %v", res, err)
	}
	if res, err := sample.Run(ctx, p, s, nil); res != nil || err == nil {
		t.Errorf("cancelled before: %v, %v", res, err)
	}
}

// TestAncestors checks that the probability of an ancestor is the share of graphs with a path.
func TestAncestors(t *testing.T) {
	res := run(t, sample.Problem{Score: bge(t, table(6, 100, 0.4, 0.6, 5), 100)}, 50, 0)
	reach := matrix.New[float64](6, 6)
	for _, g := range res.Graphs {
		var a [6][6]bool
		for _, e := range g {
			a[e.From][e.To] = true
		}
		for k := range 6 {
			for i := range 6 {
				for j := range 6 {
					a[i][j] = a[i][j] || a[i][k] && a[k][j]
				}
			}
		}
		for i := range 6 {
			for j := range 6 {
				if a[i][j] {
					reach.Data[i*6+j] += 1 / float64(len(res.Graphs))
				}
			}
		}
	}
	if off := farthest(reach, res.Ancestor); off > 1e-9 {
		t.Errorf("off by %v", off)
	}
}

func BenchmarkExact(b *testing.B) {
	for _, d := range []int{8, 10, 12} {
		b.Run(fmt.Sprintf("d=%d", d), func(b *testing.B) {
			p := sample.Problem{Score: bge(b, table(d, 1000, 0.3, 0.5, 1), 1000)}
			for b.Loop() {
				e := must.Get(sample.NewExact(context.Background(), p, 1))
				must.Get(e.Edges(context.Background()))
			}
		})
	}
}

// TestWithPrior compares the values of a score with a prior with the plain ones, and additions with scores.
func TestWithPrior(t *testing.T) {
	plain := bge(t, table(5, 60, 0.5, 0.3, 1), 60)
	cost := func(x, v int) float64 { return float64(3*x - 2*v) }
	with := sample.WithPrior(plain, cost)
	if with.Equivalent() || sample.WithPrior(plain, nil) != plain {
		t.Error("a prior distinguishes graphs of one class, and no prior changes nothing")
	}
	eval, own := with.Evaluator(), plain.Evaluator()
	parents, v := []int{1, 3}, 2
	want := own.Score(v, parents) + cost(1, v) + cost(3, v)
	must.Near(t, eval.Score(v, parents), want, 1e-12*math.Abs(want), "score")
	added := make([]float64, 5)
	eval.Additions(added, v, parents)
	for x, set := range map[int][]int{0: {0, 1, 3}, 4: {1, 3, 4}} {
		if want := eval.Score(v, set); !(math.Abs(added[x]-want) <= 1e-9*math.Abs(want)) {
			t.Errorf("with %d: %v, want %v", x, added[x], want)
		}
	}
}
