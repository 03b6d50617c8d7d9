package dataset

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// mixedTable returns rows of numbers, missing values and words as text: a word begins with a letter, and a
// missing value is "".
func mixedTable(rng *rand.Rand, n int) (columns []Column, rows [][]string) {
	columns = []Column{{Name: "a", Kind: Integer}, {Name: "b"}, {Name: "c", Kind: Text}}
	for range n {
		rows = append(rows, []string{
			[]string{"-1", "1", "0.5"}[rng.IntN(3)],
			[]string{"2", "10", "", "x"}[rng.IntN(4)],
			[]string{"low", "high", "größer", "2x"}[rng.IntN(4)],
		})
	}
	return columns, rows
}

// batchOf is the rows as a source hands them out.
func batchOf(rows [][]string) (b Batch) {
	for i, row := range rows {
		for j, text := range row {
			var x float64
			if _, err := fmt.Sscan(text, &x); err != nil || fmt.Sprint(x) != text {
				x = math.NaN()
				if text != "" {
					b.AddText(i, j, 0, []byte(text))
				}
			}
			b.Values = append(b.Values, x)
		}
	}
	b.Rows = len(rows)
	return b
}

func countOf(t *testing.T, columns []Column, parts ...[][]string) *Counts {
	t.Helper()
	m := NewCountsMaker(columns, 0)
	for _, rows := range parts {
		b := batchOf(rows)
		must.Succeed(t, m.Add(b.Values, b.Cells, b.Text))
	}
	return m.Counts()
}

func (l Level) text() string {
	switch {
	case l.IsWord:
		return l.Word
	case l.Number != l.Number:
		return ""
	}
	return FormatFloat(l.Number)
}

// TestCountsAgainstLoop compares counts with a plain loop, for any order of the rows and any split, added or
// merged.
func TestCountsAgainstLoop(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	columns, rows := mixedTable(rng, 400)
	want := map[string]uint64{}
	for _, r := range rows {
		want[strings.Join(r, "|")]++
	}
	all := countOf(t, columns, rows)
	must.Succeed(t, all.Validate())
	got := map[string]uint64{}
	for i, times := range all.Times {
		var row []string
		for j, k := range all.Codes[3*i : 3*i+3] {
			row = append(row, all.Levels[j][k].text())
		}
		got[strings.Join(row, "|")] += times
	}
	if !reflect.DeepEqual(got, want) || len(all.Times) != len(want) || all.Rows() != 400 {
		t.Fatalf("%v, want %v", got, want)
	}
	for range 5 {
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		cut := 1 + rng.IntN(398)
		merged := NewCountsMaker(columns, 0)
		for _, part := range [][][]string{rows[:cut], rows[cut:]} {
			must.Succeed(t, merged.Merge(countOf(t, columns, part), nil))
		}
		for way, other := range map[string]*Counts{"added": countOf(t, columns, rows[:cut], rows[cut:]), "merged": merged.Counts()} {
			if fmt.Sprint(other) != fmt.Sprint(all) {
				t.Errorf("%s in parts of %d: %v, want %v", way, cut, other, all)
			}
		}
	}
}

// TestMergeOfColumns checks that columns are selected by name and position, and that for differing kinds the
// values decide.
func TestMergeOfColumns(t *testing.T) {
	columns, rows := mixedTable(rand.New(rand.NewPCG(2, 5)), 60)
	all := countOf(t, columns, rows)
	m := NewCountsMaker([]Column{columns[2], columns[0]}, 0)
	must.Succeed(t, m.Merge(all, []int{2, 0}))
	var turned [][]string
	for _, r := range rows {
		turned = append(turned, []string{r[2], r[0]})
	}
	if got, want := m.Counts(), countOf(t, []Column{columns[2], columns[0]}, turned); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	other := slices.Clone(columns)
	other[0].Kind = Number
	m = NewCountsMaker(other, 0)
	if err := m.Merge(all, nil); err != nil || m.Counts().Columns[0].Kind != Unknown || other[0].Kind != Number {
		t.Errorf("%v, %v", err, other)
	}
	other[1].Name = "z"
	if err := NewCountsMaker(other, 0).Merge(all, nil); err == nil || !strings.Contains(err.Error(), `column 2 is "b" and "z"`) {
		t.Error(err)
	}
	if err := NewCountsMaker(other[:2], 0).Merge(all, nil); err == nil {
		t.Error("two columns are three")
	}
	if err := NewCountsMaker(columns[:2], 0).Merge(all, []int{1, 0}); err == nil {
		t.Error("columns in another order have no error")
	}
}

