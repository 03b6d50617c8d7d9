package prepare

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/csv"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/tabletest"
)

// Numbers alone: the moments are those of dataset.MomentsOf and of the same numbers in a text file, to the last bit.
func TestGatherSameBytes(t *testing.T) {
	for _, shape := range [][2]int{{2, 2}, {300, 3}, {9000, 5}} {
		x := tabletest.Uneven(21, shape[0], shape[1])
		want := must.Get(dataset.MomentsOf(tabletest.Letters(x.Cols), x, 1))
		for _, missing := range []dataset.Missing{"error", "drop", "auto", "pairwise"} {
			g, err := gather(t, memNumbers(x), func(o *Settings) { o.Missing = missing })
			if err != nil || !reflect.DeepEqual(g.Moments, want) || g.Profile.RowsRead != x.Rows || g.Profile.RowsUsed != x.Rows || g.Profile.Notes != nil {
				t.Errorf("%v, %s: %+v, %v", shape, missing, g, err)
			}
		}
		var text strings.Builder
		must.Succeed(t, csv.Write(&text, want.Names, dataset.RowsOf(x)))
		opt := csv.DefaultSettings()
		opt.Threads = 2
		read, err := csv.Read(context.Background(), strings.NewReader(text.String()), opt)
		if err != nil || !reflect.DeepEqual(read, want) {
			t.Errorf("%v: read at once: %v", shape, err)
		}
		got, err := Gather(t.Context(), openText(text.String()), DefaultSettings())
		if err != nil || !reflect.DeepEqual(got.Moments, want) {
			t.Errorf("%v: as a source: %v", shape, err)
		}
	}
}

func TestGatherChoosesColumns(t *testing.T) {
	table := func() *memTable {
		return memOf("id x1 x2 y text", []any{1, 2, 3, 4, "a"}, []any{2, 5, 7, 1, "b"}, []any{3, 1, 4, 9, "c"})
	}
	for _, c := range []struct {
		name          string
		columns, drop []string
		want          string // names, or the error's text
		selected      []int
	}{
		{"names in the order of the file", []string{"y", "x1"}, nil, "x1 y", []int{1, 3}},
		{"glob", []string{"x*"}, nil, "x1 x2", []int{1, 2}},
		{"glob in the middle", []string{"*x*", "i*d"}, []string{"te*t"}, "id x1 x2", []int{0, 1, 2}},
		{"drop", nil, []string{"text", "id"}, "x1 x2 y", []int{1, 2, 3}},
		{"columns and drop", []string{"*"}, []string{"*d", "text"}, "x1 x2 y", []int{1, 2, 3}},
		{"a column twice", []string{"x1", "x1", "x*"}, nil, "x1 x2", []int{1, 2}},
		{"misspelt", []string{"x1", "Tex"}, nil, `the setting columns: no such column "Tex"; did you mean "text"?`, nil},
		{"unknown", []string{"x1", "weight"}, nil, `no such column "weight"; the columns are id, x1, x2, y, text`, nil},
		{"unknown to drop", nil, []string{"idd"}, `the setting drop: no such column "idd"; did you mean "id"?`, nil},
		{"glob without match", []string{"z*"}, nil, `no such column "z*"`, nil},
		{"two unknown", []string{"weight", "height"}, nil, `no such column "height"`, nil},
		{"one left", []string{"x1"}, nil, "only one numeric column is left (x1)", nil},
		{"none left", []string{"x*"}, []string{"x*"}, "the setting columns and the setting drop leave none of 5", nil},
	} {
		tab := table()
		g, err := gather(t, tab, func(o *Settings) { o.Columns, o.Drop = c.columns, c.drop })
		if c.selected == nil {
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "data.csv: ") {
				t.Errorf("%s: %v", c.name, err)
			}
			if strings.Contains(c.want, "no such") != errors.Is(err, ErrUnknownColumn) {
				t.Errorf("%s: %v and ErrUnknownColumn", c.name, err)
			}
			continue
		}
		if err != nil || strings.Join(g.Moments.Names, " ") != c.want || !slices.Equal(tab.selected[0], c.selected) {
			t.Errorf("%s: %v, %v, %v", c.name, g, err, tab.selected)
		}
	}
	// All columns by a glob: nothing to select.
	tab := table()
	if _, err := gather(t, tab, func(o *Settings) { o.Columns, o.Encode = []string{"*"}, "ordinal" }); err != nil || tab.selected != nil {
		t.Errorf("%v, selected %v", err, tab.selected)
	}
}

