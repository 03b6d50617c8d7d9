package csv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/tabletest"
)

func open(t *testing.T, text string, opt Settings) dataset.Source {
	t.Helper()
	s, err := Open(strings.NewReader(text), opt)
	must.Succeed(t, err)
	return s
}

// TestOpenCSVCells checks the value and the line of each field.
func TestOpenCSVCells(t *testing.T) {
	s := open(t, "a,\"b\n\",c\n1,,true\n\n\"x\r\ny\",\" pad \",-Inf\n NA , blue ,\"1,000\"\nnan,\xe9,1e999\n", DefaultSettings())
	want := []dataset.Column{{Name: "a"}, {Name: "b\n"}, {Name: "c"}}
	if got := s.Columns(); !reflect.DeepEqual(got, want) {
		t.Errorf("columns %v", got)
	}
	var b dataset.Batch
	must.Succeed(t, s.Next(context.Background(), &b))
	nan, inf := math.NaN(), math.Inf(1)
	values := []float64{1, nan, nan, nan, nan, -inf, nan, nan, nan, nan, nan, inf}
	if b.Rows != 4 || !slices.EqualFunc(b.Values, values, func(a, b float64) bool { return a == b || a != a && b != b }) {
		t.Errorf("%d rows: %v", b.Rows, b.Values)
	}
	var cells []string
	for _, c := range b.Cells {
		cells = append(cells, fmt.Sprintf("%d %d %d %q", c.Row, c.Column, c.Line, b.Text[c.Start:c.End]))
	}
	if want := []string{`0 2 3 "true"`, `1 0 5 "x\ny"`, `1 1 6 " pad "`, `2 1 7 "blue"`, `2 2 7 "1,000"`, `3 1 8 "é"`}; !slices.Equal(cells, want) {
		t.Errorf("cells %q, want %q", cells, want)
	}
	if err := s.Next(context.Background(), &b); err != io.EOF || b.Rows != 0 {
		t.Errorf("at the end: %v, %d rows", err, b.Rows)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Next(context.Background(), &b); err == nil || err == io.EOF {
		t.Errorf("after Close: %v", err)
	}
}

func TestOpenCSVMissingWords(t *testing.T) {
	opt := DefaultSettings()
	opt.NA = []string{"-999", " unknown ", "n.a."}
	text := "a,b\n1,-999\n2,-999.0\n3,-9.99e2\n4, unknown\n5,\"unknown\"\n6,n.a.\n"
	s := open(t, text+"7,-998\n8,Unknown\n9,-999x\n", opt)
	rows, _, err := collect(t, s)
	if err != nil || len(rows) != 9 {
		t.Fatal(err, len(rows))
	}
	for i, row := range rows {
		missing := row[1].text == "" && row[1].value != row[1].value
		if row[0].value != float64(i+1) || missing != (i < 6) {
			t.Errorf("row %d: %v", i+1, row)
		}
	}
	if rows[6][1].value != -998 || rows[7][1].text != "Unknown" || rows[8][1].text != "-999x" {
		t.Errorf("got %v", rows[6:])
	}
	if _, err := Read(context.Background(), strings.NewReader(text), opt); !errors.Is(err, dataset.ErrMissing) || !strings.Contains(err.Error(), `line 2, row 1, column 2 (b): "-999" is a missing value`) {
		t.Errorf("strict: %v", err)
	}
}

// TestOpenCSVTwin compares a table of numbers, words, gaps and quotes over many runs with the reference, on any
// number of threads, whole and in part.
func TestOpenCSVTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	words := []string{"red", "\"two\nlines\"", "", "NA", "-inf", "\"say \"\"hi\"\"\"", "true", "\"12\"", " 7 ", "\xff"}
	var text strings.Builder
	text.WriteString("id,\"the,word\",x,y\n")
	const size = 32 << 10
	for i := 0; text.Len() < 8*size; i++ {
		fmt.Fprintf(&text, "%d,%s,%v,%.3f", i, words[rng.IntN(len(words))], rng.NormFloat64(), rng.NormFloat64())
		text.WriteString([]string{"\n", "\r\n", "\n\n"}[rng.IntN(3)])
	}
	names, want, err := slowCSV(text.String(), ',', '.')
	must.Succeed(t, err)
	for threads := 1; threads <= 4; threads++ {
		opt := DefaultSettings()
		opt.Threads = threads
		s, err := openRuns(iotest.HalfReader(strings.NewReader(text.String())), opt, size)
		if err != nil || !slices.Equal(columnNames(s), names) {
			t.Fatal(err)
		}
		got, batches, err := collect(t, s)
		if err != nil || !equalRows(got, want) || len(batches) < 8 {
			t.Errorf("%d threads: %d rows of %d in %d batches, %v", threads, len(got), len(want), len(batches), err)
		}
		s, err = openRuns(strings.NewReader(text.String()), opt, size)
		if err == nil {
			err = s.Select([]int{3, 1})
		}
		must.Succeed(t, err)
		if !slices.Equal(columnNames(s), []string{"y", "the,word"}) {
			t.Errorf("columns %v", s.Columns())
		}
		got, _, err = collect(t, s)
		if err != nil || !slices.EqualFunc(got, want, func(g, w []seen) bool { return g[0].equal(w[3]) && g[1].equal(w[1]) }) {
			t.Errorf("%d threads, columns 3 and 1: %d rows, %v", threads, len(got), err)
		}
	}
}

