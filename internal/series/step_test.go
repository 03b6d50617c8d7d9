package series

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

func TestParseStep(t *testing.T) {
	for text, want := range map[string]Step{
		"": {}, "0.5": {Size: 0.5}, "2s": {Size: 2}, "15min": {Size: 900}, "h": {Size: 3600}, "3d": {Size: 3 * 86400}, "2w": {Size: 14 * 86400},
		"1mo": {Size: 1, Months: true}, "2q": {Size: 6, Months: true}, "y": {Size: 12, Months: true}, "0.5y": {Size: 6, Months: true},
	} {
		if got, err := ParseStep(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"x", "0", "-1h", "1x", "1..5h", "1e999", "1.5mo", "nand", "INF"} {
		if got, err := ParseStep(text); !errors.Is(err, ErrStep) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

// TestCalendar checks which times become months: numbers such as 202401, the same day of each month, ends of months, and all dates if the
// step is in months.
func TestCalendar(t *testing.T) {
	at := func(dates ...string) (out []float64) {
		for _, d := range dates {
			x := must.Get(time.Parse("2006-01-02 15:04:05", (d + " 00:00:00")[:19]))
			out = append(out, dataset.Seconds(x))
		}
		return out
	}
	months := func(first float64, more ...float64) []float64 {
		out := []float64{12*2024 + first - 1}
		for _, m := range more {
			out = append(out, out[0]+m)
		}
		return out
	}
	none, day1 := Step{}, Step{Size: 86400}
	for _, c := range []struct {
		name          string
		times         []float64
		dates         bool
		step          Step
		want          []float64
		isDate, month bool
	}{
		{"days as numbers", []float64{20240131, 20240201}, false, none, at("2024-01-31", "2024-02-01"), true, false},
		{"ends of months as numbers", []float64{20240131, 20240229, 20240331}, false, none, months(1, 1, 2), true, true},
		{"no day", []float64{20240131, 20240230}, false, none, []float64{20240131, 20240230}, false, false},
		{"no leap year", []float64{20230228, 20230229}, false, none, []float64{20230228, 20230229}, false, false},
		{"the same day in any order", at("2024-01-15", "2024-02-15", "2024-01-15"), true, none, months(1, 1, 0), true, true},
		{"no whole number", []float64{20240131, 20240201.5}, false, none, []float64{20240131, 20240201.5}, false, false},
		{"the first and the last day", []float64{19000101, 21001231}, false, none, at("1900-01-01", "2100-12-31"), true, false},
		{"before the first day", []float64{18991231, 19000102}, false, none, []float64{18991231, 19000102}, false, false},
		{"after the last day", []float64{20240101, 21010101}, false, none, []float64{20240101, 21010101}, false, false},
		{"months as numbers", []float64{202401, 202412, 202501}, false, none, months(1, 11, 12), false, true},
		{"the first and the last month", []float64{190001, 210012}, false, none, []float64{12 * 1900, 12*2100 + 11}, false, true},
		{"before the first month", []float64{189912, 190001}, false, none, []float64{189912, 190001}, false, false},
		{"after the last month", []float64{202401, 210101}, false, none, []float64{202401, 210101}, false, false},
		{"month 0", []float64{202400, 202401}, false, none, []float64{202400, 202401}, false, false},
		{"month 13", []float64{202412, 202413}, false, none, []float64{202412, 202413}, false, false},
		{"the same day", at("2024-01-15", "2024-02-15"), true, none, months(1, 1), true, true},
		{"the same day of years", at("2024-03-15", "2025-03-15"), true, none, months(3, 12), true, true},
		{"the same day of months with a step", at("2024-01-15", "2024-02-15"), true, day1, at("2024-01-15", "2024-02-15"), true, false},
		{"ends of months with a step", at("2024-01-31", "2024-02-29"), true, day1, at("2024-01-31", "2024-02-29"), true, false},
		{"another hour", at("2024-01-15", "2024-02-15 01:00:00"), true, none, at("2024-01-15", "2024-02-15 01:00:00"), true, false},
		{"another minute", at("2024-01-15", "2024-02-15 00:01:00"), true, none, at("2024-01-15", "2024-02-15 00:01:00"), true, false},
		{"another second", at("2024-01-15", "2024-02-15 00:00:01"), true, none, at("2024-01-15", "2024-02-15 00:00:01"), true, false},
		{"the same time", at("2024-01-15", "2024-01-15"), true, none, at("2024-01-15", "2024-01-15"), true, false},
		{"half seconds", []float64{0.5, 31*86400 + 0.5}, true, none, []float64{0.5, 31*86400 + 0.5}, true, false},
		{"the last day of each month", at("2023-01-31", "2023-02-28", "2023-03-31", "2023-04-30"), true, none, months(-11, 1, 2, 3), true, true},
		{"the 28th of each month", at("2023-01-28", "2023-02-28", "2023-03-28"), true, none, months(-11, 1, 2), true, true},
		{"the 30th, then the 28th", at("2023-01-30", "2023-02-28", "2023-03-30"), true, none, at("2023-01-30", "2023-02-28", "2023-03-30"), true, false},
		{"seconds that look like days", []float64{20240101, 20240102}, true, none, []float64{20240101, 20240102}, true, false},
		{"fractions of months", []float64{202401.5, 202402.5}, false, none, []float64{202401.5, 202402.5}, false, false},
		{"one time", at("2024-01-15"), true, none, at("2024-01-15"), true, false},
		{"steps of months", at("2024-01-03", "2024-02-17"), true, Step{Size: 1, Months: true}, months(1, 1), true, true},
	} {
		r := &reader{times: slices.Clone(c.times), dates: c.dates}
		if r.calendar(c.step); !slices.Equal(r.times, c.want) || r.dates != c.isDate || r.months != c.month {
			t.Errorf("%s: times %v are dates %v, months %v; want %v, %v, %v", c.name, r.times, r.dates, r.months, c.want, c.isDate, c.month)
		}
	}
}

func TestWordsOfTimes(t *testing.T) {
	for _, c := range []struct {
		dates, months bool
		size          float64
		want          string
	}{
		{false, true, 1, "1 month"}, {false, true, 18, "18 months"}, {true, true, 12, "1 year"}, {false, true, 36, "3 years"}, {false, false, 0.5, "0.5"}, {false, false, 604800, "604800"},
		{true, false, 604800, "1 week"}, {true, false, 2 * 604800, "2 weeks"}, {true, false, 86400, "1 day"}, {true, false, 8 * 86400, "8 days"}, {true, false, 3600, "1 hour"}, {true, false, 5400, "90 minutes"},
		{true, false, 60, "1 minute"}, {true, false, 90, "90 seconds"}, {true, false, 0.5, "0.5 seconds"}, {true, false, 30, "30 seconds"},
	} {
		if got := (&reader{dates: c.dates, months: c.months}).words(c.size); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	for _, c := range []struct {
		dates, months bool
		time          float64
		want          string
	}{{false, true, 12*2024 + 11, "2024-12"}, {true, true, 12 * 2024, "2024-01"}, {true, false, 86400, "1970-01-02"}, {true, false, 90061, "1970-01-02 01:01:01"}, {false, false, 86400, "86400"}} {
		if got := (&reader{dates: c.dates, months: c.months}).word(c.time); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestPlacesOfSteps checks the steps of rows with a given step, and that rounding does not move a row to the next one.
func TestPlacesOfSteps(t *testing.T) {
	read := func(set Settings, times ...float64) (*Clock, error) {
		return Read(context.Background(), opener(dataset.Memory{{Name: "t", Numbers: times}, {Name: "id", Text: slices.Repeat([]string{"a"}, len(times))}}), set)
	}
	c, err := read(Settings{Time: "t", Step: "0.1", Aggregate: true}, 0.1, 0.15, 0.2, 0.30000000000000004, 0.7)
	if !errors.Is(err, ErrIrregular) || !strings.Contains(err.Error(), "1 of 3 steps differ; the first is from 0.30000000000000004 to 0.7") {
		t.Errorf("%+v, %v", c, err)
	}
	c, err = read(Settings{Time: "t", Step: "0.1", Aggregate: true, Break: true, Series: "id"}, 0.1, 0.15, 0.2, 0.3, 0.7)
	if err != nil || !slices.Equal(c.Steps, []int{0, 0, 1, 2, 6}) || !slices.Equal(c.Segments, []Segment{{}, {4, 0, 6}}) || c.Series != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	c, err = read(Settings{Time: "t", Step: "1"}, 0, 1, 2.9999995)
	if err != nil || c.Steps != nil || c.Gaps != 0 || c.Series != 1 {
		t.Errorf("a time just before the third step: %+v, %v", c, err)
	}
	c, err = read(Settings{Time: "t", Step: "1", Break: true}, 0, 1, 3)
	if err != nil || c.Steps != nil || c.Gaps != 1 {
		t.Errorf("a gap: %+v, %v", c, err)
	}
	two, err := Read(context.Background(), opener(dataset.Memory{{Name: "id", Text: []string{"a", "b"}}}), Settings{Time: RowOrder, Series: "id"})
	if err != nil || two.Series != 2 {
		t.Errorf("%+v, %v; want two series", two, err)
	}
}

// TestCommonTrend checks that all series have one trend without effects of each series.
func TestCommonTrend(t *testing.T) {
	clock := &Clock{Segments: []Segment{{0, 0, 0}, {4, 1, 0}}, Series: 2}
	got := lagged(t, clock, 0, Adjustment{Trend: true}, rowsOf([]float64{0, 1, 2, 3, 10, 11, 12, 13}), []bool{false})
	for i, row := range got { // the trend is t + 5, and the mean 6.5
		if want := 1.5 + 10*float64(i/4); math.Abs(row[0]-want) > 1e-12 {
			t.Errorf("row %d: %v, want %v", i, row[0], want)
		}
	}
}

// TestLeastPoints checks that 50 points are checked, and 49 are not.
func TestLeastPoints(t *testing.T) {
	for _, n := range []int{49, 50} {
		y := make([]float64, n)
		for i := range y {
			y[i] = float64(i) + math.Sin(float64(i*i))
		}
		w := NewWalker(&Clock{Segments: []Segment{{}}, Series: 1}, rowsOf(y), []bool{false})
		found, points, err := w.Check(context.Background(), &Fitted{}, []bool{false})
		if err != nil || points != n || (len(found) > 0) != (n == 50) {
			t.Errorf("%d points: %v, %d points, %v", n, found, points, err)
		}
	}
}

// TestCheckedSegment checks that the longest segment is used, without skipped columns and columns with fewer than 50 values.
func TestCheckedSegment(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const first, second = 80, 60
	rising, skipped, few := make([]float64, first+second), make([]float64, first+second), make([]float64, first+second)
	for i := range rising {
		rising[i] = rng.NormFloat64()
		if i < first {
			rising[i] += float64(i)
		}
		skipped[i], few[i] = rising[i], rising[i]
		if i >= 49 {
			few[i] = math.NaN()
		}
	}
	for _, segments := range [][]Segment{{{}, {first, 0, 200}}, {{}, {first, 0, 200}, {first + second - 9, 0, 400}}} {
		w := NewWalker(&Clock{Segments: segments, Series: 1}, rowsOf(rising, skipped, few), []bool{false, false, false})
		found, points, err := w.Check(t.Context(), &Fitted{}, []bool{false, true, false})
		if err != nil || points != first || len(found) != 1 || found[0].Column != 0 || found[0].Code != Trend {
			t.Errorf("%v: %+v in %d points, %v; want a trend of the first column in %d", segments, found, points, err, first)
		}
		if _, points, err := w.Check(t.Context(), &Fitted{Adjustment: Adjustment{Difference: true}}, []bool{true, true, true}); err != nil || points != first-1 {
			t.Errorf("%d changes, %v; want %d", points, err, first-1)
		}
	}
}

// TestDickeyFullerAgainstRegression compares the statistic with that of a regression in two steps.
func TestDickeyFullerAgainstRegression(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	y := make([]float64, 60)
	for i := 1; i < len(y); i++ {
		y[i] = 0.7*y[i-1] + rng.NormFloat64()
	}
	if got, want := dickey(y), changeOnLevel(y); math.Abs(got-want) > 1e-9 {
		t.Errorf("the statistic is %v, want %v", got, want)
	}
	if got := dickey(make([]float64, 60)); got != 0 {
		t.Errorf("a constant series has the statistic %v", got)
	}
}

// TestSeasons checks that a share of 0.1 of the last 2048 points is needed.
func TestSeasons(t *testing.T) {
	for _, c := range []struct {
		amplitude float64
		until     int
		want      bool
	}{{0.33, 5000, false}, {0.55, 5000, true}, {5, 2900, false}} {
		rng := rand.New(rand.NewPCG(1, 1))
		x := make([]float64, 5000)
		for i := range x {
			if x[i] = rng.NormFloat64(); i < c.until {
				x[i] += c.amplitude * math.Cos(2*math.Pi*float64(i)/8)
			}
		}
		if share, _, ok := season(x); ok != c.want {
			t.Errorf("%+v: a season with a share of %v is %v", c, share, ok)
		}
	}
}
