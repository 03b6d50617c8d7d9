package learntest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/metric"
)

// randomNetwork is a network with one hidden layer and standard normal weights.
type randomNetwork struct {
	in       [][]float64 // by hidden unit
	bias     []float64
	out      []float64
	shift    float64
	activate func(float64) float64
}

func newRandomNetwork(rng *rand.Rand, inputs, hidden int, activate func(float64) float64) *randomNetwork {
	n := &randomNetwork{activate: activate, shift: (2*rng.Float64() - 1) / math.Sqrt(float64(hidden))}
	for range hidden {
		w := make([]float64, inputs)
		for i := range w {
			w[i] = rng.NormFloat64()
		}
		n.in, n.out = append(n.in, w), append(n.out, rng.NormFloat64())
		n.bias = append(n.bias, (2*rng.Float64()-1)/math.Sqrt(float64(inputs)))
	}
	return n
}

func (n *randomNetwork) at(x []float64) float64 {
	sum := n.shift
	for k, w := range n.in {
		h := n.bias[k]
		for i, v := range x {
			h += w[i] * v
		}
		sum += n.out[k] * n.activate(h)
	}
	return sum
}

// dcdiTable draws a table as Brouillard et al. (2020), appendix B: d columns with the given number of edges on average and 10,000 rows, one
// part without interventions and d parts with interventions on one column or, if d is 20, one or two. A column is a linear function, a
// network with additive noise ("additive") or a network of its parents and its noise ("network"). A perfect intervention sets a column to
// N(2, 1); an imperfect one changes its weights. The last column names the targets.
func dcdiTable(kind string, d, edges, rows int, perfect bool, seed uint64) (*sheet, *graph.Graph) {
	rng := rand.New(rand.NewPCG(seed, 0x64636469))
	truth := graph.New(d)
	order := rng.Perm(d)
	for a := range d {
		for b := range a {
			if rng.Float64() < 2*float64(edges)/float64(d*(d-1)) {
				truth.AddEdge(order[b], order[a])
			}
		}
	}
	prelu := func(x float64) float64 { return max(x, 0.25*x) }
	linear := make([][][]float64, d) // by column: weights without and with an imperfect intervention
	nets := make([][2]*randomNetwork, d)
	sd := make([]float64, d)
	for v := range d {
		parents := len(truth.Parents(v))
		sd[v] = 0.4 * math.Sqrt(1+rng.Float64())
		linear[v] = [][]float64{make([]float64, parents), make([]float64, parents)}
		for i := range parents {
			w := 0.25 + 0.75*rng.Float64()
			change := 2 + 3*rng.Float64()
			if rng.IntN(2) == 0 {
				w = -w
			}
			if rng.IntN(2) == 0 {
				change = -change
			}
			linear[v][0][i], linear[v][1][i] = w, w+change
		}
		if parents == 0 {
			continue
		}
		switch kind {
		case "additive":
			nets[v][0] = newRandomNetwork(rng, parents, 10, prelu)
		case "network":
			nets[v][0] = newRandomNetwork(rng, parents+1, 20, math.Tanh)
		default:
			continue
		}
		other := *nets[v][0]
		other.out = append([]float64(nil), other.out...)
		for k := range other.out {
			other.out[k] += rng.NormFloat64()
		}
		nets[v][1] = &other
	}
	targets := make([][]int, d+1) // the last part has none
	for k, v := range rng.Perm(d) {
		targets[k] = []int{v}
		if d == 20 {
			targets[k] = rng.Perm(d)[:1+rng.IntN(2)]
		}
	}
	values := make([][]float64, rows)
	cells := make([]string, rows)
	for i := range values {
		part := i * (d + 1) / rows
		set := make([]bool, d)
		var names []string
		for _, v := range targets[part] {
			set[v], names = true, append(names, fmt.Sprint("x", v))
		}
		cells[i] = strings.Join(names, ";")
		x := make([]float64, d)
		for _, v := range order {
			parents := truth.Parents(v)
			which := 0
			switch {
			case set[v] && (perfect || len(parents) == 0):
				x[v] = 2 + rng.NormFloat64()
				continue
			case set[v]:
				which = 1
			}
			noise := sd[v] * rng.NormFloat64()
			if len(parents) == 0 {
				x[v] = 2*rng.Float64() - 1
				continue
			}
			in := make([]float64, 0, len(parents)+1)
			for _, p := range parents {
				in = append(in, x[p])
			}
			switch kind {
			case "linear":
				x[v] = noise
				for k, value := range in {
					x[v] += linear[v][which][k] * value
				}
			case "additive":
				x[v] = noise + nets[v][which].at(in)
			case "network":
				x[v] = nets[v][which].at(append(in, noise))
			}
		}
		values[i] = x
	}
	s := &sheet{}
	for v := range d {
		s.add(fmt.Sprint("x", v), rows, func(i int) string { return fmt.Sprintf("%.10g", values[i][v]) })
	}
	s.add("target", rows, func(i int) string { return cells[i] })
	return s, truth
}

