package confidence_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/metric"
)

// priorTables are the kinds of tables of TestPriorStudy.
var priorTables = []struct {
	name   string
	change func(*sim.Settings)
}{
	{"linear, unequal noise variances", func(c *sim.Settings) { c.Design = sim.Flat }},
	{"linear, equal noise variances", func(*sim.Settings) {}},
	{"discrete, 2 or 3 categories", func(c *sim.Settings) { c.Mechanism, c.LevelsLow, c.LevelsHigh = sim.Discrete, 2, 3 }},
	{"mixed", func(c *sim.Settings) { c.Mechanism = sim.Mixed }},
}

// priorScenarios are priors of 0.8, odds of 4, on half as many pairs as the true graph has edges. Calibrated ones are true edges with
// probability 0.8, and otherwise reversed or absent.
var priorScenarios = []string{"none", "true", "calibrated", "absent", "random wrong", "reversed"}

func priorsFor(scenario string, truth *graph.Graph, names []string, rng *rand.Rand) []string {
	fits := map[string]func(i, j int) bool{
		"none":         func(i, j int) bool { return false },
		"true":         truth.HasEdge,
		"absent":       func(i, j int) bool { return !truth.HasEdge(i, j) && !truth.HasEdge(j, i) },
		"random wrong": func(i, j int) bool { return !truth.HasEdge(i, j) },
		"reversed":     func(i, j int) bool { return truth.HasEdge(j, i) },
	}
	scenarioOf := func() string {
		if scenario != "calibrated" {
			return scenario
		}
		return [...]string{"true", "true", "true", "true", "true", "true", "true", "true", "reversed", "absent"}[rng.IntN(10)]
	}
	stated := map[graph.Edge]bool{}
	var out []string
	for range (truth.NumEdges() + 1) / 2 {
		fits := fits[scenarioOf()]
		for _, k := range rng.Perm(truth.N() * truth.N()) {
			i, j := k/truth.N(), k%truth.N()
			e, back := graph.Edge{From: i, To: j}, graph.Edge{From: j, To: i}
			if names[i] != "" && names[j] != "" && i != j && fits(i, j) && !stated[e] && !stated[back] {
				stated[e] = true
				out = append(out, knowledge.EdgeBetween(names[i], names[j])+"=0.8")
				break
			}
		}
	}
	return out
}

// TestPriorStudy measures what right and wrong priors do to the F1 of the directed edges of the graph and, in parentheses, of the edges of
// its equivalence class, whose directions the data can identify.
func TestPriorStudy(t *testing.T) {
	if os.Getenv("POLYDAG_STUDY") == "" {
		t.Skip("it takes minutes: set POLYDAG_STUDY=1")
	}
	const tables = 200
	for _, n := range []int{100, 5000} {
		for _, kind := range priorTables {
			type sums struct{ directed, class [tables]float64 }
			all := make([]sums, len(priorScenarios))
			parallel.For(tables, runtime.NumCPU(), func(k int) {
				m, table := simulated(t, n, uint64(5000+k), func(c *sim.Settings) { c.Nodes, c.Degree = 15, 3; kind.change(c) })
				names := slices.Clone(m.Names())
				for i, name := range names {
					if !slices.Contains(table.Moments.Names, name) { // a constant column
						names[i] = ""
					}
				}
				for s, scenario := range priorScenarios {
					cfg := polydag.DefaultConfig()
					cfg.Knowledge.Prior = priorsFor(scenario, m.Graph(), names, rand.New(rand.NewPCG(uint64(k), 9)))
					res, err := table.Learn(context.Background(), cfg, polydag.Run{})
					if err != nil {
						t.Error(err)
						return
					}
					est := within(res, m.Names())
					all[s].directed[k] = metric.Directed(m.Graph(), est).F1()
					all[s].class[k] = metric.CPDAGEdges(classOf(t, m.Graph()), classOf(t, est)).F1()
				}
			})
			var row []string
			for _, s := range all {
				row = append(row, fmt.Sprintf("%.3f (%.3f)", mean(s.directed[:]), mean(s.class[:])))
			}
			t.Logf("| %d | %s | %s |", n, kind.name, strings.Join(row, " | "))
		}
	}
}

func classOf(t *testing.T, g *graph.Graph) *graph.PDAG {
	class, err := graph.CPDAG(g)
	if err != nil {
		t.Error(err)
	}
	return class
}

// within returns the graph of a result over these names; excluded columns have no edges.
func within(res *polydag.Result, names []string) *graph.Graph {
	g := graph.New(len(names))
	for _, e := range res.Edges {
		g.AddEdge(slices.Index(names, e.From), slices.Index(names, e.To))
	}
	return g
}

func mean(x []float64) (m float64) {
	for _, v := range x {
		m += v / float64(len(x))
	}
	return m
}
