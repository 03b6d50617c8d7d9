package learntest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/bif"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/score"
)

// learnedWith learns from a table with a method, on two threads and in the units that there are.
func learnedWith(t testing.TB, table *polydag.Table, m method.Method) *polydag.Result {
	t.Helper()
	cfg := polydag.DefaultConfig()
	cfg.Method, cfg.Threads, cfg.CheckScale = m, 2, polydag.CheckScaleNever
	res := must.Get(table.Learn(context.Background(), cfg, polydag.Run{}))
	return res
}

// classOf is the CPDAG of a result: of a DAG its class, of a class itself.
func classOf(t testing.TB, res *polydag.Result) *graph.PDAG {
	t.Helper()
	if res.Kind == graph.KindDAG {
		p := must.Get(graph.CPDAG(res.Graph))
		return p
	}
	p := graph.NewPDAG(res.Marked.N())
	for _, e := range res.Marked.Edges() {
		if e.Directed() {
			p.SetDirected(e.From, e.To)
		} else {
			p.SetUndirected(e.From, e.To)
		}
	}
	return p
}

// compared returns the distance of classes and the F1 of the pairs that are joined.
func compared(t testing.TB, truth *graph.Graph, res *polydag.Result) (shd int, skeleton float64) {
	t.Helper()
	want := must.Get(graph.CPDAG(truth))
	joined := graph.New(truth.N())
	for _, e := range res.Marked.Edges() {
		joined.AddEdge(e.From, e.To)
	}
	return metric.CPDAGDistance(want, classOf(t, res)), metric.Skeleton(truth, joined).F1()
}

// networkSample is a fresh sample of a published network, as text.
func networkSample(t *testing.T, name string, rows int, seed uint64) (string, *graph.Graph) {
	t.Helper()
	net := must.Get(bif.Read(published(t, "networks/bif/"+name+".bif.gz")))
	columns := net.Sample(rand.New(rand.NewPCG(seed, 0xa1a)), rows)
	var b strings.Builder
	b.WriteString(strings.Join(net.Names(), ",") + "\n")
	for i := range rows {
		for v := range columns {
			if v > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "v%d", columns[v][i])
		}
		b.WriteByte('\n')
	}
	return b.String(), graph.FromParents(net.Parents())
}

// studied returns the number of tables of a study: few by default, many with POLYDAG_STUDY=1.
func studied(few, many uint64) uint64 {
	if os.Getenv("POLYDAG_STUDY") == "" {
		return few
	}
	return many
}

// TestClassicalNetworks checks that on fresh samples of ALARM the methods find nearly the true class with BDeu.
// docs/evidence/classical.md has the figures.
func TestClassicalNetworks(t *testing.T) {
	for seed := range studied(1, 5) {
		text, truth := networkSample(t, "alarm", 10000, seed+1)
		table := prepared(t, text)
		for name, most := range map[string]int{"ges": 5, "fges": 5, "mmhc": 30, "order": 5} {
			res := learnedWith(t, table, using(t, name, "model=discrete", "criterion=bdeu"))
			shd, skeleton := compared(t, truth, res)
			t.Logf("sample %d, %s: distance %d, skeleton F1 %.3f, score %.1f, %.2f s", seed+1, name, shd, skeleton, res.Score, res.Timing.SolveSeconds)
			if shd > most {
				t.Errorf("sample %d, %s: the distance from the true class is %d, want at most %d", seed+1, name, shd, most)
			}
		}
	}
}