// TestStudyDCDI compares dcdi with the order search on tables as in its paper. lab/docs/methods.md has the figures. These variables
// set the study, in brackets what they are if they are not set:
//
//	POLYDAG_STUDY    columns; the test is skipped without it
//	POLYDAG_EDGES    edges per column [4 for 20 columns, otherwise 1]
//	POLYDAG_TABLES   tables of each kind [10]
//	POLYDAG_KINDS    kinds of effects [linear,additive,network]
//	POLYDAG_CHANGE   perfect, imperfect or unknown targets [perfect]
//	POLYDAG_METHOD   methods, with settings after a colon [dcdi,order], for example dcdi:constraint=geo:sparsity=0.01
func TestStudyDCDI(t *testing.T) {
	d, _ := strconv.Atoi(os.Getenv("POLYDAG_STUDY"))
	if d == 0 {
		t.Skip("it takes minutes: set POLYDAG_STUDY to the number of columns, 10 or 20")
	}
	number := func(name string, or int) int {
		n, _ := strconv.Atoi(os.Getenv(name))
		return cmp.Or(n, or)
	}
	perNode := 1
	if d == 20 {
		perNode = 4
	}
	tables, edges := number("POLYDAG_TABLES", 10), d*number("POLYDAG_EDGES", perNode)
	change := cmp.Or(os.Getenv("POLYDAG_CHANGE"), "perfect")
	kinds := strings.Split(cmp.Or(os.Getenv("POLYDAG_KINDS"), "linear,additive,network"), ",")
	methods := strings.Split(cmp.Or(os.Getenv("POLYDAG_METHOD"), "dcdi,order"), ",")
	for _, kind := range kinds {
		for _, name := range methods {
			counts, seconds := make([]metric.Hamming, tables), make([]float64, tables)
			parallel.For(tables, runtime.NumCPU(), func(seed int) {
				s, truth := dcdiTable(kind, d, edges, 10_000, change == "perfect", uint64(seed))
				p := polydag.DefaultPreparation()
				if p.Targets = "target"; change == "unknown" {
					p.Targets, p.Environments = "", "target"
				}
				table, err := polydag.Prepare(context.Background(), written{text: s.plain()}, p)
				if err != nil {
					t.Error(err)
					return
				}
				cfg := polydag.DefaultConfig()
				cfg.Threads = max(1, runtime.NumCPU()/tables)
				parts := strings.Split(name, ":")
				if cfg.Method, err = lab.Find(parts[0]); err != nil {
					t.Error(err)
					return
				}
				if parts[0] == "dcdi" && change == "imperfect" {
					parts = append(parts, "interventions=imperfect")
				}
				for _, setting := range parts[1:] {
					key, value, _ := strings.Cut(setting, "=")
					if err := param.Of(cfg.Method).Set(key, value); err != nil {
						t.Error(err)
						return
					}
				}
				start := time.Now()
				steps := 0
				res, err := table.Learn(t.Context(), cfg, polydag.Run{Observe: func(p polydag.Progress) { steps = max(steps, p.Step) }})
				if err != nil {
					t.Error(err)
					return
				}
				counts[seed], seconds[seed] = metric.SHD(truth, res.Graph), time.Since(start).Seconds()
				t.Logf("%s %s, table %d, %d edges: SHD %d (%d missing, %d extra, %d reversed), %s after %d steps, %.0f s", kind, name, seed, truth.NumEdges(),
					counts[seed].Distance(), counts[seed].Missing, counts[seed].Extra, counts[seed].Reversed, res.Status, steps, seconds[seed])
			})
			sum, squares, time := 0.0, 0.0, 0.0
			for i, c := range counts {
				sum, time = sum+float64(c.Distance()), time+seconds[i]
				squares += float64(c.Distance() * c.Distance())
			}
			n := float64(tables)
			t.Logf("%s, %d columns, %d edges, %s, %s: mean SHD %.1f (standard deviation %.1f) over %d tables, %.0f s each", kind, d, edges, change, name,
				sum/n, math.Sqrt(max(0, squares-sum*sum/n)/max(1, n-1)), tables, time/n)
		}
	}
}
