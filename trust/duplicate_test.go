package trust

import (
	"fmt"
	"strings"
	"testing"
)

// Copies in other units are duplicates, but only a copy in the same units has another name for the same column. A relation drops the
// column with the largest term that is not kept from a group of duplicates.
func TestDuplicatesInOtherUnits(t *testing.T) {
	m := tabulated(t, []string{"a", "same", "shifted", "scaled", "negative", "other"}, 12, func(i int) []float64 {
		v := float64(i * i % 13)
		return []float64{v, v, v + 2, 3 * v, -v, float64(i % 5)}
	})
	e := newExamination(m, nil, Refusals{})
	e.duplicates()
	if got := len(e.alias[0]); got != 4 || len(e.single) != 2 {
		t.Fatalf("%d duplicates and %d columns without, want 4 and 2", got, len(e.single))
	}
	if got := e.equals(0); len(got) != 1 || got[0] != 1 {
		t.Errorf("columns %v equal the first, want 1", got)
	}
	for j, want := range [][2]float64{{1, 0}, {1, 0}, {1, 2}, {3, 0}, {-1, 0}} {
		if slope, intercept := e.line(0, j); slope != want[0] || intercept != want[1] {
			t.Errorf("column %d is %v·a + %v, want %v·a + %v", j, slope, intercept, want[0], want[1])
		}
	}
	e.alias = map[int][]int{0: {1}}
	for _, c := range []struct {
		columns []int
		coef    []float64
		want    int
	}{{[]int{2, 3}, []float64{1, -1}, 3}, {[]int{2, 3}, []float64{4, -1}, 2}, {[]int{0, 2}, []float64{9, 1}, 2}, {[]int{0}, []float64{1}, 0}} {
		if got := e.spare(relation{columns: c.columns, coef: c.coef}); got != c.want {
			t.Errorf("columns %v with coefficients %v: %d is dropped, want %d", c.columns, c.coef, got, c.want)
		}
	}
}

// A number within the tolerance of an integer is that integer.
func TestSnap(t *testing.T) {
	for _, c := range [][3]float64{{2.01, 0.02, 2}, {2.01, 0.005, 2.01}, {-0.001, 0.01, 0}, {1.5, 0.4, 1.5}} {
		if got := snap(c[0], c[1]); got != c[2] {
			t.Errorf("%v within %v is %v, want %v", c[0], c[1], got, c[2])
		}
	}
}

// TestWordsOfDuplicates checks how copies are listed: equal ones by name, others by their formula, twenty at most.
func TestWordsOfDuplicates(t *testing.T) {
	for _, c := range []struct {
		copies int
		equal  bool
		want   string
	}{
		{1, true, "x equals c1 in every row"},
		{2, true, "x, c1 and c2 are equal in every row"},
		{1, false, "c1 = 2·x in every row"},
		{2, false, "c1 = 2·x and c2 = 3·x in every row"},
		{20, false, "c19 = 20·x and c20 = 21·x in every row"},
		{21, false, "c20 = 21·x and 1 more, in every row"},
		{25, false, "c20 = 21·x and 5 more, in every row"},
	} {
		names, others := []string{"x"}, []int(nil)
		for k := range c.copies {
			names, others = append(names, fmt.Sprintf("c%d", k+1)), append(others, k+1)
		}
		m := tabulated(t, names, 8, func(i int) []float64 {
			row := []float64{float64(i * i % 7)}
			for k := range c.copies {
				factor := float64(k + 2)
				if c.equal {
					factor = 1
				}
				row = append(row, factor*row[0])
			}
			return row
		})
		e := newExamination(m, nil, Refusals{})
		if got := e.sameness(0, others); !strings.HasSuffix(got, c.want) {
			t.Errorf("%d copies: %q, want %q", c.copies, got, c.want)
		}
	}
}

// TestNamesOfDuplicatesInRelations checks that a formula names a column together with its equal copies.
func TestNamesOfDuplicatesInRelations(t *testing.T) {
	m := tabulated(t, []string{"a", "same", "twice", "b"}, 8, func(i int) []float64 {
		v := float64(i * i % 7)
		return []float64{v, v, 2 * v, float64(i)}
	})
	e := newExamination(m, nil, Refusals{})
	e.duplicates()
	for j, want := range map[int]string{0: "a (or same)", 3: "b"} {
		if got := e.aliased(j); got != want {
			t.Errorf("column %d is %q, want %q", j, got, want)
		}
	}
}

// TestShiftedCopies checks that a shifted copy has a formula: it does not equal the column.
func TestShiftedCopies(t *testing.T) {
	m := tabulated(t, []string{"x", "y"}, 8, func(i int) []float64 {
		v := float64(i * i % 7)
		return []float64{v, v + 2}
	})
	if got, want := newExamination(m, nil, Refusals{}).sameness(0, []int{1}), "y = x + 2 in every row"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
