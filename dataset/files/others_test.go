package files_test

import (
	"bytes"
	"compress/gzip"
	"context"
	stdcsv "encoding/csv"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/must"
)

// others is where tables lie that DuckDB and polars wrote: make.mjs there made them, and versions.txt says with which versions.
const others = "../../test/files/testdata/others"

// content is a table that was read: its numbers row by row, and its texts by row and column.
type content struct {
	names  []string
	rows   int
	values []float64
	texts  map[[2]int]string
}

// drain reads a table to its end.
func drain(t testing.TB, src dataset.Source) (*content, error) {
	t.Helper()
	c := &content{names: dataset.ColumnNames(src.Columns()), texts: map[[2]int]string{}}
	var b dataset.Batch
	for {
		err := src.Next(context.Background(), &b)
		if err == io.EOF {
			return c, nil
		}
		if err != nil {
			return c, err
		}
		if b.Rows < 1 || len(b.Values) != b.Rows*len(c.names) {
			t.Fatalf("a batch of %d rows has %d values for %d columns", b.Rows, len(b.Values), len(c.names))
		}
		for _, cell := range b.Cells {
			c.texts[[2]int{c.rows + cell.Row, cell.Column}] = string(b.Text[cell.Start:cell.End])
		}
		c.values = append(c.values, b.Values...)
		c.rows += b.Rows
	}
}

// unreadable are the columns that hold neither numbers nor text.
var unreadable = []string{"list", "structure", "map", "uuid", "span"}

// exported returns the table that a program wrote as CSV, as its cells; \N is a missing value.
func exported(t *testing.T, path string) (names []string, rows [][]string) {
	data, err := os.ReadFile(path)
	must.Succeed(t, err)
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(data))
		must.Succeed(t, err)
		data, err = io.ReadAll(z)
		must.Succeed(t, err)
	}
	all, err := stdcsv.NewReader(bytes.NewReader(data)).ReadAll()
	must.Succeed(t, err)
	return all[0], all[1:]
}

// meant returns the number that a cell of an export stands for, and whether it is one. The meaning of a column goes by its name.
func meant(t *testing.T, column, cell string) (x float64, isNumber bool) {
	t.Helper()
	var err error
	switch {
	case column == "word" || column == "level":
		return 0, false
	case column == "truth":
		x, err = map[string]float64{"true": 1, "false": 0}[cell], nil
	case column == "day" || column == "zoned" || strings.HasPrefix(column, "instant"):
		cell = strings.Replace(cell, " ", "T", 1)
		layout := "2006-01-02"
		if column != "day" {
			layout += "T15:04:05"
		}
		if column == "zoned" {
			zone := cell[19+strings.IndexAny(cell[19:], "+Z"):]
			layout += map[string]string{"+00": "-07", "+0000": "-0700", "+00:00": "-07:00"}[zone]
		}
		var at time.Time
		at, err = time.Parse(layout, cell)
		seconds, nanos := at.Unix(), at.Nanosecond()
		if seconds < 0 && nanos > 0 {
			seconds, nanos = seconds+1, nanos-1e9
		}
		x = float64(seconds) + float64(nanos)/1e9
	case column == "clock":
		var at time.Time
		at, err = time.Parse("15:04:05", cell)
		x = at.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)).Seconds()
	default:
		x, err = strconv.ParseFloat(cell, 64)
	}
	if err != nil {
		t.Fatalf("%s: %q: %v", column, cell, err)
	}
	return x, true
}

// Every value of every file that another program wrote is what the same program exports as text.
func TestFilesOfOtherPrograms(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(others, "*.*.*"))
	must.Succeed(t, err)
	if len(paths) == 0 {
		t.Skipf("%s is a part of another module and not there", others)
	}
	for _, program := range []string{"duckdb", "polars"} {
		paths = append(paths, filepath.Join(others, program+".csv"), filepath.Join(others, program+".jsonl"))
	}
	read := 0
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.Contains(name, ".want.") {
			continue
		}
		read++
		t.Run(name, func(t *testing.T) {
			program, _, _ := strings.Cut(name, ".")
			oracle := filepath.Join(others, program+".want.csv")
			if program == "duckdb-long" {
				oracle += ".gz"
			}
			names, rows := exported(t, oracle)
			binary := !strings.HasSuffix(name, ".csv") && !strings.HasSuffix(name, ".jsonl")
			settings := files.DefaultSettings()
			settings.Threads = 2
			in, err := files.Open(path, nil, settings)
			must.Succeed(t, err)
			defer in.Close()
			src, err := in.Source(context.Background())
			must.Succeed(t, err)
			var flat []int
			for j, c := range src.Columns() {
				if nested := slices.Contains(unreadable, c.Name); nested != (c.Unreadable != "") {
					t.Errorf("column %s: unreadable is %q", c.Name, c.Unreadable)
				} else if !nested {
					flat = append(flat, j)
				}
			}
			must.Succeed(t, src.Select(flat))
			got, err := drain(t, src)
			must.Succeed(t, err)
			must.Succeed(t, src.Close())
			if !slices.Equal(got.names, names) || got.rows != len(rows) {
				t.Fatalf("%d rows of %q, want %d of %q", got.rows, got.names, len(rows), names)
			}
			for i, row := range rows {
				for j, cell := range row {
					x, word, isText := got.values[i*len(names)+j], got.texts[[2]int{i, j}], false
					if _, isText = got.texts[[2]int{i, j}]; cell == `\N` {
						if isText || !math.IsNaN(x) {
							t.Fatalf("row %d, %s: %v %q, want nothing", i+1, names[j], x, word)
						}
						continue
					}
					want, isNumber := meant(t, names[j], cell)
					if isText && isNumber && !binary {
						x, _ = meant(t, names[j], word)
						isText = false
					}
					if names[j] == "float" { // writers print the digits that 32 bits need, or those that 64 need
						x, want = float64(float32(x)), float64(float32(want))
					}
					if isText == isNumber || isText && word != cell || isNumber && x != want {
						t.Fatalf("row %d, %s: %v %q, want %s", i+1, names[j], x, word, cell)
					}
				}
			}
		})
	}
	if read < 20 {
		t.Fatalf("only %d files were read; %s has more", read, others)
	}
}
