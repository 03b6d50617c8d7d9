package trust

import (
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/series"
)

// TestPercentages checks the digits of shares: one as a rule, up to five near 0 and 1, and two significant ones beyond.
func TestPercentages(t *testing.T) {
	for share, want := range map[float64]string{
		0: "0.0%", 0.5: "50.0%", 1: "100.0%", 0.0004: "0.04%", 0.99996: "99.996%", 0.9999999: "99.99999%",
		4e-7: "0.00004%", 1.26e-8: "1.3e-06%", 0.1234: "12.3%", -0.01: "-1.0%",
	} {
		if got := percent(share); got != want {
			t.Errorf("a share of %v is %s, want %s", share, got, want)
		}
	}
}

// TestRankedNames checks that the largest absolute figures come first, and that at most six are listed.
func TestRankedNames(t *testing.T) {
	write := func(v float64) string { return number(v, 2) }
	for _, c := range []struct {
		figure []float64
		want   string
	}{
		{[]float64{1, -3, 2}, "b -3, c 2 and a 1"},
		{[]float64{1, 2, 3, 4, 5, 6}, "f 6, e 5, d 4, c 3, b 2 and a 1"},
		{[]float64{1, 2, 3, 4, 5, 6, 7}, "g 7, f 6, e 5, d 4, c 3 and 2 more"},
	} {
		var names []string
		for k := range c.figure {
			names = append(names, string(rune('a'+k)))
		}
		if got := ranked(names, c.figure, write); got != c.want {
			t.Errorf("%v: %q, want %q", c.figure, got, c.want)
		}
	}
}

// Trends and seasons are shares, and other violations numbers. Columns with the same violation share a finding. Few points are not tested.
func TestWordsOfStationarity(t *testing.T) {
	for code, want := range map[string]string{
		series.Trend:            "share of the variance that a linear trend explains: x 25.0%",
		series.UnitRoot:         "unit root: a test does not reject a random walk; correlation of neighbouring values: x 0.25",
		series.LevelShift:       "the mean differs between parts of the series, in standard deviations: x 0.25",
		series.ChangingVariance: "the noise variance differs between parts of the series, by a factor: x 0.25",
		series.Seasonality:      "share of the noise that a season of 12 steps explains: x 25.0%",
	} {
		a := JudgeStationary([]Violation{{Code: code, Column: 1, Value: 0.25, Period: 12}}, series.LeastPoints, []string{"y", "x"})
		if a.Outcome != Failed || a.Sentence != want || strings.Join(a.Evidence[0].Columns, "") != "x" {
			t.Errorf("%s: %s: %q, want %q", code, a.Outcome, a.Sentence, want)
		}
	}
	all := JudgeStationary([]Violation{
		{Code: series.Seasonality, Column: 0, Value: 0.2, Period: 12}, {Code: series.Trend, Column: 0, Value: 0.25},
		{Code: series.Trend, Column: 1, Value: 0.5}, {Code: series.Seasonality, Column: 1, Value: 0.3, Period: 7},
	}, series.LeastPoints, []string{"y", "x"})
	if e := all.Evidence; len(e) != 3 || e[1].Code != series.Trend || strings.Join(e[1].Columns, " ") != "y x" || e[1].Sentence != "share of the variance that a linear trend explains: x 50.0% and y 25.0%" {
		t.Errorf("two trends and seasons of 12 and 7 steps: %+v", e)
	}
	if a := JudgeStationary(nil, series.LeastPoints, nil); a.Outcome != Passed {
		t.Errorf("no violation: %s", a.Outcome)
	}
	if a := JudgeStationary(nil, series.LeastPoints-1, nil); a.Outcome != NotChecked {
		t.Errorf("too few points: %s", a.Outcome)
	}
}
