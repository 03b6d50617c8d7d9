package scores

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// continuous returns the table of n rows of d numeric columns under a model.
func continuous(t *testing.T, seed uint64, n, d int, model Model, row func(rng *rand.Rand, x []float64)) (*ScoredTable, *matrix.Dense[float64]) {
	t.Helper()
	rng := rand.New(rand.NewPCG(2, seed))
	x := matrix.New[float64](n, d)
	for i := range n {
		row(rng, x.Row(i))
	}
	s := Fixed(model)
	tab := must.Get(s.Of(t.Context(), table(t, x, slices.Repeat([]kind.Kind{kind.Continuous}, d), nil), model))
	return tab, x
}

// TestRowsForLevels checks that 2^29 additions limit the rows for columns with few values, but not below 500.
func TestRowsForLevels(t *testing.T) {
	for _, c := range []struct{ rows, some, columns, want int }{
		{600, 1 << 10, 1 << 10, 512}, {500, 1 << 10, 1 << 10, 500}, {600, 1 << 11, 1 << 10, 500}, {400, 1 << 11, 1 << 10, 400}, {1 << 30, 1, 1, 1 << 29}, {700, 0, 5, 700},
	} {
		if got := levelRows(c.rows, c.some, c.columns); got != c.want {
			t.Errorf("%d of %d columns: %d of %d rows, want %d", c.some, c.columns, got, c.rows, c.want)
		}
	}
}

// TestShareAndChanceOfUnevenNoise checks both conditions of uneven noise apart: a share above 0.05 with a p-value above 0.001, which few rows
// give, and a share just above or below 0.05 with a small p-value.
func TestShareAndChanceOfUnevenNoise(t *testing.T) {
	var chance, below, above int
	for seed := range uint64(60) {
		n, growth := 1500, 0.3+0.004*float64(seed)
		if seed%2 == 1 {
			n = 120
		}
		tab, x := continuous(t, seed, n, 2, Flexible, func(rng *rand.Rand, x []float64) {
			x[0] = rng.NormFloat64()
			x[1] = 3*math.Sin(1.5*x[0]) + (1+growth*math.Abs(x[0]))*rng.NormFloat64()
		})
		cause, effect := tab.Place()[0], tab.Place()[1]
		parents := make([][]int, 2)
		parents[effect] = []int{cause}
		if !tab.flexibleScore(effect).Curved(effect, parents[effect]) {
			continue
		}
		share, p := tab.uneven(x, effect, parents[effect])
		got := slices.Contains(tab.Uneven(parents), effect)
		if got != (share > 0.05 && p < 0.001) {
			t.Errorf("%d rows, share %v, p %v: uneven is %v", n, share, p, got)
		}
		switch {
		case share > 0.05 && p > 0.001:
			chance++
		case share > 0.05 && share < 0.065:
			above++
		case share < 0.05 && share > 0.035 && p < 0.001:
			below++
		}
		if got {
			for what, change := range map[string]func(tab *ScoredTable){
				"another model": func(tab *ScoredTable) { tab.Model = Smooth },
				"contexts":      func(tab *ScoredTable) { tab.Contexts = []int{0} },
				"no sample":     func(tab *ScoredTable) { in := *tab.In; in.Sample = nil; tab.In = &in },
			} {
				other := *tab
				if change(&other); len(other.Uneven(parents)) > 0 {
					t.Errorf("%s: %v are uneven, want none", what, other.Uneven(parents))
				}
			}
		}
	}
	if chance == 0 || below == 0 || above == 0 {
		t.Errorf("%d cases by chance, %d just below and %d just above the share: the test looks at one side only", chance, below, above)
	}
}

// TestEssentialCurves checks that a column keeps a curve without a linear part that more than halves its variance, whatever the noise.
func TestEssentialCurves(t *testing.T) {
	for _, c := range []struct {
		noise float64
		kept  bool
	}{{0.5, true}, {0.95, false}} {
		var around, left float64
		tab, _ := continuous(t, 1, 1500, 2, Flexible, func(rng *rand.Rand, x []float64) {
			x[0] = 3.4*rng.Float64() - 1.7
			curve, e := x[0]*x[0]-1.7*1.7/3, c.noise*(1.9-math.Abs(x[0]))*rng.NormFloat64()
			x[1] = curve + e
			around, left = around+x[1]*x[1], left+e*e
		})
		cause, effect := tab.Place()[0], tab.Place()[1]
		parents := make([][]int, 2)
		parents[effect] = []int{cause}
		if c.kept != (around > 2*left) {
			t.Fatalf("noise %v: the curve divides the variance by %v", c.noise, around/left)
		}
		if got := tab.Uneven(parents); (len(got) == 0) != c.kept {
			t.Errorf("noise %v: %v become linear, want none: %v", c.noise, got, c.kept)
		}
	}
}

