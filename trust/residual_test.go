package trust

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// TestDeterminedColumns checks that a column has no residuals if its parents leave at most 1e-10 of its variance.
func TestDeterminedColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for noise, want := range map[float64]bool{8e-6: false, 1.3e-5: true} {
		x := matrix.New[float64](400, 2)
		for i := range x.Rows {
			v := rng.NormFloat64()
			copy(x.Row(i), []float64{v, v + noise*rng.NormFloat64()})
		}
		for _, effects := range []score.Effects{"", score.SmoothEffects} {
			s, why := newResiduals(evidenceOf(t, []string{"x", "y"}, x), Model{Graph: parentsOf(2), Effects: effects})
			if s == nil {
				t.Fatal(why)
			}
			if size := sumOfSquares(s.r.Row(1)); math.Abs(size-1) < 1e-9 != want || !want && size != 0 {
				t.Errorf("effects %q, noise %v: residuals of size %v", effects, noise, size)
			}
		}
	}
}

// TestRowsLeftOfEnvironments checks that a column has residuals if it has 100 rows without an intervention on it.
func TestRowsLeftOfEnvironments(t *testing.T) {
	for _, left := range []int{99, 100} {
		rng := rand.New(rand.NewPCG(5, 5))
		x := matrix.New[float64](150, 2)
		environments := &dataset.Environments{Names: []string{"seen", "set"}, Targets: [][]int{nil, {1}}, Moments: []*dataset.Moments{dataset.NewMoments([]string{"x", "y"}), dataset.NewMoments([]string{"x", "y"})}}
		var of []int
		for i := range x.Rows {
			x.Set(i, 0, rng.NormFloat64())
			x.Set(i, 1, x.At(i, 0)+rng.NormFloat64())
			k := 0
			if i >= left {
				k = 1
			}
			must.Succeed(t, environments.Moments[k].AddBlock(x.Row(i)))
			of = append(of, k)
		}
		e := evidenceOf(t, []string{"x", "y"}, x)
		e.Environments, e.Sample.Environments = environments, of
		for _, effects := range []score.Effects{"", score.SmoothEffects} {
			s, why := newResiduals(e, Model{Graph: parentsOf(2), Effects: effects})
			if s == nil {
				t.Fatal(why)
			}
			if size := sumOfSquares(s.r.Row(1)); s.counted(1) != left || s.counted(0) != 150 || (size > 0.5) != (left == 100) {
				t.Errorf("effects %q: %d rows of y count, of %d of x; residuals of size %v", effects, s.counted(1), s.counted(0), size)
			}
		}
	}
	s := &residuals{r: matrix.New[float64](2, 3), skip: [][]bool{{true, false, true}, {true, true, true}}}
	for v := range 2 {
		if x := []float64{5, 3, 7}; true {
			if s.own(v, x); !slices.Equal(x, []float64{0, 0, 0}) {
				t.Errorf("one row or none is left: %v, want 0", x)
			}
		}
	}
	for size, want := range map[float64]float64{1e-8: 1, 1e-10: 0} {
		if x := []float64{size, 0}; true {
			if normalize(x); math.Abs(x[0]-want) > 1e-12 {
				t.Errorf("a vector of size %v is scaled to %v, want %v", size, x[0], want)
			}
		}
	}
}

// TestRemediesOfCurves checks the remedy for each kind of model, and that up to three curves are listed.
func TestRemediesOfCurves(t *testing.T) {
	for _, c := range []struct {
		model Model
		want  string
	}{
		{Model{}, "model a non-monotone effect with model=smooth"},
		{Model{Effects: score.LinearEffects, NormalScores: true}, "model=smooth models nonlinear effects"},
		{Model{Effects: score.MixedEffects}, "or model nonlinear effects with model=flexible"},
		{Model{Effects: score.MixedEffects, NormalScores: true}, unidentified().Text},
		{Model{Effects: score.SmoothEffects}, unidentified().Text},
		{Model{Effects: score.FlexibleEffects}, unidentified().Text},
	} {
		j := &judging{Evidence: Evidence{Moments: dataset.NewMoments([]string{"a", "b", "c"})}, model: c.model}
		found := []curve{{0, 1, "square", 0.3}, {0, 2, "cube", 0.2}, {0, 1, "cube", 0.4}, {1, 2, "cube", 0.1}}
		f := j.curves(found, "linear effects")[0]
		if !strings.Contains(f.WayOut, c.want) || strings.Contains(f.Sentence, "more") || strings.Count(f.Sentence, "explains") != 3 || !slices.Equal(f.Columns, []string{"a", "b", "c"}) {
			t.Errorf("%+v: %s (%s), want %s", c.model, f.Sentence, f.WayOut, c.want)
		}
		if f := j.curves(append(found, curve{-1, 2, "square", 0.05}), "linear effects")[0]; !strings.Contains(f.Sentence, "and 2 more") {
			t.Errorf("four curves: %s", f.Sentence)
		}
	}
}

// TestEqualVariancesOfStandardizedColumns checks that equal noise variances are not plausible for columns with standard deviation 1.
func TestEqualVariancesOfStandardizedColumns(t *testing.T) {
	for _, c := range []struct {
		first, second float64
		standardized  bool
		want          bool
	}{{1, 1, false, true}, {1.1, 1.1, false, false}, {1.1, 1, false, false}, {1, 1.1, false, false}, {3, 3, true, true}} {
		x, y := quantiles(2000), quantiles(2000)
		slices.Reverse(y[:1000])
		for k, column := range [][]float64{x, y} {
			size := math.Sqrt(sumOfSquares(column) / 2000)
			for i := range column {
				column[i] *= []float64{c.first, c.second}[k] / size
			}
		}
		a := newJudging(evidenceOf(t, []string{"x", "y"}, columnsOf(x, y)), Model{Graph: graph.New(2), EqualVariances: true, Standardized: c.standardized}).equalVariances()
		if fails(a, Standardized) != c.want {
			t.Errorf("%+v: %s", c, a.Sentence)
		}
	}
}

