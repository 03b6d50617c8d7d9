package polydag_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/metric"
)

// simulated draws a table over a random order with about two parents a column. Of numbers the effect of a parent is a random
// wave of it; with levels, every second column has 2 to 4 levels, drawn by a multinomial logit of its parents, and the effect of
// numbers is linear and that of levels a shift.
func simulated(rng *rand.Rand, d, n int, levels bool) (*sheet, *graph.Graph) {
	g := graph.New(d)
	perm := rng.Perm(d)
	x, count := make([][]float64, d), make([]int, d)
	for k, v := range perm {
		var parents []int
		for _, p := range perm[:k] {
			if rng.Float64() < 4/float64(d-1) {
				parents = append(parents, p)
				g.AddEdge(p, v)
			}
		}
		x[v] = make([]float64, n)
		if levels && k%2 == 0 {
			count[v] = 2 + rng.IntN(3)
		}
		columns := max(1, count[v]) // of linear predictors
		effect := make([]func(float64) float64, len(parents)*columns)
		for i := range effect {
			p := parents[i/columns]
			switch {
			case count[p] > 0:
				shift := make([]float64, count[p])
				for l := range shift {
					shift[l] = 1.5 * rng.NormFloat64()
				}
				effect[i] = func(v float64) float64 { return shift[int(v)] }
			case levels:
				slope := (0.5 + rng.Float64()) * float64(1-2*rng.IntN(2))
				effect[i] = func(v float64) float64 { return slope * v }
			default:
				phase, pace, size := 2*math.Pi*rng.Float64(), 1+1.5*rng.Float64(), 1+rng.Float64()
				effect[i] = func(v float64) float64 { return size * math.Sin(pace*v+phase) }
			}
		}
		for i := range n {
			best, at := math.Inf(-1), 0
			for l := range columns {
				sum := 0.0
				for j, p := range parents {
					sum += effect[j*columns+l](x[p][i])
				}
				if count[v] == 0 {
					x[v][i] = sum + 0.7*rng.NormFloat64()
					break
				}
				if sum += -math.Log(rng.ExpFloat64()); sum > best { // Gumbel noise: a multinomial logit
					best, at = sum, l
				}
			}
			if count[v] > 0 {
				x[v][i] = float64(at)
			}
		}
		if count[v] == 0 { // in units of its standard deviation, so that waves stay waves
			mean, square := 0.0, 0.0
			for _, z := range x[v] {
				mean, square = mean+z/float64(n), square+z*z/float64(n)
			}
			for i, z := range x[v] {
				x[v][i] = (z - mean) / math.Sqrt(square-mean*mean)
			}
		}
	}
	s := &sheet{}
	for v := range d {
		s.add(fmt.Sprintf("v%02d", v), n, func(i int) string {
			if count[v] > 0 {
				return string(rune('p' + int(x[v][i])))
			}
			return fmt.Sprintf("%.6f", x[v][i])
		})
	}
	return s, g
}

// Curved tables and tables of numbers and levels, by what auto chooses and by lines; docs/models.md has the figures.
func TestStudyModels(t *testing.T) {
	tables, columns, rows := 1, 12, 500
	if os.Getenv("POLYDAG_STUDY") != "" {
		tables, columns, rows = 10, 20, 1000
	}
	for _, c := range []struct {
		what   string
		levels bool
		chosen string
		other  order.Model
		least  float64 // F1
	}{{"curves", false, "smooth", order.Linear, 0.8}, {"numbers and levels", true, "mixed", "", 0.7}} {
		var f1, plain, seconds, skeleton float64
		for seed := range tables {
			s, truth := simulated(rand.New(rand.NewPCG(uint64(seed), 11)), columns, rows, c.levels)
			table := prepared(t, s.plain())
			res := learnedFrom(t, table, nil)
			m := metric.Compare(truth, res.Graph)
			if string(res.Model) != c.chosen {
				t.Errorf("%s, seed %d: %+v", c.what, seed, res.Choice("model"))
			}
			f1 += m.F1 / float64(tables)
			skeleton += metric.Compare(skeletonOf(truth), skeletonOf(res.Graph)).F1 / float64(tables)
			seconds += res.Timing.SolveSeconds / float64(tables)
			if c.other != "" {
				m := order.New()
				m.Model = c.other
				plain += metric.Compare(truth, learnedFrom(t, table, m).Graph).F1 / float64(tables)
			} else if err := table.Overrule([]string{"*=ordinal"}); err == nil {
				t.Errorf("numbers of %d values were taken as levels", rows)
			}
		}
		t.Logf("%s, %d tables: F1 %.3f, skeleton %.3f, %.2f s; lines %.3f", c.what, tables, f1, skeleton, seconds, plain)
		if f1 < c.least {
			t.Errorf("%s: F1 %.3f, want %.2f", c.what, f1, c.least)
		}
	}
}

// skeletonOf turns every edge from the smaller to the larger number.
func skeletonOf(g *graph.Graph) *graph.Graph {
	out := graph.New(g.N())
	for _, e := range g.Edges() {
		out.AddEdge(min(e.From, e.To), max(e.From, e.To))
	}
	return out
}
