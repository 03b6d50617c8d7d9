package trust

import (
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
)

// Repeated rows are a warning above 1 % of the rows that were compared, if a column has many values. The finding says how many rows were
// compared if these are not all.
func TestRepeatedRows(t *testing.T) {
	for _, c := range []struct {
		repeated, of, read, distinct int
		severity                     Severity
		words                        string
	}{
		{0, 1000, 1000, 200, "", ""},
		{11, 1000, 1000, 200, Warning, "11 rows (1.1%) repeat an earlier row"},
		{10, 1000, 1000, 200, Note, "10 rows (1.0%) repeat an earlier row"},
		{11, 1000, 1001, 200, Warning, "11 rows of the first 1000 (1.1%) repeat an earlier row"},
		{11, 1000, 1000, 99, Note, "11 rows (1.1%) repeat an earlier row"},
		{1, 1000, 1000, 200, Note, "1 row (0.1%) repeats an earlier row"},
	} {
		m := dataset.NewMoments([]string{"x", "y"})
		m.N = c.read
		e := &examination{m: m, p: &dataset.Profile{RepeatedRows: c.repeated, RepeatedOf: c.of, RowsRead: c.read}, out: &DataChecks{}}
		e.out.Columns = []Column{{ColumnProfile: dataset.ColumnProfile{Kind: "number", Distinct: c.distinct}}, {ColumnProfile: dataset.ColumnProfile{Kind: "text", Distinct: 999}}}
		e.rows()
		var got Finding
		for _, f := range e.out.Findings {
			if f.Code == RepeatedRows {
				got = f
			}
		}
		if got.Severity != c.severity || !strings.HasPrefix(got.Sentence, c.words) {
			t.Errorf("%d of %d rows, %d read, %d values: %s %q, want %s %q", c.repeated, c.of, c.read, c.distinct, got.Severity, got.Sentence, c.severity, c.words)
		}
	}
}

// The number of rows is an error below the least, a warning below 30, and a warning if there are not more rows than columns.
func TestNumberOfRows(t *testing.T) {
	for _, c := range []struct {
		rows, columns int
		want          string
	}{
		{2, 2, "too_few_rows error"}, {3, 2, "too_few_rows warning"}, {3, 5, "too_few_rows warning"}, {4, 5, "too_few_rows warning, n_less_than_d warning"}, {29, 2, "too_few_rows warning"}, {30, 2, ""},
		{30, 30, "n_less_than_d warning"}, {31, 30, ""}, {30, 1, "too_few_columns error"},
	} {
		m := dataset.NewMoments(make([]string, c.columns))
		m.N = c.rows
		e := &examination{m: m, out: &DataChecks{}}
		e.rows()
		var got []string
		for _, f := range e.out.Findings {
			got = append(got, f.Code+" "+string(f.Severity))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%d rows, %d columns: %v, want %s", c.rows, c.columns, got, c.want)
		}
	}
	few := &examination{m: &dataset.Moments{Names: []string{"x", "y"}, N: 3}, out: &DataChecks{}}
	if few.rows(); few.out.Findings[0].Sentence != "the table has 3 rows, too few to learn an edge from" {
		t.Errorf("3 rows: %+v", few.out.Findings)
	}
	// An edge improves BIC if 1 - r² is below n^(-1/n): with 25 rows, beyond √(1 - 25^(-1/25)) = 0.348.
	m := dataset.NewMoments([]string{"x", "y"})
	m.N = 25
	e := &examination{m: m, out: &DataChecks{}}
	if e.rows(); len(e.out.Findings) != 1 || !strings.Contains(e.out.Findings[0].Sentence, "beyond ±0.35") {
		t.Errorf("25 rows: %+v, want correlations beyond ±0.35", e.out.Findings)
	}
}

// Without two columns the finding names the text columns that were dropped, if there are some.
func TestTextOfTooFewColumns(t *testing.T) {
	for dropped, want := range map[string]string{"": "1 usable column (x); at least 2 are needed", "text": "1 usable column (x); at least 2 are needed: note is text"} {
		e := &examination{m: dataset.NewMoments([]string{"x"}), out: &DataChecks{}}
		e.out.Columns = []Column{{ColumnProfile: dataset.ColumnProfile{Name: "x", Kind: "number", Dropped: dropped}}, {ColumnProfile: dataset.ColumnProfile{Name: "note", Kind: "text", Dropped: dropped}}}
		if e.tooFewColumns(); e.out.Findings[0].Sentence != want {
			t.Errorf("text column dropped: %q: %q, want %q", dropped, e.out.Findings[0].Sentence, want)
		}
	}
}
