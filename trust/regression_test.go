package trust

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// evidenceOf takes all rows of x as the sample.
func evidenceOf(t *testing.T, names []string, x *matrix.Dense[float64]) Evidence {
	t.Helper()
	m := must.Get(dataset.MomentsOf(names, x, 1))
	s := &dataset.Sample{Columns: x.Cols}
	for i := range x.Rows {
		s.Values, s.Index = append(s.Values, x.Row(i)...), append(s.Index, i)
	}
	return Evidence{Moments: m, Sample: s}
}

// leastSquares returns the residuals of y on an intercept and some columns, by the normal equations: the slow twin of the checks.
func leastSquares(y []float64, columns ...[]float64) []float64 {
	ones := make([]float64, len(y))
	for i := range ones {
		ones[i] = 1
	}
	columns = append([][]float64{ones}, columns...)
	k := len(columns)
	a := make([][]float64, k)
	for i := range a {
		a[i] = make([]float64, k+1)
		for j := range a {
			for r := range y {
				a[i][j] += columns[i][r] * columns[j][r]
			}
		}
		for r := range y {
			a[i][k] += columns[i][r] * y[r]
		}
	}
	for i := range a {
		pivot := i
		for r := i; r < k; r++ {
			if math.Abs(a[r][i]) > math.Abs(a[pivot][i]) {
				pivot = r
			}
		}
		a[i], a[pivot] = a[pivot], a[i]
		if math.Abs(a[i][i]) < 1e-9 {
			continue // a column that others determine
		}
		for r := range a {
			if r == i {
				continue
			}
			f := a[r][i] / a[i][i]
			for c := i; c <= k; c++ {
				a[r][c] -= f * a[i][c]
			}
		}
	}
	out := append([]float64{}, y...)
	for i, c := range columns {
		if math.Abs(a[i][i]) < 1e-9 {
			continue
		}
		for r := range out {
			out[r] -= a[i][k] / a[i][i] * c[r]
		}
	}
	return out
}

func sumOfSquares(x []float64) (sum float64) {
	for _, v := range x {
		sum += v * v
	}
	return sum
}

func columnOf(x *matrix.Dense[float64], v int) []float64 {
	out := make([]float64, x.Rows)
	for i := range out {
		out[i] = x.At(i, v)
	}
	return out
}

// parentsOf returns a graph of n columns in which the last has all others as parents.
func parentsOf(n int) *graph.Graph {
	g := graph.New(n)
	for p := range n - 1 {
		g.AddEdge(p, n-1)
	}
	return g
}

// A binary column y with two parents of 2 and 3 categories. With effects that add up in the log odds the check fails, with an XOR and with
// probabilities drawn at random it passes.
func TestInteractions(t *testing.T) {
	for what, c := range map[string]struct {
		p     func(a, b float64) float64
		fails bool
	}{
		"additive logistic": {func(a, b float64) float64 { return logistic(-1 + 1.5*a + 0.7*b) }, true},
		"additive":          {func(a, b float64) float64 { return 0.1 + 0.4*a + 0.2*b }, true},
		"xor":               {func(a, b float64) float64 { return []float64{0.2, 0.8}[int(a+b)%2] }, false},
		"any table":         {func(a, b float64) float64 { return []float64{0.9, 0.15, 0.35, 0.3, 0.75, 0.6}[int(3*a+b)] }, false},
	} {
		rng := rand.New(rand.NewPCG(7, 3))
		x := matrix.New[float64](3000, 3)
		for i := range x.Rows {
			a, b, y := float64(rng.IntN(2)), float64(rng.IntN(3)), 0.0
			if rng.Float64() < c.p(a, b) {
				y = 1
			}
			copy(x.Row(i), []float64{a, b, y})
		}
		names := []string{"a", "b", "y"}
		j := newJudging(evidenceOf(t, names, x), Model{Graph: parentsOf(3), Effects: score.TableEffects})
		got := j.interactions()
		if (got.Outcome == Failed) != c.fails {
			t.Errorf("%s: %s: %s", what, got.Outcome, got.Sentence)
		}
		if c.fails && (len(got.Evidence) != 1 || strings.Join(got.Evidence[0].Columns, " ") != "y") {
			t.Errorf("%s: %+v", what, got.Evidence)
		}
		for additive, want := range map[bool]bool{true: false, false: c.fails} { // an additive model needs no interactions
			j.model.Additive = []bool{false, false, additive}
			if got := j.interactions(); (got.Outcome == Failed) != want {
				t.Errorf("%s, additive %v: %s", what, additive, got.Outcome)
			}
		}
		if share, ok := j.interaction(2, []int{0, 1}); !ok || !(math.Abs(share-explicitInteraction(x)) <= 1e-9) {
			t.Errorf("%s: the share is %v %v, by regression %v", what, share, ok, explicitInteraction(x))
		}
	}
}

