package trust

import (
	"fmt"
	"math"
	"strings"
	"testing"

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
		l.add(c.name, c.name, c.figure)
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
	if want := "0.80 to 0.80 standard deviations"; plain.Verdict != HoldsUp || !strings.Contains(plain.Sentence, want) || !strings.Contains(plain.Sentence, "a skewness of at most 0.00") {
		t.Errorf("Gaussian columns: %s: %s", plain.Verdict, plain.Sentence)
	}
	uniform := make([]float64, 400)
	for i := range uniform {
		uniform[i] = math.Copysign(math.Pow(math.Abs(z[i*141%400]), 0.9), z[i*141%400])
	}
	mixed := newJudging(evidenceOf(t, names, columnsOf(z, uniform)), Model{Graph: graph.New(2)}).gaussian()
	if want := fmt.Sprintf("%.2f to %.2f", geary(z), geary(uniform)); mixed.Verdict != HoldsUp || !strings.Contains(mixed.Sentence, want) {
		t.Errorf("lighter tails: %s: %s, want %s", mixed.Verdict, mixed.Sentence, want)
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
		if got.Verdict != Fails || strings.Contains(got.Evidence[0].WayOut, "ranks") != c.ranks {
			t.Errorf("%s: %s, %+v, want ranks as a remedy: %v", what, got.Verdict, got.Evidence, c.ranks)
		}
	}
}