func TestSelectRefuses(t *testing.T) {
	for _, columns := range [][]int{{-1}, {2}, {0, 0}} {
		s := open(t, "a,b\n1,2\n", DefaultSettings())
		if err := s.Select(columns); err == nil {
			t.Errorf("%v was taken", columns)
		}
	}
	s := open(t, "a,b\n1,2\n", DefaultSettings())
	must.Succeed(t, s.Select([]int{1, 0}))
	if err := s.Select([]int{1, 0}); err == nil {
		t.Error("a second Select was taken")
	}
	s = open(t, "a,b\n1,2\n", DefaultSettings())
	must.Succeed(t, s.Next(context.Background(), &dataset.Batch{}))
	if err := s.Select([]int{0}); err == nil {
		t.Error("a Select after Next was taken")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestSelectIgnores checks that unselected columns may contain anything except a fault of the row.
func TestSelectIgnores(t *testing.T) {
	s := open(t, "a,b,c\n1,\"x\ny\",2\n\x013,4 z,inf\n5,,\xff\n6,7,\"\"\n", DefaultSettings())
	must.Succeed(t, s.Select([]int{}))
	if rows, _, err := collect(t, s); err != nil || len(rows) != 4 {
		t.Errorf("no column: %d rows, %v", len(rows), err)
	}
	for _, text := range []string{"a,b,c\n1,2,3\n1,2\n", "a,b,c\n1,2,3\n1,2,3,4\n", "a,b,c\n1,2,3\n1,2\"x,3\n", "a,b,c\n1,2,3\n1,2,\"3\n"} {
		s := open(t, text, DefaultSettings())
		must.Succeed(t, s.Select([]int{0}))
		rows, _, err := collect(t, s)
		var e *dataset.ParseError
		if !errors.As(err, &e) || e.Line != 3 || e.Row != 2 || e.Err != dataset.ErrRagged && e.Err != dataset.ErrQuote {
			t.Errorf("%q: %v", text, err)
		}
		if got := sprintRow(rows); len(rows) != 1 || got != "1" {
			t.Errorf("%q: the rows before the fault are %v", text, rows)
		}
	}
}

// TestOpenCSVFaults checks faults of the table, not of its values.
func TestOpenCSVFaults(t *testing.T) {
	soft := []error{dataset.ErrNoRows, dataset.ErrOneRow, dataset.ErrNotNumber, dataset.ErrNotFinite, dataset.ErrMissing, dataset.ErrOverflow}
	for _, c := range faults {
		opt := DefaultSettings()
		opt.File = "data.csv"
		if c.name == "other delimiter" {
			opt.Delimiter = ','
		}
		s, err := Open(strings.NewReader(c.text), opt)
		if err == nil {
			_, _, err = collect(t, s)
		}
		if slices.Contains(soft, c.want) {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		tabletest.Fault(t, c.name, err, c.want, c.at, c.says)
	}
	if s, err := Open(strings.NewReader(""), DefaultSettings()); s != nil || err == nil {
		t.Errorf("no file: %v, %v", s, err)
	}
	if s, err := Open(strings.NewReader("a,b\n"), Settings{}); s != nil || err == nil {
		t.Errorf("no options: %v, %v", s, err)
	}
}

// TestNextKeepsOtherBatches checks that a batch stays valid until it is released.
func TestNextKeepsOtherBatches(t *testing.T) {
	s, err := openRuns(strings.NewReader("a,b\n"+strings.Repeat("1,x\n2,y\n", 10_000)), DefaultSettings(), 8<<10)
	must.Succeed(t, err)
	defer s.Close()
	var one, two dataset.Batch
	must.Succeed(t, s.Next(context.Background(), &one))
	values, cells, words := slices.Clone(one.Values), slices.Clone(one.Cells), bytes.Clone(one.Text)
	for range 3 {
		must.Succeed(t, s.Next(context.Background(), &two))
	}
	same := slices.EqualFunc(values, one.Values, func(a, b float64) bool { return a == b || a != a && b != b })
	if !same || !slices.Equal(cells, one.Cells) || !bytes.Equal(words, one.Text) {
		t.Error("a batch changed while another was filled")
	}
}

// TestNextAllocatesNothing checks that nothing is allocated after the first runs.
func TestNextAllocatesNothing(t *testing.T) {
	opt := DefaultSettings()
	opt.Threads = 2
	s, err := openRuns(io.MultiReader(strings.NewReader("a,b,c\n"), repeat("1.25,word,NA\n-3e5,\"7\",\n")), opt, 32<<10)
	must.Succeed(t, err)
	defer s.Close()
	var b dataset.Batch
	read := func(n int) uint64 {
		return tabletest.Allocated(func() {
			for range n {
				must.Succeed(t, s.Next(context.Background(), &b))
			}
		})
	}
	read(20)
	if n := read(40); n > 32<<10 {
		t.Errorf("40 runs allocated %d bytes", n)
	}
}

// goroutines waits until at most n are left, or a second has passed.
func goroutines(n int) int {
	for range 100 {
		if runtime.NumGoroutine() <= n {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return runtime.NumGoroutine()
}

// TestCloseEndsGoroutines checks that a source that is left early, ended by its context or never started leaves
// no goroutine.
func TestCloseEndsGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	for reads := range 4 {
		opt := DefaultSettings()
		opt.Threads = 4
		s, err := Open(io.MultiReader(strings.NewReader("a,b\n"), repeat("1,2\n")), opt)
		must.Succeed(t, err)
		var b dataset.Batch
		ctx, cancel := context.WithCancel(context.Background())
		for range reads {
			must.Succeed(t, s.Next(ctx, &b))
		}
		cancel()
		if err := s.Next(ctx, &b); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "reading stopped after") {
			t.Errorf("a source that is cancelled: %v", err)
		}
		if reads > 0 { // the end of one call's context is not the end of the table
			if err := s.Next(context.Background(), &b); err != nil || b.Rows == 0 {
				t.Errorf("after a context that ended: %v", err)
			}
		}
		for range 2 {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if after := goroutines(before); after > before {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}

// TestNextWhileReaderHangs checks that Next returns with its context although the reader hangs.
func TestNextWhileReaderHangs(t *testing.T) {
	before := runtime.NumGoroutine()
	r, w := io.Pipe()
	go io.WriteString(w, "a,b\n"+strings.Repeat("1,2\n", runBytes/2))
	s, err := Open(r, DefaultSettings())
	must.Succeed(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	var b dataset.Batch
	for err == nil {
		err = s.Next(ctx, &b)
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	w.Close()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if after := goroutines(before); after > before {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}
