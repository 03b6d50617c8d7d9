package csv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/tabletest"
)

// TestRunsAreWholeRecords checks that the concatenated runs of every size are the text, and that each ends
// outside quotes.
func TestRunsAreWholeRecords(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	for range 500 {
		var text strings.Builder
		for range 1 + rng.IntN(12) {
			text.WriteString([]string{"1,2", "\"a\nb\",3", "\"\"\"\n\",4", strings.Repeat("5", 50), "", "\"" + strings.Repeat("\n", 40) + "\",6"}[rng.IntN(6)])
			text.WriteString([]string{"\n", "\r\n"}[rng.IntN(2)])
		}
		src := newRunReader(strings.NewReader(text.String()), 1000)
		src.size = 4 + rng.IntN(40)
		var all, buf []byte
		for {
			var err error
			if buf, err = src.next(buf); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if bytes.Count(buf, []byte{'"'})%2 != 0 || buf[len(buf)-1] != '\n' {
				t.Fatalf("size %d: a run %q of %q", src.size, buf, text.String())
			}
			all = append(all, buf...)
			if src.taken != int64(len(all)) {
				t.Fatalf("taken %d, have %d", src.taken, len(all))
			}
		}
		if string(all) != text.String() {
			t.Fatalf("size %d: %q, want %q", src.size, all, text.String())
		}
	}
}

// TestRunAfterLongLine checks that a long line does not make the following run longer.
func TestRunAfterLongLine(t *testing.T) {
	src := newRunReader(io.MultiReader(strings.NewReader(strings.Repeat("x", 5*runBytes)+"\n"), io.LimitReader(repeat("1,2\n"), 8*runBytes)), 64<<20)
	var buf []byte
	for k := 0; ; k++ {
		var err error
		if buf, err = src.next(buf); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if k == 0 && len(buf) > 6*runBytes+1 || k > 0 && len(buf) > runBytes || k > 2 && cap(buf) > 4*runBytes {
			t.Errorf("run %d has %d bytes, capacity %d", k, len(buf), cap(buf))
		}
	}
}

// TestGigabyteLine checks that a gigabyte without a line end, in the header or a row, is refused in bounded
// memory.
func TestGigabyteLine(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: make test runs it; the race detector has the tests of threads")
	}
	for _, c := range []struct {
		name, head, line string
		at               dataset.ParseError
	}{
		{"header", "", "name,", dataset.ParseError{Line: 1}},
		{"row", "a,b\n1,2\n", "3,", dataset.ParseError{Line: 3, Row: 2}},
		{"quote", "a,b\n1,2\n\"", "3,4\n", dataset.ParseError{Line: 3, Row: 2}},
	} {
		counted := &countReader{r: io.MultiReader(strings.NewReader(c.head), io.LimitReader(repeat(c.line), 1<<30))}
		opt := DefaultSettings()
		opt.File = "data.csv"
		var err error
		used := tabletest.Allocated(func() {
			var s dataset.Source
			if s, err = Open(counted, opt); err == nil {
				_, _, err = collect(t, s)
			}
		})
		tabletest.Fault(t, c.name, err, dataset.ErrLineTooLong, c.at, "(limit 67108864 bytes)")
		if counted.n > opt.MaxLine+2*runBytes {
			t.Errorf("%s: read %d bytes", c.name, counted.n)
		}
		if used > uint64(2*opt.MaxLine+8*runBytes) {
			t.Errorf("%s: allocated %d bytes", c.name, used)
		}
	}
}

// TestWideHeader checks that 10,000 columns are accepted and a million, as in a transposed file, are refused.
func TestWideHeader(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: make test runs it; the race detector has the tests of threads")
	}
	wide := func(d int) string {
		var text []byte
		for j := range d {
			text = append(strconv.AppendInt(text, int64(j), 36), ',')
		}
		return string(text)
	}
	const d = 9_999
	s := open(t, wide(d)+"w!\n"+strings.Repeat("1,", d)+"7\n"+strings.Repeat(",", d)+"x\n", DefaultSettings())
	if len(s.Columns()) != 10_000 {
		t.Errorf("%d columns", len(s.Columns()))
	}
	must.Succeed(t, s.Select([]int{d, 0}))
	rows, _, err := collect(t, s)
	if got := sprintRow(rows); err != nil || len(rows) != 2 || got != `"x" NaN` {
		t.Errorf("%d rows, %s, %v", len(rows), got, err)
	}
	opt := DefaultSettings()
	opt.File = "data.csv"
	_, err = Open(strings.NewReader(wide(maxHeader)+"w!\n"), opt)
	tabletest.Fault(t, "too wide", err, dataset.ErrTooWide, dataset.ParseError{Line: 1}, "more than 1048576")
}

// TestOpenCSVReaderError checks that a reader that fails does so after the rows of the runs before.
func TestOpenCSVReaderError(t *testing.T) {
	broken := errors.New("unexpected end of the archive")
	text := "a,b\n" + strings.Repeat("1,2\n", runBytes/2)
	s, err := Open(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), DefaultSettings())
	must.Succeed(t, err)
	rows, _, err := collect(t, s)
	if len(rows) < runBytes/8 || !errors.Is(err, broken) || !strings.Contains(err.Error(), fmt.Sprintf("line %d, row %d: ", len(rows)+2, len(rows)+1)) {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if _, err := Read(context.Background(), io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), DefaultSettings()); !errors.Is(err, broken) {
		t.Errorf("strict: %v", err)
	}
}
