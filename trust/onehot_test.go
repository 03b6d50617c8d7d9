package trust

import (
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
)

// Columns of 0 and 1 encode a text column if there is one for every category but the first. With two categories one of either is enough.
func TestEncodingsOfText(t *testing.T) {
	const n = 24
	code := func(i int) int { return i * i % 7 % 3 } // 0, 1 and 2
	is := func(c int) func(int) float64 {
		return func(i int) float64 {
			if code(i) == c {
				return 1
			}
			return 0
		}
	}
	two := func(i int) float64 { return float64(code(i) % 2) }
	for what, c := range map[string]struct {
		distinct int
		text     func(int) float64
		columns  []func(int) float64
		refuse   bool
		want     string
	}{
		"all categories":            {3, func(i int) float64 { return float64(code(i)) }, []func(int) float64{is(0), is(1), is(2)}, true, "a, b, c"},
		"all but the first":         {3, func(i int) float64 { return float64(code(i)) }, []func(int) float64{is(1), is(2)}, true, "a, b"},
		"all but the second":        {3, func(i int) float64 { return float64(code(i)) }, []func(int) float64{is(0), is(2)}, true, ""},
		"categories are no levels":  {3, func(i int) float64 { return float64(code(i)) }, []func(int) float64{is(1), is(2)}, false, ""},
		"columns of 1 and 2":        {3, func(i int) float64 { return float64(code(i)) }, []func(int) float64{func(i int) float64 { return 1 + is(1)(i) }, is(2)}, true, ""},
		"columns of 0 and 2":        {3, func(i int) float64 { return float64(code(i)) }, []func(int) float64{func(i int) float64 { return 2 * is(1)(i) }, is(2)}, true, ""},
		"a column of 0 and 2 first": {3, func(i int) float64 { return float64(code(i)) }, []func(int) float64{func(i int) float64 { return 2 * is(1)(i) }, is(1), is(2)}, true, "b, c"},
		"another column first":      {3, func(i int) float64 { return float64(code(i)) }, []func(int) float64{func(i int) float64 { return float64(i % 2) }, is(1), is(2)}, true, "b, c"},
		"two categories, second":    {2, two, []func(int) float64{two}, true, "a"},
		"two categories, first":     {2, two, []func(int) float64{func(i int) float64 { return 1 - two(i) }}, true, "a"},
		"another column":            {2, two, []func(int) float64{func(i int) float64 { return float64(i % 2) }}, true, ""},
	} {
		names := []string{"text"}
		p := &dataset.Profile{RowsRead: n, RowsUsed: n, Columns: []dataset.ColumnProfile{{Name: "text", Kind: "text", Distinct: c.distinct}}}
		for k := range c.columns {
			names = append(names, string(rune('a'+k)))
			p.Columns = append(p.Columns, dataset.ColumnProfile{Name: names[k+1], Kind: "integer", Distinct: 2})
		}
		m := tabulated(t, names, n, func(i int) []float64 {
			row := []float64{c.text(i)}
			for _, f := range c.columns {
				row = append(row, f(i))
			}
			return row
		})
		e := newExamination(m, p, Refusals{Levels: c.refuse})
		e.oneHots()
		got := ""
		if k := slices.IndexFunc(e.out.Findings, func(f Finding) bool { return f.Code == Duplicate }); k >= 0 {
			got = strings.Join(e.out.Findings[k].Columns[1:], ", ")
		}
		if got != c.want {
			t.Errorf("%s: the columns %q encode the text, want %q", what, got, c.want)
		}
	}
}

// Columns are standardized if all standard deviations are between 0.999 - 1/n and 1.001. A ratio of more than 1000 is reported as one of units.
func TestUnitsOfColumns(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{1, 1, Standardized}, {0.9981, 1.0009, Standardized}, {0.9979, 1, ""}, {1, 1.0011, ""}, {0.5, 0.9, ""}, {1.5, 1.9, ""},
		{1, 900, Varsortable}, {1, 1100, LargeUnits},
	} {
		m := dataset.NewMoments([]string{"a", "b", "c"})
		m.N = 1000
		for j := range 3 {
			m.Min[j], m.Max[j] = -5000, 5000
		}
		e := &examination{m: m, out: &DataChecks{}, std: []float64{c.low, c.high, (c.low + c.high) / 2}, varying: []int{0, 1, 2}, column: []*Column{{}, {}, {}}}
		e.unitsOf(c.low, c.high)
		got := ""
		for _, f := range e.out.Findings {
			got += f.Code
		}
		if got != c.want {
			t.Errorf("standard deviations from %v to %v: %q, want %q", c.low, c.high, got, c.want)
		}
	}
}