// explicitInteraction regresses y on indicators of a and b, with and without their products. F is the residual variance of the larger model.
func explicitInteraction(x *matrix.Dense[float64]) float64 {
	a, b, y := columnOf(x, 0), columnOf(x, 1), columnOf(x, 2)
	b1, b2, ab1, ab2 := make([]float64, len(a)), make([]float64, len(a)), make([]float64, len(a)), make([]float64, len(a))
	for i := range a {
		switch b[i] {
		case 1:
			b1[i], ab1[i] = 1, a[i]
		case 2:
			b2[i], ab2[i] = 1, a[i]
		}
	}
	whole := sumOfSquares(leastSquares(y))
	main := whole - sumOfSquares(leastSquares(y, a, b1, b2))
	left := sumOfSquares(leastSquares(y, a, b1, b2, ab1, ab2))
	noise := left / float64(len(y)-6)
	return (whole - left - main - 2*noise) / (whole - left - 5*noise)
}

// Parents that determine each other leave no interaction to see, and few rows are not judged.
func TestInteractionsUntestable(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 4))
	x := matrix.New[float64](500, 3)
	for i := range x.Rows {
		a := float64(rng.IntN(3))
		y := 0.0
		if rng.Float64() < 0.2+0.3*a {
			y = 1
		}
		copy(x.Row(i), []float64{a, 2 - a, y})
	}
	j := newJudging(evidenceOf(t, []string{"a", "b", "y"}, x), Model{Graph: parentsOf(3), Effects: score.TableEffects})
	if share, ok := j.interaction(2, []int{0, 1}); ok {
		t.Errorf("two copies of one parent have a share of %v", share)
	}
	if _, ok := j.interaction(2, []int{0}); ok {
		t.Error("one parent has interactions")
	}
	many := matrix.New[float64](120, 3)
	for i := range many.Rows {
		copy(many.Row(i), []float64{float64(rng.IntN(8)), float64(rng.IntN(8)), float64(rng.IntN(2))})
	}
	j = newJudging(evidenceOf(t, []string{"a", "b", "y"}, many), Model{Graph: parentsOf(3), Effects: score.TableEffects})
	if _, ok := j.interaction(2, []int{0, 1}); ok {
		t.Error("about two rows per combination are enough")
	}
}

// What the curvature check says is what two regressions give: y on its parents, then the residuals on the square of a parent, which is itself
// the residual of a regression on the parent. Values beyond three standard deviations are set to three.
func TestCurvatureAgainstRegression(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 9))
	x := matrix.New[float64](800, 3)
	for i := range x.Rows {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		copy(x.Row(i), []float64{a, b, a + 0.8*a*a - b + rng.NormFloat64()})
	}
	e := evidenceOf(t, []string{"a", "b", "y"}, x)
	got := newJudging(e, Model{Graph: parentsOf(3)}).effects()
	residual := leastSquares(columnOf(x, 2), columnOf(x, 0), columnOf(x, 1))
	a, sd := columnOf(x, 0), e.Moments.Std()[0]
	square := make([]float64, len(a))
	for i := range a {
		a[i] = min(max((a[i]-e.Moments.Mean[0])/sd, -3), 3)
		square[i] = a[i] * a[i]
	}
	bent := leastSquares(square, a)
	share := 1 - sumOfSquares(leastSquares(residual, bent))/sumOfSquares(residual)
	if want := "the square of a explains " + percent(share) + " of the residual variance of y under linear effects"; got.Outcome != Failed || !strings.Contains(got.Sentence, want) || share < 0.3 {
		t.Errorf("%s, want %q", got.Sentence, want)
	}
}

