package relations

import (
	"fmt"
	"math"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
)

// pair returns the moments of two columns with a share of the variance that they do not explain of each other.
func pair(t *testing.T, n int, share float64) *dataset.Moments {
	t.Helper()
	r := float64(n) * math.Sqrt(1-share)
	m := must.Get(dataset.RestoreMoments([]string{"a", "b"}, n, []float64{0, 0}, nil, []float64{float64(n), r, r, float64(n)}, nil, nil))
	return m
}

// TestToleranceOfARelation checks both sides of the residual share of 1e-10, of 1e-4 for rounded columns, and of the number of rows:
// 10 more than columns.
func TestToleranceOfARelation(t *testing.T) {
	for _, c := range []struct {
		rows  int
		share float64
		unit  []float64
		want  int
	}{
		{100, 0.8e-10, nil, 1}, {100, 1.2e-10, nil, 0},
		{100, 0.9e-4, []float64{1, 1}, 1}, {100, 1.1e-4, []float64{1, 1}, 0}, {100, 0.9e-4, nil, 0}, {100, 0.9e-4, []float64{0, 0}, 0},
		{12, 0.8e-10, nil, 1}, {11, 0.8e-10, nil, 0}, {12, 0.9e-4, []float64{1, 1}, 1}, {11, 0.9e-4, []float64{1, 1}, 0},
	} {
		m := pair(t, c.rows, c.share)
		if got := Find(m, []int{0, 1}, c.unit); len(got) != c.want {
			t.Errorf("%d rows, share %v, units %v: %v, want %d relations", c.rows, c.share, c.unit, got, c.want)
		}
		if got := Find(m, []int{0}, nil); len(got) != 0 {
			t.Errorf("one column: %v, want no relation", got)
		}
	}
}

