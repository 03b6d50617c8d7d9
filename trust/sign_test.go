package trust

import (
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
)

// TestSign checks which source gives the sign of an effect, and which effects have none.
func TestSign(t *testing.T) {
	numbers, words, three := []string{"0", "1"}, []string{"no", "yes"}, []string{"0", "1", "2"}
	table := func(from, to []string, first, second float64) *method.Effect {
		return &method.Effect{Form: method.EffectTable, FromLevels: from, ToLevels: to, P: [][]float64{{1 - first, first}, {1 - second, second}}}
	}
	means := func(from []string, y ...float64) *method.Effect {
		return &method.Effect{Form: method.EffectMeans, FromLevels: from, Y: y}
	}
	curve := func(y ...float64) *method.Effect {
		return &method.Effect{Form: method.EffectCurve, X: []float64{0, 1, 2}, Y: y}
	}
	for _, c := range []struct {
		name                 string
		weight, standardized float64
		effect               *method.Effect
		want                 int
	}{
		{"no weight and no effect", 0, 0, nil, 0},
		{"a positive slope", 0.3, 0, nil, 1},
		{"a negative slope", -0.3, 0, nil, -1},
		{"a slope against the standardized one", 0.3, -0.2, nil, 1},
		{"only a positive standardized slope", 0, 0.2, nil, 1},
		{"only a negative standardized slope", 0, -0.2, nil, -1},
		{"a slope from a category in words", 0.3, 0, means(words, 1, 2), 0},
		{"a standardized slope to a category in words", 0, 0.3, table(numbers, words, 0.1, 0.2), 0},
		{"a slope to a category in words over values of a number", 0.3, 0, &method.Effect{Form: method.EffectCurve, X: []float64{0, 1}, Y: []float64{0, 1}, ToLevels: words}, 0},
		{"a slope over values of a number with words for them", 0.3, 0, &method.Effect{X: []float64{0, 1}, Y: []float64{0, 1}, FromLevels: words}, 1},
		{"a slope from one category that is not a number", 0.3, 0, means([]string{"0", "many"}, 1, 2), 0},
		{"a slope from three numbers", 0.3, 0, means(three, 1, 2, 3), 1},
		{"a table that rises", 0, 0, table(numbers, numbers, 0.2, 0.7), 1},
		{"a table that falls", 0, 0, table(numbers, numbers, 0.7, 0.2), -1},
		{"a table without a difference", 0, 0, table(numbers, numbers, 0.2, 0.2), 0},
		{"a table to three categories", 0, 0, table(numbers, three, 0.2, 0.7), 0},
		{"a table from three categories", 0, 0, table(three, numbers, 0.2, 0.7), 0},
		{"a table from numbers in descending order", 0, 0, table([]string{"1", "0"}, numbers, 0.2, 0.7), 0},
		{"a table from one number twice", 0, 0, table([]string{"1", "1.0"}, numbers, 0.2, 0.7), 0},
		{"means that rise", 0, 0, means(numbers, 1, 2), 1},
		{"means that fall", 0, 0, means(numbers, 2, 1), -1},
		{"means of three categories", 0, 0, means(three, 1, 2, 3), 0},
		{"a curve that falls back by more than half of its height", 1, 0, curve(0, 8, 3.9), 0},
		{"a curve that falls back by less than half of its height", 1, 0, curve(0, 8, 4.1), 1},
		{"another form", 0, 0, &method.Effect{Form: method.EffectCurve, FromLevels: numbers, Y: []float64{1, 2}}, 0},
	} {
		e := Edge{Weight: c.weight, Standardized: c.standardized, EdgeFacts: method.EdgeFacts{Effect: c.effect}}
		must.Same(t, e.Sign(), c.want, c.name)
	}
}

// TestAscends checks that both of two categories must be numbers.
func TestAscends(t *testing.T) {
	for _, c := range []struct {
		levels []string
		want   bool
	}{
		{nil, false},
		{[]string{"1"}, false},
		{[]string{"-1", "1"}, true},
		{[]string{"1", "-1"}, false},
		{[]string{"2", "10"}, true},
		{[]string{"low", "1"}, false},
		{[]string{"-1", "high"}, false},
		{[]string{"0", "1", "2"}, false},
	} {
		must.Same(t, ascends(c.levels), c.want, c.levels)
	}
}

// TestTurns checks that only the part of a curve with most rows counts, and that a curve turns if its ends differ by less than half
// of its height.
func TestTurns(t *testing.T) {
	one, three := 1.0, 3.0
	for _, c := range []struct {
		name      string
		y         []float64 // at 0, 1, 2, ...
		low, high *float64
		want      bool
	}{
		{"a line", []float64{0, 1, 2, 3, 4}, nil, nil, false},
		{"a falling line", []float64{4, 3, 2, 1, 0}, nil, nil, false},
		{"half of the height", []float64{0, 8, 4}, nil, nil, false},
		{"less than half of the height", []float64{0, 8, 3.9}, nil, nil, true},
		{"a fall of less than half of the height", []float64{8, 0, 4.1}, nil, nil, true},
		{"more than half of the height, from a base above 0", []float64{10, 18, 14.1}, nil, nil, false},
		{"a line between outer parts that turn", []float64{9, 0, 1, 2, 9}, &one, &three, false},
		{"a curve that turns between outer parts on a line", []float64{-9, 0, 5, 0, 9}, &one, &three, true},
		{"a constant", []float64{2, 2, 2}, nil, nil, false},
		{"one point", []float64{2}, nil, nil, false},
		{"no point", nil, nil, nil, false},
	} {
		f := &method.Effect{Form: method.EffectCurve, Y: c.y, Low: c.low, High: c.high}
		for k := range c.y {
			f.X = append(f.X, float64(k))
		}
		must.Same(t, turns(f), c.want, c.name)
	}
	f := &method.Effect{Form: method.EffectMeans, X: []float64{0, 1, 2}, Y: []float64{0, 8, 0}}
	must.Same(t, Edge{Weight: 1, EdgeFacts: method.EdgeFacts{Effect: f}}.Sign(), 1, "means that turn")
}
