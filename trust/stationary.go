package trust

import (
	"fmt"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/series"
)

// Stationary is the assumption that means, variances and effects do not change over time. It is there for tables whose rows follow
// each other in time.
const Stationary = "stationary"

// A Violation says in which way a column is not stationary, with the value that its test measured. Period is the length of a season in
// steps.
type Violation struct {
	Column int
	Code   string
	Value  float64
	Period int
}

// JudgeStationary words the check of stationarity of columns with these names, from a number of points of one series.
func JudgeStationary(found []Violation, points int, names []string) Assumption {
	const statement = "the process is stationary"
	if points < series.LeastPoints {
		return newAssumption(Stationary, statement, nil, fmt.Sprintf("the longest series has %d points without a gap; the check needs at least %d", points, series.LeastPoints), "")
	}
	sentences := map[string]string{
		series.Trend:            "share of the variance that a linear trend explains: %s",
		series.UnitRoot:         "unit root: a test does not reject a random walk; correlation of neighbouring values: %s",
		series.LevelShift:       "the mean differs between parts of the series, in standard deviations: %s",
		series.ChangingVariance: "the noise variance differs between parts of the series, by a factor: %s",
		series.Seasonality:      "share of the noise that a season of %[2]d steps explains: %[1]s",
	}
	ways := func(v Violation) fault.Way {
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
	var kinds []Violation // without columns and values
	columns, sizes := map[Violation][]string{}, map[Violation][]float64{}
	for _, v := range found {
		k := Violation{Code: v.Code, Period: v.Period}
		if columns[k] == nil {
			kinds = append(kinds, k)
		}
		columns[k], sizes[k] = append(columns[k], names[v.Column]), append(sizes[k], v.Value)
	}
	var evidence []Finding
	for _, k := range kinds {
		write := percent
		if k.Code != series.Trend && k.Code != series.Seasonality {
			write = func(x float64) string { return number(x, 3) }
		}
		args := []any{ranked(columns[k], sizes[k], write)}
		if k.Code == series.Seasonality {
			args = append(args, k.Period)
		}
		evidence = append(evidence, newFinding(k.Code, Warning, columns[k], fmt.Sprintf(sentences[k.Code], args...), ways(k)))
	}
	return newAssumption(Stationary, statement, evidence, "", fmt.Sprintf("no trend, unit root, shift of the mean, changing variance or season in %d points", points))
}
