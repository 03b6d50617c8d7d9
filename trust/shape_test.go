package trust

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
)

// The most frequent value of a column is that of its profile. For two values without a profile the share follows from the mean, and two
// values have the largest variance that the range and the mean allow.
func TestMostFrequentValue(t *testing.T) {
	values := map[string][]float64{
		"mostly 5": {3, 5, 5, 5, 5}, "mostly 3": {3, 3, 3, 5, 5}, "half": {3, 3, 5, 5}, "more 5": {3, 3, 5, 5, 5}, "three values": {3, 4, 5, 5}, "constant": {3, 3, 3},
	}
	for what, c := range map[string]struct{ value, share float64 }{
		"mostly 5": {5, 0.8}, "mostly 3": {3, 0.6}, "half": {3, 0.5}, "more 5": {5, 0.6}, "three values": {0, 0}, "constant": {0, 0},
	} {
		m := columnMoments(t, values[what])
		e := newExamination(m, nil, Refusals{})
		if value, share := e.top(0); value != c.value || !(math.Abs(share-c.share) <= 1e-12) {
			t.Errorf("%s: %v with a share of %v, want %v with %v", what, value, share, c.value, c.share)
		}
		if got := e.twoValued(0); got != (c.share > 0) {
			t.Errorf("%s: the column has two values: %v", what, got)
		}
	}
}

// A numbering has distinct whole numbers in at least ten rows that are monotone or fill a range.
func TestNumberings(t *testing.T) {
	for _, c := range []struct {
		column dataset.ColumnProfile
		rows   int
		want   string
	}{
		{dataset.ColumnProfile{Kind: "integer", Monotone: true, Min: 3, Max: 90, Distinct: 10}, 10, "increases or decreases in every row, from 3 to 90"},
		{dataset.ColumnProfile{Kind: "integer", Monotone: true, Min: 3, Max: 90, Distinct: 9}, 9, ""},
		{dataset.ColumnProfile{Kind: "integer", Monotone: true, Min: 3, Max: 90, Distinct: 10, Missing: 1}, 10, ""},
		{dataset.ColumnProfile{Kind: "number", Monotone: true, Min: 3, Max: 90, Distinct: 10}, 10, ""},
		{dataset.ColumnProfile{Kind: "integer", Monotone: true, From: "x", Min: 3, Max: 90, Distinct: 10}, 10, ""},
		{dataset.ColumnProfile{Kind: "integer", Min: 3, Max: 12, Distinct: 10}, 10, "has every integer from 3 to 12 once"},
		{dataset.ColumnProfile{Kind: "integer", Min: 3, Max: 12, Distinct: 10, Missing: 2}, 12, "has every integer from 3 to 12 once"},
		{dataset.ColumnProfile{Kind: "integer", Min: 3, Max: 13, Distinct: 10}, 10, ""},
		{dataset.ColumnProfile{Kind: "integer", Min: 3, Max: 13, Distinct: 10}, 11, ""},
		{dataset.ColumnProfile{Kind: "integer", Min: 3, Max: 12, Distinct: 10}, 11, ""},
	} {
		column, got := &Column{ColumnProfile: c.column}, ""
		if numbering(column, c.rows) {
			got = numberingWhy(column)
		}
		if got != c.want {
			t.Errorf("%+v in %d rows: %q, want %q", c.column, c.rows, got, c.want)
		}
	}
}

// Text with a distinct value in every row is an identifier from ten values on, unless the column is dropped, excluded or made from another.
func TestTextIdentifiers(t *testing.T) {
	for _, c := range []struct {
		what    string
		column  dataset.ColumnProfile
		refuse  bool
		exclude bool
		want    bool
	}{
		{"ten values", dataset.ColumnProfile{Kind: "text", Distinct: 10}, false, false, true},
		{"a missing value", dataset.ColumnProfile{Kind: "text", Distinct: 9, Missing: 1}, false, false, false},
		{"a repeated value", dataset.ColumnProfile{Kind: "text", Distinct: 9}, false, false, false},
		{"numbers", dataset.ColumnProfile{Kind: "number", Distinct: 10}, false, false, false},
		{"made from another", dataset.ColumnProfile{Kind: "text", Distinct: 10, From: "y"}, false, false, false},
		{"dropped", dataset.ColumnProfile{Kind: "text", Distinct: 10, Dropped: "text"}, false, false, false},
		{"dropped, but a run refuses text", dataset.ColumnProfile{Kind: "text", Distinct: 10, Dropped: "text"}, true, false, true},
		{"excluded", dataset.ColumnProfile{Kind: "text", Distinct: 10}, false, true, false},
	} {
		c.column.Name = "x"
		e := &examination{p: &dataset.Profile{}, m: dataset.NewMoments(nil), refuse: Refusals{Text: c.refuse}, excluded: map[string]bool{"x": c.exclude}, out: &DataChecks{RowsRead: 10}}
		e.out.Columns = []Column{{ColumnProfile: c.column}}
		e.shapes()
		if got := slices.ContainsFunc(e.out.Findings, func(f Finding) bool { return f.Code == IDLike }); got != c.want {
			t.Errorf("%s: it is an identifier: %v, want %v", c.what, got, c.want)
		}
	}
}

