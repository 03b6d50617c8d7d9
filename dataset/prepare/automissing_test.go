package prepare

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// observedMissing returns 100 observed rows, of which each column lacks the given range.
func observedMissing(names string, lacks map[string][2]int) *observed {
	s := &observed{rows: 100, from: strings.Split(names, "")}
	for _, name := range s.from {
		s.columns = append(s.columns, dataset.ColumnProfile{Name: name, Missing: lacks[name][1] - lacks[name][0]})
	}
	for i := range s.rows {
		row := make([]float64, len(s.from))
		for k, name := range s.from {
			if i >= lacks[name][0] && i < lacks[name][1] {
				row[k] = math.NaN()
			}
		}
		s.patterns.add(row, len(row), len(row))
	}
	return s
}

// TestSacrificedColumns checks both sides of each limit: half of the rows or ten complete rows per column are enough, and two columns
// are always left. The column whose absence costs the most rows goes first.
func TestSacrificedColumns(t *testing.T) {
	for _, c := range []struct {
		name, columns string
		lacks         map[string][2]int
		gone, keep    string
		want          string
	}{
		{"complete", "abc", nil, "", "", ""},
		{"half of a column is missing", "abc", map[string][2]int{"b": {0, 50}}, "", "", ""},
		{"more than half of a column is missing", "abc", map[string][2]int{"b": {0, 51}}, "", "", "b"},
		{"more than half of a kept column is missing", "abc", map[string][2]int{"b": {0, 51}}, "", "b", ""},
		{"40 complete rows of four columns", "abcd", map[string][2]int{"b": {0, 40}, "c": {30, 60}}, "", "", ""},
		{"39 complete rows of four columns", "abcd", map[string][2]int{"b": {0, 40}, "c": {30, 61}}, "", "", "b"},
		{"39 complete rows without a kept column", "abcd", map[string][2]int{"b": {0, 40}, "c": {30, 61}}, "", "b", "c"},
		{"40 complete rows of four columns and an excluded one", "abcde", map[string][2]int{"b": {0, 40}, "c": {30, 60}, "e": {0, 95}}, "e", "", ""},
		{"15 complete rows of three columns", "abc", map[string][2]int{"a": {0, 45}, "b": {45, 85}}, "", "", "a"},
		{"15 complete rows of two columns", "ab", map[string][2]int{"a": {0, 45}, "b": {45, 85}}, "", "", ""},
		// b and c are missing alone in 20 rows each, and c is missing more often.
		{"equal gains", "abcdefghij", map[string][2]int{"b": {0, 30}, "c": {20, 55}, "d": {50, 58}}, "", "", "c"},
		{"equal gains, the first is missing more often", "abcdefghij", map[string][2]int{"b": {20, 55}, "c": {0, 30}, "d": {50, 58}}, "", "", "b"},
		{"a smaller gain of columns that are missing more often", "abcd", map[string][2]int{"b": {0, 45}, "c": {0, 45}, "d": {45, 75}}, "", "", "d"},
		{"a larger gain of the first column", "abcd", map[string][2]int{"b": {45, 75}, "c": {0, 45}, "d": {0, 45}}, "", "", "b"},
		{"no column is missing alone", "abcdef", map[string][2]int{"b": {0, 60}, "c": {0, 50}, "d": {0, 50}, "e": {50, 95}, "f": {50, 95}}, "", "", "bcd"},
		{"40 complete rows of four columns, one with three indicators", "abbbcd", map[string][2]int{"b": {0, 40}, "c": {30, 60}}, "", "", ""},
		{"39 complete rows of four columns, one with three indicators", "abbbcd", map[string][2]int{"b": {0, 40}, "c": {30, 61}}, "", "", "b"},
		{"only complete columns are not kept", "abcd", map[string][2]int{"b": {0, 40}, "c": {30, 61}}, "", "bc", ""},
		{"all are kept", "abcd", map[string][2]int{"b": {0, 40}, "c": {30, 61}}, "", "abcd", ""},
	} {
		s := observedMissing(c.columns, c.lacks)
		var gone []dataset.Excluded
		for _, name := range strings.Split(c.gone, "") {
			gone = append(gone, dataset.Excluded{Name: name})
		}
		keep := map[string]bool{}
		for _, name := range strings.Split(c.keep, "") {
			keep[name] = true
		}
		got, list := "", s.patterns.sacrifice(s, gone, keep)
		for _, x := range list {
			got += x.Name
		}
		if got != c.want || len(list) != len(c.want) {
			t.Errorf("%s: columns %q are excluded, want %q", c.name, got, c.want)
		}
	}
}

