package search

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestAssumeNoise checks the penalty in units of the residual variances, and when the stored candidates no longer reach down far enough:
// at a penalty below that of the candidates, without candidates, and always with a prior, because nodes contain its costs.
func TestAssumeNoise(t *testing.T) {
	for _, c := range []struct {
		name        string
		base, noise float64
		prior       bool
		want        float64
	}{
		{"no candidates", 0, 0.5, false, 0.25},
		{"a lower penalty", 1, 0.9, false, 0.45},
		{"a higher penalty", 1, 1.1, false, 1},
		{"a higher penalty with a prior", 1, 1.1, true, 0.55},
	} {
		p := randomSample(4, 3, 50, 1, 1).problem()
		if c.prior {
			p.Knowledge.Prior = func(i, j int) float64 { return float64(i - j) }
		}
		s := DefaultSettings()
		s.Variance = Equal
		r := newRun("search", p, s, nil)
		r.penalty = 50 // one per row
		r.e.setBase(c.base)
		r.e.priorUnit = 7
		r.assumeNoise(c.noise)
		must.Near(t, r.e.penalty, c.noise, 1e-15, "%s: penalty", c.name)
		must.Near(t, r.e.basePenalty, c.want, 1e-15, "%s: penalty of the candidates", c.name)
		unit := 7.0
		if c.prior {
			unit = c.noise / 50
		}
		must.Near(t, r.e.priorUnit, unit, 1e-15, "%s: unit of the prior", c.name)
		r.e.pool.stop()
	}
}

// TestJumble checks that an even round permutes ln d segments of at most eight variables, and an odd one chooses an order of the same graph.
func TestJumble(t *testing.T) {
	for _, c := range []struct{ d, segments, width int }{{2, 1, 2}, {5, 1, 5}, {50, 3, 8}} {
		e := testEngine(randomSample(c.d, c.d/2, 100, 1, 3).problem(), Equal)
		e.place(identity(c.d))
		e.fitAll(e.order, func(w *worker, v int32) nodeID { return w.nodeOf(v, nil) })
		widest, most, changed := 0, 0, false
		for seed := range uint64(300) {
			before := slices.Clone(e.order)
			e.jumble(0, rand.New(rand.NewPCG(seed, 1)))
			needed, start := 0, -c.width
			first, last := -1, -1
			for i := range before {
				if e.order[i] == before[i] {
					continue
				}
				changed = true
				if first < 0 {
					first = i
				}
				last = i
				if i >= start+c.width {
					needed++
					start = i
				}
			}
			if needed == 1 {
				widest = max(widest, last-first+1)
			}
			if most = max(most, needed); needed > c.segments {
				t.Fatalf("%d variables: %v became %v, more than %d segments of %d", c.d, before, e.order, c.segments, c.width)
			}
		}
		if !changed || most != c.segments || c.d < 8 && widest != c.width {
			t.Errorf("%d variables: at most %d segments of %d, want %d of %d", c.d, most, widest, c.segments, c.width)
		}
	}
	e := testEngine(randomSample(12, 24, 300, 1, 3).problem(), Equal)
	e.place(identity(12))
	e.load(e.order)
	graph := func() (out [12][]uint32) {
		for v, id := range e.node {
			out[v] = slices.Clone(e.cache.at(id).parents())
		}
		return out
	}
	moved := 0
	for round := 1; round < 40; round += 2 {
		before, order := graph(), slices.Clone(e.order)
		e.jumble(round, rand.New(rand.NewPCG(uint64(round), 1)))
		for v, parents := range before {
			for _, p := range parents {
				if e.pos[p] > e.pos[v] {
					t.Fatalf("round %d: the order %v does not fit the edge %d → %d", round, e.order, p, v)
				}
			}
		}
		if !slices.Equal(e.order, order) {
			moved++
		}
	}
	if moved < 10 {
		t.Errorf("%d of 20 odd rounds changed the order", moved)
	}
}

// TestTopDownLimit checks the limit of parents after the first order: twice the most parents that it needs plus eight, at least the
// size of an exhaustive search, and never more than before. The first penalty is that of a noise variance of 1.
func TestTopDownLimit(t *testing.T) {
	for _, c := range []struct {
		name     string
		d, edges int
		limit    int
		want     func(most int) int
	}{
		{"few parents", 12, 6, 40, func(int) int { return maxExact }},
		{"many parents", 30, 200, 60, func(most int) int { return 2*most + 8 }},
		{"a limit below", 30, 200, 17, func(int) int { return 17 }},
	} {
		p := randomSample(c.d, c.edges, 500, 1, 4).problem()
		s := DefaultSettings()
		s.Variance = Equal
		r := newRun("search", p, s, nil)
		r.e.limit = c.limit
		r.topDown(t.Context())
		most := 0
		for _, id := range r.e.node {
			most = max(most, r.e.cache.at(id).degree())
		}
		if want := c.want(most); r.e.limit != want {
			t.Errorf("%s: limit %d after an order with at most %d parents, want %d", c.name, r.e.limit, most, want)
		}
		must.Near(t, r.e.penalty, r.penalty/500, 1e-15, "%s: penalty", c.name)
		r.e.pool.stop()
	}
}
