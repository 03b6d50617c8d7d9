package counts

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The counts of the parts add up to those of the table, in every configuration, with and without weights and targets.
func TestPartsAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for trial := range 24 {
		levels := []int{2, 3, 2, 5, 1, 2}
		n := []int{3, 5, 64, 701}[trial%4]
		s := random(rng, n, levels, trial%2 == 1, trial%3 == 1)
		table, err := New(s.columns, s.o)
		if err != nil {
			t.Fatal(err)
		}
		of := 2 + trial%4
		var parts []*Table
		rows := 0
		for k := range of {
			p := table.Part(k, of)
			if (p == nil) != (k >= n) {
				t.Fatalf("part %d of %d of %d rows: %v", k, of, n, p)
			}
			if p != nil {
				parts = append(parts, p)
				rows += p.Rows()
			}
		}
		if rows != n {
			t.Fatalf("%d rows in parts of %d", rows, n)
		}
		for range 6 {
			set := rng.Perm(len(levels))[:1+rng.IntN(4)]
			v, parents := set[0], set[1:]
			want, _ := table.Counter().familyDense(v, parents, size(table, set))
			total := uint64(0)
			got := make([]uint32, len(want))
			for _, p := range parts {
				total += p.Total(v)
				if p.HasTargets() != table.HasTargets() || p.Levels(v) != table.Levels(v) {
					t.Fatal("targets or levels were lost")
				}
				cells, _ := p.Counter().familyDense(v, parents, size(p, set))
				for i, c := range cells {
					got[i] += c
				}
			}
			if !slices.Equal(got, want) || total != table.Total(v) {
				t.Fatalf("trial %d, v %d, parents %v: parts have %v, the table %v", trial, v, parents, got, want)
			}
		}
	}
}

func size(t *Table, set []int) int {
	n := 1
	for _, v := range set {
		n *= t.Levels(v)
	}
	return n
}
