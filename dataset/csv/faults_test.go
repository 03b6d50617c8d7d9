package csv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/tabletest"
)

// faults lists bad tables by name: the problem, its position, and the message.
var faults = []struct {
	name, text string
	want       error
	at         dataset.ParseError // Line, Row, Column, Name, Value
	says       string
}{
	{"empty file", "", dataset.ErrEmpty, dataset.ParseError{}, "needs a header line"},
	{"only blank lines", "\n\r\n\n", dataset.ErrEmpty, dataset.ParseError{}, "empty"},
	{"only a byte order mark", "\ufeff", dataset.ErrEmpty, dataset.ParseError{}, "empty"},
	{"header only", "a,b\n", dataset.ErrNoRows, dataset.ParseError{}, "a header but no data"},
	{"header only, no line end", "a,b", dataset.ErrNoRows, dataset.ParseError{}, "a header but no data"},
	{"one row", "a,b\n1,2\n", dataset.ErrOneRow, dataset.ParseError{}, "at least two"},
	{"one column", "a\n1\n2\n", dataset.ErrOneColumn, dataset.ParseError{Line: 1}, "only one column"},
	{"other delimiter", "a;b\n1;2\n3;4\n", dataset.ErrOneColumn, dataset.ParseError{Line: 1}, "the header holds ';', the delimiter is ','"},
	{"text", "age,b\n1,2\nold,3\n", dataset.ErrNotNumber, dataset.ParseError{Line: 3, Row: 2, Column: 1, Name: "age", Value: "old"}, `line 3, row 2, column 1 (age): "old" is not a number; encode`},
	{"text after a number", "a,b\n1,2cm\n3,4\n", dataset.ErrNotNumber, dataset.ParseError{Line: 2, Row: 1, Column: 2, Name: "b", Value: "2cm"}, `"2cm"`},
	{"two numbers in a field", "a,b\n1,2 3\n3,4\n", dataset.ErrNotNumber, dataset.ParseError{Line: 2, Row: 1, Column: 2, Name: "b", Value: "2 3"}, `"2 3"`},
	{"line end in a number", "a,b\n1,\"2\n\"\n3,4\n", dataset.ErrNotNumber, dataset.ParseError{Line: 2, Row: 1, Column: 2, Name: "b", Value: "2\n"}, `"2\n"`},
	{"hexadecimal", "a,b\n1,0x10\n3,4\n", dataset.ErrNotNumber, dataset.ParseError{Line: 2, Row: 1, Column: 2, Name: "b", Value: "0x10"}, "0x10"},
	{"underscore", "a,b\n1,1_000\n3,4\n", dataset.ErrNotNumber, dataset.ParseError{Line: 2, Row: 1, Column: 2, Name: "b", Value: "1_000"}, "1_000"},
	{"decimal comma", "a;b\n1,5;2\n3;4\n", dataset.ErrNotNumber, dataset.ParseError{Line: 2, Row: 1, Column: 1, Name: "a", Value: "1,5"}, "1,5"},
	{"long text", "a,b\n1," + strings.Repeat("é", 100) + "\n3,4\n", dataset.ErrNotNumber, dataset.ParseError{Line: 2, Row: 1, Column: 2, Name: "b", Value: strings.Repeat("é", 20) + "…"}, "é…"},
	{"NaN", "a,b\n1,NaN\n3,4\n", dataset.ErrNotFinite, dataset.ParseError{Line: 2, Row: 1, Column: 2, Name: "b", Value: "NaN"}, "not a finite number"},
	{"Inf", "a,b\n1,2\n-Inf,4\n", dataset.ErrNotFinite, dataset.ParseError{Line: 3, Row: 2, Column: 1, Name: "a", Value: "-Inf"}, "not a finite number"},
	{"infinity", "a,b\n1,2\ninfinity,4\n", dataset.ErrNotFinite, dataset.ParseError{Line: 3, Row: 2, Column: 1, Name: "a", Value: "infinity"}, "not a finite number"},
	{"too large a number", "a,b\n1,2\n1e999,4\n", dataset.ErrNotFinite, dataset.ParseError{Line: 3, Row: 2, Column: 1, Name: "a", Value: "1e999"}, "not a finite number"},
	{"empty field", "a,b\n1,2\n,4\n", dataset.ErrMissing, dataset.ParseError{Line: 3, Row: 2, Column: 1, Name: "a"}, `"" is a missing value; drop the row`},
	{"empty last field", "a,b\n1,2\n4,\n", dataset.ErrMissing, dataset.ParseError{Line: 3, Row: 2, Column: 2, Name: "b"}, `"" is a missing value`},
	{"empty quoted field", "a,b\n1,2\n4,\"\"\n", dataset.ErrMissing, dataset.ParseError{Line: 3, Row: 2, Column: 2, Name: "b"}, `"" is a missing value`},
	{"field of spaces", "a,b\n1,2\n4,  \n", dataset.ErrMissing, dataset.ParseError{Line: 3, Row: 2, Column: 2, Name: "b", Value: "  "}, "missing"},
	{"NA", "a,b\n1,2\n4,NA\n", dataset.ErrMissing, dataset.ParseError{Line: 3, Row: 2, Column: 2, Name: "b", Value: "NA"}, "missing"},
	{"null", "a,b\n1,2\n4,null\n", dataset.ErrMissing, dataset.ParseError{Line: 3, Row: 2, Column: 2, Name: "b", Value: "null"}, "missing"},
	{"short row", "a,b,c\n1,2,3\n4,5\n", dataset.ErrRagged, dataset.ParseError{Line: 3, Row: 2}, "line 3, row 2: wrong number of fields (expected 3, got 2)"},
	{"long row", "a,b\n1,2\n\n4,5,6\n", dataset.ErrRagged, dataset.ParseError{Line: 4, Row: 2}, "(expected 2, got 3)"},
	{"delimiter at the end of one row", "a,b\n1,2,\n4,5\n", dataset.ErrRagged, dataset.ParseError{Line: 2, Row: 1}, "(expected 2, got 3)"},
	{"short row with text", "a,b,c\n1,2,3\nx,5\n", dataset.ErrRagged, dataset.ParseError{Line: 3, Row: 2}, "(expected 3, got 2)"},
	{"short row with an empty field", "a,b,c\n1,2,3\n1,\n", dataset.ErrRagged, dataset.ParseError{Line: 3, Row: 2}, "(expected 3, got 2)"},
	{"row of spaces", "a,b\n1,2\n  \n4,5\n", dataset.ErrRagged, dataset.ParseError{Line: 3, Row: 2}, "(expected 2, got 1)"},
	{"same name", "1,b,1\n1,2,3\n4,5,6\n", dataset.ErrSameName, dataset.ParseError{Line: 1, Column: 3, Name: "1"}, "column 3 (1): the name is taken (column 1 has it)"},
	{"empty name", "1,,b\n1,2,3\n4,5,6\n", dataset.ErrNoName, dataset.ParseError{Line: 1, Column: 2}, "column 2: the name is empty"},
	{"quote inside", "a,b\n1,2\n1\"2,3\n4,5\n", dataset.ErrQuote, dataset.ParseError{Line: 3, Row: 2, Column: 1, Name: "a", Value: "1\"2"}, "misplaced quote"},
	{"quote inside a later field", "a,b\n1,2\nx,3\"\n4,5\n", dataset.ErrQuote, dataset.ParseError{Line: 3, Row: 2, Column: 2, Name: "b", Value: "3\""}, "misplaced quote"},
	{"text after a quote", "a,b\n1,2\n\"1\"2,3\n", dataset.ErrQuote, dataset.ParseError{Line: 3, Row: 2, Column: 1, Name: "a", Value: "\"1\"2"}, "misplaced quote"},
	{"quote without end", "a,b\n1,2\n1,\"2\n3,4\n", dataset.ErrQuote, dataset.ParseError{Line: 3, Row: 2, Column: 2, Name: "b", Value: "\"2\n3,4"}, "misplaced quote"},
	{"quote in a name", "a\"b,c\n1,2\n3,4\n", dataset.ErrQuote, dataset.ParseError{Line: 1, Column: 1, Value: "a\"b"}, "misplaced quote"},
	{"quote without end in a name", "a,\"b\n1,2\n3,4\n", dataset.ErrQuote, dataset.ParseError{Line: 1, Column: 2, Value: "\"b\n1,2\n3,4"}, "misplaced quote"},
	{"binary", "\x7fELF\x02\x01\x01\x00\x00", dataset.ErrNotTable, dataset.ParseError{}, "not a text table (binary data, byte 8 is NUL); export"},
	{"NUL in a row", "a,b\n1,2\n3,4\x00\n", dataset.ErrNotTable, dataset.ParseError{}, "not a text table"},
	{"gzip", "\x1f\x8b\x08\x00\x00", dataset.ErrNotTable, dataset.ParseError{}, "gzip"},
	{"spreadsheet", "PK\x03\x04\x14\x00", dataset.ErrNotTable, dataset.ParseError{}, "spreadsheet"},
	{"Parquet", "PAR1\x15\x00\x15", dataset.ErrNotTable, dataset.ParseError{}, "Parquet"},
	{"UTF-16 without a mark", "a\x00,\x00b\x00\n\x00", dataset.ErrNotTable, dataset.ParseError{}, "UTF-16 text without a byte order mark"},
	{"UTF-16 without a mark, high byte first", "\x00a\x00,\x00b\x00\n", dataset.ErrNotTable, dataset.ParseError{}, "UTF-16 text without a byte order mark"},
	{"thousands", "a,b\n1,\"1,000\"\n3,4\n", dataset.ErrNotNumber, dataset.ParseError{Line: 2, Row: 1, Column: 2, Name: "b", Value: "1,000"}, "1,000"},
	{"text after a line end in quotes", "a,\"b\n\"\n1,2\n\n3,x\n", dataset.ErrNotNumber, dataset.ParseError{Line: 5, Row: 2, Column: 2, Name: "b\n", Value: "x"}, "line 5"},
	{"NUL far down", "a,b\n" + strings.Repeat("1,2\n", runBytes/2) + "1,\x002\n", dataset.ErrNotTable, dataset.ParseError{Line: runBytes/2 + 2, Row: runBytes/2 + 1, Column: 2, Name: "b", Value: "\x002"}, "not a text table"},
	{"squares overflow", "a,b\n1,1e300\n3,-1e300\n", dataset.ErrOverflow, dataset.ParseError{Column: 2, Name: "b"}, "column 2 (b): the values are too large"},
	{"sum overflows", "a,b\n1,1.7e308\n3,1.6e308\n", dataset.ErrOverflow, dataset.ParseError{Column: 2, Name: "b"}, "too large"},
}

