package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/matrix"
)

// problemOf draws n standardized rows from the model.
func problemOf(t testing.TB, model *sim.Model, n int) Problem {
	t.Helper()
	data := must.Get(dataset.MomentsOf(model.Names(), model.Sample(sim.Stream(9, sim.StreamNoise), n), 1))
	return Problem{R: data.Correlation(), N: n}
}

func drawn(t testing.TB, d int, degree float64, design sim.Design) *sim.Model {
	t.Helper()
	cfg := sim.Default()
	cfg.Nodes, cfg.Degree, cfg.Design, cfg.Seed = d, degree, design, 2
	return must.Get(sim.New(cfg))
}

// TestRoundsThatPay checks the adaptive number of rounds: the same on any number of threads and with a cache
// that overflows, more on a hard table than on an easy one, and never worse than one descent.
func TestRoundsThatPay(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: make test runs it; the race detector has the tests of threads")
	}
	rounds := map[sim.Design]int{}
	for _, design := range []sim.Design{sim.Plain, sim.Hetero} {
		p := problemOf(t, drawn(t, 50, 6, design), 500)
		s := DefaultSettings()
		s.Restarts = 0
		one := must.Get(Search(context.Background(), p, s, nil))
		s.Restarts = Auto
		var want *Result
		for _, threads := range []int{1, 3} {
			s.Threads = threads
			if threads == 3 {
				s.CacheBytes = 1 << 20
			}
			got := must.Get(Search(context.Background(), p, s, nil))
			if want == nil {
				want = got
			}
			if fmt.Sprint(got.Parents, got.Score, got.Stats.Rounds, got.Stats.Scans) != fmt.Sprint(want.Parents, want.Score, want.Stats.Rounds, want.Stats.Scans) {
				t.Errorf("%v: the result differs on %d threads", design, threads)
			}
		}
		if want.Score > one.Score+1e-6 || want.Stats.Rounds < idleRounds {
			t.Errorf("%v: score %v after %d rounds, %v after none", design, want.Score, want.Stats.Rounds, one.Score)
		}
		rounds[design] = want.Stats.Rounds
	}
	if rounds[sim.Hetero] <= rounds[sim.Plain] {
		t.Errorf("%d rounds on the hard table, %d on the easy one", rounds[sim.Hetero], rounds[sim.Plain])
	}
}

// TestRoundsAreCut checks that a round that exceeds the remaining work is cut, at the same place on any number
// of threads, and its state is discarded.
func TestRoundsAreCut(t *testing.T) {
	p := problemOf(t, drawn(t, 80, 8, sim.Hetero), 300)
	var want *Result
	for threads := 1; threads <= 2; threads++ {
		s := DefaultSettings()
		s.Threads, s.singly = threads, true
		r := newRun("search", p, s, nil)
		for r.at.kind != ready || r.at.task == 0 {
			r.advance(t.Context())
		}
		before := r.best.score
		r.advance(t.Context()) // begins the first round
		r.e.allowance = r.e.work() + 2000
		for r.at.kind != finished {
			r.advance(t.Context())
		}
		r.e.pool.stop()
		r.e.restore(&r.best)
		res := r.result(t.Context())
		if r.stats.Rounds != 1 || r.best.score > before {
			t.Errorf("%d rounds, score %v from %v", r.stats.Rounds, r.best.score, before)
		}
		if want == nil {
			want = res
		}
		if !slices.EqualFunc(res.Parents, want.Parents, slices.Equal[[]int]) || res.Stats.Scans != want.Stats.Scans {
			t.Errorf("%d threads: another result", threads)
		}
	}
}

// TestTuckAndSwapKeepAPermutation checks that tuck keeps a permutation and, except for the edge that it
// reverses, a topological order.
func TestTuckAndSwapKeepAPermutation(t *testing.T) {
	p := problemOf(t, drawn(t, 40, 5, sim.Flat), 400)
	s := DefaultSettings()
	r := newRun("search", p, s, nil)
	defer r.e.pool.stop()
	for r.at.kind != ready || r.at.task == 0 {
		r.advance(t.Context())
	}
	for i := range 200 {
		if i%2 == 0 {
			r.e.tuck(r.rng)
		} else {
			r.e.swap(r.rng)
		}
		seen := slices.Clone(r.e.order)
		slices.Sort(seen)
		if !slices.Equal(seen, identity(40)) {
			t.Fatalf("order %v", r.e.order)
		}
		for v, id := range r.e.node {
			for _, q := range r.e.cache.at(id).parents() {
				if r.e.pos[q] >= r.e.pos[v] {
					t.Fatalf("%d stands after its child %d", q, v)
				}
			}
		}
		r.e.queue.clear()
	}
}

// TestEndIsNoticedEverywhere checks that an ended context stops every part of a search after hardly more than
// one parent set per variable.
func TestEndIsNoticedEverywhere(t *testing.T) {
	p := problemOf(t, drawn(t, 120, 6, sim.Plain), 60)
	p.Scale = make([]float64, 120)
	for v := range p.Scale {
		p.Scale[v] = 1 + float64(v%7)
	}
	for _, variance := range []Variance{Unequal, Equal} {
		for _, at := range []Stage{Start, Path, Descent, Round} {
			ctx, cancel := context.WithCancel(context.Background())
			nodes := -1
			s := DefaultSettings()
			s.Variance, s.Restarts = variance, 5
			r := newRun("search", p, s, nil)
			r.observe = func(pr Progress) {
				if pr.Stage == at && nodes < 0 {
					nodes = r.e.workers[0].expansions
					cancel()
					for !r.e.halt.Load() {
					}
				}
			}
			res, err := r.search(ctx)
			cancel()
			must.Succeed(t, err)
			if nodes < 0 {
				if at == Path && variance == Equal {
					continue // it has none
				}
				t.Fatalf("%v: no stage %v", variance, at)
			}
			if res.Status != Stopped || res.Stats.Nodes > nodes+2*120 {
				t.Errorf("%v, ended at %v: status %v, %d parent sets afterwards", variance, at, res.Status, res.Stats.Nodes-nodes)
			}
		}
	}
}

// TestTuckedAncestors reverses edges of the complete graph 0 → 1, 0 → 2, 1 → 2: 2 moves before 0 together with its ancestor 1.
func TestTuckedAncestors(t *testing.T) {
	p := Problem{R: matrix.Of(3, 3, []float64{1, 0.6, 0.6, 0.6, 1, 0.6, 0.6, 0.6, 1}), N: 1000}
	e := testEngine(p, Unequal)
	seen := map[string]bool{}
	for seed := range uint64(40) {
		e.place(identity(3))
		e.load(e.order)
		e.tuck(rand.New(rand.NewPCG(seed, 1)))
		seen[fmt.Sprint(e.order)] = true
	}
	delete(seen, "[0 1 2]") // no edge was drawn
	must.Same(t, fmt.Sprint(seen), "map[[0 2 1]:true [1 0 2]:true [1 2 0]:true]", "orders")
}
