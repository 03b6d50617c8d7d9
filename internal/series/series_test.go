package series

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/must"
)

func opener(m dataset.Memory) func(context.Context) (dataset.Source, error) {
	return func(ctx context.Context) (dataset.Source, error) { return m.Source(ctx) }
}

func rowsOf(columns ...[]float64) dataset.Rows {
	return func(_ context.Context, each func(dataset.RowBatch) error) error {
		for i := range columns[0] {
			row := make([]float64, len(columns))
			for j, c := range columns {
				row[j] = c[i]
			}
			if err := each(dataset.RowBatch{Values: row}); err != nil {
				return err
			}
		}
		return nil
	}
}

func lagged(t *testing.T, c *Clock, lags int, a Adjustment, rows dataset.Rows, discrete []bool) [][]float64 {
	t.Helper()
	w := NewWalker(c, rows, discrete)
	f, err := w.Fit(context.Background(), a, discrete)
	must.Succeed(t, err)
	var out [][]float64
	width := len(discrete) * (lags + 1)
	err = w.Lagged(lags, f, false)(context.Background(), func(b dataset.RowBatch) error {
		rows := b.Values
		for at := 0; at < len(rows); at += width {
			out = append(out, slices.Clone(rows[at:at+width]))
		}
		return nil
	})
	must.Succeed(t, err)
	return out
}

// TestLaggedRows checks order, series, gaps and lags on tables that are short enough to write down.
func TestLaggedRows(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name  string
		table dataset.Memory
		set   Settings
		x     []float64
		lags  int
		want  string
		step  string
	}{
		{"row order", dataset.Memory{{Name: "x", Numbers: []float64{1, 2, 3, 4}}}, Settings{Time: "."}, []float64{1, 2, 3, 4}, 2, "[[3 2 1] [4 3 2]]", "1 row"},
		{"falling time", dataset.Memory{{Name: "t", Numbers: []float64{4, 3, 2, 1}}}, Settings{Time: "t"}, []float64{40, 30, 20, 10}, 1, "[[20 10] [30 20] [40 30]]", "1"},
		{"dates", dataset.Memory{{Name: "t", Text: []string{"2024-02-28", "2024-02-29", "2024-03-01"}}}, Settings{Time: "t"}, []float64{1, 2, 3}, 1, "[[2 1] [3 2]]", "1 day"},
		{"months", dataset.Memory{{Name: "t", Text: []string{"2023-12-01", "2024-01-01", "2024-02-01"}}}, Settings{Time: "t"}, []float64{1, 2, 3}, 1, "[[2 1] [3 2]]", "1 month"},
		{"ends of months", dataset.Memory{{Name: "t", Text: []string{"2023-11-30", "2023-12-31", "2024-01-31", "2024-02-29"}}}, Settings{Time: "t"}, []float64{1, 2, 3, 4}, 1, "[[2 1] [3 2] [4 3]]", "1 month"},
		{"quarters as numbers", dataset.Memory{{Name: "t", Numbers: []float64{202310, 202401, 202404}}}, Settings{Time: "t"}, []float64{1, 2, 3}, 1, "[[2 1] [3 2]]", "3 months"},
		{"days as numbers", dataset.Memory{{Name: "t", Numbers: []float64{20231231, 20240101, 20240102}}}, Settings{Time: "t"}, []float64{1, 2, 3}, 1, "[[2 1] [3 2]]", "1 day"},
		{"years", dataset.Memory{{Name: "t", Numbers: []float64{1999, 2000, 2001}}}, Settings{Time: "t"}, []float64{1, 2, 3}, 1, "[[2 1] [3 2]]", "1"},
		{"interleaved series", dataset.Memory{{Name: "t", Numbers: []float64{1, 1, 2, 2, 3, 3}}, {Name: "id", Text: []string{"a", "b", "a", "b", "a", "b"}}},
			Settings{Time: "t", Series: "id"}, []float64{1, 10, 2, 20, 3, 30}, 1, "[[2 1] [3 2] [20 10] [30 20]]", "1"},
		{"series in the row order", dataset.Memory{{Name: "id", Numbers: []float64{7, 7, 5, 5}}}, Settings{Time: ".", Series: "id"}, []float64{1, 2, 3, 4}, 1, "[[2 1] [4 3]]", "1 row"},
		{"gap", dataset.Memory{{Name: "t", Numbers: []float64{1, 2, 5, 6}}}, Settings{Time: "t", Break: true}, []float64{1, 2, 3, 4}, 1, "[[2 1] [4 3]]", "1"},
		{"bins", dataset.Memory{{Name: "t", Numbers: []float64{0, 0.4, 1.2, 2.1, 2.9}}}, Settings{Time: "t", Step: "1", Aggregate: true}, []float64{1, 3, 5, 6, 8}, 1, "[[5 2] [7 5]]", "1"},
		{"hours", dataset.Memory{{Name: "t", Text: []string{"2024-01-01T00:10:00", "2024-01-01T00:50:00", "2024-01-01T01:20:00"}}}, Settings{Time: "t", Step: "1h", Aggregate: true}, []float64{1, 3, 5}, 1, "[[5 2]]", "1 hour"},
		{"rows", dataset.Memory{{Name: "t", Numbers: []float64{9, 1, 2, 3, 9}}}, Settings{Time: "t", FirstRow: 2, LastRow: 4}, []float64{1, 2, 3}, 1, "[[2 1] [3 2]]", "1"},
	} {
		clock, err := Read(ctx, opener(c.table), c.set)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := lagged(t, clock, c.lags, Adjustment{}, rowsOf(c.x), []bool{false})
		if fmt.Sprint(got) != c.want || clock.Step != c.step {
			t.Errorf("%s: rows %v, step %q; want %s, %q", c.name, got, clock.Step, c.want, c.step)
		}
	}
}

