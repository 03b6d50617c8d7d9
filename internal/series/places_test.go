package series

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

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

// TestDecimalSteps checks that rounding errors of times with decimals are not shown.
func TestDecimalSteps(t *testing.T) {
	for step, want := range map[float64]string{1.0 / 260: "0.00384615", 0.25: "0.25", 86401: "86401"} {
		times := make([]float64, 20)
		for i := range times {
			times[i] = 1991 + float64(i)*step
		}
		c, err := Read(t.Context(), opener(dataset.Memory{{Name: "t", Numbers: times}}), Settings{Time: "t"})
		if err != nil || c.Step != want {
			t.Errorf("step %q, %v; want %q", c.Step, err, want)
		}
	}
}

// TestStepsFromZero checks that steps of a given size begin at multiples of it, and not at the first time.
func TestStepsFromZero(t *testing.T) {
	c, err := Read(context.Background(), opener(dataset.Memory{{Name: "t", Numbers: []float64{25, 32, 35, 41}}}), Settings{Time: "t", Step: "10", Aggregate: true})
	if err != nil || !slices.Equal(c.Steps, []int{0, 1, 1, 2}) {
		t.Errorf("%+v, %v, want the steps 0, 1, 1, 2", c, err)
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
	if err := w.Lagged(2, nil, false)(ctx, func(dataset.RowBatch) error { return errors.New("called") }); err != nil {
		t.Errorf("two rows with two lags: %v", err)
	}
	for lags, want := range [][]float64{{3, 5, 9, 20, 31}, {5, 3, 9, 5, 31, 20}} {
		w := NewWalker(&Clock{Segments: []Segment{{}, {Start: 4}}, Series: 1}, rowsOf([]float64{1, 4, 9, 18, 100, 120, 151}), []bool{false})
		var got []float64
		err := w.Lagged(lags, &Fitted{Adjustment: Adjustment{Difference: true}, skip: []bool{false}}, false)(ctx, func(b dataset.RowBatch) error {
			rows := b.Values
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
