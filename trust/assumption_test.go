package trust

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// TestAssumptionsOfModels checks which assumptions each model has: free noise must be steady, other noise Gaussian, and tables have interactions.
func TestAssumptionsOfModels(t *testing.T) {
	z := quantiles(200)
	x := make([]float64, 200)
	for i := range x {
		x[i] = z[i*37%200]
	}
	e := evidenceOf(t, []string{"a", "b"}, columnsOf(z, x))
	for what, c := range map[string]struct {
		model Model
		has   []string
		lacks []string
	}{
		"linear":          {Model{Graph: graph.New(2)}, []string{GaussianNoise}, []string{SteadyNoise, EqualVariances}},
		"free noise":      {Model{Graph: graph.New(2), FreeNoise: true}, []string{SteadyNoise}, []string{GaussianNoise, EqualVariances}},
		"equal variances": {Model{Graph: graph.New(2), EqualVariances: true}, []string{GaussianNoise, EqualVariances}, []string{SteadyNoise}},
		"tables":          {Model{Graph: graph.New(2), Effects: score.TableEffects}, nil, []string{GaussianNoise, SteadyNoise, EqualVariances}},
	} {
		var names []string
		for _, a := range CheckAssumptions(e, c.model) {
			names = append(names, a.Name)
		}
		for _, name := range append([]string{IndependentRows, NoHiddenCauses, NoFeedback}, c.has...) {
			if !slices.Contains(names, name) {
				t.Errorf("%s: assumptions %v, want %s", what, names, name)
			}
		}
		for _, name := range c.lacks {
			if slices.Contains(names, name) {
				t.Errorf("%s: assumptions %v, want no %s", what, names, name)
			}
		}
	}
}

// TestRowsThatACheckUsed checks the words for all rows and for a sample of them.
func TestRowsThatACheckUsed(t *testing.T) {
	e := evidenceOf(t, []string{"a", "b"}, columnsOf(quantiles(200), quantiles(200)))
	for rows, want := range map[int]string{200: "200 rows used", 201: "200 of 201 rows used"} {
		j := newJudging(e, Model{Graph: graph.New(2)})
		j.Moments.N = rows
		if got := j.looked(); got != want {
			t.Errorf("%d rows: %q, want %q", rows, got, want)
		}
	}
}

// TestFiguresOfHeldAssumptions checks that the words of an assumption that holds up have the extremes over all columns, the first or the last.
func TestFiguresOfHeldAssumptions(t *testing.T) {
	z := quantiles(400)
	column := func(step int, f func(float64) float64) []float64 {
		x := make([]float64, 400)
		for i := range x {
			x[i] = f(z[i*step%400])
		}
		return x
	}
	plain := column(137, func(v float64) float64 { return v })
	other := column(139, func(v float64) float64 { return v })
	skew := column(141, func(v float64) float64 { return v + 0.04*v*v })
	heavy := column(143, func(v float64) float64 { return v * math.Sqrt(math.Sqrt(1+0.05*v*v)) })
	names := []string{"a", "b", "c"}
	for _, order := range [][][]float64{{skew, heavy, plain}, {plain, heavy, skew}, {heavy, plain, other}, {plain, other, heavy}} {
		skewest, low, high := 0.0, math.Sqrt(2/math.Pi), math.Sqrt(2/math.Pi)
		for _, x := range order {
			skewest = max(skewest, math.Abs(skewness(x)))
			low, high = min(low, geary(x)), max(high, geary(x))
		}
		got := newJudging(evidenceOf(t, names, columnsOf(order...)), Model{Graph: graph.New(3)}).gaussian()
		want := fmt.Sprintf("a skewness of at most %.2f and a mean absolute size of %.2f to %.2f standard deviations", skewest, low, high)
		if got.Outcome != Passed || !strings.Contains(got.Sentence, want) {
			t.Errorf("%s: %s, want %q", got.Outcome, got.Sentence, want)
		}
	}
}

