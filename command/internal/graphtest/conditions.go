// Package graphtest tests whether a table is compatible with a directed acyclic graph: its local Markov conditions and its edges.
package graphtest

import (
	"cmp"
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
)

// A Condition is an independence that the graph implies: X and Y are independent given the parents of Y.
type Condition struct {
	X     string   `json:"x"`
	Y     string   `json:"y"`
	Given []string `json:"given"`
	// P is the p-value and Q the p-value corrected for the number of conditions (false discovery rate, Benjamini and Hochberg).
	P float64 `json:"p"`
	Q float64 `json:"q"`
	// Effect is the partial correlation, or its counterpart √(1 - exp(-G/n)) for a likelihood ratio statistic G.
	Effect float64 `json:"effect"`

	x, y int
}

// A Tester tests whether x adds to a model of y that has the columns in given. Effect is on the scale of a partial correlation. A test
// that the rows cannot decide has p = 1.
type Tester func(x, y int, given []int) (p, effect float64)

// tester keeps the outcomes of a Tester.
type tester struct {
	test  Tester
	names []string
	// sorted has the columns by name, so that orders and random graphs do not depend on the order of the columns.
	sorted []int
	known  map[string]tested
	key    []byte
}

type tested struct{ p, effect float64 }

func (t *tester) run(x, y int, given []int) tested {
	t.key = t.key[:0]
	for _, v := range append([]int{x, y}, given...) {
		t.key = append(t.key, byte(v), byte(v>>8), byte(v>>16))
	}
	r, ok := t.known[string(t.key)]
	if !ok {
		key := string(t.key)
		r.p, r.effect = t.test(x, y, given)
		t.known[key] = r
	}
	return r
}

// Symmetric returns the Tester of a test of n rows that does not depend on which column is explained.
func Symmetric(test independence.Test, rows int) Tester {
	return func(x, y int, given []int) (p, effect float64) {
		r, err := test.Independent(x, y, given)
		if err != nil { // too few rows for the condition
			return 1, 0
		}
		if r.DF == 0 { // |z| of Fisher's test
			return r.P, math.Tanh(r.Statistic / math.Sqrt(float64(max(1, rows-len(given)-3))))
		}
		return r.P, ratioEffect(r.Statistic, rows)
	}
}

// ratioEffect is the partial correlation of two Gaussian columns whose likelihood ratio statistic is g.
func ratioEffect(g float64, rows int) float64 {
	return math.Sqrt(max(0, -math.Expm1(-g/float64(rows))))
}

// conditions tests the ordered local Markov conditions: each column is independent of those before it that are not its parents,
// given its parents. Together they imply all independences of the graph. Ties of the order are broken by name.
func (t *tester) conditions(g *graph.Graph) []Condition {
	var out []Condition
	order := topological(g, t.sorted)
	for i, y := range order {
		parents := slices.Clone(g.Parents(y))
		slices.Sort(parents)
		for _, x := range order[:i] {
			if g.HasEdge(x, y) {
				continue
			}
			r := t.run(x, y, parents)
			c := Condition{X: t.names[x], Y: t.names[y], Given: []string{}, P: r.p, Effect: r.effect, x: x, y: y}
			for _, p := range parents {
				c.Given = append(c.Given, t.names[p])
			}
			slices.Sort(c.Given)
			out = append(out, c)
		}
	}
	correct(out)
	return out
}

// topological returns the nodes with parents first; of those that could come next, the one with the smallest name. sorted has the
// nodes by name.
func topological(g *graph.Graph, sorted []int) []int {
	place := make([]int, len(sorted))
	for i, v := range sorted {
		place[v] = i
	}
	byName := graph.New(g.N())
	for _, e := range g.Edges() {
		byName.AddEdge(place[e.From], place[e.To])
	}
	order, _ := byName.Order() // the graph is acyclic
	for i, v := range order {
		order[i] = sorted[v]
	}
	return order
}

// correct fills Q: the smallest false discovery rate at which each condition is refuted.
func correct(all []Condition) {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(all[b].P, all[a].P) })
	least := 1.0
	for k, i := range order {
		rank := float64(len(all) - k)
		least = min(least, all[i].P*float64(len(all))/rank)
		all[i].Q = least
	}
}

// refuted returns the conditions below the level, the clearest first.
func refuted(all []Condition, level float64) []Condition {
	out := []Condition{}
	for _, c := range all {
		if c.Q <= level {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b Condition) int {
		return cmp.Or(cmp.Compare(a.P, b.P), cmp.Compare(b.Effect, a.Effect), cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y))
	})
	return out
}
