package prepare

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// TestTooFewUsable checks the list of at most eight columns and the remedy, which depends on the reasons.
func TestTooFewUsable(t *testing.T) {
	of := func(reasons ...string) (list []dataset.Excluded) {
		for i, r := range reasons {
			list = append(list, dataset.Excluded{Name: string(rune('a' + i)), Reason: r, Detail: "d"})
		}
		return list
	}
	for _, c := range []struct {
		excluded []dataset.Excluded
		want     string
	}{
		{of(reasonConstant, reasonEmpty), "excluded: a: constant (d); b: no values (d); give a table with at least two numeric or categorical columns that vary"},
		{of(reasonIdentifier, Duplicate, reasonMissing, reasonFreeText), "use keep=a,b,c to keep such columns"},
		{of(reasonIdentifier, reasonText, reasonMixed), "use encode=levels to read text as categories"},
		{of(reasonIdentifier, reasonMixed), "correct the text among numbers, or mark it as missing with the setting na"},
		{of(slices.Repeat([]string{reasonConstant}, 8)...), "h: constant (d); give a table"},
		{of(slices.Repeat([]string{reasonConstant}, 10)...), "h: constant (d); 2 more; give a table"},
	} {
		if err := tooFewUsable(c.excluded, &options{}); !errors.Is(err, dataset.ErrOneColumn) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
	six := of(slices.Repeat([]string{reasonConstant}, 6)...)
	if got, want := ExcludedNote(append(six, of(reasonEmpty)...)), "7 columns excluded (a, b, c, d, e, f: constant; a: no values)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := ExcludedNote(append(six, of(reasonConstant, reasonConstant)...)), "8 columns excluded (a, b, c, d, e, f and 2 more: constant)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestUnusableColumns checks the reasons that the profile of a column gives. Infinite values are neither missing nor equal to others.
func TestUnusableColumns(t *testing.T) {
	number, integer := dataset.Number.String(), dataset.Integer.String()
	s := &observed{rows: 12, columns: []dataset.ColumnProfile{
		{Name: "empty", Kind: number, Missing: 12}, {Name: "infinite", Kind: number, Infinite: 12}, {Name: "some infinite", Kind: number, Min: 1, Max: 1, Infinite: 1},
		{Name: "same", Kind: number, Min: 3, Max: 3, Missing: 2}, {Name: "city=a", From: "city", Kind: integer, Min: 1, Max: 1},
		{Name: "a_id", Kind: integer, Min: 1, Max: 50}, {Name: "b_id", Kind: integer, Min: 1, Max: 50}, {Name: "c_id", Kind: number, Min: 1, Max: 50}, {Name: "d_id", Kind: integer, Min: 1, Max: 50, Missing: 3},
	}}
	var chosen []chosenColumn
	for _, c := range s.columns {
		s.from, s.unique = append(s.from, c.Name), append(s.unique, true)
		chosen = append(chosen, chosenColumn{Column: dataset.Column{Name: c.Name}, keep: c.Name == "b_id"})
	}
	s.from[4] = "city"
	o := &options{seen: s}
	var got []string
	list := o.unusable(chosen, nil, &MissingError{})
	for _, x := range list {
		got = append(got, x.Name+": "+x.Detail)
	}
	want := []string{"empty: all 12 values are missing", "same: every value is 3, and 2 are missing", "a_id: named like an identifier, and no value repeats"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := o.unusable(chosen, nil, errDisk); got != nil {
		t.Errorf("%v after another error", got)
	}
	profiles := s.profilesOf(append(list, dataset.Excluded{Name: "city", Reason: reasonText}))
	if len(profiles) != 3 || profiles[0].Name != "empty" || profiles[1].Dropped != "constant: every value is 3, and 2 are missing" || profiles[2].Name != "a_id" {
		t.Errorf("profiles of the excluded columns: %+v", profiles)
	}
}

// TestConstantAndDuplicateColumns checks the columns that are constant or equal in the rows that were kept.
func TestConstantAndDuplicateColumns(t *testing.T) {
	line := []float64{0, 1, 2, 4, 7, 9}
	moved := func(by float64) []float64 { x := slices.Clone(line); x[3] += by; return x }
	for _, c := range []struct {
		name     string
		columns  [][]float64 // a, b, c, ...
		set      Settings
		from     string // one-hot column
		keep     string
		gone     string
		levels   bool // the levels of a and b differ
		constant string
		want     string
	}{
		{"equal columns", [][]float64{line, line, moved(1), line}, Settings{}, "", "", "", false, "", "b=a d=a"},
		{"a kept column", [][]float64{line, line, line}, Settings{}, "", "c", "", false, "", "a=c b=c"},
		{"two kept columns", [][]float64{line, line}, Settings{}, "", "ab", "", false, "", ""},
		{"two rows", [][]float64{line[:2], line[:2]}, Settings{}, "", "", "", false, "", ""},
		{"three rows", [][]float64{line[:3], line[:3]}, Settings{}, "", "", "", false, "", "b=a"},
		{"normal scores", [][]float64{line, line}, Settings{NormalScores: true}, "", "", "", false, "", ""},
		{"classes", [][]float64{line, line}, Settings{Discretize: 3}, "", "", "", false, "", ""},
		{"a one-hot column", [][]float64{line, line}, Settings{}, "b", "", "", false, "", ""},
		{"an excluded column", [][]float64{line, line}, Settings{}, "", "", "b", false, "", ""},
		{"other levels", [][]float64{line, line}, Settings{}, "", "", "", true, "", ""},
		{"rounding", [][]float64{line, moved(1e-7)}, Settings{}, "", "", "", false, "", "b=a"},
		{"another value", [][]float64{line, moved(1e-5)}, Settings{}, "", "", "", false, "", ""},
		{"constant columns", [][]float64{{3, 3, 3}, {3, 3, 3}, {3, 3, 3}}, Settings{}, "c", "", "", false, "ab", ""},
		{"constant in two rows", [][]float64{{3, 3}, {3, 4}}, Settings{}, "", "", "", false, "a", ""},
		{"one row", [][]float64{{3}, {4}}, Settings{}, "", "", "", false, "", ""},
	} {
		names := strings.Split("abcdef", "")[:len(c.columns)]
		s, m := &observed{from: names}, dataset.NewMoments(names)
		var rows []float64
		for i := range c.columns[0] {
			for _, x := range c.columns {
				rows = append(rows, x[i])
			}
		}
		must.Succeed(t, m.AddBlock(rows))
		g := &Gathered{Moments: m, Levels: make([][]string, len(names))}
		if c.levels {
			g.Levels[0], g.Levels[1] = []string{"x", "y"}, []string{"x", "z"}
		}
		keep := map[string]bool{}
		for _, name := range names {
			p := dataset.ColumnProfile{Name: name}
			if name == c.from {
				p.From = "text"
			}
			s.columns, keep[name] = append(s.columns, p), strings.Contains(c.keep, name)
		}
		var got []string
		constant := ""
		for _, x := range constantNow(g, s) {
			constant += x.Name
			if want := fmt.Sprintf("the same value in all %d rows without missing values", m.N); x.Detail != want {
				t.Errorf("%s: %s, want %s", c.name, x.Detail, want)
			}
		}
		for _, x := range duplicates(g, s, keep, []dataset.Excluded{{Name: c.gone}}, &options{Settings: c.set}) {
			got = append(got, x.Name+"="+strings.TrimSuffix(strings.TrimPrefix(x.Detail, "equals "), " in every row"))
		}
		if text := strings.Join(got, " "); text != c.want || constant != c.constant {
			t.Errorf("%s: constant %q, duplicates %q; want %q, %q", c.name, constant, text, c.constant, c.want)
		}
	}
}

// TestGatherExcludesIncomplete checks exclusion together with missing values and with too few columns.
func TestGatherExcludesIncomplete(t *testing.T) {
	hole := func(i int) any {
		if i == 5 {
			return nil
		}
		return float64(i * i % 17)
	}
	set := func(missing dataset.Missing, lenient bool) func(*Settings) {
		return func(o *Settings) { o.Exclude, o.Missing, o.Lenient, o.Encode = true, missing, lenient, "levels" }
	}
	constants := memOf("a b", []any{1, 2}, []any{1, 2}, []any{1, 2})
	for _, c := range []struct {
		name  string
		table *memTable
		set   func(*Settings)
		want  string
		fault error
	}{
		{"an empty column is no missing value", survey(20, "e", func(int) any { return nil }), set("error", false), "e: no values", nil},
		{"missing values are an error", survey(20, "x", hole), set("error", false), "", dataset.ErrMissing},
		{"equal incomplete columns", survey(20, "x y", hole, hole), set("auto", false), "y: duplicate", nil},
		{"equal columns by pairs", survey(20, "x y", hole, hole), set("pairwise", false), "", nil},
		{"a column that is constant in complete rows", survey(20, "x", func(i int) any { return map[bool]any{true: nil, false: 2.0}[i < 4] }), set("drop", false), "x: constant", nil},
		{"a column that varies only in incomplete rows", survey(20, "x y", hole, func(i int) any { return map[bool]float64{true: 1, false: 2}[i == 5] }), set("drop", false), "y: constant", nil},
		{"constant columns", constants, set("auto", false), "", dataset.ErrOneColumn},
		{"constant columns of a lenient pass", constants, set("auto", true), "a: constant, b: constant", nil},
		{"one column", memOf("a", []any{1}, []any{2}), set("auto", false), "", dataset.ErrOneColumn},
	} {
		g, err := gather(t, c.table, c.set)
		if !errors.Is(err, c.fault) {
			t.Errorf("%s: %v, want %v", c.name, err, c.fault)
		} else if err == nil && strings.Join(reasons(g), ", ") != c.want {
			t.Errorf("%s: excluded %q, want %q", c.name, reasons(g), c.want)
		} else if c.name == "one column" && !strings.Contains(err.Error(), "only one numeric column is left (a)") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	g, err := gather(t, survey(20, "x", hole), func(o *Settings) { o.Exclude, o.Profile, o.Missing = true, false, "auto" })
	if err != nil || len(g.Profile.Excluded) > 0 {
		t.Errorf("without a profile: %v", err)
	}
}
