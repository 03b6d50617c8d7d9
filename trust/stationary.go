package trust

import (
	"fmt"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/series"
)

// Stationary is the assumption that means, variances and effects do not change over time. It is there for tables whose rows follow
// each other in time.
const Stationary = "stationary"

// JudgeStationary words the check of stationarity of columns with these names, from a number of points of one series.
func JudgeStationary(found []series.Violation, points int, names []string) Assumption {
	const statement = "the process is stationary"
	if points < series.LeastPoints {
		return verdict(Stationary, statement, nil, fmt.Sprintf("the longest series has %d points without a gap; the check needs at least %d", points, series.LeastPoints), "")
	}
	sentences := map[string]string{
		series.Trend:            "a linear trend explains %s of the variance of %s",
		series.UnitRoot:         "unit root: neighbouring values of %[2]s correlate by %[1]s, and a test does not reject a random walk",
		series.LevelShift:       "the mean of %[2]s differs by %[1]s standard deviations between parts of the series",
		series.ChangingVariance: "the noise variance of %[2]s differs by a factor of %[1]s between parts of the series",
		series.Seasonality:      "a season of %[3]d steps explains %[1]s of the noise of %[2]s",
	}
	ways := func(v series.Violation) fault.Way {
		switch v.Code {
		case series.Trend:
			return fault.Out("remove it with %s or %s", fault.Set("detrend", "true"), fault.Set("difference", "true"))
		case series.UnitRoot:
			return fault.Out("use changes from step to step with %s", fault.Set("difference", "true"))
		case series.Seasonality:
			return fault.Out("remove it with %s", fault.Set("season", fmt.Sprint(v.Period)))
		case series.ChangingVariance:
			return fault.Out("use %s if the variance grows with the level, or a part of the series with %s", fault.Use("log"), fault.Use("rows"))
		}
		return fault.Out("use a part of the series with %s", fault.Use("rows"))
	}
	var evidence []Finding
	for _, v := range found {
		size := percent(v.Value)
		if v.Code != series.Trend && v.Code != series.Seasonality {
			size = number(v.Value, 3)
		}
		args := []any{size, names[v.Column]}
		if v.Code == series.Seasonality {
			args = append(args, v.Period)
		}
		text := fmt.Sprintf(sentences[v.Code], args...)
		evidence = append(evidence, newFinding(v.Code, Warning, []string{names[v.Column]}, text, ways(v)))
	}
	return verdict(Stationary, statement, evidence, "", fmt.Sprintf("no trend, unit root, shift of the mean, changing variance or season in %d points", points))
}
