package csv

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// FuzzOpenCSV compares Open with a reference on the standard library, with runs of a few bytes so that every
// position is split. Open must never panic. It must give the same values, lines and faults on any number of
// threads, and Select must change only the columns.
func FuzzOpenCSV(f *testing.F) {
	var seeds [][]byte
	for _, c := range faults {
		seeds = append(seeds, []byte(c.text[:min(len(c.text), 4096)]))
	}
	for _, s := range []string{
		"a,b\n1,2\n3,4\n", "\ufeffa;b\r\n1,5;2\r\n3,5;NA", "\"a\"\"\",\"b\n\"\n\"1\", x\n\"y\r\n\",4\r", "a|b\n1e5|-inf\n.5|true\n",
		"a b\n1 2\n\n3 x\n", "a\tb\tc\n1,5\t\t-\n\"x\ny\"\t\" z \"\t\"\"\"\"\n", "a,b\n\xe9,1\n2,3\n", "id,note,v\n1,\"a,b\",2\n2,\"say \"\"x\"\"\",3\n",
	} {
		seeds = append(seeds, []byte(s))
	}
	for i, s := range must.Mutants(2000, seeds...) {
		f.Add(s, uint8(i/7), uint8(i), uint8(7*i))
	}
	for i, s := range seeds {
		for k := range uint8(6) {
			f.Add(s, k, uint8(i), uint8(7*i))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, sign, runs, mask uint8) {
		opt := DefaultSettings()
		opt.Delimiter = [...]byte{',', ';', '\t', '|', ' ', 0}[sign%6]
		opt.Decimal = '.'
		if sign >= 128 && opt.Delimiter != ',' {
			opt.Decimal = ','
		}
		size := 8 + int(runs)
		open := func(threads int) (dataset.Source, error) {
			opt.Threads = threads
			return openRuns(bytes.NewReader(text), opt, size)
		}
		s, err := open(1)
		if err != nil {
			_, err2 := open(3)
			if err2 == nil || err2.Error() != err.Error() {
				t.Fatalf("%v, then %v", err, err2)
			}
			names, _, _ := slowCSV(string(text), max(opt.Delimiter, 1), opt.Decimal)
			switch {
			case errors.Is(err, dataset.ErrNoName), errors.Is(err, dataset.ErrSameName), errors.Is(err, dataset.ErrNotTable):
			case opt.Delimiter == 0 && (errors.Is(err, dataset.ErrQuote) || errors.Is(err, dataset.ErrOneColumn)):
			case errors.Is(err, dataset.ErrOneColumn) && (len(names) == 1 || bytes.Contains(text, []byte("sep=")) || bytes.Contains(text, []byte("#"))):
			case (errors.Is(err, dataset.ErrEmpty) || errors.Is(err, dataset.ErrQuote)) && names == nil:
			case errors.Is(err, dataset.ErrQuote) && bytes.HasPrefix(bytes.TrimLeft(text, "\r\n"), []byte("#")): // the reference does not support comments
			default:
				t.Fatalf("the standard library reads the header %q: %v", names, err)
			}
			return
		}
		delim := s.(*source).parser.delim
		names := columnNames(s)
		rows, batches, err := collect(t, s)

		s3, err3 := open(3)
		if err3 != nil {
			t.Fatal(err3)
		}
		rows3, batches3, err3 := collect(t, s3)
		if !equalRows(rows, rows3) || !slices.Equal(batches, batches3) || (err == nil) != (err3 == nil) || err != nil && err.Error() != err3.Error() {
			t.Fatalf("1 thread: %v %v %v\n3 threads: %v %v %v", rows, batches, err, rows3, batches3, err3)
		}

		if s := s3.(*source); s.parser.dialect != (dialect{}) || len(s.visible) != len(s.parser.names) || s.lines > 0 && len(s.notes) > 0 {
			return // the reference does not support this dialect
		}
		wantNames, want, werr := slowCSV(string(text), delim, opt.Decimal)
		if !slices.Equal(names, wantNames) {
			t.Fatalf("names %q, want %q", names, wantNames)
		}
		if errors.Is(err, dataset.ErrNotTable) { // the reference does not check for NUL
			want, werr = want[:min(len(rows), len(want))], err
		}
		if !equalRows(rows, want) || (err == nil) != (werr == nil) {
			t.Fatalf("got %v, %v\nwant %v, %v", rows, err, want, werr)
		}
		if err != nil {
			return
		}

		some := []int{}
		for j := range names {
			if k := len(names) - 1 - j; mask>>(k%8)&1 == 1 {
				some = append(some, k)
			}
		}
		s, err = open(2)
		if err == nil {
			err = s.Select(some)
		}
		must.Succeed(t, err)
		part, _, err := collect(t, s)
		for i := range rows {
			row := make([]seen, len(some))
			for k, j := range some {
				row[k] = rows[i][j]
			}
			rows[i] = row
		}
		if err != nil || !equalRows(part, rows) {
			t.Fatalf("columns %v: %v, %v, want %v", some, part, err, rows)
		}
	})
}
