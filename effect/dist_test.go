package effect

import (
	"math"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/method"
)

// TestShownQuantiles checks the reported quantiles against those of the standard normal distribution and of the numbers 1 to 19, of which
// the p-quantile is 20·p.
func TestShownQuantiles(t *testing.T) {
	var x []float64
	for k := range 19 {
		x = append(x, float64((k*7)%19+1))
	}
	normal, counted := gaussian(5, 2), empirical(x)
	for k, c := range []struct{ p, z float64 }{{0.05, -1.6448536269514722}, {0.25, -0.6744897501960817}, {0.5, 0}, {0.75, 0.6744897501960817}, {0.95, 1.6448536269514722}} {
		if got := normal.quantiles[k]; got.P != c.p || math.Abs(got.Value-5-2*c.z) > 1e-12 {
			t.Errorf("quantile %v of a Gaussian is %v, want %v", got.P, got.Value, 5+2*c.z)
		}
		if got := counted.quantiles[k]; got.P != c.p || math.Abs(got.Value-20*c.p) > 1e-12 {
			t.Errorf("quantile %v of 1 to 19 is %v, want %v", got.P, got.Value, 20*c.p)
		}
	}
	near(t, "mean", counted.mean, 10, 1e-12)
	near(t, "standard deviation", counted.std, math.Sqrt(30), 1e-12) // (19² - 1)/12
}

// TestSingleValueUpToRounding checks that values within 1e-9 of their size are one value.
func TestSingleValueUpToRounding(t *testing.T) {
	for _, base := range []float64{1e6, -1e6} {
		for relative, single := range map[float64]bool{0: true, 0.9e-9: true, 1.2e-9: false} {
			d := empirical([]float64{base, base, base * (1 + relative)})
			if isSingle := d.std == 0; isSingle != single {
				t.Errorf("%v and a relative difference of %v: standard deviation %v, want 0: %v", base, relative, d.std, single)
			}
			near(t, "mean", d.mean, base, 1e-3)
		}
	}
}

// TestAlikeUpToRounding checks the largest difference of equal figures: 1e-9 of both sizes and 1e-12.
func TestAlikeUpToRounding(t *testing.T) {
	for _, c := range []struct {
		a, b float64
		want bool
	}{{0, 0.9e-12, true}, {0, 1.2e-12, false}, {1, 1 + 1.9e-9, true}, {1, 1 + 2.2e-9, false}, {-1, -1 - 1.9e-9, true}, {-1, -1 - 2.2e-9, false}, {-1e-12, 1e-12, false}} {
		if got := alike([]float64{7, c.a}, []float64{7, c.b}); got != c.want {
			t.Errorf("%v and %v are alike: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// TestDoubtfulEdges checks each condition of an edge with a possible hidden cause.
func TestDoubtfulEdges(t *testing.T) {
	for _, c := range []struct {
		from, to, mark string
		hidden         method.HiddenCause
		want           bool
	}{
		{"a", "b", "-->", method.HiddenPossible, true},
		{"a", "b", "o->", method.HiddenPossible, false},
		{"a", "b", "-->", method.HiddenExcluded, false},
		{"a", "b", "-->", "", false},
		{"a", "c", "-->", method.HiddenPossible, false},
		{"c", "b", "-->", method.HiddenPossible, false},
		{"b", "a", "-->", method.HiddenPossible, false},
	} {
		res := &polydag.Result{Names: []string{"a", "b", "c"}, Edges: []polydag.Edge{{Link: polydag.Link{From: c.from, To: c.to}, Mark: c.mark, HiddenCause: c.hidden}}}
		if got := doubtful(res, 0, 1); got != c.want {
			t.Errorf("%s %s %s, %q: a → b is doubtful: %v, want %v", c.from, c.mark, c.to, c.hidden, got, c.want)
		}
	}
}

// TestSpanOfAdjustments checks the range of totals: those without an adjustment set do not count, and one without an error leaves no interval.
func TestSpanOfAdjustments(t *testing.T) {
	nan := math.NaN()
	q := &study{shown: outcomes{names: []string{"mean"}}}
	for _, c := range []struct {
		name             string
		total, deviation []float64
		z                float64
		low, high        float64
		ok               bool
	}{
		{"estimates", []float64{2, -1, nan}, []float64{nan, nan, nan}, 0, -1, 2, true},
		{"intervals", []float64{2, -1, nan}, []float64{0.5, 3, nan}, 2, -7, 5, true},
		{"too few rows", []float64{2, -1}, []float64{0.5, nan}, 2, 0, 0, false},
		{"no adjustment set", []float64{nan}, []float64{nan}, 2, 0, 0, false},
		{"one value", []float64{0}, []float64{0}, 2, 0, 0, true},
	} {
		low, high, ok := q.span(c.total, c.deviation, c.z)
		if ok != c.ok || ok && (low.total[0] != c.low || high.total[0] != c.high) {
			t.Errorf("%s: %+v to %+v, %v; want %v to %v, %v", c.name, low, high, ok, c.low, c.high, c.ok)
		}
	}
}
