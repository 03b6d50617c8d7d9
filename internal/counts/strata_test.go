package counts

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestStrata compares strata with a plain loop over the rows, for all ways of counting.
func TestStrata(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	ways := map[string]int{}
	for k := range 60 {
		d, n := 4+rng.IntN(3), 1+rng.IntN(300)
		levels := make([]int, d)
		for v := range levels {
			levels[v] = 2
			if k%3 > 0 {
				levels[v] = 1 + rng.IntN(5)
			}
			if k%5 == 0 {
				levels[v] = 30
			}
		}
		s := random(rng, n, levels, k%4 < 2, false)
		table := must.Get(New(s.columns, s.o))
		c := table.Counter()
		p := rng.Perm(d)
		x, y, set := p[0], p[1], slices.Sorted(slices.Values(p[2:2+rng.IntN(d-1)]))
		if _, dense := c.sizeWithin(1<<16, x, append([]int{y}, set...)); dense {
			ways["dense"]++
		} else {
			ways[fmt.Sprint("sparse, weights: ", k%4 < 2)]++
		}
		want := map[string]int{}
		tables := map[string][]uint32{}
		for i := range table.Rows() {
			key := ""
			for _, v := range set {
				key += fmt.Sprint(table.Level(v, i), " ")
			}
			if tables[key] == nil {
				tables[key] = make([]uint32, table.Levels(x)*table.Levels(y))
			}
			tables[key][table.Level(y, i)*table.Levels(x)+table.Level(x, i)] += table.Weight(i)
		}
		for _, cells := range tables {
			want[fmt.Sprint(cells)]++
		}
		got := map[string]int{}
		c.Strata(x, y, set, func(cells []uint32) { got[fmt.Sprint(cells)]++ })
		empty := fmt.Sprint(make([]uint32, table.Levels(x)*table.Levels(y)))
		delete(want, empty)
		delete(got, empty)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%d and %d given %v: %v, want %v", x, y, set, got, want)
		}
	}
	if len(ways) != 3 {
		t.Errorf("only %v", ways)
	}
}