// TestFormula checks the order, the signs and the number of terms.
func TestFormula(t *testing.T) {
	terms := []term{{"a", 1, 0.1}, {"b", -1, 0.5}, {"c", 2.5, 0.3}, {"d", -0.25, 0.3}}
	for n, want := range map[int]string{
		1: "y = a + constant",
		2: "y = - b + a + constant",
		4: "y = - b + 2.5·c - 0.25·d + a + constant",
	} {
		if got := formula("y", append([]term{}, terms[:n]...)); got != want {
			t.Errorf("%d terms: %q, want %q", n, got, want)
		}
	}
	for more := 1; more < 3; more++ {
		list := append([]term{}, terms...)
		for k := range more {
			list = append(list, term{fmt.Sprint("z", k), 9, 0.01})
		}
		if got, want := formula("y", list), fmt.Sprintf("y = - b + 2.5·c - 0.25·d + a + … (%d more) + constant", more); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestUnitLimits checks the largest and the smallest unit, the tolerance, and the column.
func TestUnitLimits(t *testing.T) {
	for _, c := range []struct {
		values    []float64
		d, column int
		want      float64
	}{
		{[]float64{1200, 300, math.NaN()}, 1, 0, 100},
		{[]float64{0.25, 1.5, 3}, 1, 0, 0.01},
		{[]float64{math.Pi, math.E}, 1, 0, 0},
		{[]float64{20000, 10000}, 1, 0, 1000},
		{[]float64{1e-6, 3e-6}, 1, 0, 1e-6},
		{[]float64{1e-7, 3e-7}, 1, 0, 0},
		{[]float64{1e-12, 3e-12}, 1, 0, 0},
		{[]float64{0.1, 5.6e-17}, 1, 0, 0.1}, // the second value is 0 up to rounding errors
		{[]float64{0, 0}, 1, 0, 1000},
		{[]float64{5000, 1.5e-6}, 1, 0, 0},
		{[]float64{12345.678, 54321.123, 98765.431, 77777.777}, 1, 0, 0.001},
		{[]float64{1, 1 + 5e-10}, 1, 0, 1},
		{[]float64{100, 0.5, 200, 1.5}, 2, 0, 100},
		{[]float64{100, 0.5, 200, 1.5}, 2, 1, 0.1},
	} {
		if got := Unit(c.values, c.d, c.column); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("column %d of %v: unit %v, want %v", c.column, c.values, got, c.want)
		}
	}
}

// TestRepeatedLimits checks how many columns and records make a table of repeated records. The first tied columns repeat the records, and
// the other columns have no ties.
func TestRepeatedLimits(t *testing.T) {
	for _, c := range []struct {
		name                         string
		rows, columns, tied, records int
		words                        bool
		want                         bool
	}{
		{"a majority of the columns", 40, 3, 2, 12, false, true},
		{"half of the columns", 40, 4, 2, 12, false, false},
		{"half as many records as rows", 24, 3, 2, 12, false, true},
		{"more records than half of the rows", 23, 3, 2, 12, false, false},
		{"more values than categories", 40, 3, 2, 11, false, true},
		{"no more values than categories", 40, 3, 2, 10, false, false},
		{"columns of text", 40, 3, 2, 12, true, false},
	} {
		s := &dataset.Sample{Columns: c.columns}
		for i := range c.rows {
			s.Index = append(s.Index, i)
			for j := range c.columns {
				value := float64(i * (j + 1))
				if j < c.tied {
					value = float64(i % c.records * (j + 1))
				}
				s.Values = append(s.Values, value)
			}
		}
		kinds := make([]dataset.Variable, c.columns)
		for j := range kinds {
			if kinds[j].Levels = c.rows; j < c.tied {
				kinds[j].Levels = c.records
			}
			kinds[j].Kind = kind.Continuous
			if c.words {
				kinds[j].Words = []string{"x"}
			}
		}
		columns, records := Repeated(s, kinds)
		if want := [2]int{c.tied, c.records}; c.want && [2]int{len(columns), records} != want || !c.want && (columns != nil || records != 0) {
			t.Errorf("%s: columns %v of %d records, want %v (repeated: %v)", c.name, columns, records, want, c.want)
		}
	}
}

// TestRepeatedWithMissingValues checks that each missing value counts as a record of its own.
func TestRepeatedWithMissingValues(t *testing.T) {
	for missing, want := range map[int][2]int{8: {2, 20}, 9: {0, 0}} {
		s := &dataset.Sample{Columns: 2}
		for i := range 40 {
			value := float64(i % 12)
			if i >= 40-missing {
				value = math.NaN()
			}
			s.Index, s.Values = append(s.Index, i), append(s.Values, value, 2*value)
		}
		columns, records := Repeated(s, []dataset.Variable{{Levels: 12}, {Levels: 12}})
		if [2]int{len(columns), records} != want {
			t.Errorf("%d missing values: columns %v of %d records, want %v", missing, columns, records, want)
		}
	}
}

// TestLargestRecords checks that the largest group counts, of two equal ones the one with more records, and never a single column.
func TestLargestRecords(t *testing.T) {
	var values []float64
	for i := range 60 {
		two, three, five := float64(i%2), float64(i%3), float64(i%5)
		values = append(values, two, 2*two, three, 3*three, five, 4*five, five+1, float64(i))
	}
	for _, c := range []struct {
		columns []int
		group   int // its first column; -1 for none
		size    int
		records int
	}{
		{[]int{0, 1, 2, 3, 4, 5, 6, 7}, 4, 3, 5}, {[]int{4, 5, 6, 0, 1, 2, 3}, 4, 3, 5}, {[]int{0, 1, 2, 3}, 2, 2, 3}, {[]int{2, 3, 0, 1}, 2, 2, 3}, {[]int{0, 1, 7}, 0, 2, 2}, {[]int{0, 2, 7}, -1, 0, 0}, {[]int{0, 1, 1, 4, 5}, 0, 3, 2},
	} {
		group, records := Records(values, 8, c.columns)
		if len(group) != c.size || records != c.records || c.size > 0 && group[0] != c.group {
			t.Errorf("columns %v: group %v of %d records, want %d columns from %d of %d records", c.columns, group, records, c.size, c.group, c.records)
		}
	}
}

// TestDetermined checks which columns of a relation are excluded: numeric ones that are not kept and that Drop can name.
func TestDetermined(t *testing.T) {
	for _, c := range []struct {
		name  string
		kind  kind.Kind
		words []string
		keep  []string
		want  bool
	}{
		{"numbers", kind.Continuous, nil, nil, true},
		{"counts", kind.Count, nil, []string{"z*"}, true},
		{"a binary column", kind.Binary, nil, nil, false},
		{"a categorical column", kind.Categorical, nil, nil, false},
		{"text", kind.Ordinal, []string{"x", "y", "z"}, nil, false},
		{"a pattern to keep", kind.Continuous, nil, []string{"*"}, false},
		{"names to keep", kind.Continuous, nil, []string{"a", "b"}, false},
	} {
		m := pair(t, 100, 0.8e-10)
		got := Determined(m, nil, []dataset.Variable{{Kind: kind.Continuous}, {Kind: c.kind, Words: c.words}}, c.keep)
		if (len(got) == 1) != c.want || c.want && got[0].Reason != "linear function of other columns" {
			t.Errorf("%s: %v, want an excluded column: %v", c.name, got, c.want)
		}
	}
	for _, names := range [][]string{{"a*", "b*"}, {"a,", "b,"}} {
		m := pair(t, 100, 0.8e-10)
		m.Names = names
		if got := Determined(m, nil, make([]dataset.Variable, 2), nil); len(got) != 0 {
			t.Errorf("%q: %v, want none, because the name reads as a pattern or a list", names, got)
		}
	}
	// The cells of the sample give the units: with units of 1 the remainder is within the rounding.
	s := &dataset.Sample{Columns: 2, Values: []float64{1, 2, 3, 5}, Index: []int{0, 1}}
	for _, sample := range []*dataset.Sample{nil, s} {
		if got := Determined(pair(t, 100, 0.9e-4), sample, make([]dataset.Variable, 2), nil); (len(got) == 1) != (sample != nil) {
			t.Errorf("sample %v: %v, want an excluded column only with a sample", sample, got)
		}
	}
}

// TestConstantColumns checks that a constant column has no relation.
func TestConstantColumns(t *testing.T) {
	m := must.Get(dataset.RestoreMoments([]string{"a", "b"}, 50, []float64{0, 0}, nil, []float64{50, 0, 0, 0}, nil, nil))
	if got := Find(m, []int{0, 1}, []float64{1, 1}); len(got) != 0 {
		t.Errorf("%v, want no relation", got)
	}
}
