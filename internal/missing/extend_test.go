package missing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// fitted fits a network to rows of discrete columns; parents nil stands for a graph without edges.
func fitted(t *testing.T, rows []float64, d int, discrete bool, parents [][]int) *Network {
	t.Helper()
	kinds := make([]bool, d)
	for j := range kinds {
		kinds[j] = discrete
	}
	if parents == nil {
		parents = make([][]int, d)
	}
	g := must.Get(FitNetwork(t.Context(), rows, d, NetworkSettings{Threads: 2, Seed: 3, Discrete: kinds, Parents: parents}))
	return g
}

// parentsOf returns the number of parents of each column in a network.
func parentsOf(g *Network) []int {
	out := make([]int, len(g.nodes))
	for k, j := range g.order {
		out[j] = len(g.nodes[k].parents)
	}
	return out
}

func withMissing(rows []float64, share float64, random *rand.Rand) []float64 {
	for i := range rows {
		if random.Float64() < share {
			rows[i] = math.NaN()
		}
	}
	return rows
}

// A relation that the graph lacks is found in the rows, and drawn values have it: a and b agree in 80 % of the rows.
func TestExtendFindsARelation(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 1))
	var rows []float64
	for range 1000 {
		a := float64(random.IntN(3))
		b := a
		if random.Float64() < 0.3 {
			b = float64(random.IntN(3))
		}
		rows = append(rows, a, b)
	}
	rows = withMissing(rows, 0.3, random)
	g := fitted(t, rows, 2, true, nil)
	if n := parentsOf(g); n[0]+n[1] != 1 {
		t.Fatalf("%v parents", n)
	}
	f := g.Filler()
	same := 0.0
	const n = 4000
	for range n {
		row := []float64{2, math.NaN()}
		if f.Fill(row, random); row[1] == 2 {
			same += 1. / n
		}
	}
	near(t, "share of drawn values that agree", same, 0.8, 0.05)
}

// The dependence is that of rows with both values: of 1000 rows 300 have b, and 61 % of these agree with a. Drawn values of b would hide it.
func TestExtendReadsValuesThatAreThere(t *testing.T) {
	var rows []float64
	for i := range 1000 {
		a := float64(i % 2)
		b := math.NaN()
		if i < 300 {
			if b = a; i >= 183 {
				b = 1 - a
			}
		}
		rows = append(rows, a, b)
	}
	if n := parentsOf(fitted(t, rows, 2, true, nil)); n[1] != 1 {
		t.Errorf("%v parents", n)
	}
}

// Curves are found too: y = x² has no correlation with x. The column with more values comes first.
func TestExtendFindsACurve(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 2))
	var rows []float64
	for range 1000 {
		x := random.NormFloat64()
		y := []float64{x*x + 0.3*random.NormFloat64()}
		rows = append(append(rows, x), withMissing(y, 0.2, random)...)
	}
	if n := parentsOf(fitted(t, rows, 2, false, nil)); n[1] != 1 {
		t.Fatalf("%v parents", n)
	}
}

// Columns without relations get as many parents by chance as the levels say: of 20 tables with 10 pairs each, at most one of those with
// categories has one, and the 200 pairs of numeric columns, each tested at a level of 1/4, have about 50.
func TestExtendAddsNothingByChance(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 3))
	var found [2]int // numeric columns, categories
	for k := range 40 {
		var rows []float64
		for range 300 {
			for j := range 5 {
				v := float64(random.IntN(2 + j))
				if k%2 == 0 {
					v = random.NormFloat64() + 3
				}
				if random.Float64() < 0.02 {
					v = 9 // a rare value
				}
				rows = append(rows, v)
			}
		}
		for _, n := range parentsOf(fitted(t, withMissing(rows, 0.2, random), 5, k%2 == 1, nil)) {
			found[k%2] += n
		}
	}
	if found[0] < 30 || found[0] > 70 || found[1] > 1 {
		t.Errorf("%d parents of independent columns", found)
	}
}

// A column gets at most three more parents, the strongest first, and only if its table has no more cells than there are rows.
func TestExtendIsLimited(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 4))
	const n = 4000
	var rows []float64
	for i := range n {
		row := make([]float64, 6)
		sum := 0.0
		for j := range 5 {
			row[j] = float64(random.IntN(2))
			sum += row[j] * []float64{1, 1, 1, 0.4, 0.4}[j]
		}
		if random.Float64() < 1/(1+math.Exp(3*(1.9-sum))) {
			row[5] = 1
		}
		if i%2 == 0 {
			row[5] = math.NaN() // the last column in canonical order, so that the others may be its parents
		}
		rows = append(rows, row...)
	}
	g := fitted(t, rows, 6, true, nil)
	last := slices.Index(g.order, 5)
	var got []int
	for _, p := range g.nodes[last].parents {
		got = append(got, g.order[p])
	}
	slices.Sort(got)
	if !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("parents %v, want the three with the strongest effects", got)
	}
	// 20·20 levels are 400 cells; with 300 rows there is no room for them.
	for _, c := range []struct{ rows, want int }{{300, 0}, {500, 1}} {
		var rows []float64
		for range c.rows {
			a := float64(random.IntN(20))
			rows = append(rows, a, a)
		}
		rows[1] = math.NaN()
		if n := parentsOf(fitted(t, rows, 2, true, nil)); n[0]+n[1] != c.want {
			t.Errorf("%d rows: %v parents, want %d", c.rows, n, c.want)
		}
	}
}

// The dependence on classes is the sum over classes of n·mean², less that of all rows. Classes with fewer than five rows do not count.
func TestDependence(t *testing.T) {
	x := &extension{g: &Network{nodes: make([]node, 1)}, width: 1}
	var classes []int16
	for i, r := range []float64{1, 2, 3, 1, 1, 0, 0, 1, 0, 1, 2, 9, 9, 9, 9} {
		x.there = append(x.there, int32(i))
		x.left = append(x.left, r)
		classes = append(classes, int16(min(2, i/6+i/11)))
	}
	// Class 0 has 1 2 3 1 1 0, class 1 has 0 1 0 1 2, and class 2 has four rows.
	sum, df := x.dependence(classes, 3)
	near(t, "degrees of freedom", df, 1, 0)
	near(t, "sum", sum, 64./6+16./5-144./11, 1e-12)
	classes[0] = -1 // missing
	sum, _ = x.dependence(classes, 3)
	near(t, "sum", sum, 49./5+16./5-121./10, 1e-12)
}

// After extend adds an edge, missing values of the parent are drawn from a regression on its Markov blanket, which includes the child.
func TestExtendedNumbersUseTheirChildren(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 2))
	var rows []float64
	for range 600 {
		a := random.NormFloat64()
		rows = append(rows, a, a+0.3*random.NormFloat64())
	}
	g := fitted(t, withMissing(rows, 0.2, random), 2, false, nil)
	with := 0
	for v, x := range g.nodes {
		if len(x.children) > 0 {
			if with++; x.around == nil || !slices.Equal(x.around.on, x.blanket) {
				t.Errorf("column %d with blanket %v is drawn from %+v", v, x.blanket, x.around)
			} else if x.around.sigma > 0.4*x.model.sigma { // 0.3/√1.09 of the standard deviation without the child
				t.Errorf("column %d: a deviation of %v given its blanket, and of %v given its parents", v, x.around.sigma, x.model.sigma)
			}
		}
	}
	if with != 1 {
		t.Errorf("%d columns have children", with)
	}
}