// Under a flexible model the fitted effects have curves at columns with few values and products of parents, which the choice of the graph
// does not have. The check of effects then holds up, but directions at the columns are judged as after a failed check.
func TestFittedEffectsHaveMoreCurves(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 11))
	x := matrix.New[float64](1500, 3)
	build := func(y func(a, b float64) float64) Evidence {
		for i := range x.Rows {
			a, b := float64(rng.IntN(7))-3, float64(rng.IntN(7))-3
			copy(x.Row(i), []float64{a, b, y(a, b) + rng.NormFloat64()})
		}
		return evidenceOf(t, []string{"a", "b", "y"}, x)
	}
	model := Model{Graph: parentsOf(3), Effects: score.FlexibleEffects, Straight: []bool{true, true, false}}
	tables := map[string]func(a, b float64) float64{
		"square":  func(a, b float64) float64 { return a + 0.4*a*a - b },
		"product": func(a, b float64) float64 { return a + b + 0.3*a*b },
	}
	for name, y := range tables {
		e := build(y)
		got := newJudging(e, model).effects()
		if got.Outcome != Passed || len(got.Evidence) != 1 || got.Evidence[0].Severity != Note || !slices.Contains(got.Evidence[0].Columns, "y") {
			t.Errorf("%s: %+v", name, got)
		}
		if f := newFailures([]Assumption{got}); len(f.at["y"]) == 0 {
			t.Errorf("%s: directions at y are judged as if the graph had been chosen with the curve", name)
		}
		curved := model
		curved.Effects = score.MixedEffects // has neither
		if got := newJudging(e, curved).effects(); got.Outcome != Failed {
			t.Errorf("%s without curves: %s", name, got.Sentence)
		}
	}
	e := build(func(a, b float64) float64 { return a - b })
	if got := newJudging(e, model).effects(); got.Outcome != Passed || got.Evidence != nil {
		t.Errorf("lines: %+v", got)
	}
}

// A column of numbers that the model takes as categories has no square: months 5 to 9 whose effects have no order.
func TestNoCurvatureOfCategories(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 10))
	x := matrix.New[float64](600, 2)
	effect := []float64{0, 3, -2, 2.5, -1}
	for i := range x.Rows {
		month := rng.IntN(5)
		copy(x.Row(i), []float64{float64(5 + month), effect[month] + rng.NormFloat64()})
	}
	e := evidenceOf(t, []string{"Month", "Ozone"}, x)
	kinds := []kind.Column{{Kind: kind.Ordinal}, {Kind: kind.Continuous}}
	as := func(categories []bool) Assumption {
		return newJudging(e, Model{Graph: parentsOf(2), Effects: score.MixedEffects, Kinds: kinds, Categories: categories}).effects()
	}
	if got := as(nil); got.Outcome != Failed || !strings.Contains(got.Sentence, "of Month explains") {
		t.Errorf("a line through months without an order passes: %s", got.Sentence)
	}
	if got := as([]bool{true, false}); got.Outcome != Passed {
		t.Errorf("months as categories: %s", got.Sentence)
	}
}

// Neither rule counts for a column with two values.
func TestAsymmetryOfTwoValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 2))
	x := matrix.New[float64](500, 2)
	for i := range x.Rows {
		a := float64(rng.IntN(2))
		copy(x.Row(i), []float64{a, a + rng.ExpFloat64()})
	}
	pairs := newAsymmetry(evidenceOf(t, []string{"a", "b"}, x), Model{})
	for from := range 2 {
		if r, ok := byRule(&Claim{EdgeRecord: method.EdgeRecord{Edge: graph.Edge{From: from, To: 1 - from}}, pairs: pairs, ruled: 1}); ok {
			t.Errorf("from %d: %+v", from, r)
		}
	}
}

