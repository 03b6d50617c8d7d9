package prepare

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/tabletest"
)

func TestGatherTextIsAnError(t *testing.T) {
	table := memOf("age name b", []any{1, "x", 2}, []any{"old", "y", 3}, []any{4, "z", 5})
	table.lines = true
	_, err := gather(t, table, nil)
	tabletest.Fault(t, "text", err, dataset.ErrNotNumber, dataset.ParseError{Line: 2, Row: 1, Column: 2, Name: "name", Value: "x"},
		`line 2, row 1, column 2 (name): "x" is not a number; encode such columns with encode=onehot, ordinal or drop, or leave this one out with drop=name`)
	// A mixed column shows the first cell at fault, with its place in the file.
	table = memOf("age n b", []any{1, 1, 2}, []any{nil, 2, 3}, []any{"old", 3, 5}, []any{"young", 4, 6})
	_, err = gather(t, table, func(o *Settings) { o.Drop = []string{"n"} })
	tabletest.Fault(t, "mixed", err, dataset.ErrNotNumber, dataset.ParseError{Row: 3, Column: 1, Name: "age", Value: "old"}, "drop=age")
	// Leaving the column out is the way out that the error names.
	if _, err := gather(t, table, func(o *Settings) { o.Drop = []string{"age"} }); err != nil {
		t.Error(err)
	}
	_, err = gather(t, memOf("b", []any{1}), func(o *Settings) { o.Drop = []string{"b"} })
	if err == nil || !strings.Contains(err.Error(), "leave none") {
		t.Error(err)
	}
}

