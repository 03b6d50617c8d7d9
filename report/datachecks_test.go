package report_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/report"
	"github.com/polydag/polydag/trust"
)

func dataChecks() *trust.DataChecks {
	r2, condition, ratio := 0.25, 1.5, 4.0
	return &trust.DataChecks{
		Schema: trust.CheckSchema, File: "t.csv", Rows: 90, RowsRead: 100, Profiled: true,
		Columns: []trust.Column{
			{ColumnProfile: dataset.ColumnProfile{Name: "city", Kind: "text", Distinct: 12, Dropped: "text"}},
			{ColumnProfile: dataset.ColumnProfile{Name: "größe", Kind: "number", Missing: 10, Distinct: 4096, Mean: 170.25, Std: 8, Min: 150, Max: 199, Skewness: 0.125, Kurtosis: -0.5}, TakenAs: "continuous", R2: &r2},
			{ColumnProfile: dataset.ColumnProfile{Name: "x", Kind: "integer", Distinct: 2, Mean: 0.5, Std: 0.5, Max: 1}},
		},
		Findings: []trust.Finding{
			{Code: "constant", Severity: trust.Error, Columns: []string{"site"}, Sentence: "site (7) is the same in every row", WayOut: "--drop site"},
			{Code: "near_collinear", Severity: trust.Warning, Sentence: strings.Repeat("a long sentence ", 10) + "that\x1b[31m ends", WayOut: strings.Repeat("--drop x ", 15)},
		},
		Varying: 2, Rank: 2, Condition: &condition, StdRatio: &ratio,
		Std:   &trust.Spread{Low: trust.Extreme{Column: "x", Value: 0.5}, High: trust.Extreme{Column: "größe", Value: 8}},
		R2:    &trust.Spread{Low: trust.Extreme{Column: "x", Value: 0.125}, High: trust.Extreme{Column: "größe", Value: 0.25}},
		Notes: []string{"10 rows with missing values were dropped"},
	}
}

func TestDataChecksText(t *testing.T) {
	b := must.Text(t, report.DataChecks(dataChecks(), 0))
	want := `t.csv: 100 rows × 3 columns, 90 rows used
correlation matrix: rank 2 of 2, condition number 1.5
standard deviations: 0.5 (x) to 8 (größe)
R² of a column given all others: 0.12 (x) to 0.25 (größe)

1 error, 1 warning, 0 notes
  error   constant        site (7) is the same in every row
                          → --drop site
  warning near_collinear  a long sentence a long sentence a long sentence a long sentence a long sentence a
                          long sentence a long sentence a long sentence a long sentence a long sentence
                          that\u001b[31m ends
                          → --drop x --drop x --drop x --drop x --drop x --drop x --drop x --drop x --drop x
                            --drop x --drop x --drop x --drop x --drop x --drop x

  column  type     kind        missing  values   mean  std  min  max   skew  kurtosis     R²
  city    text                       0      12  excluded: text
  größe   number   continuous       10   4096+  170.2    8  150  199  0.125      -0.5  0.250
  x       integer                    0       2    0.5  0.5    0    1      0         0
Legend: type: of the cells; kind: how models treat the column; values: number of different values; kurtosis: excess kurtosis, 0 for a Gaussian; R²: of a regression on all other columns.
`
	must.Same(t, b, want)
}

func TestDataChecksTextWithoutProfile(t *testing.T) {
	p := &trust.DataChecks{Rows: 7, RowsRead: 7}
	for k := range 60 {
		p.Columns = append(p.Columns, trust.Column{ColumnProfile: dataset.ColumnProfile{Name: fmt.Sprint("c", k), Max: 1}})
	}
	b := must.Text(t, report.DataChecks(p, 0))
	must.Contain(t, b, "7 rows × 60 columns\n", "No problems found", "  column  mean  std  min  max  R²\n", "  c39 ", "… and 20 more; list all with json=true")
	if strings.Contains(b, "c40") {
		t.Error("more than 40 columns are printed")
	}
}

