package heldout

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/score"
)

// The values of a path: multiples of (ln n + 2 ln d)/ln n, powers of two, or multiples of ln n/(2n ln 2) in bits per row.
func TestValuesOfAPath(t *testing.T) {
	// ln 1000 = 6.9078 and ln 10 = 2.3026, so that the default penalty is 1.6667 of ln n, and one parameter 0.0049829 bits per row.
	for model, want := range map[score.Effects][]float64{
		score.LinearEffects: {0.833, 1.17, 1.67, 2.33, 3.33, 4.67, 6.67, 9.33, 13.3},
		score.TableEffects:  {0, 0.125, 0.25, 0.5, 1, 2, 4, 8},
		score.SmoothEffects: {0, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16},
	} {
		if got := Grid(model, 1000, 10); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", model, got, want)
		}
	}
	// With one or two rows ln n is that of three, and without columns there is one.
	for _, c := range [][2]int{{0, 1}, {2, 1}, {3, 0}} {
		if got, want := Grid(score.LinearEffects, c[0], c[1]), []float64{0.5, 0.7, 1, 1.4, 2, 2.8, 4, 5.6, 8}; !slices.Equal(got, want) {
			t.Errorf("%d rows and %d columns: %v, want %v", c[0], c[1], got, want)
		}
	}
	if got, want := Grid(score.MixedEffects, 0, 4)[1], 0.4; got != want { // ln 3/2/(2 ln 2) = 0.396
		t.Errorf("no rows: %v, want %v", got, want)
	}
}

func TestRangesOfPathSettings(t *testing.T) {
	for what, c := range map[string]struct {
		s     PathSettings
		valid bool
	}{
		"defaults":       {DefaultPathSettings(), true},
		"two splits":     {PathSettings{Splits: 2}, true},
		"one split":      {PathSettings{Splits: 1}, false},
		"two values":     {PathSettings{Splits: 2, Values: []float64{0, 1}}, true},
		"one value":      {PathSettings{Splits: 2, Values: []float64{1}}, false},
		"no value":       {PathSettings{Splits: 2, Values: []float64{}}, false},
		"a value twice":  {PathSettings{Splits: 2, Values: []float64{1, 2, 1}}, false},
		"negative value": {PathSettings{Splits: 2, Values: []float64{-1, 2}}, false},
		"infinite value": {PathSettings{Splits: 2, Values: []float64{1, math.Inf(1)}}, false},
		"missing value":  {PathSettings{Splits: 2, Values: []float64{1, math.NaN()}}, false},
	} {
		if err := c.s.Validate(); (err == nil) != c.valid {
			t.Errorf("%s: %v, want valid: %v", what, err, c.valid)
		}
	}
	for what, c := range map[string]struct {
		change func(*CompareSettings)
		valid  bool
	}{
		"defaults":        {func(*CompareSettings) {}, true},
		"no limits":       {func(s *CompareSettings) { s.Budget, s.Splits = 0, 0 }, true},
		"negative budget": {func(s *CompareSettings) { s.Budget = -time.Second }, false},
		"negative splits": {func(s *CompareSettings) { s.Splits = -1 }, false},
		"unknown model":   {func(s *CompareSettings) { s.Model = "cubic" }, false},
	} {
		s := DefaultCompareSettings()
		if c.change(&s); (s.Validate() == nil) != c.valid {
			t.Errorf("comparison, %s: %v, want valid: %v", what, s.Validate(), c.valid)
		}
	}
}