// TestTooManyDifferentRows checks that tables with too many distinct rows are refused before they exceed the
// memory limit: numbers, words, and new combinations of few values, added and merged. The measured memory at
// that point must be at most the limit and not far below it.
func TestTooManyDifferentRows(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: make test runs it; the race detector has the tests of threads")
	}
	const most = 8 << 20
	columns := make([]Column, 6)
	for j := range columns {
		columns[j].Name = fmt.Sprint("x", j)
	}
	for name, value := range map[string]func(n, j int) string{
		"numbers": func(n, j int) string { return fmt.Sprint(n*len(columns) + j) },
		"words":   func(n, j int) string { return fmt.Sprintf("w%dx%0100d", j, n) },
		"few":     func(n, j int) string { return fmt.Sprint(n >> (3 * j) & 7) },
	} {
		var batches []Batch
		for n := 0; n < 60000; n += 1000 {
			rows := make([][]string, 1000)
			for i := range rows {
				for j := range columns {
					rows[i] = append(rows[i], value(n+i, j))
				}
			}
			batches = append(batches, batchOf(rows))
		}
		m := NewCountsMaker(columns, most)
		before := heap()
		var err error
		for k := 0; err == nil && k < len(batches); k++ {
			err = m.Add(batches[k].Values, batches[k].Cells, batches[k].Text)
		}
		held := heap() - before
		if !errors.Is(err, ErrDistinct) || !strings.Contains(err.Error(), "of the first") || held > most || held < most/4 {
			t.Errorf("%s: with %d bytes of %d: %v", name, held, int64(most), err)
		}
		some := NewCountsMaker(columns, 0)
		must.Succeed(t, some.Add(batches[0].Values, batches[0].Cells, batches[0].Text))
		if err := NewCountsMaker(columns, 100<<10).Merge(some.Counts(), nil); !errors.Is(err, ErrDistinct) {
			t.Errorf("%s merged: %v", name, err)
		}
		runtime.KeepAlive(m)
		runtime.KeepAlive(batches)
	}
}

// heap returns the number of bytes in use.
func heap() int64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// TestCountsRefuse checks that invalid counts are rejected.
func TestCountsRefuse(t *testing.T) {
	columns, rows := mixedTable(rand.New(rand.NewPCG(3, 5)), 60)
	for name, change := range map[string]func(*Counts){
		"no columns":  func(c *Counts) { *c = Counts{} },
		"a name":      func(c *Counts) { c.Columns[1].Name = "a" },
		"codes":       func(c *Counts) { c.Codes = c.Codes[1:] },
		"levels":      func(c *Counts) { c.Levels = c.Levels[1:] },
		"order":       func(c *Counts) { c.Levels[0][0], c.Levels[0][1] = c.Levels[0][1], c.Levels[0][0] },
		"same level":  func(c *Counts) { c.Levels[2][0] = c.Levels[2][1] },
		"no level":    func(c *Counts) { c.Codes[4] = 99 },
		"spare level": func(c *Counts) { c.Levels[2] = append(c.Levels[2], Level{Word: "zz", IsWord: true}) },
		"never":       func(c *Counts) { c.Times[3] = 0 },
		"too often":   func(c *Counts) { c.Times[3] = 1 << 60 },
		"overflow":    func(c *Counts) { c.Times[3], c.Times[4] = math.MaxUint64, 2 },
		"same row":    func(c *Counts) { copy(c.Codes[3:6], c.Codes[:3]) },
		"rows turned": func(c *Counts) { c.Codes[0], c.Codes[len(c.Codes)-3] = c.Codes[len(c.Codes)-3], c.Codes[0] },
	} {
		c := countOf(t, slices.Clone(columns), rows)
		if change(c); c.Validate() == nil {
			t.Errorf("%s: nothing is wrong", name)
		}
	}
}

// TestLevelsAreOrdered checks that numbers come before missing values, and missing values before words.
func TestLevelsAreOrdered(t *testing.T) {
	ascending := []Level{{Number: math.Inf(-1)}, {Number: -2}, {Number: 1}, {Number: math.Inf(1)}, {Number: math.NaN()}, {Word: "a", IsWord: true}, {Word: "b", IsWord: true}}
	for i, a := range ascending {
		for k, b := range ascending {
			if got := a.Compare(b); got < 0 != (i < k) || got > 0 != (i > k) {
				t.Errorf("%v compared with %v is %d", a, b, got)
			}
		}
	}
}
