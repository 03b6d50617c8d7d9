package learntest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/method"
)

// byTests lists the methods that build a graph from tests of independence.
var byTests = []string{"pc", "fci", "rfci", "order-fci"}

func learnedBy(t *testing.T, text, name string, known knowledge.Spec, settings ...string) *polydag.Result {
	t.Helper()
	cfg := polydag.DefaultConfig()
	cfg.Method, cfg.Threads, cfg.Knowledge = using(t, name, settings...), 2, known
	res, err := prepared(t, text).Learn(context.Background(), cfg, polydag.Run{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if !res.Certificate.Holds {
		t.Errorf("%s: the certificate of %v does not hold", name, res.Edges)
	}
	return res
}

// causes draws a table in which two categorical and two numeric columns affect a categorical and a numeric one.
func causes(rng *rand.Rand, n int) *sheet {
	s := &sheet{}
	colour, size, age := make([]int, n), make([]int, n), make([]float64, n)
	for i := range n {
		colour[i], size[i], age[i] = min(rng.IntN(3), rng.IntN(3)), rng.IntN(2), rng.NormFloat64()
	}
	s.add("colour", n, func(i int) string { return []string{"red", "green", "blue"}[colour[i]] })
	s.add("size", n, func(i int) string { return []string{"small", "large"}[size[i]] })
	s.add("age", n, func(i int) string { return fmt.Sprintf("%.4f", age[i]) })
	s.add("price", n, func(i int) string {
		return fmt.Sprintf("%.4f", 2*float64(size[i])+age[i]+0.5*rng.NormFloat64())
	})
	s.add("shelf", n, func(i int) string {
		if rng.Float64() < 0.1 {
			return []string{"top", "low", "mid"}[rng.IntN(3)]
		}
		return []string{"top", "low", "mid"}[(colour[i]+size[i])%3]
	})
	return s
}

// TestTestsAreChosenByKinds checks that the test follows from the column kinds and does not depend on the
// column order.
func TestTestsAreChosenByKinds(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	for want, s := range map[string]*sheet{
		"g2": weather(rng, 1500, plainWords), "mixed": causes(rng, 1500), "fisher-z": numbers(rng, 400, line),
		"smooth": numbers(rng, 600, func(v float64) float64 { return 2 * v * v }),
	} {
		for _, name := range byTests {
			var first []string
			for k := range 2 {
				order := rng.Perm(len(s.names))
				res := learnedBy(t, s.csv(order), name, knowledge.Spec{})
				if c := res.Choice("test"); c == nil || c.Chosen != want || c.Reason == "" {
					t.Errorf("%s: %+v, want %s", name, c, want)
				}
				if a := res.Choice("alpha"); a == nil || !strings.Contains(a.Reason, "tests") {
					t.Errorf("%s does not say what its level means: %+v", name, a)
				}
				var edges []string
				for _, e := range res.Edges {
					from, to, mark := e.From, e.To, e.Mark
					if (mark == "---" || mark == "<->" || mark == "o-o") && from > to {
						from, to = to, from
					}
					edges = append(edges, fmt.Sprintf("%s %s %s %.9g", from, mark, to, e.Gain))
				}
				slices.Sort(edges)
				if len(edges) == 0 {
					t.Errorf("%s finds nothing in a table for %s", name, want)
				}
				if k == 1 && !slices.Equal(edges, first) {
					t.Errorf("%s, %s: %v, with the columns as %v %v", name, want, first, order, edges)
				}
				first = edges
			}
		}
	}
}

// TestTestsFindCommonEffects checks that common effects among levels and numbers are found.
func TestTestsFindCommonEffects(t *testing.T) {
	text := causes(rand.New(rand.NewPCG(22, 1)), 3000).plain()
	res := learnedBy(t, text, "pc", knowledge.Spec{})
	var edges []string
	for _, e := range res.Edges {
		edges = append(edges, e.From+" "+e.Mark+" "+e.To)
	}
	want := []string{"age --> price", "colour --> shelf", "size --> price", "size --> shelf"}
	if slices.Sort(edges); !slices.Equal(edges, want) || res.Kind != graph.KindCPDAG {
		t.Errorf("%s %v, want %v", res.Kind, edges, want)
	}
	for _, e := range res.Edges {
		if e.Gain <= 0 || e.Effect == nil {
			t.Errorf("%s → %s has gain %v and effect %v", e.From, e.To, e.Gain, e.Effect)
		}
	}
}

// TestTestsKeepKnowledge checks that knowledge is kept: tiers, required and forbidden edges.
func TestTestsKeepKnowledge(t *testing.T) {
	text := weather(rand.New(rand.NewPCG(23, 1)), 800, plainWords)
	names := text.names
	for _, name := range byTests {
		res := learnedBy(t, text.plain(), name, knowledge.Spec{
			Tiers: [][]string{names[1:], names[:1]}, Require: []string{names[1] + "->" + names[2]}, Forbid: []string{names[3] + "->" + names[2]},
		})
		if !res.Graph.HasEdge(1, 2) || res.Graph.HasEdge(3, 2) {
			t.Errorf("%s: %v", name, res.Edges)
		}
		for _, c := range res.Graph.Children(0) {
			t.Errorf("%s: %s is in the last tier and acts on %s", name, names[0], names[c])
		}
	}
}

// TestTestsAtTheEdge covers degenerate tables: collinear columns, constants, one row, few rows and many
// columns.
func TestTestsAtTheEdge(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 1))
	twins := &sheet{}
	level := make([]int, 200)
	for i := range level {
		level[i] = rng.IntN(3)
	}
	twins.add("a", 200, func(i int) string { return fmt.Sprint("a", level[i]) })
	twins.add("b", 200, func(i int) string { return fmt.Sprint("b", (level[i]+1)%3) })
	twins.add("c", 200, func(i int) string { return fmt.Sprint("c", rng.IntN(2)) })
	wide := &sheet{}
	for j := range 30 {
		wide.add(fmt.Sprint("w", j), 12, func(int) string { return fmt.Sprintf("%.3f", rng.NormFloat64()) })
	}
	for what, text := range map[string]string{
		"levels that determine each other": twins.plain(), "more columns than rows": wide.plain(),
		"one row": "a,b\n1,2\n", "no rows": "a,b\n", "one level": "a,b\nx,1\nx,2\nx,4\nx,3\nx,9\n",
	} {
		for _, name := range byTests {
			cfg := polydag.DefaultConfig()
			cfg.Method = using(t, name)
			table, err := polydag.Prepare(context.Background(), written{text: text}, polydag.DefaultPreparation())
			if err != nil {
				continue // named before a method sees it
			}
			res, err := table.Learn(context.Background(), cfg, polydag.Run{})
			if err == nil && !res.Certificate.Holds {
				t.Errorf("%s of %s: the certificate does not hold", name, what)
			}
		}
	}
}

// TestTestsThatAreStopped checks that a stopped run reports it and returns its result so far.
func TestTestsThatAreStopped(t *testing.T) {
	text := weather(rand.New(rand.NewPCG(25, 1)), 800, plainWords).plain()
	for _, name := range byTests {
		ctx, cancel := context.WithCancel(context.Background())
		cfg := polydag.DefaultConfig()
		cfg.Method = using(t, name)
		res, err := prepared(t, text).Learn(ctx, cfg, polydag.Run{Observe: func(polydag.Progress) { cancel() }})
		if !errors.Is(err, context.Canceled) || res.Status != method.Canceled || res.Cause == "" {
			t.Errorf("%s: %v, %+v", name, err, res)
		}
	}
}
