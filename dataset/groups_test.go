package dataset

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestEffectiveRows checks the design effect 1 + (s - 1)·ρ₁·ρ₂, which is at least 1, and the number of effective rows, which is at least one.
func TestEffectiveRows(t *testing.T) {
	alike := func(a, b float64) []Alike { return []Alike{{"x", a}, {"y", b}} }
	for _, c := range []struct {
		name   string
		rows   int
		size   float64
		alike  []Alike
		effect float64
		want   int
	}{
		{"two columns", 100, 5, alike(0.5, 0.5), 2, 50},
		{"rounded", 100, 3, alike(0.5, 0.5), 1.5, 67},
		{"one column", 100, 5, alike(0.5, 0.5)[:1], 1, 100},
		{"single rows", 100, 1, alike(0.5, 0.5), 1, 100},
		{"no columns", 100, 5, nil, 1, 100},
		{"negative correlation", 100, 5, alike(0.5, -0.5), 1, 100},
		{"one group", 100, 1000, alike(1, 1), 1000, 1},
	} {
		k := &Groups{Rows: c.rows, Size: c.size, Alike: c.alike}
		if k.Judge(); math.Abs(k.DesignEffect-c.effect) > 1e-12 || k.EffectiveRows != c.want {
			t.Errorf("%s: design effect %v and %d rows, want %v and %d", c.name, k.DesignEffect, k.EffectiveRows, c.effect, c.want)
		}
	}
}

// TestSentenceOfGroups checks the words for a part of the groups, for rows that are groups of their own, and with correlations.
func TestSentenceOfGroups(t *testing.T) {
	const head = "Rows with the same value of id are treated as one group: 100 rows in "
	for _, c := range []struct {
		part, size float64
		alike      []Alike
		want       string
	}{
		{1, 2, nil, "20 groups count as 50 independent rows."},
		{0.5, 2, nil, "about 20 groups count as 50 independent rows."},
		{1, 1, nil, "20 groups count as 50 independent rows, since every row is a group of its own."},
		{1, 5, []Alike{{"x", 0.5}}, "20 groups count as 50 independent rows."},
		{1, 5, []Alike{{"x", 0.5}, {"y", 0.25}}, "20 groups count as 50 independent rows (design effect 2: mean group size of a row 5; largest intraclass correlations: x 0.50, y 0.25)."},
	} {
		k := &Groups{Column: "id", Rows: 100, Count: 20, Part: c.part, Size: c.size, Alike: c.alike, DesignEffect: 2, EffectiveRows: 50}
		if got := k.Sentence(); got != head+c.want {
			t.Errorf("%q, want %q", got, head+c.want)
		}
	}
}

// TestNotesOfColumns checks the sentences with and without a line, of an unknown form, and of ambiguous dates.
func TestNotesOfColumns(t *testing.T) {
	for want, n := range map[string]ColumnNote{
		`Column a: cells such as "*" are missing values.`:                                 {"a", ReadMarker, "*", 0},
		`Column a: cells such as "*" (line 1) are missing values.`:                        {"a", ReadMarker, "*", 1},
		`Column a: percentages such as "7%" are numbers; 5% is 5.`:                        {"a", ReadPercent, "7%", 0},
		`Column a: something, as in "x" (line 3).`:                                        {"a", "something", "x", 3},
		`Column a: dates such as "1.2.2024" are seconds since 1970; the day comes first.`: {"a", ReadDayFirst, "1.2.2024", 0},
	} {
		if got := n.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for what, want := range map[string]bool{ReadAmbiguous: true, ReadYearFirst: false} {
		if got := (ColumnNote{"a", what, "1/2/2024", 0}).String(); strings.Contains(got, "the month comes first") != want || strings.Contains(got, "date-order=dmy") != want {
			t.Errorf("%s: %q, want advice: %v", what, got, want)
		}
	}
}

// TestRepairedNames checks names that are empty, repeated or taken, and that up to five changes are listed.
func TestRepairedNames(t *testing.T) {
	for _, c := range []struct {
		names, want []string
		note        string
	}{
		{[]string{"a", "b"}, []string{"a", "b"}, ""},
		{[]string{"a", "", "a"}, []string{"a", "column_2", "a_2"}, "column 2 without a name is column_2; column 3, another a, is a_2"},
		{[]string{"a", "a_2", "a", "a"}, []string{"a", "a_2", "a_3", "a_4"}, "column 3, another a, is a_3; column 4, another a, is a_4"},
		{[]string{"", "", "", "", ""}, []string{"column_1", "column_2", "column_3", "column_4", "column_5"},
			"column 1 without a name is column_1; column 2 without a name is column_2; column 3 without a name is column_3; column 4 without a name is column_4; column 5 without a name is column_5"},
		{[]string{"a", "a", "a", "a", "a", "a", "a", "a"}, []string{"a", "a_2", "a_3", "a_4", "a_5", "a_6", "a_7", "a_8"},
			"column 2, another a, is a_2; column 3, another a, is a_3; column 4, another a, is a_4; column 5, another a, is a_5; column 6, another a, is a_6; 2 more"},
	} {
		names := slices.Clone(c.names)
		if note := RepairNames(names); !slices.Equal(names, c.want) || note != c.note {
			t.Errorf("%q: %q and %q, want %q and %q", c.names, names, note, c.want, c.note)
		}
	}
}

// TestMergedCounts checks the largest number of rows of merged counts.
func TestMergedCounts(t *testing.T) {
	columns := []Column{{Name: "a"}, {Name: "b"}}
	counts := func(times uint64) *Counts {
		return &Counts{Columns: columns, Levels: [][]Level{{{Number: 1}}, {{Number: 2}}}, Codes: []uint32{0, 0}, Times: []uint64{times}}
	}
	m := NewCountsMaker(columns, 1<<20)
	if err := m.Merge(counts(MostCounted-1), nil); err != nil {
		t.Error(err)
	}
	if err := m.Merge(counts(1), []int{0, 1}); err != nil {
		t.Errorf("the largest number of rows: %v", err)
	}
	if err := m.Merge(counts(1), nil); !errors.Is(err, ErrDistinct) {
		t.Errorf("one row more: %v", err)
	}
}