// TestCausesOfEssentialCurvesKeepTheirCurves checks that neither an effect without a linear part nor its cause becomes linear if all other
// columns do.
func TestCausesOfEssentialCurvesKeepTheirCurves(t *testing.T) {
	tab, _ := continuous(t, 4, 1500, 5, Flexible, func(rng *rand.Rand, x []float64) {
		x[0], x[3] = rng.NormFloat64(), 3.4*rng.Float64()-1.7
		for v := 1; v < 3; v++ {
			x[v] = 3*math.Sin(1.5*x[0]) + (0.3+math.Abs(x[0]))*rng.NormFloat64()
		}
		x[4] = x[3]*x[3] + 0.1*rng.NormFloat64()
	})
	place := tab.Place()
	parents := make([][]int, 5)
	parents[place[1]], parents[place[2]], parents[place[4]] = []int{place[0]}, []int{place[0]}, []int{place[3]}
	want := []int{place[0], place[1], place[2]}
	slices.Sort(want)
	if got := tab.Uneven(parents); !slices.Equal(got, want) {
		t.Errorf("%v become linear, want %v", got, want)
	}
}

// TestUnevenSmoothColumns checks that the smooth model has uneven columns too, all of them if both columns with curves are, and none where curves
// more than halve the variance.
func TestUnevenSmoothColumns(t *testing.T) {
	for _, c := range []struct {
		noise float64
		want  int
	}{{0.4, 0}, {1.5, 3}} {
		tab, _ := continuous(t, 1, 1500, 3, Smooth, func(rng *rand.Rand, x []float64) {
			x[0] = rng.NormFloat64()
			for v := 1; v < 3; v++ {
				x[v] = x[0] + math.Sin(3*x[0]) + c.noise*math.Exp(math.Tanh(x[0]))*rng.NormFloat64()
			}
		})
		parents := make([][]int, 3)
		for _, v := range tab.Place()[1:] {
			parents[v] = tab.Place()[:1]
			if f, ok := tab.bentScore(v); !ok || !f.Curved(v, parents[v]) {
				t.Fatalf("noise %v: column %d has no curved effect", c.noise, v)
			}
		}
		if got := tab.Uneven(parents); len(got) != c.want {
			t.Errorf("noise %v: %v are uneven, want %d", c.noise, got, c.want)
		}
	}
}

// TestCurvesOfOneMoreParent checks that a curve counts that no line of the descent shows.
func TestCurvesOfOneMoreParent(t *testing.T) {
	tab, x := continuous(t, 3, 300, 2, Smooth, func(rng *rand.Rand, x []float64) {
		x[0] = rng.NormFloat64()
		x[1] = x[0]*x[0] + rng.NormFloat64()
	})
	if pay, err := curvesPay(t.Context(), tab.In, x, make([]bool, 2), make([]basis.Form, 2)); err != nil || !pay {
		t.Errorf("curves are considered: %v, %v, want true", pay, err)
	}
}

// TestFormsWithoutRows checks that columns of rows that are neither sampled nor kept are raw and curved.
func TestFormsWithoutRows(t *testing.T) {
	tab, _ := continuous(t, 3, 100, 2, Smooth, func(rng *rand.Rand, x []float64) { x[0], x[1] = math.Exp(rng.NormFloat64()), rng.NormFloat64() })
	in := *tab.In
	in.Sample = nil
	for _, rows := range []*Reader{nil, {in: &in}} {
		if got, err := forms(t.Context(), &in, rows, make([]bool, 2)); err != nil || !slices.Equal(got, make([]basis.Form, 2)) {
			t.Errorf("forms %+v, %v, want raw and curved", got, err)
		}
	}
}

