package trust

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/score"
)

// The shape of a column is its skewness m3/m2^1.5, its excess kurtosis m4/m2² - 3 and Geary's ratio of the mean deviation to the standard
// deviation. Rows that do not count are 0.
func TestShape(t *testing.T) {
	raw := []float64{-3, -1, -0.5, 0.25, 1.25, 3}
	var m1, m2, m3, m4 float64
	for _, v := range raw {
		m1 += math.Abs(v) / 6
		m2 += v * v / 6
		m3 += v * v * v / 6
		m4 += v * v * v * v / 6
	}
	x := make([]float64, 9)
	for i, v := range raw {
		x[i] = v / math.Sqrt(6*m2)
	}
	skewness, kurtosis, geary, ok := shape(x, 6)
	for what, c := range map[string][2]float64{
		"skewness": {skewness, m3 / math.Pow(m2, 1.5)}, "kurtosis": {kurtosis, m4/m2/m2 - 3}, "Geary's ratio": {geary, m1 / math.Sqrt(m2)},
	} {
		if !ok || !(math.Abs(c[0]-c[1]) <= 1e-12) {
			t.Errorf("%s is %v, want %v", what, c[0], c[1])
		}
	}
	if _, _, _, ok := shape(make([]float64, 4), 4); ok {
		t.Error("a column of zeros has a shape")
	}
}

// A column counts once in a list of shapes, with its first figure.
func TestShapeList(t *testing.T) {
	var l shapeList
	for _, c := range []struct {
		name   string
		figure float64
	}{{"a", 1}, {"a", 5}, {"b", 2}, {"c", -3}, {"c", 4}} {
		l.add(c.name, c.figure)
	}
	if got, want := l.text(), "c -3, b 2 and a 1"; got != want || len(l.names) != 3 {
		t.Errorf("the list is %q, want %q", got, want)
	}
}

// The sentence of the Gaussian check has the range of Geary's ratio and the largest skewness. The remedies are ranks, except where ranks or a
// transformation of each column were used.
func TestWordsOfTheGaussianCheck(t *testing.T) {
	z := quantiles(400)
	shuffled, steep := make([]float64, 400), make([]float64, 400)
	for i := range z {
		shuffled[i] = z[i*137%400]
		steep[i] = math.Exp(2 * z[i*139%400])
	}
	names := []string{"a", "b"}
	plain := newJudging(evidenceOf(t, names, columnsOf(z, shuffled)), Model{Graph: graph.New(2)}).gaussian()
	if want := "0.80 to 0.80 standard deviations"; plain.Outcome != Passed || !strings.Contains(plain.Sentence, want) || !strings.Contains(plain.Sentence, "a skewness of at most 0.00") {
		t.Errorf("Gaussian columns: %s: %s", plain.Outcome, plain.Sentence)
	}
	uniform := make([]float64, 400)
	for i := range uniform {
		uniform[i] = math.Copysign(math.Pow(math.Abs(z[i*141%400]), 0.9), z[i*141%400])
	}
	mixed := newJudging(evidenceOf(t, names, columnsOf(z, uniform)), Model{Graph: graph.New(2)}).gaussian()
	if want := fmt.Sprintf("%.2f to %.2f", geary(z), geary(uniform)); mixed.Outcome != Passed || !strings.Contains(mixed.Sentence, want) {
		t.Errorf("lighter tails: %s: %s, want %s", mixed.Outcome, mixed.Sentence, want)
	}
	for what, c := range map[string]struct {
		model Model
		ranks bool
	}{
		"linear":        {Model{Graph: graph.New(2)}, true},
		"normal scores": {Model{Graph: graph.New(2), NormalScores: true}, false},
		"flexible":      {Model{Graph: graph.New(2), Effects: score.FlexibleEffects}, false},
	} {
		got := newJudging(evidenceOf(t, names, columnsOf(z, steep)), c.model).gaussian()
		if got.Outcome != Failed || strings.Contains(got.Evidence[0].WayOut, "ranks") != c.ranks {
			t.Errorf("%s: %s, %+v, want ranks as a remedy: %v", what, got.Outcome, got.Evidence, c.ranks)
		}
	}
}

// Columns with two or at most ten values are not Gaussian, except under a flexible model. The shape of a column counts under a linear model of
// one environment if the profile describes it, and a column that its parents determine has no shape.
func TestColumnsOfTheGaussianCheck(t *testing.T) {
	z := quantiles(400)
	two, few, skewed := make([]float64, 400), make([]float64, 400), make([]float64, 400)
	for i := range z {
		two[i], few[i], skewed[i] = float64(i%2), float64(i%5), z[i*137%400]
	}
	names := []string{"two", "few", "skewed"}
	for what, c := range map[string]struct {
		model Model
		max   float64 // of the skewed column in the profile
		want  string
	}{
		"linear":      {Model{Graph: graph.New(3)}, 0, Binary + " " + FewLevels + " " + Skewed},
		"transformed": {Model{Graph: graph.New(3)}, 1, Binary + " " + FewLevels},
		"mixed":       {Model{Graph: graph.New(3), Effects: score.MixedEffects}, 0, Binary + " " + FewLevels},
		"flexible":    {Model{Graph: graph.New(3), Effects: score.FlexibleEffects}, 0, LightTails},
	} {
		e := evidenceOf(t, names, columnsOf(two, few, skewed))
		e.Profile = &dataset.Profile{RowsRead: 400, RowsUsed: 400, Columns: []dataset.ColumnProfile{
			{Name: "two", Distinct: 2, Max: 1}, {Name: "few", Distinct: 5, Max: 4}, {Name: "skewed", Distinct: 400, Min: e.Moments.Min[2], Max: e.Moments.Max[2] + c.max, Skewness: 2.5},
		}}
		var got []string
		for _, f := range newJudging(e, c.model).gaussian().Evidence {
			got = append(got, f.Code)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", what, got, c.want)
		}
	}
	copied := newJudging(evidenceOf(t, []string{"a", "b"}, columnsOf(z, z)), Model{Graph: parentsOf(2)}).gaussian()
	if copied.Outcome != Passed || strings.Contains(copied.Sentence, "NaN") || strings.Contains(copied.Sentence, "0.00 to") {
		t.Errorf("a copy: %s: %s", copied.Outcome, copied.Sentence)
	}
}