func TestGatherTruthWords(t *testing.T) {
	for _, c := range []struct {
		name  string
		cells []any
		want  []float64 // nil: an error at
		at    int       // row
	}{
		{"true and false", []any{"true", "FALSE", "True"}, []float64{1, 0, 1}, 0},
		{"yes and no", []any{"no", "yes", "no"}, []float64{0, 1, 0}, 0},
		{"letters", []any{"T", "F", "t"}, []float64{1, 0, 1}, 0},
		{"y and n", []any{"y", "n", "N"}, []float64{1, 0, 0}, 0},
		{"on and off", []any{"On", "off", "off"}, []float64{1, 0, 0}, 0},
		{"only one", []any{"yes", "yes", "yes"}, []float64{1, 1, 1}, 0},
		{"two pairs", []any{"yes", "no", "false"}, nil, 3},
		{"another word", []any{"yes", "no", "maybe"}, nil, 3},
		{"a number after", []any{"yes", "no", 1}, nil, 1},
		{"a number before", []any{0, "no", "yes"}, nil, 2},
		{"truthy", []any{"yeses", "no", "no"}, nil, 1},
	} {
		table := memOf("a b")
		for i, v := range c.cells {
			table.rows = append(table.rows, []any{i, v})
		}
		g, err := gather(t, table, nil)
		if c.want == nil {
			var e *dataset.ParseError
			if !errors.Is(err, dataset.ErrNotNumber) || !errors.As(err, &e) || e.Row != c.at || e.Name != "b" {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		sum := 0.0
		for _, v := range c.want {
			sum += v
		}
		p := g.Profile.Columns[1]
		if !(math.Abs(g.Moments.Mean[1]-sum/3) <= 1e-16) || p.Kind != "bool" || !strings.Contains(fmt.Sprint(g.Profile.Notes), "Column b was read as 1 for") {
			t.Errorf("%s: mean %v, %+v, %q", c.name, g.Moments.Mean[1], p, g.Profile.Notes)
		}
	}
	// A missing value among them is missing, and numbers long before are numbers.
	g, err := gather(t, memOf("a b", []any{1, "yes"}, []any{2, nil}, []any{4, "no"}), func(o *Settings) { o.Missing = "auto" })
	if err != nil || g.Moments.Mean[1] != 0.5 || g.Profile.Columns[1].Missing != 1 {
		t.Errorf("%+v, %v", g, err)
	}
	var rows [][]any
	for i := range 30 {
		rows = append(rows, []any{i, i % 3})
	}
	_, err = gather(t, memOf("a b", append(rows, []any{7, "no"})...), nil)
	tabletest.Fault(t, "late word", err, dataset.ErrNotNumber, dataset.ParseError{Row: 31, Column: 2, Name: "b", Value: "no"}, "")
}

func textTable() *memTable {
	return memOf("n color ok size",
		[]any{1, "red", "yes", "10"},
		[]any{2, "blue", "no", "9"},
		[]any{3, "green", "yes", "10"},
		[]any{5, "blue", "no", "100"},
		[]any{8, nil, "yes", "9"})
}

func TestGatherOneHot(t *testing.T) {
	table := textTable()
	g := must.Get(gather(t, table, func(o *Settings) { o.Encode, o.Missing = "onehot", "drop" }))
	if want := []string{"n", "color=green", "color=red", "ok", "size=10", "size=100"}; !slices.Equal(g.Moments.Names, want) {
		t.Errorf("columns %q, want %q", g.Moments.Names, want)
	}
	if want := []float64{11. / 4, 0.25, 0.25, 0.5, 0.5, 0.25}; !slices.Equal(g.Moments.Mean, want) {
		t.Errorf("means %v, want %v", g.Moments.Mean, want)
	}
	if g.Profile.RowsRead != 5 || g.Profile.RowsUsed != 4 {
		t.Errorf("%d rows of %d", g.Profile.RowsUsed, g.Profile.RowsRead)
	}
	notes := strings.Join(g.Profile.Notes, "\n")
	for _, says := range []string{`Column color was one-hot encoded as 2 columns, one for each of 3 categories except the reference "blue"`,
		`Column size was one-hot encoded as 2 columns, one for each of 3 categories except the reference "9"`, "Column ok was read as 1 for yes and 0 for no",
		"1 value is missing (color 1): 1 row of 5 (20%) with a missing value dropped."} {
		if !strings.Contains(notes, says) {
			t.Errorf("no %q in %s", says, notes)
		}
	}
	for _, p := range g.Profile.Columns[1:3] {
		if p.Kind != "bool" || p.From != "color" || p.Missing != 1 || p.Distinct != 2 {
			t.Errorf("%+v", p)
		}
	}
	if p := g.Profile.Columns[0]; p.Kind != "integer" || p.From != "" || !p.Monotone {
		t.Errorf("%+v", p)
	}
}

// A missing level is missing in all of its columns.
func TestGatherOneHotMissing(t *testing.T) {
	g, err := gather(t, textTable(), func(o *Settings) { o.Encode, o.Missing = "onehot", "auto" })
	if err != nil || g.Moments.N != 5 || g.Moments.Mean[1] != 0.25 || g.Moments.Mean[2] != 0.25 || g.Moments.Mean[0] != 19./5 {
		t.Errorf("%+v, %v", g.Moments, err)
	}
	_, err = gather(t, textTable(), func(o *Settings) { o.Encode = "onehot" })
	var e *MissingError
	if !errors.As(err, &e) || len(e.Columns) != 1 || e.Columns[0] != (MissingColumn{"color", 1, 5}) {
		t.Errorf("got %v", err)
	}
}

func TestGatherOrdinal(t *testing.T) {
	g, err := gather(t, textTable(), func(o *Settings) { o.Encode, o.Missing = "ordinal", "drop" })
	if err != nil || !slices.Equal(g.Moments.Names, []string{"n", "color", "ok", "size"}) {
		t.Fatalf("%+v, %v", g, err)
	}
	// blue < green < red by bytes; 9 < 10 < 100 as numbers.
	if want := []float64{11. / 4, (2. + 0 + 1 + 0) / 4, 0.5, (1. + 0 + 1 + 2) / 4}; !slices.Equal(g.Moments.Mean, want) {
		t.Errorf("means %v, want %v", g.Moments.Mean, want)
	}
	if p := g.Profile.Columns[3]; p.Kind != "text" || !slices.Equal(p.Levels, []string{"9", "10", "100"}) || p.Max != 2 {
		t.Errorf("%+v", p)
	}
	if notes := strings.Join(g.Profile.Notes, "\n"); !strings.Contains(notes, `Column size was encoded as integers 0 to 2 in sorted order, from "9" to "100"`) {
		t.Error(notes)
	}
}

func TestGatherEncodeDrop(t *testing.T) {
	table := textTable()
	g, err := gather(t, table, func(o *Settings) { o.Encode = "drop" })
	if err != nil || !slices.Equal(g.Moments.Names, []string{"n", "ok"}) || g.Moments.N != 5 {
		t.Fatalf("%+v, %v", g, err)
	}
	if !slices.Equal(table.selected[len(table.selected)-1], []int{0, 2}) {
		t.Errorf("the last pass read columns %v", table.selected)
	}
	if len(g.Profile.Columns) != 4 || g.Profile.Columns[2].Name != "n" {
		t.Fatalf("profile of %+v", g.Profile.Columns)
	}
	if p := g.Profile.Columns[0]; p.Name != "color" || p.Kind != "text" || p.Missing != 1 || p.Distinct != 3 || !slices.Equal(p.Levels, []string{"blue", "green", "red"}) ||
		p.Dropped != `text in 4 cells, first "red" in row 1` {
		t.Errorf("%+v", p)
	}
	if g.Profile.Columns[1].Name != "size" || g.Profile.Columns[1].Dropped == "" || g.Profile.Columns[2].Dropped != "" {
		t.Errorf("%+v", g.Profile.Columns)
	}
	if notes := strings.Join(g.Profile.Notes, "\n"); !strings.Contains(notes, `Column color was excluded: text in 4 cells, first "red" in row 1.`) {
		t.Error(notes)
	}
	// Nothing left.
	_, err = gather(t, memOf("a b", []any{"x", 1}, []any{"y", 2}), func(o *Settings) { o.Encode = "drop" })
	if !errors.Is(err, dataset.ErrOneColumn) {
		t.Error(err)
	}
}

func TestGatherOneLevel(t *testing.T) {
	g, err := gather(t, memOf("a b c", []any{"x", 1, 2}, []any{"x", 2, 5}, []any{nil, 3, 1}), func(o *Settings) { o.Encode = "onehot" })
	if err != nil || !slices.Equal(g.Moments.Names, []string{"b", "c"}) || g.Moments.N != 3 || g.Profile.Columns[0].Dropped != `"x" is its only category` {
		t.Errorf("%+v, %v", g, err)
	}
}

func TestGatherLevelLimit(t *testing.T) {
	table := memOf("a b")
	for i := range 60 {
		table.rows = append(table.rows, []any{i % 7, fmt.Sprintf("level %d", i%51)})
	}
	_, err := gather(t, table, func(o *Settings) { o.Encode = "onehot" })
	tabletest.Fault(t, "51 levels", err, ErrLevels, dataset.ParseError{Column: 2, Name: "b"}, "has too many categories for one column each (51 categories, limit 50); drop it with drop=b, or use encode=ordinal")
	for _, change := range []func(*Settings){
		func(o *Settings) { o.MaxLevels = 51 },
		func(o *Settings) { o.Encode = "ordinal" },
		func(o *Settings) { o.LastRow = 50 },
	} {
		g, err := gather(t, table, func(o *Settings) { o.Encode = "onehot"; change(o) })
		if err != nil || g.Moments.Max[1] < 1 {
			t.Errorf("%+v, %v", g, err)
		}
	}
	// Profiles list no more than they can show.
	g, err := gather(t, table, func(o *Settings) { o.Encode = "ordinal" })
	if err != nil || len(g.Profile.Columns[1].Levels) != levelsShown || g.Profile.Columns[1].Distinct != 51 {
		t.Errorf("%+v, %v", g.Profile.Columns[1], err)
	}
}

func TestGatherLevelMemory(t *testing.T) {
	l := levels{words: map[string]struct{}{}}
	for i := range 20 {
		l.addWord(fmt.Appendf(nil, "%d%s", i, strings.Repeat("x", 1<<20)), mostLevels)
	}
	if !l.full || l.bytes > mostLevelBytes || len(l.words) != 15 {
		t.Errorf("full %v, %d bytes, %d words", l.full, l.bytes, len(l.words))
	}
	l = levels{words: map[string]struct{}{}}
	for i := range 7 {
		l.addWord(fmt.Append(nil, i%6), 5)
	}
	if !l.full || len(l.words) != 5 || l.cells != 7 {
		t.Errorf("%+v", l)
	}
}

// Numbers among text are levels while they are few, and a fault when they are many.
func TestGatherMixed(t *testing.T) {
	table := memOf("a b", []any{1, 3}, []any{2, "many"}, []any{3, math.Copysign(0, -1)}, []any{4, 10}, []any{5, 3})
	g, err := gather(t, table, func(o *Settings) { o.Encode = "ordinal" })
	// By bytes: "0" < "10" < "3" < "many".
	if err != nil || g.Moments.Mean[1] != (2.+3+0+1+2)/5 || !slices.Equal(g.Profile.Columns[1].Levels, []string{"0", "10", "3", "many"}) {
		t.Errorf("%+v, %v", g, err)
	}
	table = memOf("a b", []any{0, 0}, []any{1, "unknown"})
	table.lines = true
	for i := range 50 {
		table.rows = append(table.rows, []any{i, i + 1})
	}
	for _, encode := range []dataset.Encode{"onehot", "ordinal"} {
		_, err = gather(t, table, func(o *Settings) { o.Encode = encode })
		tabletest.Fault(t, string(encode), err, ErrMixed, dataset.ParseError{Line: 3, Row: 2, Column: 2, Name: "b", Value: "unknown"},
			`"unknown" is text in a numeric column (1 cell of text and 51 numbers); correct the cell, or mark it as missing with the setting na, or leave the column out with drop=b`)
	}
	table.rows = table.rows[:51]
	if _, err := gather(t, table, func(o *Settings) { o.Encode = "ordinal" }); err != nil {
		t.Errorf("50 numbers and a word: %v", err)
	}
	table = memOf("a b c", []any{0, 0, 1}, []any{1, "unknown", 4}, []any{3, 3, 3})
	if g, err := gather(t, table, func(o *Settings) { o.Encode = "drop" }); err != nil || g.Moments.Dim() != 2 {
		t.Errorf("%+v, %v", g, err)
	}
}

// A second pass is made only where there is text to learn.
func TestGatherPasses(t *testing.T) {
	for _, c := range []struct {
		name   string
		table  *memTable
		encode dataset.Encode
		want   int
	}{
		{"numbers", memNumbers(tabletest.Normals(1, 5, 2)), "onehot", 1},
		{"truth words", memOf("a b", []any{1, "yes"}, []any{2, "no"}), "onehot", 1},
		{"text", memOf("a b", []any{1, "x"}, []any{2, "y"}), "onehot", 3},
		{"text that is declared", &memTable{columns: []dataset.Column{{Name: "a", Kind: dataset.Number}, {Name: "b", Kind: dataset.Text}}, rows: [][]any{{1, "x"}, {2, "y"}}}, "onehot", 2},
		{"text that is not wanted", memOf("a b", []any{1, "x"}, []any{2, "y"}), "error", 1},
	} {
		gather(t, c.table, func(o *Settings) { o.Encode = c.encode })
		if got := c.table.opened; got != 4*c.want {
			t.Errorf("%s: opened %v times for 4 runs, want %d each", c.name, got, c.want)
		}
	}
}

// The table changes between two passes.
func TestGatherChangedTable(t *testing.T) {
	table := memOf("a b", []any{1, "x"}, []any{2, "y"})
	opt := DefaultSettings()
	opt.Encode = "ordinal"
	_, err := Gather(t.Context(), changing{table}.open, opt)
	if !errors.Is(err, dataset.ErrNotNumber) || !strings.Contains(err.Error(), "the file changed while it was read") || !strings.Contains(err.Error(), `"z"`) {
		t.Errorf("got %v", err)
	}
}

func TestGatherOneHotNameTaken(t *testing.T) {
	_, err := gather(t, memOf("a b=y b", []any{1, 2, "x"}, []any{2, 3, "y"}), func(o *Settings) { o.Encode = "onehot" })
	if !errors.Is(err, dataset.ErrSameName) || !strings.Contains(err.Error(), "b=y") {
		t.Errorf("got %v", err)
	}
}

// Levels that are not UTF-8 keep names that differ, in JSON too.
func TestGatherLevelsThatAreNotText(t *testing.T) {
	table := memOf("a t", []any{1, "x\xf6"}, []any{2, "x\xe4"}, []any{3, "x\xf7"}, []any{5, "x\xf7"}, []any{4, "ü"})
	g := must.Get(gather(t, table, func(o *Settings) { o.Encode = "onehot" }))
	want := []string{"a", `t=x\xf6`, `t=x\xf7`, "t=ü"}
	if !slices.Equal(g.Moments.Names, want) {
		t.Errorf("names %q, want %q", g.Moments.Names, want)
	}
}

// Numerals that are text are categories where they repeat, whether or not the source declares the column as text.
func TestNumeralsDeclaredAsText(t *testing.T) {
	table := memOf("a code")
	for i := range 30 {
		table.rows = append(table.rows, []any{i * i, []string{"10", "2", "30"}[i%3]})
	}
	levels := func(o *Settings) { o.Encode = "levels" }
	if g, err := gather(t, table, levels); err != nil || !slices.Equal(g.Levels[1], []string{"2", "10", "30"}) {
		t.Errorf("not declared as text: %+v, %v", g, err)
	}
	table.columns[1].Kind = dataset.Text
	g, err := gather(t, table, levels)
	if err != nil || !slices.Equal(g.Levels[1], []string{"2", "10", "30"}) {
		t.Errorf("declared as text: %+v, %v", g, err)
	}
}
