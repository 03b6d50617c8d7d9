package prepare

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// excluding is how a run of polydag learn reads a table.
func excluding(o *Settings) { o.Exclude, o.Missing, o.Encode = true, "auto", "levels" }

// reasons words what was excluded as NAME: reason.
func reasons(g *Gathered) (list []string) {
	for _, x := range g.Profile.Excluded {
		list = append(list, x.Name+": "+x.Reason)
	}
	return list
}

// survey returns n rows of two measurements and one column for each of the values.
func survey(n int, names string, values ...func(i int) any) *memTable {
	rng := rand.New(rand.NewPCG(3, 4))
	t := memOf("height weight " + names)
	for i := range n {
		h := rng.NormFloat64()
		row := []any{170 + 10*h, 70 + 8*h + 5*rng.NormFloat64()}
		for _, v := range values {
			row = append(row, v(i))
		}
		t.rows = append(t.rows, row)
	}
	return t
}

func TestGatherExcludesUnusableColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	income := rng.Perm(100_000)
	order := rng.Perm(60)
	for _, c := range []struct {
		name  string
		value func(i int) any
		want  string
	}{
		{"site", func(int) any { return 7.0 }, reasonConstant},
		{"country", func(int) any { return "AT" }, reasonConstant},
		{"nothing", func(int) any { return nil }, reasonEmpty},
		{"PassengerId", func(i int) any { return float64(income[i]) }, reasonIdentifier},
		{"customer_no", func(i int) any { return float64(income[i]) }, reasonIdentifier},
		{"unnamed", func(i int) any { return float64(i + 1) }, reasonIdentifier},
		{"X", func(i int) any { return float64(i + 1) }, reasonIdentifier},
		{"tens", func(i int) any { return float64(10 * i) }, reasonIdentifier},
		{"shuffled", func(i int) any { return float64(order[i] + 1) }, reasonIdentifier},
		{"name", func(i int) any { return fmt.Sprintf("Person %d", i) }, reasonIdentifier},
		{"account", func(i int) any { return fmt.Sprintf("90071992547409%03d", 931+i) }, reasonIdentifier},
		{"ticket", func(i int) any { return fmt.Sprintf("T%d", i%55) }, reasonCategories},
		{"remark", func(i int) any { return fmt.Sprintf("%d%s", i, strings.Repeat(" long prose", 6)) }, reasonFreeText},
		{"family", func(i int) any { return map[bool]any{true: "136A", false: float64(i*i%59) + 0.5}[i == 17] }, reasonMixed},
		{"price", func(i int) any { return fmt.Sprintf("%d,5", i*i) }, reasonMixed},
		{"copy", nil, Duplicate},
		// What is unique and no identifier.
		{"income", func(i int) any { return float64(income[i]) }, ""},
		{"heat_index", func(i int) any { return float64(income[i]) }, ""},
		{"row_index", func(i int) any { return float64(income[i]) }, reasonIdentifier},
		{"sorted_income", func(i int) any { return float64(1000 + i*i) }, ""},
		{"measured", func(i int) any { return float64(i) + 0.25 }, ""},
		{"year", func(i int) any { return float64(1950 + i) }, ""},
		{"rank", func(i int) any { return float64(order[i] + 1) }, ""},
		{"number_of_rooms", func(i int) any { return float64(i % 7) }, ""},
		{"city", func(i int) any { return []string{"Graz", "Linz", "Wien"}[i%3] }, ""},
	} {
		value := c.value
		if value == nil {
			value = func(int) any { return nil }
		}
		table := survey(60, c.name, value)
		if c.value == nil {
			for _, row := range table.rows {
				row[2] = row[1]
			}
			c.name = "weight" // the first by name stays
		}
		g, err := gather(t, table, excluding)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		want := []string{c.name + ": " + c.want}
		if c.want == "" {
			want = nil
		}
		if got := reasons(g); !slices.Equal(got, want) {
			t.Errorf("%s: excluded %q, want %q", c.name, got, want)
		}
		if in := slices.Contains(g.Moments.Names, c.name); in != (c.want == "") || g.Moments.N != 60 {
			t.Errorf("%s: %d rows of %q", c.name, g.Moments.N, g.Moments.Names)
		}
		if c.want != "" && g.Profile.Notes[0] != fmt.Sprintf("1 column excluded (%s: %s)", c.name, c.want) {
			t.Errorf("%s: %q", c.name, g.Profile.Notes)
		}
		if c.value == nil || c.want == "" {
			continue
		}
		kept, err := gather(t, table, func(o *Settings) { excluding(o); o.Keep = []string{c.name} })
		switch stays := c.want == reasonConstant || c.want == reasonEmpty; {
		case c.want == reasonCategories || c.want == reasonMixed || c.want == reasonFreeText || c.name == "name" || c.name == "account":
			if err == nil || errors.Is(err, dataset.ErrOneColumn) {
				t.Errorf("%s is kept without a word", c.name)
			}
		case err != nil || slices.Contains(kept.Moments.Names, c.name) == stays:
			t.Errorf("%s with keep: %v", c.name, err)
		}
	}
}

