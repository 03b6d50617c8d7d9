package prepare

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// panel writes rows of k subjects. Its header and the function for a row name the columns; u is a value of the subject, i its row.
func panel(k, each int, header string, row func(rng *rand.Rand, subject, i int, u float64) []any) []string {
	rng := rand.New(rand.NewPCG(3, uint64(k)))
	lines := []string{header}
	for s := range k {
		u := rng.NormFloat64()
		for i := range each {
			lines = append(lines, strings.TrimSuffix(fmt.Sprintln(row(rng, s, i, u)...), "\n"))
		}
	}
	for i, line := range lines {
		lines[i] = strings.ReplaceAll(line, " ", ",")
	}
	return lines
}

func foundIn(t *testing.T, lines []string) *Found {
	t.Helper()
	set := DefaultSettings()
	set.Profile, set.Exclude, set.Encode, set.Missing, set.Threads = true, true, dataset.EncodeLevels, dataset.MissingAuto, 1
	open := openText(strings.Join(lines, "\n") + "\n")
	return must.Get(FindGroups(t.Context(), open, set, must.Get(Gather(t.Context(), open, set))))
}

// A column of repeated subjects is found by its name, by columns that are constant within it, or by a panel; categories, numbers and
// unrelated identifiers are not used. The order of the rows does not matter.
func TestFindGroups(t *testing.T) {
	noise := func(rng *rand.Rand) string { return fmt.Sprintf("%.5f", rng.NormFloat64()) }
	near := func(rng *rand.Rand, u float64) string { return fmt.Sprintf("%.5f", u+0.5*rng.NormFloat64()) }
	for _, c := range []struct {
		what  string
		lines []string
		want  string // column that is used
	}{
		{"four patients", panel(4, 10, "patient x y", func(rng *rand.Rand, s, _ int, u float64) []any {
			return []any{s + 1, near(rng, 3*u), noise(rng)}
		}), "patient"},
		{"words", panel(30, 5, "x Subject.ID y", func(rng *rand.Rand, s, _ int, u float64) []any {
			return []any{near(rng, u), fmt.Sprint("p", s*7), noise(rng)}
		}), "Subject.ID"},
		{"a panel of countries", panel(12, 20, "place year x y", func(rng *rand.Rand, s, i int, u float64) []any {
			return []any{fmt.Sprint("land", s), 1990 + i, near(rng, u), noise(rng)}
		}), "place"},
		{"constant columns", panel(25, 6, "a town b c y", func(rng *rand.Rand, s, _ int, u float64) []any {
			return []any{s % 5, s + 1, s % 7, fmt.Sprintf("%.3f", u*float64(s%11)), noise(rng)}
		}), "town"},
		{"regions", panel(6, 100, "region x y", func(rng *rand.Rand, s, _ int, u float64) []any {
			return []any{fmt.Sprint("r", s), near(rng, u), noise(rng)}
		}), ""},
		{"levels of a cause", panel(9, 30, "dose x y", func(rng *rand.Rand, s, _ int, _ float64) []any {
			return []any{s, near(rng, float64(s)), noise(rng)}
		}), ""},
		{"years of school", panel(16, 40, "school x y", func(rng *rand.Rand, s, i int, _ float64) []any {
			return []any{s, near(rng, float64(s)), noise(rng)}
		}), ""},
		{"an identifier without dependence", panel(20, 10, "id x y", func(rng *rand.Rand, s, _ int, _ float64) []any {
			return []any{s, noise(rng), noise(rng)}
		}), ""},
		{"measured values of a subject", panel(20, 5, "mother x y", func(rng *rand.Rand, _, _ int, u float64) []any {
			return []any{fmt.Sprintf("%.1f", 160+10*u), near(rng, u), noise(rng)}
		}), ""},
	} {
		f := foundIn(t, c.lines)
		got := ""
		if f != nil && f.Use {
			got = f.Column
		}
		if got != c.want {
			t.Errorf("%s: found %+v, want %q", c.what, f, c.want)
		}
		rng := rand.New(rand.NewPCG(1, 1))
		rng.Shuffle(len(c.lines)-1, func(i, j int) { c.lines[i+1], c.lines[j+1] = c.lines[j+1], c.lines[i+1] })
		if again := foundIn(t, c.lines); (f == nil) != (again == nil) || f != nil && *f != *again {
			t.Errorf("%s: shuffled %+v, sorted %+v", c.what, again, f)
		}
	}
}
