package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// TestRecovery is a small version of the scientific bars: standardized data, strong effects.
func TestRecovery(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: make test runs it; the race detector has the tests of threads")
	}
	for _, c := range []struct {
		name               string
		variance           Variance
		d, edges, n        int
		strength           float64
		directed, skeleton float64
	}{
		{"sparse", Unequal, 60, 120, 1000, 1, 0.93, 0.99},
		{"dense", Unequal, 40, 160, 1000, 1, 0.95, 0.98},
		{"weak", Unequal, 60, 120, 400, 0.4, 0.85, 0.95},
		{"more variables than rows", Unequal, 150, 300, 100, 1, 0.85, 0.95},
		{"equal variances", Equal, 60, 120, 1000, 1, 0.99, 0.99},
		{"equal variances, few rows", Equal, 150, 300, 100, 1, 0.97, 0.97},
	} {
		t.Run(c.name, func(t *testing.T) {
			directed, skeleton := 0.0, 0.0
			const seeds = 2
			for seed := range uint64(seeds) {
				sm := randomSample(c.d, c.edges, c.n, c.strength, 40+seed)
				s := DefaultSettings()
				s.Variance = c.variance
				a, b := f1(sm.parents, mustSearch(t, sm.problem(), s).Parents)
				directed += a / seeds
				skeleton += b / seeds
			}
			if directed < c.directed || skeleton < c.skeleton {
				t.Errorf("F1 %.3f, skeleton %.3f, want at least %.3f and %.3f", directed, skeleton, c.directed, c.skeleton)
			}
			t.Logf("F1 %.3f, skeleton %.3f", directed, skeleton)
		})
	}
}

// TestModels checks that the scores identify the variance model of the data.
func TestModels(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: make test runs it; the race detector has the tests of threads")
	}
	sm := randomSample(30, 60, 500, 1, 9)
	both := func(p Problem) (unequal, equal Scores) {
		s := DefaultSettings()
		u := mustSearch(t, p, s)
		s.Variance = Equal
		return u.Scores, mustSearch(t, p, s).Scores
	}
	if u, e := both(sm.problem()); e.Equal >= u.Unequal {
		t.Errorf("equal noise: score %v under the equal model, %v under the unequal one", e.Equal, u.Unequal)
	}
	p := sm.problem()
	p.Scale = slices.Repeat([]float64{1}, 30)
	if u, e := both(p); e.Equal <= u.Unequal {
		t.Errorf("standardized: score %v under the equal model, %v under the unequal one", e.Equal, u.Unequal)
	}
}

// TestEvaluate checks Evaluate against its formulas and its refusals.
func TestEvaluate(t *testing.T) {
	sm := randomSample(8, 12, 100, 1, 1)
	p := sm.problem()
	s := DefaultSettings()
	got, residual, err := Evaluate(p, s, sm.parents)
	must.Succeed(t, err)
	logs, sum, edges := 0.0, 0.0, 0
	for v, parents := range sm.parents {
		r := residualByRegression(p.R, v, parents)
		must.Near(t, residual[v], r, 1e-12, "residual")
		logs += math.Log(r * p.Scale[v] * p.Scale[v])
		sum += r * p.Scale[v] * p.Scale[v]
		edges += len(parents)
	}
	price := s.EdgePenalty(100, 8) * float64(edges)
	must.Near(t, got.Unequal, 100*logs+price+8*math.Log(100), 1e-9, "Unequal")
	must.Near(t, got.Equal, 800*math.Log(sum/8)+price+math.Log(100), 1e-9, "Equal")

	res := mustSearch(t, p, s)
	if again, _, _ := Evaluate(p, s, res.Parents); again != res.Scores {
		t.Errorf("Search says %v, Evaluate %v", res.Scores, again)
	}
	for _, c := range []struct {
		bad  [][]int
		want string
	}{
		{nil, "parents of 0 variables"},
		{[][]int{{1}, {0}, nil, nil, nil, nil, nil, nil}, "cycle"},
		{[][]int{{8}, nil, nil, nil, nil, nil, nil, nil}, "parent 8 of variable 0, want another variable of 0..7"},
		{[][]int{{-1}, nil, nil, nil, nil, nil, nil, nil}, "parent -1 of variable 0"},
		{[][]int{nil, {1}, nil, nil, nil, nil, nil, nil}, "parent 1 of variable 1"},
	} {
		if _, _, err := Evaluate(p, s, c.bad); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("parents %v: error %v, want %q", c.bad, err, c.want)
		}
	}
}

