package csv

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// surveyed reads a column of cells, next to a numeric one, in the form that a survey finds.
func surveyed(t *testing.T, opt Settings, cells ...string) (values []string, notes []dataset.ColumnNote) {
	t.Helper()
	var text bytes.Buffer
	text.WriteString("x\tn\n")
	for i, c := range cells {
		fmt.Fprintf(&text, "%s\t%d\n", c, i)
	}
	opt.Delimiter = '\t'
	s, err := Open(bytes.NewReader(text.Bytes()), opt)
	must.Succeed(t, err)
	survey, err := NewSurvey(s.Columns(), opt, Decimal(s), true)
	s.Close()
	must.Succeed(t, err)
	eachBatch(t, text.String(), opt, survey.Add)
	opt.Forms, notes = survey.Forms()
	if len(notes) > 0 && !survey.Needed() {
		t.Errorf("%q have a form, and none is needed", cells)
	}
	eachBatch(t, text.String(), opt, func(b *dataset.Batch) {
		words := map[int]string{}
		for _, c := range b.Cells {
			words[c.Row] = string(b.Text[c.Start:c.End])
		}
		for i := range b.Rows {
			v := fmt.Sprint(b.Values[2*i])
			if w, ok := words[i]; ok {
				v = "'" + w
			}
			values = append(values, v)
		}
	})
	return values, notes
}

// eachBatch opens a table, calls each with its batches and returns its columns.
func eachBatch(t *testing.T, text string, opt Settings, each func(*dataset.Batch)) []dataset.Column {
	t.Helper()
	s := open(t, text, opt)
	defer s.Close()
	var b dataset.Batch
	for {
		err := s.Next(t.Context(), &b)
		if err == io.EOF {
			return s.Columns()
		}
		must.Succeed(t, err)
		each(&b)
	}
}

func TestSurvey(t *testing.T) {
	for _, c := range []struct{ cells, want, what string }{
		// Missing values in numeric columns, and the same words in text columns.
		{"1|*|3", "1 NaN 3", "missing-marker"},
		{"1|-|.", "1 NaN NaN", "missing-marker"},
		{"+|-|+", "'+ '- '+", ""},
		{"yes|-|no", "'yes NaN 'no", "missing-marker"},
		{"yes|2", "'yes '2", "mixed"},
		{`1|"NA"|3`, "1 NaN 3", "missing-marker"},
		{`a|"NA"|"None"|*`, "'a 'NA 'None '*", ""},
		{"a|NA|b", "'a NaN 'b", ""},
		{`*|*|""`, "'* '* NaN", ""},
		// Amounts.
		{"$55,139.51|$1,000|-$3", "55139.51 1000 -3", "currency"},
		{"1.234,56 €|7,5 €|1.000 €", "1234.56 7.5 1000", "currency"},
		{"(€1.50)|€2", "-1.5 2", "currency"},
		{"USD 5|USD 6.5", "5 6.5", "currency"},
		{"1,234|567|1,234,567.8", "1234 567 1.2345678e+06", "thousands"},
		{"1\u00a0234|5", "1234 5", "thousands"},
		{"1'234.5|5", "1234.5 5", "thousands"},
		{"5%|7.5 %|*", "5 7.5 NaN", "percent missing-marker"},
		{"12 kg|5.1kg|NA", "12 5.1 NaN", "unit"},
		{"5.1cm|6", "'5.1cm '6", "mixed"},
		{"5cm|6kg", "'5cm '6kg", ""},
		{"$5|free", "'$5 'free", ""},
		{"1,5 kg|1.5 kg", "'1,5 kg '1.5 kg", ""},
		{"1,5|0.5|2", "'1,5 '0.5 '2", "mixed"},
		{"1,5|2", "1.5 2", ""}, // the comma of the whole table
		{"12,34,567|x", "'12,34,567 'x", ""},
		// Dates.
		{"31/12/1969|01/01/1970", "-86400 0", "date-dmy"},
		{"12/31/1969|01/01/1970", "-86400 0", "date-mdy"},
		{"01/02/1970|01/01/1970 00:30", "86400 1800", "date-ambiguous"},
		{"2.1.1970|1.1.1970", "86400 0", "date-dmy"},
		{"1970/01/02|1970/1/1", "86400 0", "date-ymd"},
		{"31/12/1969|12/31/1969", "'31/12/1969 '12/31/1969", ""},
		{"30/02/1970|01/01/1970", "'30/02/1970 '01/01/1970", ""},
		{"1970-01-02|*", "'1970-01-02 NaN", "missing-marker"},
		// Text among numbers, and identifiers.
		{"135|136A|007", "'135 '136A '007", "mixed"},
		{"9007199254740993|5", "'9007199254740993 '5", "identifier"},
		{"-12345678901234567890|*", "'-12345678901234567890 NaN", "identifier missing-marker"},
		{"9007199254740993|0.5", "9.007199254740992e+15 0.5", "rounded"},
		{"1e300|9007199254740992|0.5", "1e+300 9.007199254740992e+15 0.5", ""},
	} {
		values, notes := surveyed(t, DefaultSettings(), strings.Split(c.cells, "|")...)
		var what []string
		for _, n := range notes {
			if n.Column != "x" || n.Example == "" || n.Line < 2 || !strings.Contains(n.String(), fmt.Sprintf("%q (line %d)", n.Example, n.Line)) {
				t.Errorf("%s: note %+v: %s", c.cells, n, n)
			}
			what = append(what, n.What)
		}
		if got := strings.Join(values, " "); got != c.want || strings.Join(what, " ") != c.what {
			t.Errorf("%s: %s %q, want %s %q", c.cells, got, what, c.want, c.what)
		}
	}
}

