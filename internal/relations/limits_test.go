package relations

import (
	"fmt"
	"math"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/kind"
)

// pair returns the moments of two columns with a share of the variance that they do not explain of each other.
func pair(t *testing.T, n int, share float64) *dataset.Moments {
	t.Helper()
	r := float64(n) * math.Sqrt(1-share)
	m, err := dataset.RestoreMoments([]string{"a", "b"}, n, []float64{0, 0}, nil, []float64{float64(n), r, r, float64(n)}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
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
		{[]float64{20000, 10000}, 1, 0, 1000},
		{[]float64{1e-6, 3e-6}, 1, 0, 1e-6},
		{[]float64{1e-7, 3e-7}, 1, 0, 0},
		{[]float64{1e-12, 3e-12}, 1, 0, 0},
		{[]float64{0.1, 5.6e-17}, 1, 0, 0.1}, // the second value is 0 up to rounding errors
		{[]float64{0, 0}, 1, 0, 1000},
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
		if want := [2]int{c.tied, c.records}; c.want && [2]int{columns, records} != want || !c.want && (columns != 0 || records != 0) {
			t.Errorf("%s: %d columns of %d records, want %v (repeated: %v)", c.name, columns, records, want, c.want)
		}
	}
}