// The standard error of several splits is the root of the mean of (D1 - D2)²/4.
func TestStandardErrorOfSplits(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 5}, []float64{0, 0}, 2},
		{[]float64{1, 5, 2, 2}, []float64{0, 0, 1, 1}, math.Sqrt2},
		{[]float64{3, 3}, []float64{1, 1}, 0},
	} {
		if got := standardError(c.a, c.b); !(math.Abs(got-c.want) <= 1e-12) {
			t.Errorf("%v and %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
	if harmonic(0, 0) != 0 || !(math.Abs(harmonic(0.5, 1)-2./3) <= 1e-12) || harmonic(0, 1) != 0 {
		t.Errorf("harmonic means %v, %v and %v, want 0, 2/3 and 0", harmonic(0, 0), harmonic(0.5, 1), harmonic(0, 1))
	}
}

// A value is recommended beyond the best only if it is better than the default.
func TestRecommendedIsBetterThanTheDefault(t *testing.T) {
	for behind, want := range map[float64]float64{0.3: 2, 0.5: 1, 0.6: 1} {
		ofDefault, noise, zero, wide := 0.5, 0.1, 0.0, 1.0
		p := &Path{Setting: "penalty", Model: score.LinearEffects, Points: values(1, 2), Default: &Point{Behind: &ofDefault, Error: &noise}}
		p.Points[0].Behind, p.Points[0].Error = &zero, &zero
		p.Points[1].Behind, p.Points[1].Error = &behind, &wide
		if p.recommend(0); *p.Recommended != want {
			t.Errorf("a value that is behind by %v, the default by 0.5: %v is recommended, want %v", behind, *p.Recommended, want)
		}
	}
}

func TestChoose(t *testing.T) {
	methods := lab.All()
	first, second := methods[0].Info().Name, methods[1].Info().Name
	for _, c := range []struct {
		words []string
		want  []string // labels; nil is not compared
		n     int
		fault string
	}{
		{words: []string{All}, n: len(methods)},
		{words: []string{second, first}, want: []string{second, first}, n: 2},
		{words: []string{second + ":penalty=2", All}, n: len(methods)}, // it is there already, with settings
		{words: []string{All, "-" + first}, n: len(methods) - 1},
		{words: []string{second, second + ":penalty=2:gamma=0"}, want: []string{second, second + ":penalty=2:gamma=0"}, n: 2},
		{words: []string{"ges:turning"}, want: []string{"ges:turning"}, n: 1},
		{words: nil, fault: "no method in the list"},
		{words: []string{"nothing"}, fault: `method "nothing" is unknown`},
		{words: []string{"-" + first}, fault: "not in the list before it"},
		{words: []string{All, "-nothing"}, fault: `method "nothing" is unknown`},
		{words: []string{second, second}, fault: "twice"},
		{words: []string{second + ":price=2"}, fault: `has no setting "price"; it has model`},
		{words: []string{second + ":"}, fault: `has no setting ""`},
		{words: []string{second + ":penalty"}, fault: "want penalty=VALUE"},
		{words: []string{second + ":penalty=-1"}, fault: "penalty"},
		{words: []string{second + ":penalty=much"}, fault: "penalty"},
	} {
		common := polydag.DefaultConfig()
		common.Methods = lab.All
		got, err := Choose(c.words, common)
		if c.fault != "" {
			if !errors.Is(err, polydag.ErrConfig) || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%q: %v, want %q", c.words, err, c.fault)
			}
			continue
		}
		if err != nil || len(got) != c.n {
			t.Errorf("%q: %d methods, want %d: %v", c.words, len(got), c.n, err)
			continue
		}
		for k, label := range c.want {
			if got[k].Label != label {
				t.Errorf("%q: %s, want %s", c.words, got[k].Label, label)
			}
		}
	}
}

// TestChooseSets checks that settings apply to their method, and common ones to all.
func TestChooseSets(t *testing.T) {
	common := polydag.DefaultConfig()
	common.Standardize, common.Seed, common.Threads = true, 7, 3
	list := must.Get(Choose([]string{"order:min_gain=0.5", "order"}, common))
	for k, want := range []float64{0.5, 0} {
		cfg := list[k].Config
		if got := param.Of(cfg.Method).Lookup("min-gain").Value(); got != want || !cfg.Standardize || cfg.Seed != 7 || cfg.Threads != 3 || cfg.CheckScale != polydag.CheckScaleNever {
			t.Errorf("%v: %+v", got, cfg)
		}
	}
}