// TestLargestCorrelationOfSteadyNoise checks that the words name the largest correlation, whichever edge has it.
func TestLargestCorrelationOfSteadyNoise(t *testing.T) {
	const k = 40
	build := func(a, b float64) ([]float64, []float64, []float64) {
		var x, y, w []float64
		for i := range k {
			for j := range k {
				u, e := (2*float64(i)+1)/k-1, (2*float64(j)+1)/k-1
				f := (2*float64((7*i+11*j)%k)+1)/k - 1
				x, y, w = append(x, u), append(y, 0.7*u+(1+a*u)*e), append(w, 0.5*u+(1+b*u)*f)
			}
		}
		return x, y, w
	}
	g := graph.New(3)
	g.AddEdge(0, 1)
	g.AddEdge(0, 2)
	for _, c := range [][2]float64{{0.15, 0}, {0, 0.15}} {
		x, y, w := build(c[0], c[1])
		most := 0.0
		for _, child := range [][]float64{y, w} {
			r := leastSquares(child, x)
			size := make([]float64, len(x))
			for i := range r {
				r[i], size[i] = math.Abs(r[i]), math.Abs(x[i])
			}
			for _, by := range [][]float64{x, size} {
				most = max(most, math.Sqrt(1-sumOfSquares(leastSquares(r, by))/sumOfSquares(leastSquares(r))))
			}
		}
		got := newJudging(evidenceOf(t, []string{"x", "y", "w"}, columnsOf(x, y, w)), Model{Graph: g, FreeNoise: true}).steady()
		if want := fmt.Sprintf("correlate with parents by at most %.2f", most); got.Outcome != Passed || !strings.Contains(got.Sentence, want) || most < 0.05 {
			t.Errorf("%v: %s: %s, want %q", c, got.Outcome, got.Sentence, want)
		}
	}
}

// TestResidualsOfCurves checks that a smooth model has the residuals of curves, and a linear one those of a line.
func TestResidualsOfCurves(t *testing.T) {
	const n = 300
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		x[i] = (2*float64(i)+1)/n - 1
		y[i] = x[i]*x[i] + 0.02*math.Sin(float64(37*i))
	}
	for effects, curved := range map[score.Effects]bool{"": true, score.LinearEffects: true, score.SmoothEffects: false} {
		res, why := newResiduals(evidenceOf(t, []string{"x", "y"}, columnsOf(x, y)), Model{Graph: parentsOf(2), Effects: effects})
		if why != "" {
			t.Fatal(why)
		}
		left := 1 - sumOfSquares(leastSquares(res.r.Row(1), y))/sumOfSquares(res.r.Row(1))
		if curved != (left > 0.9) {
			t.Errorf("effects %q: the residuals share %.2f of their variance with the curve", effects, left)
		}
	}
}

// TestCategoriesHaveNoProducts checks that the indicators of nine categories, as many functions as a curve has, have no products.
func TestCategoriesHaveNoProducts(t *testing.T) {
	z := matrix.New[float64](2, 600)
	for i := range 600 {
		z.Set(0, i, float64(i*37%600))
		z.Set(1, i, float64(i%9))
	}
	for categorical, want := range map[bool]int{true: 16, false: 20} {
		m := Model{Effects: score.FlexibleEffects, products: true, Categories: []bool{false, categorical}}
		if got := len(m.family(z, []int{0, 1})); got != want {
			t.Errorf("categories %v: %d functions, want %d", categorical, got, want)
		}
	}
}

// TestInputsOfAModel checks that only the columns that are inputs are left out of the checks.
func TestInputsOfAModel(t *testing.T) {
	z := quantiles(400)
	steep, plain := make([]float64, 400), make([]float64, 400)
	for i := range z {
		steep[i], plain[i] = math.Exp(2*z[i*139%400]), z[i*137%400]
	}
	e := evidenceOf(t, []string{"steep", "plain"}, columnsOf(steep, plain))
	for _, c := range []struct {
		inputs []bool
		fails  bool
	}{{nil, true}, {[]bool{true, false}, false}, {[]bool{false, true}, true}} {
		if got := newJudging(e, Model{Graph: graph.New(2), Inputs: c.inputs}).gaussian(); (got.Outcome == Failed) != c.fails {
			t.Errorf("inputs %v: %s: %s", c.inputs, got.Outcome, got.Sentence)
		}
	}
}