// TestClocks checks the order of the rows, the segments and the step: the median distance of neighbouring rows of one series.
func TestClocks(t *testing.T) {
	for _, c := range []struct {
		name     string
		table    dataset.Memory
		set      Settings
		order    []int32
		segments []Segment
		step     string
		gaps     int
	}{
		{"some rows", dataset.Memory{{Name: "t", Numbers: []float64{9, 3, 1, 2, 9}}}, Settings{Time: "t", FirstRow: 2, LastRow: 4}, []int32{1, 2, 0}, []Segment{{}}, "1", 0},
		{"median", dataset.Memory{{Name: "t", Numbers: []float64{0, 1, 2, 5, 8, 11}}}, Settings{Time: "t", Break: true}, nil, []Segment{{}, {1, 0, 0}, {2, 0, 1}}, "3", 2},
		{"distances within series", dataset.Memory{{Name: "t", Numbers: []float64{0, 1, 10, 20, 30}}, {Name: "id", Text: []string{"a", "a", "b", "c", "d"}}}, Settings{Time: "t", Series: "id"},
			nil, []Segment{{}, {2, 1, 10}, {3, 2, 20}, {4, 3, 30}}, "1", 0},
		{"series in turns", dataset.Memory{{Name: "id", Text: []string{"b", "a", "b", "a"}}}, Settings{Time: ".", Series: "id"}, []int32{0, 2, 1, 3}, []Segment{{}, {2, 1, 0}}, "1 row", 0},
		{"equal times of two series", dataset.Memory{{Name: "t", Numbers: []float64{2, 1, 2, 1}}, {Name: "id", Numbers: []float64{5, 5, 4, 4}}}, Settings{Time: "t", Series: "id"}, []int32{1, 0, 3, 2}, []Segment{{}, {2, 1, 0}}, "1", 0},
	} {
		clock, err := Read(context.Background(), opener(c.table), c.set)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !slices.Equal(clock.Order, c.order) || !slices.Equal(clock.Segments, c.segments) || clock.Step != c.step || clock.Gaps != c.gaps {
			t.Errorf("%s: %+v", c.name, clock)
		}
	}
}

