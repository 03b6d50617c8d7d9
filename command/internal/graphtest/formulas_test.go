package graphtest

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// R 4.2.2: p.adjust(c(0.5, 0.009, 0.05, 0.005), "BH") is 0.5, 0.018, 0.0666667, 0.018.
func TestFalseDiscoveryRateAgainstR(t *testing.T) {
	all := []Condition{{P: 0.5}, {P: 0.009}, {P: 0.05}, {P: 0.005}}
	correct(all)
	for i, want := range []float64{0.5, 0.018, 0.2 / 3, 0.018} {
		must.Near(t, all[i].Q, want, 1e-12, "corrected p-value")
	}
	if got := refuted(all, 0.018); len(got) != 2 || got[0].P != 0.005 || got[1].P != 0.009 {
		t.Errorf("refuted: %+v", got)
	}
}

// Hulley et al. (2013), Designing Clinical Research, table 6C: a correlation of 0.3 needs 85 rows for a power of 0.8 at a two-sided level of
// 0.05, and one of 0.5 needs 29 or 30.
func TestDetectableCorrelation(t *testing.T) {
	must.Near(t, detectable(85, 1, 0.05), 0.3, 0.002, "detectable correlation of 85 rows")
	must.Near(t, detectable(30, 1, 0.05), 0.5, 0.01, "detectable correlation of 30 rows")
	must.Near(t, detectable(85, 10, 0.5), detectable(85, 1, 0.05), 1e-12, "detectable correlation of ten conditions")
	must.Near(t, detectable(4, 1, 0.05), 1, 0, "detectable correlation of four rows")
}

// The effect of a test is the partial correlation itself, for Fisher's z and for the likelihood ratio -n·ln(1 - r²).
func TestEffectIsThePartialCorrelation(t *testing.T) {
	r := matrix.Of(3, 3, []float64{1, -0.4, 0.5, -0.4, 1, 0.3, 0.5, 0.3, 1})
	z := must.Get(independence.NewFisherZ(r, 60))
	_, effect := Symmetric(z, 60)(0, 1, []int{2})
	must.Near(t, effect, math.Abs(-0.4-0.5*0.3)/math.Sqrt((1-0.25)*(1-0.09)), 1e-9, "effect")
	must.Near(t, ratioEffect(-80*math.Log(1-0.36), 80), 0.6, 1e-12, "effect of a likelihood ratio")
}

// A condition joins each column with those before it that are not its parents, given its parents; names break ties.
func TestConditionsOfAGraph(t *testing.T) {
	names := []string{"d", "c", "b", "a"}
	g := must.Get(graph.FromEdges(4, []graph.Edge{{From: 3, To: 1}, {From: 2, To: 1}, {From: 1, To: 0}}))
	calls := 0
	test := &tester{names: names, sorted: byName(names), known: map[string]tested{}, test: func(x, y int, given []int) (float64, float64) {
		calls++
		return 0.5, 0
	}}
	type condition struct{ x, y, given string }
	var got []condition
	for range 2 {
		got = nil
		for _, c := range test.conditions(g) {
			given := ""
			for _, name := range c.Given {
				given += name
			}
			got = append(got, condition{c.X, c.Y, given})
		}
	}
	if want := []condition{{"a", "b", ""}, {"a", "d", "c"}, {"b", "d", "c"}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if calls != 3 {
		t.Errorf("%d tests of three conditions", calls)
	}
}

// The comparison with random graphs counts the graphs over exchanged columns without a refuted condition, and those with at most as many
// violated conditions. A test that always rejects refutes all of them, and one that never does refutes none.
func TestRandomGraphs(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	g := must.Get(graph.FromEdges(4, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}}))
	s := DefaultSettings()
	for p, want := range map[float64]struct {
		verdict           Verdict
		better, unrefuted float64
	}{1e-9: {Refuted, 1, 0}, 0.9: {LowPower, 1, 1}} {
		r := must.Get(Run(context.Background(), func(int, int, []int) (float64, float64) { return p, 0 }, "", 100, names, g, s))
		if r.Verdict != want.verdict || r.Random.Graphs != 100 {
			t.Errorf("p = %v: %s with %d graphs", p, r.Verdict, r.Random.Graphs)
		}
		must.Near(t, r.Random.Better, want.better, 1e-9, "share of graphs as good")
		must.Near(t, r.Random.Unrefuted, want.unrefuted, 1e-9, "share of graphs not refuted")
	}
	// Only a and b depend on each other. A random graph is refuted unless it joins them.
	pair := func(x, y int, _ []int) (float64, float64) {
		if min(x, y) == 0 && max(x, y) == 1 {
			return 1e-9, 1
		}
		return 0.9, 0
	}
	r := must.Get(Run(context.Background(), pair, "", 100, names, g, s))
	rng := rand.New(rand.NewPCG(9, 9))
	joined := 0.0
	for range 20000 {
		to := rng.Perm(4)
		for _, e := range g.Edges() {
			if min(to[e.From], to[e.To]) == 0 && max(to[e.From], to[e.To]) == 1 {
				joined += 1. / 20000
			}
		}
	}
	must.Near(t, r.Random.Unrefuted, joined, 0.13, "share of graphs not refuted")
	must.Near(t, r.Random.Better, joined, 0.13, "share of graphs as good")
}

// Permutations decide from a p-value of 0.2 of G² downwards; a larger one stays as it is.
func TestPermutationsDecideSmallPValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	seen := map[bool]int{}
	for range 200 {
		const n = 40
		x, y := make([]uint32, n), make([]uint32, n)
		for i := range n {
			x[i], y[i] = uint32(rng.IntN(3)), uint32(rng.IntN(4))
		}
		x[0], y[0] = 2, 3
		test := must.Get(counted([]independence.Column{{Codes: x, Levels: 3}, {Codes: y, Levels: 4}}, n, 1))
		cells, rows, columns := map[[2]uint32]float64{}, map[uint32]float64{}, map[uint32]float64{}
		for i := range n {
			cells[[2]uint32{x[i], y[i]}]++
			rows[x[i]]++
			columns[y[i]]++
		}
		g := 0.0
		for k, c := range cells {
			g += 2 * c * math.Log(c*n/(rows[k[0]]*columns[k[1]]))
		}
		plain := independence.ChiSquared(g, float64((len(rows)-1)*(len(columns)-1)))
		want := plain
		if plain <= 0.2 {
			want = independence.Permuted(x, y, nil, n)
		}
		p, effect := test(0, 1, nil)
		must.Near(t, p, want, 1e-9, "p")
		must.Near(t, effect, math.Sqrt(1-math.Exp(-g/n)), 1e-9, "effect")
		seen[plain <= 0.2]++
	}
	if seen[true] < 20 || seen[false] < 20 {
		t.Errorf("%v: the test looks at one side only", seen)
	}
}