// All columns are named at once, and which of two copies stays does not depend on the order of the columns.
func TestGatherExcludesAllAtOnce(t *testing.T) {
	build := func(order []int) *memTable {
		source := survey(40, "id constant b a", func(i int) any { return float64(i) }, func(int) any { return 1.0 }, func(int) any { return 0.0 }, func(int) any { return 0.0 })
		out := &memTable{}
		for _, j := range order {
			out.columns = append(out.columns, source.columns[j])
		}
		for _, row := range source.rows {
			row[4], row[5] = row[0].(float64)*2, row[0].(float64)*2
			var to []any
			for _, j := range order {
				to = append(to, row[j])
			}
			out.rows = append(out.rows, to)
		}
		return out
	}
	want := []string{"b: duplicate", "constant: constant", "id: identifier"}
	for _, order := range [][]int{{0, 1, 2, 3, 4, 5}, {5, 4, 3, 2, 1, 0}, {4, 0, 5, 1, 2, 3}} {
		g := must.Get(gather(t, build(order), excluding))
		got := reasons(g)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("order %v: %q, want %q", order, got, want)
		}
	}
	// The second by name stays where it is to be kept.
	g, err := gather(t, build([]int{0, 1, 2, 3, 4, 5}), func(o *Settings) { excluding(o); o.Keep = []string{"b"} })
	if err != nil || !slices.Contains(reasons(g), "a: duplicate") {
		t.Errorf("%v, %v", g, err)
	}
}

// Fewer than two usable columns are the one error, and it says why the others are none.
func TestGatherTooFewUsable(t *testing.T) {
	rows := make([][]any, 30)
	for i := range rows {
		rows[i] = []any{float64(i), 3.0, fmt.Sprintf("name %d", i), float64(i * i % 11)}
	}
	_, err := gather(t, memOf("id c name x", rows...), excluding)
	want := "data.csv: fewer than two usable columns; excluded: id: identifier (named like an identifier, and no value repeats); c: constant (every value is 3); name: identifier (distinct text in each of 30 rows, first \"name 0\" in row 1); use keep=id,name to keep such columns"
	if !errors.Is(err, dataset.ErrOneColumn) || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

func TestGatherMissingAuto(t *testing.T) {
	gap := func(every, from, shift int) func(i int) any {
		return func(i int) any {
			if (i+shift)%every < from {
				return nil
			}
			return float64(i * (7919 + shift) % 101)
		}
	}
	for _, c := range []struct {
		name     string
		table    *memTable
		rows     int
		excluded []string
	}{
		{"few rows are incomplete", survey(200, "a b", gap(10, 1, 0), gap(10, 1, 3)), 200, nil},
		{"one column has a fifth of its values", survey(200, "a b", gap(10, 1, 0), gap(10, 8, 3)), 200, nil},
		{"one column is mostly missing", survey(200, "a b", gap(10, 1, 0), gap(10, 9, 3)), 200, []string{"b: mostly missing"}},
		{"no row is complete", survey(201, "a b c", gap(3, 1, 0), gap(3, 1, 1), gap(3, 1, 2)), 201, nil},
	} {
		g, err := gather(t, c.table, excluding)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := reasons(g)
		if g.Moments.N != c.rows || !slices.Equal(got, c.excluded) {
			t.Errorf("%s: %d rows, excluded %q; want %d, %q", c.name, g.Moments.N, got, c.rows, c.excluded)
		}
		if last := g.Profile.Notes[len(g.Profile.Notes)-1]; !strings.Contains(last, "missing at random") {
			t.Errorf("%s: the assumption is not noted: %q", c.name, g.Profile.Notes)
		}
		rows := 0
		if err := g.ReplayIncomplete(t.Context(), func(b dataset.RowBatch) error { rows += len(b.Values) / g.Moments.Dim(); return nil }); err != nil || rows != g.Moments.N || !g.Incomplete() {
			t.Errorf("%s: %d rows again, %v", c.name, rows, err)
		}
	}
}

// The advice on missing values does not lead back to where it came from.
func TestMissingAdviceIsNoCircle(t *testing.T) {
	drop := &MissingError{Rows: 9, Left: 0, Columns: []MissingColumn{{"a", 5, 1}}}
	auto := &MissingError{Rows: 9, Left: 0, Auto: true, Columns: []MissingColumn{{"a", 5, 1}}}
	for _, e := range []*MissingError{drop, auto} {
		if text := e.Error(); strings.Contains(text, "mean") || strings.Contains(text, "pairwise") {
			t.Error(text)
		}
	}
	if strings.Contains(auto.Error(), "missing=auto") {
		t.Error(auto)
	}
}

func TestProfileLoneValue(t *testing.T) {
	for _, c := range []struct {
		name string
		rest func(i int) float64
		want float64
	}{
		{"ages", func(i int) float64 { return float64(18 + i%50) }, -1},
		{"temperatures", func(i int) float64 { return float64(i % 30) }, 0},
		{"codes", func(i int) float64 { return float64(1 + i%3) }, 0},
		{"changes", func(i int) float64 { return float64(i%40 - 20) }, 0},
	} {
		table := survey(2000, "x", func(i int) any {
			if i == 700 {
				return -1.0
			}
			return c.rest(i)
		})
		g := must.Get(gather(t, table, nil))
		if p := g.Profile.Columns[2]; p.Suspect != c.want || p.SuspectLone != (c.want != 0) || p.SuspectLone && p.Suspects != 1 {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
}

// A table with fewer than two numeric columns names its text columns: constant ones if all are, else those that could be encoded.
func TestTooNarrowNamesTheText(t *testing.T) {
	for single, want := range map[int]string{2: "constant text columns: s, t", 1: "dropped text columns: s, t"} {
		if err := tooNarrow([]string{"x"}, []string{"s", "t"}, single); !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "(x)") {
			t.Errorf("%d constant columns: %v, want %q", single, err, want)
		}
	}
}
