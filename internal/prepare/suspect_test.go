package prepare

import (
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
)

// TestCodesOfMissingValues checks the numbers that often stand for missing values: -1, one to six nines of either sign and one to four
// eights below 0.
func TestCodesOfMissingValues(t *testing.T) {
	want := map[float64]bool{-1: true}
	for digits, nines := 1, 9.0; digits <= 6; digits, nines = digits+1, nines*10+9 {
		want[nines], want[-nines] = true, true
		if digits <= 4 {
			want[-nines/9*8] = true
		}
	}
	for v := -10_000_000.0; v <= 10_000_000; v++ {
		if standIn(v) != want[v] {
			t.Errorf("%v is a code for missing values: %v", v, !want[v])
		}
	}
}

// TestProfileOfBlocks checks the order, the kind and the shape of a column over blocks of rows, of which two distinct values are counted.
func TestProfileOfBlocks(t *testing.T) {
	for _, c := range []struct {
		name                      string
		blocks                    [][]float64
		sorted, monotone, isWhole bool
		top                       float64
	}{
		{"rising", [][]float64{{1, 2}, {3, 4}}, true, true, true, 0},
		{"falling", [][]float64{{4, 3}, {2.5, 1}}, true, true, false, 0},
		{"rising with ties", [][]float64{{1, 2}, {2, 4}}, true, false, true, 0},
		{"falling with ties", [][]float64{{4, 2}, {2, 1}}, true, false, true, 0},
		{"falling, then rising", [][]float64{{4, 2}, {3, 1}}, false, false, true, 0},
		{"rising, then falling", [][]float64{{1, 3}, {2, 4}}, false, false, true, 0},
		{"up, down and level", [][]float64{{1, 3, 2, 2}}, false, false, true, 0},
		{"constant", [][]float64{{2, 2}, {2, 2}}, false, false, true, 2},
		{"one value", [][]float64{{2}}, false, false, true, 2},
		{"two values", [][]float64{{2, 3}}, true, true, true, 0},
		{"fractions at first", [][]float64{{0.5, 1}, {2, 3}}, true, true, false, 0},
		{"no majority", [][]float64{{1, 2}, {3, 3}}, true, false, true, 0},
		{"a majority", [][]float64{{3, 3}, {3, 1}, {3, 2}}, false, false, true, 3},
	} {
		s := columnStats{distinct: distinct{limit: 2}, integer: true, rising: true, falling: true, risen: true, fallen: true}
		for _, block := range c.blocks {
			s.add(slices.Clone(block), make([]float64, len(block)))
		}
		p := s.profile()
		if p.Sorted != c.sorted || p.Monotone != c.monotone || (p.Kind == dataset.Integer.String()) != c.isWhole || p.Top != c.top {
			t.Errorf("%s: sorted %v, monotone %v, %s, most frequent %v", c.name, p.Sorted, p.Monotone, p.Kind, p.Top)
		}
	}
	tiny := columnStats{distinct: distinct{limit: 9}}
	tiny.add([]float64{0, 1e-170}, make([]float64, 2)) // the square of the difference is 0
	if p := tiny.profile(); p.Std != 0 || p.Skewness != 0 || p.Kurtosis != 0 {
		t.Errorf("a variance of 0: %+v", p)
	}
	for _, size := range []float64{1e-105, 1e-90, 1e90, 1e130} { // powers beyond the range of numbers
		s := columnStats{distinct: distinct{limit: 9}}
		s.add([]float64{0, 0, 0, size}, make([]float64, 4))
		if p := s.profile(); math.IsNaN(p.Skewness+p.Kurtosis) || math.IsInf(p.Skewness+p.Kurtosis, 0) {
			t.Errorf("values of size %v: skewness %v, kurtosis %v", size, p.Skewness, p.Kurtosis)
		}
	}
}

// TestFingerprintOfMoments checks that each entry of the moments changes the fingerprint, and that rows on demand and regimes do.
func TestFingerprintOfMoments(t *testing.T) {
	make3 := func() *dataset.Moments {
		m := dataset.NewMoments([]string{"a", "b", "c"})
		if err := m.AddBlock([]float64{1, 2, 3, 4, 5, 7, 9, 1, 2, 0, 3, 1}); err != nil {
			t.Fatal(err)
		}
		return m
	}
	seen := map[[32]byte]string{Fingerprint(make3(), nil): "the moments"}
	check := func(what string, sum [32]byte) {
		if before, ok := seen[sum]; ok {
			t.Errorf("%s and %s have the same fingerprint", what, before)
		}
		seen[sum] = what
	}
	for k := range 9 {
		m := make3()
		m.Scatter[k]++
		check("entry "+string(rune('0'+k)), Fingerprint(m, nil))
	}
	m := make3()
	m.Mean[1]++
	check("a mean", Fingerprint(m, nil))
	check("a regime", Fingerprint(make3(), &dataset.Regimes{Names: []string{"e"}, Targets: [][]int{{0}}, Moments: []*dataset.Moments{make3()}}))
	check("another target", Fingerprint(make3(), &dataset.Regimes{Names: []string{"e"}, Targets: [][]int{{1}}, Moments: []*dataset.Moments{make3()}}))
	lean, err := dataset.LeanMoments([]string{"a", "b"}, []float64{1, 2, 3, 4, 5, 7})
	if err != nil {
		t.Fatal(err)
	}
	check("rows", Fingerprint(lean, nil))
}

// TestPassesOfSettings checks settings that other tests use one by one: classes, weights of clusters, and incomplete rows by pairs.
func TestPassesOfSettings(t *testing.T) {
	table := survey(60, "c", func(i int) any { return float64(i % 4) })
	g, err := gather(t, table, func(o *Settings) { o.Discretize = 3 })
	if err != nil || len(g.Classes) != 3 || g.Classes[0] != 3 || g.Moments.Max[0] != 2 || g.Moments.Min[0] != 0 {
		t.Errorf("classes %+v, %v", g, err)
	}
	table.rows[3][2] = nil
	g, err = gather(t, table, func(o *Settings) { o.Missing = "pairwise" })
	if err != nil || g.Incomplete() || g.Replayable() == nil {
		t.Errorf("rows by pairs are kept: %v", err)
	}
	s := NewRowSampler(1, 0)
	if err := s.Add([]float64{4, 5}, nil); err != nil || s.Sample().Regimes != nil || !slices.Equal(s.Sample().Values, []float64{4, 5}) {
		t.Errorf("rows without regimes: %+v", s.Sample())
	}
	s = NewRowSampler(1, 2)
	if err := s.Add([]float64{4, 5}, []int{1, 0}); err != nil {
		t.Fatal(err)
	}
	if got := s.Sample(); !slices.Equal(got.Regimes, []int{1, 0}) || !slices.Equal(got.Values, []float64{4, 5}) {
		t.Errorf("rows of two regimes: %+v", got)
	}
	ten := make([]string, 10)
	for k := range ten {
		ten[k] = string(rune('a' + k))
	}
	for n, want := range map[int]string{1: "Column a was log-transformed (natural logarithm).", 10: "Columns a, b, c, d, e, f, g, h, i, j were log-transformed (natural logarithm).", 12: "Columns a, b, c, d, e, f, g, h, i, j and 2 more were log-transformed (natural logarithm)."} {
		names := append(slices.Clone(ten), "k", "l")[:n]
		if got := (&logs{columns: make([]int, n), names: names}).notes(); len(got) != 1 || got[0] != want {
			t.Errorf("%d columns: %q, want %q", n, got, want)
		}
	}
}
