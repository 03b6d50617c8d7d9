package search

import (
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
)

// TestExchange compares exchanges with the best of all parent sets, for the last variable of dense graphs with correlated parents.
// Growing and shrinking must miss the best set more often.
func TestExchange(t *testing.T) {
	const d, n, seeds = 11, 5000, 30
	fitted, exchanged := 0, 0
	for seed := range uint64(seeds) {
		cfg := sim.Default()
		cfg.Nodes, cfg.Degree, cfg.Design, cfg.Seed, cfg.Standardize = d, 8, sim.Hetero, seed, true
		m := must.Get(sim.New(cfg))
		p := problemOf(t, m, n)
		e := testEngine(p, Unequal)
		w := e.workers[0]
		order := must.Get(m.Graph().Order())
		e.place(nodes(order))
		v := int32(order[d-1])
		best := 0.0
		for set := range uint(1) << d {
			if set>>v&1 != 0 {
				continue
			}
			var parents []uint32
			for x := range uint32(d) {
				if set>>x&1 != 0 {
					parents = append(parents, x)
				}
			}
			best = min(best, w.lossOf(v, parents)+e.charge*float64(len(parents)))
		}
		id := w.fit(w.nodeOf(v, nil), window{limit: e.pos[v], moved: -1})
		next := w.exchange(id, e.pos[v])
		a, b := e.score(e.cache.at(id)), e.score(e.cache.at(next))
		if b > a || b < best-1e-6*n {
			t.Fatalf("seed %d: %v after exchanges, %v before, and the best set has %v", seed, b, a, best)
		}
		if again := w.exchange(next, e.pos[v]); again != next {
			t.Errorf("seed %d: another exchange improved the set", seed)
		}
		if a > best+1e-6*n {
			fitted++
		}
		if b > best+1e-6*n {
			exchanged++
		}
	}
	if fitted < 4 || exchanged > 0 {
		t.Errorf("of %d sets, growing and shrinking missed the best %d times, with exchanges %d times", seeds, fitted, exchanged)
	}
}

// TestExchangesWhen checks which searches exchange parents, and that required parents stay.
func TestExchangesWhen(t *testing.T) {
	s := randomSample(6, 15, 1000, 1, 3)
	p := s.problem()
	for _, c := range []struct {
		rows     int
		variance Variance
		want     bool
	}{{480, Unequal, true}, {479, Unequal, false}, {1000, Equal, false}} {
		set := DefaultSettings()
		p.N, set.Variance = c.rows, c.variance
		if got := newRun("search", p, set, nil).exchanges(); got != c.want {
			t.Errorf("%d rows, variances %v: %v, want %v", c.rows, c.variance, got, c.want)
		}
	}
	p.N, p.Knowledge.Required = 1000, [][2]int{{0, 5}}
	r := newRun("search", p, DefaultSettings(), nil)
	r.e.setBase(r.penalty * loose)
	r.e.setPenalty(r.penalty)
	r.e.place(identity(6))
	w := r.e.workers[0]
	id := w.exchange(w.fit(w.nodeOf(5, []uint32{0}), window{limit: 5, moved: -1}), 5)
	if !slices.Contains(r.e.cache.at(id).parents(), 0) {
		t.Errorf("parents %v without the required 0", r.e.cache.at(id).parents())
	}
}