// TestClassicalLinear compares the classes of ges and fges on linear tables with that of the order search, with
// the same penalty.
func TestClassicalLinear(t *testing.T) {
	nodes := []int{50}
	if os.Getenv("POLYDAG_STUDY") != "" {
		nodes = []int{50, 200, 1000}
	}
	for _, d := range nodes {
		for seed := range studied(1, 3) {
			cfg := sim.Default()
			cfg.Nodes, cfg.Edges, cfg.Seed = d, 2*d, seed+1
			model := must.Get(sim.New(cfg))
			data := moments(t, model.Names(), model.Sample(sim.Stream(cfg.Seed, sim.StreamNoise), 1000))
			table := polydag.FromMoments(data)
			scored := must.Get(score.NewGaussianLocal(data.Correlation(), 1000, math.Log(1000)+2*math.Log(float64(d))))
			total := func(g *graph.Graph) (sum float64) {
				for v := range g.N() {
					sum += scored.Evaluator().Score(v, g.Parents(v))
				}
				return sum
			}
			for _, m := range []struct {
				name     string
				settings []string
				least    float64
			}{
				{"ges", nil, 0.6}, {"fges", nil, 0.97}, {"fges", []string{"start=empty"}, 0.6}, {"fges", []string{"start=empty", "turning=false", "faithful=true"}, 0.5},
				{"mmhc", nil, 0.5}, {"order", []string{"restarts=0", "variance=unequal", "penalty=1", "gamma=0.5"}, 0.97},
			} {
				res := learnedWith(t, table, using(t, m.name, m.settings...))
				shd, skeleton := compared(t, model.Graph(), res)
				member := must.Get(classOf(t, res).Extension())
				t.Logf("d = %d, seed %d, %s %v: distance %d, skeleton F1 %.4f, score %.1f above the true graph's, %.2f s", d, cfg.Seed, m.name, m.settings, shd, skeleton, total(member)-total(model.Graph()), res.Timing.SolveSeconds)
				if skeleton < m.least {
					t.Errorf("d = %d, seed %d, %s %v: skeleton F1 %.4f, want at least %g", d, cfg.Seed, m.name, m.settings, skeleton, m.least)
				}
			}
		}
	}
}

// TestClassicalNoise checks that every direction is identified on linear tables with non-Gaussian noise.
func TestClassicalNoise(t *testing.T) {
	nodes := 25
	if os.Getenv("POLYDAG_STUDY") != "" {
		nodes = 50
	}
	for _, noise := range []sim.NoiseKind{sim.Uniform, sim.Exponential} {
		for seed := range studied(1, 5) {
			cfg := sim.Default()
			cfg.Nodes, cfg.Edges, cfg.Noise, cfg.Seed = nodes, 2*nodes, noise, seed+1
			model := must.Get(sim.New(cfg))
			table := rowsTable(t, model.Names(), model.Sample(sim.Stream(cfg.Seed, sim.StreamNoise), 2000))
			for variant, least := range map[string]float64{"direct": 0.99, "ica": 0.5} {
				res := learnedWith(t, table, using(t, "lingam", "variant="+variant))
				f1 := metric.Compare(model.Graph(), res.Graph).F1
				t.Logf("%v, seed %d, %s: F1 %.4f, %.2f s; %s", noise, cfg.Seed, variant, f1, res.Timing.SolveSeconds, res.Choice("noise").Reason)
				if f1 < least {
					t.Errorf("%v, seed %d, %s: F1 %.4f, want at least %g", noise, cfg.Seed, variant, f1, least)
				}
			}
		}
	}
}

// rowsTable is a table of numbers with its rows.
func rowsTable(t testing.TB, names []string, x *matrix.Dense[float64]) *polydag.Table {
	t.Helper()
	s := &sheet{}
	for j, name := range names {
		s.add(name, x.Rows, func(i int) string { return fmt.Sprintf("%.9g", x.At(i, j)) })
	}
	return prepared(t, s.plain())
}

// TestClassicalGaussianNoise checks that with Gaussian noise lingam reports it and directs only the edges of
// the equivalence class.
func TestClassicalGaussianNoise(t *testing.T) {
	s, _ := drawn(t, sim.Gaussian, 12, 800, 3)
	table := prepared(t, s.plain())
	for _, variant := range []string{"direct", "ica"} {
		res := learnedWith(t, table, using(t, "lingam", "variant="+variant))
		c := res.Choice("noise")
		if c == nil || c.Chosen != "gaussian" || !strings.Contains(c.Reason, "Gaussian") {
			t.Errorf("%s: %+v", variant, c)
		}
		class, open := classOf(t, res), 0
		for _, e := range res.Edges {
			if from, to := slices.Index(res.Names, e.From), slices.Index(res.Names, e.To); e.Compelled != class.HasDirected(from, to) {
				t.Errorf("%s: %s → %s is told: %v, and the class says %v", variant, e.From, e.To, e.Compelled, class.HasDirected(from, to))
			}
			if !e.Compelled {
				open++
			}
		}
		if open == 0 {
			t.Error("the class leaves no edge open, so that the table shows nothing")
		}
	}
}

