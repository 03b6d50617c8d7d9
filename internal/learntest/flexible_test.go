package learntest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/score"
)

// manyKinds draws a table of skewed amounts, counts, categories and Gaussian columns over a random DAG, with linear effects on the scale
// of each column.
func manyKinds(seed uint64, d, edges, n int) (*sheet, *graph.Graph) {
	rng := rand.New(rand.NewPCG(seed, 30))
	order, g := rng.Perm(d), graph.New(d)
	for g.NumEdges() < edges {
		if a, b := rng.IntN(d), rng.IntN(d); a < b {
			g.AddEdge(order[a], order[b])
		}
	}
	cells, scale := make([][]string, d), make([][]float64, d)
	for _, v := range order {
		cells[v], scale[v] = make([]string, n), make([]float64, n)
		weight := make([]float64, d)
		for p := range weight {
			weight[p] = math.Copysign(0.5+0.5*rng.Float64(), rng.Float64()-0.5)
		}
		for i := range n {
			mean := 0.0
			for _, p := range g.Parents(v) {
				mean += weight[p] * scale[p][i]
			}
			switch y := mean + rng.NormFloat64(); v % 4 {
			case 0:
				cells[v][i], scale[v][i] = fmt.Sprintf("%.6g", math.Exp(y)), y
			case 1:
				k := math.Floor(math.Exp(0.5 + 0.5*y))
				cells[v][i], scale[v][i] = fmt.Sprint(k), 2*math.Log1p(k)-2
			case 2:
				cells[v][i], scale[v][i] = "low", -1
				if y > 0 {
					cells[v][i], scale[v][i] = "high", 1
				}
			default:
				cells[v][i], scale[v][i] = fmt.Sprintf("%.6f", y), y
			}
		}
	}
	s := &sheet{}
	for v := range d {
		s.add(fmt.Sprintf("x%02d", v), n, func(i int) string { return cells[v][i] })
	}
	return s, g
}

// The flexible model finds the adjacencies of a table of many kinds; the mixed model adds false ones. The order of the
// columns changes nothing.
func TestFlexibleModel(t *testing.T) {
	s, truth := manyKinds(1, 12, 16, 1500)
	res := learnedFrom(t, prepared(t, s.plain()), flexible())
	if f1 := metric.Skeleton(truth, res.Graph).F1(); res.Model != score.FlexibleEffects || f1 < 0.93 {
		t.Errorf("model %s, F1 of the adjacencies %.3f", res.Model, f1)
	}
	for _, e := range res.Edges {
		if e.Verdict == polydag.Directed && e.Confidence >= 0.9 && truth.HasEdge(index(res.Names, e.To), index(res.Names, e.From)) {
			t.Errorf("%s → %s is stated with confidence %.2f, and is reversed", e.From, e.To, e.Confidence)
		}
	}
	if c := res.Choice("terms"); c == nil || c.Chosen == "" {
		t.Error("the result does not say which terms were used")
	}
	turned := make([]int, len(s.names))
	for j := range turned {
		turned[j] = (5*j + 3) % len(turned)
	}
	other := learnedFrom(t, prepared(t, s.csv(turned)), flexible())
	lines := func(r *polydag.Result) (out []string) {
		for _, e := range r.Edges {
			out = append(out, fmt.Sprint(e.From, e.To, e.Weight, e.Gain, e.PDirection))
		}
		slices.Sort(out)
		return out
	}
	if a, b := lines(res), lines(other); !slices.Equal(a, b) {
		t.Errorf("with the columns in another order:\n%v\n%v", a, b)
	}
}

// flexible returns the default method with the flexible model.
func flexible() *order.Method { return withNoise(order.AutoNoise, order.Flexible) }

func index(names []string, name string) int { return slices.Index(names, name) }

// Noise whose size depends on a cause bends the reverse regression. The flexible model detects it and states no wrong direction.
func TestFlexibleModelUnevenNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 30))
	const n = 1500
	x := make([][]float64, 4)
	for v := range x {
		x[v] = make([]float64, n)
		for i := range n {
			if x[v][i] = rng.NormFloat64(); v > 0 {
				cause := x[v-1][i]
				x[v][i] = cause + math.Exp(0.6*max(-1.5, min(1.5, cause)))*x[v][i]
			}
		}
	}
	s := &sheet{}
	for v := range x {
		s.add(fmt.Sprintf("x%d", v), n, func(i int) string { return fmt.Sprintf("%.6f", x[v][i]) })
	}
	res := learnedFrom(t, prepared(t, s.plain()), flexible())
	if len(res.Edges) != 3 {
		t.Errorf("%d edges, want 3", len(res.Edges))
	}
	for _, e := range res.Edges {
		if e.Verdict == polydag.Directed && index(res.Names, e.From) > index(res.Names, e.To) {
			t.Errorf("%s → %s is stated (model %s)", e.From, e.To, res.Model)
		}
	}
}