// TestCurveEvidenceOfTheFlexibleModel checks that a curved edge has evidence, and that an edge with a linear effect and a score without curves
// have none.
func TestCurveEvidenceOfTheFlexibleModel(t *testing.T) {
	tab, _ := continuous(t, 3, 300, 3, Flexible, func(rng *rand.Rand, x []float64) {
		x[0] = rng.NormFloat64()
		x[1] = math.Sin(2*x[0]) + 0.4*rng.NormFloat64()
		x[2] = 0.3*x[0] + rng.NormFloat64()
	})
	place, eval := tab.Place(), tab.Score.Evaluator()
	if got := tab.CurveEvidence(eval, place[0], place[1], nil); !(got < 1e-6) {
		t.Errorf("a curved edge: %v, want below 1e-6", got)
	}
	if got := tab.CurveEvidence(eval, place[0], place[2], nil); got != 1 {
		t.Errorf("a linear edge: %v, want 1", got)
	}
	linear := must.Get(score.NewGaussianLocal(tab.In.Moments.Correlation(), 300, 2))
	if got := (&ScoredTable{Model: Smooth, Score: linear}).CurveEvidence(linear.Evaluator(), 0, 1, nil); got != 1 {
		t.Errorf("a score without curves: %v, want 1", got)
	}
	// Terms counts curved edges and scales of numeric columns.
	parents := make([][]int, 3)
	parents[place[1]], parents[place[2]] = []int{place[0]}, []int{place[0]}
	if got := tab.Terms(parents); got != "nonlinear: 1 edge" {
		t.Errorf("terms %q, want one curved edge", got)
	}
	for want, scales := range map[string][]dataset.Scale{
		"linear effects on raw scales":           {dataset.RawScale, dataset.RawScale, dataset.LogScale},
		"log: 1 column":                          {dataset.LogScale, dataset.RawScale, dataset.ScoreScale},
		"log: 1 column; normal scores: 1 column": {dataset.LogScale, dataset.ScoreScale, dataset.RawScale},
		"normal scores: 2 columns":               {dataset.ScoreScale, dataset.ScoreScale, dataset.RawScale},
	} {
		tab := &ScoredTable{Model: Flexible, Scales: scales, Categories: []bool{false, false, true}}
		if got := tab.Terms(make([][]int, 3)); got != want {
			t.Errorf("scales %v: terms %q, want %q", scales, got, want)
		}
	}
}

// TestInteractUnderTheFlexibleModel checks that parents interact if the column has curves and one of its functions is a product, with and
// without a score of each column.
func TestInteractUnderTheFlexibleModel(t *testing.T) {
	for _, product := range []float64{0, 1} {
		tab, _ := continuous(t, 4, 500, 4, Flexible, func(rng *rand.Rand, x []float64) {
			for j := range 3 {
				x[j] = rng.NormFloat64()
			}
			x[3] = product*x[0]*x[1] + math.Sin(2*x[0]) + x[2] + 0.5*rng.NormFloat64()
		})
		place := tab.Place()
		v, parents := place[3], []int{place[0], place[1], place[2]}
		slices.Sort(parents)
		if got := tab.Interact(v, parents); got != (product > 0) {
			t.Errorf("a product with the weight %v: interact is %v", product, got)
		}
		whole := tab.Score
		var err error
		if tab.Score, err = score.NewByColumn([]search.Score{whole, nil}, make([]int, 4)); err != nil {
			t.Fatal(err)
		}
		if got := tab.Interact(v, parents); got != (product > 0) {
			t.Errorf("a product with the weight %v and a score of each column: interact is %v", product, got)
		}
		tab.Score = whole
		tab.Contexts = []int{0, 1, 2, 3} // all columns
		if tab.Interact(v, parents) {
			t.Error("parents of a context interact")
		}
	}
}

// TestSampledCurves checks that the sample has three curves per column, no products, and as many rows as they count for.
func TestSampledCurves(t *testing.T) {
	tab, _ := continuous(t, 4, 50, 2, Smooth, func(rng *rand.Rand, x []float64) { x[0], x[1] = rng.NormFloat64(), rng.NormFloat64() })
	for weight, want := range map[float64]int{1: 50, 0.33: 17, 0.001: 1} {
		in := *tab.In
		sample := *in.Sample
		sample.Weight, in.Sample = weight, &sample
		got := must.Get(Sampled(t.Context(), &in))
		if b := got.Blocks[0]; b.N != want || b.Start[1] != 4 || b.Start[2] != 8 || b.Crossed != 0 || !got.Sample || got.Model != Smooth {
			t.Errorf("weight %v: %d rows, functions %v, products %d, want %d rows and three curves beside each line", weight, b.N, b.Start, b.Crossed, want)
		}
	}
}

// TestSlopeOfACurve checks that the slope of a curved effect is the mean between two quantiles of the parent: for a square, the sum of the
// quantiles.
func TestSlopeOfACurve(t *testing.T) {
	tab, x := continuous(t, 5, 1500, 2, Flexible, func(rng *rand.Rand, x []float64) {
		x[0] = rng.NormFloat64()
		x[1] = (x[0]+1)*(x[0]+1) + 0.1*rng.NormFloat64()
	})
	if tab.Scales[0] != dataset.RawScale {
		t.Fatal("the cause is on another scale")
	}
	place := tab.Place()
	var cause []float64
	for i := range x.Rows {
		cause = append(cause, x.At(i, 0)+1)
	}
	slices.Sort(cause)
	want := cause[75] + cause[1425]
	got := tab.fitted(tab.Blocks[0], place[1], []int{place[0]}).slope(place[0])
	near(t, "slope of a square", got, want, 0.2)
}
