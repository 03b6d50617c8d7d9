package prepare

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// A word names targets by the names of columns or, if all words are numbers, by their places from 1; 0 and nothing mean none. A target that
// is excluded from the graph is noted once, and an unknown one is an error.
func TestTargetsOfAWord(t *testing.T) {
	var all []dataset.Column
	for _, name := range []string{"a", "b", "left", "c"} {
		all = append(all, dataset.Column{Name: name})
	}
	chosen := []chosenColumn{{Column: all[0]}, {Column: all[1]}, {Column: all[3]}}
	plan := &encodePlan{outputs: []output{{name: "a", from: 0}, {name: "b=x", from: 1}, {name: "b=y", from: 1}, {name: "c", from: 2}}}
	for _, c := range []struct {
		words []string
		want  [][]int
		notes int
	}{
		{[]string{"c; a", "", "b", "b=y"}, [][]int{{0, 3}, nil, {1, 2}, {2}}, 0},
		{[]string{"1;4", "0", "2", "3"}, [][]int{{0, 3}, nil, {1, 2}, nil}, 1},
		{[]string{"left", "left;a", "c;c"}, [][]int{nil, {0}, {3}}, 1},
	} {
		p := newTargets(c.words, plan, chosen, all)
		for i, word := range c.words {
			if got, err := p.parse(word); err != nil || !slices.Equal(got, c.want[i]) {
				t.Errorf("%q: %v, %v; want %v", word, got, err, c.want[i])
			}
		}
		if len(p.left) != c.notes {
			t.Errorf("%q: excluded targets %q", c.words, p.left)
		}
	}
	for _, words := range [][]string{{"5"}, {"a;d"}, {"1", "a"}, {"1", "-1"}, {"-1", "1"}} {
		if _, err := newTargets(words, plan, chosen, all).parse(words[0]); !errors.Is(err, ErrTarget) {
			t.Errorf("%q: %v", words, err)
		}
	}
	// A column may have a number as its name, may be chosen and excluded by its text, and may be the column of targets itself.
	all = append(all, dataset.Column{Name: "1"}, dataset.Column{Name: "arm"})
	chosen = append(chosen, chosenColumn{Column: dataset.Column{Name: "1"}}, chosenColumn{Column: dataset.Column{Name: "arm"}, context: true})
	p := newTargets([]string{"1"}, plan, chosen, all)
	if got, err := p.parse("1"); err != nil || got != nil || !slices.Equal(p.left, []string{"1"}) {
		t.Errorf("targets %v, excluded %q, %v; want the column named 1", got, p.left, err)
	}
	if _, err := p.parse("arm"); !errors.Is(err, ErrTarget) || !strings.Contains(err.Error(), "the columns are a, b=x, b=y, c") {
		t.Errorf("the column of targets as a target: %v", err)
	}
	if _, err := p.parse("b=xx"); err == nil || !strings.Contains(err.Error(), `did you mean "b=x"?`) {
		t.Errorf("b=xx: %v", err)
	}
	for _, c := range []struct {
		list            []int
		unknown, mapped bool
		want            string
	}{{[]int{0, 3}, true, true, "w"}, {[]int{0, 3}, false, true, "w=a;c"}, {[]int{0, 3}, false, false, "a;c"}, {nil, false, true, ""}} {
		if got := p.label("w", c.list, c.unknown, c.mapped); got != c.want {
			t.Errorf("%+v: environment %q", c, got)
		}
	}
}

// knockedOut is a table of d columns of values from 24 on, with one row for each column in which it is set to 0, five for the
// first of them, after rows without an intervention. The last column names the target.
func knockedOut(d, controls int) *memTable {
	rng := rand.New(rand.NewPCG(1, uint64(d)))
	var names []string
	for j := range d {
		names = append(names, fmt.Sprint("x", j))
	}
	t := memOf(strings.Join(names, " ") + " target")
	for i := range controls + d + 4 {
		row, at := make([]any, d+1), i-controls-4
		for j := range d {
			row[j] = 24 + 10*rng.Float64()
		}
		row[d] = ""
		if i >= controls {
			row[max(0, at)], row[d] = 0, names[max(0, at)]
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// A knocked-out column is 0 where it was set, which is no missing value; in other rows it may be.
func TestKnockedOutZeros(t *testing.T) {
	table := knockedOut(4, 60)
	table.rows[7][2] = 0
	for _, targets := range []string{"target", ""} {
		g := must.Get(gather(t, table, func(s *Settings) {
			if s.Targets = targets; targets == "" {
				s.Drop = []string{"target"}
			}
		}))
		want := []int{0, 0, 1, 0}
		if targets == "" {
			want = []int{5, 1, 2, 1}
		}
		for j, c := range g.Profile.Columns {
			if c.Suspects != want[j] || c.SuspectLone != (want[j] > 0) {
				t.Errorf("targets %q: column %s has %d zeros that may stand for missing values, want %d", targets, c.Name, c.Suspects, want[j])
			}
		}
	}
}

// With many columns, the moments of environments with few rows are computed on demand, and agree with those of their rows.
func TestEnvironmentsOfFewRows(t *testing.T) {
	const d = 130
	table := knockedOut(d, 140)
	g := must.Get(gather(t, table, func(s *Settings) { s.Targets = "target" }))
	if len(g.Environments.Names) != d+1 {
		t.Fatalf("%d environments", len(g.Environments.Names))
	}
	for k, name := range g.Environments.Names {
		want := dataset.NewMoments(g.Moments.Names)
		var rows []float64
		for _, row := range table.rows {
			if row[d] == name {
				for _, x := range row[:d] {
					if set, ok := x.(int); ok {
						x = float64(set)
					}
					rows = append(rows, x.(float64))
				}
			}
		}
		must.Succeed(t, want.AddBlock(rows))
		m := g.Environments.Moments[k]
		if m.OnDemand() != (name != "") || m.N != want.N {
			t.Errorf("%q: on demand %v, %d rows, want %d", name, m.OnDemand(), m.N, want.N)
		}
		for i := range d {
			for j := range d {
				if math.Abs(m.At(i, j)-want.At(i, j)) > 1e-6*(1+math.Abs(want.At(i, i))) || math.Abs(m.Mean[i]-want.Mean[i]) > 1e-9 {
					t.Fatalf("%q: entry %v of %d and %d, want %v", name, m.At(i, j), i, j, want.At(i, j))
				}
			}
		}
	}
}