func TestCheckJSON(t *testing.T) {
	b := must.Text(t, report.CheckJSON(dataChecks()))
	var back map[string]any
	must.Succeed(t, json.Unmarshal([]byte(b), &back))
	column := back["columns"].([]any)[1].(map[string]any)
	if back["schema"] != "polydag.check/1" || column["name"] != "größe" || column["r2"] != 0.25 {
		t.Errorf("got %s", b)
	}
}

// TestDataChecksWidth checks that the table of columns omits the kurtosis, then the skewness, only if it is wider than the terminal. The text of
// an excluded column does not count.
func TestDataChecksWidth(t *testing.T) {
	header := func(width int) string {
		b := must.Text(t, report.DataChecks(dataChecks(), width))
		for line := range strings.Lines(b) {
			if strings.HasPrefix(line, "  column") {
				return strings.TrimSpace(line)
			}
		}
		t.Fatalf("no table in\n%s", b)
		return ""
	}
	whole := header(0)
	width := 2 + len([]rune(whole))
	short := strings.Replace(whole, "  kurtosis", "", 1)
	if header(width) != whole || header(width-1) != short || header(width-10) != short || strings.Contains(header(width-11), "skew") {
		t.Errorf("%q\n%q\n%q\n%q", header(width), header(width-1), header(width-10), header(width-11))
	}
}

// TestDataChecksFigures checks that categories have no figures, codes have, and unknown extremes are marked.
func TestDataChecksFigures(t *testing.T) {
	p := dataChecks()
	column := func(name, is string, as dataset.VariableKind, high, std float64) trust.Column {
		return trust.Column{ColumnProfile: dataset.ColumnProfile{Name: name, Kind: is, Distinct: 3, Mean: 5, Std: std, Min: 3, Max: high}, TakenAs: as}
	}
	p.Columns = []trust.Column{column("c", "text", "categorical", 8, 2), column("o", "text", "ordinal", 8, 2), column("e", "number", "", 3, 2), column("s", "number", "", 3, 0),
		column("k", "number", "categorical", 8, 2), column("b", "text", "binary", 8, 2), column("n", "number", "binary", 8, 2), column("t", "text", "", 8, 2)}
	b := must.Text(t, report.DataChecks(p, 0))
	text := strings.Join(strings.Fields(b), " ")
	must.Contain(t, text, " c text categorical 0 3 o text ordinal 0 3 5 2 3 8 0 0 e ", " e number 0 3 5 2 ? ? 0 0 s number 0 3 5 0 3 3 0 0 ",
		" k number categorical 0 3 5 2 3 8 0 0 b text binary 0 3 n number binary 0 3 5 2 3 8 0 0 t text 0 3 5 2 3 8 0 0 ")
}

// TestDataChecksRoundingErrors checks that the mean of a centered column is 0.
func TestDataChecksRoundingErrors(t *testing.T) {
	p := dataChecks()
	p.Columns = []trust.Column{{ColumnProfile: dataset.ColumnProfile{Name: "age", Kind: "number", Distinct: 58, Mean: -2.776e-17, Std: 0.05, Min: -0.1, Max: 0.1}}}
	must.Contain(t, strings.Join(strings.Fields(checkText(t, p, 0)), " "), " age number 0 58 0 0.05 -0.1 0.1 ")
}

// TestDataChecksEqualExtremes checks that two columns, which have the same R², are not shown as a range.
func TestDataChecksEqualExtremes(t *testing.T) {
	p := dataChecks()
	p.Std.High = p.Std.Low
	p.R2 = &trust.Spread{Low: trust.Extreme{Column: "x", Value: 0.64}, High: trust.Extreme{Column: "y", Value: 0.6400000001}}
	must.Contain(t, checkText(t, p, 0), "\nstandard deviations: 0.5\nR² of a column given all others: 0.64\n")
}

