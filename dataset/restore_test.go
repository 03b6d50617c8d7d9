package dataset_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/tabletest"
)

func TestRestoreMomentsExactly(t *testing.T) {
	x := tabletest.Uneven(11, 9000, 5)
	for i := range x.Rows {
		x.Row(i)[2] += 1e9 // a mean with a low part
	}
	m, err := dataset.MomentsOf(tabletest.Letters(5), x, 1)
	must.Succeed(t, err)
	if slices.Equal(m.MeanLow(), make([]float64, 5)) {
		t.Fatal("the low parts are all zero: the test shows nothing")
	}
	got, err := dataset.RestoreMoments(m.Names, m.N, m.Mean, m.MeanLow(), m.Scatter, m.Min, m.Max)
	if err != nil || !reflect.DeepEqual(got, m) {
		t.Fatalf("got %+v, %v, want %+v", got, err, m)
	}
	// Neither shares memory with the other.
	m.Scatter[0], m.Mean[0], m.Min[0], m.Names[0] = 1, 2, 3, "other"
	m.MeanLow()[0] = 7
	if got.Scatter[0] == 1 || got.Mean[0] == 2 || got.Min[0] == 3 || got.Names[0] == "other" || m.MeanLow()[0] == 7 {
		t.Error("restored moments share memory with their parts")
	}
}

// TestRestoreThenMerge checks that one restored half merged with the other is the whole, up to the rounding of
// Merge.
func TestRestoreThenMerge(t *testing.T) {
	x := tabletest.Uneven(12, 2000, 4)
	whole, part, rest := dataset.NewMoments(tabletest.Letters(4)), dataset.NewMoments(tabletest.Letters(4)), dataset.NewMoments(tabletest.Letters(4))
	for _, add := range []struct {
		m    *dataset.Moments
		rows []float64
	}{{whole, x.Data[:4000]}, {part, x.Data[:4000]}, {rest, x.Data[4000:]}} {
		must.Succeed(t, add.m.AddBlock(add.rows))
	}
	restored, err := dataset.RestoreMoments(part.Names, part.N, part.Mean, part.MeanLow(), part.Scatter, part.Min, part.Max)
	must.Succeed(t, err)
	if err := errors.Join(whole.Merge(rest), restored.Merge(rest)); err != nil || !reflect.DeepEqual(whole, restored) {
		t.Errorf("got %+v, %v, want %+v", restored, err, whole)
	}
}

func TestRestoreWithoutRange(t *testing.T) {
	inf := math.Inf(1)
	m, err := dataset.RestoreMoments([]string{"a", "flat", "b"}, 10, []float64{1, 2, 3}, nil, []float64{4, 0, 1, 0, 0, 0, 1, 0, 9}, nil, nil)
	if err != nil || !slices.Equal(m.Min, []float64{-inf, 2, -inf}) || !slices.Equal(m.Max, []float64{inf, 2, inf}) || !slices.Equal(m.MeanLow(), []float64{0, 0, 0}) {
		t.Fatalf("got %+v, %v", m, err)
	}
	if err := m.Validate(); !errors.Is(err, dataset.ErrConstant) || !strings.Contains(err.Error(), "flat") || strings.Contains(err.Error(), "(a)") {
		t.Errorf("validate says %v", err)
	}
	known := dataset.NewMoments(m.Names)
	must.Succeed(t, known.AddBlock([]float64{1, 2, 3, 4, 5, 6}))
	if err := known.Merge(m); err != nil || known.Min[0] != -inf || known.Max[2] != inf || known.Max[1] != 5 {
		t.Errorf("merged: %+v, %v", known, err)
	}
	// Unknown values can be saved and restored again.
	if again, err := dataset.RestoreMoments(m.Names, m.N, m.Mean, m.MeanLow(), m.Scatter, m.Min, m.Max); err != nil || !reflect.DeepEqual(again, m) {
		t.Errorf("again: %+v, %v", again, err)
	}
}

func TestRestoreSymmetrizes(t *testing.T) {
	up := math.Nextafter(2, 3)
	m, err := dataset.RestoreMoments(tabletest.Letters(2), 3, []float64{0, 0}, nil, []float64{4, 2, up, 4}, nil, nil)
	if err != nil || m.Scatter[1] != m.Scatter[2] || m.Scatter[1] < 2 || m.Scatter[1] > up {
		t.Errorf("got %+v, %v", m, err)
	}
}

func TestRestoreRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	good := func() (names []string, n int, mean, low, scatter, lo, hi []float64) {
		return []string{"a", "b"}, 4, []float64{1, 2}, []float64{0, 0}, []float64{4, 1, 1, 9}, []float64{0, 0}, []float64{3, 5}
	}
	must.Get(dataset.RestoreMoments(good()))
	for _, c := range []struct {
		name, says string
		spoil      func(names []string, n *int, mean, low, scatter, lo, hi []float64)
	}{
		{"no rows", "moments of 0 rows", func(_ []string, n *int, _, _, _, _, _ []float64) { *n = 0 }},
		{"same name", "taken", func(names []string, _ *int, _, _, _, _, _ []float64) { names[1] = "a" }},
		{"mean", "mean of column 2 (b)", func(_ []string, _ *int, mean, _, _, _, _ []float64) { mean[1] = nan }},
		{"low", "mean of column 1 (a)", func(_ []string, _ *int, _, low, _, _, _ []float64) { low[0] = inf }},
		{"negative", "column 2 (b) with itself is -9", func(_ []string, _ *int, _, _, s, _, _ []float64) { s[3] = -9 }},
		{"infinite", "column 1 (a) with itself is +Inf", func(_ []string, _ *int, _, _, s, _, _ []float64) { s[0] = inf }},
		{"NaN off the diagonal", "is NaN one way", func(_ []string, _ *int, _, _, s, _, _ []float64) { s[1] = nan }},
		{"asymmetric", "is 1 one way and 1.00001 the other", func(_ []string, _ *int, _, _, s, _, _ []float64) { s[2] = 1.00001 }},
		{"beyond 1", "beyond a correlation of 1", func(_ []string, _ *int, _, _, s, _, _ []float64) { s[1], s[2] = 6.1, 6.1 }},
		{"range", "min 4, mean 1", func(_ []string, _ *int, _, _, _, lo, _ []float64) { lo[0] = 4 }},
		{"mean above max", "mean 2 and max 1", func(_ []string, _ *int, _, _, _, _, hi []float64) { hi[1] = 1 }},
		{"range NaN", "max NaN", func(_ []string, _ *int, _, _, _, _, hi []float64) { hi[1] = nan }},
	} {
		names, n, mean, low, scatter, lo, hi := good()
		c.spoil(names, &n, mean, low, scatter, lo, hi)
		m, err := dataset.RestoreMoments(names, n, mean, low, scatter, lo, hi)
		if err == nil || m != nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, %v", c.name, m, err)
		}
	}
	for _, short := range []int{2, 3, 4, 5, 6} {
		names, n, mean, low, scatter, lo, hi := good()
		parts := []*[]float64{&mean, &low, &scatter, &lo, &hi}
		*parts[short-2] = (*parts[short-2])[:1]
		if _, err := dataset.RestoreMoments(names, n, mean, low, scatter, lo, hi); err == nil || !strings.Contains(err.Error(), "1 values of") {
			t.Errorf("part %d short: %v", short, err)
		}
	}
	if _, err := dataset.RestoreMoments([]string{"a", "b"}, 4, []float64{1, 2}, nil, []float64{4, 1, 1, 9}, []float64{0, 0}, nil); err == nil {
		t.Error("min without max was taken")
	}
}
