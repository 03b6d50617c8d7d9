package prepare

import (
	"context"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// TestPreviewOfColumns checks the distribution of each kind of column on both sides of the limits of ten categories and 20 bins.
func TestPreviewOfColumns(t *testing.T) {
	table := memOf("ten eleven time text words whole wide gone empty")
	table.batch = 7
	table.columns[2].Kind, table.columns[3].Kind, table.columns[7].Unreadable = dataset.Time, dataset.Text, "type binary"
	for i := range 42 {
		row := []any{float64(i%10) / 4, float64(i%11) / 4, float64(86400*(i%2)) - 1, float64(i % 3), fmt.Sprintf("w%02d", i%12), float64(i%20 - 3), float64(i % 21), 1, nil}
		if i == 41 {
			row = []any{math.Inf(1), nil, 1e11, nil, strings.Repeat("ä", 81), math.NaN(), 20.0, 1, nil}
		}
		table.rows = append(table.rows, row)
	}
	table.rows[1][4] = strings.Repeat("b", 80)
	src, _ := table.open(t.Context())
	p := must.Get(Preview(t.Context(), src, 3))
	if len(p.Columns) != 8 || p.Sampled != 42 || len(p.Rows) != 8 || p.Rows[0][2] != "1969-12-31 23:59:59" || p.Rows[1][2] != "1970-01-01 23:59:59" || p.Rows[1][4] != strings.Repeat("b", 80) {
		t.Errorf("%d columns, first rows %q", len(p.Columns), p.Rows)
	}
	if len(p.Sample) != 3 || !reflect.DeepEqual(p.Sample[0], p.Rows[0]) || p.Sample[1][0] != "1" || p.Sample[2][4] != "w04" { // rows 0, 14 and 28
		t.Errorf("sample %q", p.Sample)
	}
	ten, eleven, times, text, long, whole, wide := p.Columns[0], p.Columns[1], p.Columns[2], p.Columns[3], p.Columns[4], p.Columns[5], p.Columns[6]
	if none := p.Columns[7]; none.Missing != 42 || none.Counts != nil || none.Categories != nil {
		t.Errorf("no values: %+v", none)
	}
	if len(ten.Categories) != 10 || ten.Missing != 0 || ten.Categories[0] != (dataset.CategoryCount{Value: "0", Count: 5}) || ten.Categories[9] != (dataset.CategoryCount{Value: "2.25", Count: 4}) {
		t.Errorf("ten numbers and an infinity: %+v", ten)
	}
	if eleven.Categories != nil || len(eleven.Counts) != 20 || eleven.Missing != 1 || eleven.Low != 0 || eleven.High != 2.5 || eleven.Counts[0] != 4 || eleven.Counts[19] != 3 {
		t.Errorf("eleven numbers: %+v", eleven)
	}
	if times.Categories != nil || len(times.Counts) != 20 || times.High != 1e11 {
		t.Errorf("three times: %+v", times)
	}
	if want := []dataset.CategoryCount{{Value: "0", Count: 14}, {Value: "1", Count: 14}, {Value: "2", Count: 13}}; !reflect.DeepEqual(text.Categories, want) || text.Missing != 1 {
		t.Errorf("numbers of a text column: %+v", text)
	}
	// Four words occur four times, eight occur three times, and the two long texts once; ten are listed.
	if len(long.Categories) != 10 || long.Categories[0] != (dataset.CategoryCount{Value: "w00", Count: 4}) || long.Other != 3+3+1+1 {
		t.Errorf("14 texts: %+v", long)
	}
	if last := (&previewer{columns: table.columns}).word(previewRow{values: []float64{0, 0, 1e11}}, 2); last != "1e+11" {
		t.Errorf("a time beyond the range of years: %s", last)
	}
	if got := cut([]byte(strings.Repeat("ä", 81))); got != strings.Repeat("ä", 79)+"…" {
		t.Errorf("81 characters: %s", got)
	}
	if want := slices.Repeat([]int{2}, 20); whole.Low != -3.5 || whole.High != 16.5 || len(whole.Counts) != 20 || !slices.Equal(whole.Counts[1:], want[1:]) || whole.Counts[0] != 3 {
		t.Errorf("20 whole numbers: %+v", whole)
	}
	// 21 whole numbers, each twice, fill 20 bins: the last one has two of them.
	if want := append(slices.Repeat([]int{2}, 19), 4); wide.Low != 0 || wide.High != 20 || !slices.Equal(wide.Counts, want) {
		t.Errorf("21 whole numbers: %+v, want %v", wide, want)
	}
	if low, high, counts := histogram([]float64{-math.MaxFloat64, 0.5, math.MaxFloat64}); low != -math.MaxFloat64 || high != math.MaxFloat64 || counts[0] != 1 || counts[10] != 1 || counts[19] != 1 {
		t.Errorf("the largest numbers: %v", counts)
	}
	src, _ = memOf("a b").open(t.Context())
	if p, err := Preview(t.Context(), src, 3); err != nil || p.Rows == nil || p.Sampled != 0 {
		t.Errorf("no rows: %+v, %v", p, err)
	}
}

// TestPreviewOfManyRows checks that the sample stays small and covers the whole file.
func TestPreviewOfManyRows(t *testing.T) {
	const n = 50_000
	table := memOf("a")
	table.batch = 7
	for i := range n {
		table.rows = append(table.rows, []any{float64(i) + 0.5})
	}
	src, _ := table.open(t.Context())
	p := must.Get(Preview(t.Context(), src, 3))
	c := p.Columns[0]
	if p.Sampled > 4096 || p.Sampled < 2048 || c.Low != 0.5 || c.High < n-32 {
		t.Errorf("%d rows from %v to %v", p.Sampled, c.Low, c.High)
	}
	for _, k := range c.Counts {
		if !(math.Abs(float64(k)-float64(p.Sampled)/20) <= 2) {
			t.Errorf("the bins of evenly spread numbers have %v", c.Counts)
			break
		}
	}
}

// endless is a source of one column without an end.
type endless struct {
	*memSource
	rows []float64
	read int
}

func (s *endless) Next(_ context.Context, b *dataset.Batch) error {
	if s.read == 1<<21 {
		return io.EOF
	}
	b.Reset()
	b.Values, b.Rows = append(b.Values, s.rows...), len(s.rows)
	s.read += len(s.rows)
	return nil
}

// TestPreviewReadsAMillionRows checks that a preview stops after 2²⁰ rows.
func TestPreviewReadsAMillionRows(t *testing.T) {
	src, _ := memOf("a").open(t.Context())
	s := &endless{memSource: src.(*memSource), rows: make([]float64, 1<<16)}
	if _, err := Preview(t.Context(), s, 0); err != nil || s.read != 1<<20 {
		t.Errorf("%d rows were read, %v; want %d", s.read, err, 1<<20)
	}
}

// TestNotesOnValues checks the notes on missing, infinite and encoded values, which list five or six columns.
func TestNotesOnValues(t *testing.T) {
	var missing []MissingColumn
	e := &encoder{auto: true}
	for k := range 7 {
		name := string(rune('a' + k))
		missing = append(missing, MissingColumn{name, 10 - k, 1})
		e.chosen = append(e.chosen, chosenColumn{Column: dataset.Column{Name: name}})
		e.seen = append(e.seen, columnState{infinite: k + 1, firstInf: 3, class: dates})
	}
	opt := &options{Settings: Settings{Missing: "drop"}}
	for _, c := range []struct {
		got  []string
		want string
	}{
		{missingNotes(nil, 9, 9, opt), ""},
		{missingNotes(missing[6:], 20, 19, opt), "4 values are missing (g 4): 1 row of 20 (5%) with a missing value dropped."},
		{missingNotes(missing[:5], 20, 10, opt), "40 values are missing (a 10, b 9, c 8, d 7, e 6): 10 rows of 20 (50%) with a missing value dropped."},
		{missingNotes(missing, 20, 20, &options{Settings: Settings{Missing: missingKeep}}), "49 values are missing (a 10, b 9, c 8, d 7, e 6 and 2 more): the incomplete rows are used, assuming that values are missing at random."},
		{missingNotes([]MissingColumn{{"a", 1, 1}}, 20, 20, &options{Settings: Settings{Missing: "pairwise"}}), "1 value is missing (a 1): each correlation uses the rows that have both values."},
		{(&encoder{auto: true, chosen: e.chosen, seen: e.seen[:5]}).infiniteNotes(), "Infinite values count as missing: a (1 cell, first in row 3), b (2 cells, first in row 3), c (3 cells, first in row 3), d (4 cells, first in row 3), e (5 cells, first in row 3)."},
		{e.infiniteNotes(), "Infinite values count as missing: a (1 cell, first in row 3), b (2 cells, first in row 3), c (3 cells, first in row 3), d (4 cells, first in row 3), e (5 cells, first in row 3), 2 more columns."},
		{(&encoder{chosen: e.chosen, seen: e.seen}).infiniteNotes(), ""},
		{(&encoder{auto: true, chosen: e.chosen, seen: make([]columnState, 2)}).infiniteNotes(), ""},
		{(&encoder{chosen: e.chosen, seen: e.seen[:1]}).notes(), "Column a was read as seconds since 1970-01-01 UTC, from its dates."},
		{(&encoder{chosen: e.chosen, seen: e.seen[:6]}).notes(), "Columns a, b, c, d, e and f were read as seconds since 1970-01-01 UTC, from its dates."},
		{e.notes(), "Columns a, b, c, d, e, f and 1 more were read as seconds since 1970-01-01 UTC, from its dates."},
		{rowNotes(7, &options{Settings: Settings{FirstRow: 1}}), ""},
		{rowNotes(7, &options{Settings: Settings{FirstRow: 2}}), "Only rows from 2 on were read: 7."},
		{rowNotes(7, &options{Settings: Settings{LastRow: 7}}), "Only rows 1 to 7 were read: 7."},
		{[]string{(&MissingError{Rows: 40, Left: -1, Columns: append(missing, missing[:3]...)}).Error()}, "missing values in 10 columns: a 10 (25%, first in row 1), a 10"},
	} {
		if got := strings.Join(c.got, "|"); !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
	if text := (&MissingError{Rows: 40, Left: -1, Columns: append(missing, missing[:5]...)}).Error(); !strings.Contains(text, "first in row 1) and 2 more; choose missing=auto") {
		t.Errorf("12 columns with missing values: %s", text)
	}
	for _, c := range []struct {
		lenient           bool
		infinite, missing int
		want              bool
	}{{true, 2, 3, true}, {true, 2, 2, false}, {true, 0, 5, false}, {false, 2, 3, false}} {
		e := &encoder{lenient: c.lenient, chosen: make([]chosenColumn, 1), seen: []columnState{{infinite: c.infinite, missing: MissingColumn{Count: c.missing}}}}
		if got := e.allInfinite(5) != nil; got != c.want {
			t.Errorf("%+v: an error is %v", c, got)
		}
	}
}