// Two rules about real tables: fewer distinct values first, and the smaller error of a cubic polynomial first. The second does not count
// for categories without an order, both count 0.3 at codes, and their sum is bounded.
func TestAsymmetryAgainstRegression(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	x := matrix.New[float64](500, 2)
	for i := range x.Rows {
		a := float64(rng.IntN(7))
		copy(x.Row(i), []float64{a, a*a + rng.ExpFloat64()})
	}
	e := evidenceOf(t, []string{"a", "b"}, x)
	scaled := func(v int) []float64 {
		c := columnOf(x, v)
		low, high := slices.Min(c), slices.Max(c)
		for i := range c {
			c[i] = (c[i] - low) / (high - low)
		}
		return c
	}
	cubic := func(y, x []float64) float64 {
		square, cube := make([]float64, len(x)), make([]float64, len(x))
		for i, v := range x {
			square[i], cube[i] = v*v, v*v*v
		}
		return sumOfSquares(leastSquares(y, x, square, cube))
	}
	a, b := scaled(0), scaled(1)
	fewer := 1.5 * math.Tanh(math.Log(500./7)/2)
	less := 1.0 * math.Tanh(math.Log(cubic(a, b)/cubic(b, a)))
	for _, c := range []struct {
		from       int
		kind       kind.Kind
		ruled      float64
		odds, said float64
	}{
		{0, kind.Count, 1, fewer + less, 1.2}, {1, kind.Count, 1, -fewer - less, -1.2}, {0, kind.Count, 0.5, fewer + less, 0.6},
		{0, kind.Ordinal, 1, 0.3 * (fewer + less), 0.3 * (fewer + less)}, {0, kind.Categorical, 1, 0.3 * fewer, 0.3 * fewer},
	} {
		pairs := newAsymmetry(e, Model{Kinds: []kind.Column{{Kind: c.kind}, {Kind: kind.Continuous}}})
		edge := graph.Edge{From: c.from, To: 1 - c.from}
		odds, _ := pairs.odds(edge)
		r, ok := byRule(&Claim{EdgeRecord: method.EdgeRecord{Edge: edge}, pairs: pairs, ruled: c.ruled})
		if !(math.Abs(odds-c.odds) <= 1e-9) || !ok || !(math.Abs(r.LogOdds-c.said) <= 1e-9) || r.Source != FromRule {
			t.Errorf("%+v: %v, %+v", c, odds, r)
		}
	}
	if r, ok := byRule(&Claim{EdgeRecord: ahead, pairs: newAsymmetry(Evidence{Moments: e.Moments}, Model{}), ruled: 1}); ok {
		t.Errorf("without rows: %+v", r)
	}
}

// The weight of the model, and that of the rules, by model, failed checks and what is known of a hidden cause.
func TestWeightsOfModelAndRules(t *testing.T) {
	fails, number := []string{"curvature (a)"}, 3.0
	compelled := Claim{EdgeRecord: method.EdgeRecord{EdgeFacts: method.EdgeFacts{Compelled: true, Reversal: &number}}}
	excluded := compelled
	excluded.HiddenCause = method.HiddenExcluded
	for _, c := range []struct {
		what         string
		claim        Claim
		effects      score.Effects
		failed       []string
		columns      int
		environments bool
		model, rules float64
	}{
		{"linear", compelled, score.LinearEffects, nil, 5, false, 1, 0},
		{"linear, open", Claim{Share: 0.5}, "", nil, 5, false, 1, 0.5},
		{"a pair, open", Claim{Share: 0.5}, "", nil, 2, false, 1, 1},
		{"linear, failed", compelled, "", fails, 5, false, 0.1, 0.6},
		{"linear, failed, no hidden cause", excluded, "", fails, 5, false, 1, 0},
		{"smooth", compelled, score.SmoothEffects, nil, 5, false, 1, 0},
		{"mixed", compelled, score.MixedEffects, nil, 5, false, 0.2, 0.6},
		{"flexible", compelled, score.FlexibleEffects, nil, 5, false, 0.2, 0.6},
		{"flexible, failed", compelled, score.FlexibleEffects, fails, 5, false, 0.1, 0.6},
		{"flexible, no hidden cause", excluded, score.FlexibleEffects, nil, 5, false, 0.2, 0.6},
		{"tables", compelled, score.TableEffects, nil, 5, false, 0.2, 0.6},
		{"tables, failed", compelled, score.TableEffects, fails, 5, false, 0.2, 0.6},
		{"tables, no hidden cause", excluded, score.TableEffects, nil, 5, false, 1, 0},
		{"tables with interventions", compelled, score.TableEffects, nil, 5, true, 1, 0},
	} {
		own := &c.claim
		own.model, own.failed, own.columns, own.environments = Model{Effects: c.effects}, c.failed, c.columns, c.environments
		if own.weigh(); own.weight != c.model || own.ruled != c.rules {
			t.Errorf("%s: the model counts %v and the rules %v, want %v and %v", c.what, own.weight, own.ruled, c.model, c.rules)
		}
	}
}

