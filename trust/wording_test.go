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

// Trends and seasons are shares, and other violations numbers. Few points are not tested.
func TestWordsOfStationarity(t *testing.T) {
	for code, want := range map[string]string{
		series.Trend:            "a linear trend explains 25.0% of the variance of x",
		series.UnitRoot:         "unit root: neighbouring values of x correlate by 0.25, and a test does not reject a random walk",
		series.LevelShift:       "the mean of x differs by 0.25 standard deviations between parts of the series",
		series.ChangingVariance: "the noise variance of x differs by a factor of 0.25 between parts of the series",
		series.Seasonality:      "a season of 12 steps explains 25.0% of the noise of x",
	} {
		a := JudgeStationary([]series.Violation{{Code: code, Column: 1, Value: 0.25, Period: 12}}, series.LeastPoints, []string{"y", "x"})
		if a.Verdict != Fails || a.Sentence != want || strings.Join(a.Evidence[0].Columns, "") != "x" {
			t.Errorf("%s: %s: %q, want %q", code, a.Verdict, a.Sentence, want)
		}
	}
	if a := JudgeStationary(nil, series.LeastPoints, nil); a.Verdict != HoldsUp {
		t.Errorf("no violation: %s", a.Verdict)
	}
	if a := JudgeStationary(nil, series.LeastPoints-1, nil); a.Verdict != NotTested {
		t.Errorf("too few points: %s", a.Verdict)
	}
}
