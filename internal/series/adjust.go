package series

import (
	"context"
)

// An Adjustment is what is removed from numeric columns before lags are added.
type Adjustment struct {
	// FixedEffects removes the difference between the mean of a series and the mean of all rows.
	FixedEffects bool
	// Trend removes a linear trend, of each series by itself with FixedEffects.
	Trend bool
	// Season removes the means of the steps of a season of this length; 0 for none.
	Season int
	// Difference replaces values by their differences to the step before.
	Difference bool
}

// Fitted has the estimates of an adjustment.
type Fitted struct {
	Adjustment
	skip   []bool   // columns that stay as they are
	series []*trend // one, or one for each series
	season []*trend // one for each step of a season
	mean   []float64
}

// A trend has the sums of a regression of each column on the step.
type trend struct {
	n, x, t, tt, xt []float64
	slopes          bool
}

func newTrend(d int, slopes bool) *trend {
	return &trend{make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d), slopes}
}

func (s *trend) add(step float64, row []float64) {
	for j, x := range row {
		if x == x {
			s.n[j]++
			s.x[j] += x
			s.t[j] += step
			s.tt[j] += step * step
			s.xt[j] += step * x
		}
	}
}

// at returns the fitted value of column j.
func (s *trend) at(j int, step float64) float64 {
	n := s.n[j]
	if n == 0 {
		return 0
	}
	value := s.x[j] / n
	if spread := s.tt[j] - s.t[j]*s.t[j]/n; s.slopes && spread > 1e-9*s.tt[j] {
		value += (s.xt[j] - s.t[j]*s.x[j]/n) / spread * (step - s.t[j]/n)
	}
	return value
}

// Fit estimates an adjustment. skip marks columns that stay as they are, such as categories. It reads the rows once, and once more with
// a season.
func (w *Walker) Fit(ctx context.Context, a Adjustment, skip []bool) (*Fitted, error) {
	f := &Fitted{Adjustment: a, skip: skip}
	if !a.FixedEffects && !a.Trend && a.Season == 0 {
		return f, nil
	}
	d := len(skip)
	count := 1
	if a.FixedEffects {
		count = w.clock.Series
	}
	for range count {
		f.series = append(f.series, newTrend(d, a.Trend))
	}
	all := newTrend(d, false)
	err := w.Walk(ctx, func(at Point, row []float64) error {
		f.of(at).add(float64(at.Step), row)
		all.add(0, row)
		return nil
	})
	if err != nil {
		return nil, err
	}
	f.mean = make([]float64, d)
	for j := range d {
		f.mean[j] = all.at(j, 0)
	}
	if a.Season < 2 {
		return f, nil
	}
	season := make([]*trend, a.Season)
	for k := range season {
		season[k] = newTrend(d, false)
	}
	err = w.Walk(ctx, func(at Point, row []float64) error {
		f.apply(at, row)
		season[at.Step%a.Season].add(0, row)
		return nil
	})
	f.season = season
	return f, err
}

func (f *Fitted) of(at Point) *trend {
	if len(f.series) == 1 {
		return f.series[0]
	}
	return f.series[at.Series]
}

// apply adjusts a row.
func (f *Fitted) apply(at Point, row []float64) {
	if f == nil || f.series == nil {
		return
	}
	own := f.of(at)
	for j := range row {
		if f.skip[j] {
			continue
		}
		row[j] += f.mean[j] - own.at(j, float64(at.Step))
		if f.season != nil {
			row[j] += f.mean[j] - f.season[at.Step%f.Season].at(j, 0)
		}
	}
}
