package effect

import (
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/graph"
)

// Tables against counts by the formula, also where the configurations of many parents are too many to have a place each, and where rows
// count several times or not at all.
func TestTableAgainstCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for _, parents := range []int{0, 3, 22} {
		g := graph.New(parents + 1)
		for p := range parents {
			g.AddEdge(p, parents)
		}
		d := randomLevels(rng, g, 50)
		times := make([]int, d.n)
		for i := range times {
			times[i] = i % 3
		}
		counted, err := d.counted(times)
		if err != nil {
			t.Fatal(err)
		}
		tab, err := newTable(counted, parents, g.Parents(parents))
		if err != nil {
			t.Fatal(err)
		}
		if sparse := tab.place != nil; sparse != (parents == 22) {
			t.Fatalf("%d parents: places by number is %t", parents, sparse)
		}
		levels, configs, all := len(d.levels[parents]), 1.0, 0.0
		for p := range parents {
			configs *= float64(len(d.levels[p]))
		}
		overall := make([]float64, levels)
		for i, x := range d.columns[parents] {
			overall[int(x)] += float64(times[i])
			all += float64(times[i])
		}
		for c := range overall {
			overall[c] = (overall[c] + 1/float64(levels)) / (all + 1)
		}
		check := func(codes []int) {
			t.Helper()
			n, counts := 0.0, make([]float64, levels)
			for i, x := range d.columns[parents] {
				like := true
				for p, c := range codes {
					like = like && d.columns[p][i] == float64(c)
				}
				if like {
					counts[int(x)] += float64(times[i])
					n += float64(times[i])
				}
			}
			for c, got := range tab.at(codes) {
				near(t, "probability", got, (counts[c]+overall[c]/configs)/(n+1/configs), 1e-12)
			}
		}
		for i := range d.n {
			codes, other := make([]int, parents), make([]int, parents)
			for p := range codes {
				codes[p] = int(d.columns[p][i])
				other[p] = rng.IntN(len(d.levels[p]))
			}
			check(codes)
			check(other)
		}
	}
}