// TestMostlyMissingColumns checks that a column with 20 % of its values stays and one with less does not. A column with two indicators
// is excluded once.
func TestMostlyMissingColumns(t *testing.T) {
	s := observedMissing("abbcd", map[string][2]int{"a": {0, 80}, "b": {0, 81}, "c": {0, 90}, "d": {0, 95}})
	got := s.mostlyMissing([]dataset.Excluded{{Name: "c"}}, map[string]bool{"d": true})
	if len(got) != 1 || got[0].Name != "b" || got[0].Detail != "81 of 100 values are missing (81%)" {
		t.Errorf("%+v, want column b alone", got)
	}
}

// TestTooManyPatterns checks that rows beyond the largest number of patterns count as incomplete.
func TestTooManyPatterns(t *testing.T) {
	const outputs = 13
	var p missingPatterns
	for set := range 1 << outputs { // the first row is complete
		row := make([]float64, outputs)
		for k := range row {
			if set>>k&1 == 1 {
				row[k] = math.NaN()
			}
		}
		p.add(row, outputs, outputs)
		p.add(row, outputs, outputs)
	}
	if len(p.sets) != 4096 || p.lost != 2*(1<<outputs-1-4096) || !slices.Equal(p.sets[4], []int{0, 2}) || p.times[4] != 2 {
		t.Errorf("%d patterns, %d rows lost, the fifth is %v in %d rows", len(p.sets), p.lost, p.sets[4], p.times[4])
	}
}

// TestSuspectOfBlocks checks the smallest value of a column that may stand for missing values, its count and its neighbour over blocks of rows.
func TestSuspectOfBlocks(t *testing.T) {
	for _, c := range []struct {
		name   string
		blocks [][]float64
		side   float64
		value  float64
		count  int
		next   float64
		lone   bool
	}{
		{"-9 in two blocks", [][]float64{{-9, 3}, {4, 5, 6}, {-9, 8}}, -1, -9, 2, 3, true},
		{"-9 in half of the rows", [][]float64{{-9, 3}, {-9, 8}}, -1, -9, 2, 3, false},
		{"-9 above 0", [][]float64{{-9, 0, 1}}, -1, -9, 1, 0, true},
		{"-9 above -1", [][]float64{{-1, 5, 7}, {-9, 3, 4}}, -1, -9, 1, -1, false},
		{"-9 before -1", [][]float64{{-9, 3, 4}, {-1, 5, 7}}, -1, -9, 1, -1, false},
		{"-1 above 1", [][]float64{{-1, 1, 2}}, -1, -1, 1, 1, true},
		{"-1 above 0", [][]float64{{-1, 0, 2}}, -1, -1, 1, 0, false},
		{"-8 above 0", [][]float64{{-8, 0, 2}}, -1, -8, 1, 0, true},
		{"-99 after -9", [][]float64{{-9, -9, 1}, {-99, 2, 3}}, -1, -99, 1, -9, false},
		{"no neighbour", [][]float64{{-9, -9}}, -1, -9, 2, 0, false},
		{"the largest value", [][]float64{{99, 1, 2}, {5, 4, 3}, {99, 98, 1}}, 1, 99, 2, 98, false},
		{"another value", [][]float64{{-7, 1, 2}}, -1, 0, 0, -7, false},
	} {
		var s suspect
		n := 0
		for _, block := range c.blocks {
			extreme := block[0]
			for _, v := range block {
				if c.side*v > c.side*extreme {
					extreme = v
				}
			}
			s.meet(extreme, block, extreme, c.side)
			n += len(block)
		}
		if s.value != c.value || s.count != c.count || s.next != c.next || s.lone(n) != c.lone {
			t.Errorf("%s: value %v in %d rows beside %v, alone is %v", c.name, s.value, s.count, s.next, s.lone(n))
		}
	}
}