// TestThreads checks that the result is the same on any number of threads, and with a cache
// so small that it is emptied often.
func TestThreads(t *testing.T) {
	for _, variance := range []Variance{Unequal, Equal} {
		for _, known := range []bool{false, true} {
			const d = 80
			sm := randomSample(d, 2*d, 300, 0.7, 17)
			p := sm.problem()
			if known {
				p.Knowledge = randomKnowledge(d, rand.New(rand.NewPCG(3, 3)))
			}
			s := DefaultSettings()
			s.Variance, s.Seed, s.Restarts = variance, 5, 6
			if testing.Short() { // under the race detector
				s.Restarts = 2
			}
			want := mustSearch(t, p, s)
			for _, threads := range []int{1, 2, 5} {
				for _, cache := range []int64{s.CacheBytes, 1 << 20} {
					s := s
					s.Threads, s.CacheBytes = threads, cache
					got := mustSearch(t, p, s)
					// What depends on the threads by its nature.
					got.Stats.Nodes, got.Stats.CacheBytes, got.Stats.Flushes = want.Stats.Nodes, want.Stats.CacheBytes, want.Stats.Flushes
					if !reflect.DeepEqual(got, want) {
						t.Errorf("%v, knowledge %v: the result differs on %d threads with %d bytes", variance, known, threads, cache)
					}
				}
			}
		}
	}
}

// TestHelpersEnd checks that no goroutine outlives a search.
func TestHelpersEnd(t *testing.T) {
	before := runtime.NumGoroutine()
	sm := randomSample(40, 80, 300, 1, 1)
	s := DefaultSettings()
	s.Threads = 5
	for _, variance := range []Variance{Unequal, Equal} {
		s.Variance = variance
		mustSearch(t, sm.problem(), s)
	}
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

// TestTopDown checks that the top-down pass alone recovers a graph with equal noise, and reports it.
func TestTopDown(t *testing.T) {
	sm := randomSample(50, 100, 1000, 1, 6)
	res := must.Get(TopDown(context.Background(), sm.problem(), DefaultSettings()))
	checkResult(t, sm.problem(), DefaultSettings(), res)
	if directed, _ := f1(sm.parents, res.Parents); directed < 0.98 || res.Scores.Equal >= res.Scores.Unequal {
		t.Errorf("F1 %.3f, scores %v", directed, res.Scores)
	}
	if _, err := TopDown(context.Background(), Problem{R: sm.r, N: sm.n}, DefaultSettings()); err == nil {
		t.Error("TopDown did without the scale")
	}
}

// TestFlush checks that the small cache of TestThreads is really emptied.
func TestFlush(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: make test runs it; the race detector has the tests of threads")
	}
	sm := randomSample(80, 320, 300, 1, 17)
	s := DefaultSettings()
	want := mustSearch(t, sm.problem(), s)
	s.CacheBytes = 1 << 20
	got := mustSearch(t, sm.problem(), s)
	if got.Stats.Flushes == 0 || got.Score != want.Score || !reflect.DeepEqual(got.Parents, want.Parents) {
		t.Errorf("%d flushes, score %v, without %v", got.Stats.Flushes, got.Score, want.Score)
	}
}

// TestStop ends the context before and during each stage. Whatever there is must be sound.
func TestStop(t *testing.T) {
	for _, variance := range []Variance{Unequal, Equal} {
		for stop := range 7 {
			sm := randomSample(60, 120, 300, 1, 8)
			p := sm.problem()
			p.Knowledge = randomKnowledge(60, rand.New(rand.NewPCG(8, 8)))
			s := DefaultSettings()
			s.Variance = variance
			ctx, cancel := context.WithCancel(context.Background())
			seen := 0
			if stop == 0 {
				cancel()
			}
			res, err := Search(ctx, p, s, func(Progress) {
				if seen++; seen == stop {
					cancel()
				}
			})
			cancel()
			must.Succeed(t, err)
			checkResult(t, p, s, res)
			if res.Status != Stopped || !errors.Is(res.Cause, context.Canceled) {
				t.Errorf("%v, stopped after %d reports: %v, cause %v", variance, stop, res.Status, res.Cause)
			}
		}
	}
}

// TestProgress checks the calls of the observer.
func TestProgress(t *testing.T) {
	sm := randomSample(40, 80, 300, 1, 8)
	s := DefaultSettings()
	s.Restarts = 3
	s.Starts = [][]int{rand.New(rand.NewPCG(1, 1)).Perm(40)}
	var seen []string
	last := math.Inf(1)
	res := must.Get(Search(context.Background(), sm.problem(), s, func(p Progress) {
		seen = append(seen, fmt.Sprint(p.Stage, p.Round))
		if p.Stage >= Descent {
			if p.Score > last {
				t.Errorf("the best score rose from %v to %v", last, p.Score)
			}
			last = p.Score
		}
	}))
	if got, want := strings.Join(seen, ", "), "start 0, path 0, descent 0, descent 0, round 1, round 2, round 3"; got != want {
		t.Errorf("stages %s, want %s", got, want)
	}
	must.Near(t, res.Score, last, 1e-9*math.Abs(last), "score")
	if res.Stats.Rounds != 3 {
		t.Errorf("%d rounds, want 3", res.Stats.Rounds)
	}
}

