package dataset

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag/internal/must"
)

// TestCSVSettingsInRange checks the values of each setting that are accepted and the nearest ones that are not.
func TestCSVSettingsInRange(t *testing.T) {
	valid := CSVSettings{Threads: 1, MaxLine: 1, MaxColumns: 1}
	with := func(change func(*CSVSettings)) CSVSettings {
		s := valid
		change(&s)
		return s
	}
	for c := range 256 {
		// A tab and the signs of ASCII that no number, word or quoted cell has.
		want := c == 0 || c == '\t' || strings.ContainsRune(" !#$%&'()*,/:;<=>?@[\\]^_`{|}~", rune(c))
		if err := with(func(s *CSVSettings) { s.Delimiter = byte(c) }).Validate(); (err == nil) != want {
			t.Errorf("delimiter %q is accepted: %v, want %v", rune(c), err == nil, want)
		}
		want = c == 0 || c == '.' || c == ','
		if err := with(func(s *CSVSettings) { s.Decimal = byte(c) }).Validate(); (err == nil) != want {
			t.Errorf("decimal sign %q is accepted: %v, want %v", rune(c), err == nil, want)
		}
	}
	for _, c := range []struct {
		name string
		s    CSVSettings
		want bool
	}{
		{"two commas", with(func(s *CSVSettings) { s.Decimal, s.Delimiter = ',', ',' }), false},
		{"a comma and a semicolon", with(func(s *CSVSettings) { s.Decimal, s.Delimiter = ',', ';' }), true},
		{"a point and a comma", with(func(s *CSVSettings) { s.Decimal, s.Delimiter = '.', ',' }), true},
		{"dmy", with(func(s *CSVSettings) { s.DateOrder = "dmy" }), true},
		{"mdy", with(func(s *CSVSettings) { s.DateOrder = "mdy" }), true},
		{"ymd", with(func(s *CSVSettings) { s.DateOrder = "ymd" }), false},
		{"latin-1", with(func(s *CSVSettings) { s.Encoding = "latin-1" }), true},
		{"ebcdic", with(func(s *CSVSettings) { s.Encoding = "ebcdic" }), false},
		{"no thread", with(func(s *CSVSettings) { s.Threads = 0 }), false},
		{"no line", with(func(s *CSVSettings) { s.MaxLine = 0 }), false},
		{"no column", with(func(s *CSVSettings) { s.MaxColumns = 0 }), false},
	} {
		if err := c.s.Validate(); (err == nil) != c.want {
			t.Errorf("%s: %v, want valid: %v", c.name, err, c.want)
		}
	}
}

// TestSizesOfBlocks checks both sides of the limits that depend on the number of columns.
func TestSizesOfBlocks(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want int
	}{
		{"rows of a block of 1 column", BlockRows(1), 4096},
		{"rows of a block of 16 columns", BlockRows(16), 4096},
		{"rows of a block of 17 columns", BlockRows(17), 3855},
		{"rows of a block of 256 columns", BlockRows(256), 256},
		{"rows of a block of 300 columns", BlockRows(300), 256},
		{"rows of a block without columns", BlockRows(0), 4096},
		{"lanes of 724 columns", laneCount(724), 16},
		{"lanes of 725 columns", laneCount(725), 15},
		{"lanes of 3000 columns", laneCount(3000), 1},
		{"bytes of 10 columns", int(AccumulatorBytes(10)), 8 * 10 * 10 * 16},
		{"kept rows of 127 columns", LeanRows(127), 0},
		{"kept rows of 128 columns", LeanRows(128), 128},
		{"rows on demand of 5999 columns", WideRows(5999), 0},
		{"rows on demand of 6000 columns", WideRows(6000), 1500},
		{"bytes of 10 rows on demand", int(WideBytes(10, 6000)), 2*6000*6000 + 14*10*6000},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", c.name, c.got, c.want)
		}
	}
}

// TestSecondsSince1970 checks instants before and after 1970, which differ only in sign at equal distances.
func TestSecondsSince1970(t *testing.T) {
	for _, c := range []struct {
		seconds, nanoseconds int64
		want                 float64
	}{{0, 0, 0}, {1, 250_000_000, 1.25}, {-2, 750_000_000, -1.25}, {-1, 0, -1}, {-1, 500_000_000, -0.5}, {0, 1, 1e-9}, {-1, 999_999_999, -1e-9},
		{123456, 789_000_000, 123456.789}, {-123457, 211_000_000, -123456.789}} {
		if got := Seconds(time.Unix(c.seconds, c.nanoseconds)); got != c.want {
			t.Errorf("%d s and %d ns: %v, want %v", c.seconds, c.nanoseconds, got, c.want)
		}
	}
}

