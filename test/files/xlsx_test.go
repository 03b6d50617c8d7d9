package files_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/polydag/polydag/dataset"
	. "github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/internal/must"
)

// workbook writes sheets of cells with excelize.
func workbook(t testing.TB, sheets map[string][][]any, order ...string) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	for k, name := range order {
		if k == 0 {
			must.Succeed(t, f.SetSheetName("Sheet1", name))
		} else {
			_, err := f.NewSheet(name)
			must.Succeed(t, err)
		}
		for i, row := range sheets[name] {
			cell, err := excelize.CoordinatesToCellName(1, i+1)
			must.Succeed(t, err)
			must.Succeed(t, f.SetSheetRow(name, cell, &row))
		}
	}
	var b bytes.Buffer
	must.Succeed(t, f.Write(&b))
	return b.Bytes()
}

func TestXLSX(t *testing.T) {
	day := time.Date(2024, 2, 29, 12, 30, 0, 0, time.UTC)
	data := workbook(t, map[string][][]any{"people": {
		{"age", "größe & <b>", "when", "member", "city"},
		{31, 1.75, day, true, "Graz"},
		{nil, -2.5e-7, day.Add(24 * time.Hour), false, "NA"},
		{},
		{45, 1e300, nil, true, "Linz, AT"},
	}}, "people")
	for _, name := range []string{"t.xlsx", "t.dat"} { // by its content
		got := readBytes(t, name, data, options())
		if fmt.Sprintf("%q", got.names) != `["age" "größe & <b>" "when" "member" "city"]` || got.rows != 3 {
			t.Fatalf("%d rows of %q", got.rows, got.names)
		}
		nan, seconds := math.NaN(), float64(day.Unix())
		for i, want := range []float64{31, 1.75, seconds, 1, nan, nan, -2.5e-7, seconds + 86400, 0, nan, 45, 1e300, nan, 1, nan} {
			if v := got.values[i]; v != want && (v == v || want == want) {
				t.Errorf("row %d, column %d is %v, want %v", i/5+1, i%5+1, v, want)
			}
		}
		if fmt.Sprintf("%q", got.words(4)) != `["Graz" "" "Linz, AT"]` {
			t.Errorf("cities %q", got.words(4))
		}
	}
	got := tableOf(t, openBytes(t, "t.xlsx", data, options()), 4, 0)
	if got.values[1] != 31 || got.words(0)[2] != "Linz, AT" {
		t.Errorf("%v %v", got.values, got.texts)
	}
}

// Rows with one text before the header are a title, if the header has only words, no gap, and a number in the row after it.
func TestXLSXTitle(t *testing.T) {
	title, header, row := []any{"Sales by month"}, []any{"a", "b", "c"}, []any{1, "x", nil}
	for name, c := range map[string]struct {
		rows [][]any
		want string
	}{
		"title":                  {[][]any{title, {}, {nil, "Source: x"}, header, row, row}, "[a b c] 2 [The header is row 4, after the title \"Sales by month\".]"},
		"no title":               {[][]any{header, row, row}, "[a b c] 2 []"},
		"no number":              {[][]any{title, header, header}, ""},
		"a gap in the header":    {[][]any{title, {"a", nil, "c"}, row}, ""},
		"a number in the header": {[][]any{title, {"a", 2020, "c"}, row}, ""},
		"a number as title":      {[][]any{{2020}, header, row}, ""},
		"a cell beside":          {[][]any{title, header, {1, 2, 3, 4}}, ""},
		"eleven rows":            {append(slices.Repeat([][]any{title}, 11), header, row), ""},
		"ten rows":               {append(slices.Repeat([][]any{title}, 10), header, row), "[a b c] 1 [The header is row 11, after the title \"Sales by month\".]"},
	} {
		src, err := openBytes(t, "t.xlsx", workbook(t, map[string][][]any{"s": c.rows}, "s"), options()).Source(t.Context())
		must.Succeed(t, err)
		notes := src.(dataset.Noter).Notes()
		if c.want == "" {
			if titled := strings.Contains(fmt.Sprint(notes), "title"); titled || src.Columns()[0].Name == "a" {
				t.Errorf("%s: a title: %q", name, notes)
			}
		} else {
			var b dataset.Batch
			must.Succeed(t, src.Next(t.Context(), &b))
			if got := fmt.Sprint(dataset.ColumnNames(src.Columns()), b.Rows, notes); got != c.want {
				t.Errorf("%s: %s, want %s", name, got, c.want)
			}
		}
		src.Close()
	}
}

// The same numbers as in CSV give the same moments to the last bit, over several batches.
func TestXLSXMoments(t *testing.T) {
	s := numbers(9000, 3, 5)
	rows := [][]any{{s.names[0], s.names[1], s.names[2]}}
	for i := range s.rows() {
		rows = append(rows, []any{s.cols[0][i], s.cols[1][i], s.cols[2][i]})
	}
	var got []*dataset.Moments
	for _, in := range []*Input{openBytes(t, "t.xlsx", workbook(t, map[string][][]any{"a": rows}, "a"), options()), openBytes(t, "t.csv", s.csv(t, ","), options())} {
		g, err := prepare.Gather(context.Background(), in.Source, prepare.DefaultSettings())
		must.Succeed(t, err)
		got = append(got, g.Moments)
	}
	if fmt.Sprint(got[0]) != fmt.Sprint(got[1]) {
		t.Error("the moments differ from those of CSV")
	}
}

func TestXLSXSheets(t *testing.T) {
	data := workbook(t, map[string][][]any{"notes": {{"a text"}}, "data 1": {{"a", "b"}, {1, 2}, {3, 4}}, "empty": nil}, "notes", "data 1", "empty")
	fault := func(sheet string, data []byte) error {
		opt := options()
		opt.Sheet = sheet
		return firstFault(t, save(t, "t.xlsx", data), opt)
	}
	if err := fault("", data); !errors.Is(err, ErrChoice) || !strings.Contains(err.Error(), "notes, data 1, empty") {
		t.Error(err)
	}
	if err := fault("data", data); !errors.Is(err, ErrNoTable) || !strings.Contains(err.Error(), `no sheet "data"`) {
		t.Error(err)
	}
	if err := fault("empty", data); !errors.Is(err, ErrNoTable) {
		t.Error(err)
	}
	if err := fault("data 1", data); err != nil {
		t.Error(err)
	}
	opt := options()
	opt.Sheet, opt.CSV.NoHeader = "data 1", true
	if got := readBytes(t, "t.xlsx", data, opt); fmt.Sprint(got.names, got.rows) != "[x0 x1] 3" {
		t.Errorf("without header: %v, %d rows", got.names, got.rows)
	}
	wide := workbook(t, map[string][][]any{"a": {{"a", "b"}, {1, 2, 3}}}, "a")
	if got := readBytes(t, "t.xlsx", wide, options()); len(got.names) != 3 || got.names[2] == "" || got.values[2] != 3 {
		t.Errorf("a column without a name: %q, %v", got.names, got.values)
	}
	// Damage anywhere is an error and no panic.
	for cut := 0; cut < len(data); cut += 97 {
		broken := bytes.Clone(data)
		broken[cut] ^= 0x55
		fault("data 1", broken)
		if err := fault("data 1", data[:cut]); err == nil {
			t.Errorf("cut at %d: no error", cut)
		}
	}
}
