package csv

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/tabletest"
	"github.com/polydag/polydag/matrix"
)

var decimalPattern = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

// slowTable is a slow reference for ReadTable on the standard library.
func slowTable(text string, delim byte) (*dataset.NamedRows, error) {
	text = strings.TrimPrefix(text, BOM)
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = rune(delim)
	r.FieldsPerRecord = -1
	names, err := slowNames(r, strings.Split(text, "\n"))
	if err != nil {
		return nil, err
	}
	records, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(records) < 2 || len(names) < 2 {
		return nil, errors.New("too small")
	}
	tab := &dataset.NamedRows{Names: names, Rows: matrix.New[float64](len(records), len(names))}
	for i, rec := range records {
		if len(rec) != len(names) {
			return nil, fmt.Errorf("row %d is ragged", i+1)
		}
		for j, field := range rec {
			field = strings.Trim(field, " \t")
			if !decimalPattern.MatchString(field) {
				return nil, fmt.Errorf("row %d: %q", i+1, field)
			}
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return nil, err
			}
			tab.Rows.Set(i, j, v)
		}
	}
	return tab, nil
}

func read(text string, threads int) (*dataset.Moments, error) {
	opt := DefaultSettings()
	opt.Threads = threads
	return Read(context.Background(), strings.NewReader(text), opt)
}

func readTable(text string, threads int) (*dataset.NamedRows, error) {
	opt := DefaultSettings()
	opt.Threads = threads
	return ReadTable(context.Background(), strings.NewReader(text), opt)
}

// TestReadCSVForms reads one table in every form that the format allows.
func TestReadCSVForms(t *testing.T) {
	want := &dataset.NamedRows{Names: []string{"a", "b"}, Rows: matrix.Of(2, 2, []float64{1, -2.5, 300, 0.25})}
	for _, c := range []struct{ name, text string }{
		{"plain", "a,b\n1,-2.5\n300,0.25\n"},
		{"no last line end", "a,b\n1,-2.5\n300,0.25"},
		{"CRLF", "a,b\r\n1,-2.5\r\n300,0.25\r\n"},
		{"mixed line ends", "a,b\n1,-2.5\r\n300,0.25\n"},
		{"last line ends in CR", "a,b\r\n1,-2.5\r\n300,0.25\r"},
		{"byte order mark", "\ufeffa,b\n1,-2.5\n300,0.25\n"},
		{"byte order mark and quotes", "\ufeff\"a\",b\n1,-2.5\n300,0.25\n"},
		{"quoted names", "\"a\",\"b\"\n1,-2.5\n300,0.25\n"},
		{"quoted values", "a,b\n\"1\",\"-2.5\"\r\n\"300\",\"0.25\"\r\n"},
		{"quotes to the end", "a,b\n1,-2.5\n300,\"0.25\""},
		{"blank last line", "a,b\n1,-2.5\n300,0.25\n\n"},
		{"blank lines", "\n\r\na,b\n\n1,-2.5\n\r\n\n300,0.25\n\n\r\n"},
		{"spaces", " a , b \n 1, -2.5\n300 ,\t0.25\n"},
		{"exponents", "a,b\n1e0,-25E-1\n+3.e+2,.25\n"},
		{"long digits", "a,b\n1.0000000000000000000000000,-2.5\n0000000000000000000000000300,0.25\n"},
	} {
		for threads := 1; threads <= 2; threads++ {
			got, err := readTable(c.text, threads)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %+v, %v", c.name, got, err)
			}
		}
		if twin, err := slowTable(c.text, ','); err != nil || !reflect.DeepEqual(twin, want) {
			t.Errorf("%s: twin: %+v, %v", c.name, twin, err)
		}
	}
}

func TestReadCSVNames(t *testing.T) {
	m, err := read("\"x, y\",\"say \"\"hi\"\"\",\" padded \",été,\"two\r\nlines\"\n1,2,3,4,5\n2,3,4,5,7\nx,1,1,1,1\n", 1)
	var e *dataset.ParseError
	if !errors.As(err, &e) || e.Line != 5 || e.Row != 3 || e.Name != "x, y" {
		t.Errorf("the line end inside a name was not counted: %v, %v", m, err)
	}
	m, err = read("\"x, y\",\"say \"\"hi\"\"\",\" padded \",été,\"two\r\nlines\"\n1,2,3,4,5\n2,3,4,5,7\n", 1)
	if want := []string{"x, y", `say "hi"`, " padded ", "été", "two\nlines"}; err != nil || !slices.Equal(m.Names, want) {
		t.Errorf("got %v, %v", m, err)
	}
}

