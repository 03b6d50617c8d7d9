package prepare

import (
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
)

// Zeros stand apart if the next value is far from them both in distances of the smallest values and in medians, and the column has no
// negative values and more than a few.
func TestLoneZeros(t *testing.T) {
	from := func(first, step float64, n int, zeros int) []float64 {
		var out []float64
		for k := range n {
			out = append(out, first+step*float64(k))
		}
		return append(out, make([]float64, zeros)...)
	}
	for name, c := range map[string]struct {
		x    []float64
		want int
	}{
		"blood pressure":               {from(24, 2, 50, 7), 7},
		"count":                        {from(1, 1, 50, 7), 0},
		"three steps":                  {from(3, 1, 25, 4), 4},
		"less than three":              {from(2.9, 1, 25, 4), 0},
		"a tenth of a median":          {from(10, 3, 61, 4), 4}, // the median is 100
		"less than a tenth":            {from(10, 3, 63, 4), 0},
		"less than three median steps": {append(from(5, 1, 4, 4), from(9, 2, 20, 0)...), 0},
		"three median steps":           {append(from(6, 1, 4, 4), from(10, 2, 20, 0)...), 4},
		"few values":                   {from(24, 2, 19, 7), 0},
		"negative values":              {append(from(24, 2, 50, 7), -1), 0},
		"no zeros":                     {from(24, 2, 50, 0), 0},
	} {
		s := columnStats{distinct: distinct{limit: dataset.DistinctLimit}, integer: true}
		s.vote(c.x)
		s.addMoments(append([]float64(nil), c.x...), make([]float64, len(c.x)))
		if got := s.loneZeros(); got != c.want {
			t.Errorf("%s: %d zeros, want %d", name, got, c.want)
		}
		if p := s.profile(); c.want > 0 && (p.Suspect != 0 || p.Suspects != c.want || !p.SuspectLone) {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// TestZerosOfInterventions checks that zeros of a column in rows with an intervention on it do not count as missing values.
func TestZerosOfInterventions(t *testing.T) {
	var z wordZeros
	// Columns a, b, c and the index of a word. Word 1 has no rows.
	z.add([]float64{0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 2}, 4)
	z.add([]float64{0, 0, 5, 3, 5, 0, 0, 3, 5, 5, 0, 3}, 4)
	columns := func() []dataset.ColumnProfile {
		return []dataset.ColumnProfile{
			{Name: "other", Suspects: 4, SuspectLone: true},
			{Name: "a", Suspects: 4, SuspectLone: true},
			{Name: "b", Suspects: 3, SuspectLone: true},
			{Name: "c", Suspects: 5, SuspectLone: true},
			{Name: "c", Suspect: -9, Suspects: 3, SuspectLone: true},
		}
	}
	for _, c := range []struct {
		name string
		of   []int
		want [4]int
	}{
		{"interventions on a, and on b and c", []int{0, 0, 0, 1}, [4]int{2, 1, 3, 3}},
		{"word 3 is in no regime", []int{0, 0, 0, -1}, [4]int{2, 3, 5, 3}},
		{"interventions on b and c in all rows", []int{1, 1, 1, 1}, [4]int{4, 0, 1, 3}},
	} {
		p := &dataset.Profile{Columns: columns()}
		z.forgive(p, []string{"a", "b", "c"}, &dataset.Regimes{Targets: [][]int{{0}, {1, 2}}}, c.of)
		for i, want := range c.want {
			if got := p.Columns[i+1]; got.Suspects != want || got.SuspectLone != (want > 0) {
				t.Errorf("%s: column %s has %d zeros, alone %v, want %d", c.name, got.Name, got.Suspects, got.SuspectLone, want)
			}
		}
		if got := p.Columns[0]; got.Suspects != 4 || !got.SuspectLone {
			t.Errorf("%s: a column that is not a variable: %+v", c.name, got)
		}
	}
}

// TestPlanWithoutColumns checks the names and profiles of the columns that are excluded, and the count of those with one level.
func TestPlanWithoutColumns(t *testing.T) {
	word := func(words ...string) *levels {
		l := &levels{words: map[string]struct{}{}, missing: 3}
		for _, w := range words {
			l.words[w] = struct{}{}
		}
		return l
	}
	p := &encodePlan{columns: []columnPlan{
		{how: asNothing, levels: []string{"x"}, learned: word("x"), dropped: "why"}, {how: asOneHot, levels: []string{"x"}, learned: word("x")},
		{how: asNothing, levels: []string{"x", "y"}, learned: word("y", "x")}, {how: asNothing, learned: word()}, {how: asNothing, levels: []string{"x"}, learned: word("x")},
	}}
	chosen := []chosenColumn{{Column: dataset.Column{Name: "a"}}, {Column: dataset.Column{Name: "b"}}, {Column: dataset.Column{Name: "c"}}, {Column: dataset.Column{Name: "d"}}, {Column: dataset.Column{Name: "e"}}}
	if got := p.leftOut(chosen); !slices.Equal(got, []string{"a", "c", "d", "e"}) {
		t.Errorf("columns %v are excluded, want a, c, d, e", got)
	}
	if got := p.single(); got != 2 {
		t.Errorf("%d excluded columns have one level, want 2", got)
	}
	list := p.textProfiles(chosen)
	if len(list) != 4 || list[0].Name != "a" || list[0].Dropped != "why" || list[1].Name != "c" || list[1].Distinct != 2 || !slices.Equal(list[1].Levels, []string{"x", "y"}) || list[1].Missing != 3 || list[2].Name != "d" {
		t.Errorf("profiles %+v of excluded columns, want those of a, c, d, e", list)
	}
}