func TestGatherRows(t *testing.T) {
	var rows [][]any
	for i := range 40 {
		rows = append(rows, []any{i, i * i % 7})
	}
	for _, c := range []struct{ first, last, from, to int }{{0, 0, 1, 40}, {1, 40, 1, 40}, {3, 0, 3, 40}, {0, 5, 1, 5}, {8, 9, 8, 9}, {39, 100, 39, 40}} {
		table := memOf("a b", rows...)
		g, err := gather(t, table, func(o *Settings) { o.FirstRow, o.LastRow = c.first, c.last })
		if err != nil || g.Moments.N != c.to-c.from+1 || g.Moments.Min[0] != float64(c.from-1) || g.Moments.Max[0] != float64(c.to-1) || g.Profile.RowsRead != g.Moments.N {
			t.Errorf("%+v: %+v, %v", c, g, err)
		}
	}
	_, err := gather(t, memOf("a b", rows...), func(o *Settings) { o.FirstRow = 41 })
	if !errors.Is(err, dataset.ErrNoRows) || !strings.Contains(err.Error(), "(of rows from 41 on)") {
		t.Errorf("beyond the end: %v", err)
	}
	_, err = gather(t, memOf("a b", rows...), func(o *Settings) { o.FirstRow, o.LastRow = 2, 2 })
	if !errors.Is(err, dataset.ErrOneRow) || !strings.Contains(err.Error(), "(of rows 2 to 2)") {
		t.Errorf("one row: %v", err)
	}
	// Text outside of the rows is not seen, inside its row is that of the file; nothing beyond the last row is needed.
	rows[0][0], rows[20][1] = "x", "y"
	if _, err := gather(t, memOf("a b", rows...), func(o *Settings) { o.FirstRow, o.LastRow = 2, 20 }); err != nil {
		t.Error(err)
	}
	_, err = gather(t, memOf("a b", rows...), func(o *Settings) { o.FirstRow = 2 })
	var e *dataset.ParseError
	if !errors.As(err, &e) || e.Row != 21 || e.Value != "y" {
		t.Errorf("got %v", err)
	}
	table := memOf("a b", rows...)
	table.batch, table.failAt = 1, 30
	opt := DefaultSettings()
	opt.FirstRow, opt.LastRow, opt.Threads = 2, 20, 1
	if _, err := Gather(context.Background(), table.open, opt); err != nil || table.read != 20 {
		t.Errorf("%v after %d rows", err, table.read)
	}
}

func TestGatherRefusesInfinity(t *testing.T) {
	_, err := gather(t, memOf("a b", []any{1, 2}, []any{nil, 3}, []any{4, math.Inf(-1)}), func(o *Settings) { o.Missing = "drop" })
	tabletest.Fault(t, "infinity", err, dataset.ErrNotFinite, dataset.ParseError{Row: 3, Column: 2, Name: "b", Value: "-Inf"}, "is not a finite number")
	// The column is that of the file, not of the selection.
	_, err = gather(t, memOf("a b c", []any{1, 2, 3}, []any{3, 4, math.Inf(1)}), func(o *Settings) { o.Drop = []string{"a"} })
	if !errors.Is(err, dataset.ErrOneColumn) && !errors.Is(err, dataset.ErrNotFinite) {
		t.Error(err)
	}
	tabletest.Fault(t, "infinity", err, dataset.ErrNotFinite, dataset.ParseError{Row: 2, Column: 3, Name: "c", Value: "+Inf"}, "column 3 (c)")
	// Large, but finite: no error before the squares of what is left overflow.
	if g, err := gather(t, memOf("a b", []any{1e160, 2}, []any{1e160, 3}), nil); err != nil || g.Moments.Mean[0] != 1e160 {
		t.Errorf("%v, %v", g, err)
	}
	_, err = gather(t, memOf("a b", []any{1e160, 2}, []any{-1e160, 3}), nil)
	tabletest.Fault(t, "overflow", err, dataset.ErrOverflow, dataset.ParseError{Column: 1, Name: "a"}, "too large")
}

