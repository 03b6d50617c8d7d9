package noise

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/gaussian"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// knownAbout draws a required edge of the truth, forbidden edges and prior probabilities, right and wrong ones.
func knownAbout(t *testing.T, rng *rand.Rand, truth *graph.Graph, names []string) (*knowledge.Knowledge, search.Knowledge) {
	t.Helper()
	var spec knowledge.Spec
	var required [][2]int
	for k, i := range rng.Perm(len(names)) {
		for l, j := range rng.Perm(len(names)) {
			edge := names[i] + "->" + names[j]
			switch {
			case i == j:
			case truth.HasEdge(i, j) && len(required) == 0:
				required = append(required, [2]int{i, j})
				spec.Require = append(spec.Require, edge)
			case (k+l)%5 == 0 && !slices.Contains(required, [2]int{i, j}):
				spec.Forbid = append(spec.Forbid, edge)
			case (k+l)%5 == 1 && !slices.Contains(required, [2]int{j, i}):
				spec.Prior = append(spec.Prior, edge+[]string{"=0.02", "=0.4", "=0.45"}[rng.IntN(3)])
			}
		}
	}
	own := must.Get(spec.Resolve(names))
	return own, search.Knowledge{Required: required, Forbidden: own.Forbidden, Prior: own.Cost()}
}

// TestClimbUnderKnowledge compares climbing from the Gaussian graph with an exhaustive search of the same score with the same required
// and forbidden edges and prior costs.
func TestClimbUnderKnowledge(t *testing.T) {
	missed, matters := 0, 0
	const d, tables = 5, 12
	for seed := range uint64(tables) {
		f, truth, m := uneven(t, d, 150, false, seed)
		known, same := knownAbout(t, rand.New(rand.NewPCG(seed, 3)), truth, m.Names)
		s := search.DefaultSettings()
		p := gaussian.Problem(m)
		p.Knowledge = same
		start, err := search.Search(context.Background(), p, s, nil)
		must.Succeed(t, err)
		s.Exact = d
		best := must.Get(search.Search(context.Background(), search.Problem{Score: f, Names: m.Names, Knowledge: same}, s, nil))
		free := must.Get(search.Search(context.Background(), search.Problem{Score: f, Names: m.Names}, s, nil))
		if !slices.EqualFunc(free.Parents, best.Parents, slices.Equal[[]int]) {
			matters++
		}
		g, _ := Climb(context.Background(), f.Fit(), graph.FromParents(start.Parents), known, func(float64, int) {})
		if err := known.Check(g); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		total := 0.0
		for v := range d {
			total += f.Fit().Score(v, g.Parents(v))
			for _, p := range g.Parents(v) {
				total -= 2 * known.LogOdds(p, v)
			}
		}
		if total > best.Score+1e-6 {
			missed++
			t.Logf("seed %d: %.2f above the best: %v, best %v", seed, total-best.Score, g.Edges(), best.Parents)
		}
		if total < best.Score-1e-6 {
			t.Errorf("seed %d: %v is better than the best, %v", seed, total, best.Score)
		}
	}
	if missed > 1 || matters < tables/2 {
		t.Errorf("%d of %d tables end above the best graph; knowledge changes %d", missed, tables, matters)
	}
}

// TestNeededParents compares the parents of a reversed edge with backward elimination under the Gaussian score plus prior costs, and the
// edges that are tried with those that gain half of their penalty.
func TestNeededParents(t *testing.T) {
	dropped, tried, refused := 0, 0, 0
	const d = 6
	for seed := range uint64(20) {
		f, truth, m := uneven(t, d, 120, false, seed)
		known, _ := knownAbout(t, rand.New(rand.NewPCG(seed, 4)), truth, m.Names)
		fit := f.Fit()
		c := newClimber(fit, truth, known)
		required := known.Required()
		total := func(v int, parents []int) float64 {
			sum := fit.Gaussian().Fit().Score(v, parents)
			for _, p := range parents {
				sum -= 2 * known.LogOdds(p, v)
			}
			return sum
		}
		for v := range d {
			keep := (v + 1) % d
			var want, all []int
			for p := range d {
				if all = append(all, p); p == keep || p != v && !known.Forbidden(p, v) {
					want = append(want, p)
				}
			}
			for {
				best, least := -1, total(v, want)
				for i, p := range want {
					without := slices.Delete(slices.Clone(want), i, i+1)
					if s := total(v, without); p != keep && !slices.Contains(required, graph.Edge{From: p, To: v}) && s < least-1e-9 {
						best, least = i, s
					}
				}
				if best < 0 {
					break
				}
				want = slices.Delete(want, best, best+1)
				dropped++
			}
			noise := fit.Score(v, want)
			for _, p := range want {
				noise -= 2 * known.LogOdds(p, v)
			}
			if got := c.score(v, want); !(math.Abs(got-noise) <= 1e-9*math.Abs(noise)) {
				t.Errorf("seed %d, column %d: score %v, want %v", seed, v, got, noise)
			}
			if got := c.needed(v, all, keep); !slices.Equal(got, want) {
				t.Errorf("seed %d, column %d: %v, want %v", seed, v, got, want)
			}
			c.changes(v, &change{gain: math.Inf(1)})
			for x := range d {
				if x == v || slices.Contains(truth.Parents(v), x) {
					continue
				}
				with := append(slices.Clone(truth.Parents(v)), x)
				slices.Sort(with)
				want := !known.Forbidden(x, v) && total(v, with)-total(v, truth.Parents(v)) < 0.5*math.Log(120)
				if got := slices.Contains(c.nearly[v], x); got != want {
					t.Errorf("seed %d, %d → %d: tried %v, want %v", seed, x, v, got, want)
				}
				if want {
					tried++
				} else {
					refused++
				}
			}
		}
	}
	if dropped < 50 || tried < 20 || refused < 20 {
		t.Errorf("%d dropped, %d tried, %d refused: the test looks at too little", dropped, tried, refused)
	}
}

