package learntest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/metric"
)

// A hiddenTable has rows of a linear Gaussian model in which the first columns of the order are hidden common causes.
type hiddenTable struct {
	columns polydag.Columns
	full    *graph.Graph // the observed nodes come first
	hidden  []int
	truth   *graph.PAG
}

// hiddenCauses draws a DAG with an expected number of edges per observed node, causes that each act on two to four observed nodes,
// effects of 0.3 to 1 on either side, and noise variances of 0.5 to 1.5. Columns are standardized.
func hiddenCauses(t testing.TB, seed uint64, d, causes, n int, perNode float64) hiddenTable {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 32))
	all := d + causes
	h := hiddenTable{full: graph.New(all)}
	weight := map[graph.Edge]float64{}
	add := func(i, j int) {
		h.full.AddEdge(i, j)
		weight[graph.Edge{From: i, To: j}] = (0.3 + 0.7*rng.Float64()) * float64(1-2*rng.IntN(2))
	}
	order := rng.Perm(d)
	for k, v := range order {
		for _, u := range order[:k] {
			if rng.Float64() < 2*perNode/float64(d-1) {
				add(u, v)
			}
		}
	}
	for v := d; v < all; v++ {
		h.hidden = append(h.hidden, v)
		for _, u := range rng.Perm(d)[:2+rng.IntN(3)] {
			add(v, u)
		}
	}
	mag, _, err := graph.LatentMAG(h.full, h.hidden, nil)
	must.Succeed(t, err)
	h.truth = mag.Class(false)
	x := make([][]float64, all)
	for _, v := range append(h.hidden[:causes:causes], order...) {
		x[v] = make([]float64, n)
		sd := 0.7 + 0.5*rng.Float64()
		for i := range n {
			x[v][i] = sd * rng.NormFloat64()
			for _, u := range h.full.Parents(v) {
				x[v][i] += weight[graph.Edge{From: u, To: v}] * x[u][i]
			}
		}
	}
	h.columns = make(polydag.Columns, d)
	for j := range h.columns {
		h.columns[j].Name, h.columns[j].Numbers = fmt.Sprintf("x%d", j), x[j]
	}
	return h
}

// unconfounded reports whether i is a cause of j and they share no hidden parent.
func (h hiddenTable) unconfounded(i, j int) bool {
	for _, v := range h.hidden {
		if h.full.HasEdge(v, i) && h.full.HasEdge(v, j) {
			return false
		}
	}
	return h.full.HasPath(i, j)
}

// A hiddenSum adds up what a method got right.
type hiddenSum struct {
	joined, heads, excluded, implied metric.Confusion // excluded and implied have TP and FP only
	time                             time.Duration
}

func (s *hiddenSum) add(h hiddenTable, res *polydag.Result, d int) {
	p := statedMarks(res)
	for j := range d {
		for i := range j {
			count(&s.joined, h.truth.Adjacent(i, j), p.Adjacent(i, j))
		}
		for i := range d {
			if i == j {
				continue
			}
			count(&s.heads, h.truth.At(i, j) == graph.Arrow, p.At(i, j) == graph.Arrow)
		}
	}
	at := map[string]int{}
	for v, name := range res.Names {
		at[name] = v
	}
	for _, e := range res.Edges {
		i, j := at[e.From], at[e.To]
		switch e.HiddenCause {
		case method.HiddenExcluded:
			count(&s.excluded, h.unconfounded(i, j), true)
		case method.HiddenImplied:
			count(&s.implied, !h.full.HasPath(i, j), true)
		}
	}
}

func count(c *metric.Confusion, truth, said bool) {
	switch {
	case truth && said:
		c.TP++
	case said:
		c.FP++
	case truth:
		c.FN++
	}
}

// TestStudyHidden compares methods on tables with hidden common causes, against the PAG of the generating graph: adjacencies,
// arrowheads, edges said to have no hidden cause whose tail is a cause of the head and shares no hidden cause with it, and edges said
// to be due to a hidden cause whose tail is no cause of the head.
// docs/evidence/classical.md has the figures. POLYDAG_STUDY is the first seed, POLYDAG_TABLES the number of tables per row and
// POLYDAG_METHODS the methods, separated by commas.
func TestStudyHidden(t *testing.T) {
	first, err := strconv.Atoi(os.Getenv("POLYDAG_STUDY"))
	if err != nil {
		t.Skip("it takes minutes: set POLYDAG_STUDY to a first seed, such as 320000")
	}
	tables := 20
	if n, err := strconv.Atoi(os.Getenv("POLYDAG_TABLES")); err == nil {
		tables = n
	}
	methods := []string{"auto", "order-fci", "fci"}
	if s := os.Getenv("POLYDAG_METHODS"); s != "" {
		methods = strings.Split(s, ",")
	}
	const d = 20
	t.Log("\n| hidden | rows | edges per column | method | adjacency precision | recall | F1 | arrowhead precision | recall | excluded, right | implied, right | seconds |\n|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, causes := range []int{0, 3, 6} {
		for _, n := range []int{1000, 5000} {
			for _, perNode := range []float64{1, 2} {
				sums := make([]hiddenSum, len(methods))
				for k := range tables {
					h := hiddenCauses(t, uint64(first+k), d, causes, n, perNode)
					table := must.Get(polydag.Prepare(context.Background(), h.columns, polydag.DefaultPreparation()))
					for m, name := range methods {
						cfg := polydag.DefaultConfig()
						cfg.Method, cfg.Threads = using(t, name), 1
						began := time.Now()
						res := must.Get(table.Learn(context.Background(), cfg, polydag.Run{}))
						sums[m].time += time.Since(began)
						sums[m].add(h, res, d)
					}
				}
				for m, s := range sums {
					j, a := s.joined, s.heads
					fmt.Printf("| %d | %d | %g | `%s` | %.3f | %.3f | %.3f | %.3f | %.3f | %.2f of %d | %.2f of %d | %.2f |\n", causes, n, perNode, methods[m], j.Precision(), j.Recall(), j.F1(), a.Precision(), a.Recall(),
						s.excluded.Precision(), s.excluded.TP+s.excluded.FP, s.implied.Precision(), s.implied.TP+s.implied.FP, s.time.Seconds()/float64(tables))
				}
			}
		}
	}
}

// statedMarks returns the marks that a result states: those of a PAG, and of a DAG only the compelled directions.
func statedMarks(res *polydag.Result) *graph.PAG {
	p := graph.PAGOf(res.Marked)
	if res.Kind == graph.KindPAG {
		return p
	}
	at := map[string]int{}
	for v, name := range res.Names {
		at[name] = v
	}
	p = graph.NewPAG(len(res.Names))
	for _, e := range res.Edges {
		p.Set(at[e.From], at[e.To], graph.Circle, graph.Circle)
		if e.Compelled {
			p.Set(at[e.From], at[e.To], graph.Tail, graph.Arrow)
		}
	}
	return p
}
