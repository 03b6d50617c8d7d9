package search

import (
	"context"
	"math"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
)

// TestBalancedPrice compares the penalty of the formula with a scan down from the extended BIC's penalty in
// small steps.
func TestBalancedPrice(t *testing.T) {
	for _, c := range []struct {
		near, n float64
		d       int
	}{{0, 300, 100}, {1, 300, 100}, {65, 300, 100}, {30, 100, 50}, {200, 1000, 100}, {65, 100000, 100}, {3, 50, 8}, {5000, 200, 300}} {
		p1 := math.Log(c.n) + 2*math.Log(float64(c.d))
		least := math.Min(2*math.Log(c.n), p1)
		want := p1
		if density := (c.near - math.Sqrt(c.near)) / p1; density > 0 {
			for want > least && float64(c.d*(c.d-1))*math.Exp(-want/2)/math.Sqrt(2*math.Pi*want) < density {
				want -= 1e-5
			}
		}
		if got := balancedPrice(p1, c.near, c.n, c.d); math.Abs(got-max(want, least)) > 1e-4 {
			t.Errorf("%+v: price %v, want %v (between %v and %v)", c, got, want, least, p1)
		}
	}
}

// TestAdapt checks that weak effects and few rows lower the penalty, strong ones keep it, and a penalty given
// by the caller stays.
func TestAdapt(t *testing.T) {
	search := func(low, high float64, n int, adapt bool) *Result {
		cfg := sim.Default()
		cfg.Nodes, cfg.WeightLow, cfg.WeightHigh, cfg.Seed = 60, low, high, 4
		model := must.Get(sim.New(cfg))
		s := DefaultSettings()
		s.Adapt = adapt
		return must.Get(Search(context.Background(), problemOf(t, model, n), s, nil))
	}
	ebic := func(n int) float64 { return DefaultSettings().EdgePenalty(n, 60) }
	weak := search(0.1, 0.4, 200, true)
	if !(weak.Penalty < ebic(200)-1) || weak.Penalty < 2*math.Log(200) {
		t.Errorf("weak effects: price %v, extended BIC %v", weak.Penalty, ebic(200))
	}
	if fixed := search(0.1, 0.4, 200, false); fixed.Penalty != ebic(200) || fixed.Edges >= weak.Edges {
		t.Errorf("fixed price %v with %d edges, %d at the lower one", fixed.Penalty, fixed.Edges, weak.Edges)
	}
	if strong := search(0.5, 2, 1000, true); strong.Penalty != ebic(1000) {
		t.Errorf("strong effects: price %v, want %v", strong.Penalty, ebic(1000))
	}
}

// TestAdaptCounts compares the penalty with the formula for the number of edges whose removal loses less than twice the penalty,
// counted by regressions. Required edges do not count, and a search that has ended, or whose penalty is given or not that of unequal
// variances, keeps it.
func TestAdaptCounts(t *testing.T) {
	const d, n = 40, 100
	sm := randomSample(d, 40, n, 0.35, 5)
	p := sm.problem()
	for v, parents := range sm.parents {
		if len(parents) > 0 && v%2 == 0 {
			p.Knowledge.Required = append(p.Knowledge.Required, [2]int{parents[0], v})
		}
	}
	for kept, change := range map[string]func(*run){
		"":            func(*run) {},
		"ended":       func(r *run) { r.ended = true },
		"given":       func(r *run) { r.s.Adapt = false },
		"equal noise": func(r *run) { r.e.model.variance = Equal },
	} {
		r := newRun("search", p, DefaultSettings(), nil)
		r.e.setBase(r.penalty * loose)
		r.e.setPenalty(r.penalty)
		r.e.place(r.e.rules.repair(identity(d)))
		r.e.load(r.e.order)
		r.s.Adapt = true
		before, near, required, beyond := r.penalty, 0.0, 0, 0
		for v, id := range r.e.node {
			parents := ints(r.e.cache.at(id).parents())
			with := residualByRegression(p.R, v, parents)
			for j, q := range parents {
				loss := n * math.Log(residualByRegression(p.R, v, append(append([]int{}, parents[:j]...), parents[j+1:]...))/with)
				switch {
				case loss < 2*before && r.e.rules.isRequired(int32(q), int32(v)):
					required++
				case loss < 2*before:
					near++
				case loss < 3*before:
					beyond++
				}
			}
		}
		want := before
		if change(r); kept == "" {
			want = balancedPrice(before, near, n, d)
		}
		r.adapt()
		for _, other := range []float64{near + float64(required), near + float64(beyond), 0} {
			if balancedPrice(before, other, n, d) == balancedPrice(before, near, n, d) {
				t.Fatalf("%v edges near the penalty %v, %d required, %d beyond: the test shows nothing", near, before, required, beyond)
			}
		}
		if math.Abs(r.penalty-want) > 1e-9 {
			t.Errorf("penalty %v with %v edges near it, want %v (reason to keep it: %q)", r.penalty, near, want, kept)
		}
		r.e.pool.stop()
	}
}