// TestVuongStepByStep computes the test of Vuong (1989) for each edge from the log-likelihoods of the rows, with rows of weight ½: twice
// the one-sided p-value is that of z² under χ² with one degree of freedom. Of the two ways to reverse an edge the larger p-value counts.
func TestVuongStepByStep(t *testing.T) {
	second := 0
	for seed := range uint64(16) {
		rng := rand.New(rand.NewPCG(seed, 5))
		const d, n, weight = 4, 200, 0.5
		truth, x := graph.New(d), matrix.New[float64](n, d)
		for v := range d {
			for p := range v {
				if rng.IntN(3) > 0 {
					truth.AddEdge(p, v)
				}
			}
		}
		for i := range n {
			for v := range d {
				x.Set(i, v, rng.ExpFloat64()+0.5*rng.NormFloat64())
				for _, p := range truth.Parents(v) {
					x.Set(i, v, x.At(i, v)+0.4*x.At(i, p))
				}
			}
		}
		m, err := dataset.MomentsOf([]string{"a", "b", "c", "d"}, x, 1)
		must.Succeed(t, err)
		f := must.Get(score.NewFreeNoise(m.Correlation(), n/2, math.Log(n/2), x.Data, weight))
		order := must.Get(truth.Order())
		var want []float64
		for _, e := range truth.Edges() {
			var ps [2]float64
			for way, ahead := range []bool{true, false} {
				rows := make([]float64, n)
				for v, parents := range search.Reversed(truth, order, e, ahead) {
					own := make([]float64, n)
					f.Fit().AddRows(own, v, truth.Parents(v), 1)
					f.Fit().AddRows(own, v, parents, -1)
					for i := range rows {
						rows[i] += own[i]
					}
				}
				mean, variance := 0.0, 0.0
				for _, l := range rows {
					mean += l / n
				}
				for _, l := range rows {
					variance += (l - mean) * (l - mean) / n
				}
				ps[way] = 1
				if mean > 0 {
					ps[way] = independence.ChiSquared(weight*n*mean*mean/variance, 1) / 2
				}
			}
			if ps[1] > ps[0]+1e-6 {
				second++
			}
			want = append(want, max(ps[0], ps[1]))
		}
		holm(want)
		got := must.Get(DirectionP(f.Fit(), truth))
		for k := range want {
			if !(math.Abs(got[k]-want[k]) <= 1e-9) {
				t.Errorf("seed %d, edge %v: %v, want %v", seed, truth.Edges()[k], got[k], want[k])
			}
		}
	}
	if second < 2 {
		t.Errorf("the second way decides %d edges: the test looks at too little", second)
	}
}

// TestLeastGain checks that a change is made if it improves the score by more than 1e-6, and not if it improves it
// by less. A prior cost sets the gain of the reversed edge.
func TestLeastGain(t *testing.T) {
	f, _, _ := uneven(t, 2, 300, false, 1)
	start := graph.New(2)
	start.AddEdge(0, 1)
	c := newClimber(f.Fit(), start, nil)
	gain := c.score(0, nil) + c.score(1, []int{0}) - c.score(0, []int{1}) - c.score(1, nil)
	for want, reversed := range map[float64]bool{1e-5: true, 1e-7: false} {
		c := newClimber(f.Fit(), start, nil)
		c.prior = func(from, _ int) float64 {
			if from == 0 {
				return want - gain
			}
			return 0
		}
		if c.climb(t.Context(), func(float64, int) {}); (len(c.parents[0]) == 1) != reversed || len(c.parents[0])+len(c.parents[1]) != 1 {
			t.Errorf("a gain of %v: parents %v", want, c.parents)
		}
	}
}