// TestStarts checks that further starts never make the result worse.
func TestStarts(t *testing.T) {
	for seed := range uint64(5) {
		sm := randomSample(30, 120, 200, 0.5, seed)
		s := DefaultSettings()
		s.Restarts = 0
		one := mustSearch(t, sm.problem(), s)
		rng := rand.New(rand.NewPCG(seed, 0))
		s.Starts = [][]int{rng.Perm(30), rng.Perm(30), one.Order}
		if more := mustSearch(t, sm.problem(), s); more.Score > one.Score+1e-6 {
			t.Errorf("seed %d: score %v with more starts, %v without", seed, more.Score, one.Score)
		}
	}
}

// TestKnowledge checks larger problems with rules of every kind; mustSearch does the checking.
func TestKnowledge(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: make test runs it; the race detector has the tests of threads")
	}
	for seed := range uint64(4) {
		for _, variance := range []Variance{Unequal, Equal} {
			const d = 40
			sm := randomSample(d, 3*d, 300, 1, seed)
			p := sm.problem()
			rng := rand.New(rand.NewPCG(seed, 1))
			p.Knowledge = randomKnowledge(d, rng)
			for v, parents := range sm.parents {
				for _, q := range parents {
					if k := p.Knowledge; rng.IntN(3) == 0 && !k.Forbidden(q, v) && (k.Tiers == nil || k.Tiers[q] <= k.Tiers[v]) {
						p.Knowledge.Required = append(p.Knowledge.Required, [2]int{q, v})
					}
				}
			}
			if p.Validate() != nil {
				p.Knowledge.Required = p.Knowledge.Required[:1] // the other edges of randomKnowledge contradict the graph
			}
			s := DefaultSettings()
			s.Variance = variance
			mustSearch(t, p, s)
		}
	}
}

// TestUntouched checks that the caller's data does not change.
func TestUntouched(t *testing.T) {
	sm := randomSample(30, 60, 300, 1, 2)
	before, scale := sm.r.Clone(), slices.Clone(sm.scale)
	start := make([]int, 30)
	for i := range start {
		start[i] = 29 - i
	}
	for _, variance := range []Variance{Unequal, Equal} {
		s := DefaultSettings()
		s.Variance, s.Starts = variance, [][]int{start}
		mustSearch(t, sm.problem(), s)
	}
	if !slices.Equal(before.Data, sm.r.Data) || !slices.Equal(scale, sm.scale) || start[0] != 29 || start[29] != 0 {
		t.Error("Search changed its input")
	}
}

// TestStride checks a correlation matrix that is a window of a larger one.
func TestStride(t *testing.T) {
	sm := randomSample(20, 40, 300, 1, 2)
	big := matrix.New[float64](23, 29)
	for i := range big.Data {
		big.Data[i] = math.NaN()
	}
	window := &matrix.Dense[float64]{Rows: 20, Cols: 20, Stride: 29, Data: big.Data[3*29+5:]}
	window.CopyFrom(sm.r)
	want := mustSearch(t, sm.problem(), DefaultSettings())
	got := mustSearch(t, Problem{R: window, N: sm.n, Scale: sm.scale}, DefaultSettings())
	if !reflect.DeepEqual(got, want) {
		t.Error("the result depends on the stride")
	}
}

// TestExactMargin checks that with a margin the exhaustive search skips most parent sets, finds the same graph
// and does not call it optimal.
func TestExactMargin(t *testing.T) {
	for seed := uint64(1); seed <= 5; seed++ {
		p := randomSample(9, 14, 500, 0.6, seed).problem()
		s := DefaultSettings()
		s.Restarts, s.Adapt = 0, false
		whole := must.Get(Search(context.Background(), p, s, nil))
		s.ExactMargin = 8 * s.EdgePenalty(p.N, 9)
		some := must.Get(Search(context.Background(), p, s, nil))
		if whole.Status != Optimal || some.Status != Converged || math.Abs(whole.Score-some.Score) > 1e-6 {
			t.Errorf("seed %d: %v with %v, and with a margin %v with %v", seed, whole.Status, whole.Score, some.Status, some.Score)
		}
	}
}
