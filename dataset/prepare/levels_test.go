package prepare

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// noted is a source with notes.
type noted struct {
	*memSource
	columns []dataset.ColumnNote
	notes   []string
}

func (n noted) ColumnNotes() []dataset.ColumnNote { return n.columns }
func (n noted) Notes() []string                   { return n.notes }

// located is a source of two files, of which the first has ten rows.
type located struct{ noted }

func (located) Locate(row int) (string, int) { return "second.csv", row - 10 }

func (t *memTable) noted(columns ...dataset.ColumnNote) noted {
	s, _ := t.open(context.Background())
	return noted{s.(*memSource), columns, []string{"a note"}}
}

// TestLearnLevels checks what a pass over text learns, with the notes of the reader.
func TestLearnLevels(t *testing.T) {
	inf := math.Inf(1)
	table := memOf("plain mixed long n", []any{"1", "1", "7", 1}, []any{"x", "x", "x", inf}, []any{"2", "2.5", "8", nil}, []any{"x", "x", "9", 2.5}, []any{"y", "3", "9", 3})
	notes := []dataset.ColumnNote{{Column: "other", What: dataset.ReadMixed}, {Column: "mixed", What: dataset.ReadMixed, Example: "x"}, {Column: "long", What: dataset.ReadIdentifier, Example: "x"}, {Column: "plain", What: dataset.ReadMarker}}
	for _, auto := range []bool{false, true} {
		opt := &options{Settings: Settings{Encode: "levels", MaxLevels: 20, Threads: 1}, auto: auto}
		chosen := must.Get(chooseColumns(table.columns, opt))
		learned := must.Get(learnLevels(t.Context(), table.noted(notes...), chosen, opt))
		plain, mixed, long, n := learned[0], learned[1], learned[2], learned[3]
		if plain.among || plain.kept || plain.first.Row != 1 || plain.numerals != 0 || plain.fractions || plain.missing != 0 || !plain.repeated || plain.cells != 5 {
			t.Errorf("text without a note: %+v", plain)
		}
		if !mixed.among || !mixed.kept || mixed.first.Row != 2 || mixed.first.Column != 2 || mixed.numerals != 3 || mixed.numeralWords != 3 || !mixed.fractions || len(mixed.words) != 4 {
			t.Errorf("numbers and words: %+v", mixed)
		}
		if long.among || !long.kept || long.first.Row != 1 || long.digits || long.letters != 5 {
			t.Errorf("large whole numbers: %+v", long)
		}
		if want := map[bool][2]int{false: {4, 1}, true: {3, 2}}[auto]; n.values != want[0] || n.missing != want[1] || !n.fractions {
			t.Errorf("infinities are missing values is %v: %d numbers, %d missing values, fractions %v; want %v", auto, n.values, n.missing, n.fractions, want)
		}
	}
	opt := &options{Settings: Settings{Encode: "drop", MaxLevels: 2, Threads: 1}}
	chosen, _ := chooseColumns(table.columns, opt)
	if learned, err := learnLevels(t.Context(), table.noted(), chosen, opt); err != nil || len(learned[0].words) != 2 || !learned[0].full {
		t.Errorf("text that is dropped: %d words kept, %v; want 2", len(learned[0].words), err)
	}
	g, err := Gather(t.Context(), func(context.Context) (dataset.Source, error) { return table.noted(notes...), nil }, Settings{Encode: "levels", Missing: "auto", Threads: 1, MaxLevels: 20, MaxColumns: 9, Drop: []string{"mixed"}})
	if err != nil || len(g.Profile.Read) != 2 || g.Profile.Read[0].Column != "long" || g.Profile.Notes[0] != "a note" || !strings.Contains(g.Profile.Notes[1], "Column long: kept as text") {
		t.Errorf("notes %+v, %v", g, err)
	}
}