func TestReadCSVFaults(t *testing.T) {
	for _, c := range faults {
		for threads := 1; threads <= 2; threads++ {
			opt := DefaultSettings()
			opt.File = "data.csv"
			opt.Threads = threads
			switch c.name {
			case "other delimiter":
				opt.Delimiter = ','
			case "decimal comma":
				opt.Decimal = '.'
			}
			m, err := Read(context.Background(), strings.NewReader(c.text), opt)
			tabletest.Fault(t, c.name, err, c.want, c.at, c.says)
			if m != nil {
				t.Errorf("%s: moments beside an error", c.name)
			}
			if c.want == dataset.ErrOverflow {
				continue // rows are fine without moments
			}
			_, err = ReadTable(context.Background(), strings.NewReader(c.text), opt)
			tabletest.Fault(t, c.name+", table", err, c.want, c.at, c.says)
		}
	}
}

// TestTooManyColumns checks that a transposed table is refused before d² values are allocated.
func TestTooManyColumns(t *testing.T) {
	var text strings.Builder
	const d = 100_000
	for j := range d {
		fmt.Fprintf(&text, "v%d,", j)
	}
	text.WriteString("w\n" + strings.Repeat("1,", d) + "1\n" + strings.Repeat("2,", d) + "2\n")
	opt := DefaultSettings()
	opt.File = "data.csv"
	_, err := Read(context.Background(), strings.NewReader(text.String()), opt)
	tabletest.Fault(t, "wide", err, dataset.ErrTooWide, dataset.ParseError{Line: 1}, "too many columns (100001, limit 80000)")
}

