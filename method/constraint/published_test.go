package constraint

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// TestPublishedExamples checks examples from the literature. Nodes in capital letters are hidden.
func TestPublishedExamples(t *testing.T) {
	for _, c := range []struct{ name, dag, cpdag, pag string }{
		// The Y structure (Mani, Spirtes and Cooper 2006): with a common effect of two, its own effect is known to be one.
		{"Y", "a>c b>c c>d", "a-->c b-->c c-->d", "ao->c bo->c c-->d"},
		// Two instruments for x and y with a hidden common cause (Spirtes, Glymour and Scheines 2000, chapter 6).
		{"confounded", "a>x L>x L>y b>y", "", "ao->x bo->y x<->y"},
		// A chain is indistinguishable from a fork and from hidden causes.
		{"chain", "a>b b>c", "a---b b---c", "ao-ob bo-oc"},
		// A discriminating path a, x, y, z for y, which is a noncollider (Zhang 2008, rule R4), and the same
		// with a hidden cause that makes it a collider.
		{"discriminating", "a>x L>x L>y x>z y>z", "", "ao->x x-->z y-->z yo->x"},
		{"discriminating, collider", "a>x L>x L>y x>z M>y M>z", "", "ao->x x-->z x<->y y<->z"},
		// a, b and d separate c and e, and a is adjacent to neither: only the possible d-separating set finds
		// it (Spirtes 1997, Limits on causal inference from statistical data, page 21; the PAG is on page 24).
		{"beyond neighbours", "a>b a>d b>c d>e L>c L>d M>b M>e", "", "ao->b ao->d b-->c b<->e c<->d d-->e"},
		// The same with f and g between a and the others. The path c, d, f, a leads to a, and d is on it in a triangle with c and f.
		{"beyond a triangle", "a>f a>g f>c g>e b>c d>e L>c L>d M>b M>e N>d N>f O>b O>g", "",
			"ao->f ao->g b-->c b<->e b<->g c<->d d-->e d<->f f-->c g-->e"},
		// Zhang (2008), figure 6; Zhang (2006, dissertation), figure 5.2; and a random DAG, with the PAGs that pcalg checks for them (man/fci.Rd
		// and examples 2 and 3 of tests/test_fci.R, cran/pcalg 2.6). randomDAG(14, 0.3) after set.seed(40) was drawn with R 4.2.2.
		{"Zhang 2008", "Ghost>max Ghost>anna max>urs urs>eva anna>eva", "", "anna-->eva annao-omax maxo-ours urs-->eva"},
		{"Zhang 2006", "a>d b>d b>e c>d d>e F>c F>d", "", "ao->d b-->e bo->d co->d d-->e"},
		{"pcalg", "1>3 1>6 1>L10 1>12 1>13 2>3 2>5 2>L10 2>12 3>5 3>7 3>9 4>6 4>11 4>13 4>14 5>6 5>7 5>L8 5>11 5>12 6>7 6>11 L8>12 L8>13 L10>14 12>13 13>14", "",
			"1-->12 1-->13 1-->14 1-->6 12o->13 13-->14 1o->3 2-->12 2-->13 2-->14 2-->5 2o->3 3-->5 3-->7 3-->9 4-->11 4-->14 4o->13 4o->6 5-->11 5-->12 5-->13 5-->6 5-->7 6-->11 6-->7"},
		// RFCI finds the PAG of FCI for these (tests/test_rfci.R, cran/pcalg 3760ebf71816; the first is the example of Colombo, Maathuis, Kalisch and
		// Richardson 2012).
		{"RFCI", "L1>4 L1>6 L2>5 L2>7 3>4 3>5 3>8 4>7 4>8 5>6 5>8 7>8", "", "rfci"},
		{"RFCI, discriminating paths", "L1>14 L1>18 L2>16 L2>18 L3>16 L3>24 L4>18 L4>24 L5>15 L5>25 L6>17 L6>19 L7>14 L7>19 L8>14 L8>24 L9>19 L9>20 L10>20 L10>25 L11>23 L11>25 " +
			"L12>22 L12>24 L13>21 L13>23 15>16 15>17 15>24 16>19 16>25 17>18 17>24 17>25 18>21 18>25 19>23 19>24 19>25 20>24 21>22 21>25 22>25 23>24", "", "rfci"},
		// Asia (Lauritzen and Spiegelhalter 1988): the two colliders and their consequences are known.
		{"Asia", "asia>tub smoke>lung smoke>bronc tub>either lung>either either>xray either>dysp bronc>dysp",
			"asia---tub bronc---smoke bronc-->dysp either-->dysp either-->xray lung---smoke lung-->either tub-->either", ""},
	} {
		var names []string
		at := func(name string) int {
			if k := slices.Index(names, name); k >= 0 {
				return k
			}
			names = append(names, name)
			return len(names) - 1
		}
		var edges []graph.Edge
		for e := range strings.FieldsSeq(c.dag) {
			from, to, _ := strings.Cut(e, ">")
			edges = append(edges, graph.Edge{From: at(from), To: at(to)})
		}
		g, err := graph.FromEdges(len(names), edges)
		must.Succeed(t, err)
		o := independence.Oracle{Graph: g}
		var seen []string
		for v, name := range names {
			if strings.ToLower(name) == name {
				o.Observed, seen = append(o.Observed, v), append(seen, name)
			}
		}
		written := func(m *graph.Mixed) string {
			var out []string
			for _, e := range m.Edges() {
				from, to := seen[e.From], seen[e.To]
				if e.AtFrom == e.AtTo && from > to {
					from, to = to, from
				}
				out = append(out, from+e.Symbol()+to)
			}
			slices.Sort(out)
			return strings.Join(out, " ")
		}
		s := search(t, o, every)
		if c.cpdag != "" {
			out, err := s.PC(context.Background(), Majority)
			if err != nil || written(out.Graph) != c.cpdag {
				t.Errorf("%s: %s, want %s, %v", c.name, written(out.Graph), c.cpdag, err)
			}
		}
		if c.pag == "" {
			continue
		}
		if c.pag == "rfci" {
			c.pag = written(must.Get(search(t, o, every).RFCI(context.Background())).Mixed())
		}
		must.Succeed(t, s.PossibleDSep(context.Background()))
		p, err := s.FCI(context.Background(), Majority)
		if err != nil || written(p.Mixed()) != c.pag {
			t.Errorf("%s: %s, want %s, %v", c.name, written(p.Mixed()), c.pag, err)
		}
	}
}

