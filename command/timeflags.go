package command

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/series"
	"github.com/polydag/polydag/method"
)

// timeFlags adds the flags for tables whose rows follow each other in time.
func (r *reading) timeFlags(f *pflag.FlagSet) {
	r.lags, r.fixed = "auto", true
	r.bind(f, func(f *pflag.FlagSet) {
		t := &r.take.Time
		f.StringVar(&t.Column, "time", "", "time column, numbers or dates: rows follow each other in time, and past values may be causes; . for the row order; excluded from the graph")
		f.StringVar(&r.lags, "lags", r.lags, "time series: number of past steps whose values may be causes, or auto (chosen by the score)")
		f.StringVar(&t.Series, "series", "", "time series: column that identifies the series of a row, such as a person or a country; no lag crosses a series; excluded from the graph")
		f.StringVar(&t.Gaps, "gaps", dataset.GapsError, "time series: steps of other lengths: error, or break (start a new segment)")
		f.StringVar(&t.Step, "step", "", "time series: distance of two points, such as 15min, 1h, 7d, 1mo or 0.5 (default: the median distance of the rows)")
		f.StringVar(&t.Aggregate, "aggregate", "", "time series: mean averages the rows within a --set step")
		f.BoolVar(&r.fixed, "fixed-effects", r.fixed, "time series with --series: remove the differences between the means of the series")
		f.BoolVar(&t.Difference, "difference", false, "time series: replace numeric columns by their changes from step to step")
		f.BoolVar(&t.Detrend, "detrend", false, "time series: remove the linear trend of numeric columns")
		f.IntVar(&t.Season, "season", 0, "time series: remove the mean of each step of a season of this length, such as 24 for hours; 0 for none")
	})
}

// needsTime returns an error for a method that is for time series only.
func needsTime(m method.Info) error {
	return usagef("method %s needs a time series; add --time COLUMN, or --time . if the rows are in the order of time", m.Name)
}

func (r *reading) checkTime() error {
	t := &r.take.Time
	if t.Column == "" {
		for _, flag := range []string{"lags", "series", "gaps", "step", "aggregate", "fixed-effects", "difference", "detrend", "season"} {
			if r.set(flag) {
				return usagef("%s needs --time; add --time COLUMN, or --time . if the rows are in the order of time", spelled(flag))
			}
		}
		return nil
	}
	t.PooledMeans = !r.fixed
	if t.Lags = 0; r.lags != "auto" {
		n, err := strconv.Atoi(r.lags)
		if err != nil || n < 1 || n > dataset.MostLags {
			return usagef("--lags %q: want auto, or a number from 1 to %d", r.lags, dataset.MostLags)
		}
		t.Lags = n
	}
	if err := t.Validate(); err != nil {
		name, fault, _ := strings.Cut(err.Error(), " ") // it begins with the name of the setting
		return usagef("%s%s", valued(name), fault)
	}
	if _, err := series.ParseStep(t.Step); err != nil {
		return usageError{fmt.Errorf("--set step: %w", err)}
	}
	if t.Aggregate != "" && t.Step == "" {
		return usagef("--set aggregate needs --set step; add the length of a step, such as --set step=1h")
	}
	if t.Column == series.RowOrder && t.Step != "" {
		return usagef("--set step needs a time column; name it with --time")
	}
	for _, flag := range []string{"targets", "environments", "groups", "group-means", "frequencies", "row-weights"} {
		if r.set(flag) {
			return usagef("--time and %s cannot be combined; leave one of them out", spelled(flag))
		}
	}
	if r.take.Missing == dataset.MissingPairwise {
		return usagef("--time and --missing pairwise cannot be combined; use --missing auto or drop")
	}
	return nil
}
