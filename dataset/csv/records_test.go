package csv

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// TestRecords checks fields and lines of records: a byte order mark and blank lines are skipped, and a quoted field may have several lines.
func TestRecords(t *testing.T) {
	r := NewRecords(strings.NewReader("\ufeffa, b ,c\n\n\r\n\"x\ny\",\" z \",\nlast,1\n"))
	for _, want := range []struct {
		line   int
		fields []string
	}{{1, []string{"a", "b", "c"}}, {4, []string{"x\ny", " z ", ""}}, {6, []string{"last", "1"}}} {
		got, err := r.Next()
		if err != nil || !slices.Equal(got, want.fields) || r.Line != want.line {
			t.Errorf("%q in line %d, %v; want %q in line %d", got, r.Line, err, want.fields, want.line)
		}
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("after the last record: %v", err)
	}
	r = NewRecords(strings.NewReader("a,b\n1,\"x\"y\n"))
	must.Get(r.Next())
	var at *dataset.ParseError
	if _, err := r.Next(); !errors.As(err, &at) || at.Line != 2 || at.Column != 2 || !errors.Is(err, dataset.ErrQuote) {
		t.Errorf("text after a quote: %v, want an error in line 2, column 2", err)
	}
	failing := errors.New("the disk fails")
	r = NewRecords(iotest.ErrReader(failing))
	if _, err := r.Next(); !errors.As(err, &at) || at.Line != 1 || !errors.Is(err, failing) {
		t.Errorf("a reader that fails: %v, want an error in line 1", err)
	}
}

// TestWordOfANumber checks that only whole numbers below the number of words stand for a word.
func TestWordOfANumber(t *testing.T) {
	words := []string{"red", "green"}
	for v, want := range map[float64]string{0: "red", 1: "green", 2: "", -1: "", 0.5: "", 1.5: ""} {
		if got, err := Word(words, v); got != want || (err == nil) != (want != "") {
			t.Errorf("%v is %q, %v; want %q", v, got, err, want)
		}
	}
}
