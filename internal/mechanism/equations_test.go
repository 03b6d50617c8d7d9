package mechanism

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
)

// mixedRows draws a category with three levels, a number far from 0, and a response with as many levels as given, or a number for 0.
func mixedRows(rng *rand.Rand, n, levels int) (*graph.Graph, *Rows) {
	g, _ := graph.FromEdges(3, []graph.Edge{{From: 1, To: 0}, {From: 2, To: 0}})
	columns := make([][]float64, 3)
	for range n {
		a, x := float64(rng.IntN(3)), 50+4*rng.NormFloat64()
		y := 0.3*a*a - 0.2*x + rng.NormFloat64()
		if levels > 0 {
			y = min(float64(levels-1), max(0, math.Round(y+10)))
		}
		columns[0], columns[1], columns[2] = append(columns[0], y), append(columns[1], a), append(columns[2], x)
	}
	d := New(columns, [][]float64{nil, {0, 1, 2}, nil})
	for c := range levels {
		d.Levels[0] = append(d.Levels[0], float64(c))
	}
	d.categorical[1] = true
	return g, d
}

// The residuals of least squares are orthogonal to the constant, to the number and to the indicator of each level.
func TestPlaneSolvesTheNormalEquations(t *testing.T) {
	g, d := mixedRows(rand.New(rand.NewPCG(1, 9)), 150, 0)
	f := must.Get(fitPlane(g, d, 0))
	var sums [5]float64
	for i := range d.N {
		r := d.Columns[0][i] - f.At([]float64{d.Columns[1][i], d.Columns[2][i]})[0]
		sums[int(d.Columns[1][i])] += r
		sums[3] += r
		sums[4] += r * (d.Columns[2][i] - 50)
	}
	for _, s := range sums {
		near(t, "sum of residuals times a function", s, 0, 1e-3)
	}
}

// At the maximum of the penalized likelihood Σ(1[y = c] - P(c))·x = 0.1·β for each level c but the first and each standardized function
// x.
func TestLogitSolvesTheScoreEquations(t *testing.T) {
	g, d := mixedRows(rand.New(rand.NewPCG(2, 9)), 120, 4)
	f := must.Get(fitLogit(g, d, 0))
	mean, square := 0.0, 0.0
	for _, x := range d.Columns[2] {
		mean += x / float64(d.N)
		square += x * x / float64(d.N)
	}
	std := math.Sqrt(square - mean*mean)
	l := f.(*logit)
	for c := 1; c < 4; c++ {
		var sums [4]float64
		for i := range d.N {
			miss := -f.At([]float64{d.Columns[1][i], d.Columns[2][i]})[c]
			if d.Columns[0][i] == float64(c) {
				miss++
			}
			for j, x := range []float64{1, indicator(d.Columns[1][i] == 1), indicator(d.Columns[1][i] == 2), (d.Columns[2][i] - mean) / std} {
				sums[j] += miss * x
			}
		}
		for j, s := range sums {
			near(t, "score equation", s, 0.1*l.beta[(c-1)*4+j], 1e-3)
		}
	}
	// Odds follow from the weights: P(c)/P(0) = exp(β·x).
	p := f.At([]float64{2, mean + 2*std})
	for c := 1; c < 4; c++ {
		b := l.beta[(c-1)*4:]
		near(t, "log-odds", math.Log(p[c]/p[0]), b[0]+b[2]+2*b[3], 1e-9)
	}
}

func indicator(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// Rows with an intervention on a column do not count for its mechanism: the fit is that of a table without them.
func TestInterventionsDoNotCount(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	g, d := mixedRows(rng, 200, 3)
	few := New(make([][]float64, 3), d.Levels)
	few.categorical = d.categorical
	d.targets = [][]int{nil, {0}, {1}}
	var untouched []int
	for i := range d.N {
		k := rng.IntN(3)
		d.environment = append(d.environment, k)
		if k == 0 {
			untouched = append(untouched, i)
		}
		if k == 1 {
			d.Columns[0][i] = 2 // set by the experiment
			continue
		}
		few.N++
		for v := range 3 {
			few.Columns[v] = append(few.Columns[v], d.Columns[v][i])
		}
	}
	if got := d.Untouched(); !slices.Equal(got, untouched) {
		t.Errorf("untouched rows %v, want %v", got, untouched)
	}
	x := d.Family(g, 0)
	if x.Rows != few.N || x.Cols != 3 {
		t.Fatalf("%d rows and %d columns", x.Rows, x.Cols)
	}
	for i := range x.Rows {
		for j, v := range []int{0, 1, 2} {
			if x.At(i, j) != few.Columns[v][i] {
				t.Fatalf("row %d of the family is %v", i, x.Row(i))
			}
		}
	}
	a := must.Get(NewCPT(d, 0, []int{1}))
	b := must.Get(NewCPT(few, 0, []int{1}))
	for c, p := range a.P {
		near(t, "probability", p, b.P[c], 1e-12)
	}
	// Selected columns have other indices.
	some := d.Select([]int{2, 0}, []int{5, 3})
	if want := [][]int{nil, {1}, nil}; !reflect.DeepEqual(some.targets, want) || !slices.Equal(some.environment, []int{d.environment[5], d.environment[3]}) {
		t.Errorf("interventions on %v of the columns 2 and 0 in the environments %v, want %v", some.targets, some.environment, want)
	}
	if some.Columns[1][0] != d.Columns[0][5] || some.Columns[0][1] != d.Columns[2][3] {
		t.Errorf("selected columns %v", some.Columns)
	}
	d.targets = [][]int{{2}, {0}, {1}}
	if got := d.Untouched(); len(got) != d.N {
		t.Errorf("%d of %d rows if each has an intervention", len(got), d.N)
	}
}

// The most frequent levels of weighted rows are those of repeated rows; of two as frequent the smaller one comes first.
func TestMostFrequentLevels(t *testing.T) {
	d := New([][]float64{{3, 5, 5, 7, 7}}, [][]float64{{3, 5, 7}})
	if a, b := d.MostFrequent(0); a != 5 || b != 7 {
		t.Errorf("%v and %v, want 5 and 7", a, b)
	}
	counted := must.Get(d.Counted([]int{4, 1, 0, 3, 0}))
	if a, b := counted.MostFrequent(0); a != 3 || b != 7 {
		t.Errorf("%v and %v, want 3 and 7", a, b)
	}
	if _, err := d.Counted([]int{0, 2, 1, 0, 0}); err == nil {
		t.Error("a sample with a single level is accepted")
	}
	if a, b := New([][]float64{{4, 6, 6}}, [][]float64{{4, 6}}).MostFrequent(0); a != 6 || b != 4 {
		t.Errorf("%v and %v of two levels, want 6 and 4", a, b)
	}
	if a, b := New([][]float64{{4, 4}}, [][]float64{{4}}).MostFrequent(0); a != 4 || b != 4 {
		t.Errorf("%v and %v of one level", a, b)
	}
}

// Level c is chosen for u from the sum of the probabilities before it up to that with its own.
func TestPick(t *testing.T) {
	p := []float64{0.25, 0, 0.5, 0.25}
	for u, want := range map[float64]int{0: 0, 0.24: 0, 0.25: 2, 0.74: 2, 0.75: 3, 0.999: 3, 1: 3} {
		if got := Pick(p, u); got != want {
			t.Errorf("%v: level %d, want %d", u, got, want)
		}
	}
}
