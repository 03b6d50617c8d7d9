package prepare

import (
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// TestCodesOfMissingValues checks the numbers that often stand for missing values: -1, one to six nines of either sign and one to four
// eights below 0.
func TestCodesOfMissingValues(t *testing.T) {
	want := map[float64]bool{-1: true}
	for digits, nines := 1, 9.0; digits <= 6; digits, nines = digits+1, nines*10+9 {
		want[nines], want[-nines] = true, true
		if digits <= 4 {
			want[-nines/9*8] = true
		}
	}
	for v := -10_000_000.0; v <= 10_000_000; v++ {
		if standIn(v) != want[v] {
			t.Errorf("%v is a code for missing values: %v", v, !want[v])
		}
	}
}

// TestFingerprintOfMoments checks that each entry of the moments changes the fingerprint, and that rows on demand and environments do.
func TestFingerprintOfMoments(t *testing.T) {
	make3 := func() *dataset.Moments {
		m := dataset.NewMoments([]string{"a", "b", "c"})
		must.Succeed(t, m.AddBlock([]float64{1, 2, 3, 4, 5, 7, 9, 1, 2, 0, 3, 1}))
		return m
	}
	seen := map[[32]byte]string{Fingerprint(make3(), nil): "the moments"}
	check := func(what string, sum [32]byte) {
		if before, ok := seen[sum]; ok {
			t.Errorf("%s and %s have the same fingerprint", what, before)
		}
		seen[sum] = what
	}
	for k := range 9 {
		m := make3()
		m.Scatter[k]++
		check("entry "+string(rune('0'+k)), Fingerprint(m, nil))
	}
	m := make3()
	m.Mean[1]++
	check("a mean", Fingerprint(m, nil))
	check("an environment", Fingerprint(make3(), &dataset.Environments{Names: []string{"e"}, Targets: [][]int{{0}}, Moments: []*dataset.Moments{make3()}}))
	check("another target", Fingerprint(make3(), &dataset.Environments{Names: []string{"e"}, Targets: [][]int{{1}}, Moments: []*dataset.Moments{make3()}}))
	lean := must.Get(dataset.OnDemandMoments([]string{"a", "b"}, []float64{1, 2, 3, 4, 5, 7}))
	check("rows", Fingerprint(lean, nil))
}

// TestPassesOfSettings checks settings that other tests use one by one: classes, weights of groups, and incomplete rows by pairs.
func TestPassesOfSettings(t *testing.T) {
	table := survey(60, "c", func(i int) any { return float64(i % 4) })
	g, err := gather(t, table, func(o *Settings) { o.Discretize = 3 })
	if err != nil || len(g.Classes) != 3 || g.Classes[0] != 3 || g.Moments.Max[0] != 2 || g.Moments.Min[0] != 0 {
		t.Errorf("classes %+v, %v", g, err)
	}
	table.rows[3][2] = nil
	g, err = gather(t, table, func(o *Settings) { o.Missing = "pairwise" })
	if err != nil || g.Incomplete() || g.Replayable() == nil {
		t.Errorf("rows by pairs are kept: %v", err)
	}
	s := NewRowSampler(1, 0)
	if err := s.Add(dataset.RowBatch{Values: []float64{4, 5}}); err != nil || s.Sample().Environments != nil || !slices.Equal(s.Sample().Values, []float64{4, 5}) {
		t.Errorf("rows without environments: %+v", s.Sample())
	}
	s = NewRowSampler(1, 2)
	must.Succeed(t, s.Add(dataset.RowBatch{Values: []float64{4, 5}, Environments: []int{1, 0}}))
	if got := s.Sample(); !slices.Equal(got.Environments, []int{1, 0}) || !slices.Equal(got.Values, []float64{4, 5}) {
		t.Errorf("rows of two environments: %+v", got)
	}
	ten := make([]string, 10)
	for k := range ten {
		ten[k] = string(rune('a' + k))
	}
	for n, want := range map[int]string{1: "Column a was log-transformed (natural logarithm).", 10: "Columns a, b, c, d, e, f, g, h, i, j were log-transformed (natural logarithm).", 12: "Columns a, b, c, d, e, f, g, h, i, j and 2 more were log-transformed (natural logarithm)."} {
		names := append(slices.Clone(ten), "k", "l")[:n]
		if got := (&logs{columns: make([]int, n), names: names}).notes(); len(got) != 1 || got[0] != want {
			t.Errorf("%d columns: %q, want %q", n, got, want)
		}
	}
}

// Zeros stand apart if the next value is far from them both in distances of the smallest values and in standard deviations, the column
// has no long tail, no negative values, more than a few, and not mostly zeros.
func TestLoneZeros(t *testing.T) {
	from := func(first, step float64, n int, zeros int) []float64 {
		var out []float64
		for k := range n {
			out = append(out, first+step*float64(k))
		}
		return append(out, make([]float64, zeros)...)
	}
	repeated := func(x []float64, v float64, n int) []float64 { return append(x, slices.Repeat([]float64{v}, n)...) }
	spending := func(sigma float64, zeros int) []float64 { // log-normal amounts
		x := make([]float64, zeros)
		for k := range 200 {
			x = append(x, math.Round(400*math.Exp(sigma*math.Sqrt2*math.Erfinv(float64(2*k+1)/200-1)))/4)
		}
		return x
	}
	for name, c := range map[string]struct {
		x    []float64
		want int
	}{
		"blood pressure":              {from(24, 2, 50, 7), 7},
		"count":                       {from(1, 1, 50, 7), 0},
		"three steps":                 {repeated(from(3, 1, 25, 4), 15, 400), 4}, // both quantiles are 15
		"less than three":             {repeated(from(2.9, 1, 25, 4), 14.9, 400), 0},
		"spread out":                  {from(12, 1, 51, 2), 2}, // the quantiles are 40 apart, 15.6 standard deviations
		"closer than 0.75 deviations": {from(11, 1, 51, 2), 0},
		"spending":                    {spending(0.3, 30), 0},
		"rarely 0":                    {spending(0.3, 8), 8},
		"a long tail":                 {spending(0.6, 8), 0},
		"mostly zeros":                {from(24, 2, 50, 51), 0},
		"half zeros":                  {from(24, 2, 50, 50), 50},
		"few values":                  {from(24, 2, 19, 7), 0},
		"negative values":             {append(from(24, 2, 50, 7), -1), 0},
		"no zeros":                    {from(24, 2, 50, 0), 0},
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
		{"word 3 is in no environment", []int{0, 0, 0, -1}, [4]int{2, 3, 5, 3}},
		{"interventions on b and c in all rows", []int{1, 1, 1, 1}, [4]int{4, 0, 1, 3}},
	} {
		p := &dataset.Profile{Columns: columns()}
		z.forgive(p, []string{"a", "b", "c"}, &dataset.Environments{Targets: [][]int{{0}, {1, 2}}}, c.of)
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
	if got, single := p.leftOut(chosen); !slices.Equal(got, []string{"a", "c", "d", "e"}) || single != 2 {
		t.Errorf("columns %v are excluded, %d for their one level, want a, c, d, e and 2", got, single)
	}
	list := p.textProfiles(chosen)
	if len(list) != 4 || list[0].Name != "a" || list[0].Dropped != "why" || list[1].Name != "c" || list[1].Distinct != 2 || !slices.Equal(list[1].Levels, []string{"x", "y"}) || list[1].Missing != 3 || list[2].Name != "d" {
		t.Errorf("profiles %+v of excluded columns, want those of a, c, d, e", list)
	}
}