// TestFaultsNameTheColumn checks the column in errors of constants, of values that are not finite and of sums that overflow.
func TestFaultsNameTheColumn(t *testing.T) {
	names := []string{"a", "b", "c"}
	m := NewMoments(names)
	must.Succeed(t, m.AddBlock([]float64{1, 5, 2, 3, 5, 4}))
	var at *ParseError
	if err := m.Validate(); !errors.Is(err, ErrConstant) || !errors.As(err, &at) || at.Column != 2 || at.Name != "b" || at.Value != "5" {
		t.Errorf("two rows with a constant: %v", err)
	}
	one := NewMoments(names)
	must.Succeed(t, one.AddBlock([]float64{1, 5, 2}))
	if err := one.Validate(); !errors.Is(err, ErrOneRow) || errors.Is(err, ErrConstant) {
		t.Errorf("one row: %v, want no constants", err)
	}
	if err := NewMoments(names).AddBlock([]float64{1, 2, 3, 4, math.Inf(1), 6}); !errors.Is(err, ErrNotFinite) || !errors.As(err, &at) || at.Column != 2 || at.Name != "b" {
		t.Errorf("an infinite value: %v", err)
	}
	if err := m.Finite(); err != nil {
		t.Errorf("finite moments: %v", err)
	}
	for _, c := range []struct {
		entry, column int
	}{{5, 3}, {1, 2}, {4, 2}} { // b and c, a and b, b and b
		own := *m
		own.Scatter = slices.Clone(m.Scatter)
		own.Scatter[c.entry] = math.Inf(1)
		if err := own.Finite(); !errors.Is(err, ErrOverflow) || !errors.As(err, &at) || at.Column != c.column || at.Name != names[c.column-1] {
			t.Errorf("sum %d overflows: %v, want column %d", c.entry, err, c.column)
		}
	}
}

// TestCountedAs checks that another number of rows keeps means and covariances.
func TestCountedAs(t *testing.T) {
	m := NewMoments([]string{"a", "b"})
	must.Succeed(t, m.AddBlock([]float64{1, 2, 3, 5, 4, 4}))
	if m.CountedAs(3) != m {
		t.Error("the same number of rows is another table")
	}
	half := m.CountedAs(6)
	if half.N != 6 || !slices.Equal(half.Mean, m.Mean) {
		t.Errorf("%d rows with the means %v", half.N, half.Mean)
	}
	for i, v := range m.Covariance().Data {
		if got := half.Covariance().Data[i]; math.Abs(got-v) > 1e-15 {
			t.Errorf("covariance %v, want %v", got, v)
		}
	}
}

// TestCodesOfNumbers checks that all NaN are one missing value and that -0 is 0.
func TestCodesOfNumbers(t *testing.T) {
	var bytes int64
	c := levelCoder{bytes: &bytes}
	other := math.Float64frombits(math.Float64bits(math.NaN()) ^ 1)
	var got []uint32
	for _, x := range []float64{0, math.NaN(), math.Copysign(0, -1), other, 2, 2, 0} {
		got = append(got, c.number(x))
	}
	if !slices.Equal(got, []uint32{0, 1, 0, 1, 2, 2, 0}) || len(c.list) != 3 || bytes != 3*levelBytes(0) {
		t.Errorf("codes %v of %d values in %d bytes", got, len(c.list), bytes)
	}
}

// TestEnvironmentsInRange checks what is refused: lists of different lengths, moments of other columns, and targets out of order or range.
func TestEnvironmentsInRange(t *testing.T) {
	m := NewMoments([]string{"a", "b", "c"})
	for _, c := range []struct {
		name string
		r    Environments
		want bool
	}{
		{"valid", Environments{Names: []string{"x", "y"}, Targets: [][]int{nil, {0, 2}}, Moments: []*Moments{m, m}}, true},
		{"unknown targets", Environments{Names: []string{"x"}, Targets: [][]int{nil}, Moments: []*Moments{m}, Unknown: true}, true},
		{"unknown targets that are given", Environments{Names: []string{"x"}, Targets: [][]int{{1}}, Moments: []*Moments{m}, Unknown: true}, false},
		{"too few names", Environments{Targets: [][]int{nil}, Moments: []*Moments{m}}, false},
		{"too few moments", Environments{Names: []string{"x"}, Targets: [][]int{nil}}, false},
		{"no moments", Environments{Names: []string{"x"}, Targets: [][]int{nil}, Moments: []*Moments{nil}}, false},
		{"other columns", Environments{Names: []string{"x"}, Targets: [][]int{nil}, Moments: []*Moments{NewMoments([]string{"a"})}}, false},
		{"a target out of range", Environments{Names: []string{"x"}, Targets: [][]int{{3}}, Moments: []*Moments{m}}, false},
		{"a negative target", Environments{Names: []string{"x"}, Targets: [][]int{{-1}}, Moments: []*Moments{m}}, false},
		{"targets out of order", Environments{Names: []string{"x"}, Targets: [][]int{{2, 0}}, Moments: []*Moments{m}}, false},
	} {
		if err := c.r.Validate(3); (err == nil) != c.want {
			t.Errorf("%s: %v, want valid: %v", c.name, err, c.want)
		}
	}
}