// TestClassesOfText checks when the text of a column represents numbers, and when it is a typing error among numbers.
func TestClassesOfText(t *testing.T) {
	for _, c := range []struct {
		texts  []string
		labels bool
		want   bool
	}{
		{[]string{"yes", "no", "Yes"}, false, false}, {[]string{"yes", "true", "yes"}, false, true}, {[]string{"yes", "maybe", "yes"}, false, true},
		{[]string{"maybe", "maybe"}, false, true}, {[]string{"yes", "no"}, true, true},
	} {
		l := &levels{words: map[string]struct{}{}, labels: c.labels}
		for _, w := range c.texts {
			l.addWord([]byte(w), 10)
		}
		if l.mixed != c.want {
			t.Errorf("%q as categories %v: mixed is %v", c.texts, c.labels, l.mixed)
		}
	}
	commas := []string{"3"}
	for i := range 30 {
		commas = append(commas, fmt.Sprintf("1,%d", i))
	}
	for _, c := range []struct {
		name    string
		texts   []string
		numbers []float64
		labels  bool
		want    bool
	}{
		{"a word and a number five times each", []string{"a"}, integers(9, 1, 1), false, false},
		{"a word and a number in nine rows", []string{"a"}, integers(8, 1, 1), false, true},
		{"categories", []string{"a"}, integers(8, 1, 1), true, false},
		{"numerals five times each", words(10, 2, 0, "1"), nil, false, false},
		{"numerals in nine rows", words(9, 2, 0, "1"), nil, false, true},
		{"words", words(9, 9, 0, "a"), nil, false, false},
		{"decimal commas", slices.Repeat([]string{"1,5", "2,5"}, 20), nil, false, true},
		{"some decimal commas", slices.Repeat(commas, 6), nil, false, false},
	} {
		l := textOf(c.texts, c.numbers, false, 100)
		l.labels = c.labels
		if l.stray() != c.want {
			t.Errorf("%s: a typing error is %v", c.name, !c.want)
		}
	}
	for _, c := range []struct{ words, order, want []string }{
		{[]string{"9", "10", "1.0", "1"}, nil, []string{"1", "1.0", "9", "10"}},
		{[]string{"drug", "placebo"}, nil, []string{"placebo", "drug"}},
		{[]string{"smoker", "non-smoker"}, nil, []string{"non-smoker", "smoker"}},
		{[]string{"drug", "placebo", "none"}, nil, []string{"drug", "none", "placebo"}},
		{[]string{"drug", "placebo"}, []string{"drug", "placebo"}, []string{"drug", "placebo"}},
		{[]string{"9", "10", "a"}, nil, []string{"10", "9", "a"}},
		{[]string{"9", "10", "NaN", "70", "8"}, nil, []string{"10", "70", "8", "9", "NaN"}},
		{[]string{"c", "b", "a", "d"}, []string{"d", "b", "d", "e"}, []string{"d", "b", "a", "c"}},
	} {
		l := textOf(c.words, nil, false, 100)
		if l.order = c.order; !slices.Equal(l.sorted(), c.want) {
			t.Errorf("%q declared as %q: %q, want %q", c.words, c.order, l.sorted(), c.want)
		}
	}
}

