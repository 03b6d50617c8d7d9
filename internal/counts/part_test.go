package counts

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestPartsAddUp checks that the counts of the parts add up to those of the table, in every configuration, with
// and without weights and targets.
func TestPartsAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for trial := range 24 {
		levels := []int{2, 3, 2, 5, 1, 2}
		n := []int{3, 5, 64, 701}[trial%4]
		s := random(rng, n, levels, trial%2 == 1, trial%3 == 1)
		table := must.Get(New(s.columns, s.o))
		of := 2 + trial%4
		var parts []*Data
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

// TestArrangedAgainstNew checks that a table in another order of its columns counts as one that was made in
// that order, with and without weights and targets.
func TestArrangedAgainstNew(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for trial := range 12 {
		levels := [][]int{{2, 3, 2, 5, 1, 2}, {2, 2, 2, 2, 2, 2}}[trial%2]
		s := random(rng, []int{3, 64, 701}[trial%3], levels, trial%4 >= 2, trial%3 == 1)
		table := must.Get(New(s.columns, s.o))
		table.Counter().Joined(0, []int{1}, func(*Tally) {}) // the other order must not see this count
		order, o := rng.Perm(len(levels)), s.o
		columns := make([][]int, len(order))
		for v, from := range order {
			columns[v] = s.columns[from]
		}
		o.Targets = nil
		for _, targets := range s.o.Targets {
			var own []int
			for _, v := range targets {
				own = append(own, slices.Index(order, v))
			}
			o.Targets = append(o.Targets, own)
		}
		want := must.Get(New(columns, o))
		got := table.Arranged(order)
		for v := range order {
			parents := slices.DeleteFunc([]int{0, 2, 5}, func(x int) bool { return x == v })
			sums := func(table *Data) (out []uint32) {
				visit := func(y *Tally) {
					for _, n := range y.Levels {
						out = append(out, n...)
					}
				}
				if c := table.Counter(); !c.Joined(v, parents, visit) && !c.Extend(v, parents, visit) {
					t.Fatal("not counted")
				}
				return out
			}
			if a, b := sums(got), sums(want); !slices.Equal(a, b) || got.Total(v) != want.Total(v) || got.Levels(v) != want.Levels(v) {
				t.Fatalf("trial %d, v %d: %v, want %v", trial, v, a, b)
			}
		}
	}
}

func size(t *Data, set []int) int {
	n := 1
	for _, v := range set {
		n *= t.Levels(v)
	}
	return n
}
