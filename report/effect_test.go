package report

import (
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
)

// TestContrasted compares two categories in their order, whatever their rows, and of more the two most frequent.
func TestContrasted(t *testing.T) {
	for _, c := range []struct {
		rows          []int
		first, second int
	}{
		{[]int{9, 5}, 0, 1}, {[]int{5, 9}, 0, 1}, {[]int{5, 9, 7}, 1, 2}, {[]int{9, 5, 7}, 0, 2}, {[]int{7, 5, 9}, 2, 0}, {[]int{5, 7, 9}, 2, 1}, {[]int{5, 5, 5}, 0, 1}, {[]int{4}, 0, 0},
	} {
		f := &polydag.Effect{Rows: c.rows, FromLevels: []string{"a", "b", "c"}[:len(c.rows)]}
		if first, second := contrasted(f); first != c.first || second != c.second {
			t.Errorf("%v rows: %d and %d, want %d and %d", c.rows, first, second, c.first, c.second)
		}
	}
}

// TestShortCategories checks that names of categories have up to 5 characters in a narrow table, and that an effect with a fault is
// shown as a slope.
func TestShortCategories(t *testing.T) {
	f := &polydag.Effect{Form: method.EffectTable, FromLevels: []string{"12345", "123456"}, ToLevels: []string{"abcde", "abcdef"}, P: [][]float64{{0.75, 0.25}, {0.25, 0.75}}, Rows: []int{9, 4}}
	must.Same(t, shownEffect(polydag.Edge{EdgeFacts: polydag.EdgeFacts{Effect: f}}).short, "P(abc…f) +50 (123…6)")
	f.FromLevels, f.ToLevels = []string{"123456", "12345"}, []string{"x", "abcde"}
	must.Same(t, shownEffect(polydag.Edge{EdgeFacts: polydag.EdgeFacts{Effect: f}}).short, "P(abcde) +50 (12345)")
	f.P = f.P[:1]
	must.Same(t, shownEffect(polydag.Edge{EdgeFacts: polydag.EdgeFacts{Effect: f}, Weight: 2, Standardized: 0.5}).text, "+2", "an effect with a fault")
}

// TestShownEffect checks the words for each form of an effect.
func TestShownEffect(t *testing.T) {
	ab, no := []string{"a", "b"}, []string{"no", "yes"}
	for _, c := range []struct {
		name         string
		edge         polydag.Edge
		text, short  string
		standardized string
	}{
		{"a slope", polydag.Edge{Weight: 2.5, Standardized: 0.5}, "+2.5", "", "+0.50"},
		{"a negative slope", polydag.Edge{Weight: -2.5, Standardized: -0.5}, "-2.5", "", "-0.50"},
		{"a slope of rounding errors", polydag.Edge{Weight: 1, Standardized: 0.9e-9}, "0", "", "0.00"},
		{"a small slope", polydag.Edge{Weight: 1, Standardized: 1.1e-9}, "+1", "", "0.00"},
		{"just below 0.005", polydag.Edge{Weight: 1, Standardized: 0.0049}, "+1", "", "0.00"},
		{"just above 0.005", polydag.Edge{Weight: 1, Standardized: 0.0051}, "+1", "", "+0.01"},
		{"no slope", polydag.Edge{Standardized: 0.5}, "", "", ""},
		{"means of two categories", polydag.Edge{Weight: 2, Standardized: 0.3, EdgeFacts: polydag.EdgeFacts{Effect: &polydag.Effect{Form: method.EffectMeans, FromLevels: ab, Y: []float64{1, 3}, Rows: []int{4, 9}}}}, "+2 (b)", "", "+0.30"},
		{"means of three categories", polydag.Edge{Weight: 2, Standardized: 0.3, EdgeFacts: polydag.EdgeFacts{Effect: &polydag.Effect{Form: method.EffectMeans, FromLevels: []string{"a", "b", "c"}, Y: []float64{1, 3, 6}, Rows: []int{9, 2, 4}}}}, "+5 (c)", "", ""},
		{"a table of two categories", polydag.Edge{Weight: 0.5, Standardized: 0.4, EdgeFacts: polydag.EdgeFacts{Effect: &polydag.Effect{Form: method.EffectTable, FromLevels: ab, ToLevels: no,
			P: [][]float64{{0.75, 0.25}, {0.25, 0.75}}, Rows: []int{9, 4}}}}, "P(yes) +50 pp (b)", "P(yes) +50 (b)", "+0.40"},
		{"a table to three categories", polydag.Edge{Weight: 0.5, Standardized: 0.4, EdgeFacts: polydag.EdgeFacts{Effect: &polydag.Effect{Form: method.EffectTable, FromLevels: ab, ToLevels: []string{"x", "y", "z"},
			P: [][]float64{{0.75, 0, 0.25}, {0.25, 0.25, 0.5}}, Rows: []int{9, 4}}}}, "P(x) -50 pp (b)", "P(x) -50 (b)", ""},
		{"a table to three categories with equal changes", polydag.Edge{EdgeFacts: polydag.EdgeFacts{Effect: &polydag.Effect{Form: method.EffectTable, FromLevels: ab, ToLevels: []string{"x", "y", "z"},
			P: [][]float64{{0.75, 0, 0.25}, {0.25, 0, 0.75}}, Rows: []int{9, 4}}}}, "P(z) +50 pp (b)", "P(z) +50 (b)", ""},
		{"a table from three categories", polydag.Edge{Weight: 0.5, Standardized: 0.4, EdgeFacts: polydag.EdgeFacts{Effect: &polydag.Effect{Form: method.EffectTable, FromLevels: []string{"a", "b", "c"}, ToLevels: no,
			P: [][]float64{{0.75, 0.25}, {0.5, 0.5}, {0.25, 0.75}}, Rows: []int{2, 9, 4}}}}, "P(yes) +25 pp (c)", "P(yes) +25 (c)", ""},
		{"a table from numbers", polydag.Edge{Weight: 0.5, Standardized: 0.4, EdgeFacts: polydag.EdgeFacts{Effect: &polydag.Effect{Form: method.EffectTable, FromLevels: []string{"1", "2", "3"}, X: []float64{1, 2, 3}, ToLevels: no,
			P: [][]float64{{0.75, 0.25}, {0.5, 0.5}, {0.25, 0.75}}}}}, "P(yes) +50 pp (3 against 1)", "P(yes) +50", "+0.40"},
		{"a curve that turns", polydag.Edge{Weight: 1, Standardized: 0.4, EdgeFacts: polydag.EdgeFacts{Effect: &polydag.Effect{Form: method.EffectCurve, X: []float64{0, 1, 2}, Y: []float64{0, 8, 0}}}}, "nonlinear", "", ""},
		{"a curve that rises", polydag.Edge{Weight: 1, Standardized: 0.4, EdgeFacts: polydag.EdgeFacts{Effect: &polydag.Effect{Form: method.EffectCurve, X: []float64{0, 1, 2}, Y: []float64{0, 2, 8}}}}, "+1", "", "+0.40"},
	} {
		if c.edge.Effect != nil {
			if err := c.edge.Effect.Check(); err != nil {
				t.Errorf("%s: the effect of the test has a fault: %v", c.name, err)
			}
		}
		if got := shownEffect(c.edge); got.text != c.text || got.short != c.short {
			t.Errorf("%s: %q and %q, want %q and %q", c.name, got.text, got.short, c.text, c.short)
		}
		must.Same(t, standardized(c.edge), c.standardized, c.name)
	}
}
