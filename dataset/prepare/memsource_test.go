package prepare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/csv"
	"github.com/polydag/polydag/internal/tabletest"
	"github.com/polydag/polydag/matrix"
)

// A memTable is a table in memory whose sources behave like those of files: rows[i][j] is a float64, a string, or nil
// where the value is missing.
type memTable struct {
	columns []dataset.Column
	rows    [][]any
	batch   int // rows a batch; 0: all
	lines   bool

	opened, closed, read int // sources, sources, rows
	selected             [][]int
	failAt               int // row, from 1, at which Next fails
}

var errDisk = errors.New("disk on fire")

func memOf(names string, rows ...[]any) *memTable {
	t := &memTable{rows: rows}
	for _, name := range strings.Fields(names) {
		t.columns = append(t.columns, dataset.Column{Name: name})
	}
	return t
}

func memNumbers(x *matrix.Dense[float64]) *memTable {
	t := memOf(strings.Join(tabletest.Letters(x.Cols), " "))
	for i := range x.Rows {
		row := make([]any, x.Cols)
		for j, v := range x.Row(i) {
			if row[j] = v; v != v {
				row[j] = nil
			}
		}
		t.rows = append(t.rows, row)
	}
	return t
}

func (t *memTable) open(context.Context) (dataset.Source, error) {
	t.opened++
	s := &memSource{t: t}
	for j := range t.columns {
		s.chosen = append(s.chosen, j)
	}
	return s, nil
}

// openText opens a table of text with commas.
func openText(text string) func(context.Context) (dataset.Source, error) {
	return func(context.Context) (dataset.Source, error) {
		return csv.Open(strings.NewReader(text), csv.DefaultSettings())
	}
}

type memSource struct {
	t      *memTable
	chosen []int
	at     int
	closed bool
}

func (s *memSource) Columns() []dataset.Column {
	var list []dataset.Column
	for _, j := range s.chosen {
		list = append(list, s.t.columns[j])
	}
	return list
}

func (s *memSource) Select(columns []int) error {
	if s.at > 0 || len(s.chosen) != len(s.t.columns) {
		return errors.New("Select is called once, before Next")
	}
	s.chosen = columns
	s.t.selected = append(s.t.selected, columns)
	return nil
}

func (s *memSource) Close() error {
	if s.closed {
		return errors.New("closed twice")
	}
	s.closed = true
	s.t.closed++
	return nil
}

func (s *memSource) Next(_ context.Context, b *dataset.Batch) error {
	if s.closed {
		return errors.New("Next after Close")
	}
	if s.at >= len(s.t.rows) {
		return io.EOF
	}
	b.Reset()
	for s.at < len(s.t.rows) && (s.t.batch == 0 || b.Rows < s.t.batch) {
		if s.t.failAt == s.at+1 {
			return errDisk
		}
		for k, j := range s.chosen {
			switch v := s.t.rows[s.at][j].(type) {
			case nil:
				b.Values = append(b.Values, math.NaN())
			case string:
				b.Values = append(b.Values, math.NaN())
				line := 0
				if s.t.lines {
					line = s.at + 2
				}
				b.AddText(b.Rows, k, line, []byte(v))
			case int:
				b.Values = append(b.Values, float64(v))
			case float64:
				b.Values = append(b.Values, v)
			default:
				return fmt.Errorf("a cell of type %T", v)
			}
		}
		b.Rows++
		s.at++
		s.t.read++
	}
	b.Bytes = int64(s.at)
	return nil
}

// gather runs Gather on a table with every number of threads and cut of the rows that makes a difference, checks that
// nothing depends on them and that every source was closed, and returns what it gave.
func gather(t *testing.T, table *memTable, change func(*Settings)) (*Gathered, error) {
	t.Helper()
	var first *Gathered
	var firstErr error
	for k, c := range []struct{ threads, batch int }{{1, 0}, {2, 1}, {3, 7}, {2, 0}} {
		if c.batch == 1 && len(table.rows) > 20_000 {
			continue
		}
		opt := DefaultSettings()
		opt.Threads = c.threads
		opt.Profile = true
		opt.File = "data.csv"
		if change != nil {
			change(&opt)
		}
		table.batch = c.batch
		g, err := Gather(context.Background(), table.open, opt)
		if table.opened != table.closed {
			t.Fatalf("%d sources opened, %d closed", table.opened, table.closed)
		}
		if k == 0 {
			first, firstErr = g, err
			continue
		}
		if fmt.Sprint(err) != fmt.Sprint(firstErr) {
			t.Fatalf("%+v: %v, before %v", c, err, firstErr)
		}
		if err == nil && !sameGathered(g, first) {
			t.Fatalf("%+v: other results:\n%+v\n%+v\n%+v\n%+v", c, g.Moments, first.Moments, g.Profile, first.Profile)
		}
	}
	return first, firstErr
}

// sameGathered compares to the last bit.
func sameGathered(a, b *Gathered) bool {
	return fmt.Sprintf("%v %v", *a.Moments, *a.Profile) == fmt.Sprintf("%v %v", *b.Moments, *b.Profile)
}

// changing has another word in its table from the third source on.
type changing struct{ t *memTable }

func (c changing) open(ctx context.Context) (dataset.Source, error) {
	if c.t.opened == 2 {
		c.t.rows[1] = []any{2, "z"}
	}
	return c.t.open(ctx)
}
