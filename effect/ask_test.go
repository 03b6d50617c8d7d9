package effect

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/score"
)

// A value is a word of a category, a number that is a category without words, or any finite number, with a note outside the range of the table.
func TestValuesOfAQuestion(t *testing.T) {
	rows := mechanism.New([][]float64{{0, 1, 2, 1}, {3, 5, 3, 5}, {1, 2, 3, 4}, {0, 2, 0, 2}}, [][]float64{{0, 1, 2}, {3, 5}, nil, {0, 2}})
	for _, c := range []struct {
		v     int
		text  string
		want  float64
		valid bool
		notes int
	}{
		{0, "red", 1, true, 0}, {0, "1", 0, false, 0}, {0, "pink", 0, false, 0},
		{1, "5", 5, true, 0}, {1, "4", 0, false, 0}, {1, "five", 0, false, 0},
		{2, "2.5", 2.5, true, 0}, {2, "1", 1, true, 0}, {2, "4", 4, true, 0}, {2, "0.9", 0.9, true, 1}, {2, "4.1", 4.1, true, 1},
		{2, "much", 0, false, 0}, {2, "Inf", 0, false, 0}, {2, "NaN", 0, false, 0},
		{3, "b", 0, false, 0}, {3, "c", 2, true, 0}, // no row has b
	} {
		k := &asked{res: &polydag.Result{Names: []string{"color", "size", "weight", "grade"}}, source: &source{data: rows}, words: [][]string{{"blue", "red", "green"}, nil, nil, {"a", "b", "c"}}, answer: &Answer{}}
		got, err := k.value(c.v, c.text)
		if (err == nil) != c.valid || got != c.want || len(k.answer.Notes) != c.notes {
			t.Errorf("%s = %q: %v, %v and %d notes, want %v, valid: %v and %d notes", k.res.Names[c.v], c.text, got, err, len(k.answer.Notes), c.want, c.valid, c.notes)
		}
	}
}

// An unknown value of an ordinal column, which a flexible model treats as a number, is an error that lists the categories.
func TestUnknownCategoryOfANumber(t *testing.T) {
	rows := mechanism.New([][]float64{{0, 1, 2, 1}}, [][]float64{nil})
	k := &asked{res: &polydag.Result{Names: []string{"grade"}}, source: &source{data: rows}, words: [][]string{{"low", "mid", "high"}}, answer: &Answer{}}
	if x, err := k.value(0, "high"); x != 2 || err != nil {
		t.Errorf("high: %v, %v", x, err)
	}
	if _, err := k.value(0, "huge"); err == nil || err.Error() != `grade has no value "huge"; choose one of low, mid, high` {
		t.Errorf("huge: %v", err)
	}
}

// An unknown column is an error that proposes a similar name, or lists at most ten columns.
func TestUnknownColumns(t *testing.T) {
	names := []string{"alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"}
	for _, c := range []struct {
		names []string
		of    string
		want  string
	}{
		{names, "gama", `did you mean gamma?`},
		{names, "zzzzzzzz", "iota, kappa"},
		{append(names[:10:10], "lambda", "mu"), "zzzzzzzz", "kappa and 2 more"},
	} {
		k := &asked{Question: NewQuestion(c.of, "beta"), res: &polydag.Result{Names: c.names}}
		if err := k.resolve(context.Background()); err == nil || !strings.HasSuffix(strings.SplitN(err.Error(), "\n", 2)[0], c.want) {
			t.Errorf("column %q: %v, want %q", c.of, err, c.want)
		}
	}
}

// Names of up to four columns are written in full, and of more the first three.
func TestFewNames(t *testing.T) {
	for text, want := range map[string]string{"a b": "a, b", "a b c d": "a, b, c, d", "a b c d e": "a, b, c, …"} {
		if got := few(strings.Fields(text)); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// At most six edges are listed.
func TestListOfEdges(t *testing.T) {
	edges := make([]Unstated, 8)
	for i := range edges {
		edges[i] = Unstated{Link: polydag.Link{From: "a", To: string(rune('b' + i))}, Probability: 0.25}
	}
	if got := list(edges[:6]); strings.Count(got, "→") != 6 || strings.Contains(got, "more") {
		t.Errorf("six edges: %q", got)
	}
	if got := list(edges); strings.Count(got, "→") != 6 || !strings.HasSuffix(got, "and 2 more") || !strings.HasPrefix(got, "a → b 0.25, a → c") {
		t.Errorf("eight edges: %q", got)
	}
}

// The contrast of a number is one unit from the mean under a linear model, and the quartiles of its rows under others. If these are equal it is
// the range.
func TestDefaultContrasts(t *testing.T) {
	for _, c := range []struct {
		what      string
		x         []float64
		model     score.Effects
		low, high string
		quartiles bool
	}{
		{"linear", []float64{1, 2, 3, 4, 5, 6, 9}, score.LinearEffects, "4.28571", "5.28571", false},
		{"smooth", []float64{1, 2, 3, 4, 5, 6, 9}, score.SmoothEffects, "2", "6", true},
		{"smooth with equal quartiles", []float64{1, 3, 3, 3, 3, 3, 9}, score.SmoothEffects, "1", "9", false},
	} {
		x := newDense(7, 2)
		for i, v := range c.x {
			x.Set(i, 0, v)
			x.Set(i, 1, v+float64(i%3))
		}
		g := graph.New(2)
		g.AddEdge(0, 1)
		table := tableOf(t, []string{"a", "b"}, nil, x)
		res := known(t, table, g, c.model)
		a := ask(t, res, table, "a", "b", func(q *Question) { q.Replicates = 0 })
		if a.Contrast.Start != c.low || a.Contrast.End != c.high || a.Contrast.Quartiles != c.quartiles || a.Contrast.Unit != (c.model == score.LinearEffects) {
			t.Errorf("%s: %+v, want %s to %s", c.what, a.Contrast, c.low, c.high)
		}
		if linear := c.model == score.LinearEffects; (a.Sensitivity != nil) != linear || linear && (a.Adjustment.Slope == nil || !(math.Abs(*a.Adjustment.Slope-a.Effects[0].Total.Value) <= 1e-9)) {
			t.Errorf("%s: sensitivity %+v and slope %v, want those of a linear model with the total effect", c.what, a.Sensitivity, a.Adjustment.Slope)
		}
	}
}
