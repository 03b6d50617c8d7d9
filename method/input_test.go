package method_test

import (
	"math"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/method"
)

// TestRowsOfAnIncompleteTable compares the number of rows and the errors of standard deviations with their definitions. 100 rows in four
// copies count as 50; column a has all values, b has 60 and both have 60.
func TestRowsOfAnIncompleteTable(t *testing.T) {
	there := [2][2]float64{{100, 60}, {60, 60}}
	m := dataset.NewMoments([]string{"a", "b"})
	m.N = 50
	in := &method.Input{Moments: m, RowWeight: 50.0 / 400, Copies: 4, PairShare: func(i, j int) float64 { return there[i][j] / 50 }}
	if in.RowCount() != 400 || in.Copied() != 4 {
		t.Errorf("%d rows in %d copies", in.RowCount(), in.Copied())
	}
	// The relative standard error of a variance is √(2/60 - 2/100), and that of a standard deviation half as large.
	if got, want := in.StdError(), math.Sqrt(2.0/60-2.0/100)/2; !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("standard error %v, want %v", got, want)
	}
	if got := (&method.Input{Moments: m}).StdError(); got != 0 {
		t.Errorf("standard error %v of a complete table", got)
	}
	whole := in.Whole()
	if whole.Moments.N != 100 || whole.RowCount() != 400 || !(math.Abs(whole.ShareOf(0, 1)-0.6) <= 1e-12) || whole.ShareOf(0, 0) != 1 || in.Moments.N != 50 {
		t.Errorf("%d rows, shares %v and %v, want 100, 0.6 and 1", whole.Moments.N, whole.ShareOf(0, 1), whole.ShareOf(0, 0))
	}
}

// Without weights and copies a row counts once, and the rows counted never exceed those of the table nor fall below what was counted.
func TestDefaultsOfAnInput(t *testing.T) {
	m := dataset.NewMoments([]string{"a", "b"})
	m.N = 50
	in := &method.Input{Moments: m}
	if in.Weight() != 1 || in.Copied() != 1 || in.RowCount() != 50 || in.ShareOf(0, 1) != 1 || in.SampleWeight() != 1 || in.Whole() != in {
		t.Errorf("weight %v, %d copies, %d rows, share %v, weight of the sample %v", in.Weight(), in.Copied(), in.RowCount(), in.ShareOf(0, 1), in.SampleWeight())
	}
	in.Sample = &dataset.Sample{Weight: 0.25}
	if in.SampleWeight() != 0.25 {
		t.Errorf("weight of the sample %v, want 0.25", in.SampleWeight())
	}
	for share, want := range map[float64]int{0.5: 50, 1.2: 60, 3: 80} { // 80 rows
		in := &method.Input{Moments: m, RowWeight: 50.0 / 80, PairShare: func(i, j int) float64 { return share }}
		if got := in.Whole().Moments.N; got != want {
			t.Errorf("a share of %v of 50 counted rows of 80: %d rows, want %d", share, got, want)
		}
	}
}
