package learntest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/metric"
)

// interventional returns a table as in the paper: categories whose logits are a random network of their parents, n rows without interventions and 200
// rows with an intervention on each column. The last column names the target.
func interventional(nodes, levels, n int, density float64, seed uint64) (names []string, rows [][]float64, g *graph.Graph) {
	rng := rand.New(rand.NewPCG(seed, 7))
	order := rng.Perm(nodes)
	g = graph.New(nodes)
	for a := range nodes {
		for b := a + 1; b < nodes; b++ {
			if rng.Float64() < density {
				g.AddEdge(order[a], order[b])
			}
		}
	}
	const hidden = 48
	type layer struct{ in, out [][]float64 }
	nets := make([]layer, nodes)
	matrix := func(r, c int, scale float64) [][]float64 {
		out := make([][]float64, r)
		for i := range out {
			out[i] = make([]float64, c)
			for k := range out[i] {
				out[i][k] = scale * rng.NormFloat64()
			}
		}
		return out
	}
	for v := range nets {
		nets[v] = layer{matrix(nodes*levels, hidden, 0.72), matrix(levels, hidden, 2.5/math.Sqrt(hidden))}
	}
	draw := func(target int) []float64 {
		row := make([]float64, nodes+1)
		for _, v := range order {
			if v == target {
				row[v] = float64(rng.IntN(levels))
				continue
			}
			parents := g.Parents(v)
			h := make([]float64, hidden)
			for _, p := range parents {
				for u, w := range nets[v].in[p*levels+int(row[p])] {
					h[u] += w
				}
			}
			best, most := 0, math.Inf(-1)
			for k, w := range nets[v].out {
				logit := -math.Log(-math.Log(rng.Float64())) // the largest of Gumbel variables
				for u, x := range h {
					logit += w[u] * max(x, 0.1*x)
				}
				if logit > most {
					best, most = k, logit
				}
			}
			row[v] = float64(best)
		}
		row[nodes] = float64(target + 1)
		return row
	}
	for range n {
		rows = append(rows, draw(-1))
	}
	for v := range nodes {
		for range 200 {
			rows = append(rows, draw(v))
		}
	}
	for v := range nodes {
		names = append(names, "x"+strconv.Itoa(v))
	}
	return append(names, "target"), rows, g
}

// TestStudyInterventions compares enco with the order search on tables of the paper's kind. lab/docs/methods.md has the figures.
// POLYDAG_STUDY is the number of columns, and POLYDAG_METHOD one of the two methods if only that is wanted.
func TestStudyInterventions(t *testing.T) {
	nodes, _ := strconv.Atoi(os.Getenv("POLYDAG_STUDY"))
	if nodes == 0 {
		t.Skip("it takes minutes: set POLYDAG_STUDY to the number of columns, 25 or 100")
	}
	density := min(0.3, 8/float64(nodes))
	for seed := range uint64(3) {
		names, rows, truth := interventional(nodes, 10, 5000, density, seed)
		sh := &sheet{}
		for v, name := range names {
			sh.add(name, len(rows), func(i int) string {
				switch {
				case v < nodes:
					return fmt.Sprint("v", rows[i][v])
				case rows[i][v] == 0:
					return ""
				}
				return names[int(rows[i][v])-1]
			})
		}
		for _, name := range []string{"enco", "order"} {
			if only := os.Getenv("POLYDAG_METHOD"); only != "" && only != name {
				continue
			}
			table := targeted(t, sh.plain(), "target")
			cfg := polydag.DefaultConfig()
			cfg.Threads = runtime.NumCPU()
			cfg.Method = must.Get(lab.Find(name))
			start := time.Now()
			res := must.Get(table.Learn(t.Context(), cfg, polydag.Run{}))
			c := metric.SHD(truth, res.Graph)
			t.Logf("seed %d, %d columns, %d edges, %s: SHD %d (%d missing, %d extra, %d reversed), %.0f s", seed, nodes, truth.NumEdges(), name, c.Distance(), c.Missing, c.Extra, c.Reversed, time.Since(start).Seconds())
		}
	}
}

// Categories in environments with unknown targets are described over the columns alone.
func TestEncoWithEnvironments(t *testing.T) {
	const rows = 300
	random := rand.New(rand.NewPCG(5, 3))
	a, b := make([]string, rows), make([]string, rows)
	for i := range rows {
		a[i] = string("xyz"[random.IntN(3)])
		if b[i] = a[i]; random.IntN(4) == 0 || i >= 200 {
			b[i] = string("xyz"[random.IntN(3)])
		}
	}
	s := &sheet{}
	s.add("a", rows, func(i int) string { return a[i] })
	s.add("b", rows, func(i int) string { return b[i] })
	s.add("place", rows, func(i int) string { return fmt.Sprint("p", i/100) })
	p := polydag.DefaultPreparation()
	p.Environments = "place"
	table, err := polydag.Prepare(t.Context(), written{text: s.plain()}, p)
	must.Succeed(t, err)
	cfg := polydag.DefaultConfig()
	cfg.Method = must.Get(lab.Find("enco"))
	for name, value := range map[string]string{"epochs": "5", "fit-steps": "100", "graph-steps": "30", "hidden": "8"} {
		must.Succeed(t, param.Of(cfg.Method).Set(name, value))
	}
	res := must.Get(table.Learn(t.Context(), cfg, polydag.Run{}))
	if len(res.Edges) != 1 || res.Edges[0].Effect == nil {
		t.Errorf("edges %+v", res.Edges)
	}
}