func TestDateOrder(t *testing.T) {
	for order, want := range map[string]string{"dmy": "2.6784e+06 0", "mdy": "86400 0"} {
		opt := DefaultSettings()
		opt.DateOrder = order
		if values, notes := surveyed(t, opt, "01/02/1970", "01/01/1970"); strings.Join(values, " ") != want || len(notes) != 1 || notes[0].What != "date-"+order {
			t.Errorf("%s: %q %v", order, values, notes)
		}
	}
	opt := DefaultSettings()
	opt.DateOrder = "mdy"
	if values, notes := surveyed(t, opt, "31/12/1969"); values[0] != "'31/12/1969" || notes != nil {
		t.Errorf("the order does not fit: %q %v", values, notes)
	}
}

// TestNA checks that --set na=words apply to all columns or to one, and that an empty word disables the built-in
// words.
func TestNA(t *testing.T) {
	for _, c := range []struct {
		na    []string
		cells string
		want  string
	}{
		{nil, "a|NA|-1", "'a NaN '-1"},
		{[]string{"x=-1,a"}, "a|NA|-1|2", "NaN NaN NaN 2"},
		{[]string{"n=5"}, "1|5", "1 5"},
		{[]string{"x="}, "a|NA|none|", "'a 'NA 'none NaN"},
		{[]string{""}, "a|NA|none|", "'a 'NA 'none NaN"},
		{[]string{"n="}, "a|NA", "'a NaN"},
		{[]string{"x=", "x=none"}, "a|NA|none", "'a 'NA NaN"},
		{[]string{"?", "x="}, "a|?", "'a NaN"},
		{[]string{"-999", "x=-1"}, "-999.0|-1|3", "NaN NaN 3"},
	} {
		opt := DefaultSettings()
		opt.NA = c.na
		if values, _ := surveyed(t, opt, strings.Split(c.cells, "|")...); strings.Join(values, " ") != c.want {
			t.Errorf("%q of %s: %q, want %s", c.na, c.cells, values, c.want)
		}
	}
	opt := DefaultSettings()
	opt.NA = []string{"agee=-1"}
	if _, err := Open(strings.NewReader("age,n\n1,2\n"), opt); !errors.Is(err, ErrNAColumn) || !strings.Contains(err.Error(), `"agee=-1" does not name a column`) {
		t.Error(err)
	}
}

// TestLargestExact checks that every whole number up to 2^53 stays a number.
func TestLargestExact(t *testing.T) {
	values, _ := surveyed(t, DefaultSettings(), "9007199254740992", "-9007199254740992", "0009007199254740991")
	for i, want := range []float64{1 << 53, -1 << 53, 1<<53 - 1} {
		if values[i] != fmt.Sprint(want) || math.IsNaN(want) {
			t.Errorf("%v is %v", want, values[i])
		}
	}
}

// TestMarksAmongWords checks that a mark that is a missing value in a numeric column is one in a column of words too, unless it is in
// quotes or in more than a fifth of the rows. Another mark stays a category.
func TestMarksAmongWords(t *testing.T) {
	text := "x,w,v\n1,a,*\n*,*,*\n3,-,*\n2,\"*\",b\n4,a,b\n5,a,b\n5,a,b\n5,a,b\n5,a,b\n5,a,b\n"
	opt := DefaultSettings()
	survey, err := NewSurvey(eachBatch(t, text, opt, func(*dataset.Batch) {}), opt, '.', true)
	must.Succeed(t, err)
	eachBatch(t, text, opt, survey.Add)
	var notes []dataset.ColumnNote
	if opt.Forms, notes = survey.Forms(); len(notes) != 2 || notes[1].Column != "w" || notes[1].What != dataset.ReadMarker || notes[1].Line != 3 {
		t.Errorf("notes %+v", notes)
	}
	words, many := "", ""
	eachBatch(t, text, opt, func(b *dataset.Batch) {
		for _, c := range b.Cells {
			if c.Column == 2 {
				many += string(b.Text[c.Start:c.End])
				continue
			}
			words += fmt.Sprintf("%d%s ", c.Row, b.Text[c.Start:c.End])
		}
	})
	if words != "0a 2- 3* 4a 5a 6a 7a 8a 9a " || many != "***bbbbbbb" {
		t.Errorf("words %q, with many marks %q", words, many)
	}
}

// TestWordsOfMissingValues checks that null and None are missing values among numbers and words among words.
func TestWordsOfMissingValues(t *testing.T) {
	for cells, want := range map[string]string{
		"1|None|3": "1 NaN 3", "1|null|3": "1 NaN 3", "yes|none|no": "'yes NaN 'no", "Mild|None|Severe": "'Mild 'None 'Severe", "a|null|?": "'a 'null NaN",
	} {
		if values, _ := surveyed(t, DefaultSettings(), strings.Split(cells, "|")...); strings.Join(values, " ") != want {
			t.Errorf("%s: %q, want %s", cells, values, want)
		}
	}
}