func TestGatherRowsTooFew(t *testing.T) {
	if _, err := gather(t, memOf("a b"), nil); !errors.Is(err, dataset.ErrNoRows) {
		t.Error(err)
	}
	if _, err := gather(t, memOf("a b", []any{1, 2}), nil); !errors.Is(err, dataset.ErrOneRow) {
		t.Error(err)
	}
	if _, err := gather(t, memOf("a b", []any{1, 2}, []any{2, 3}), nil); err != nil {
		t.Error(err)
	}
}

func TestGatherTooWide(t *testing.T) {
	for _, limit := range []int{3, 4} {
		_, err := gather(t, memOf("a b c", []any{1, 2, "x"}, []any{2, 3, "y"}, []any{2, 3, "z"}), func(o *Settings) { o.Encode, o.MaxColumns = "onehot", limit })
		if limit == 4 && err != nil || limit == 3 && (!errors.Is(err, dataset.ErrTooWide) || !strings.Contains(err.Error(), "(4, limit 3)")) {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
}

func TestGatherOptionsReportEveryFault(t *testing.T) {
	o := Settings{FirstRow: -1, LastRow: -1, MaxMemory: -1}
	err := Validate(o)
	for _, field := range []string{"Encode", "Missing", "FirstRow", "LastRow", "Threads", "MaxLevels", "MaxColumns", "MaxMemory"} {
		if err == nil || !strings.Contains(err.Error(), field+" = ") {
			t.Errorf("%s is not reported: %v", field, err)
		}
	}
	o = DefaultSettings()
	if err := Validate(o); err != nil {
		t.Error(err)
	}
	o.FirstRow, o.LastRow = 5, 4
	if err := Validate(o); err == nil {
		t.Error("rows 5 to 4 were taken")
	}
	o.LastRow = 5
	if err := Validate(o); err != nil {
		t.Error(err)
	}
	if _, err := Gather(context.Background(), nil, Settings{}); err == nil {
		t.Error("Gather took bad options")
	}
}

func TestGatherSourceFaults(t *testing.T) {
	x := tabletest.Normals(1, 100, 3)
	table := memNumbers(x)
	table.failAt = 50
	if _, err := gather(t, table, nil); !errors.Is(err, errDisk) {
		t.Errorf("got %v", err)
	}
	opt := DefaultSettings()
	if _, err := Gather(context.Background(), func(context.Context) (dataset.Source, error) { return nil, errDisk }, opt); !errors.Is(err, errDisk) {
		t.Errorf("open: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, threads := range []int{1, 2} {
		table := memNumbers(x)
		table.batch = 1
		opt.Threads = threads
		opt.Progress = func(int64, int) { cancel() }
		if _, err := Gather(ctx, table.open, opt); !errors.Is(err, context.Canceled) || table.closed != 1 || table.read > 4 {
			t.Errorf("%d threads: %v after %d rows", threads, err, table.read)
		}
	}
	// A table that can be read once only.
	once := memOf("a b", []any{1, "x"}, []any{2, "y"})
	opt = DefaultSettings()
	opt.Encode = "onehot"
	_, err := Gather(context.Background(), func(ctx context.Context) (dataset.Source, error) {
		if once.opened > 0 {
			return nil, errDisk
		}
		return once.open(ctx)
	}, opt)
	if !errors.Is(err, errDisk) || !strings.Contains(err.Error(), "second pass") || once.closed != 1 {
		t.Errorf("got %v", err)
	}
}

func TestGatherProgress(t *testing.T) {
	table := memNumbers(tabletest.Normals(1, 100, 3))
	table.batch = 9
	opt := DefaultSettings()
	var calls []string
	opt.Progress = func(bytes int64, rows int) { calls = append(calls, fmt.Sprint(bytes, rows)) }
	if _, err := Gather(context.Background(), table.open, opt); err != nil || len(calls) != 12 || calls[0] != "9 9" || calls[11] != "100 100" {
		t.Errorf("%v, %v", calls, err)
	}
}