// TestPlanEncoding checks the treatment of a column by its text, with at most 20 levels.
func TestPlanEncoding(t *testing.T) {
	many := words(42, 21, 0, "a")
	yes := []string{"yes", "no", "yes"}
	for _, c := range []struct {
		name                   string
		encode                 dataset.Encode
		lenient, exclude, keep bool
		l                      *levels
		kept                   bool
		how                    coding
		notes                  int
		fault                  error
		detail                 string
	}{
		{"numbers", "levels", false, false, false, textOf(nil, integers(3, 3, 1), false, 30), false, asNumber, 0, nil, ""},
		{"true and false", "levels", false, false, false, textOf(yes, nil, false, 30), false, asNumber, 0, nil, ""},
		{"true, false and numbers", "levels", false, false, false, textOf(yes, integers(40, 2, 1), false, 30), false, asOrdinal, 0, nil, ""},
		{"20 levels", "levels", false, false, false, textOf(many[:20], nil, false, 30), false, asOrdinal, 0, nil, ""},
		{"21 levels", "levels", false, false, false, textOf(many, nil, false, 30), false, 0, 0, ErrLevels, "21 categories in 42 rows, limit 20"},
		{"21 levels of a lenient pass", "levels", true, false, false, textOf(many, nil, false, 30), false, asNothing, 1, nil, ""},
		{"20 levels of a lenient pass", "levels", true, false, false, textOf(many[:20], nil, false, 30), false, asOrdinal, 0, nil, ""},
		{"ordinal levels of a lenient pass", "ordinal", true, false, false, textOf(many, nil, false, 30), false, asOrdinal, 1, nil, ""},
		{"21 numbers and a word of a lenient pass", "levels", true, false, false, textOf([]string{"a"}, integers(900, 21, 1), false, 30), false, asNothing, 1, nil, ""},
		{"a typing error", "levels", false, false, false, textOf([]string{"a"}, integers(9, 9, 1), false, 30), false, 0, 0, dataset.ErrNotNumber, ""},
		{"a typing error of a lenient pass", "levels", true, false, false, textOf([]string{"a"}, integers(9, 9, 1), false, 30), false, asNothing, 1, nil, ""},
		{"a typing error that the reader keeps", "levels", false, false, false, textOf([]string{"a"}, integers(9, 9, 1), false, 30), true, asOrdinal, 0, nil, ""},
		{"21 numbers and a word", "onehot", false, false, false, textOf([]string{"a"}, integers(900, 21, 1), false, 30), false, 0, 0, ErrMixed, "1 cell of text and 900 numbers"},
		{"20 numbers and no category", "onehot", false, false, false, textOf([]string{"0"}, integers(900, 20, 1), false, 30), false, asOneHot, 1, nil, ""},
		{"more words than are kept, one-hot", "onehot", false, false, false, textOf(words(20, 10, 0, "a"), nil, false, 9), false, 0, 0, ErrLevels, "more than 9 categories, limit 20"},
		{"more words than are kept", "levels", false, false, false, textOf(words(20, 10, 0, "a"), nil, false, 9), false, 0, 0, ErrLevels, "more than 9 categories in 20 rows"},
		{"more words than are kept, lenient", "levels", true, false, false, textOf(words(20, 10, 0, "a"), nil, false, 9), false, asNothing, 1, nil, ""},
		{"more words than are kept, ordinal", "ordinal", false, false, false, textOf(words(20, 10, 0, "a"), nil, false, 9), false, 0, 0, ErrLevels, "more than 9 categories"},
		{"one word", "ordinal", false, false, false, textOf(words(20, 1, 0, "a"), nil, false, 9), false, asNothing, 1, nil, ""},
		{"text that is dropped", "drop", false, false, false, textOf(words(20, 10, 0, "a"), nil, false, 9), false, asNothing, 1, nil, ""},
		{"an excluded column", "levels", false, true, false, textOf(many, nil, false, 30), false, asNothing, 0, nil, ""},
		{"an excluded column that is kept", "levels", false, true, true, textOf(many, nil, false, 30), false, 0, 0, ErrLevels, "limit 20"},
		{"a constant column that is kept", "levels", false, true, true, textOf(words(20, 1, 0, "a"), nil, false, 9), false, asNothing, 0, nil, ""},
		{"text that is dropped although it is kept", "drop", false, true, true, textOf(many, nil, false, 30), false, asNothing, 0, nil, ""},
		{"a typing error that is excluded", "levels", false, true, false, textOf([]string{"a"}, integers(9, 9, 1), false, 30), false, asNothing, 1, nil, ""},
		{"decimal commas that are excluded", "levels", false, true, false, textOf([]string{"1,5", "2,5"}, nil, false, 30), false, asNothing, 0, nil, ""},
	} {
		c.l.kept = c.kept
		opt := &options{Settings: Settings{Encode: c.encode, Lenient: c.lenient, Exclude: c.exclude, MaxLevels: 20}, seen: &observed{}}
		p, err := planEncoding([]chosenColumn{{Column: dataset.Column{Name: "x"}, index: 6, keep: c.keep}}, []*levels{c.l}, false, opt)
		var e *dataset.ParseError
		switch {
		case c.fault != nil:
			if !errors.Is(err, c.fault) || !errors.As(err, &e) || !strings.Contains(e.Detail, c.detail) || c.fault == ErrLevels && e.Column != 7 {
				t.Errorf("%s: %v, want %v (%s)", c.name, err, c.fault, c.detail)
			}
		case err != nil || p.columns[0].how != c.how || len(p.notes) != c.notes || len(p.excluded) > 0 != (c.exclude && c.how == asNothing):
			t.Errorf("%s: %+v, %v", c.name, p, err)
		}
	}
}