// TestLineTooLong checks that an endless line is refused after MaxLine bytes.
func TestLineTooLong(t *testing.T) {
	opt := DefaultSettings()
	opt.MaxLine = 2 << 20
	opt.File = "data.csv"
	counted := &countReader{r: io.MultiReader(strings.NewReader("a,b\n1,2\n"), repeat("1,"))}
	_, err := Read(context.Background(), counted, opt)
	tabletest.Fault(t, "long row", err, dataset.ErrLineTooLong, dataset.ParseError{Line: 3, Row: 2}, "(limit 2097152 bytes)")
	if counted.n > 4<<20 {
		t.Errorf("read %d bytes", counted.n)
	}
	_, err = Read(context.Background(), repeat("a,"), opt)
	tabletest.Fault(t, "long header", err, dataset.ErrLineTooLong, dataset.ParseError{Line: 1}, "too long")
	// Longer than a run but within the limit: 300,000 columns are too many for moments, so
	// one number is long.
	text := "a,b\n1,2\n3," + strings.Repeat("0", 1<<20) + "4\n5,6\n"
	tab, err := ReadTable(context.Background(), strings.NewReader(text), opt)
	if err != nil || tab.Rows.Rows != 3 || tab.Rows.At(1, 1) != 4 {
		t.Errorf("got %v, %v", tab, err)
	}
}

type countReader struct {
	r io.Reader
	n int
}

func (c *countReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

func TestReaderErrors(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, text := range []string{"", "a,b\n", "a,b\n1,2\n3,4\n"} {
		r := io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))
		if _, err := Read(context.Background(), r, DefaultSettings()); !errors.Is(err, broken) {
			t.Errorf("after %q: %v", text, err)
		}
	}
	if _, err := Read(context.Background(), stuck{}, DefaultSettings()); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a reader that returns nothing: %v", err)
	}
	// A reader may return its last bytes together with io.EOF.
	m, err := Read(context.Background(), iotest.DataErrReader(bytes.NewReader([]byte("a,b\n1,2\n3,4"))), DefaultSettings())
	if err != nil || m.N != 2 {
		t.Errorf("%v, %v", m, err)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }
