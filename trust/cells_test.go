package trust

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
)

// findingsOf returns the findings of a table of columns with this profile, of so many rows, one "code severity columns" each.
func findingsOf(rows, dropped int, refuse Refusals, excluded string, check func(*examination), columns ...dataset.ColumnProfile) string {
	e := &examination{p: &dataset.Profile{}, m: dataset.NewMoments([]string{"x", "y"}), refuse: refuse, dropped: dropped, excluded: map[string]bool{excluded: true}, out: &DataChecks{RowsRead: rows}}
	for _, c := range columns {
		e.out.Columns = append(e.out.Columns, Column{ColumnProfile: c})
	}
	check(e)
	var out []string
	for _, f := range e.out.Findings {
		out = append(out, f.Code+" "+string(f.Severity)+" "+strings.Join(f.Columns, "+"))
	}
	return strings.Join(out, ", ")
}

// A value stands for missing ones if it is more than six standard deviations of the others from their mean. With 8 of 10 values that are ±1
// around 5, these are below -1 and above 11.
func TestSentinelsByTheOtherValues(t *testing.T) {
	column := func(v float64, change func(*dataset.ColumnProfile)) dataset.ColumnProfile {
		// The profile has moments of all values: 4, 6, 4, 6, … and twice v.
		c := dataset.ColumnProfile{Name: "x", Kind: "number", Suspect: v, Suspects: 2}
		c.Mean = (8*5 + 2*v) / 10
		c.Std = math.Sqrt((8*(25+1)+2*v*v)/10 - c.Mean*c.Mean)
		if change != nil {
			change(&c)
		}
		return c
	}
	for _, c := range []struct {
		what   string
		column dataset.ColumnProfile
		rows   int
		want   string
	}{
		{"far", column(11.5, nil), 10, "sentinel warning x"},
		{"near", column(10.5, nil), 10, ""},
		{"far below", column(-1.5, nil), 10, "sentinel warning x"},
		{"near below", column(-0.5, nil), 10, ""},
		{"far, with missing and infinite values", column(11.5, func(c *dataset.ColumnProfile) { c.Missing, c.Infinite = 2, 1 }), 13, "sentinel warning x"},
		{"near and alone", column(10.5, func(c *dataset.ColumnProfile) { c.SuspectLone = true }), 10, "sentinel warning x"},
		{"none", column(11.5, func(c *dataset.ColumnProfile) { c.Suspects = 0 }), 10, ""},
		{"made from another column", column(11.5, func(c *dataset.ColumnProfile) { c.From = "y" }), 10, ""},
		{"dropped", column(11.5, func(c *dataset.ColumnProfile) { c.Dropped = "constant" }), 10, ""},
		{"one other value", dataset.ColumnProfile{Name: "x", Suspect: 9, Suspects: 2, Mean: 19. / 3, Std: math.Sqrt((81*2+1)/3. - 19*19/9.)}, 3, ""},
		{"two other values", dataset.ColumnProfile{Name: "x", Suspect: 9, Suspects: 1, Mean: 11. / 3, Std: math.Sqrt((81+1+1)/3. - 121/9.)}, 3, "sentinel warning x"},
	} {
		if got := findingsOf(c.rows, 0, Refusals{}, "", (*examination).sentinels, c.column); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// Infinite values are errors, in one finding for columns without other values and in one for the rest.
func TestInfiniteValues(t *testing.T) {
	column := func(name string, infinite, missing int, from string) dataset.ColumnProfile {
		return dataset.ColumnProfile{Name: name, Infinite: infinite, Missing: missing, From: from}
	}
	got := findingsOf(10, 0, Refusals{}, "", (*examination).infinite, column("some", 1, 3, ""), column("all", 7, 3, ""), column("none", 0, 10, ""), column("made", 1, 0, "some"), column("most", 6, 3, ""))
	if want := "not_finite error all, not_finite error some+most"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Missing values are a warning above 5 % of the rows, an error if a run refuses them, and an error if no value is left.
func TestMissingValues(t *testing.T) {
	column := func(missing int, change func(*dataset.ColumnProfile)) dataset.ColumnProfile {
		c := dataset.ColumnProfile{Name: "x", Missing: missing}
		if change != nil {
			change(&c)
		}
		return c
	}
	for _, c := range []struct {
		what     string
		column   dataset.ColumnProfile
		dropped  int
		refuse   bool
		excluded string
		want     string
	}{
		{"none", column(0, nil), 0, false, "", ""},
		{"5 %", column(5, nil), 0, false, "", "missing note x"},
		{"6 %", column(6, nil), 0, false, "", "missing warning x"},
		{"5 % in dropped rows", column(5, nil), 5, false, "", "missing note x"},
		{"6 % of the rows dropped", column(4, nil), 6, false, "", "missing warning x"},
		{"refused", column(1, nil), 0, true, "", "missing error x"},
		{"all", column(100, nil), 0, true, "", "empty error x"},
		{"excluded", column(6, nil), 0, false, "x", ""},
		{"made from another column", column(6, func(c *dataset.ColumnProfile) { c.From = "y" }), 0, false, "", ""},
		{"the rest is infinite", column(60, func(c *dataset.ColumnProfile) { c.Infinite = 40 }), 0, false, "", ""},
	} {
		if got := findingsOf(100, c.dropped, Refusals{Missing: c.refuse}, c.excluded, (*examination).missing, c.column); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// A column that predicts missing values is doubtful if more than 5 % of its own values are missing.
func TestPredictedMissingValues(t *testing.T) {
	for missing, want := range map[float64]string{0.05: "missing_causes note x", 0.06: "missing_causes warning x"} {
		got := findingsOf(100, 0, Refusals{}, "", func(e *examination) {
			e.missingCauses(&dataset.Missingness{Predicted: []dataset.MissingPredictor{{Column: "x", By: "y", P: 1e-9, Missing: missing}}})
		})
		if got != want {
			t.Errorf("a predictor with %v missing: %q, want %q", missing, got, want)
		}
	}
}

// Text is an error if a run refuses it, a note if it is excluded or encoded, and a warning if it is one-hot encoded.
func TestTextColumns(t *testing.T) {
	text := func(change func(*dataset.ColumnProfile)) dataset.ColumnProfile {
		c := dataset.ColumnProfile{Name: "x", Kind: "text"}
		change(&c)
		return c
	}
	for _, c := range []struct {
		what     string
		column   dataset.ColumnProfile
		refuse   Refusals
		excluded string
		want     string
	}{
		{"encoded", text(func(*dataset.ColumnProfile) {}), Refusals{}, "", "text note x"},
		{"categorical", text(func(*dataset.ColumnProfile) {}), Refusals{Levels: true}, "", "text note x"},
		{"dropped", text(func(c *dataset.ColumnProfile) { c.Dropped = "text" }), Refusals{}, "", "text note x"},
		{"refused", text(func(c *dataset.ColumnProfile) { c.Dropped = "text" }), Refusals{Text: true}, "", "text error x"},
		{"one-hot", text(func(c *dataset.ColumnProfile) { c.From = "color" }), Refusals{}, "", "text warning color"},
		{"empty", text(func(c *dataset.ColumnProfile) { c.Missing = 100 }), Refusals{}, "", ""},
		{"excluded", text(func(*dataset.ColumnProfile) {}), Refusals{}, "x", ""},
		{"numbers", dataset.ColumnProfile{Name: "x", Kind: "number"}, Refusals{}, "", ""},
	} {
		if got := findingsOf(100, 0, c.refuse, c.excluded, (*examination).text, c.column); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// The words about missing values follow from the rows that are left: without lost rows they assume values missing at random, and the
// columns to drop are those with more than 5 % missing, or all if there are none.
func TestWordsOfMissingValues(t *testing.T) {
	for _, c := range []struct {
		what    string
		missing []int // of the columns a, b, …
		dropped int
		says    string
		drop    string
	}{
		{"no row is lost", []int{20, 3}, 0, "assume that values are missing at random", "a"},
		{"5 rows are lost", []int{20, 3}, 5, "assume that values are missing at random", "a"},
		{"20 rows are lost", []int{20, 3}, 20, "80 of 100 rows are left (20.0% lost)", "a"},
		{"many columns with few", []int{3, 4}, 7, "93 of 100 rows are left (7.0% lost)", "a+b"},
		{"few", []int{3, 4}, 5, "values are missing in 2 columns of 100 rows", ""},
	} {
		var e *examination
		var columns []dataset.ColumnProfile
		for k, n := range c.missing {
			columns = append(columns, dataset.ColumnProfile{Name: string(rune('a' + k)), Missing: n})
		}
		findingsOf(100, c.dropped, Refusals{}, "", func(x *examination) { e = x; x.missing() }, columns...)
		if len(e.out.Findings) != 1 {
			t.Fatalf("%s: %v", c.what, e.out.Findings)
		}
		f, drop := e.out.Findings[0], ""
		for _, r := range f.Remedies {
			drop += strings.Join(r.Columns, "+")
		}
		if !strings.Contains(f.Sentence, c.says) || drop != c.drop {
			t.Errorf("%s: %q, drop %q, want %q and %q", c.what, f.Sentence, drop, c.says, c.drop)
		}
	}
}

// Text that is not refused is a note, also if fewer than two columns are left.
func TestTextOfOneColumn(t *testing.T) {
	for _, c := range []struct {
		columns []string
		refuse  bool
		want    Severity
		drop    bool
	}{{[]string{"x"}, false, Note, false}, {[]string{"x"}, true, Error, false}, {[]string{"x", "y"}, true, Error, true}, {[]string{"x", "y"}, false, Note, false}} {
		e := &examination{m: dataset.NewMoments(c.columns), refuse: Refusals{Text: c.refuse}, out: &DataChecks{RowsRead: 10, Columns: []Column{{ColumnProfile: dataset.ColumnProfile{Name: "w", Kind: "text", Dropped: "text"}}}}}
		e.text()
		if f := e.out.Findings[0]; f.Severity != c.want || slices.ContainsFunc(f.Remedies, func(r fault.Remedy) bool { return len(r.Columns) > 0 }) != c.drop {
			t.Errorf("%d columns besides, refused %v: %+v, want %s with columns to drop: %v", len(c.columns), c.refuse, f, c.want, c.drop)
		}
	}
}

// Without text there is no finding about text, also with one column.
func TestNoText(t *testing.T) {
	for _, columns := range [][]string{{"x"}, {"x", "y"}} {
		e := &examination{m: dataset.NewMoments(columns), refuse: Refusals{Text: true}, out: &DataChecks{RowsRead: 10}}
		if e.text(); len(e.out.Findings) > 0 {
			t.Errorf("columns %v: %v", columns, e.out.Findings)
		}
	}
}

// A column that predicts several others is named once, and columns that are missing together are those of the finding only if none is predicted.
func TestWordsOfMissingCauses(t *testing.T) {
	for _, c := range []struct {
		m       dataset.Missingness
		says    string
		columns string
	}{
		{dataset.Missingness{Predicted: []dataset.MissingPredictor{{Column: "x", By: "y", Missing: 0.1}, {Column: "z", By: "y", Missing: 0.1}, {Column: "x", By: "w", Missing: 0.1}}}, "; y and w are often missing too", "x+z"},
		{dataset.Missingness{Together: [][]string{{"u", "v"}, {"w", "z"}}}, "missing in nearly the same rows: u and v; missing in nearly the same rows: w and z", "u+v"},
		{dataset.Missingness{Predicted: []dataset.MissingPredictor{{Column: "x", By: "y"}}, Together: [][]string{{"u", "v"}}}, "; missing in nearly the same rows: u and v", "x"},
	} {
		var e *examination
		findingsOf(100, 0, Refusals{}, "", func(x *examination) { e = x; x.missingCauses(&c.m) })
		if f := e.out.Findings[0]; !strings.Contains(f.Sentence, c.says) || strings.Join(f.Columns, "+") != c.columns {
			t.Errorf("%q of %v, want %q of %s", f.Sentence, f.Columns, c.says, c.columns)
		}
	}
}