// TestShapesOfTimes checks that a skewed time has no logarithm, that levels of a model are no numbers, and which rows the profile describes.
func TestShapesOfTimes(t *testing.T) {
	for _, c := range []struct {
		kind   string
		levels bool
		skew   float64
		want   string
		log    bool
	}{{"number", false, 3, Skewed, true}, {"time", false, 3, Skewed, false}, {"integer", false, 0, FewLevels, false}, {"integer", true, 0, "", false}} {
		m := tabulated(t, []string{"x"}, 21, func(i int) []float64 { return []float64{float64(i%3*30 + 1)} })
		p := &dataset.Profile{RowsRead: 21, RowsUsed: 21, Columns: []dataset.ColumnProfile{{Name: "x", Kind: c.kind, Distinct: 3, Min: 1, Max: 61, Skewness: c.skew}}}
		e := newExamination(m, p, Refusals{Levels: c.levels})
		e.shapes()
		got, way := "", ""
		for _, f := range e.out.Findings {
			got, way = got+f.Code, way+f.WayOut
		}
		if got != c.want || strings.Contains(way, "log=x") != c.log {
			t.Errorf("%+v: %q, %s", c, got, way)
		}
	}
	for _, c := range []struct {
		low, high       float64
		all, afterDrops bool
	}{{1, 4, true, true}, {2, 3, false, true}, {0, 3, false, false}, {2, 5, false, false}} {
		m := dataset.NewMoments([]string{"x"})
		m.Min[0], m.Max[0] = c.low, c.high
		e := &examination{m: m, column: []*Column{{ColumnProfile: dataset.ColumnProfile{Min: 1, Max: 4}}}}
		all := e.asRead(0)
		if e.dropped = 1; all != c.all || e.asRead(0) != c.afterDrops {
			t.Errorf("%+v: the profile describes the values: %v, after rows were dropped %v", c, all, e.asRead(0))
		}
	}
}

// TestPenaltyOfCurves checks that dependent rows count less against a penalty that is larger for curves.
func TestPenaltyOfCurves(t *testing.T) {
	p := map[score.Effects]float64{}
	for _, effects := range []score.Effects{"", score.LinearEffects, score.SmoothEffects, score.FlexibleEffects} {
		p[effects] = judge(&Claim{DeltaBIC: 6, Penalty: 4, model: Model{Effects: effects}, adjacentMost: adjacencyMost}, Doubts{Effect: true}).PAdjacent
	}
	if p[""] != p[score.LinearEffects] || p[score.SmoothEffects] != p[score.FlexibleEffects] || !(p[score.SmoothEffects] < p[""]) {
		t.Errorf("probabilities of an adjacency %v", p)
	}
}

// TestChecksWithoutCategories checks that the noise of a column of categories is not judged.
func TestChecksWithoutCategories(t *testing.T) {
	x, y := quantiles(2000), make([]float64, 2000)
	for i := range y {
		if x[i] > 0.8 && i%8 > 0 {
			y[i] = 1
		}
	}
	for _, isCategory := range []bool{false, true} {
		j := newJudging(evidenceOf(t, []string{"x", "y"}, columnsOf(x, y)), Model{Graph: parentsOf(2), Effects: score.MixedEffects, Categories: []bool{false, isCategory}})
		if a, b := fails(j.gaussian(), Binary), fails(j.steady(), NoiseVaries); a == isCategory || b == isCategory {
			t.Errorf("y has categories %v: two values are reported %v, and changing noise %v", isCategory, a, b)
		}
	}
	j := &judging{two: make([]bool, 7), res: &residuals{z: matrix.New[float64](7, 9)}} // the first column is constant
	for v := 1; v < 7; v++ {
		for i := range 9 {
			j.res.z.Set(v, i, math.Pow(float64(i), float64(v))*float64(1-v%2*2))
		}
	}
	if sorted := j.sortedBy(); len(sorted) != 4 || math.Abs(sumOfSquares(sorted[0])-1) > 1e-12 {
		t.Errorf("%d of six sorted columns are used, want 4", len(sorted))
	}
	p := &DataChecks{Columns: []Column{{ColumnProfile: dataset.ColumnProfile{Name: "a"}}, {ColumnProfile: dataset.ColumnProfile{Name: "b", Dropped: "text"}}, {ColumnProfile: dataset.ColumnProfile{Name: "c"}}}}
	p.TakenAs([]dataset.Variable{{Name: "a", Kind: "binary", Reason: "two values"}, {Name: "b", Kind: "binary"}})
	if p.Columns[0].TakenAs != "binary" || p.Columns[0].TakenAsReason != "two values" || p.Columns[1].TakenAs != "" || p.Columns[2].TakenAs != "" {
		t.Errorf("kinds of columns: %+v", p.Columns)
	}
	if got := findingsOf(9, 0, Refusals{}, "", func(e *examination) { e.missingApart(&dataset.Missingness{}) }); got != "" {
		t.Errorf("no columns that are missing apart: %s", got)
	}
}
