package anm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
)

// TestCriterionAgainstPermutations compares the gamma distribution with how often shuffled rows are as dependent.
func TestCriterionAgainstPermutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const m = 60
	x, y := make([]float64, m), make([]float64, m)
	for i := range x {
		x[i] = rng.NormFloat64()
		y[i] = 0.4*x[i]*x[i] + rng.NormFloat64()
	}
	p := hsic(x, y)
	as, draws := 0.0, 2000.0
	own := plainStatistic(x, y)
	for range int(draws) {
		rng.Shuffle(m, func(i, j int) { y[i], y[j] = y[j], y[i] })
		if plainStatistic(x, y) >= own {
			as++
		}
	}
	if !(math.Abs(p-as/draws) <= 0.03) {
		t.Errorf("p = %.4f, of shuffled rows %.4f are as dependent", p, as/draws)
	}
}

// plainStatistic is the criterion by its definition, tr(KHLH)/m with H = I - 1/m.
func plainStatistic(x, y []float64) float64 {
	n := len(x)
	centred := func(v []float64) [][]float64 {
		width := medianDistance(v)
		k := make([][]float64, n)
		for i := range k {
			k[i] = make([]float64, n)
			for j := range k[i] {
				t := (v[i] - v[j]) / width
				k[i][j] = math.Exp(-t * t / 2)
			}
		}
		times := func(row []float64) { // k·H, one row at a time
			mean := 0.0
			for _, a := range row {
				mean += a / float64(n)
			}
			for j := range row {
				row[j] -= mean
			}
		}
		for i := range k {
			times(k[i])
		}
		return k
	}
	k, l := centred(x), centred(y)
	sum := 0.0
	for i := range n {
		for j := range n {
			sum += k[i][j] * l[j][i]
		}
	}
	return sum / float64(n)
}

// TestCriterionIsCalibrated draws independent columns and counts small probabilities.
func TestCriterionIsCalibrated(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const draws, m = 400, 80
	small := 0
	for range draws {
		x, y := make([]float64, m), make([]float64, m)
		for i := range x {
			x[i], y[i] = rng.ExpFloat64(), rng.NormFloat64()
		}
		if hsic(x, y) <= 0.05 {
			small++
		}
	}
	if small < 8 || small > 36 { // 20 expected; four standard deviations
		t.Errorf("%d of %d probabilities are at most 0.05", small, draws)
	}
}

func sampleOf(rng *rand.Rand, n int, effect func(x float64) float64) *dataset.Sample {
	s := &dataset.Sample{Columns: 2}
	for i := range n {
		x := rng.NormFloat64()
		s.Values = append(s.Values, x, effect(x)+0.5*rng.NormFloat64())
		s.Index = append(s.Index, i)
	}
	return s
}

// TestPairs directs pairs whose effect is curved, whichever way round the edge stood, and leaves a line with Gaussian noise open.
func TestPairs(t *testing.T) {
	find := func(seed uint64, effect func(float64) float64, e graph.Edge) Finding {
		s := sampleOf(rand.New(rand.NewPCG(seed, 3)), 600, effect)
		o := must.Get(newOrienter([]string{"x", "y"}, s, 1, 0.02, 1))
		g := graph.New(2)
		g.AddEdge(e.From, e.To)
		return o.find(g, e, o.curves.Evaluator(), o.lines.Evaluator())
	}
	curve := func(x float64) float64 { return x + x*x*x/2 }
	right, lines := 0, 0
	for seed := range uint64(10) {
		if find(seed, curve, graph.Edge{From: 0, To: 1}) == AsIs && find(seed, curve, graph.Edge{From: 1, To: 0}) == Turned {
			right++
		}
		if f := find(seed, func(x float64) float64 { return x }, graph.Edge{From: 0, To: 1}); f == Straight || f == Undecided {
			lines++
		}
	}
	if right < 8 || lines < 10 {
		t.Errorf("%d of 10 curves are directed rightly, and %d of 10 lines are left open", right, lines)
	}
}

func TestConstantColumns(t *testing.T) {
	x, y := make([]float64, 50), make([]float64, 50)
	for i := range x {
		x[i] = float64(i)
	}
	if p := hsic(x, y); p != 1 {
		t.Errorf("a constant depends on something: p = %v", p)
	}
	if p := hsic(x[:5], x[:5]); p != 1 {
		t.Errorf("five rows: p = %v", p)
	}
	if p := hsic(x, x); p > 1e-6 {
		t.Errorf("a column and itself: p = %v", p)
	}
}

// TestCriterionAgainstPublishedCode compares with the published code of Gretton et al. (2008), hsicTestGamma, written in Python with mpmath.
// With 20 rows every factor of the variance, 72·(m-4)·(m-5)/(m·(m-1)·(m-2)·(m-3)), counts.
func TestCriterionAgainstPublishedCode(t *testing.T) {
	x, y, z := make([]float64, 20), make([]float64, 20), make([]float64, 20)
	for i := range x {
		x[i], y[i], z[i] = float64(i), float64(i*i%23), float64((i-10)*(i-10)+i*7%5*10)
	}
	must.Near(t, hsic(x, y), 0.453327022873989, 1e-9, "i and i² modulo 23")
	must.Near(t, hsic(x, z), 0.0203646726861071, 1e-9, "i and a parabola")
}

// TestOtherParents directs x → y with z → x. Given z, x and y are jointly Gaussian, so that both directions fit; without z, x is not Gaussian
// and the direction would look identified.
func TestOtherParents(t *testing.T) {
	open := 0
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 4))
		s := &dataset.Sample{Columns: 3}
		for i := range 600 {
			z := rng.NormFloat64()
			x := 3*z*z + rng.NormFloat64()
			s.Values = append(s.Values, z, x, x+3*rng.NormFloat64())
			s.Index = append(s.Index, i)
		}
		o := must.Get(newOrienter([]string{"z", "x", "y"}, s, 1, 0.02, 1))
		g := graph.New(3)
		g.AddEdge(0, 1)
		g.AddEdge(1, 2)
		if o.find(g, graph.Edge{From: 1, To: 2}, o.curves.Evaluator(), o.lines.Evaluator()) == Undecided {
			open++
		}
	}
	if open < 8 {
		t.Errorf("%d of 10 edges are open", open)
	}
}

// TestWeightOfRows checks that grouped rows count less in the scores.
func TestWeightOfRows(t *testing.T) {
	s := sampleOf(rand.New(rand.NewPCG(1, 5)), 600, func(x float64) float64 { return x })
	must.Same(t, must.Get(newOrienter([]string{"x", "y"}, s, 0.1, 0.02, 1)).blocks.N, 60, "rows")
}