// TestClassicalCurves checks that anm identifies the right directions for nonlinear effects, and reports none
// for linear ones.
func TestClassicalCurves(t *testing.T) {
	curved := func(mechanism sim.Mechanism, seed uint64) (*polydag.Result, *graph.Graph) {
		cfg := sim.Default()
		cfg.Nodes, cfg.Edges, cfg.Mechanism, cfg.Seed = 6, 6, mechanism, seed
		model := must.Get(sim.New(cfg))
		return learnedWith(t, rowsTable(t, model.Names(), model.Sample(sim.Stream(seed, sim.StreamNoise), 600)), using(t, "anm")), model.Graph()
	}
	told, right := 0, 0
	for seed := range studied(3, 10) {
		res, truth := curved(sim.Additive, seed+1)
		for _, e := range res.Edges {
			if e.Compelled {
				told++
				if truth.HasEdge(slices.Index(res.Names, e.From), slices.Index(res.Names, e.To)) {
					right++
				}
			}
		}
		t.Logf("seed %d: %s", seed+1, res.Choice("directions").Reason)
	}
	t.Logf("%d of %d told directions are right", right, told)
	if told < 6 || right*10 < told*8 {
		t.Errorf("%d of %d told directions are right", right, told)
	}
	res, _ := curved(sim.Linear, 1)
	if c := res.Choice("directions"); c == nil || c.Chosen != "open" {
		t.Errorf("straight lines: %+v", c)
	}
}

// TestClassicalTables checks that neither the column order nor the names of categories change the result, and
// that degenerate tables give a named error or an answer.
func TestClassicalTables(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const n = 300
	mixed := &sheet{}
	level := make([]int, n)
	number := make([]float64, n)
	mixed.add("group", n, func(i int) string { level[i] = rng.IntN(3); return fmt.Sprint("g", level[i]) })
	mixed.add("dose", n, func(i int) string {
		number[i] = float64(level[i]) + rng.NormFloat64()
		return fmt.Sprintf("%.6f", number[i])
	})
	mixed.add("answer", n, func(i int) string {
		if number[i]+rng.NormFloat64() > 1 {
			return "yes"
		}
		return "no"
	})
	mixed.add("size", n, func(i int) string { return fmt.Sprintf("%.6f", number[i]*0.7+rng.NormFloat64()) })
	for _, name := range []string{"ges", "fges", "mmhc"} {
		edges := func(order []int) string {
			res := learnedWith(t, prepared(t, mixed.csv(order)), using(t, name))
			var all []string
			for _, e := range res.Edges {
				if e.Mark == "---" && e.From > e.To {
					e.From, e.To = e.To, e.From
				}
				all = append(all, e.From+e.Mark+e.To)
			}
			slices.Sort(all)
			return fmt.Sprint(res.Model, res.Score, all)
		}
		first := edges([]int{0, 1, 2, 3})
		if !strings.Contains(first, "mixed") || !strings.Contains(first, "dose") {
			t.Errorf("%s learns %s", name, first)
		}
		for _, order := range [][]int{{3, 2, 1, 0}, {2, 0, 3, 1}} {
			if got := edges(order); got != first {
				t.Errorf("%s: columns %v give %s, before %s", name, order, got, first)
			}
		}
	}
	wide := &sheet{}
	for j := range 40 {
		wide.add(fmt.Sprint("w", j), 12, func(int) string { return fmt.Sprintf("%.6f", rng.NormFloat64()) })
	}
	twice := &sheet{}
	a := make([]float64, 150)
	twice.add("a", 150, func(i int) string { a[i] = rng.ExpFloat64(); return fmt.Sprintf("%.9f", a[i]) })
	twice.add("b", 150, func(i int) string { return fmt.Sprintf("%.9f", 2*a[i]+1) })
	twice.add("c", 150, func(i int) string { return fmt.Sprintf("%.9f", a[i]+rng.ExpFloat64()) })
	for what, text := range map[string]string{"wide": wide.plain(), "twice": twice.plain()} {
		table := prepared(t, text)
		for _, name := range []string{"ges", "fges", "mmhc", "lingam", "anm"} {
			cfg := polydag.DefaultConfig()
			cfg.Method, cfg.CheckScale = using(t, name), polydag.CheckScaleNever
			res, err := table.Learn(context.Background(), cfg, polydag.Run{})
			if err == nil && (!res.Certificate.Holds || res.Score-res.Score != 0) {
				t.Errorf("%s, %s: certificate %v, score %v", what, name, res.Certificate.Holds, res.Score)
			}
			if err != nil {
				t.Logf("%s, %s: %v", what, name, err)
			}
		}
	}
}