// TestChanceOfNothing checks that the bound is three standard errors for one estimate and for none.
func TestChanceOfNothing(t *testing.T) {
	for k, want := range map[int]float64{0: 3, 1: 3, 8: math.Sqrt(2*math.Log(8)) + 3} {
		if got := chance(k); !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("%d estimates: %v standard errors, want %v", k, got, want)
		}
	}
}

// TestFewValuesOfFewRows checks that ten distinct values are few from 21 rows on.
func TestFewValuesOfFewRows(t *testing.T) {
	for n, want := range map[int]bool{20: false, 21: true} {
		x, y := make([]float64, n), make([]float64, n)
		for i := range n {
			x[i], y[i] = float64(i%10), float64(i*i%23)
		}
		e := evidenceOf(t, []string{"x", "y"}, columnsOf(x, y))
		e.Profile = &dataset.Profile{RowsRead: n, RowsUsed: n, Columns: []dataset.ColumnProfile{{Name: "x", Distinct: 10, Max: 9}, {Name: "y", Distinct: 12, Max: 22}}}
		if got := newJudging(e, Model{Graph: graph.New(2)}).gaussian(); fails(got, FewLevels) != want {
			t.Errorf("%d rows: %s: %s, want few values: %v", n, got.Outcome, got.Sentence, want)
		}
	}
}

// TestCurvesOfDescendants checks that a model with free noise tests no curve from a descendant, and a Gaussian one does: there the residual
// of a cause is Gaussian given its effect.
func TestCurvesOfDescendants(t *testing.T) {
	const n = 900
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		x[i] = (2*float64(i%30)+1)/30 - 1
		e := (2*float64(i/30)+1)/30 - 1
		y[i] = math.Exp(2*x[i]) + 0.1*e // x is about the logarithm of y, a curve too
	}
	e := evidenceOf(t, []string{"x", "y"}, columnsOf(x, y))
	for _, free := range []bool{false, true} {
		j := newJudging(e, Model{Graph: parentsOf(2), FreeNoise: free})
		found, _ := j.bends(j.res)
		reverse := slices.ContainsFunc(found, func(c curve) bool { return c.from == 1 && c.to == 0 })
		if reverse == free {
			t.Errorf("free noise %v: a curve from the effect to the cause is tested: %v", free, reverse)
		}
	}
}

// TestHiddenCauseAfterAFailedCheck checks that tests of hidden causes have no weight where the rules about real tables decide.
func TestHiddenCauseAfterAFailedCheck(t *testing.T) {
	f, gain := compelled(20, 1000), 10.0
	f.HiddenDeltaBIC = &gain
	for _, c := range []struct {
		checks []Assumption
		want   bool
	}{{nil, true}, {[]Assumption{failing("a")}, false}} {
		if got := Judge(namesOnly("a", "b"), Model{}, c.checks, []Claim{f})[0].hidden() > 0; got != c.want {
			t.Errorf("%d failed checks: a hidden cause has a weight: %v, want %v", len(c.checks), got, c.want)
		}
	}
}

// TestNoCurveOfAColumnInItself checks that a skewed column, which correlates with its own square, has no curve.
func TestNoCurveOfAColumnInItself(t *testing.T) {
	z := quantiles(400)
	skew, plain := make([]float64, 400), make([]float64, 400)
	for i := range z {
		skew[i], plain[i] = math.Exp(z[i*139%400]), z[i*137%400]
	}
	j := newJudging(evidenceOf(t, []string{"a", "b"}, columnsOf(skew, plain)), Model{Graph: graph.New(2)})
	if found, _ := j.bends(j.res); len(found) > 0 {
		t.Errorf("curves %+v, want none", found)
	}
}
