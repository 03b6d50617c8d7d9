package effect

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/score"
)

// randomLevels draws a table of levels over a random graph, n rows, which need not follow the graph.
func randomLevels(rng *rand.Rand, g *graph.Graph, n int) *mechanism.Rows {
	columns, levels := make([][]float64, g.N()), make([][]float64, g.N())
	for v := range g.N() {
		k := 2 + rng.IntN(2)
		for c := range k {
			levels[v] = append(levels[v], float64(c))
		}
		for range n {
			columns[v] = append(columns[v], float64(rng.IntN(k)))
		}
	}
	return mechanism.New(columns, levels)
}

// joint sums the product of all tables over all codes of all columns, once in the world with a at x0 and once
// with a at x1, by definition.
func (m *discrete) joint(t *testing.T, a, b int, weigh func(codes0, codes1 []int) []int) []float64 {
	g := m.g
	n := g.N()
	after := g.Descendants([]int{a})
	after[a] = true
	out := make([]float64, len(m.data.Levels[b]))
	c0, c1 := make([]int, n), make([]int, n)
	prob := func(v int, own, parents []int) float64 {
		tab := must.Get(m.Table(v))
		codes := []int{}
		for _, p := range g.Parents(v) {
			codes = append(codes, parents[p])
		}
		return tab.At(codes)[own[v]]
	}
	order, _ := g.Order()
	var walk func(k int, p float64)
	walk = func(k int, p float64) {
		if k == n {
			inputs := weigh(c0, c1) // the distribution of b
			tab, _ := m.Table(b)
			codes := []int{}
			for _, q := range g.Parents(b) {
				codes = append(codes, inputs[q])
			}
			for c, x := range tab.At(codes) {
				out[c] += p * x
			}
			return
		}
		v := order[k]
		switch {
		case v == b:
			walk(k+1, p)
		case v == a:
			c0[a], c1[a] = 0, 1
			walk(k+1, p)
		case !after[v]:
			for c := range m.data.Levels[v] {
				c0[v], c1[v] = c, c
				walk(k+1, p*prob(v, c0, c0))
			}
		default:
			for c := range m.data.Levels[v] {
				for e := range m.data.Levels[v] {
					c0[v], c1[v] = c, e
					walk(k+1, p*prob(v, c0, c0)*prob(v, c1, c1))
				}
			}
		}
	}
	walk(0, 1)
	return out
}

// TestDiscreteAgainstEnumeration compares elimination with sums over all codes of all columns, and sampling
// with elimination.
func TestDiscreteAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	compared := 0
	for range 40 {
		g := randomDAG(rng, 5, 0.6)
		m := fitDiscrete(g, randomLevels(rng, g, 60), 1)
		order, _ := g.Order()
		a, b := order[rng.IntN(2)], order[4]
		if !g.HasPath(a, b) {
			continue
		}
		compared++
		check := func(what string, got []float64, err error, weigh func(c0, c1 []int) []int) {
			t.Helper()
			must.Succeed(t, err)
			for c, want := range m.joint(t, a, b, weigh) {
				near(t, what, got[c], want, 1e-12)
			}
		}
		y, err := m.do(a, b, 0)
		check("do 0", y, err, func(c0, _ []int) []int { return c0 })
		y, err = m.do(a, b, 1)
		check("do 1", y, err, func(_, c1 []int) []int { return c1 })
		y, err = m.direct(a, b, 0, 1)
		check("direct", y, err, func(c0, c1 []int) []int {
			in := append([]int{}, c0...)
			in[a] = c1[a]
			return in
		})
		// Through a parent of b that no other mediator lies behind: the parent is of the other world, the rest is not.
		for _, by := range g.Parents(b) {
			if by == a || !g.HasPath(a, by) || len(g.Children(by)) > 1 {
				continue
			}
			y, err = m.through(a, b, by, 0, 1)
			check("through", y, err, func(c0, c1 []int) []int {
				in := append([]int{}, c0...)
				in[by] = c1[by]
				return in
			})
		}
		n, target := m.Given(a, b, 1, nil)
		exact := must.Get(query(n, target))
		p, wide := n.Sample(target)
		for c := range p {
			near(t, "sampled", p[c], exact.levels[c], 6*wide)
		}
	}
	if compared < 15 {
		t.Errorf("%d graphs were compared", compared)
	}
}

// TestDiscreteAgainstSimulatedInterventions compares probabilities under do with simulated interventions, by
// category text.
func TestDiscreteAgainstSimulatedInterventions(t *testing.T) {
	m := drawn(t, sim.Discrete, 7, 4, func(c *sim.Settings) {
		c.Interventions, c.InterventionSize, c.Observational, c.Concentration = 7, 1, 0.5, 1
	})
	x, settings := m.SampleSettings(sim.Stream(3, sim.StreamNoise), 60_000)
	observed, by := split(x, settings, len(m.Targets()))
	names, g := m.Names(), m.Graph()
	table := tableOf(t, names, m.Levels(), observed)
	res := known(t, table, g, score.TableEffects)
	compared := 0
	for k, targets := range m.Targets() {
		if len(targets) != 1 {
			continue
		}
		a := targets[0]
		for b := range g.N() {
			if a == b || !g.HasPath(a, b) {
				continue
			}
			answer := ask(t, res, table, names[a], names[b], func(q *Question) { q.Replicates, q.Do = 0, []string{"l0", "l1"} })
			for _, d := range answer.Distributions {
				level := strings.TrimPrefix(d.Do, "l")
				rows, counts := 0.0, map[string]float64{}
				for i := range by[k].Rows {
					if "l"+level == "l"+itoa(by[k].At(i, a)) {
						rows++
						counts["l"+itoa(by[k].At(i, b))]++
					}
				}
				for _, l := range d.Levels {
					compared++
					share := counts[l.Name] / rows
					near(t, names[a]+" "+d.Do+" "+names[b], l.Value, share, 6*math.Sqrt(0.25/rows))
				}
				if d.By != byElimination {
					t.Errorf("by %s", d.By)
				}
			}
		}
	}
	if compared < 20 {
		t.Errorf("%d probabilities were compared", compared)
	}
}

func itoa(x float64) string { return string(rune('0' + int(x))) }

// TestRowsLikeIgnoresDescendants asks P(b | do(a = 1), c = 1) in the graph a → m → b ← c. The known value of the mediator m belongs to
// the world without the intervention, so it does not change the answer: Σ_m P(m | a = 1)·P(b | m, c = 1).
func TestRowsLikeIgnoresDescendants(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	g := graph.New(4) // a, m, b, c
	g.AddEdge(0, 1)
	g.AddEdge(1, 2)
	g.AddEdge(3, 2)
	m := fitDiscrete(g, randomLevels(rng, g, 80), 1)
	mediator := must.Get(m.Table(1))
	outcome := must.Get(m.Table(2))
	for _, known := range []map[int]float64{{3: 1}, {3: 1, 1: 0}, {3: 1, 1: 1, 0: 0, 2: 1}} {
		got := must.Get(m.rowsLike(0, 2, 1, known))
		want := make([]float64, len(got.levels))
		for k, p := range mediator.At([]int{1}) {
			for c, q := range outcome.At([]int{k, 1}) {
				want[c] += p * q
			}
		}
		for c := range want {
			near(t, "rows like", got.levels[c], want[c], 1e-12)
		}
	}
}