func TestDelimiters(t *testing.T) {
	for _, delim := range []byte{',', ';', '\t', '|', ' ', ':'} {
		text := strings.ReplaceAll("a,b\n1,2\n3,5\n", ",", string(delim))
		opt := DefaultSettings()
		opt.Delimiter = delim
		if err := opt.Validate(); err != nil {
			t.Errorf("%q: %v", delim, err)
		}
		got, err := ReadTable(context.Background(), strings.NewReader(text), opt)
		if err != nil || !slices.Equal(got.Rows.Data, []float64{1, 2, 3, 5}) {
			t.Errorf("%q: %v, %v", delim, got, err)
		}
	}
	for _, delim := range []byte{1, '"', '\n', '\r', '1', 'e', 'N', '.', '-', '+', 0x80} {
		opt := DefaultSettings()
		opt.Delimiter = delim
		if _, err := Read(context.Background(), strings.NewReader("a,b\n1,2\n3,5\n"), opt); err == nil {
			t.Errorf("%q was taken", delim)
		}
	}
}

func TestOptionsReportEveryFault(t *testing.T) {
	err := dataset.CSVSettings{Delimiter: '1', Decimal: ';'}.Validate()
	for _, field := range []string{"Delimiter", "Decimal", "Threads", "MaxLine", "MaxColumns"} {
		if err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s is not reported: %v", field, err)
		}
	}
	opt := DefaultSettings()
	opt.Delimiter, opt.Decimal = ',', ','
	if err := opt.Validate(); err == nil || !strings.Contains(err.Error(), "both a comma") {
		t.Errorf("a comma for both: %v", err)
	}
	opt.Delimiter = 0
	if err := opt.Validate(); err != nil {
		t.Errorf("a decimal comma: %v", err)
	}
}

// TestReadCSVSameBytes compares a table over many runs and blocks with the reference. The moments must have the
// same bytes for any number of threads, any chunking of the reader, and from the rows themselves.
func TestReadCSVSameBytes(t *testing.T) {
	x := tabletest.Uneven(7, 8_500, 11)
	text := asCSV(t, x)
	if len(text) < 3*runBytes || x.Rows < 2*dataset.BlockRows(x.Cols) {
		t.Fatalf("%d bytes, %d rows: too small to be cut", len(text), x.Rows)
	}
	want, err := dataset.MomentsOf(tabletest.Letters(11), x, 1)
	must.Succeed(t, err)
	tabletest.Close(t, want, tabletest.Naive(tabletest.Letters(11), x), 1e-12)
	for threads := 1; threads <= 5; threads++ {
		if testing.Short() && threads != 2 && threads != 5 { // under the race detector
			continue
		}
		opt := DefaultSettings()
		opt.Threads = threads
		var r io.Reader = bytes.NewReader(text)
		if threads%2 == 0 {
			r = iotest.HalfReader(r)
		}
		got, err := Read(context.Background(), r, opt)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%d threads: other moments, or %v", threads, err)
		}
		tab, err := ReadTable(context.Background(), bytes.NewReader(text), opt)
		if err != nil || !reflect.DeepEqual(tab.Rows, x) {
			t.Errorf("%d threads: other rows, or %v", threads, err)
		}
	}
	twin, err := slowTable(string(text), ',')
	if err != nil || !reflect.DeepEqual(twin.Rows, x) {
		t.Errorf("the written table reads back otherwise with the standard library: %v", err)
	}
}