// TestFaults checks that each error names the place and a way out that differs from what was given.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name  string
		table dataset.Memory
		set   Settings
		want  error
		says  string
	}{
		{"no column", dataset.Memory{{Name: "date", Numbers: []float64{1, 2}}}, Settings{Time: "dat"}, ErrColumn, `did you mean "date"?`},
		{"no series", dataset.Memory{{Name: "date", Numbers: []float64{1, 2}}}, Settings{Time: ".", Series: "id"}, ErrColumn, `no column "id"`},
		{"text", dataset.Memory{{Name: "t", Text: []string{"Monday", "Tuesday"}}}, Settings{Time: "t"}, ErrTime, "Monday"},
		{"missing", dataset.Memory{{Name: "t", Numbers: []float64{1, math.NaN()}}}, Settings{Time: "t"}, ErrTime, "row 2"},
		{"infinite", dataset.Memory{{Name: "t", Numbers: []float64{1, math.Inf(1)}}}, Settings{Time: "t"}, ErrTime, "row 2"},
		{"gap", dataset.Memory{{Name: "t", Text: []string{"2024-01-01", "2024-01-02", "2024-01-03", "2024-01-07"}}}, Settings{Time: "t"}, ErrIrregular, "1 of 3 steps differ; the first is from 2024-01-03 to 2024-01-07"},
		{"repeated", dataset.Memory{{Name: "t", Numbers: []float64{1, 2, 2, 3}}}, Settings{Time: "t"}, ErrRepeated, "the time 2 occurs more than once"},
		{"all the same", dataset.Memory{{Name: "t", Numbers: []float64{1, 1, 1}}}, Settings{Time: "t"}, ErrRepeated, "the time 1 occurs more than once"},
		{"repeated in a series", dataset.Memory{{Name: "t", Numbers: []float64{1, 2, 2}}, {Name: "id", Text: []string{"a", "a", "a"}}}, Settings{Time: "t", Series: "id"}, ErrRepeated, "in series a"},
		{"two in a step", dataset.Memory{{Name: "t", Numbers: []float64{1, 1.5, 2}}}, Settings{Time: "t", Step: "1"}, ErrRepeated, "aggregate=mean"},
		{"two in a step of a series", dataset.Memory{{Name: "t", Numbers: []float64{0, 1, 1.5}}, {Name: "id", Text: []string{"a", "a", "a"}}}, Settings{Time: "t", Step: "1", Series: "id"},
			ErrRepeated, "several rows are within one step of 1 in series a, the first at 1.5"},
		{"the last time repeated", dataset.Memory{{Name: "t", Numbers: []float64{0, 1, 2, 3, 3}}}, Settings{Time: "t"}, ErrRepeated, "the time 3 occurs more than once"},
		{"most times repeated", dataset.Memory{{Name: "t", Numbers: []float64{4, 5, 6, 6, 6, 6, 6}}}, Settings{Time: "t"}, ErrRepeated,
			"the time 6 occurs more than once; if the table has several series, name their column with"},
		{"all times of one series", dataset.Memory{{Name: "t", Numbers: []float64{5, 5}}, {Name: "id", Text: []string{"a", "a"}}}, Settings{Time: "t", Series: "id"}, ErrRepeated, "the time 5 occurs more than once in series a"},
		{"all times of two series", dataset.Memory{{Name: "t", Numbers: []float64{5, 5, 7, 7}}, {Name: "id", Text: []string{"a", "a", "b", "b"}}}, Settings{Time: "t", Series: "id"},
			ErrRepeated, "the time 5 occurs more than once in series a; average the rows with"},
		{"a series of one row before", dataset.Memory{{Name: "t", Numbers: []float64{1, 2, 2}}, {Name: "id", Text: []string{"a", "b", "b"}}}, Settings{Time: "t", Series: "id"},
			ErrRepeated, "the time 2 occurs more than once in series b"},
		{"averages without a step", dataset.Memory{{Name: "t", Numbers: []float64{1, 2, 3, 3, 4}}}, Settings{Time: "t", Aggregate: true}, ErrRepeated, "the time 3 occurs"},
		{"no step", dataset.Memory{{Name: "t", Numbers: []float64{1, 2}}}, Settings{Time: "t", Step: "1 lightyear"}, ErrStep, "1 lightyear"},
	} {
		_, err := Read(context.Background(), opener(c.table), c.set)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	_, err := Read(context.Background(), opener(dataset.Memory{{Name: "t", Numbers: []float64{1, 2, 4}}}), Settings{Time: "t"})
	if got := fault.Remedies(err); len(got) == 0 || fmt.Sprint(got[0]) != "gaps=break" {
		t.Errorf("the remedies are %v", got)
	}
}

