package counts

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// joined makes a table of the rows in batches.
func joined(t *testing.T, columns [][]int, drawn bool, batch int) (*Data, *Joiner) {
	t.Helper()
	j := NewJoiner(len(columns), len(columns[0]), drawn)
	for lo := 0; lo < len(columns[0]); lo += batch {
		for v, column := range columns {
			for _, code := range column[lo:min(lo+batch, len(column))] {
				j.Columns[v] = append(j.Columns[v], uint16(code))
			}
		}
		j.Join()
	}
	table := must.Get(j.Table(Rows{}))
	return table, j
}

// TestJoinedAgainstPlain checks that a table of joined rows counts as the one of all rows does, and so do its
// parts, strata and tallies.
func TestJoinedAgainstPlain(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 3))
	few := 0
	for trial := range 24 {
		levels := [][]int{{2, 2, 2, 2, 2}, {2, 3, 2, 4, 2}, {3, 70, 2, 2, 2}}[trial%3]
		s := random(rng, []int{5, 100, 1500, 20000}[trial%4], levels, false, false)
		plain := must.Get(New(s.columns, Rows{}))
		table, _ := joined(t, s.columns, trial%2 == 1, 1+rng.IntN(3000))
		if table.dealt != nil {
			few++
		}
		if table.Given() != plain.Rows() || plain.Given() != plain.Rows() {
			t.Fatalf("%d rows were given, want %d", table.Given(), plain.Rows())
		}
		for part := range 4 {
			a, b := table, plain
			if part < 3 {
				a, b = table.Part(part, 3), plain.Part(part, 3)
				if a.Given() != b.Given() {
					t.Fatalf("part %d has %d rows, want %d", part, a.Given(), b.Given())
				}
			}
			for range 4 {
				set := rng.Perm(len(levels))[:2+rng.IntN(3)]
				v, parents := set[0], set[1:]
				if a.Total(v) != b.Total(v) || a.Levels(v) != b.Levels(v) {
					t.Fatalf("%d rows of %d levels, want %d of %d", a.Total(v), a.Levels(v), b.Total(v), b.Levels(v))
				}
				gotCells, gotConfigs := a.Counter().Family(v, parents)
				cells, configs := b.Counter().Family(v, parents)
				if !slices.Equal(bag(gotCells), bag(cells)) || !slices.Equal(bag(gotConfigs), bag(configs)) {
					t.Fatalf("trial %d, part %d, v %d, parents %v: %v, want %v", trial, part, v, parents, bag(gotCells), bag(cells))
				}
				strata := func(t *Data) (list []uint32) {
					t.Counter().Strata(v, parents[0], parents[1:], func(cells []uint32) { list = append(list, cells...) })
					return list
				}
				if !slices.Equal(strata(a), strata(b)) {
					t.Fatalf("trial %d, part %d: strata of %d, %v", trial, part, v, parents)
				}
			}
		}
		if table.Part(20000, 20001) != nil {
			t.Error("a part without rows")
		}
	}
	if few < 8 {
		t.Errorf("rows were joined in %d of 24 tables", few)
	}
}

// TestJoiningIsGivenUp checks that rows with few repetitions, and rows of experiments, are not merged.
func TestJoiningIsGivenUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 3))
	wide := random(rng, 3000, slices.Repeat([]int{2}, 40), false, false)
	for v := range wide.columns { // separate columns
		for i := range wide.columns[v] {
			wide.columns[v][i] = rng.IntN(2)
		}
	}
	table, j := joined(t, wide.columns, false, 1024)
	if j.dealt != nil || table.Rows() != 3000 || j.Columns[0] != nil {
		t.Errorf("%d of 3000 rows are left", table.Rows())
	}
	narrow := random(rng, 3000, []int{2, 2}, false, false)
	environments := make([]int, 3000)
	j = NewJoiner(2, 0, false)
	for v, column := range narrow.columns {
		for _, code := range column {
			j.Columns[v] = append(j.Columns[v], uint16(code))
		}
	}
	j.Join()
	table, err := j.Table(Rows{Environments: environments, Targets: [][]int{{0}}})
	if err != nil || table.Rows() != 3000 || table.Total(0) != 0 || table.Total(1) != 3000 {
		t.Errorf("%v, %v", table, err)
	}
}