// TestExplainedErrors checks the position and the reason of a text cell that the reader noted, and the row in one of several files.
func TestExplainedErrors(t *testing.T) {
	mixed, large := dataset.ColumnNote{Column: "c", What: dataset.ReadMixed, Example: "x", Line: 9}, dataset.ColumnNote{Column: "c", What: dataset.ReadIdentifier, Example: "90"}
	marker, other := dataset.ColumnNote{Column: "c", What: dataset.ReadMarker, Example: "NA"}, dataset.ColumnNote{Column: "d", What: dataset.ReadMixed, Example: "x"}
	for _, c := range []struct {
		name    string
		kind    error
		column  string
		note    dataset.ColumnNote
		several bool
		want    string // line, row, value and detail
	}{
		{"not a number", dataset.ErrNotNumber, "c", mixed, false, "9 0 x detail"},
		{"not a number in several files", dataset.ErrNotNumber, "c", mixed, true, `2 3 v detail; kept as text, because "x" (line 9) is not a number`},
		{"another error", ErrLevels, "c", mixed, false, `2 3 v detail; kept as text, because "x" (line 9) is not a number`},
		{"a large number", dataset.ErrNotNumber, "c", large, false, `2 3 v detail; kept as text, because "90" is a whole number above 2^53, which a number would round`},
		{"another note", dataset.ErrNotNumber, "c", marker, false, "2 3 v detail"},
		{"another column", dataset.ErrNotNumber, "c", other, false, "2 3 v detail"},
		{"no column", dataset.ErrNotNumber, "", dataset.ColumnNote{What: dataset.ReadMixed}, false, "2 3 v detail"},
	} {
		e := &dataset.ParseError{Line: 2, Row: 3, Value: "v", Name: c.column, Detail: "detail", Err: c.kind}
		src := dataset.Source(memOf("c").noted(c.note))
		if c.several {
			src = located{src.(noted)}
		}
		explain(fmt.Errorf("around: %w", e), src)
		if got := fmt.Sprintf("%d %d %s %s", e.Line, e.Row, e.Value, e.Detail); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	explain(errDisk, memOf("c").noted(mixed)) // an error without a position is left as it is
	locate(errDisk, located{}, "")
	for _, c := range []struct {
		file string
		row  int
		want string
	}{{"all", 13, "second.csv 3"}, {"all", 0, "all 0"}, {"first.csv", 13, "first.csv 13"}} {
		e := &dataset.ParseError{File: c.file, Row: c.row}
		if locate(e, located{}, "all"); fmt.Sprint(e.File, " ", e.Row) != c.want {
			t.Errorf("%s, row %d: %s, row %d; want %s", c.file, c.row, e.File, e.Row, c.want)
		}
	}
}

// TestSentences checks that notes on the same cell are one sentence, which lists three columns.
func TestSentences(t *testing.T) {
	note := func(column, what, example string) dataset.ColumnNote {
		return dataset.ColumnNote{Column: column, What: what, Example: example}
	}
	notes := []dataset.ColumnNote{note("a", dataset.ReadMarker, "NA"), note("x", dataset.ReadMarker, "?"), note("b", dataset.ReadMarker, "NA"), note("c", dataset.ReadMarker, "NA"), note("d", dataset.ReadUnit, "NA")}
	want := []string{`Columns a, b, c: cells such as "NA" are missing values.`, `Column d: quantities such as "NA" are numbers; the unit is dropped.`}
	if got := sentences(notes, []dataset.Excluded{{Name: "x"}}); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	want[0] = `Columns a, b, c and 2 more: cells such as "NA" are missing values.`
	notes = append(notes, note("e", dataset.ReadMarker, "NA"), note("f", dataset.ReadMarker, "NA"))
	if got := sentences(notes, []dataset.Excluded{{Name: "x"}}); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := sentences(notes[2:4], nil); !slices.Equal(got, []string{`Columns b, c: cells such as "NA" are missing values.`}) {
		t.Errorf("two columns: %q", got)
	}
}

// A column that its file declares as categories keeps its labels, whatever they look like, and the order that the file states.
func TestDeclaredCategories(t *testing.T) {
	table := &memTable{columns: []dataset.Column{
		{Name: "x", Kind: dataset.Number},
		{Name: "zip", Kind: dataset.Text, Categories: true},
		{Name: "day", Kind: dataset.Text, Categories: true},
		{Name: "dose", Kind: dataset.Text, Categories: true, Order: []string{"low", "middle", "unused", "high"}},
		{Name: "day of the text", Kind: dataset.Text},
	}}
	days, doses := []string{"2024-01-01", "2024-01-02", "2024-02-01"}, []string{"high", "low", "middle"}
	for i := range 60 {
		table.rows = append(table.rows, []any{float64(i * i % 17), []string{"10115", "1010", "8000"}[i%3], days[i/3%3], doses[i/9%3], days[i%3]})
	}
	opt := DefaultSettings()
	opt.Encode, opt.Profile = "levels", true
	g, err := Gather(context.Background(), table.open, opt)
	must.Succeed(t, err)
	want := [][]string{nil, {"1010", "8000", "10115"}, days, {"low", "middle", "high"}, nil}
	for j := range want {
		if !slices.Equal(g.Levels[j], want[j]) || g.Ordered[j] != (j == 3) {
			t.Errorf("%s: levels %q, ordered %t; want %q", g.Moments.Names[j], g.Levels[j], g.Ordered[j], want[j])
		}
	}
	// As integers they are in that order too, and the note says so.
	opt.Encode = "ordinal"
	if g, err = Gather(context.Background(), table.open, opt); err != nil || !slices.Contains(g.Profile.Notes, `Column dose was encoded as integers 0 to 2 in declared order, from "low" to "high", with equal spacing.`) {
		t.Errorf("%+v, %v", g, err)
	}
	opt.Encode = "levels"
	// A label that the order does not list comes last.
	table.columns[3].Order = []string{"low", "high"}
	if g, err = Gather(context.Background(), table.open, opt); err != nil || !slices.Equal(g.Levels[3], []string{"low", "high", "middle"}) {
		t.Errorf("%v, %v", g.Levels[3], err)
	}
}
