package csv

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
)

// A seen is one value of a table, as a reader sees it.
type seen struct {
	value float64 // NaN: missing, or text
	text  string
	line  int // the line in the text
}

func (a seen) equal(b seen) bool {
	return a.text == b.text && a.line == b.line && (a.value == b.value && math.Signbit(a.value) == math.Signbit(b.value) || a.value != a.value && b.value != b.value)
}

// equalRows compares tables of seen values.
func equalRows(a, b [][]seen) bool {
	return slices.EqualFunc(a, b, func(a, b []seen) bool { return slices.EqualFunc(a, b, seen.equal) })
}

var missingWords = []string{"", "NA", "N/A", "#N/A", "NaN", "+NaN", "-NaN", "?"}

// slowCSV is a slow reference for Open on the standard library: the names, the rows before the first fault, and
// the fault. It does not check for NUL, and trims text even if it is quoted.
func slowCSV(text string, delim, point byte) (names []string, rows [][]seen, err error) {
	text = strings.TrimPrefix(text, BOM)
	lines := strings.Split(text, "\n")
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = rune(delim)
	r.FieldsPerRecord = -1
	if names, err = slowNames(r, lines); err != nil {
		return nil, nil, err
	}
	whole := regexp.MustCompile(`^[+-]?[0-9]+$`)
	thousands := regexp.MustCompile(`^[+-]?[1-9][0-9]{0,2}([.][0-9]{3})+(,[0-9]*)?$`)
	number := regexp.MustCompile(`^[+-]?([0-9]+` + regexp.QuoteMeta(string(point)) + `?[0-9]*|` + regexp.QuoteMeta(string(point)) + `[0-9]+)([eE][+-]?[0-9]+)?$`)
	for {
		record, err := r.Read()
		if err == io.EOF {
			return names, rows, nil
		}
		if err == nil && len(record) != len(names) {
			err = errors.New("ragged")
		}
		if err != nil {
			return names, rows, err
		}
		row := make([]seen, len(record))
		for j, field := range record {
			field = strings.Trim(field, " \t")
			line, quoted := place(r, lines, j)
			fold := func(word string) bool { return strings.EqualFold(word, field) }
			exact, _ := strconv.ParseFloat(field, 64)
			switch {
			case whole.MatchString(field) && beyondExact([]byte(field)) && !math.IsInf(exact, 0):
				row[j] = seen{math.NaN(), field, line}
			case number.MatchString(field):
				row[j].value, _ = strconv.ParseFloat(strings.Replace(field, string(point), ".", 1), 64)
			case point == ',' && thousands.MatchString(field):
				row[j].value, _ = strconv.ParseFloat(strings.Replace(strings.ReplaceAll(field, ".", ""), ",", ".", 1), 64)
			case slices.ContainsFunc(missingWords, fold) && (field == "" || !quoted):
				row[j].value = math.NaN()
			case slices.ContainsFunc([]string{"inf", "+inf", "infinity", "+infinity"}, fold):
				row[j].value = math.Inf(1)
			case slices.ContainsFunc([]string{"-inf", "-infinity"}, fold):
				row[j].value = math.Inf(-1)
			default:
				row[j] = seen{math.NaN(), Unescape(field), line}
			}
		}
		rows = append(rows, row)
	}
}

// place returns the line of field j of the record that r has read last, and whether the field is quoted.
func place(r *csv.Reader, lines []string, j int) (line int, quoted bool) {
	line, column := r.FieldPos(j)
	return line, strings.HasPrefix(lines[line-1][min(column-1, len(lines[line-1])):], `"`)
}

// slowNames reads the record of names. An empty name and a repeated one get a number, the first free one.
func slowNames(r *csv.Reader, lines []string) (names []string, err error) {
	record, err := r.Read()
	if err != nil {
		return nil, err
	}
	for j, name := range record {
		if _, quoted := place(r, lines, j); !quoted {
			name = strings.Trim(name, " \t")
		}
		record[j] = Unescape(name)
	}
	if len(record) > 1 && record[0] == "" {
		record[0] = unnamed
	}
	for j, name := range record {
		stem, k := name, 2
		switch {
		case name == "":
			stem, k = "column", j+1
		case !slices.Contains(names, name):
			names = append(names, name)
			continue
		}
		for numbered := ""; len(names) == j; k++ {
			if numbered = fmt.Sprintf("%s_%d", stem, k); !slices.Contains(record, numbered) && !slices.Contains(names, numbered) {
				names = append(names, numbered)
			}
		}
	}
	return names, nil
}

// collect reads a source to its end in the form of slowCSV. It checks the guarantees of batches and closes the
// source.
func collect(t testing.TB, s dataset.Source) (rows [][]seen, batches []int, err error) {
	t.Helper()
	d := len(s.Columns())
	var b dataset.Batch
	for {
		if err = s.Next(context.Background(), &b); err != nil {
			break
		}
		if b.Rows < 1 || len(b.Values) != b.Rows*d {
			t.Fatalf("a batch of %d rows, %d columns has %d values", b.Rows, d, len(b.Values))
		}
		first := len(rows)
		for i := range b.Rows {
			row := make([]seen, d)
			for j := range row {
				row[j].value = b.Values[i*d+j]
			}
			rows = append(rows, row)
		}
		if !slices.IsSortedFunc(b.Cells, func(x, y dataset.Cell) int { return x.Row - y.Row }) {
			t.Fatalf("cells are not row by row: %+v", b.Cells)
		}
		for _, c := range b.Cells {
			row := rows[first+c.Row]
			if v := row[c.Column]; v.value == v.value || v.text != "" {
				t.Fatalf("a cell where there is %v: %+v", v, c)
			}
			row[c.Column].text, row[c.Column].line = strings.Trim(string(b.Text[c.Start:c.End]), " \t"), c.Line
		}
		batches = append(batches, b.Rows)
	}
	if again := s.Next(context.Background(), &b); again != err || b.Rows != 0 {
		t.Fatalf("after %v: %v, %d rows", err, again, b.Rows)
	}
	if cerr := s.Close(); cerr != nil {
		t.Fatal(cerr)
	}
	if err == io.EOF {
		err = nil
	}
	return rows, batches, err
}

// openRuns opens a table that is cut into runs of the given size.
func openRuns(r io.Reader, opt Settings, size int) (dataset.Source, error) {
	src := newRunReader(r, opt.MaxLine)
	src.size = size
	s, err := openRecords(src, opt, false)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func columnNames(s dataset.Source) []string {
	var names []string
	for _, c := range s.Columns() {
		names = append(names, c.Name)
	}
	return names
}

// sprintRow formats the last of rows: text in quotes, numbers plain.
func sprintRow(rows [][]seen) string {
	if len(rows) == 0 {
		return ""
	}
	var fields []string
	for _, v := range rows[len(rows)-1] {
		if v.text != "" {
			fields = append(fields, strconv.Quote(v.text))
		} else {
			fields = append(fields, dataset.FormatFloat(v.value))
		}
	}
	return strings.Join(fields, " ")
}
