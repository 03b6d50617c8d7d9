package graphtest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
)

// Settings of a test.
type Settings struct {
	Level  float64 // false discovery rate of refuted conditions
	Graphs int     // random graphs for comparison
	Repair bool    // propose changes that remove the refutations
	Seed   uint64
}

// DefaultSettings returns a level of 0.025 and 100 random graphs. The tests are approximate: at this level about 4 % of true graphs are refuted.
func DefaultSettings() Settings { return Settings{Level: 0.025, Graphs: 100, Seed: 1} }

// Verdict is the outcome of a test.
type Verdict string

// The verdicts.
const (
	Compatible Verdict = "compatible"
	Refuted    Verdict = "refuted"
	// LowPower means that no condition is refuted, but at least half of the random graphs of the same size are not refuted either.
	LowPower Verdict = "low_power"
	// Untestable means that the graph joins all pairs of columns, so that it implies no independence.
	Untestable Verdict = "untestable"
)

// An Edge is an edge of the graph that the table does not support: its ends are independent given the other parents.
type Edge struct {
	graph.Link
	P      float64 `json:"p"`
	Effect float64 `json:"effect"`
}

// A Report says whether a table is compatible with a graph.
type Report struct {
	Verdict Verdict `json:"verdict"`
	Rows    int     `json:"rows"`
	Columns int     `json:"columns"`
	Edges   int     `json:"edges"`
	Test    string  `json:"test"`
	Level   float64 `json:"level"`
	// Conditions is the number of independences that the graph implies and that were tested, and Refuted lists the rejected ones.
	Conditions int         `json:"conditions"`
	Refuted    []Condition `json:"refuted"`
	// Unsupported lists the edges whose ends are independent given the other parents, at the level.
	Unsupported []Edge `json:"unsupported"`
	// Detectable is the smallest partial correlation that a single condition would be refuted for with probability 0.8.
	Detectable float64 `json:"detectable"`
	// Random compares with graphs of the same shape over randomly exchanged columns. It is nil if there are none.
	Random *Random `json:"random,omitempty"`
	// Repair lists changes that remove refutations, if requested.
	Repair []Change `json:"repair,omitempty"`
}

// Random is the comparison with random graphs.
type Random struct {
	Graphs int `json:"graphs"`
	// Better is the share of the random graphs with at most as many violated conditions, and Unrefuted the share without a
	// refuted one.
	Better    float64 `json:"better"`
	Unrefuted float64 `json:"unrefuted"`
}

// Run tests a graph over the columns of the test. rows is the number of rows, and name what the test is called.
func Run(ctx context.Context, test Tester, name string, rows int, names []string, g *graph.Graph, s Settings) (*Report, error) {
	if !(s.Level > 0 && s.Level < 1) || s.Graphs < 0 {
		return nil, fmt.Errorf("level %v and %d random graphs; want a level between 0 and 1 and at least 0 graphs", s.Level, s.Graphs)
	}
	if !g.IsAcyclic() {
		return nil, fmt.Errorf("the graph has a cycle through %s; a test needs a directed acyclic graph", names[g.ShortestCycle()[0]])
	}
	t := &tester{test: test, names: names, sorted: byName(names), known: map[string]tested{}}
	all := t.conditions(g)
	r := &Report{Rows: rows, Columns: len(names), Edges: g.NumEdges(), Test: name, Level: s.Level,
		Conditions: len(all), Refuted: refuted(all, s.Level), Unsupported: t.unsupported(g, s.Level), Detectable: detectable(rows, len(all), s.Level)}
	if err := t.random(ctx, g, all, s, r); err != nil {
		return nil, err
	}
	switch {
	case len(all) == 0:
		r.Verdict = Untestable
	case len(r.Refuted) > 0:
		r.Verdict = Refuted
	case r.Random != nil && r.Random.Unrefuted >= 0.5:
		r.Verdict = LowPower
	default:
		r.Verdict = Compatible
	}
	if s.Repair && len(r.Refuted) > 0 {
		changes, err := t.repair(ctx, g, s.Level)
		if err != nil {
			return nil, err
		}
		r.Repair = changes
	}
	return r, nil
}

// unsupported tests each edge given the other parents of its end.
func (t *tester) unsupported(g *graph.Graph, level float64) []Edge {
	out := []Edge{}
	for _, e := range g.Edges() {
		var others []int
		for _, p := range g.Parents(e.To) {
			if p != e.From {
				others = append(others, p)
			}
		}
		slices.Sort(others)
		if r := t.run(e.From, e.To, others); r.p > level {
			out = append(out, Edge{Link: graph.Link{From: t.names[e.From], To: t.names[e.To]}, P: r.p, Effect: r.effect})
		}
	}
	slices.SortFunc(out, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(b.P, a.P), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return out
}

// detectable returns the partial correlation that Fisher's z rejects with probability 0.8 at the level divided by the number of
// conditions.
func detectable(rows, conditions int, level float64) float64 {
	if rows < 5 {
		return 1
	}
	z := math.Sqrt2 * (math.Erfinv(1-level/float64(max(1, conditions))) + math.Erfinv(2*0.8-1))
	return math.Tanh(z / math.Sqrt(float64(rows-3)))
}