// TestNumberedRows checks the conditions of an identifier: at least ten values that do not repeat, and a name or equal whole steps.
func TestNumberedRows(t *testing.T) {
	steps := func(name string, n int, step float64, monotone bool) dataset.ColumnProfile {
		c := dataset.ColumnProfile{Name: name, Min: 5, Max: 5 + step*float64(n-1), Monotone: monotone}
		var squares float64
		for k := range n {
			c.Mean += (5 + step*float64(k)) / float64(n)
		}
		for k := range n {
			squares += (5 + step*float64(k) - c.Mean) * (5 + step*float64(k) - c.Mean)
		}
		c.Std = math.Sqrt(squares / float64(n))
		return c
	}
	shifted, wide := steps("x", 10, 1, false), steps("x", 10, 1, false)
	shifted.Mean += 1e-6
	wide.Std *= 1.001
	const numbers, each, named = "numbers the rows", "has each integer", "named like an identifier"
	for _, c := range []struct {
		what    string
		of      dataset.ColumnProfile
		present int
		unique  bool
		want    string
	}{
		{"ten rows", steps("x", 10, 1, true), 10, false, numbers},
		{"nine rows", steps("x", 9, 1, true), 9, true, ""},
		{"steps of two", steps("x", 10, 2, true), 10, true, numbers},
		{"steps of two, shuffled", steps("x", 10, 2, false), 10, true, ""},
		{"shuffled", steps("x", 10, 1, false), 10, true, each},
		{"shuffled with repeats", steps("x", 10, 1, false), 10, false, ""},
		{"half steps", steps("x", 10, 0.5, true), 10, true, ""},
		{"a third of the numbers left out", steps("x", 10, 1.5, true), 10, true, numbers},
		{"a third left out, shuffled", steps("x", 10, 1.5, false), 10, true, ""},
		{"most left out", steps("x", 10, 2.5, true), 10, true, ""},
		{"a patient's number", steps("pid", 10, 7, false), 10, true, named},
		{"another mean", shifted, 10, true, ""},
		{"another variance", wide, 10, true, ""},
		{"years", steps("Year", 10, 1, true), 10, true, ""},
		{"ranks", steps("rank", 10, 1, true), 10, true, ""},
		{"a ranking", steps("ranking", 10, 1, true), 10, true, ""},
		{"named", steps("PassengerId", 10, 1.5, false), 10, true, named},
		{"named with repeats", steps("PassengerId", 10, 1.5, false), 10, false, ""},
	} {
		if got := numberedRows(c.of, c.present, c.unique); (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
	for name, want := range map[string]bool{
		"": true, "Unnamed: 0": true, "id_1": true, "1": false, "index": true, "body mass index": false, "row index": true, "sample_index": true,
		"score_id_1": true, "recordIndex": true, "case index": true, "id of patient": true, "uuid_a": true, "key": true, "price": false, "patient.ID": true, "idea": false,
	} {
		if got := isIDName(nameWords(name)); got != want {
			t.Errorf("%q is named like an identifier: %v, want %v", name, got, want)
		}
	}
}

// TestNoIntraclassCorrelation checks groups whose values say nothing about each other.
func TestNoIntraclassCorrelation(t *testing.T) {
	for name, groups := range map[string][][]float64{"single rows": {{1}, {2}, {3}}, "one group": {{1, 2, 3}}, "equal means": {{1, 3}, {3, 1}}, "a constant": {{2, 2}, {2, 2}}} {
		c := newGroups(chosenColumn{}, 1, "")
		for label, values := range groups {
			for _, v := range values {
				c.labels = []uint64{uint64(label)}
				c.add([]float64{v}, false)
			}
		}
		if got := c.rho(0); got != 0 {
			t.Errorf("%s: the intraclass correlation is %v, want 0", name, got)
		}
	}
}

// TestLeastEigenvalue checks that correlations with a smallest eigenvalue of 2e-8 stay and those with 0.5e-8 are raised to 1e-8.
func TestLeastEigenvalue(t *testing.T) {
	for eigenvalue, want := range map[float64]bool{2e-8: false, 0.5e-8: true, -0.5: true} {
		s := []float64{4, 2 * (1 - eigenvalue), 2 * (1 - eigenvalue), 1}
		fix, err := makeDefinite(s, 2)
		if err != nil || (fix != nil) != want {
			t.Fatalf("eigenvalue %v: repaired is %v, %v", eigenvalue, fix != nil, err)
		}
		if !want {
			continue
		}
		left := 1 - s[1]/2 // with larger eigenvalue 2 the scaled smaller one is 2·1e-8/(2 + 1e-8)
		if larger := 2 - eigenvalue; math.Abs(left-2e-8/(larger+1e-8)) > 1e-12 || math.Abs(fix.smallest-eigenvalue) > 1e-12 || math.Abs(fix.change-math.Abs(left-eigenvalue)) > 1e-12 {
			t.Errorf("eigenvalue %v: %v is left, and %+v", eigenvalue, left, fix)
		}
	}
	if fix, err := makeDefinite([]float64{0, 0, 0, 0}, 2); fix != nil || err != nil {
		t.Errorf("columns without variance: %v, %v", fix, err)
	}
}

// TestLearnable checks the smallest table: three rows of two columns with variance.
func TestLearnable(t *testing.T) {
	for _, c := range []struct {
		rows, columns int
		want          bool
	}{{3, 2, true}, {2, 2, false}, {3, 1, false}} {
		x := matrix.New[float64](c.rows, c.columns)
		for i := range c.rows {
			for j := range c.columns {
				x.Set(i, j, float64(i*i+j*i))
			}
		}
		m := must.Get(dataset.MomentsOf([]string{"a", "b"}[:c.columns], x, 1))
		if err := Learnable(m); (err == nil) != c.want {
			t.Errorf("%d rows of %d columns: %v", c.rows, c.columns, err)
		}
		m.Scatter[0] = 0
		if err := Learnable(m); err == nil {
			t.Errorf("%d rows of %d columns without variance are accepted", c.rows, c.columns)
		}
	}
}