// TestDataChecksWithFewFigures checks that up to 40 excluded columns are listed, that the rank is written only with a condition number, that
// codes of findings are aligned, and that a table without rows or without columns to explain has no legend.
func TestDataChecksWithFewFigures(t *testing.T) {
	for n, more := range map[int]string{1: "", 40: "", 41: "  … and 1 more; list all with json=true\n", 43: "  … and 3 more; list all with json=true\n"} {
		p := &trust.DataChecks{}
		want := fmt.Sprintf("%d columns excluded:\n", n)
		if n == 1 {
			want = "1 column excluded:\n"
		}
		for k := range n {
			p.Excluded = append(p.Excluded, dataset.Excluded{Name: fmt.Sprint("c", k), Reason: "identifier", Detail: "all differ"})
			if k < 40 {
				want += fmt.Sprintf("  c%d: identifier, all differ\n", k)
			}
		}
		if got := checkText(t, p, 0); !strings.Contains(got, "\n"+want+more+"\n") {
			t.Errorf("%d excluded columns: got\n%s\nwant\n%s", n, got, want+more)
		}
	}
	condition := 1.5
	for rank, want := range map[int]bool{0: false, 2: true} {
		must.Same(t, strings.Contains(checkText(t, &trust.DataChecks{Rank: rank, Varying: 2, Condition: &condition}, 0), "correlation matrix"), want, rank)
	}
	if got := checkText(t, &trust.DataChecks{Rank: 2, Varying: 2}, 0); strings.Contains(got, "rank") || strings.Contains(got, "Legend") {
		t.Errorf("no condition number and no columns: %s", got)
	}
	got := checkText(t, &trust.DataChecks{Findings: []trust.Finding{{Code: "longer", Severity: trust.Note, Sentence: "a", WayOut: "b"}, {Code: "short", Severity: trust.Error, Sentence: "c", WayOut: "d"}}}, 0)
	if want := "  note    longer  a\n                  → b\n  error   short   c\n                  → d\n"; !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestDataChecksInNarrowTerminals checks which columns and which characters of a name remain.
func TestDataChecksInNarrowTerminals(t *testing.T) {
	name := strings.Repeat("1234567890", 4)
	columns := []trust.Column{
		{ColumnProfile: dataset.ColumnProfile{Name: name, Kind: "number", Distinct: 3, Mean: 5, Std: 2, Min: 3, Max: 9}},
		{ColumnProfile: dataset.ColumnProfile{Name: "excluded: no", Kind: "number", Distinct: 3, Mean: 5, Std: 2, Min: 3, Max: 9}},
		{ColumnProfile: dataset.ColumnProfile{Name: "city", Kind: "text", Distinct: 3, Dropped: "text"}},
	}
	for _, c := range []struct {
		profiled bool
		width    int
		want     string
	}{
		{false, 50, `  column                mean  std  min  max  R²
  123456789012…4567890     5    2    3    9
  excluded: no             5    2    3    9
  city                  excluded: text
Legend: R²: of a regression on all other columns.
`},
		{false, 30, `  column    mean  std  min
  1234…890     5    2    3
  excl… no     5    2    3
  city      excluded: text
`},
		{true, 50, `  column                kind  missing  values
  123456789012…4567890              0       3
  excluded: no                      0       3
  city                              0       3
    excluded: text
Legend: kind: how models treat the column; values:
  number of different values.
`},
	} {
		got := checkText(t, &trust.DataChecks{Columns: columns, Profiled: c.profiled}, c.width)
		if _, table, _ := strings.Cut(got, "No problems found.\n\n"); table != c.want {
			t.Errorf("width %d: got\n%s\nwant\n%s", c.width, table, c.want)
		}
	}
}

// TestColumnNamedExcluded checks that the name of a column counts for the width although it starts like a remark.
func TestColumnNamedExcluded(t *testing.T) {
	columns := []trust.Column{{ColumnProfile: dataset.ColumnProfile{Name: "excluded: no", Max: 1}}, {ColumnProfile: dataset.ColumnProfile{Name: "b", Max: 1}}}
	got, want := checkText(t, &trust.DataChecks{Columns: columns}, 0), "\n  column        mean  std  min  max  R²\n  excluded: no     0    0    0    1\n  b                0    0    0    1\n"
	if !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func checkText(t *testing.T, p *trust.DataChecks, width int) string {
	t.Helper()
	return must.Text(t, report.DataChecks(p, width))
}