// Three findings with one code are listed separately. More are joined into one that counts all and words three.
func TestJoinedFindings(t *testing.T) {
	for k := 2; k <= 5; k++ {
		e := &examination{out: &DataChecks{Findings: []Finding{{Code: Collinear, Severity: Note, Sentence: "a note"}}}}
		for i := range k {
			name := string(rune('a' + i))
			e.out.Findings = append(e.out.Findings, Finding{Code: Collinear, Severity: Warning, Columns: []string{name, "shared"}, Sentence: "relation " + name})
		}
		e.joinFindings(Collinear, "relations", []string{"more"})
		last := e.out.Findings[len(e.out.Findings)-1]
		switch {
		case k <= 3 && len(e.out.Findings) != k+1:
			t.Errorf("%d findings become %d, want the same", k, len(e.out.Findings))
		case k > 3 && (len(e.out.Findings) != 2 || len(last.Columns) != k+2):
			t.Errorf("%d findings: %+v, want a note and one finding with all columns", k, e.out.Findings)
		case k > 3 && (strings.Count(last.Sentence, "relation ") != 3 || !strings.HasPrefix(last.Sentence, string(rune('0'+k+1))+" relations")):
			t.Errorf("%d findings: %q, want three relations of %d", k, last.Sentence, k+1)
		}
	}
}

// The size of a column is its largest absolute value, on either side.
func TestSizeOfAColumn(t *testing.T) {
	for _, x := range [][]float64{{-7, 2, 3}, {-2, 3, 7}} {
		m := columnMoments(t, x)
		if got := newExamination(m, nil, Refusals{}).size(0); got != 7 {
			t.Errorf("%v: size %v, want 7", x, got)
		}
	}
}

// Skewness is reported beyond ±2 and heavy tails beyond an excess kurtosis of 7.
func TestLimitsOfShape(t *testing.T) {
	m := columnMoments(t, []float64{1, 2, 4})
	for _, c := range []struct {
		skewness, kurtosis float64
		want               string
	}{{2, 7, ""}, {2.1, 7, Skewed}, {-2.1, 7, Skewed}, {-2, 7.1, HeavyTails}, {2.1, 7.1, Skewed + HeavyTails}} {
		p := &dataset.Profile{RowsRead: 3, RowsUsed: 3, Columns: []dataset.ColumnProfile{{Name: "x", Kind: "number", Distinct: 3, Min: 1, Max: 4, Skewness: c.skewness, Kurtosis: c.kurtosis}}}
		e := newExamination(m, p, Refusals{})
		e.shapes()
		got := ""
		for _, f := range e.out.Findings {
			got += f.Code
		}
		if got != c.want {
			t.Errorf("skewness %v, kurtosis %v: %q, want %q", c.skewness, c.kurtosis, got, c.want)
		}
	}
}

// Three to ten distinct integers in more than 20 rows look like codes, unless the column was made from another or transformed.
func TestFewLevels(t *testing.T) {
	for _, c := range []struct {
		what     string
		rows     int
		distinct int
		kind     string
		from     string
		max      float64
		want     bool
	}{
		{"three values", 21, 3, "integer", "", 20, true}, {"ten values", 21, 10, "integer", "", 20, true}, {"eleven values", 21, 11, "integer", "", 20, false},
		{"twenty rows", 20, 3, "integer", "", 19, false}, {"numbers", 21, 3, "number", "", 20, false}, {"made from another", 21, 3, "integer", "y", 20, false},
		{"transformed", 21, 3, "integer", "", 99, false},
	} {
		m := tabulated(t, []string{"x"}, c.rows, func(i int) []float64 { return []float64{float64(i)} })
		p := &dataset.Profile{RowsRead: c.rows, RowsUsed: c.rows, Columns: []dataset.ColumnProfile{{Name: "x", Kind: c.kind, From: c.from, Distinct: c.distinct, Max: c.max}}}
		e := newExamination(m, p, Refusals{})
		e.shapes()
		if got := slices.ContainsFunc(e.out.Findings, func(f Finding) bool { return f.Code == FewLevels }); got != c.want {
			t.Errorf("%s: few levels %v, want %v", c.what, got, c.want)
		}
	}
}

// The range of a column is known if both ends are finite.
func TestKnownRange(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      bool
	}{{1, 2, true}, {math.Inf(1), 2, false}, {1, math.Inf(-1), false}} {
		m := dataset.NewMoments([]string{"x"})
		m.Min[0], m.Max[0] = c.low, c.high
		if got := (&examination{m: m}).rangeKnown(0); got != c.want {
			t.Errorf("from %v to %v: known %v, want %v", c.low, c.high, got, c.want)
		}
	}
}
