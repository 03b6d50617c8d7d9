package series

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag/dataset"
)

// TestRowOrder checks that the order of the rows needs no column and is one segment.
func TestRowOrder(t *testing.T) {
	c, err := Read(context.Background(), nil, Settings{Time: RowOrder})
	if err != nil || !slices.Equal(c.Segments, []Segment{{}}) || c.Series != 1 || c.Step != "1 row" || c.Order != nil {
		t.Errorf("%+v, %v, want one segment of one series", c, err)
	}
}

// timed is a table with a column of times that the file declares as such.
type timed struct{ dataset.Source }

func (s timed) Columns() []dataset.Column {
	columns := slices.Clone(s.Source.Columns())
	columns[0].Kind = dataset.Time
	return columns
}

// TestDeclaredTimes checks that the numbers of a column of times are seconds.
func TestDeclaredTimes(t *testing.T) {
	memory := dataset.Memory{{Name: "t", Numbers: []float64{0, 86400, 172800}}}
	for declared, want := range map[bool]string{false: "86400", true: "1 day"} {
		c, err := Read(context.Background(), func(ctx context.Context) (dataset.Source, error) {
			src, err := memory.Source(ctx)
			if declared {
				src = timed{src}
			}
			return src, err
		}, Settings{Time: "t"})
		if err != nil || c.Step != want {
			t.Errorf("declared as time: %v: step %q, %v; want %q", declared, c.Step, err, want)
		}
	}
}

// TestRepeatedTimes checks which time an error names, and the advice.
func TestRepeatedTimes(t *testing.T) {
	for _, c := range []struct {
		name  string
		set   Settings
		times []float64
		id    []string
		want  []string
	}{
		{"most times repeated", Settings{Time: "t"}, []float64{4, 5, 6, 6, 6, 6, 6}, nil, []string{"the time 6 occurs", "name their column with"}},
		{"all times of two series", Settings{Time: "t", Series: "id"}, []float64{5, 5, 7, 7}, []string{"a", "a", "b", "b"}, []string{"the time 5 occurs more than once in series a", "average the rows with"}},
		{"averages without a step", Settings{Time: "t", Aggregate: true}, []float64{1, 2, 3, 3, 4}, nil, []string{"the time 3 occurs"}},
	} {
		memory := dataset.Memory{{Name: "t", Numbers: c.times}}
		if c.id != nil {
			memory = append(memory, dataset.MemoryColumn{Name: "id", Text: c.id})
		}
		_, err := Read(context.Background(), opener(memory), c.set)
		for _, want := range c.want {
			if !errors.Is(err, ErrRepeated) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", c.name, err, want)
			}
		}
		if c.id != nil && strings.Contains(err.Error(), "name their column") {
			t.Errorf("%s: %v, although the column of the series is named", c.name, err)
		}
	}
}

// TestStepsFromZero checks that steps of a given size begin at multiples of it, and not at the first time.
func TestStepsFromZero(t *testing.T) {
	c, err := Read(context.Background(), opener(dataset.Memory{{Name: "t", Numbers: []float64{25, 32, 35, 41}}}), Settings{Time: "t", Step: "10", Aggregate: true})
	if err != nil || !slices.Equal(c.Steps, []int{0, 1, 1, 2}) {
		t.Errorf("%+v, %v, want the steps 0, 1, 1, 2", c, err)
	}
	if _, err := ParseStep("INF"); !errors.Is(err, ErrStep) {
		t.Errorf("an infinite step: %v", err)
	}
}

// TestCalendarLimits checks times that resemble months or days but are not.
func TestCalendarLimits(t *testing.T) {
	days := func(list ...int) (out []float64) { // days of the first months of 2023
		for m, d := range list {
			out = append(out, dataset.Seconds(time.Date(2023, time.Month(m+1), d, 0, 0, 0, 0, time.UTC)))
		}
		return out
	}
	half := days(1, 1, 1)
	for i := range half {
		half[i] += 0.5
	}
	for _, c := range []struct {
		name   string
		times  []float64
		dates  bool
		months bool
	}{
		{"numbers of months", []float64{202401, 202402}, false, true},
		{"fractions of months", []float64{202401.5, 202402.5}, false, false},
		{"seconds that look like days", []float64{20240101, 20240102}, true, false},
		{"half seconds", half, true, false},
		{"the first day of each month", days(1, 1, 1), true, true},
		{"the last day of each month", days(31, 28, 31, 30), true, true},
		{"the 28th of each month", days(28, 28, 28), true, true},
		{"the 30th, then the 28th", days(30, 28, 30), true, false},
	} {
		r := &reader{dates: c.dates, times: slices.Clone(c.times)}
		r.calendar(Step{})
		if r.months != c.months || !c.months && !slices.Equal(r.times, c.times) {
			t.Errorf("%s: months %v, want %v; times %v", c.name, r.months, c.months, r.times)
		}
	}
}

// TestSeriesInOneStep checks that the rows of two series at the same step are averaged apart.
func TestSeriesInOneStep(t *testing.T) {
	clock := &Clock{Segments: []Segment{{0, 0, 3}, {2, 1, 3}}, Steps: []int{3, 3, 3, 3}, Series: 2}
	var got []float64
	w := NewWalker(clock, rowsOf([]float64{1, 3, 10, 20}), []bool{false})
	err := w.Walk(context.Background(), func(_ Point, row []float64) error {
		got = append(got, row[0])
		return nil
	})
	if err != nil || !slices.Equal(got, []float64{2, 15}) {
		t.Errorf("%v, %v, want the means 2 and 15", got, err)
	}
}

// TestShortSegments checks that there are no calls without rows, and that the first difference of a segment is not used.
func TestShortSegments(t *testing.T) {
	ctx := context.Background()
	w := NewWalker(&Clock{Segments: []Segment{{}}, Series: 1}, rowsOf([]float64{1, 2}), []bool{false})
	if err := w.Lagged(ctx, 2, nil, false, func(rows []float64) error { return errors.New("called") }); err != nil {
		t.Errorf("two rows with two lags: %v", err)
	}
	for lags, want := range [][]float64{{3, 5, 9, 20, 31}, {5, 3, 9, 5, 31, 20}} {
		w := NewWalker(&Clock{Segments: []Segment{{}, {Start: 4}}, Series: 1}, rowsOf([]float64{1, 4, 9, 18, 100, 120, 151}), []bool{false})
		var got []float64
		err := w.Lagged(ctx, lags, &Fitted{Adjustment: Adjustment{Difference: true}, skip: []bool{false}}, false, func(rows []float64) error {
			got = append(got, rows...)
			return nil
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%d lags: %v, %v, want %v", lags, got, err, want)
		}
	}
}

// TestTrendOfFewSteps checks that a series with one step has no trend, and that a trend far from step 0 is found.
func TestTrendOfFewSteps(t *testing.T) {
	one, far := newTrend(1, true), newTrend(1, true)
	one.add(7, []float64{3})
	one.add(7, []float64{5})
	if got := one.at(0, 9); got != 4 {
		t.Errorf("one step: %v, want the mean 4", got)
	}
	for i := range 100 {
		far.add(float64(300_000+i), []float64{2 * float64(i)})
	}
	if got := far.at(0, 300_080); math.Abs(got-160) > 0.01 {
		t.Errorf("step 300080: %v, want 160", got)
	}
}
