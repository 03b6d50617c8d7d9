package csv

import (
	"bytes"
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// FuzzReadCSV compares ReadTable and Read with a reference on the standard library. They must never panic,
// accept the same tables, and give the same numbers on any number of threads.
func FuzzReadCSV(f *testing.F) {
	var seeds [][]byte
	for _, c := range faults {
		seeds = append(seeds, []byte(c.text[:min(len(c.text), 4096)]))
	}
	for _, s := range []string{
		"a,b\n1,2\n3,4\n", "\ufeffa,b\r\n1,2\r\n3,4", "\"a\"\"\",\"b\n\"\n\"1\", 2\n\n3,4\r", "a,b\n1e5,-2.5E-3\n.5,5.\n",
		"a,b\n123456789012345678,0.12345678901234567\n0.30000000000000004,1e-30\n",
	} {
		seeds = append(seeds, []byte(s))
	}
	must.AddMutants(f, 2000, seeds...)
	f.Fuzz(func(t *testing.T, text []byte) {
		opt := DefaultSettings()
		opt.Delimiter, opt.Decimal, opt.Threads = ',', '.', 1 // the reference detects neither
		got, err := ReadTable(context.Background(), bytes.NewReader(text), opt)
		opt.Threads = 3
		again, err2 := ReadTable(context.Background(), bytes.NewReader(text), opt)
		if !reflect.DeepEqual(got, again) || (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() {
			t.Fatalf("1 thread: %v, %v\n3 threads: %v, %v", got, err, again, err2)
		}
		if !utf8.Valid(text) || bytes.IndexByte(text, '\r') >= 0 && bytes.IndexByte(text, '\n') < 0 {
			return // the reference supports neither encodings nor other line ends
		}
		want, werr := slowTable(string(text), ',')
		if err != nil {
			// The reference does not check names and encodings.
			if werr == nil && !errors.Is(err, dataset.ErrSameName) && !errors.Is(err, dataset.ErrNoName) && !errors.Is(err, dataset.ErrNotTable) {
				t.Fatalf("refused what the standard library takes: %v", err)
			}
			return
		}
		h, _ := readHeader(newRunReader(bytes.NewReader(text), opt.MaxLine), opt)
		if h != nil && (h.dialect != (dialect{}) || len(h.visible) != len(h.names) || h.lines > 0 && len(h.notes) > 0 || bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff"))) {
			return // the reference does not support this dialect
		}
		if werr != nil {
			t.Fatalf("took what the standard library refuses: %v", werr)
		}
		for j, name := range got.Names {
			if name != want.Names[j] {
				t.Fatalf("name %d is %q, want %q", j, name, want.Names[j])
			}
		}
		for i, v := range got.Rows.Data {
			if math.Float64bits(v) != math.Float64bits(want.Rows.Data[i]) {
				t.Fatalf("value %d is %v, want %v", i, v, want.Rows.Data[i])
			}
		}
		opt.Threads = 2
		m, err := Read(context.Background(), bytes.NewReader(text), opt)
		if err != nil {
			if !errors.Is(err, dataset.ErrOverflow) {
				t.Fatalf("a table without moments: %v", err)
			}
			return
		}
		for i, v := range append(slices.Clone(m.Scatter), m.Mean...) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("moment %d is %v", i, v)
			}
		}
		// A table survives a round trip, except that CR LF in a name becomes LF, as in encoding/csv.
		if strings.Contains(strings.Join(got.Names, "\n"), "\r\n") {
			return
		}
		var b bytes.Buffer
		must.Succeed(t, Write(&b, got.Names, dataset.RowsOf(got.Rows)))
		back, err := ReadTable(context.Background(), &b, DefaultSettings())
		if err != nil || !reflect.DeepEqual(back, got) {
			t.Fatalf("written %v, read back %v, %v", got, back, err)
		}
	})
}
