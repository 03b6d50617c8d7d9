package effect

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/mechanism"
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
		res := &polydag.Result{Names: []string{"a", "b", "c"}, Edges: []polydag.Edge{{Link: polydag.Link{From: c.from, To: c.to}, Mark: c.mark, EdgeFacts: polydag.EdgeFacts{HiddenCause: c.hidden}}}}
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
		e, ok := q.span(c.total, c.deviation, c.z)
		if ok != c.ok || ok && (e.low.total[0] != c.low || e.high.total[0] != c.high) {
			t.Errorf("%s: %+v to %+v, %v; want %v to %v, %v", c.name, e.low, e.high, ok, c.low, c.high, c.ok)
		}
	}
}

// Of two categories the second is reported, of ordered ones their mean first, and of nominal ones each.
func TestOutcomesOfLevels(t *testing.T) {
	p := []float64{0.5, 0.3, 0.2}
	for _, c := range []struct {
		o     outcomes
		p     []float64
		want  []float64
		names []string
	}{
		{newOutcomes(nil, nil), []float64{7}, []float64{7}, nil},
		{newOutcomes([]float64{3, 5}, nil), []float64{0.4, 0.6}, []float64{0.6}, []string{"5"}},
		{newOutcomes([]float64{1, 2, 4}, nil), p, []float64{1.9, 0.5, 0.3, 0.2}, []string{"mean", "1", "2", "4"}},
		{newOutcomes([]float64{0, 1, 2}, []string{"x", "y", "z"}), p, p, []string{"x", "y", "z"}},
	} {
		got := c.o.of(c.p)
		if len(got) != len(c.want) || c.names != nil && !slices.Equal(c.o.names, c.names) {
			t.Fatalf("%v with the names %v, want %v with %v", got, c.o.names, c.want, c.names)
		}
		for i := range got {
			if !(math.Abs(got[i]-c.want[i]) <= 1e-12) {
				t.Errorf("%v, want %v", got, c.want)
			}
		}
	}
}

// The distribution of ordered categories has their mean and standard deviation.
func TestShownDistributionOfLevels(t *testing.T) {
	k := &asked{words: make([][]string, 1)}
	k.study.shown = newOutcomes([]float64{1, 2, 4}, nil)
	d := k.show(&dist{levels: []float64{0.5, 0.3, 0.2}}, "x=1")
	if d.Mean == nil || !(math.Abs(d.Mean.Value-1.9) <= 1e-12) || !(math.Abs(*d.Std-math.Sqrt(0.5*0.81+0.3*0.01+0.2*4.41)) <= 1e-12) || len(d.Levels) != 3 || d.Levels[2].Name != "4" {
		t.Errorf("%+v", d)
	}
	k.study.shown = newOutcomes([]float64{0, 1}, nil)
	if d := k.show(&dist{levels: []float64{0.5, 0.5}}, ""); d.Mean != nil || d.Std != nil {
		t.Errorf("two categories have a mean: %+v", d)
	}
}

// A survey sets a column to its levels, to the most frequent twelve of more, and a number to nine quantiles from 5 % to 95 %.
func TestSpotsOfASurvey(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var few, many, numbers []float64
	var levels []float64
	for k := range 15 {
		levels = append(levels, float64(k))
		for range 10 + (k*7)%15 { // the counts 10 … 24 in another order
			many = append(many, float64(k))
		}
	}
	for range many {
		few, numbers = append(few, float64(rng.IntN(3))), append(numbers, rng.Float64())
	}
	s := &source{data: mechanism.New([][]float64{few, many, numbers}, [][]float64{{0, 1, 2}, levels, nil})}
	if got := s.spots(0); !slices.Equal(got, []float64{0, 1, 2}) {
		t.Errorf("levels %v", got)
	}
	var want []float64
	for k := range 15 {
		if (k*7)%15 >= 3 {
			want = append(want, float64(k))
		}
	}
	if got := s.spots(1); !slices.Equal(got, want) {
		t.Errorf("levels %v, want the most frequent %v", got, want)
	}
	sorted := slices.Sorted(slices.Values(numbers))
	got := s.spots(2)
	if len(got) != 9 || !slices.IsSorted(got) {
		t.Fatalf("%v", got)
	}
	for k, x := range got {
		below, _ := slices.BinarySearch(sorted, x)
		if share := float64(below) / float64(len(sorted)); !(math.Abs(share-(0.05+0.9*float64(k)/8)) <= 0.01) {
			t.Errorf("%v of the rows are below value %d", share, k)
		}
	}
}