// TestReadCSVQuotesAcrossRuns has quoted line ends and delimiters at every split position.
func TestReadCSVQuotesAcrossRuns(t *testing.T) {
	var b strings.Builder
	b.WriteString("a,\"b\n,\"\n")
	rows := 0
	for b.Len() < 3*runBytes {
		fmt.Fprintf(&b, "\"%d\",%d\r\n", rows, rows%7)
		rows++
	}
	for threads := 1; threads <= 3; threads++ {
		m, err := read(b.String(), threads)
		if err != nil || m.N != rows || m.Max[0] != float64(rows-1) {
			t.Errorf("%d threads: %v", threads, err)
		}
		// An opening quote without an end swallows the rest, however long.
		_, err = read(b.String()+"1,\"2\n"+strings.Repeat("1,2\n", runBytes), threads)
		var e *dataset.ParseError
		if !errors.As(err, &e) || e.Err != dataset.ErrQuote || e.Row != rows+1 || e.Line != rows+3 || e.Column != 2 {
			t.Errorf("%d threads: %v", threads, err)
		}
	}
}

func TestReadCSVFirstFaultWins(t *testing.T) {
	line := "1,2,3\n"
	rows := 4 * runBytes / len(line)
	text := []byte("a,b,c\n" + strings.Repeat(line, rows))
	at := func(row int) int { return 6 + (row-1)*len(line) }
	text[at(rows-5)] = 'x'
	text[at(rows/2)+2] = 'y'
	for threads := 1; threads <= 4; threads++ {
		_, err := read(string(text), threads)
		var e *dataset.ParseError
		if !errors.As(err, &e) || e.Row != rows/2 || e.Line != rows/2+1 || e.Column != 2 || e.Value != "y" {
			t.Errorf("%d threads: %v", threads, err)
		}
	}
}

func TestReadCSVProgress(t *testing.T) {
	text := asCSV(t, tabletest.Normals(8, 20_000, 6))
	opt := DefaultSettings()
	opt.Threads = 3
	var calls, rows int
	var read int64
	opt.Progress = func(b int64, r int) {
		if b <= read || r <= rows {
			t.Errorf("progress went from %d, %d to %d, %d", read, rows, b, r)
		}
		calls++
		read, rows = b, r
	}
	must.Get(Read(context.Background(), bytes.NewReader(text), opt))
	if calls < 3 || rows != 20_000 || read != int64(len(text)) {
		t.Errorf("%d calls, last %d bytes of %d, %d rows", calls, read, len(text), rows)
	}
}

func TestReadCSVCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	opt := DefaultSettings()
	opt.Threads = 2
	opt.Progress = func(int64, int) { cancel() }
	endless := io.MultiReader(strings.NewReader("a,b\n"), repeat("1,2\n3,5\n"))
	if _, err := Read(ctx, endless, opt); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// repeat returns a reader of the same text again and again.
func repeat(text string) io.Reader { return &repeater{text: strings.Repeat(text, 1+1<<16/len(text))} }

type repeater struct {
	text string
	pos  int
}

func (r *repeater) Read(p []byte) (int, error) {
	n := copy(p, r.text[r.pos:])
	r.pos = (r.pos + n) % len(r.text)
	return n, nil
}

// TestReadCSVMemory checks that reading allocates the same however many rows there are.
func TestReadCSVMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: make test runs it; the race detector has the tests of threads")
	}
	if raceEnabled {
		t.Skip("the race detector makes sync.Pool, which gemm uses, forget at random")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // sync.Pool keeps buffers for each processor
	const rows, d = 100_000, 20
	allocated := func(rows int) uint64 {
		r, w := io.Pipe()
		done := make(chan error, 1)
		go func() {
			row := make([]float64, d)
			done <- Write(w, tabletest.Letters(d), func(yield func([]float64) bool) {
				for i := range rows {
					for j := range row {
						row[j] = math.Sqrt(float64(i*d + j))
					}
					if !yield(row) {
						return
					}
				}
			})
			w.Close()
		}()
		opt := DefaultSettings()
		opt.Threads = 2
		var m *dataset.Moments
		var err error
		runtime.GC()
		used := tabletest.Allocated(func() { m, err = Read(context.Background(), r, opt) })
		if werr := <-done; err != nil || werr != nil || m.N != rows {
			t.Fatal(err, werr)
		}
		return used
	}
	few, many := allocated(rows/4), allocated(rows)
	if growth := int64(many) - int64(few); growth > 2<<20 {
		t.Errorf("%d rows allocated %d bytes, %d rows %d", rows/4, few, rows, many)
	}
	if many > 12<<20 { // the values alone are 16 MB, the text 35 MB
		t.Errorf("allocated %d bytes", many)
	}
}