// TestPCAgainstPcalg compares with two runs of PC that pcalg printed (tests/test_pcAlgo.Rout.save, cran/pcalg a22bca2d804c): Fisher's z of
// 1000 rows of five columns at the level of 0.05. The correlations follow from the statistics without a condition.
func TestPCAgainstPcalg(t *testing.T) {
	type stat struct {
		x, y  int
		given []int
		z     float64
	}
	for _, c := range []struct {
		alone [10]float64 // (1,2), (1,3), …, (4,5)
		given []stat
		left  []graph.Edge
	}{
		{
			[10]float64{27.32866, 27.01688, 30.87507, 18.27332, 16.00362, 27.29790, 17.48601, 34.80377, 18.68056, 27.02249},
			[]stat{
				{1, 2, []int{3}, 21.32158}, {1, 2, []int{4}, 12.19561}, {1, 2, []int{5}, 21.48853}, {1, 3, []int{2}, 20.95041}, {1, 3, []int{4}, 7.445094},
				{1, 4, []int{2}, 17.99551}, {1, 4, []int{3}, 15.49847}, {1, 5, []int{2}, 8.90483}, {1, 5, []int{4}, 0.02040859}, {2, 3, []int{1}, 1.084625},
				{2, 5, []int{4}, 1.132112}, {3, 4, []int{1}, 21.32440}, {3, 5, []int{4}, 1.842911}, {4, 5, []int{1}, 18.91558}, {4, 5, []int{3}, 18.61457},
			},
			[]graph.Edge{{From: 1, To: 2}, {From: 1, To: 3}, {From: 1, To: 4}, {From: 2, To: 4}, {From: 3, To: 4}, {From: 4, To: 5}},
		},
		{
			[10]float64{16.23558, 12.51634, 1.358277, 22.86313, 32.14577, 0.9069257, 38.30217, 1.175552, 28.62675, 5.40007},
			[]stat{
				{1, 2, []int{3}, 10.10653}, {1, 2, []int{5}, 3.370478}, {1, 3, []int{2}, 0.7250372}, {1, 5, []int{2}, 15.83673}, {2, 3, []int{1}, 28.90539},
				{4, 5, []int{2}, 8.605823}, {1, 2, []int{3, 5}, 1.807269}, {2, 5, []int{1, 3}, 21.43607}, {3, 5, []int{1, 2}, 7.438277}, {4, 5, []int{2, 3}, 8.644341},
				{1, 5, []int{2, 3, 4}, 16.43347}, {2, 5, []int{1, 3, 4}, 22.3029}, {3, 5, []int{1, 2, 4}, 7.540066}, {4, 5, []int{1, 2, 3}, 9.260186},
			},
			[]graph.Edge{{From: 1, To: 5}, {From: 2, To: 3}, {From: 2, To: 5}, {From: 3, To: 5}, {From: 4, To: 5}},
		},
	} {
		r, k := matrix.New[float64](5, 5), 0
		for x := range 5 {
			r.Set(x, x, 1)
			for y := x + 1; y < 5; y++ {
				r.Set(x, y, math.Tanh(c.alone[k]/math.Sqrt(1000-3)))
				r.Set(y, x, r.At(x, y))
				k++
			}
		}
		test := must.Get(independence.NewFisherZ(r, 1000))
		for _, g := range c.given {
			given := slices.Clone(g.given)
			for i := range given {
				given[i]--
			}
			must.Near(t, must.Get(test.Independent(g.x-1, g.y-1, given)).Statistic, g.z, 2e-5, "z of %d and %d given %v", g.x, g.y, g.given)
		}
		s := New(test, false, Settings{Alpha: 0.05, MaxGiven: -1})
		must.Succeed(t, s.Skeleton(t.Context()))
		must.Same(t, s.Edges(), len(c.left), "edges")
		for _, e := range c.left {
			if !s.adjacent(e.From-1, e.To-1) {
				t.Errorf("%v is missing", e)
			}
		}
	}
}
