package trust

import (
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/series"
)

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