// TestAdjustments checks each adjustment on values for which it leaves a known rest.
func TestAdjustments(t *testing.T) {
	two := &Clock{Segments: []Segment{{0, 0, 0}, {4, 1, 0}}, Series: 2}
	one := &Clock{Segments: []Segment{{}}, Series: 1}
	round := func(rows [][]float64) string {
		for _, row := range rows {
			for j := range row {
				row[j] = math.Round(row[j]*1e9)/1e9 + 0
			}
		}
		return fmt.Sprint(rows)
	}
	for _, c := range []struct {
		name  string
		clock *Clock
		a     Adjustment
		x     []float64
		want  string
	}{
		{"means of series", two, Adjustment{FixedEffects: true}, []float64{1, -1, 1, -1, 11, 9, 11, 9}, "[[6] [4] [6] [4] [6] [4] [6] [4]]"},
		{"trend", one, Adjustment{Trend: true}, []float64{1, 3, 5, 7}, "[[4] [4] [4] [4]]"},
		{"trends of series", two, Adjustment{Trend: true, FixedEffects: true}, []float64{0, 1, 2, 3, 9, 6, 3, 0}, "[[3] [3] [3] [3] [3] [3] [3] [3]]"},
		{"season", one, Adjustment{Season: 2}, []float64{1, 5, 2, 6, 3, 7}, "[[3] [3] [4] [4] [5] [5]]"},
		{"differences", one, Adjustment{Difference: true}, []float64{1, 4, 9}, "[[3] [5]]"},
		{"differences of series", two, Adjustment{Difference: true}, []float64{1, 2, 4, 7, 0, 5, 5, 5}, "[[1] [2] [3] [5] [0] [0]]"},
	} {
		if got := round(lagged(t, c.clock, 0, c.a, rowsOf(c.x), []bool{false})); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	// A categorical column stays as it is.
	got := lagged(t, two, 0, Adjustment{FixedEffects: true, Trend: true, Difference: true}, rowsOf([]float64{1, 0, 1, 1, 0, 0, 1, 0}), []bool{true})
	if fmt.Sprint(got) != "[[0] [1] [1] [0] [1] [0]]" {
		t.Errorf("a categorical column became %v", got)
	}
}

// TestMissingValues checks that rows with missing values are kept, or omitted on request.
func TestMissingValues(t *testing.T) {
	x := []float64{1, 2, math.NaN(), 4, 5, 6}
	w := NewWalker(&Clock{Segments: []Segment{{}}, Series: 1}, rowsOf(x), []bool{false})
	for whole, want := range map[bool]int{false: 5, true: 3} {
		n := 0
		err := w.Lagged(1, nil, whole)(context.Background(), func(b dataset.RowBatch) error { n += len(b.Values) / 2; return nil })
		if err != nil || n != want {
			t.Errorf("whole %v: %d rows, %v, want %d", whole, n, err, want)
		}
	}
}

// TestMeanBias compares the moments of simulated series without their estimated means, corrected, with the moments around the true means.
func TestMeanBias(t *testing.T) {
	const count, points, d = 4000, 12, 2
	rng := rand.New(rand.NewPCG(1, 2))
	a := [2][2]float64{{0.7, 0}, {0.3, 0.5}}
	removed, around := dataset.NewAccumulator(make([]string, 2*d), 1), dataset.NewAccumulator(make([]string, 2*d), 1)
	for range count {
		var x [points][d]float64
		var now, mean [d]float64
		for at := range 100 + points {
			e := [2]float64{rng.NormFloat64(), rng.NormFloat64()}
			e[1] += 0.8 * e[0]
			now = [2]float64{a[0][0]*now[0] + e[0], a[1][0]*now[0] + a[1][1]*now[1] + e[1]}
			if at >= 100 {
				x[at-100] = now
			}
		}
		for _, row := range x {
			for j := range d {
				mean[j] += row[j] / points
			}
		}
		for at := 1; at < points; at++ {
			y, z := x[at], x[at-1]
			must.Succeed(t, around.Add([]float64{y[0], y[1], z[0], z[1]}))
			must.Succeed(t, removed.Add([]float64{y[0] - mean[0], y[1] - mean[1], z[0] - mean[0], z[1] - mean[1]}))
		}
	}
	m, err := removed.Moments()
	must.Succeed(t, err)
	around0 := must.Get(around.Moments())
	bias := MeanBias(m, 1, points)
	for i := range bias { // around the true means
		missing := (around0.Scatter[i] - m.Scatter[i]) / float64(m.N)
		if !(math.Abs(bias[i]-missing) <= 0.05*math.Abs(missing)+0.02) {
			t.Errorf("entry %d is too small by %.4f, estimated %.4f", i, missing, bias[i])
		}
	}
	own := Unbiased(m, bias, []bool{false, false})
	if skipped := Unbiased(m, bias, []bool{true, false}); skipped.Scatter[0] != m.Scatter[0] || skipped.Scatter[1] != m.Scatter[1] || skipped.Scatter[5] == m.Scatter[5] {
		t.Error("a column that was to stay has other moments, or the other one has not")
	}
	slope := func(m *dataset.Moments) float64 { return m.Scatter[2] / m.Scatter[2*4+2] } // the slope of x0(t) on x0(t-1)
	if before, after, want := slope(m), slope(own), slope(around0); !(math.Abs(after-want) <= 0.01) || math.Abs(before-want) < 0.05 {
		t.Errorf("the effect of the last value is %.3f, corrected %.3f, around the true means %.3f", before, after, want)
	}
}

// TestEvenTimes checks that evenly spaced times are counted and others kept.
func TestEvenTimes(t *testing.T) {
	for _, c := range []struct {
		times []float64
		even  int
	}{{[]float64{3, 5, 7, 9}, 4}, {[]float64{3}, 1}, {[]float64{3, 5, 7, 10, 12}, 0}, {[]float64{3, 3, 4}, 0}, {[]float64{3, 3}, 0}, {[]float64{5, 4}, 0}, {[]float64{0, 1, 2 + 5e-7}, 3}, {[]float64{0, 1, 2 + 5e-6}, 0}, {[]float64{0.1, 0.2, 0.3, 0.4}, 4}} {
		r := &reader{}
		for _, x := range c.times {
			must.Succeed(t, r.addTime(1, x, nil))
		}
		if r.even.n != c.even || c.even == 0 && !slices.Equal(r.times, c.times) {
			t.Errorf("%v: %+v, %v", c.times, r.even, r.times)
		}
		if c.even > 0 {
			for i, x := range r.even.list(0) {
				if !(math.Abs(x-c.times[i]) <= 1e-6) {
					t.Errorf("%v became %v", c.times, r.even.list(0))
				}
			}
		}
	}
}
