package dataset

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/matrix"
)

// Numbers alone: the moments are those of FromRows and ReadCSV, to the last bit.
func TestGatherSameBytes(t *testing.T) {
	for _, shape := range [][2]int{{2, 2}, {300, 3}, {9000, 5}} {
		x := uneven(21, shape[0], shape[1])
		want, err := FromRows(letters(x.Cols), x, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, missing := range []string{"error", "drop", "mean", "pairwise"} {
			g, err := gather(t, memNumbers(x), func(o *GatherOptions) { o.Missing = missing })
			if err != nil || !reflect.DeepEqual(g.Moments, want) || g.Profile.RowsRead != x.Rows || g.Profile.RowsUsed != x.Rows || g.Profile.Notes != nil {
				t.Errorf("%v, %s: %+v, %v", shape, missing, g, err)
			}
		}
		read, err := read(string(asCSV(t, x)), 2)
		if err != nil || !reflect.DeepEqual(read, want) {
			t.Errorf("%v: ReadCSV: %v", shape, err)
		}
		csv, err := Gather(context.Background(), func(context.Context) (Source, error) {
			return OpenCSV(strings.NewReader(string(asCSV(t, x))), DefaultCSVOptions())
		}, DefaultGatherOptions())
		if err != nil || !reflect.DeepEqual(csv.Moments, want) {
			t.Errorf("%v: OpenCSV: %v", shape, err)
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
		{"misspelt", []string{"x1", "Tex"}, nil, `--columns: no such column "Tex"; did you mean "text"?`, nil},
		{"unknown", []string{"x1", "weight"}, nil, `no such column "weight"; the columns are id, x1, x2, y, text`, nil},
		{"unknown to drop", nil, []string{"idd"}, `--drop: no such column "idd"; did you mean "id"?`, nil},
		{"glob without match", []string{"z*"}, nil, `no such column "z*"`, nil},
		{"two unknown", []string{"weight", "height"}, nil, `no such column "height"`, nil},
		{"one left", []string{"x1"}, nil, "only one column of numbers is left (x1)", nil},
		{"none left", []string{"x*"}, []string{"x*"}, "--columns and --drop leave none of 5", nil},
	} {
		tab := table()
		g, err := gather(t, tab, func(o *GatherOptions) { o.Columns, o.Drop = c.columns, c.drop })
		if c.selected == nil {
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "dataset: data.csv: ") {
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
	if _, err := gather(t, tab, func(o *GatherOptions) { o.Columns, o.Encode = []string{"*"}, "ordinal" }); err != nil || tab.selected != nil {
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
		g, err := gather(t, table, func(o *GatherOptions) { o.FirstRow, o.LastRow = c.first, c.last })
		if err != nil || g.Moments.N != c.to-c.from+1 || g.Moments.Min[0] != float64(c.from-1) || g.Moments.Max[0] != float64(c.to-1) || g.Profile.RowsRead != g.Moments.N {
			t.Errorf("%+v: %+v, %v", c, g, err)
		}
	}
	_, err := gather(t, memOf("a b", rows...), func(o *GatherOptions) { o.FirstRow = 41 })
	if !errors.Is(err, ErrNoRows) || !strings.Contains(err.Error(), "(of rows from 41 on)") {
		t.Errorf("beyond the end: %v", err)
	}
	_, err = gather(t, memOf("a b", rows...), func(o *GatherOptions) { o.FirstRow, o.LastRow = 2, 2 })
	if !errors.Is(err, ErrOneRow) || !strings.Contains(err.Error(), "(of rows 2 to 2)") {
		t.Errorf("one row: %v", err)
	}
	// Text outside of the rows is not seen, inside its row is that of the file; nothing beyond the last row is needed.
	rows[0][0], rows[20][1] = "x", "y"
	if _, err := gather(t, memOf("a b", rows...), func(o *GatherOptions) { o.FirstRow, o.LastRow = 2, 20 }); err != nil {
		t.Error(err)
	}
	_, err = gather(t, memOf("a b", rows...), func(o *GatherOptions) { o.FirstRow = 2 })
	var e *ParseError
	if !errors.As(err, &e) || e.Row != 21 || e.Value != "y" {
		t.Errorf("got %v", err)
	}
	table := memOf("a b", rows...)
	table.batch, table.failAt = 1, 30
	opt := DefaultGatherOptions()
	opt.FirstRow, opt.LastRow, opt.Threads = 2, 20, 1
	if _, err := Gather(context.Background(), table.open, opt); err != nil || table.read != 20 {
		t.Errorf("%v after %d rows", err, table.read)
	}
}

func TestGatherRefusesInfinity(t *testing.T) {
	_, err := gather(t, memOf("a b", []any{1, 2}, []any{nil, 3}, []any{4, math.Inf(-1)}), func(o *GatherOptions) { o.Missing = "drop" })
	checkFault(t, "infinity", err, ErrNotFinite, ParseError{Row: 3, Column: 2, Name: "b", Value: "-Inf"}, "is not a finite number")
	// The column is that of the file, not of the selection.
	_, err = gather(t, memOf("a b c", []any{1, 2, 3}, []any{3, 4, math.Inf(1)}), func(o *GatherOptions) { o.Drop = []string{"a"} })
	if !errors.Is(err, ErrOneColumn) && !errors.Is(err, ErrNotFinite) {
		t.Error(err)
	}
	checkFault(t, "infinity", err, ErrNotFinite, ParseError{Row: 2, Column: 3, Name: "c", Value: "+Inf"}, "column 3 (c)")
	// Large, but finite: no error before the squares of what is left overflow.
	if g, err := gather(t, memOf("a b", []any{1e160, 2}, []any{1e160, 3}), nil); err != nil || g.Moments.Mean[0] != 1e160 {
		t.Errorf("%v, %v", g, err)
	}
	_, err = gather(t, memOf("a b", []any{1e160, 2}, []any{-1e160, 3}), nil)
	checkFault(t, "overflow", err, ErrOverflow, ParseError{Column: 1, Name: "a"}, "too large")
}

func TestGatherRowsTooFew(t *testing.T) {
	if _, err := gather(t, memOf("a b"), nil); !errors.Is(err, ErrNoRows) {
		t.Error(err)
	}
	if _, err := gather(t, memOf("a b", []any{1, 2}), nil); !errors.Is(err, ErrOneRow) {
		t.Error(err)
	}
	if _, err := gather(t, memOf("a b", []any{1, 2}, []any{2, 3}), nil); err != nil {
		t.Error(err)
	}
}

func TestGatherTooWide(t *testing.T) {
	for _, limit := range []int{3, 4} {
		_, err := gather(t, memOf("a b c", []any{1, 2, "x"}, []any{2, 3, "y"}, []any{2, 3, "z"}), func(o *GatherOptions) { o.Encode, o.MaxColumns = "onehot", limit })
		if limit == 4 && err != nil || limit == 3 && (!errors.Is(err, ErrTooWide) || !strings.Contains(err.Error(), "(4, limit 3)")) {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
}

func TestGatherOptionsReportEveryFault(t *testing.T) {
	o := GatherOptions{FirstRow: -1, LastRow: -1, MaxMemory: -1}
	err := o.Validate()
	for _, field := range []string{"Encode", "Missing", "FirstRow", "LastRow", "Threads", "MaxLevels", "MaxColumns", "MaxMemory"} {
		if err == nil || !strings.Contains(err.Error(), field+" = ") {
			t.Errorf("%s is not reported: %v", field, err)
		}
	}
	o = DefaultGatherOptions()
	if err := o.Validate(); err != nil {
		t.Error(err)
	}
	o.FirstRow, o.LastRow = 5, 4
	if err := o.Validate(); err == nil {
		t.Error("rows 5 to 4 were taken")
	}
	o.LastRow = 5
	if err := o.Validate(); err != nil {
		t.Error(err)
	}
	if _, err := Gather(context.Background(), nil, GatherOptions{}); err == nil {
		t.Error("Gather took bad options")
	}
}

func TestGatherSourceFaults(t *testing.T) {
	x := normals(1, 100, 3)
	table := memNumbers(x)
	table.failAt = 50
	if _, err := gather(t, table, nil); !errors.Is(err, errDisk) {
		t.Errorf("got %v", err)
	}
	opt := DefaultGatherOptions()
	if _, err := Gather(context.Background(), func(context.Context) (Source, error) { return nil, errDisk }, opt); !errors.Is(err, errDisk) {
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
	opt = DefaultGatherOptions()
	opt.Encode = "onehot"
	_, err := Gather(context.Background(), func(ctx context.Context) (Source, error) {
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
	table := memNumbers(normals(1, 100, 3))
	table.batch = 9
	opt := DefaultGatherOptions()
	var calls []string
	opt.Progress = func(bytes int64, rows int) { calls = append(calls, fmt.Sprint(bytes, rows)) }
	if _, err := Gather(context.Background(), table.open, opt); err != nil || len(calls) != 12 || calls[0] != "9 9" || calls[11] != "100 100" {
		t.Errorf("%v, %v", calls, err)
	}
}

// However rows are handed to the accumulator, and on any number of threads, the bytes are the same; and there are
// enough of them for every lane.
func TestAccumulatorAnyCut(t *testing.T) {
	const d = 40
	n := 3*laneCount(d)*blockRows(d)/2 + 17
	x := uneven(31, n, d)
	want, err := FromRows(letters(d), x, 1)
	if err != nil {
		t.Fatal(err)
	}
	checkClose(t, want, naive(letters(d), x), 1e-13)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, threads := range []int{1, 2, 3, 5, 16, 40} {
		for _, most := range []int{1 + blockRows(d)/3, 2 * blockRows(d), n} {
			a := newAccumulator(letters(d), threads)
			for at := 0; at < n; {
				k := min(n-at, 1+rng.IntN(most))
				if err := a.add(x.Data[at*d : (at+k)*d]); err != nil {
					t.Fatal(err)
				}
				at += k
			}
			got, err := a.finish()
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%d threads, up to %d rows at a time: other moments, or %v", threads, most, err)
			}
		}
	}
}

// A column whose blocks lie far apart, and one that is constant but for the last row.
func TestAccumulatorDrift(t *testing.T) {
	const d = 3
	n := 5*blockRows(d) + 3
	x := normals(41, n, d)
	for i := range n {
		x.Set(i, 0, x.At(i, 0)+1e6*float64(i/blockRows(d)))
		x.Set(i, 1, 1e15+0.5)
	}
	x.Set(n-1, 1, 1e15)
	m, err := FromRows(letters(d), x, 2)
	if err != nil {
		t.Fatal(err)
	}
	others := matrix.New[float64](n, 2)
	for i := range n {
		others.Set(i, 0, x.At(i, 0))
		others.Set(i, 1, x.At(i, 2))
	}
	want := naive(letters(2), others)
	for k, at := range []int{0, 2, 2*d + 0, 2*d + 2} {
		if size := math.Sqrt(want.Scatter[0] * want.Scatter[3]); math.Abs(m.Scatter[at]-want.Scatter[k]) > 1e-12*max(size, want.Scatter[k]) {
			t.Errorf("scatter[%d] = %v, want %v", at, m.Scatter[at], want.Scatter[k])
		}
	}
	// The twin's own mean is not good enough here: n-1 values of 1e15 + 0.5 and one of 1e15.
	f := 1 / float64(n)
	if got, want := m.Scatter[d+1], 0.25*(1-f); math.Abs(got-want) > 1e-9*want {
		t.Errorf("scatter of the second column %v, want %v", got, want)
	}
}

// Too little memory for a small table is told in kilobytes: "0 MB, and 0 MB are allowed" says nothing.
func TestSmallMemoryHasItsUnit(t *testing.T) {
	names := []string{"a", "b", "c"}
	err := checkWidth(names, nil, &GatherOptions{MaxMemory: 10, MaxColumns: 10})
	if err == nil || !strings.Contains(err.Error(), "need 2 kB, and 1 kB are allowed") {
		t.Errorf("%v", err)
	}
	if s := memorySize(30<<20 + 5); s != "30 MB" {
		t.Error(s)
	}
}
