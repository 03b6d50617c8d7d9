package cidag_test

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
	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/lab/cidag"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/metric"
)

// table draws a linear table of an ER graph with 2d edges and 1000 rows.
func table(t testing.TB, seed uint64, d int, standardize bool) (*graph.Graph, *dataset.Moments) {
	in, m := inputtest.Simulated(t, 1000, func(c *sim.Settings) { c.Nodes, c.Seed, c.Standardize = d, seed, standardize })
	return m.Graph(), in.Moments
}

func learn(t testing.TB, m method.Method, data *dataset.Moments) *polydag.Result {
	cfg := polydag.DefaultConfig()
	cfg.Method, cfg.CheckScale, cfg.Threads = m, polydag.CheckScaleNever, 1
	res := must.Get(polydag.FromMoments(data).Learn(context.Background(), cfg, polydag.Run{}))
	return res
}

// The constraint is zero exactly for acyclic graphs without a marked edge, and its gradient is that of differences.
func TestEqualities(t *testing.T) {
	const d = 4
	rng := rand.New(rand.NewPCG(1, 2))
	marked := make([]bool, d*d)
	marked[1], marked[4], marked[11] = true, true, true
	e := &cidag.Equalities[float64]{H: &acyclic.Exp[float64]{}, Marked: marked}
	w, grad := matrix.New[float64](d, d), matrix.New[float64](d, d)
	w.Set(0, 2, 1.5)
	w.Set(2, 1, -1)
	if v, err := e.Eval(grad, w); v != 0 || err != nil {
		t.Errorf("an acyclic graph without a marked edge: %v, %v", v, err)
	}
	w.Set(0, 1, 0.5)
	if v, _ := e.Eval(grad, w); math.Abs(v-0.25) > 1e-12 || grad.At(0, 1) < 1 {
		t.Errorf("a marked edge with weight 0.5: %v, gradient %v", v, grad.At(0, 1))
	}
	for k := range w.Data {
		if w.Data[k] = 0; k%(d+1) != 0 {
			w.Data[k] = rng.NormFloat64()
		}
	}
	must.Get(e.Eval(grad, w))
	for k := range w.Data {
		was := w.Data[k]
		w.Data[k] = was + 1e-6
		up, _ := e.Eval(nil, w)
		w.Data[k] = was - 1e-6
		down, _ := e.Eval(nil, w)
		w.Data[k] = was
		if want := (up - down) / 2e-6; math.Abs(grad.Data[k]-want) > 1e-4*max(1, math.Abs(want)) {
			t.Errorf("gradient %d is %v, want %v", k, grad.Data[k], want)
		}
	}
}

// In both forms no edge joins columns that a test given at most one column separates. Without a penalty and with a small threshold NOTEARS
// itself has nearly all edges of some order.
func TestSeparatedColumnsHaveNoEdge(t *testing.T) {
	truth, data := table(t, 3, 10, false)
	for _, form := range []cidag.Form{cidag.Mask, cidag.Equality} {
		m := cidag.New()
		m.Form, m.L1, m.Threshold, m.Alpha = form, 0, 0.001, 0.001
		res := learn(t, m, data)
		r := data.Correlation()
		found := 0
		for _, e := range res.Graph.Edges() {
			for k := -1; k < 10; k++ {
				if k == e.From || k == e.To {
					continue
				}
				c := r.At(e.From, e.To)
				if k >= 0 {
					a, b := r.At(e.From, k), r.At(e.To, k)
					c = (c - a*b) / math.Sqrt((1-a*a)*(1-b*b))
				}
				if z := math.Abs(math.Atanh(c)) * math.Sqrt(1000-4); z < 3.2 { // p > 0.0014, above the level of 0.001
					t.Errorf("%s: %v is an edge, and the columns are independent given %d", form, e, k)
				}
			}
			if truth.HasEdge(e.From, e.To) {
				found++
			}
		}
		if found < truth.NumEdges()*2/3 {
			t.Errorf("%s: %d of %d edges found", form, found, truth.NumEdges())
		}
	}
}

// A required edge stays, even if a test separates its columns.
func TestRequiredEdge(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	x := matrix.New[float64](200, 3)
	for k := range x.Data {
		x.Data[k] = rng.NormFloat64()
	}
	data := inputtest.Moments(t, []string{"a", "b", "c"}, x)
	cfg := polydag.DefaultConfig()
	cfg.Method, cfg.CheckScale = cidag.New(), polydag.CheckScaleNever
	cfg.Knowledge.Require = []string{"a->b"}
	res := must.Get(polydag.FromMoments(data).Learn(context.Background(), cfg, polydag.Run{}))
	if !slices.Equal(res.Graph.Edges(), []graph.Edge{{From: 0, To: 1}}) {
		t.Errorf("edges %v", res.Graph.Edges())
	}
}

// TestStudy compares ci-dag with notears and order on five fresh ER graphs with 2d edges. lab/docs/methods.md has its output.
func TestStudy(t *testing.T) {
	if os.Getenv("POLYDAG_STUDY") == "" {
		t.Skip("it takes minutes: set POLYDAG_STUDY=1")
	}
	for _, d := range []int{20, 50} {
		for _, units := range []string{"raw", "standardized"} {
			for _, name := range []string{"notears", "ci-dag", "ci-dag form=equality", "ci-dag max-given=0", "ci-dag max-given=any", "order"} {
				t.Run(fmt.Sprintf("%d/%s/%s", d, units, name), func(t *testing.T) {
					f1, shd := 0.0, 0.0
					for seed := range uint64(5) {
						truth, data := table(t, 900+seed, d, units == "standardized")
						words := strings.Fields(name)
						m := must.Get(lab.Find(words[0]))
						for _, setting := range words[1:] {
							key, value, _ := strings.Cut(setting, "=")
							must.Succeed(t, param.Of(m).Set(key, value))
						}
						r := metric.Compare(truth, learn(t, m, data).Graph)
						f1, shd = f1+r.F1/5, shd+float64(r.SHD)/5
					}
					t.Logf("| %s | %d | `%s` | %.3f | %.1f |", units, d, name, f1, shd)
				})
			}
		}
	}
}