// Names are added to the evidence of the model, and samples that were searched with them add nothing.
func TestNamesAmongTheEvidence(t *testing.T) {
	f := compelled(20, -1000)
	f.Class, f.Names, f.NamesText = true, 3.5, "age comes first by its name"
	elsewhere := []Assumption{{Name: GaussianNoise, Outcome: Failed, Evidence: []Finding{{Code: "skewed", Columns: []string{"c"}}}}}
	j := Judge(namesOnly("age", "b", "c"), Model{Effects: score.MixedEffects}, elsewhere, []Claim{f, {EdgeRecord: method.EdgeRecord{Edge: graph.Edge{From: 1, To: 2}}}})[0]
	if want := logistic(3.5 - 0.2*5); !(math.Abs(j.PDirection-want) <= 1e-12) || j.Basis != ByNames || j.Verdict != Directed {
		t.Errorf("%+v, want %v", j, want)
	}
	if again := j.Resampled(0.99, 0.999, "samples", Doubts{}); again.PDirection != j.PDirection || again.PAdjacent != 0.99 {
		t.Errorf("samples change %v to %v", j.PDirection, again.PDirection)
	}
}

// The residuals of a column that was intervened on in some rows are those of the regression on the other rows, also if the columns have
// another spread there.
func TestResidualsOfEnvironments(t *testing.T) {
	const n = 400
	rng := rand.New(rand.NewPCG(4, 4))
	x := matrix.New[float64](n, 2)
	environments := &dataset.Environments{Names: []string{"seen", "set"}, Targets: [][]int{nil, {1}}}
	var of []int
	var cause, effect []float64
	for i := range n {
		k := i % 2
		u := rng.NormFloat64() * float64(1+2*k)
		y := 2*u + rng.NormFloat64()
		if k == 1 {
			y = 9 * rng.NormFloat64()
		} else {
			cause, effect = append(cause, u), append(effect, y)
		}
		copy(x.Row(i), []float64{u, y})
		of = append(of, k)
	}
	e := evidenceOf(t, []string{"x", "y"}, x)
	e.Environments, e.Sample.Environments = environments, of
	for k := range 2 {
		var rows [][]float64
		for i := k; i < n; i += 2 {
			rows = append(rows, x.Row(i))
		}
		own := matrix.New[float64](len(rows), 2)
		for i, row := range rows {
			copy(own.Row(i), row)
		}
		m := must.Get(dataset.MomentsOf([]string{"x", "y"}, own, 1))
		environments.Moments = append(environments.Moments, m)
	}
	got, why := newResiduals(e, Model{Graph: parentsOf(2)})
	if got == nil {
		t.Fatal(why)
	}
	want := leastSquares(effect, cause)
	norm := math.Sqrt(sumOfSquares(want))
	for i, r := range got.r.Row(1) {
		if w := [2]float64{want[i/2] / norm, 0}[i%2]; !(math.Abs(r-w) <= 1e-9) {
			t.Fatalf("row %d: %v, want %v", i, r, w)
		}
	}
}

// TestResidualsOfASample checks that a linear model, whose name may be empty, uses the slope of all rows (0.5) and not the slope of the sampled
// rows (2).
func TestResidualsOfASample(t *testing.T) {
	const n = 400
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		x[i] = float64(i%20) - 9.5
		if y[i] = 2 * x[i]; i >= n/2 {
			y[i] = -x[i]
		}
		y[i] += float64(i / 20 % 2) // noise that is orthogonal to x
	}
	for _, effects := range []score.Effects{"", score.LinearEffects} {
		e := evidenceOf(t, []string{"x", "y"}, columnsOf(x, y))
		e.Sample.Values, e.Sample.Index = e.Sample.Values[:n], e.Sample.Index[:n/2]
		s, why := newResiduals(e, Model{Graph: graph.FromParents([][]int{nil, {0}}), Effects: effects})
		if s == nil {
			t.Fatal(why)
		}
		want := make([]float64, n/2)
		for i := range want {
			want[i] = y[i] - 0.5*x[i] - 0.5 // the mean of y is 0.5
		}
		normalize(want)
		for i, w := range want {
			if !(math.Abs(s.r.At(1, i)-w) <= 1e-9) {
				t.Fatalf("effects %q: the residual of row %d is %v, want %v", effects, i, s.r.At(1, i), w)
			}
		}
	}
}
